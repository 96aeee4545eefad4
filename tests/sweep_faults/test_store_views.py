#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The database of a sweep as another program sees it: SQLite's own Python module reads the views,
and what they say is computed anew here. The columns are those of docs/formats.md, its SQL runs, the
CSV and the JSON say the same, and the JSON is valid.

Usage: test_store_views.py STORE_WRITER SOURCE_DIR
"""
import csv
import io
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import jsonschema

MINIBATCHES, LAYERS = 6, 12
POINTS = 4 * MINIBATCHES
AXES = ["workload.minibatch", 'workload.layers.a"b.stride', "point:4"]
PARALLELISMS = ["data", "model", "data_x_model_y", "model_x_data_y"]
PASSES = ["forward", "backward", "update"]
BOUNDS = ["compute", "link_x", "link_y", "link_z", "memory", "ring", "core_links", "shared_memory", "auxiliary", "startup",
          "scratchpad", "latency", "auxiliary_memory", "overhead"]


def expected_point(point):
    """The row of a point, as tests/sweep/stored.c makes it up."""
    row = {"point": point, "status": "ok", "reason": None,
           "workload": "net_a" if point < POINTS // 2 else "net_b", "system": "torus",
           AXES[0]: 64 * (1 + point // 2 % MINIBATCHES), AXES[1]: "[1,1]" if point % 2 == 0 else "[2,2]",
           AXES[2]: 0.5 + point % 2}
    if point % 7 == 5:
        return row | {"status": "infeasible", "reason": "it needs 9.1 GB of 8 GB"}
    if point % 11 == 7:
        return row | {"status": "invalid", "reason": 'expected a number of at least 1, found "x", y'}
    return row | {
        "mode": "training", "minibatch": row[AXES[0]], "optimizations": "hybrid+dysm",
        "parallelisms": "+".join(PARALLELISMS), "utilization": 1 / (1 + point * 37 % 101),
        "step_seconds": (1000 + point) / 3e9, "samples_per_second": 1e6 / (1000 + point),
        "step_cycles": 1000 + point, "lower_bound_cycles": 900, "primary_cycles": 800 + point,
        "overlapped_cycles": 100, "overlapped_visible_cycles": 50, "auxiliary_cycles": 100,
        "non_overlapped_cycles": 50, "weights_bytes": 1e6, "activations_bytes": 2e6,
        "gradients_bytes": 1e6, "errors_bytes": 5e5, "optimizer_bytes": 1e6, "memory_bytes": 5.5e6,
        "capacity_bytes": 8e9, "decisions": f"data {point}, model {point % 3}",
        "plan": f'{{"format":"dsm-plan/1","point":{point}}}'}


def expected_layer(point, index):
    scale = (point + 1) / 3.0
    parts = {"out": 1 + point % 4, "ij": 8, "mb": 1 + index % 2}
    return {"point": point, "layer": index // 3, "name": f"layer_{index // 3}",
            "pass": PASSES[index % 3], "parallelism": PARALLELISMS[point % 4],
            "core_split": " ".join(f"{loop} {n}" for loop, n in parts.items() if n > 1),
            "dysm_factor": 1 + index % 3, "output_on_chip": int(index % 5 == 0),
            "weights_on_chip": 0.25 if index % 4 == 0 else 0,
            "pipeline_group": "group" if index % 6 == 0 else None, "bound": BOUNDS[index % len(BOUNDS)],
            "utilization": 1 / (2 + index), "cycles": scale * 7.875, "primary_cycles": scale * 7,
            "overlapped_cycles": scale, "overlapped_visible_cycles": scale / 2,
            "auxiliary_cycles": scale / 4, "non_overlapped_cycles": scale / 8}


def section(text, title):
    rest = text[text.index(f"\n{title}\n") + len(title) + 2:]
    return re.split(r"^#{1,3} ", rest, maxsplit=1, flags=re.M)[0]


def documented_columns(text):
    """Names in the first cells of a table, in order."""
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


class Checker:
    def __init__(self):
        self.failed = 0

    def same(self, found, expected, what):
        if found != expected:
            self.failed += 1
            print(f"{what}:\n  found    {found}\n  expected {expected}")


def check_rows(check, database):
    rows = [dict(row) for row in database.execute("SELECT * FROM points ORDER BY point")]
    check.same(len(rows), POINTS, "rows of points")
    for point, row in enumerate(rows):
        expected = expected_point(point)
        check.same(row, {name: expected.get(name) for name in row}, f"point {point}")
        check.same(set(expected) - set(row), set(), f"columns of point {point}")
    order = ", ".join(f"pass = '{name}' DESC" for name in PASSES)
    rows = [dict(row) for row in
            database.execute(f"SELECT * FROM layers ORDER BY point, layer, {order}")]
    expected = [expected_layer(point, index) for point in range(POINTS)
                if expected_point(point)["status"] == "ok" for index in range(LAYERS)]
    check.same(len(rows), len(expected), "rows of layers")
    for found, wanted in zip(rows, expected):
        check.same(found, wanted, "layer")


def check_documents(check, database, formats):
    for view in ("points", "layers"):
        columns = [column[0] for column in database.execute(f"SELECT * FROM {view}").description]
        told = section(formats, f"### View {view}")
        named = documented_columns(told)
        for first, last in re.findall(r"the columns from `(\w+)` to `(\w+)`", told):  # of other sweeps
            del named[named.index(first):named.index(last) + 1]
        # several of a row of the table stand side by side: the order is not that of the view
        check.same(sorted(named), sorted(set(columns) - set(AXES)), f"documented columns of {view}")
    table = section(formats, "## Sweep database")
    for name in ("meta", "inputs"):
        line = next(line for line in table.splitlines() if line.startswith(f"| `{name}`"))
        columns = [column[0] for column in database.execute(f"SELECT * FROM {name}").description]
        for column in columns:
            check.same(f"`{column}`" in line, True, f"{name}.{column} is documented")
    header = {pragma: database.execute(f"PRAGMA {pragma}").fetchone()[0]
              for pragma in ("application_id", "user_version")}
    check.same(f"is\n{header['application_id']} " in table, True, "application_id")
    check.same(f"`PRAGMA user_version` is {header['user_version']}," in table, True, "user_version")
    queries = re.findall(r"^```sql\n(.*?)^```", formats, flags=re.M | re.S)
    check.same(len(queries) >= 6, True, "questions in SQL")
    for query in queries:
        check.same(database.execute(query).fetchone() is not None, True, f"an answer to {query}")


def check_exports(check, run, source):
    rows = json.loads(run("json", "a.sqlite"))
    schema = json.loads((source / "schemas/dsm-points-1.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(rows)
    check.same((rows["format"], rows["name"], rows["point_count"]),
               ("dsm-points/1", "stored", POINTS), "what the JSON is of")
    for point, row in enumerate(rows["rows"]):
        expected = expected_point(point)
        check.same(row, {name: expected.get(name) for name in row}, f"JSON of point {point}")
        check.same("plan" in row, False, "plans are not exported")
    lines = list(csv.DictReader(io.StringIO(run("read", "a.sqlite"), newline="")))
    for row, line in zip(rows["rows"], lines):
        for name, value in row.items():
            text = line[name]
            found = None if text == "" else float(text) if isinstance(value, (int, float)) else text
            check.same(found, value, f"CSV of point {row['point']}: {name}")
    check.same(len(lines), POINTS, "rows of the CSV")


def main():
    program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    check = Checker()
    with tempfile.TemporaryDirectory(prefix="dsm-store-") as folder:
        def run(*words):
            return subprocess.run([str(program), *map(str, words)], cwd=folder, check=True,
                                  capture_output=True).stdout.decode()
        run("write", "a.sqlite", MINIBATCHES, LAYERS)
        database = sqlite3.connect(f"file:{folder}/a.sqlite?mode=ro", uri=True)
        database.row_factory = sqlite3.Row
        check_rows(check, database)
        check_documents(check, database, (source / "docs/formats.md").read_text())
        database.close()
        check_exports(check, run, source)
        once = run("json", "a.sqlite")
        run("write", "again.sqlite", MINIBATCHES, LAYERS, 1, 2)
        run("write", "again.sqlite", MINIBATCHES, LAYERS)
        check.same(run("json", "again.sqlite"), once, "the same bytes in any order of recording")
    print(f"{check.failed} differences")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
