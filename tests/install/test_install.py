#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs a build into a scratch folder, moves it, and uses it: the program from another folder,
and the library from the examples of docs/library.md: in C, found with pkg-config and with CMake, static
and shared, and in Python.

Usage: test_install.py --build DIR --cmake CMAKE --generator NAME --cc CC --cxx CXX --libdir DIR
                       [--flags FLAGS]
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

EXPECTED_FILES = [
    "bin/dsm",
    "include/dsm/dsm.h",
    "{lib}/libdsm.a",
    "{lib}/libdsm.so",
    "{lib}/pkgconfig/dsm.pc",
    "{lib}/cmake/dsm/dsm-config.cmake",
    "{lib}/cmake/dsm/dsm-config-version.cmake",
    "share/dsm/workloads/vgg16.json",
    "share/dsm/systems/torus64.json",
    "share/dsm/servers/cpu_2gpu.json",
    "share/dsm/stages/gpt2_medium_blocks.json",
    "share/dsm/rl-workloads/frozen_lake.json",
    "share/dsm/pim-systems/upmem2524.json",
    "share/dsm/technologies/n5.json",
    "share/dsm/schemas/dsm-workload-1.schema.json",
    "share/dsm/schemas/dsm-system-1.schema.json",
    "share/dsm/schemas/dsm-plan-1.schema.json",
    "share/dsm/schemas/dsm-server-1.schema.json",
    "share/dsm/schemas/dsm-profile-1.schema.json",
    "share/dsm/schemas/dsm-stages-1.schema.json",
    "share/dsm/schemas/dsm-pim-1.schema.json",
    "share/dsm/schemas/dsm-describe-1.schema.json",
    "share/dsm/schemas/dsm-sweep-1.schema.json",
    "share/dsm/schemas/dsm-list-1.schema.json",
    "share/dsm/sweeps/scratchpad_vgg16.json",
    "share/dsm/templates/workload.json",
    "share/man/man1/dsm.1",
    "share/man/man1/dsm-explore.1",
    "share/man/man5/dsm-workload.5",
    "share/dsm/help/workload.txt",
    "share/doc/dsm/README.md",
    "share/doc/dsm/docs/guide.md",
    "share/doc/dsm/docs/formats.md",
    "share/bash-completion/completions/dsm",
    "share/zsh/site-functions/_dsm",
    "share/fish/vendor_completions.d/dsm.fish",
]

failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print(f"FAILED: {message}")
    return holds


def run(*command, cwd="/", **environment):
    """Runs a command; its output, or None after a report."""
    clean = {key: value for key, value in os.environ.items()
             if key not in ("DSM_PATH", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH")}
    done = subprocess.run([str(part) for part in command], cwd=cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=500,
                          env={**clean, **environment})
    is_done = expect(done.returncode == 0, f"{' '.join(map(str, command))}: exit code "
                     f"{done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout if is_done else None


class Install:
    """An installation in `prefix`."""

    def __init__(self, arguments, prefix):
        self.arguments = arguments
        self.prefix = prefix
        self.libdir = prefix / arguments.libdir
        self.data = prefix / "share" / "dsm"
        self.flags = shlex.split(arguments.flags)

    def inputs(self):
        return [self.data / "workloads" / "vgg16.json", self.data / "systems" / "torus64.json"]

    def pkg_config(self, *options):
        printed = run("pkg-config", *options, "dsm",
                      PKG_CONFIG_PATH=str(self.libdir / "pkgconfig"))
        return None if printed is None else printed.strip()


def expected_utilization(install):
    """As the program says it, with the bundled descriptions by name, from /."""
    text = run(install.prefix / "bin" / "dsm", "explore", "vgg16.json", "torus64.json", "--format",
               "json")
    found = text and re.search(r'"utilization": ([0-9.e-]+)', text)
    expect(found, "dsm explore vgg16.json torus64.json: no utilization")
    return f"{float(found.group(1)):.6f}" if found else None


def check_files(install):
    for name in EXPECTED_FILES:
        path = install.prefix / name.format(lib=install.arguments.libdir)
        expect(path.exists(), f"not installed: {name}")
    has_mpi = (pathlib.Path(install.arguments.build) / "bin" / "dsm-mpi").exists()
    for name in ("bin/dsm-mpi", "share/man/man1/dsm-mpi.1"):
        expect((install.prefix / name).exists() == has_mpi, f"{name} is installed if dsm-mpi is built")
    expect((install.libdir / "libdsm.so").is_symlink(), "libdsm.so is a link to a version")
    for path in [*install.prefix.rglob("*.cmake"), *install.prefix.rglob("*.pc")]:
        for word in (install.arguments.build, str(install.arguments.source)):
            expect(word not in path.read_text(), f"{path.name} knows the folder {word}")


def check_symbols(install):
    """The shared library shows what the headers declare, and nothing else."""
    headers = "\n".join(path.read_text() for path in install.prefix.glob("include/dsm/*.h"))
    declared = set(re.findall(r"^DSM_API\b[^(;]*?(\w+)[(;]", headers, flags=re.M))
    listed = run("nm", "-D", "--defined-only", install.libdir / "libdsm.so")
    shown = {line.split()[-1].split("@")[0] for line in (listed or "").splitlines()}
    of_runtimes = ("__asan", "__ubsan", "__tsan", "__gcov", "__odr_asan", "__start_", "__stop_",
                   "_init", "_fini", "mangle_path")
    runtime = {name for name in shown if name.startswith(of_runtimes)}
    expect(declared <= shown, f"libdsm.so does not show {sorted(declared - shown)}")
    version = "DSM_" + ".".join(install.arguments.version.split(".")[:2])
    others = sorted(shown - runtime - declared - {version})
    expect(not others, f"libdsm.so also shows {others}")
    unversioned = [line.split()[-1] for line in (listed or "").splitlines()
                   if line.split()[-1].split("@")[0] in declared and
                   not line.endswith(f"@@{version}")]
    expect(not unversioned, f"symbols without the version {version}: {unversioned}")


def check_printed(install, name, printed, expected):
    """An example prints the version, the utilization, and a line for each of 16 layers."""
    lines = (printed or "").splitlines()
    expect(len(lines) == 17 and
           lines[0].startswith(f"dsm {install.arguments.version}: utilization {expected}, step "),
           f"{name}: expected {install.arguments.version} {expected}, found {printed}")


def check_python(install, expected):
    """The example with ctypes prints what the one in C prints."""
    if install.flags:
        return  # a sanitizer's runtime would have to be loaded first
    script = install.prefix / "share/doc/libdsm-dev/examples/library/explore_plan.py"
    printed = run(sys.executable, script, *install.inputs(), "--library",
                  install.libdir / "libdsm.so")
    check_printed(install, script.name, printed, expected)


def check_consumer(install, program, expected, is_shared):
    """It runs, and says what the program says."""
    environment = {"LD_LIBRARY_PATH": str(install.libdir)} if is_shared else {}
    printed = run(program, *install.inputs(), **environment)
    check_printed(install, program.name, printed, expected)
    linked = run("ldd", program, **environment) or ""
    expect(("libdsm.so" in linked) == is_shared,
           f"{program.name}: linked with the {'static' if is_shared else 'shared'} library")


def check_pkg_config(install, work, expected):
    version = install.pkg_config("--modversion")
    expect(version == install.arguments.version, f"pkg-config: version {version}")
    for option, folder in (("--cflags-only-I", install.prefix / "include"),
                           ("--libs-only-L", install.libdir)):
        named = [pathlib.Path(word[2:]).resolve()
                 for word in shlex.split(install.pkg_config(option) or "")]
        expect(named == [folder.resolve()], f"pkg-config {option}: {named}")
    source = install.prefix / "share/doc/libdsm-dev/examples/library/explore_plan.c"
    strict = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    for is_shared in (True, False):
        options = ["--cflags", "--libs", *([] if is_shared else ["--static"])]
        words = install.pkg_config(*options)
        if words is None:
            continue
        words = shlex.split(words)
        if not is_shared:
            # With both libraries in one folder the linker prefers the shared one.
            words = [f"-l:lib{word[2:]}.a" if word == "-ldsm" else word for word in words]
        program = work / f"pkg_config_{'shared' if is_shared else 'static'}"
        if run(install.arguments.cc, *strict, *install.flags, source, *words, "-o",
               program) is not None:
            check_consumer(install, program, expected, is_shared)
    data = install.pkg_config("--variable=datadir")
    folder = pathlib.Path(*shlex.split(data or ""))
    expect(folder.resolve() == install.data.resolve(), f"pkg-config: datadir {data}")


def check_cmake(install, work, expected):
    arguments = install.arguments
    build = work / "cmake"
    configured = run(arguments.cmake, "-S", arguments.here / "consumer", "-B", build, "-G",
                     arguments.generator, f"-DCMAKE_C_COMPILER={arguments.cc}",
                     f"-DCMAKE_CXX_COMPILER={arguments.cxx}",
                     f"-DEXAMPLES={install.prefix}/share/doc/libdsm-dev/examples/library",
                     f"-DCMAKE_PREFIX_PATH={install.prefix}",
                     f"-DWANTED_VERSION={arguments.version}", f"-DCMAKE_C_FLAGS={arguments.flags}",
                     f"-DCMAKE_CXX_FLAGS={arguments.flags}")
    if configured is None or run(arguments.cmake, "--build", build) is None:
        return
    for kind in ("static", "shared"):
        check_consumer(install, build / f"consumer_{kind}", expected, kind == "shared")
        printed = run(build / f"consumer_cpp_{kind}", LD_LIBRARY_PATH=str(install.libdir))
        expect(printed == f"{arguments.version} training\n", f"consumer.cpp, {kind}: {printed}")


def check_without_proc(arguments, root):
    """Where no path of the program is to be had, descriptions lie where it was built to be installed."""
    if arguments.flags:
        return  # sanitizers need /proc
    run(arguments.cmake, "--install", arguments.build, DESTDIR=str(root))
    program = pathlib.Path(cached(arguments.build, "CMAKE_INSTALL_PREFIX")) / "bin" / "dsm"
    inside = pathlib.Path(f"{root}{program}")
    for library in re.findall(r"(/\S+) \(0x", run("ldd", inside) or ""):
        copy = pathlib.Path(f"{root}{library}")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(pathlib.Path(library).read_bytes())
        copy.chmod(0o755)
    as_root = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
    printed = run(*as_root, "chroot", root, program, "explore", "vgg16", "torus64")
    expect("utilization" in (printed or ""), f"dsm explore without /proc: {printed}")


def cached(build, name):
    """A value of the build's cache."""
    text = (pathlib.Path(build) / "CMakeCache.txt").read_text()
    return re.search(rf"^{name}:\w+=(.*)$", text, flags=re.M).group(1)


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "cmake", "generator", "cc", "cxx", "libdir"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--flags", default="")
    arguments = parser.parse_args()
    arguments.here = pathlib.Path(__file__).resolve().parent
    arguments.source = pathlib.Path(cached(arguments.build, "CMAKE_HOME_DIRECTORY"))
    arguments.version = cached(arguments.build, "CMAKE_PROJECT_VERSION")
    with tempfile.TemporaryDirectory(prefix="dsm-install-") as folder:
        work = pathlib.Path(folder)
        if run(arguments.cmake, "--install", arguments.build, "--prefix",
               work / "first") is not None:
            # Nothing may depend on where it was installed to.
            (work / "first").rename(work / "moved here")
            install = Install(arguments, work / "moved here")
            expected = expected_utilization(install)
            check_files(install)
            check_symbols(install)
            check_pkg_config(install, work, expected)
            check_cmake(install, work, expected)
            check_python(install, expected)
            check_without_proc(arguments, work / "root")
    print(f"{len(failures)} failures" if failures else "what is installed works")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
