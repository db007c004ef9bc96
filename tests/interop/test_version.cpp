// SPDX-License-Identifier: Apache-2.0
//
// clnd.hpp with a library that is older than the headers, after an earlier failure: this program's
// own functions take the place of the library's. Prints TAP; needs no device.

#include <clnd/clnd.hpp>
#include <cstdio>

extern "C" int32_t clnd_version(void)
{
    return CLND_VERSION - 1;
}

extern "C" const char *clnd_version_text(void)
{
    return "0.0.99";
}

extern "C" int32_t clnd_last_error_code(void)
{
    return -5;
}

static void check(int number, bool good, const std::string &label, const std::string &text)
{
    std::printf("%s %d - %s\n", good ? "ok" : "not ok", number, label.c_str());
    if (!good)
        std::printf("# %s\n", text.c_str());
}

int main()
{
    const std::string expected =
        "clnd's headers are of version " + std::to_string(CLND_VERSION_MAJOR) + "." +
        std::to_string(CLND_VERSION_MINOR) + "." + std::to_string(CLND_VERSION_PATCH) +
        ", the library is 0.0.99: it may lack what they declare";
    std::string text = "nothing was thrown";
    clnd_status status = CLND_OK;
    int32_t code = 1;
    try {
        const clnd::engine engine("cpu");
    } catch (const clnd::error &error) {
        text = error.what();
        status = error.status();
        code = error.code();
    }
    check(1, text == expected && status == CLND_INTERNAL, "an older library is refused", text);
    check(2, code == 0, "the code of another failure is not its own", std::to_string(code));
    status = CLND_OK;
    const clnd::engine engine("cpu", nullptr, &status);
    check(3, engine == nullptr && status == CLND_INTERNAL, "with a status, too", "no status");
    std::printf("1..3\n");
}
