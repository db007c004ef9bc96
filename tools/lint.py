#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the rules of CONTRIBUTING.md that a compiler does not check. Prints TAP.

    lint.py SOURCE_DIR     check a tree
    lint.py --self-test    check that every rule fails on a tree that breaks it
"""

import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

import lint_selftest  # noqa: E402

# Lower layers first; a file includes from its own layer and from those before it.
LAYERS = ["base", "shape", "cl", "exec", "ops", "arrays"]

# Headers that several ops, or several executors, may share.
OPS_COMMON = ["indexed.h", "indices.h", "move_view.h", "operands.h", "plan.h", "reduction.h"]
EXEC_COMMON = "lanes.h move.h planner.h rows.h table.h tuning.h updates.h workspace.h".split()
EXEC_BASES = {"table.h": ("gather.h", "scatter.h"), "updates.h": ("scatter.h",)}

# Constants of host/exec that a kernel, a compiler or OpenCL gives; all others are in tuning.h.
GIVEN_CONSTANTS = set(
    "WIDEST_UNIT AHEAD MOST_COORDINATES PIECE WORD LOCAL_MEMORY LARGEST_END MAX_CHUNK CHUNK_STEP "
    "WHOLE_STORE LISTS_ROW STREAMED_UNIT KIB CLND__STRATEGY_PLAN MOST_LOCATIONS N_STRATEGIES "
    "CLND__WORKSPACE_ALIGNMENT CLND__ROWS_COORDINATES".split()
)
LARGEST_LITERAL = 64  # a tile's side, the bits of a number

# Layers that may see the structs that kernels take, kernels_cl/*.h.
KERNEL_ARGUMENT_LAYERS = ["cl", "exec", "ops"]

# Where it may stand what compilers and systems do not share.
PER_COMPILER = "host/base/compiler.h host/base/mutex.c host/base/mutex.h include/clnd/export.h"

MAX_LINES = [
    ("host/", (".c", ".h"), 500),
    ("kernels_cl/", (".cl", ".clh", ".h"), 300),
    ("include/", (".h", ".hpp"), 250),
]
MAX_FUNCTION_LINES = 40
MAX_COLUMNS = 100
SPDX = "SPDX-License-Identifier: Apache-2.0"
CLANG_FORMAT_MAJOR = 14  # other versions lay out some lines differently

C_STANDARD_HEADERS = set(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal "
    "stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath "
    "threads time uchar wchar wctype".split()
)

SOURCE_EXTENSIONS = (".c", ".h", ".cpp", ".hpp", ".cl", ".clh", ".py", ".sh", ".bash", ".fish",
                     ".build")
C_EXTENSIONS = (".c", ".h", ".cpp", ".hpp")


class Tree:
    """The source files under a root, read once."""

    def __init__(self, root):
        self.root = root
        self.raw = {}
        for folder, folders, files in os.walk(root):
            relative = os.path.relpath(folder, root).replace(os.sep, "/")
            folders[:] = sorted(d for d in folders if not self.is_skipped(relative, d))
            for name in sorted(files):
                path = name if relative == "." else f"{relative}/{name}"
                if self.is_source(path):
                    with open(os.path.join(folder, name), "rb") as file:
                        self.raw[path] = file.read()
        self.text = {path: raw.decode("utf-8", "replace") for path, raw in self.raw.items()}
        self.code = {
            path: strip_c(self.text[path])
            for path in self.raw
            if path.endswith((".c", ".h", ".cl", ".clh"))
        }
        self.includes = {path: list(self.find_includes(path)) for path in self.code}

    @staticmethod
    def is_skipped(relative, name):
        if relative == "." and (name.startswith("build") or name == "subprojects"):
            return True
        return name == "__pycache__" or (name.startswith(".") and name != ".ci")

    @staticmethod
    def is_source(path):
        return path.endswith(SOURCE_EXTENSIONS) or path in ("meson_options.txt", ".ci/run")

    def exists(self, path):
        return os.path.isfile(os.path.join(self.root, path))

    def find_includes(self, path):
        """(line, spelling, path in the tree or None) of every #include."""
        pattern = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
        for match in pattern.finditer(strip_c(self.text[path], keep_strings=True)):
            line = self.text[path].count("\n", 0, match.start()) + 1
            spelling = match.group(2)
            yield line, match.group(1) + spelling, self.resolve(path, match.group(1), spelling)

    def resolve(self, path, quote, spelling):
        folders = "include host selftest tests/lib bench cli examples kernels_cl .".split()
        if quote == '"':
            folders.insert(0, os.path.dirname(path))
        for folder in folders:
            candidate = os.path.normpath(os.path.join(folder, spelling)).replace(os.sep, "/")
            if self.exists(candidate):
                return candidate
        return None

    def public_headers_with_cl(self):
        """Public headers that include <CL/...>, themselves or through others."""
        found = set()
        while True:
            more = {
                path
                for path, includes in self.includes.items()
                if path.startswith("include/")
                and (
                    any(spelling[1:].startswith("CL/") for _, spelling, _ in includes)
                    or any(target in found for _, _, target in includes)
                )
            }
            if more == found:
                return found
            found = more


def strip_c(text, keep_strings=False):
    """Blank out comments, and strings and characters too; line ends stay where they are."""
    pattern = re.compile(
        r'//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S
    )

    def blank(match):
        token = match.group(0)
        if token[0] in "\"'":
            return token if keep_strings else token[0] + " " * (len(token) - 2) + token[0]
        return re.sub(r"[^\n]", " ", token)

    return pattern.sub(blank, text)


def lines_matching(code, pattern):
    for match in re.finditer(pattern, code):
        yield code.count("\n", 0, match.start()) + 1, match.group(0).strip()


def layer_of(path):
    parts = path.split("/")
    if parts[0] == "host" and len(parts) > 2 and parts[1] in LAYERS:
        return parts[1]
    return None


def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


def is_standard(spelling):
    return spelling.endswith(".h") and spelling[1:-2] in C_STANDARD_HEADERS


# The rules. Each takes a Tree and yields "path:line: what is wrong".


def rule_layers(tree):
    """host/: base <- shape <- cl <- exec <- ops <- arrays"""
    for path, includes in tree.includes.items():
        if not path.startswith("host/"):
            continue
        layer = layer_of(path)
        if layer is None:
            yield f"{path}:1: is in none of the layers {', '.join(LAYERS)}"
            continue
        for line, spelling, target in includes:
            if target is None:
                if spelling[0] == '"':
                    yield f'{path}:{line}: "{spelling[1:]}" is not in the tree'
                continue
            if target.startswith("include/"):
                continue
            if target.startswith("kernels_cl/"):
                if layer not in KERNEL_ARGUMENT_LAYERS:
                    yield f"{path}:{line}: {layer} does not deal with kernel arguments ({target})"
                continue
            other = layer_of(target)
            if other is None:
                yield f"{path}:{line}: {target} is outside host/ and include/"
            elif LAYERS.index(other) > LAYERS.index(layer):
                yield f"{path}:{line}: {layer} may not include {other} ({target})"


def rule_public_headers(tree):
    """include/: only public headers, the C standard library and CL/cl.h"""
    for path, includes in tree.includes.items():
        if not path.startswith("include/"):
            continue
        for line, spelling, target in includes:
            if spelling in ("<CL/cl.h", "<OpenCL/cl.h") or is_standard(spelling):
                continue
            if (path, spelling) == ("include/clnd/dlpack.h", "<dlpack/dlpack.h"):
                continue  # what it is for
            if target is None or not target.startswith("include/"):
                yield f"{path}:{line}: a public header may not include {spelling[1:]}"


def rule_no_opencl_below_cl(tree):
    """host/base and host/shape never see OpenCL"""
    with_cl = tree.public_headers_with_cl()
    for path, includes in tree.includes.items():
        if layer_of(path) not in ("base", "shape"):
            continue
        for line, spelling, target in includes:
            if spelling[1:].startswith("CL/"):
                yield f"{path}:{line}: includes {spelling[1:]}"
            elif target in with_cl:
                yield f"{path}:{line}: {target} includes OpenCL"


def rule_ops_apart(tree):
    """ops never include one another"""
    for path, includes in tree.includes.items():
        if layer_of(path) != "ops":
            continue
        for line, _, target in includes:
            if target is None or layer_of(target) != "ops":
                continue
            if stem(target) != stem(path) and os.path.basename(target) not in OPS_COMMON:
                yield f"{path}:{line}: may not include the op {target}"


def rule_executors_apart(tree):
    """executors never include one another, strategies neither"""
    for path, includes in tree.includes.items():
        if layer_of(path) != "exec":
            continue
        for line, _, target in includes:
            if target is None or layer_of(target) != "exec" or stem(target) == stem(path):
                continue
            name = os.path.basename(target)
            if name not in EXEC_COMMON + list(EXEC_BASES.get(os.path.basename(path), ())):
                yield f"{path}:{line}: may not include the executor {target}"


def rule_strategies_unnamed(tree):
    """executors know strategies by the table alone, never by name"""
    names = re.findall(r"EACH\((\w+)\)", tree.text.get("host/exec/strategies/table.h", ""))
    if not names:
        return
    pattern = r"\bclnd__(gather|scatter)_(%s)\b" % "|".join(names)
    for path, code in tree.code.items():
        if layer_of(path) and not path.startswith("host/exec/strategies/"):
            for line, name in lines_matching(code, pattern):
                yield f"{path}:{line}: {name} is named outside host/exec/strategies"


def rule_tuning(tree):
    """host/exec: tuned numbers are in tuning.h alone"""
    constant = r"(?:#define|enum \{)\s*([A-Z]\w*)\s*(?:=\s*)?[^\n]*\d"
    for path, code in tree.code.items():
        if layer_of(path) != "exec" or path == "host/exec/tuning.h":
            continue
        for match in re.finditer(constant, code):
            if match.group(1) not in GIVEN_CONSTANTS:
                line = code.count("\n", 0, match.start()) + 1
                yield f"{path}:{line}: {match.group(1)} is a number of its own"
        for number, line in enumerate(code.split("\n"), 1):
            if re.search(constant, line):
                continue
            for literal in re.findall(r"(?<![\w.])\d+(?![\w.])", line):
                if int(literal) > LARGEST_LITERAL:
                    yield f"{path}:{number}: {literal} is a number of its own"


def rule_environment(tree):
    """the environment is read in host/cl, when an engine is made"""
    for path, code in tree.code.items():
        if path.startswith("host/") and layer_of(path) != "cl":
            for line, call in lines_matching(code, r"\bgetenv\b"):
                yield f"{path}:{line}: {call} outside host/cl"


def rule_reference_apart(tree):
    """selftest/ref sees only public headers, the C standard library and itself"""
    for path, includes in tree.includes.items():
        if not path.startswith("selftest/ref/"):
            continue
        for line, spelling, target in includes:
            if is_standard(spelling):
                continue
            if target is None or not target.startswith(("include/", "selftest/ref/")):
                yield f"{path}:{line}: the reference may not include {spelling[1:]}"


def rule_clients(tree):
    """cli/, examples/ and selftest/ use the library through its public headers"""
    for path, includes in tree.includes.items():
        if not path.startswith(("cli/", "examples/", "selftest/problems/", "selftest/support/")):
            continue
        for line, _, target in includes:
            if target is not None and target.startswith(("host/", "kernels_cl/")):
                yield f"{path}:{line}: may not include {target}"


def rule_opencl_calls(tree):
    """OpenCL is called in host/cl only"""
    for path, code in tree.code.items():
        if path.startswith("host/") and layer_of(path) != "cl":
            for line, call in lines_matching(code, r"\bcl[A-Z]\w*[ \t]*\("):
                yield f"{path}:{line}: {call}...) outside host/cl"


def rule_allocation(tree):
    """memory comes from host/base/alloc.c"""
    pattern = r"(?<![\w.>])(malloc|calloc|realloc|aligned_alloc|strdup|strndup|free)\b"
    for path, code in tree.code.items():
        if path.startswith("host/") and path != "host/base/alloc.c":
            for line, call in lines_matching(code, pattern):
                yield f"{path}:{line}: {call} outside host/base/alloc.c"


def rule_compilers(tree):
    """what compilers do not share is in host/base/compiler.h; locks are those of mutex.h"""
    pattern = (
        r"\b(__attribute__|__builtin_\w+|__declspec|__typeof\w*|_Thread_local|max_align_t"
        r"|pthread\w*|__u?int128)\b"
    )
    for path, code in tree.code.items():
        if path.startswith(("host/", "include/")) and path not in PER_COMPILER.split():
            for line, word in lines_matching(code, pattern):
                yield f"{path}:{line}: {word}"


def rule_quiet(tree):
    """the library never prints, never ends the process, never asserts on user input"""
    pattern = (
        r"\b(v?f?printf|puts|fputs|putchar|f?putc|fwrite|perror|abort|exit|_Exit|quick_exit"
        r"|atexit|at_quick_exit|raise)[ \t]*\(|\b(stdout|stderr)\b"
    )
    for path, code in tree.code.items():
        if not path.startswith("host/"):
            continue
        for line, call in lines_matching(code, pattern):
            yield f"{path}:{line}: {call}"
        layer = layer_of(path)
        if layer in ("ops", "arrays"):
            for line, _ in lines_matching(code, r"\bassert[ \t]*\("):
                yield f"{path}:{line}: {layer} validate with a status, not with assert"


def rule_spdx(tree):
    """the first line is the licence, or the second where a script begins"""
    for path, text in tree.text.items():
        lines = text.split("\n")
        number = 1 if lines[0].startswith("#!") else 0
        line = lines[number] if number < len(lines) else ""
        if line not in (f"// {SPDX}", f"# {SPDX}"):
            yield f"{path}:{number + 1}: expected the line '{SPDX}' as a comment"


def rule_file_length(tree):
    """one idea per file: host 500 lines, kernels 300, public headers 250"""
    for path, text in tree.text.items():
        for folder, extensions, limit in MAX_LINES:
            count = text.count("\n")
            if path.startswith(folder) and path.endswith(extensions) and count > limit:
                yield f"{path}:{count}: {count} lines, the limit is {limit}"


def rule_function_length(tree):
    """functions of the library and its kernels have at most 40 lines between their braces"""
    for path, text in tree.text.items():
        if not path.startswith(("host/", "kernels_cl/")):
            continue
        opened = 0
        for number, line in enumerate(text.split("\n"), 1):
            if line == "{":
                opened = number
            elif line == "}" and opened:
                count, opened = number - opened - 1, 0
                if count > MAX_FUNCTION_LINES:
                    yield f"{path}:{number - count - 1}: a function of {count} lines"


def rule_headers_name_no_strategy(tree):
    """public headers name no strategy: those are no part of the interface"""
    pattern = r"\b(STORE|ATOMIC|OWNER|BUCKETS|SORT|PRIVATE|LANES|BLOCKS|TILES)\b"
    for path, text in tree.text.items():
        if path.startswith("include/"):
            for line, word in lines_matching(text, pattern):
                yield f"{path}:{line}: {word}"


def rule_line_length(tree):
    """lines have at most 100 columns"""
    for path, text in tree.text.items():
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > MAX_COLUMNS:
                yield f"{path}:{number}: {len(line)} columns"


def rule_plain_text(tree):
    """no tabs, carriage returns, trailing blanks, non-ASCII; a line end at the end"""
    for path, raw in tree.raw.items():
        for number, line in enumerate(raw.split(b"\n"), 1):
            if b"\t" in line:
                yield f"{path}:{number}: tab"
            if b"\r" in line:
                yield f"{path}:{number}: carriage return"
            if line.endswith((b" ", b"\t")):
                yield f"{path}:{number}: trailing blank"
            if any(byte > 126 or byte < 32 and byte not in (9, 13) for byte in line):
                yield f"{path}:{number}: a byte that is not printable ASCII"
        if raw and not raw.endswith(b"\n"):
            yield f"{path}:{raw.count(10) + 1}: no line end at the end of the file"
        if raw.endswith(b"\n\n"):
            yield f"{path}:{raw.count(10)}: empty line at the end of the file"


def kernel_names(code):
    """(offset, name) of every kernel; a name made by a macro is taken as it is written."""
    for match in re.finditer(r"\b(?:__)?kernel\b[^;{}]*?\bvoid\s+(\w+(?:\s*##\s*\w+)*)", code):
        name, rest = match.group(1), code[match.end() :]
        call = re.match(r"\s*(\([^()]*\))\s*\(", rest)
        if call:
            name += call.group(1)
        yield match.start(), re.sub(r"\s", "", name)


def rule_kernel_names(tree):
    """kernel names are unique"""
    seen = {}
    for path, code in tree.code.items():
        if not path.startswith("kernels_cl/") or not path.endswith(".cl"):
            continue
        for offset, name in kernel_names(code):
            line = code.count("\n", 0, offset) + 1
            if seen.setdefault(name, path) != path:
                yield f"{path}:{line}: kernel {name} is in {seen[name]} too"


def rule_barriers(tree):
    """kernels' functions with a barrier are INLINED: common.clh says why"""
    functions = re.compile(r"^([^\s#/}][^;{}]*\b(\w+)\([^;{}]*\))\n\{\n(.*?)^\}", re.M | re.S)
    for path, code in tree.code.items():
        if not path.startswith("kernels_cl/"):
            continue
        waits = "barrier"  # calls that do
        for match in functions.finditer(code):
            head, name, body = match.groups()
            if not re.search(r"\b(%s)\(" % waits, body):
                continue
            waits += "|" + name
            if not re.match("__kernel|INLINED", head):
                yield f"{path}:{code.count(chr(10), 0, match.start()) + 1}: {name}"


def meson_strings(tree, path):
    text = re.sub(r"(?m)#.*$", "", tree.text.get(path, ""))
    return set(re.findall(r"'([^'\n]*)'", text))


def rule_kernels_listed(tree):
    """kernels_cl/meson.build lists every kernel file"""
    listing = "kernels_cl/meson.build"
    listed = {name for name in meson_strings(tree, listing) if name.endswith(".cl")}
    present = {os.path.basename(p) for p in tree.raw if re.fullmatch(r"kernels_cl/[^/]*\.cl", p)}
    for name in sorted(present - listed):
        yield f"{listing}:1: does not list {name}"
    for name in sorted(listed - present):
        yield f"{listing}:1: lists {name}, which is not there"
    for path in tree.raw:
        if path.endswith(".cl") and not re.fullmatch(r"kernels_cl/[^/]*", path):
            yield f"{path}:1: kernels live in kernels_cl/"


def rule_tests_listed(tree):
    """every test program is in a meson.build"""
    for path, text in tree.text.items():
        if not path.startswith(("selftest/", "tests/")):
            continue
        is_program = path.endswith((".c", ".sh")) or (
            path.endswith(".py") and re.search(r"(?m)^if __name__ ==", text)
        )
        if is_program and not is_listed(tree, path):
            yield f"{path}:1: no meson.build above it names it"


def is_listed(tree, path):
    folder = os.path.dirname(path)
    while True:
        relative = os.path.relpath(path, folder or ".").replace(os.sep, "/")
        names = {relative, os.path.splitext(relative)[0], stem(path)}
        names.add(re.sub(r"^test_", "", stem(path)))
        listing = f"{folder}/meson.build" if folder else "meson.build"
        if names & meson_strings(tree, listing):
            return True
        if not folder:
            return False
        folder = os.path.dirname(folder)


def find_clang_format():
    """(command, reason why there is none)"""
    other = None
    for command in (f"clang-format-{CLANG_FORMAT_MAJOR}", "clang-format"):
        if shutil.which(command) is None:
            continue
        text = subprocess.run([command, "--version"], stdout=subprocess.PIPE, check=True).stdout
        version = re.search(rb"version (\d+)", text)
        if version and int(version.group(1)) == CLANG_FORMAT_MAJOR:
            return command, None
        other = version.group(1).decode() if version else "of unknown version"
    if other is None:
        return None, "clang-format is not installed"
    return None, f"clang-format {other} found, the layout is that of {CLANG_FORMAT_MAJOR}"


def rule_format(tree):
    """clang-format would change nothing"""
    files = [path for path in tree.raw if path.endswith(C_EXTENSIONS)]
    if not files or not tree.exists(".clang-format"):
        return
    result = subprocess.run(
        [find_clang_format()[0], "--dry-run", "-Werror", "--style=file", *files],
        cwd=tree.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    places = sorted(set(re.findall(r"(?m)^(\S+?:\d+):\d+: ", result.stdout)))
    for place in places:
        yield f"{place}: run clang-format"
    if result.returncode != 0 and not places:
        yield f".clang-format:1: clang-format failed: {result.stdout.strip()[:300]}"


RULES = [
    rule_layers,
    rule_public_headers,
    rule_no_opencl_below_cl,
    rule_ops_apart,
    rule_executors_apart,
    rule_strategies_unnamed,
    rule_tuning,
    rule_environment,
    rule_reference_apart,
    rule_clients,
    rule_opencl_calls,
    rule_allocation,
    rule_compilers,
    rule_quiet,
    rule_spdx,
    rule_file_length,
    rule_function_length,
    rule_headers_name_no_strategy,
    rule_line_length,
    rule_plain_text,
    rule_kernel_names,
    rule_barriers,
    rule_kernels_listed,
    rule_tests_listed,
    rule_format,
]


def skip_reason(rule):
    return find_clang_format()[1] if rule is rule_format else None


def check(root):
    tree = Tree(root)
    if not tree.raw:
        sys.exit(f"lint.py: {root} holds no sources")
    failed = False
    print(f"1..{len(RULES)}")
    for number, rule in enumerate(RULES, 1):
        reason = skip_reason(rule)
        if reason:
            print(f"ok {number} - {rule.__doc__} # SKIP {reason}")
            continue
        problems = list(rule(tree))
        print(f"{'not ok' if problems else 'ok'} {number} - {rule.__doc__}")
        for problem in problems:
            print(f"# {problem}")
        failed = failed or bool(problems)
    return 1 if failed else 0


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        rules = {rule.__name__[len("rule_") :]: rule for rule in RULES}
        return lint_selftest.run(rules, Tree, skip_reason)
    return check(sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
