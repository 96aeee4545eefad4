#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the Debian packages of a build, has lintian check them, and installs and removes them in a
scratch root, where the program works.

Usage: test_package.py BUILD_DIR CMAKE CPACK
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print(f"FAILED: {message}")
    return holds


def run(*command, may_fail=False):
    """Standard output and error of a command."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=300, cwd="/",
                          env={**os.environ, "LC_ALL": "C"})
    expect(may_fail or done.returncode == 0,
           f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def field(package, name):
    return run("dpkg-deb", "-f", package, name).strip()


def check_fields(packages):
    """What each package says of itself, and the true dependencies of what it holds."""
    library = next(name for name in packages if re.fullmatch(r"libdsm[0-9.]+", name))
    depends = {name: field(path, "Depends") for name, path in packages.items()}
    for name in ("dsm", library):
        for needed in ("libc6", "libcjson1", "libglpk40", "libmd0", "libsqlite3-0", "libyaml-0-2"):
            expect(needed in depends[name], f"{name} does not depend on {needed}")
        for other in ("mpi", "libdsm"):
            expect(other not in depends[name], f"{name} depends on {other}: {depends[name]}")
    expect("gnuplot" in field(packages["dsm"], "Recommends"), "dsm does not recommend gnuplot")
    expect(f"{library} (=" in depends["libdsm-dev"], "libdsm-dev is not for one version of libdsm")
    if "dsm-mpi" in packages:
        expect("openmpi" in depends["dsm-mpi"] and "dsm (=" in depends["dsm-mpi"],
               f"dsm-mpi depends on {depends['dsm-mpi']}")
    for name, path in packages.items():
        lines = field(path, "Description").splitlines()
        expect(len(lines) >= 3 and len(lines[0]) < 80, f"{name}: description {lines}")
        listed = run("dpkg-deb", "-c", path)
        expect(f"./usr/share/doc/{name}/copyright" in listed, f"{name} has no copyright file")
    return library


def check_files(packages, everything):
    """Everything that is installed is in one package, and in the right one."""
    where = {}
    for name, path in packages.items():
        for line in run("dpkg-deb", "-c", path).splitlines():
            file = line.split(" ./", 1)[1].split(" -> ")[0]
            if not file.endswith("/"):
                expect(file not in where, f"{file} is in {where.get(file)} and in {name}")
                where[file] = name
    for file, name in where.items():
        is_for = ("libdsm-dev" if re.search(r"/include/|\.a$|\.pc$|\.cmake$|libdsm\.so$", file) else
                  None)
        expect(is_for in (None, name), f"{file} is in {name}")
    for file, name in [("usr/bin/dsm", "dsm"), ("usr/share/dsm/workloads/vgg16.json", "dsm"),
                       ("usr/share/man/man1/dsm.1.gz", "dsm"),
                       ("usr/share/man/man1/dsm-explore.1.gz", "dsm"),
                       ("usr/share/man/man5/dsm-workload.5.gz", "dsm"),
                       ("usr/share/doc/dsm/docs/guide.md", "dsm"),
                       ("usr/include/dsm/dsm.h", "libdsm-dev")]:
        expect(where.get(file) == name, f"{file} is in {where.get(file)}, not in {name}")
    # Nothing that is installed is left out, but for what Debian has elsewhere.
    packed = {re.sub(r"\.gz$", "", file).removeprefix("usr/") for file in where}
    for path in everything.rglob("*"):
        file = str(path.relative_to(everything))
        expect(path.is_dir() or file in packed or file == "share/doc/dsm/LICENSE",
               f"{file} is in no package")


def check_pkg_config(root):
    """A compiler looks into /usr/include, and the linker into /usr/lib, by themselves."""
    folders = ":".join(str(path.parent) for path in root.rglob("dsm.pc"))
    for option in ("--cflags", "--libs-only-L"):
        done = subprocess.run(["pkg-config", option, "dsm"], capture_output=True, text=True,
                              check=False, env={**os.environ, "PKG_CONFIG_PATH": folders})
        expect(done.returncode == 0 and not done.stdout.strip(),
               f"pkg-config {option}: {done.stdout}{done.stderr}")


def check_installation(packages, library, root):
    """Installs all but dsm-mpi in a root of their own, runs the program, and removes them again."""
    (root / "var/lib/dpkg/updates").mkdir(parents=True)
    (root / "var/lib/dpkg/info").mkdir()
    (root / "var/lib/dpkg/status").touch()
    (root / "var/log").mkdir()
    (root / "etc").mkdir()
    names = ["dsm", library, "libdsm-dev"]
    dpkg = ["dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless",
            "--force-not-root"]
    run(*dpkg, "--install", *(packages[name] for name in names))
    for name in names:
        state = run("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", "${Status}", name)
        expect(state == "install ok installed", f"{name}: {state}")
    printed = run(root / "usr/bin/dsm", "explore", "vgg16", "torus64", "--color", "never")
    expect("utilization" in printed, f"dsm explore: {printed}")
    check_pkg_config(root)
    printed = run(root / "usr/bin/dsm", "init", "workload")
    expect("dsm-workload/1" in printed, f"dsm init: {printed}")
    run(*dpkg, "--purge", *reversed(names))
    left = [str(path) for path in (root / "usr").rglob("*") if not path.is_dir()]
    expect(not left, f"left after removing the packages: {left}")


def main():
    build, cmake, cpack = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix="dsm-package-") as folder:
        made = pathlib.Path(folder) / "made"
        run(cpack, "--config", f"{build}/CPackConfig.cmake", "-B", made)
        packages = {path.name.split("_")[0]: path for path in made.glob("*.deb")}
        if expect({"dsm", "libdsm-dev"} < set(packages), f"packages: {sorted(packages)}"):
            complaints = run("lintian", *packages.values(), may_fail=True)
            errors = [line for line in complaints.splitlines() if line.startswith("E:")]
            expect(not errors, "lintian: " + "\n".join(errors))
            library = check_fields(packages)
            everything = pathlib.Path(folder) / "everything"
            run(cmake, "--install", build, "--prefix", everything)
            check_files(packages, everything)
            check_installation(packages, library, pathlib.Path(folder) / "root")
    print(f"{len(failures)} failures" if failures else "the packages install and work")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
