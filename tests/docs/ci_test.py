#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test the files of examples/ci: their form, their packages, and with --run their commands.

    ci_test.py SOURCE_DIR [--run]

--run makes the project that they are for, of the tutorial's meson.build, an example and clnd's
sources, and runs their commands there; `apt-get` and `sudo` then do nothing. Needs PyYAML.
"""

import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays clean
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging"))
import fences  # noqa: E402
from outside import Outside, read, run, write  # noqa: E402

try:
    import yaml
except ImportError:
    print("1..0 # SKIP PyYAML is not installed")
    sys.exit(0)

PROJECT = "$project"  # where the runner checks the project out


def github(text):
    """(variables, commands, folders that are kept) of the file's job."""
    file = yaml.safe_load(text)
    [job] = file["jobs"].values()
    assert file[True] == ["push", "pull_request"] and job["runs-on"].startswith("ubuntu-")
    uses = {step["uses"].split("@")[0]: step["with"] for step in job["steps"] if "uses" in step}
    assert uses["actions/checkout"] == {"submodules": True}
    variables = {name: value.replace("${{ github.workspace }}", PROJECT)
                 for name, value in job["env"].items()}
    return (variables, [step["run"] for step in job["steps"] if "run" in step],
            [uses["actions/cache"]["path"]])


def gitlab(text):
    [job] = yaml.safe_load(text).values()
    assert re.fullmatch(r"debian:\d+", job["image"])
    assert job["variables"].pop("GIT_SUBMODULE_STRATEGY") == "recursive"
    variables = {name: value.replace("$CI_PROJECT_DIR", PROJECT)
                 for name, value in job["variables"].items()}
    return variables, job["script"], job["cache"]["paths"]


def packages(command):
    return {word for word in command.partition(" install ")[2].split() if word[0] != "-"}


def make_project(tests):
    ignored = shutil.ignore_patterns("build*", ".git", "packagecache")
    shutil.copytree(tests.source, tests.path("project", "subprojects", "clnd"), ignore=ignored)
    [text] = [block.lines for block in fences.blocks(read(tests.source, "docs/tutorial.md"))
              if block.language == "meson"]
    write(tests.path("project", "meson.build"), "\n".join(text) + "\n")
    tests.add_program("project")
    for name, script in ("apt-get", "exit 0"), ("sudo", 'exec "$@"'):
        write(tests.path("bin", name), f"#!/bin/sh\n{script}\n")
        os.chmod(tests.path("bin", name), 0o755)


def run_commands(tests, name, variables, commands, kept):
    project = tests.path("project")
    environment = {key: value.replace(PROJECT, project) for key, value in variables.items()}
    environment["PATH"] = tests.path("bin") + ":" + os.environ["PATH"]
    for command in commands:
        tests.succeeds(f"{name}: {command}", "sh", "-ec", f"cd '{project}'\n{command}",
                       **environment)
    for folder in kept:
        path = os.path.join(project, folder)
        tests.check(f"{name}: kernels are kept in {folder}", os.path.isdir(path) and
                    os.listdir(path), os.listdir(project))
        shutil.rmtree(path, ignore_errors=True)


def main(source, *options):
    known = set(run("sh", "-c", f"sed -n 's/^[a-z]* *\\([a-z0-9+-]*\\) *needed .*/\\1/p' "
                    f"'{source}/tools/install-deps.sh'").stdout.split())
    with tempfile.TemporaryDirectory(prefix="clnd-ci-") as folder:
        tests = Outside(source, os.path.realpath(folder))
        if options:
            make_project(tests)
        for name, reader in ("github", github), ("gitlab", gitlab):
            variables, commands, kept = reader(read(source, f"examples/ci/{name}.yml"))
            wanted = set().union(*map(packages, commands))
            tests.check(f"{name}: the packages are those of install-deps.sh",
                        wanted and wanted <= known, wanted - known)
            tests.check(f"{name}: the device is the CPU", variables["CLND_DEVICE"] == "cpu",
                        variables)
            tests.check(f"{name}: the cache is kept", [variables["POCL_CACHE_DIR"]] ==
                        [f"{PROJECT}/{path}" for path in kept], kept)
            if options:
                run_commands(tests, name, variables, commands, kept)
        return tests.done()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
