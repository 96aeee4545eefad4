#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference of libdsm: Doxygen has nothing to complain of, also when asked for comments on
everything, but for members of structures whose names say all. Every function is in it.

Usage: check_api.py DOXYGEN DOXYFILE SOURCE_DIR
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def run(doxygen, text, folder):
    """Doxygen's complaints with these settings."""
    path = pathlib.Path(folder) / "Doxyfile"
    path.write_text(f"{text}\nOUTPUT_DIRECTORY = {folder}\n")
    done = subprocess.run([doxygen, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, timeout=300)
    return done.returncode, done.stdout.splitlines()


def main():
    doxygen, doxyfile, source = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    text = doxyfile.read_text()
    strict = re.sub(r"^WARN_IF_UNDOCUMENTED.*$", "WARN_IF_UNDOCUMENTED = YES", text, flags=re.M)
    strict = re.sub(r"^WARN_AS_ERROR.*$", "WARN_AS_ERROR = NO", strict, flags=re.M)
    failures = []
    with tempfile.TemporaryDirectory(prefix="dsm-api-") as folder:
        code, lines = run(doxygen, text, folder)
        failures += [line for line in lines if "warning" in line or "error" in line]
        if code != 0:
            failures.append(f"doxygen: exit code {code}")
        pages = "\n".join(path.read_text() for path in pathlib.Path(folder).glob("html/*_8h.html"))
        headers = "\n".join(path.read_text() for path in (source / "include/dsm").glob("*.h"))
        declared = set(re.findall(r"^DSM_API\b[^(;]*?(\w+)[(;]", headers, flags=re.M))
        failures += [f"not in the reference: {name}" for name in sorted(declared)
                     if not re.search(rf"\b{name}\b", pages)]
    with tempfile.TemporaryDirectory(prefix="dsm-api-") as folder:
        _, lines = run(doxygen, strict, folder)
        failures += [line for line in lines if "warning" in line
                     and not re.search(r"Member \S.* \(variable\) of struct \w+ is not documented",
                                       line)]
    print("\n".join(failures) if failures else f"{len(declared)} functions in the reference")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
