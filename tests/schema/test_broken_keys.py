#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every key that a record reads, wrong once: its kind, its range at both ends and beyond, and left out. And what is
written is read, and written as it was.

What is a key, a kind, a range and required is said by the program's tables (`dsm describe --formats json`), so a format
that is read by its record is tested when it stands in SAMPLES. What is wrong must be reported at the key; what is at the
end of a range must not.
Usage: test_broken_keys.py DSM SOURCE_DIR
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

from formats import Formats

# Of each format a document that has its keys, and the command that reads it; validate takes many files at once.
SAMPLES = {
    "dsm-stages/1": ("templates/stages.json", ["validate"]),
    "dsm-profile/1": ("tests/fuzz/corpus/profile/tensors.json", ["validate"]),
    "dsm-rl-workload/1": ("rl-workloads/taxi.json", ["validate"]),
    "dsm-pim-system/1": ("templates/pim-system.json", ["validate"]),
    "dsm-pim/1": ("tests/fuzz/corpus/pim/lake.json", ["validate"]),
    "dsm-storage/1": ("tests/fuzz/corpus/trace/list.json", ["report"]),
    "dsm-serving/1": ("tests/serve/answer.json", ["report"]),
    "dsm-front/1": ("tests/fuzz/corpus/partition/front.json", ["plot", "-o", "none.gp"]),
    "dsm-partition/1": ("tests/fuzz/corpus/partition/placed.json", ["export", "--to", "stages", "-o", "none"]),
}
# What score writes of a plan that it has read.
WRITTEN = ("tests/fuzz/corpus/plan/dysm.json", "tests/fuzz/corpus/pim/lake.json")
READ = {"read", "decision"}
MANY = 1e308  # more than any number without a limit of its own


def fields_in(formats, name, record, value, path="$"):
    """Of each key that is read and there: its path, steps to its object, and field."""
    for field in formats.fields(name, record):
        key = field["key"]
        if not READ & set(field["flags"]) or key not in value:
            continue
        yield f"{path}.{key}", value, field
        inner = value[key]
        if field["kind"] == "record":
            yield from fields_in(formats, name, field["record"], inner, f"{path}.{key}")
        elif field["kind"] == "list":
            for i, item in enumerate(inner):
                yield from fields_in(formats, name, field["record"], item, f"{path}.{key}[{i}]")


def ends(field):
    """Numbers at the ends of a field's range."""
    if "above_min" in field["flags"] or "min" not in field:
        return [field["max"]] if "max" in field else []
    return [field[limit] for limit in ("min", "max") if limit in field] + ([0] if "or_0" in field["flags"] else [])


def wrong_values(field):
    """What the field may not be."""
    kind, flags = field["kind"], field["flags"]
    if kind in ("count", "real"):
        yield "a text"
        if "min" in field:
            yield field["min"] if "above_min" in flags else field["min"] / 2 if "or_0" in flags and field["min"] > 0 \
                else -1 if field["min"] <= 1 else field["min"] - 1
        yield field["max"] * 2 if "max" in field else MANY
        if kind == "count":
            yield 1.5
    elif kind == "text":
        yield 5
        if "max" in field:
            yield "x" * (field["max"] + 1)
        if "tall" not in flags:
            yield ""
    elif kind in ("words", "text_list", "count_list", "list"):
        yield 5
        yield [{}] if kind == "count_list" else [5]
    else:
        yield {"flag": 1, "word": "no word", "record": 5, "counts": 5, "json": 5}[kind]
        if "nullable" not in flags:
            yield None


def variants(formats, name, document):
    """Documents with one change; the key's path, what it is now, and whether that must be reported."""
    record = next(iter(formats.records(name)))
    made = copy.deepcopy(document)
    for path, parent, field in list(fields_in(formats, name, record, made)):
        key, before = field["key"], parent[field["key"]]
        for value in wrong_values(field):
            parent[key] = value
            yield path, json.dumps(value)[:40], True, json.dumps(made)
        for value in ends(field) if field["kind"] in ("count", "real") else ():
            parent[key] = value
            yield path, json.dumps(value), False, json.dumps(made)
        order = list(parent)
        del parent[key]
        if "required" in field["flags"]:
            yield path, "nothing", True, json.dumps(made)
        after = {each: before if each == key else parent[each] for each in order}
        parent.clear()
        parent.update(after)
    yield "$.no_such_key", "a key that is not known", True, json.dumps({**document, "no_such_key": 1})


def findings(dsm, command, files, folder):
    """What is reported of each file."""
    if command != ["validate"]:
        for path in files:
            done = subprocess.run([dsm, command[0], str(path), *command[1:]], capture_output=True, text=True, check=False,
                                  stdin=subprocess.DEVNULL, timeout=60, cwd=folder)
            yield done.stderr
        return
    done = subprocess.run([dsm, "validate", "--format", "json", *map(str, files)], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, timeout=300)
    for item in json.loads(done.stdout)["items"]:
        yield "".join(f"{each.get('path')}: {each['severity']}: {each['message']}\n" for each in item.get("findings", ()))


def is_reported(path, said):
    return f"{path}: error: " in said or f"{path}[0]: error: " in said


def is_out_of_range(path, said):
    return any(f"{path}: error: expected {what}" in said for what in ("a number", "a whole number", "0, or a number"))


def written_again(dsm, path):
    return subprocess.run([dsm, "score", "--format", "json", str(path)], capture_output=True, text=True, check=True,
                          stdin=subprocess.DEVNULL, timeout=60).stdout


def count_unequal(dsm, source):
    failures = 0
    for sample in WRITTEN:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            once = written_again(dsm, source / sample)
            file.write(once)
            file.flush()
            if written_again(dsm, file.name) != once:
                print(f"{sample}: what is written is not what is read")
                failures += 1
    return failures


def main():
    dsm, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    formats, count = Formats(dsm), 0
    failures = count_unequal(dsm, source)
    for name, (sample, command) in SAMPLES.items():
        all_variants = list(variants(formats, name, json.loads((source / sample).read_text())))
        with tempfile.TemporaryDirectory(prefix="dsm-broken-") as folder:
            files = [pathlib.Path(folder) / f"{i}.json" for i in range(len(all_variants))]
            for file, (_, _, _, text) in zip(files, all_variants):
                file.write_text(text)
            for (path, value, is_wrong, _), said in zip(all_variants, findings(dsm, command, files, folder)):
                if is_wrong != is_reported(path, said) if is_wrong else is_out_of_range(path, said):
                    print(f"{name}: {path} with {value}: {'not reported' if is_wrong else 'refused'}: {said[:200]}")
                    failures += 1
        print(f"{name}: {len(all_variants)} documents with one change")
        count += len(all_variants)
    print(f"{failures} of {count} failed")
    return 1 if failures or count < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
