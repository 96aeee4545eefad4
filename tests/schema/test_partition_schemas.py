#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schemas of partitions, simulations, deployments and traces agree with what is written.

Each sample is valid; together the samples have every key of the schemas; limits are those of the
program; and docs/formats.md has every key.

Usage: test_partition_schemas.py SAMPLES DSM SOURCE_DIR
"""
import json
import pathlib
import re
import subprocess
import sys

from formats import Formats
from test_schemas import Schemas, expect, expect_same, failures

SAMPLES = {"throughput": "dsm-partition/1", "latency": "dsm-partition/1",
           "energy": "dsm-partition/1", "bound": "dsm-partition/1", "place": "dsm-partition/1", "window": "dsm-partition/1", "rate": "dsm-partition/1",
           "trace": "dsm-trace/1", "stages": "dsm-deployment/1"}


def objects_of(value):
    """All objects inside a value, itself included."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(
            value, list) else ():
        yield from objects_of(inner)


def keys_of(value):
    return {key for each in objects_of(value) for key in each}


def keys_of_schema(schema):
    return {key for each in objects_of(schema) if isinstance(each.get("properties"), dict)
            for key, inner in each["properties"].items() if inner is not False}


def main():
    program, dsm, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    schemas = Schemas(source / "schemas")
    stated_formats = Formats(dsm)
    formats = (source / "docs" / "formats.md").read_text()
    written = {name: set() for name in SAMPLES.values()}
    for sample, name in SAMPLES.items():
        output = subprocess.run([program, sample], check=True, capture_output=True, timeout=60)
        document = json.loads(output.stdout)
        complaint = schemas.complaint(name, document)
        expect(complaint is None, f"{sample}: {complaint}")
        written[name] |= keys_of(document)
    partition, trace = schemas.by_format["dsm-partition/1"], schemas.by_format["dsm-trace/1"]
    dispatch = schemas.by_format["dsm-dispatch/1"]
    expect_same("keys of partitions", keys_of_schema(partition) | keys_of_schema(dispatch),
                written["dsm-partition/1"])
    expect_same("keys of traces", keys_of_schema(trace), written["dsm-trace/1"])
    expect_same("keys of deployments", keys_of_schema(schemas.by_format["dsm-deployment/1"]), written["dsm-deployment/1"])
    for key in sorted(set().union(*written.values())):
        expect(re.search(rf"[`.]{key}`", formats), f"docs/formats.md does not mention {key}")
    for what, stated, limit in (
            ("devices", partition["properties"]["devices"]["maxItems"], "DSM_DEVICES_MAX"),
            ("tasks", partition["properties"]["tasks"]["maxItems"], "DSM_TASKS_MAX"),
            ("devices", dispatch["properties"]["devices"]["maxItems"], "DSM_DEVICES_MAX")):
        expect(stated == stated_formats.limits[limit], f"{what} is not {limit}")
    print(f"{len(failures)} failures" if failures else "the schemas agree with the reports")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
