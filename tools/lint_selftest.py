# SPDX-License-Identifier: Apache-2.0
"""The self-test of lint.py: a small good tree, and bad ones that each break one rule."""

import os
import tempfile

C = "// SPDX-License-Identifier: Apache-2.0\n"
H = "# SPDX-License-Identifier: Apache-2.0\n"

GOOD = {
    ".clang-format": "BasedOnStyle: LLVM\nIndentWidth: 4\nColumnLimit: 100\n",
    "include/clnd/base.h": C + "#include <stdint.h>\n",
    "include/clnd/engine.h": C + '#include <CL/cl.h>\n\n#include "clnd/base.h"\n',
    "include/clnd/op.h": C + '#include "clnd/engine.h"\n',
    "host/base/alloc.c": C + "#include <stdlib.h>\nvoid *get(void) { return malloc(1); }\n",
    "host/base/compiler.h": C + "#define LOCAL _Thread_local\n",
    "host/base/error.h": C + '#include "clnd/base.h"\n// printf, abort(), malloc, clFinish()\n',
    "host/shape/fold.c": C + '#include "host/base/error.h"\nconst char *s = "exit(1) clFinish(";\n',
    "host/cl/launch.c": C + '#include "base/error.h"\nvoid f(void) { clFinish(0); }\n',
    "host/cl/launch.h": C + '#include "../base/error.h"\n#include "clnd/engine.h"\n',
    "host/exec/move.h": C + '#include "cl/launch.h"\n#include "kernels_cl/args.h"\n',
    "host/exec/scatter.h": C + "#include <stddef.h>\n",
    "host/exec/scatter.c": C + '#include "exec/strategies/table.h"\nint a = 64;\n',
    "host/exec/strategies/table.h": C
    + '#include "exec/scatter.h"\n#define ALL(EACH) EACH(owner)\n',
    "host/exec/strategies/owner.c": C + '#include "exec/strategies/table.h"\nenum { WORD = 4 };\n',
    "host/exec/tuning.h": C + "enum { ROWS = 1000 };\n",
    "host/exec/gather.h": C + "#include <stddef.h>\n",
    "host/ops/operands.h": C + "#include <stddef.h>\n",
    "host/ops/gather_nd.h": C + "#include <stddef.h>\n",
    "host/ops/gather_nd.c": C + '#include "ops/gather_nd.h"\n#include "ops/operands.h"\n',
    "host/ops/gather.c": C + '#include "clnd/op.h"\nvoid g(struct a *a) { a->free(a); }\n',
    "host/arrays/call.c": C + '#include "cl/launch.h"\n#include "ops/operands.h"\n',
    "host/arrays/call.h": C + '#include "clnd/op.h"\n',
    "kernels_cl/args.h": C + "struct args {\n    int n;\n};\n",
    "kernels_cl/gather.cl": C + "__kernel void gather_b4(int n)\n{\n}\n",
    "kernels_cl/scatter.cl": C + "kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "void NAME(scatter_, SIZE)(int n) { n++; }\n",
    "kernels_cl/meson.build": H + "files('gather.cl', 'scatter.cl')\n",
    "tests/meson.build": H + "foreach name : ['gather', 'unit/shape']\nendforeach\n",
    "selftest/ref/ref.h": C + '#include "clnd/base.h"\n#include <string.h>\n',
    "selftest/ref/meson.build": H + "files('ref.c')\n",
    "selftest/ref/ref.c": C + '#include "ref.h"\n',
    "tests/test_gather.c": C + '#include "ops/gather_nd.h"\n',
    "tests/unit/shape.c": C + '#include "ref/ref.h"\n',
    "tests/headers/meson.build": H + "test('headers', files('check.py'))\n",
    "tests/headers/check.py": H + 'if __name__ == "__main__":\n    pass\n',
    "tests/lib/npy.py": H + "VALUE = 1\n",
    "tools/run.sh": "#!/bin/sh\n" + H + "true\n",
    "cli/main.c": C + '#include "clnd/op.h"\n',
    "build/host/ignored.c": "\tno licence\n",
    "subprojects/x/ignored.c": "\tno licence\n",
}

# (rule, what is wrong, files to change or add)
BAD = [
    ("layers", "shape includes cl", {"host/shape/a.c": C + '#include "cl/launch.h"\n'}),
    ("layers", "base includes shape", {"host/base/a.c": C + '#include "../shape/fold.c"\n'}),
    ("layers", "cl includes ops", {"host/cl/a.c": C + '#include "host/ops/operands.h"\n'}),
    ("layers", "exec includes ops", {"host/exec/a.c": C + "#include <ops/operands.h>\n"}),
    ("layers", "shape includes args", {"host/shape/a.c": C + '#include "kernels_cl/args.h"\n'}),
    ("layers", "ops includes arrays", {"host/ops/a.c": C + '#include "arrays/call.h"\n'}),
    ("layers", "arrays includes args", {"host/arrays/a.c": C + '#include "kernels_cl/args.h"\n'}),
    ("layers", "host includes tests", {"host/ops/a.c": C + '#include "ref/ref.h"\n'}),
    ("layers", "unknown header", {"host/ops/a.c": C + '#include "lost.h"\n'}),
    ("layers", "no layer", {"host/a.c": C + "int a;\n"}),
    ("layers", "new layer", {"host/more/a.c": C + "int a;\n"}),
    ("public_headers", "host header", {"include/clnd/a.h": C + '#include "base/error.h"\n'}),
    ("public_headers", "POSIX header", {"include/clnd/a.h": C + "#include <unistd.h>\n"}),
    ("public_headers", "other CL header", {"include/clnd/a.h": C + "#include <CL/cl_ext.h>\n"}),
    ("public_headers", "DLPack", {"include/clnd/a.h": C + "#include <dlpack/dlpack.h>\n"}),
    ("no_opencl_below_cl", "directly", {"host/base/a.c": C + "#include <CL/cl.h>\n"}),
    ("no_opencl_below_cl", "publicly", {"host/shape/a.c": C + '#include "clnd/engine.h"\n'}),
    ("no_opencl_below_cl", "transitively", {"host/shape/a.c": C + '#include "clnd/op.h"\n'}),
    ("ops_apart", "op includes op", {"host/ops/a.c": C + '#include "ops/gather_nd.h"\n'}),
    ("executors_apart", "both ways", {"host/exec/gather.c": C + '#include "exec/scatter.h"\n'}),
    ("executors_apart", "strategies", {
        "host/exec/strategies/a.c": C + '#include "exec/strategies/sort.h"\n',
        "host/exec/strategies/sort.h": C + "#include <stddef.h>\n"}),
    ("strategies_unnamed", "by name", {"host/exec/a.c": C + "int a = clnd__scatter_owner;\n"}),
    ("tuning", "a constant", {"host/exec/a.c": C + "enum { LEAST_ROWS = 8 };\n"}),
    ("tuning", "a macro", {"host/exec/a.c": C + "#define LEAST_ROWS 8\n"}),
    ("tuning", "a literal", {"host/exec/strategies/a.c": C + "int a = 65;\n"}),
    ("environment", "a planner asks", {"host/exec/a.c": C + 'char *a = getenv("A");\n'}),
    ("reference_apart", "host header", {"selftest/ref/ref.h": C + '#include "base/error.h"\n'}),
    ("reference_apart", "problems", {"selftest/ref/ref.h": C + '#include "problem.h"\n'}),
    ("reference_apart", "OpenCL", {"selftest/ref/ref.h": C + "#include <CL/cl.h>\n"}),
    ("clients", "cli includes host", {"cli/main.c": C + '#include "base/error.h"\n'}),
    ("clients", "example includes host", {"examples/a.c": C + '#include "base/error.h"\n'}),
    ("clients", "selftest too", {"selftest/support/a.h": C + '#include "base/error.h"\n'}),
    ("opencl_calls", "in ops", {"host/ops/a.c": C + "void f(void) { clReleaseEvent(0); }\n"}),
    ("opencl_calls", "in a header", {"host/exec/a.h": C + "int a = clEnqueueCopyBuffer (0);\n"}),
    ("opencl_calls", "in arrays", {"host/arrays/a.c": C + "void f(void) { clFinish(0); }\n"}),
    ("allocation", "malloc", {"host/ops/a.c": C + "void *a(void) { return malloc(1); }\n"}),
    ("allocation", "free in base", {"host/base/a.c": C + "void a(void *b) { free(b); }\n"}),
    ("allocation", "by pointer", {"host/cl/a.c": C + "void *(*a)(unsigned long) = malloc;\n"}),
    ("compilers", "a lock", {"host/cl/a.h": C + "pthread_mutex_t *a;\n"}),
    ("compilers", "a builtin", {"host/shape/a.c": C + "int a = __builtin_clz(1);\n"}),
    ("compilers", "attribute", {"include/clnd/a.h": C + "__attribute__((unused)) int a;\n"}),
    ("quiet", "printf", {"host/cl/a.c": C + 'void a(void) { printf("a"); }\n'}),
    ("quiet", "stderr", {"host/cl/a.c": C + "void a(void) { say(stderr); }\n"}),
    ("quiet", "abort", {"host/base/a.c": C + "void a(void) { abort(); }\n"}),
    ("quiet", "exit", {"host/shape/a.c": C + "void a(void) { exit(1); }\n"}),
    ("quiet", "assert in ops", {"host/ops/a.c": C + "void a(int b) { assert(b); }\n"}),
    ("quiet", "assert in arrays", {"host/arrays/a.c": C + "void a(int b) { assert(b); }\n"}),
    ("spdx", "none in C", {"host/base/a.c": "int a;\n"}),
    ("spdx", "second line", {"include/clnd/a.h": "\n" + C}),
    ("spdx", "shell", {"tools/run.sh": "#!/bin/sh\ntrue\n"}),
    ("spdx", "meson", {"kernels_cl/meson.build": "files('gather.cl', 'scatter.cl')\n"}),
    ("spdx", "CI", {".ci/run": "#!/bin/bash\ntrue\n"}),
    ("spdx", "options", {"meson_options.txt": "option('a', type: 'boolean')\n"}),
    ("spdx", "other licence", {"host/base/a.c": C.replace("Apache-2.0", "MIT") + "int a;\n"}),
    ("file_length", "host", {"host/base/a.c": C + "int a;\n" * 500}),
    ("file_length", "kernel", {"kernels_cl/common.clh": C + "int a;\n" * 300}),
    ("file_length", "public header", {"include/clnd/a.h": C + "int a(void);\n" * 250}),
    ("function_length", "host", {"host/base/a.c": C + "int f(void)\n{\n" + "a();\n" * 41 + "}\n"}),
    ("function_length", "kernel", {
        "kernels_cl/a.clh": C + "int f(int n)\n{\n" + "n++;\n" * 41 + "}\n"}),
    (
        "headers_name_no_strategy",
        "in a comment",
        {"include/clnd/a.h": C + "// As SORT does.\nint a(void);\n"},
    ),
    ("line_length", "101 columns", {"tools/run.sh": H + "#" * 101 + "\n"}),
    ("plain_text", "tab", {"tools/run.sh": H + "a\tb\n"}),
    ("plain_text", "carriage return", {"tools/run.sh": H + "a\rb\n"}),
    ("plain_text", "trailing blank", {"tools/run.sh": H + "a \n"}),
    ("plain_text", "no line end", {"tools/run.sh": H + "a"}),
    ("plain_text", "empty last line", {"tools/run.sh": H + "a\n\n"}),
    ("plain_text", "non-ASCII", {"tools/run.sh": H + "# na\u00efve\n"}),
    ("plain_text", "control byte", {"tools/run.sh": H + "# \x1b\n"}),
    (
        "kernel_names",
        "two files",
        {"kernels_cl/scatter.cl": C + "kernel void gather_b4(int n)\n{\n}\n"},
    ),
    (
        "kernel_names",
        "made by a macro",
        {"kernels_cl/gather.cl": C + "__kernel void NAME(scatter_,SIZE)(int n)\n{\n}\n"},
    ),
    (
        "barriers",
        "not inlined",
        {
            "kernels_cl/a.clh": C
            + "INLINED void a(int x)\n{\n    barrier(x);\n}\n\n"
            + "static inline int b(int x)\n{\n    a(x);\n    return x;\n}\n"
        },
    ),
    ("kernels_listed", "not listed", {"kernels_cl/meson.build": H + "files('gather.cl')\n"}),
    (
        "kernels_listed",
        "commented out",
        {"kernels_cl/meson.build": H + "files('gather.cl') # 'scatter.cl'\n"},
    ),
    (
        "kernels_listed",
        "not there",
        {"kernels_cl/meson.build": H + "files('gather.cl', 'scatter.cl', 'lost.cl')\n"},
    ),
    ("kernels_listed", "elsewhere", {"host/cl/a.cl": C + "int a;\n"}),
    ("tests_listed", "C test", {"tests/unit/lost.c": C + "int a;\n"}),
    ("tests_listed", "Python test", {"tests/headers/meson.build": H}),
    ("tests_listed", "part of selftest", {"selftest/lost.c": C + "int a;\n"}),
    ("tests_listed", "shell test", {"tests/cli/lost.sh": H}),
    ("format", "two blanks", {"host/base/a.c": C + "int  a;\n"}),
]


def write(root, files):
    for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8", newline="") as file:
            file.write(text)


def red_rules(rules, make_tree, skip_reason, changes):
    with tempfile.TemporaryDirectory() as root:
        write(root, {**GOOD, **changes})
        tree = make_tree(root)
        return {n: p for n, r in rules.items() if not skip_reason(r) and (p := list(r(tree)))}


def run(rules, make_tree, skip_reason):
    """Prints TAP; 1 when a rule misses its bad tree or complains about another one."""
    untested = sorted(set(rules) - {rule for rule, _, _ in BAD})
    results = [("every rule has a bad tree", not untested, untested, None)]
    red = red_rules(rules, make_tree, skip_reason, {})
    results.append(("the good tree is good", not red, red, None))
    for rule, what, changes in BAD:
        reason = skip_reason(rules[rule])
        red = {} if reason else red_rules(rules, make_tree, skip_reason, changes)
        # A bad tree may be badly laid out as well, but breaks no other rule.
        others = set(red) - {rule, "format"}
        results.append((f"{rule}: {what}", rule in red and not others, red, reason))
    print(f"1..{len(results)}")
    for number, (title, good, detail, reason) in enumerate(results, 1):
        if reason:
            print(f"ok {number} - {title} # SKIP {reason}")
            continue
        print(f"{'ok' if good else 'not ok'} {number} - {title}")
        if not good:
            print(f"# red: {detail}")
    return 0 if all(good or reason for _, good, _, reason in results) else 1
