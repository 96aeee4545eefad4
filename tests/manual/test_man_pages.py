#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The man pages are good man(7) for mandoc and for groff, and say what the help says: every command,
every option with its words, every example, every exit code. Those of the formats, and their help, have
every key of the schema, with its limits and its default.

Usage: test_man_pages.py DSM_BINARY MAN_FOLDER SCHEMA_FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]
failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print(message)


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def check_source(page):
    """mandoc -T lint has nothing to warn of, nor has groff with all its warnings."""
    code, out, err = run("mandoc", "-T", "lint", "-W", "warning", page)
    expect(code == 0 and not out and not err, f"{page.name}: mandoc says {out}{err}")
    code, _, err = run("groff", "-ww", "-man", "-T", "utf8", page)
    expect(code == 0 and not err, f"{page.name}: groff says {err}")


def sections(page):
    """{title: text, its lines joined} of a page as it is shown."""
    code, out, _ = run("mandoc", "-T", "ascii", "-O", "width=200", page)
    expect(code == 0, f"{page.name}: mandoc cannot show it")
    plain = re.sub(".\b", "", out)
    parts = re.split(r"^(\S[A-Z ]+)\n", plain, flags=re.M)
    return {title: " ".join(text.split()) for title, text in zip(parts[1::2], parts[2::2])}


def check_against_help(page, text, shown):
    """Everything that the help shows is in the page."""
    for line in re.findall(r"^  (?:-\w, |    )--.*", shown, flags=re.M):
        words = line.split()[:3]
        head = " ".join(word for word in words if word.startswith("-") or word.isupper())
        expect(head in text["OPTIONS"], f"{page.name}: no option {head}")
    options = shown[shown.index("\nOptions:\n"):shown.index("\nExamples:\n")]
    for words in re.findall(r"(?:comma-separated|\)): ((?:[\w]+,\s+)+\w+)", options):
        expect(" ".join(words.split()) in text["OPTIONS"], f"{page.name}: no words {words}")
    examples = shown[shown.index("\nExamples:\n"):shown.index("\nExit codes:")]
    for line in re.findall(r"^  (.+)", examples, flags=re.M):
        expect(" ".join(line.split()) in text["EXAMPLES"], f"{page.name}: no example {line}")
    codes = shown[shown.index("\nExit codes:"):].split("\n\n")[0]
    for code in re.findall(r"(?<=[ \n])(\d+) [a-z]", codes):
        expect(re.search(rf"(^| ){code} [A-Z]", text["EXIT STATUS"]), f"{page.name}: no code {code}")


def keys_of(schema, root, path=""):
    """(path, what the schema says) of each key that a file may have."""
    for name, own in schema.get("properties", {}).items():
        target = own.get("$ref", "")
        meant = {**(root["$defs"][target.split("/")[-1]] if target.startswith("#") else {}), **own}
        yield path + name, meant, name in schema.get("required", [])
        yield from keys_of(meant, root, f"{path}{name}.")
        items = meant.get("items", {})
        if items.get("$ref", "").startswith("#"):
            items = root["$defs"][items["$ref"].split("/")[-1]]
        yield from keys_of(items, root, f"{path}{name}[].")


def check_formats(dsm, folder, schemas):
    names = ("workload", "system", "server", "sweep", "stages", "rl-workload", "pim-system", "technology", "profile", "plan")
    expect({path.name for path in folder.iterdir()} == {f"dsm-{name}.5" for name in names},
           f"the pages of formats are {sorted(folder.iterdir())}")
    for name in names:
        page = folder / f"dsm-{name}.5"
        check_source(page)
        text = sections(page)
        for title in ("NAME", "DESCRIPTION", "KEYS", "EXAMPLES", "SEE ALSO"):
            expect(title in text, f"{page.name}: no section {title}")
        schema = json.loads((schemas / f"dsm-{name}-1.schema.json").read_text())
        code, shown, _ = run(dsm, "help", name)
        expect(code == 0, f"dsm help {name} fails")
        shown = " ".join(shown[shown.index("\nKeys:\n"):].split())
        wanted = list(keys_of(schema, schema))
        expect(len(wanted) > 10, f"only {len(wanted)} keys in the schema of {name}")
        for where, found in ((page.name, text["KEYS"]), (f"dsm help {name}", shown)):
            at = 0
            for path, meant, is_required in wanted:
                begin = found.find(f" {path} " if at else f"{path} ", at)
                expect(begin >= 0, f"{where}: no key {path} in its place")
                at = max(begin, at)
                rest = found[at + len(path):at + 1200]
                for limit in ("minimum", "exclusiveMinimum", "maximum"):
                    if isinstance(meant.get(limit), int) and meant.get("type") != "array":
                        expect(f" {meant[limit]}" in rest[:80], f"{where}: {path}: {limit}")
                if "default" in meant:
                    value = json.dumps(meant["default"], separators=(",", ":"))
                    expect(f"default {value}" in rest, f"{where}: {path}: default {value}")
                expect(not is_required or "required" in rest, f"{where}: {path} is required")
                if meant.get("description"):
                    expect(" ".join(meant["description"].split()) in rest, f"{where}: {path}: {rest}")


def main():
    dsm, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "man1"
    overview = run(dsm, "help")[1]
    listed = overview[overview.index("\nCommands:\n"):overview.index("\nOptions:\n")]
    commands = re.findall(r"^  (\S+) ", listed, flags=re.M)
    expect(len(commands) > 7, f"only the commands {commands}")
    pages = {f"dsm-{command}.1": run(dsm, "help", command)[1] for command in commands}
    pages["dsm.1"] = overview
    found = {path.name for path in folder.iterdir()}
    expect(found == {*pages, "dsm-mpi.1"}, f"the pages are {sorted(found)}")
    for name in sorted(found):
        check_source(folder / name)
        text = sections(folder / name)
        for title in SECTIONS:
            expect(title in text, f"{name}: no section {title}")
        if name == "dsm-help.1":
            expect("FILES" not in text, f"{name}: help reads no files")
        else:
            expect("NO_COLOR" in text.get("ENVIRONMENT", "") and
                   "DSM_PATH" in text.get("ENVIRONMENT", ""), f"{name}: ENVIRONMENT is not whole")
        if name in pages:
            check_against_help(folder / name, text, pages[name])
    for command in commands:
        expect(f"dsm-{command}(1)" in sections(folder / "dsm.1")["COMMANDS"],
               f"dsm.1: no command {command}")
    check_formats(dsm, pathlib.Path(sys.argv[2]) / "man5", pathlib.Path(sys.argv[3]))
    expect("dsm-workload(5)" in sections(folder / "dsm.1")["SEE ALSO"], "dsm.1: no word of formats")
    expect("dsm-mpi(1)" in sections(folder / "dsm.1")["SEE ALSO"], "dsm.1: no word of dsm-mpi")
    print(f"{len(failures)} failures" if failures else f"{len(found)} pages say what the help says")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
