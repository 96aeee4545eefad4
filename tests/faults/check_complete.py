#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every public function is called by a case of the allocation tests.

Usage: check_complete.py SOURCE_DIR
"""
import pathlib
import re
import sys


def main():
    source = pathlib.Path(sys.argv[1])
    declarations = "\n".join(path.read_text() for path in source.glob("include/dsm/*.h"))
    public = set(re.findall(r"^DSM_API\b[^(;]*?(\w+)\(", declarations, flags=re.M))
    cases = "\n".join(path.read_text() for path in source.glob("tests/faults/*.c"))
    called = set(re.findall(r"\b(dsm_\w+)\(", cases))
    missing = sorted(public - called)
    for name in missing:
        print(f"tests/faults: no case calls {name}")
    print(f"{len(public) - len(missing)} of {len(public)} public functions have a case")
    return 1 if missing or not public else 0


if __name__ == "__main__":
    sys.exit(main())
