#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every public function that can tell of too little memory is reached by the program, which test_commands.c lets fail, or called by a case of the
allocation tests.

Usage: check_complete.py SOURCE_DIR [--list]
  --list  prints the functions that only a case calls
"""
import pathlib
import re
import sys

WORD = re.compile(r"\b[a-z]\w+\b")
COMMENT_OR_TEXT = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)


def functions(text):
    """Names and bodies, and what stands outside of them: as clang-format writes them."""
    outside, head, body = [], "", None
    for line in text.splitlines():
        if body is not None:
            if line == "}":
                yield re.search(r"(\w+)\(", head).group(1), "\n".join(body)
                head, body = "", None
            else:
                body.append(line)
            continue
        head = line if line[:1].isalpha() else head + line
        if line.endswith(") {") and "=" not in head:
            body = []
        elif line.endswith(";") and "(" in head and "=" not in head:
            head = ""  # a prototype
        elif line.startswith((" ", "}")) or "=" in line:
            outside.append(line)
    yield None, "\n".join(outside)


def reached(source):
    """Words of the command line, of tables, and of each function of which they name the name, and so on."""
    bodies, todo = {}, []
    for path in source.glob("src/**/*.c"):
        is_command = "cli" in path.parts or "command" in path.parts
        for name, body in functions(COMMENT_OR_TEXT.sub("", path.read_text())):
            bodies.setdefault(name, []).append(body)
            if is_command or name is None:
                todo.append(body)
    words = set()
    while todo:
        new = set(WORD.findall(todo.pop())) - words
        words |= new
        todo.extend(body for word in new for body in bodies.get(word, ()))
    return words


def main():
    source = pathlib.Path(sys.argv[1])
    declarations = "\n".join(path.read_text() for path in source.glob("include/dsm/*.h"))
    public = set(re.findall(r"^DSM_API (?:DSM_NODISCARD )?(?:dsm_status |(?!const)[^(;]*?\*)(\w+)\(", declarations, flags=re.M))
    cases = "\n".join(path.read_text() for path in source.glob("tests/faults/*.c"))
    called = set(re.findall(r"\b(dsm_\w+)[(,]", cases))
    by_program = reached(source)
    if "--list" in sys.argv:
        print("\n".join(sorted(public - by_program)))
    missing = sorted(public - by_program - called)
    for name in missing:
        print(f"tests/faults: no case calls {name}, and the program does not reach it")
    print(f"{len(public) - len(missing)} of {len(public)} public functions are reached or have a case")
    return 1 if missing or not public else 0


if __name__ == "__main__":
    sys.exit(main())
