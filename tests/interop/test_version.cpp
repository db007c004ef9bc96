// SPDX-License-Identifier: Apache-2.0
//
// clnd.hpp with a library that is older than the headers: this program's own clnd_version takes the
// place of the library's. Prints TAP; needs no device.

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
    try {
        const clnd::engine engine("cpu");
    } catch (const clnd::error &error) {
        text = error.what();
        status = error.status();
    }
    check(1, text == expected && status == CLND_INTERNAL, "an older library is refused", text);
    status = CLND_OK;
    const clnd::engine engine("cpu", nullptr, &status);
    check(2, engine == nullptr && status == CLND_INTERNAL, "with a status, too", "no status");
    std::printf("1..2\n");
}
