#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema of a step's trace agrees with what `dsm trace` writes.

Traces are valid; with a key more anywhere, or a needed one less, they are not; together they have every key of the
schema; words are those of the program and tracks
those of the trace; docs/formats.md has every key. So do traces of trainings on cores in memory. Each event has the fields that the
Trace Event Format asks of its phase.

Usage: test_step_schema.py DSM SOURCE_DIR
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

from formats import Formats
from test_partition_schemas import keys_of, keys_of_schema
from test_schemas import Schemas, expect, expect_same, failures

NAME = "dsm-step/1"
TRAINING = "dsm-pim-trace/1"
TRAININGS = (("frozen_lake", "upmem2524", "--cores", "7"), ("frozen_lake_1000_agents", "upmem2524", "--cores", "300"),
             ("taxi", "upmem2524", "--set", "workload.episodes=100000", "--set", "workload.synchronization_period=1"))
EXPLORATIONS = (
    ("raider", "torus64"),
    ("gnmt", "torus64"),
    ("raider", "torus16", "--mode", "inference"),
    ("vgg16", "torus64_refined", "--set", "system.model.layout_move=exact"),
    ("alexnet", "tpu_v4_4096"),
    ("cached", "torus16", "--mode", "inference"),
    ("alexnet", "torus16", "--minibatch", "64", "--optimize", "accumulate,stages", "--stages", "2", "--micro-batches", "2", "--interleave", "1"),
    ("alexnet", "torus16", "--minibatch", "64", "--optimize", "accumulate,stages", "--stages", "2", "--micro-batches", "4",
     "--interleave", "2"),
    ("resnet18", "torus64", "--set", "system.chip.memory.capacity_GB=0.0155", "--optimize", "hybrid,shard,recompute"),
)
# A token of a network with a cache of keys and values.
CACHED = {
    "format": "dsm-workload/1", "name": "cached", "minibatch": 16,
    "layers": [{"name": "qkv", "type": "fc", "in": 64, "out": 192, "positions": 1},
               {"name": "attention", "type": "attention", "heads": 4, "head_features": 16, "context": 128}]}
# What the Trace Event Format asks of each phase: complete events, counters, metadata.
FIELDS = {"X": {"name", "cat", "ph", "ts", "dur", "pid", "tid"}, "C": {"name", "ph", "ts", "pid", "args"},
          "M": {"name", "ph", "pid", "args"}}


def training(dsm, folder, *question):
    plan = folder / "training.json"
    subprocess.run([dsm, "pim", *question, "-q", "-o", plan], check=True, timeout=60)
    return json.loads(subprocess.run([dsm, "trace", plan], check=True, timeout=60, capture_output=True).stdout)


def trace(dsm, folder, workload, *exploration):
    plan = folder / "plan.json"
    cached = folder / "cached.json"
    cached.write_text(json.dumps(CACHED))
    subprocess.run([dsm, "explore", cached if workload == "cached" else workload, *exploration, "-q", "-o", plan], check=True, timeout=60)
    done = subprocess.run([dsm, "trace", plan], check=True, timeout=60, capture_output=True)
    return json.loads(done.stdout)


def check_refusals(schemas, document, name=NAME, head_events=17):
    """One event of each kind: with another key, or one less."""
    kinds = {}
    for event in document["traceEvents"]:
        kinds.setdefault((event["ph"], event.get("cat")), event)
    head = {**document, "traceEvents": document["traceEvents"][:head_events]}
    expect(schemas.complaint(name, head) is None, "the first events alone are not valid")
    for kind, event in kinds.items():
        for place in ("event", "args"):
            for key in [*(event if place == "event" else event["args"]), None]:
                changed = copy.deepcopy(event)
                inner = changed if place == "event" else changed["args"]
                if key is None:
                    inner["more"] = 1
                else:
                    del inner[key]
                complaint = schemas.complaint(
                    name, {**head, "traceEvents": [*head["traceEvents"], changed]})
                expect(complaint is not None, f"{kind}: valid with {key} changed in {place}")
    for key in document:
        changed = copy.deepcopy(head)
        del changed[key]
        expect(schemas.complaint(name, changed) is not None, f"valid without {key}")


def check_words(schema, formats):
    definitions = schema["$defs"]
    arguments = definitions["transfer"]["properties"]["args"]["properties"]
    passes = definitions["pass"]["properties"]["args"]["properties"]
    for what, words in (
            ("transfer", arguments["transfer"]["anyOf"][0]["enum"]),
            ("group", arguments["group"]["enum"]),
            ("parallelism", passes["parallelism"]["anyOf"][0]["enum"]),
            ("pass", definitions["pass_word"]["enum"]),
            ("bound", passes["bound"]["anyOf"][0]["enum"]),
            ("kind of invocation", definitions["kind"]["enum"]),
            ("kind of memory", definitions["memory"]["properties"]["args"]["properties"])):
        expect_same(what, words, formats.words(what))


def check_tracks(schema, document):
    """The schema tells what each track is, as the trace itself does."""
    track = schema["$defs"]["track"]
    names = {event["tid"]: event["args"]["name"] for event in document["traceEvents"]
             if event["ph"] == "M" and event["name"] == "thread_name"}
    axes = [name for name in names.values() if name.endswith(" links")]
    expect(sorted(names) == list(range(1, len(names) + 1)), "another number of tracks")
    expect(len(names) - len(axes) + 3 == track["maximum"], "another number of tracks on three axes")
    for number, name in names.items():
        expect(name in axes or f"{number}: {name}" in track["description"], f"{name} is missing")


def check_trainings(dsm, folder, schemas):
    """Keys that were written."""
    written = set()
    for number, question in enumerate(TRAININGS):
        document = training(dsm, folder, *question)
        complaint = schemas.complaint(TRAINING, document)
        expect(complaint is None, f"{question}: {complaint}")
        written |= keys_of(document)
        if number == 0:
            check_refusals(schemas, document, TRAINING, 5)
    expect_same("keys of a training's trace", keys_of_schema(schemas.by_format[TRAINING]), written)
    return written


def main():
    dsm, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schemas = Schemas(source / "schemas")
    schema = schemas.by_format[NAME]
    check_words(schema, Formats(dsm))
    written = set()
    with tempfile.TemporaryDirectory(prefix="dsm-step-") as folder:
        for number, exploration in enumerate(EXPLORATIONS):
            document = trace(dsm, pathlib.Path(folder), *exploration)
            complaint = schemas.complaint(NAME, document)
            expect(complaint is None, f"{exploration}: {complaint}")
            for event in document["traceEvents"]:
                expect(FIELDS[event["ph"]] <= set(event), f"{exploration}: {event} lacks a field")
            written |= keys_of(document)
            if number == 0:
                check_refusals(schemas, document)
                check_tracks(schema, document)
        training_keys = check_trainings(dsm, pathlib.Path(folder), schemas)
    expect_same("keys of a step's trace", keys_of_schema(schema), written)
    formats = (source / "docs" / "formats.md").read_text()
    for key in sorted(written | training_keys):
        expect(f"`{key}`" in formats, f"docs/formats.md does not mention {key}")
    print(f"{len(failures)} failures" if failures else "the schema agrees with the program")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
