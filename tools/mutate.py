#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many small mistakes in source files do the tests find? One operator or constant is changed at a time, what is
needed is built, and the tests are run: a mutant is killed if one of them fails.

Usage: mutate.py BUILD FILE... [--targets A,B] [--tests REGEX | --command TEXT...] [--count N] [--seed N] [--list]
  BUILD      a configured build folder, as of the preset `mutation`
  FILE       a source file, which is changed in place and put back, also when the run is interrupted
  --targets  what is built for each mutant (default: all)
  --tests    what of ctest is run (default: all)
  --command  what is run in place of ctest, a text for the shell; of several, each has a score of its own
  --count    mutants in all, drawn by the seed (default: 24); --seed (default: 1)
  --list     prints the mutants and runs nothing
Prints what became of each mutant, and the score. A deletion of tests is right if the score of the same mutants stays.
Mutants that do not compile do not count.
"""
import argparse
import pathlib
import random
import re
import signal
import subprocess
import sys

TIMEOUT_SECONDS = 600
SWAPS = {"<": "<=", ">": ">=", "<=": "<", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
         "*": "/", "/": "*"}
# Operators have spaces on both sides, as clang-format writes them: a pointer's star, an arrow and a sign have not.
OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||[<>+*/-])(?= )")
NUMBER = re.compile(r"(?<![\w.\"])\d+(?:\.\d+)?(?![\w.\"])")
TEXT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^#[^\n]*", re.S | re.M)


def mutants(path):
    """Line, and the text with one change, of each place of a file."""
    text = path.read_text()
    blank = TEXT.sub(lambda found: re.sub(r"[^\n]", " ", found.group(0)), text)  # same length
    changes = [(found.span(), SWAPS[found.group(1)]) for found in OPERATOR.finditer(blank)]
    changes += [(found.span(), "1" if float(found.group(0)) == 0 else f"({found.group(0)} + 1)")
                for found in NUMBER.finditer(blank)]
    for (begin, end), new in sorted(changes):
        line = text.count("\n", 0, begin) + 1
        yield path, line, f"{text[begin:end]} -> {new}", text[:begin] + new + text[end:]


def runs(*words):
    """Whether a command ends well within the time."""
    try:
        return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                              timeout=TIMEOUT_SECONDS, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def build(asked):
    targets = [word for target in asked.targets.split(",") if target for word in ("--target", target)]
    return runs("cmake", "--build", asked.build, *targets)


def killers(asked):
    """The numbers of the commands that fail."""
    ctest = ["ctest", "--test-dir", asked.build, "--stop-on-failure", *(["-R", asked.tests] if asked.tests else [])]
    commands = [["sh", "-c", text] for text in asked.command] or [ctest]
    return {number for number, command in enumerate(commands, 1) if not runs(*command)}


def score(asked, drawn):
    found = []
    for path, line, what, text in drawn:
        before = path.read_text()
        try:
            path.write_text(text)
            if build(asked):
                found.append(killers(asked))
                how = f"killed by {', '.join(map(str, sorted(found[-1])))}" if found[-1] else "lives"
                print(f"{path}:{line}: {what}: {how}", flush=True)
        finally:
            path.write_text(before)
    build(asked)
    for number in range(1, len(asked.command) + 1):
        print(f"command {number}: {sum(number in each for each in found)} of {len(found)} mutants killed")
    print(f"{sum(map(bool, found))} of {len(found)} mutants killed, {len(drawn) - len(found)} did not compile")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--targets", default="")
    parser.add_argument("--tests", default="")
    parser.add_argument("--command", action="append", default=[])
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # as an interruption: the file is put back
    every = [mutant for path in asked.files for mutant in mutants(path)]
    drawn = random.Random(asked.seed).sample(every, min(asked.count, len(every)))
    if asked.list:
        print("\n".join(f"{path}:{line}: {what}" for path, line, what, _ in drawn))
        return 0
    if not build(asked) or killers(asked):
        print("the tests do not pass as they are", file=sys.stderr)
        return 1
    score(asked, drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
