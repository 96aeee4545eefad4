#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schemas agree with what dsm reads and writes.

 - The bundled descriptions are valid.
 - Words, keys, limits and defaults are those that the program states (`dsm describe --formats json`).
 - What the program writes is valid and complete; with a key more, or a needed one less, it is not.
 - The broken inputs of tests/invalid are refused, but for those whose rule no schema can state.

Usage: test_schemas.py DSM SOURCE_DIR
"""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import jsonschema

from formats import Formats

# Keys of a plan that dsm writes only in some cases, by the last two steps of their path.
SOMETIMES_WRITTEN = {"memory.cache_bytes", "$.$schema", "result.latency_seconds", "passes.backward", "passes.update",
                     "layers.error_parallelism", "layers.output_layout", "layers.hoisted", "$.search", "$.micro_batches", "options.roles", "$.parallelism_summary",
                     "$.stages", "options.stages", "options.interleave", "options.recomputation", "options.stages_at", "options.schedule", "options.shard_level", "options.objective", "options.power_cap_W", "options.as_run_by", "stages.interleave", "options.micro_batches", "roles.y", "roles.z",
                     "result.storage", "result.energy", "options.objective", "options.power_cap_W", "energy.capped_seconds", "energy.step_dollars", "energy.million_samples_dollars", "energy.objective_value", "energy.objective_bound", "storage.period_seconds", "layers.shard", "layers.recompute", "memory.recomputed_bytes",
                     "layers.recompute_output",
                     "layers.keep_product",
                     "invocations.tile", "invocations.computing", "transfers.axis", "forward.hidden_cycles",
                     "backward.hidden_cycles", "update.hidden_cycles"}

# Cases of tests/invalid that the schemas accept, with the reason, by the first words of their name.
RELATION = "a rule over several values"
ESCAPES = "the standard allows such an escape; how a reader takes it differs"
DUPLICATES = "readers of JSON keep one of equal keys, before a schema sees them"
BEYOND_SCHEMAS = {
    "workload": {
        "dataset_of_a_large_sample": "samples and total_bytes: " + RELATION,
        "dataset_of_two_sizes": "samples, sample_bytes and total_bytes: " + RELATION,
        "block_before_outside": "names that exist: " + RELATION,
        "block_deep": "the depth of blocks in blocks",
        "block_that_nothing_comes_before": "names that exist: " + RELATION,
        "block_layers_do_not_fit": "features and sizes that fit together: " + RELATION,
        "block_name": "names that differ, and their length with those around them: " + RELATION,
        "block_reads_": "names that exist and point backward: " + RELATION,
        "block_repeat_nested_huge": "layers of all repetitions: " + RELATION,
        "block_repeat_of_inputs_huge": "inputs of all repetitions: " + RELATION,
        "block_repeat_over_limit": "layers of all repetitions: " + RELATION,
        "input_feature_where": "what only lists of layers have: " + RELATION,
        "learned_positions_of_another_table": "keys that exclude one another",
        "weight_bytes_of_tied_weights": "keys that exclude one another",
        "types_of_tied_weights": "keys that exclude one another",
        "element_bytes_too_many_in_all": "outputs times their bytes: " + RELATION,
        "list_": "what only networks have, and sizes that fit together: " + RELATION,
        "expression_": "texts with a grammar of their own",
        "graph_": "names that exist, are unique and point backward: " + RELATION,
        "groups_no_divisor": "in and out are multiples of groups: " + RELATION,
        "key_duplicate": DUPLICATES,
        "network_input_not_stated": "what tells the network's input: " + RELATION,
        "operand_": "operands that MACs and producers allow: " + RELATION,
        "parameter_in_a_circle": "parameters of parameters: " + RELATION,
        "parameter_unknown": "names that exist: " + RELATION,
        "operation_twice": "each operation once: " + RELATION,
        "operation_of_lstm_pools": "which layers may pool: " + RELATION,
        "pipeline_group_": "groups are runs of unidirectional lstm: " + RELATION,
        "pool_in_fc": "which layers may pool: " + RELATION,
        "pool_on_input_of_lstm": "which layers may pool: " + RELATION,
        "pools_two": "each operation once: " + RELATION,
        "product_": "elements and MACs of a layer: " + RELATION,
        "residual_after_pool": "order of operations: " + RELATION,
        "residual_of_other_": "features and sizes that fit together: " + RELATION,
        "several_relations": RELATION,
        "size_": "features and sizes that fit together: " + RELATION,
        "sum_of_features_": "features and sizes that fit together: " + RELATION,
        "text_lone_surrogate_escape": ESCAPES,
        "text_number_too_long": "the value is legal, only its digits are too many",
        "window_wrong_and_the_layers_behind": "features and sizes that fit together: " + RELATION,
    },
    "sweep": {
        "axis_of_listed_inputs": "one axis a path: " + RELATION,
        "axis_path_twice": "one axis a path: " + RELATION,
        "axis_path_unknown": "paths that an input knows: " + RELATION,
        "axis_value_twice": "each value once, also where it is written in another way",
        "condition_": "texts with a grammar of their own",
        "axis_value_under_two_names": "names of layers: " + RELATION,
        "input_file_broken": "what stands in another file",
        "input_twice": "each value once: " + RELATION,
        "inputs_missing": "an axis or a list or the command line: " + RELATION,
        "inputs_of_one_name": "names that tell files apart: " + RELATION,
        "key_duplicate": DUPLICATES,
        "optimization_of_other_mode": "optimizations and modes: " + RELATION,
        "optimization_twice_in_text": "each word once, in a text",
        "option_and_axis": "one place a path: " + RELATION,
        "points_": "the number of points: " + RELATION,
        "range_": "from, to and the step: " + RELATION,
        "set_and_axis": "one place a path: " + RELATION,
        "set_path_unknown": "paths that an input knows: " + RELATION,
    },
    "server": {
        "count_over_limit": "devices after count: " + RELATION,
        "idle_above_busy": "busy_watts and idle_watts: " + RELATION,
        "name_too_long_with_count": "name and count: " + RELATION,
        "name_twice": "names that differ: " + RELATION,
        "pair_": "names of devices, two of them at least, and no pair twice: " + RELATION,
        "port_unknown_device": "names of devices: " + RELATION,
        "ports_that_overlap": "ports, one within the other or apart: " + RELATION,
        "key_duplicate": DUPLICATES,
    },
    "profile": {
        "batches_fall": "sizes that rise: " + RELATION,
        "batches_too_long_by_ratio": "times within their range once multiplied: " + RELATION,
        "batches_of_no_size_in_common": "sizes that all tasks of a device have: " + RELATION,
        "device_twice": "names that differ: " + RELATION,
        "graph_": "tasks that exist, and can run one after the other: " + RELATION,
        "precision_beside_nothing": "bytes of the profile beside those of a device: " + RELATION,
        "seconds_of_": "a time for each device: " + RELATION,
        "task_twice": "names that differ: " + RELATION,
        "tensors_of_wrong_tasks": "names of other tasks, and who says what they need: " + RELATION,
    },
    "stages": {
        "name_too_long_with_count": "name and count: " + RELATION,
        "operation_": "names of operations before it: " + RELATION,
        "saved_less_than_output": "output_bytes and saved_bytes: " + RELATION,
        "too_many_stages": "the sum of all counts: " + RELATION,
        "key_duplicate": DUPLICATES,
    },
    "rl-workload": {
        "period_": "episodes and synchronization_period: " + RELATION,
        "table_too_large": "states times actions: " + RELATION,
        "key_duplicate": DUPLICATES,
    },
    "pim-system": {
        "idle_above_power": "power_W and idle_power_W: " + RELATION,
        "key_duplicate": DUPLICATES,
    },
    "system": {
        "axes_with_too_many_chips": "chips of all axes: " + RELATION,
        "axis_divided": RELATION,
        "axes_that_are_too_many_with_those_divided": RELATION,
        "axis_name_twice": "names that differ: " + RELATION,
        "chips_product_over_limit": "chips_x times chips_y: " + RELATION,
        "interconnect_of_cores_none": "cores that something joins: " + RELATION,
        "key_duplicate": DUPLICATES,
        "shared_memory_of_no_capacity": "0 stands for none, where it is not stated",
        "storage_of_nothing": "0 stands for none, where it is not stated",
        "technology_of_no_name": "technologies that there are",
    },
}

failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)
        print(message)
    return holds


class Schemas:
    """The schemas of a folder, by the name of their format."""

    def __init__(self, folder):
        self.by_format = {}
        for path in sorted(folder.glob("*.schema.json")):
            schema = json.loads(path.read_text())
            jsonschema.Draft202012Validator.check_schema(schema)
            self.by_format[path.name.replace("-1.schema.json", "/1")] = schema
        self.store = {schema["$id"]: schema for schema in self.by_format.values()}
        self.validators = {name: jsonschema.Draft202012Validator(self.bundled(name))
                           for name in self.by_format}

    def bundled(self, name):
        """A schema with the others, as far as it refers to them, among its own definitions: readers
        of schemas differ in how they look up the names of other files."""
        def moved(value, prefix):
            if isinstance(value, list):
                return [moved(inner, prefix) for inner in value]
            if not isinstance(value, dict):
                return value
            copied = {key: moved(inner, prefix) for key, inner in value.items()
                      if key not in ("$id", "$schema") or isinstance(inner, dict)}
            target = copied.get("$ref")
            if isinstance(target, str):
                own = target.startswith("#")
                copied["$ref"] = "#" + prefix + target[1:] if own else f"#/$defs/{target}"
            return copied

        schema = moved(self.by_format[name], "")
        for uri, other in self.store.items():
            schema["$defs"][uri] = moved(other, f"/$defs/{uri}")
        return schema

    def complaint(self, name, document):
        """Why a document is not valid, or None."""
        error = next(self.validators[name].iter_errors(document), None)
        if error is None:
            return None
        return f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"

    def resolve(self, root, schema):
        """Follows references: the schema meant, and the document that it is in."""
        while "$ref" in schema:
            target = schema["$ref"]
            if target in self.store:
                root = schema = self.store[target]
            else:
                assert target.startswith("#/$defs/"), target
                schema = root["$defs"][target.split("/")[-1]]
        return root, schema


# ---- names of schemas ----


def check_names(source):
    """A file that names its schema by a path is valid for a reader that follows references as
    editors do, from file to file."""
    folder = (source / "schemas").resolve()
    for path in sorted(folder.glob("*.schema.json")):
        schema = json.loads(path.read_text())
        expect(schema["$id"] == path.name, f"{path.name}: its $id is {schema['$id']}")
        for target in re.findall(r'"\$ref": "([^"#]+)"', path.read_text()):
            expect((folder / target).is_file(), f"{path.name}: no {target} beside it")
    # Newer versions warn that another class will follow this one, which the older ones have alone.
    warnings.simplefilter("ignore", DeprecationWarning)
    for name, example in (("server", "servers/edge_npu.json"), ("sweep", "sweeps/fig10.json"),
                          ("stages", "stages/gpt2_medium_blocks.json"),
                          ("rl-workload", "rl-workloads/taxi.json"), ("pim-system", "pim-systems/upmem2524.json"),
                          ("technology", "technologies/n5.json")):
        path = folder / f"dsm-{name}-1.schema.json"
        schema = json.loads(path.read_text())
        validator = jsonschema.Draft202012Validator(
            schema, resolver=jsonschema.RefResolver(path.as_uri(), schema))
        document = {"$schema": f"../schemas/{path.name}",
                    **json.loads((source / example).read_text())}
        expect(validator.is_valid(document), f"{example}: not valid by {path.name} on its own")
        expect(not validator.is_valid({**document, "$schema": 1}), f"{path.name}: $schema: 1")


# ---- bundled descriptions ----


def folder_of(source, kind):
    """It is called as the kind, in the plural."""
    return source / (kind if kind.endswith("s") else f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s")


def check_bundled(schemas, source):
    for kind in ("workload", "system", "sweep", "server", "stages", "rl-workload", "pim-system", "technology"):
        paths = sorted(folder_of(source, kind).glob("*.json"))
        expect(paths, f"no bundled {kind}")
        for path in paths:
            complaint = schemas.complaint(f"dsm-{kind}/1", json.loads(path.read_text()))
            expect(complaint is None, f"{path.name}: {complaint}")
        path = source / "templates" / f"{kind}.json"
        complaint = schemas.complaint(f"dsm-{kind}/1", json.loads(path.read_text()))
        expect(complaint is None, f"templates/{path.name}: {complaint}")
    complaint = schemas.complaint("dsm-profile/1", json.loads((source / "templates" / "profile.json").read_text()))
    expect(complaint is None, f"templates/profile.json: {complaint}")


# ---- the tables of the program ----


# Words that are read as another one, which stands in their place in the tables of the program.
OTHER_WORDS = {"swish": "silu"}


def expect_same(what, in_schema, stated):
    """The same words, in any order, each once. Comments and "$schema" are no keys of the program."""
    in_schema = [word for word in in_schema if word not in ("//", "$schema")]
    stated = list(stated)
    expect(sorted(in_schema) == sorted(stated),
           f"{what}: the schema has {sorted(in_schema)}, the program {sorted(stated)}")


def check_workload_tables(schema, formats):
    name, definitions = "dsm-workload/1", schema["$defs"]
    layer, aux = definitions["layer"], definitions["aux"]
    expect_same("layer types", layer["properties"]["type"]["enum"], formats.words("type of layer"))
    operations = [op for op in aux["properties"]["op"]["enum"] if op not in OTHER_WORDS]
    expect_same("operations", operations, formats.words("auxiliary operation"))
    expect_same("keys of a workload", schema["properties"], formats.keys(name, "workload"))
    expect_same("keys of input", schema["properties"]["input"]["properties"], formats.keys(name, "input"))
    expect_same("keys of a block", definitions["block"]["properties"], formats.keys(name, "block"))
    expect_same("keys of a layer", layer["properties"], formats.keys(name, "layer"))
    for rule in layer["allOf"]:
        kind = rule["if"]["properties"]["type"]["const"]
        expect_same(f"keys of a {kind}", rule["then"]["propertyNames"]["enum"],
                    formats.keys(name, "layer", kind))
    operation = "auxiliary operation"
    ruled = []
    for rule in aux["allOf"]:
        for op in rule["if"]["properties"]["op"]["enum"]:
            ruled.append(op)
            expect_same(f"keys of {op}", rule["then"]["propertyNames"]["enum"],
                        formats.keys(name, operation, OTHER_WORDS.get(op, op)))
    expect_same("operations with rules", ruled, aux["properties"]["op"]["enum"])
    expect_same("keys of an operation", aux["properties"], formats.keys(name, operation))
    expect_same("sides of an operation", aux["properties"]["on"]["enum"], formats.words("side of an operation"))


def check_limits(workload, system, limits):
    for name, schema in (("workload", workload), ("system", system)):
        definitions = schema["$defs"]
        for what, stated, limit in (
                ("count", definitions["count"]["maximum"], "DSM_DIMENSION_MAX"),
                ("small_count", definitions["small_count"]["maximum"], "DSM_SIDE_MAX"),
                ("text", definitions["text"]["maxLength"], "DSM_TEXT_BYTES_MAX"),
                ("name", definitions.get("name", schema["properties"]["name"])["maxLength"],
                 "DSM_NAME_BYTES_MAX")):
            expect(stated == limits[limit], f"{name}: {what} is not {limit}")
    layer = workload["$defs"]["layer"]["properties"]
    expect(workload["properties"]["layers"]["maxItems"] == limits["DSM_LAYERS_MAX"], "layers")
    block = workload["$defs"]["block"]["properties"]
    expect(block["layers"]["maxItems"] == limits["DSM_LAYERS_MAX"], "layers of a block")
    expect(block["repeat"]["maximum"] == limits["DSM_LAYERS_MAX"], "repeat")
    expect(workload["properties"]["parameters"]["maxProperties"] == limits["DSM_PARAMETERS_MAX"] + 1, "parameters")
    expect(layer["operand_elements"]["maximum"] == limits["DSM_PRODUCT_MAX"], "operand_elements")
    expect(layer["padding"]["items"]["maximum"] == limits["DSM_SIDE_MAX"], "padding")


def check_expressions(schema, path="$"):
    """Wherever a number stands in a workload an expression may stand."""
    for key, inner in schema.items() if isinstance(schema, dict) else enumerate(schema):
        if isinstance(inner, (dict, list)):
            check_expressions(inner, f"{path}.{key}")
    types = schema.get("type", []) if isinstance(schema, dict) else []
    if {"integer", "number"} & set([types] if isinstance(types, str) else types):
        expect("string" in types and schema.get("pattern") == "^=", f"{path}: expected a number or an expression")


def leaves(schemas, root, schema, path=""):
    """Every value below an object: path -> its schema with references followed, and whether it must
    be there where its object is."""
    found = {}
    for key, value in schema["properties"].items():
        here = f"{path}{key}"
        own = value
        inner_root, inner = schemas.resolve(root, value)
        if "properties" in inner:
            found.update(leaves(schemas, inner_root, inner, here + "."))
        else:
            found[here] = {**inner, **own, "is_required": key in schema.get("required", [])}
    return found


def check_parameter(path, stated, row, formats):
    expect(stated["is_required"] == row["required"], f"{path}: required in one place only")
    expect(stated.get("default") == row.get("default"),
           f"{path}: default {stated.get('default')} in the schema, {row.get('default')} in the program")
    if row["kind"] == "word":
        expect_same(path, stated["enum"], formats.words(row["words"]))
        return
    kind = {"count": "integer", "real": "number", "flag": "boolean"}[row["kind"]]
    expect(stated["type"] == kind, f"{path}: {stated['type']} is not {kind}")
    for key, limit in (("minimum", "min"), ("maximum", "max")):
        expect(stated.get(key) == row.get(limit),
               f"{path}: {key} {stated.get(key)} in the schema, {row.get(limit)} in the program")


def expand_axes(schemas, schema, stated, parameters):
    """Puts the parameters of each axis in place of the list of them; the short form is required without one."""
    axes = stated.pop("system.axes")
    count = len({path.split(".")[2] for path in parameters if path.startswith("system.axes.")})
    expect((axes["minItems"], axes["maxItems"]) == (1, count), "number of axes")
    own = leaves(schemas, schema, axes["items"])
    name = own.pop("name")
    expect(own.pop("divide")["default"] == 1, "divide: of an axis that is whole")
    expect(name["is_required"], "an axis without name")
    for axis in range(count):
        stated |= {f"system.axes.{axis}.{key}": {**each} for key, each in own.items()}


def required_paths(rule, path=""):
    """What a rule and those that it has for objects within it require; of a list: of each axis."""
    found = {path + key for key in rule.get("required", [])}
    for key, inner in rule.get("properties", {}).items():
        found |= required_paths(inner, f"{path}{key}.")
    if "items" in rule:
        found |= {f"{path}{axis}.{key}" for axis in range(3) for key in rule["items"]["required"]}
    return found


def check_system_tables(schemas, schema, formats):
    parameters = formats.parameters("system")
    stated = leaves(schemas, schema, schema)
    notes = stated.pop("notes")
    expect_same("notes", notes["propertyNames"]["enum"], parameters)
    expand_axes(schemas, schema, stated, parameters)
    of_technology = {key: stated.pop(f"technology.{key}") for key in formats.keys("dsm-technology/1", "technology")}
    expect_same("notes of a technology", of_technology["notes"]["propertyNames"]["enum"],
                [path.removeprefix("technology.") for path in parameters if path.startswith("technology.")])
    own = formats.keys("dsm-system/1", "system")
    expect_same("parameters", stated, [*parameters, *(key for key in own if key != "notes")])
    whole = schema["$defs"]["whole"]
    # Of a chip whose arrays are described, and of the short form of axes.
    required = required_paths(whole) | required_paths(whole["else"]) \
        | required_paths(whole["properties"]["system"]["then"], "system.")
    for path in required & stated.keys():
        stated[path]["is_required"] = True
    for path in stated.keys() & parameters.keys():
        check_parameter(path, stated[path], parameters[path], formats)
    for tier in schema["properties"].keys() - set(own):
        needed = any(row["required"] for path, row in parameters.items()
                     if path.startswith(tier + "."))
        expect(needed == (tier in required), f"{tier}: required in one place only")


def check_sweep_tables(schema, formats):
    definitions, limits = schema["$defs"], formats.limits
    for of, in_schema in (("sweep", schema["properties"]),
                          ("options", schema["properties"]["options"]["properties"]),
                          ("range", definitions["range"]["properties"]),
                          ("axis", definitions["axis"]["properties"])):
        expect_same(f"keys of {of}", in_schema, formats.keys("dsm-sweep/1", of))
    for what, in_schema in (("record of a sweep", schema["properties"]["record"]["enum"]),
                            ("mode", definitions["mode"]["enum"]),
                            ("optimization", definitions["optimization"]["enum"]),
                            ("parallelism", definitions["parallelism_word"]["enum"])):
        words = formats.words(what)
        expect_same(what, in_schema, words)
        for option, others in (("optimize", ["all", "everything"]), ("parallelism", [])):
            if what.startswith(option[:7]):
                text = "|".join(others + list(words))
                expect(definitions[option]["anyOf"][1]["pattern"] ==
                       f"^({text})(\\+({text}))*$", f"{option}: words joined by +")
    for what, stated, limit in (
            ("axes", schema["properties"]["axes"]["maxItems"], "DSM_SWEEP_AXES_MAX"),
            ("conditions", schema["properties"]["exclude"]["maxItems"],
             "DSM_SWEEP_CONDITIONS_MAX"),
            ("values", definitions["axis"]["properties"]["values"]["maxItems"],
             "DSM_SWEEP_VALUES_MAX"),
            ("workloads", schema["properties"]["workloads"]["maxItems"], "DSM_SWEEP_VALUES_MAX"),
            ("names", definitions["input_name"]["maxLength"], "DSM_NAME_BYTES_MAX")):
        expect(stated == limits[limit], f"sweep: {what} is not {limit}")


def place_of(schemas, root, record, path):
    """The definition of a record of plans: its keys are those of the object at `path`."""
    schema = root
    for step in path.split(".") if path else ():
        root, schema = schemas.resolve(root, schema)
        schema = schema["items"] if step == "[]" else schema["properties"][step]
    _, schema = schemas.resolve(root, schema)
    assert "properties" in schema, f"{record}: no object at {path}"
    return schema


def expect_words(what, stated, formats, name):
    """Words of a list, and with the names of axes those that the program describes by a pattern."""
    listed, *others = stated.get("anyOf", [stated])
    patterns = [formats.patterns[name]] if name in formats.patterns else []
    expect_same(what, listed["enum"], formats.words(name))
    expect_same(f"{what}: patterns", [other["pattern"] for other in others], patterns)


def check_plan_tables(schemas, schema, formats):
    """Keys and words of all records of a plan, found by walking records and schema side by side."""
    todo, seen = [("plan", "")], set()
    while todo:
        record, path = todo.pop()
        seen.add(record)
        definition = place_of(schemas, schema, record, path)
        fields = {field["key"]: field for field in formats.fields("dsm-plan/1", record)}
        expect_same(f"keys of the record {record}", definition["properties"], fields)
        for key, field in fields.items():
            here = f"{path}.{key}".lstrip(".")
            root, stated = schemas.resolve(schema, definition["properties"][key])
            if field["kind"] == "word":
                expect_words(f"{record}.{key}", stated, formats, field["words"])
            elif field["kind"] == "words":
                _, items = schemas.resolve(root, stated["items"])
                expect_words(f"{record}.{key}", items, formats, field["words"])
            elif field["kind"] == "reals":
                _, names = schemas.resolve(root, stated["propertyNames"]["anyOf"][1])
                expect_words(f"{record}.{key}", names, formats, field["words"])
            elif field["kind"] in ("counts", "members"):
                expect_same(f"{record}.{key}", stated["properties"], formats.words(field["words"]))
            if "record" in field and field["record"] not in seen:
                inside = {"list": ".[]", "members": ".forward"}.get(field["kind"], "")
                todo.append((field["record"], here + inside))


# ---- what the program writes ----


def run(dsm, *arguments, codes=(0,)):
    done = subprocess.run([dsm, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, "LC_ALL": "C"}, check=False,
                          timeout=120)
    expect(done.returncode in codes, f"dsm {' '.join(arguments)}: exit code {done.returncode}: "
           f"{done.stderr}")
    return json.loads(done.stdout) if done.returncode in codes else None


def objects(value, path=()):
    """Every object inside a JSON value, with its path."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            yield from objects(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from objects(inner, (*path, index))


def missing_keys(schemas, root, schema, value, path="$"):
    """Keys that the schema knows and the value does not have, but for those sometimes written."""
    root, schema = schemas.resolve(root, schema)
    if isinstance(value, list):
        for inner in value:
            yield from missing_keys(schemas, root, schema["items"], inner, path)
    elif isinstance(value, dict) and "properties" in schema:
        for key, inner in schema["properties"].items():
            here = f"{path}.{key}"
            if key in value:
                yield from missing_keys(schemas, root, inner, value[key], here)
            elif ".".join(here.split(".")[-2:]) not in SOMETIMES_WRITTEN:
                yield here


def is_complete(schemas, name, document):
    schema = schemas.by_format[name]
    without_inputs = {key: value for key, value in document.items()
                      if key not in ("workload", "system")}
    missing = set(missing_keys(schemas, schema, schema, without_inputs))
    return missing <= {"$.workload", "$.system"} or f"never written: {sorted(missing)}"


def check_refusals(schemas, name, document, needed):
    """The schema refuses the document with an unknown key anywhere, and without a needed one."""
    for path, _ in objects(document):
        changed = copy.deepcopy(document)
        target = changed
        for step in path:
            target = target[step]
        target["unknown"] = 1
        expect(schemas.complaint(name, changed) is not None,
               f"{name}: an unknown key in {'/'.join(map(str, path))} is valid")
    for key in needed:
        changed = {other: value for other, value in document.items() if other != key}
        expect(schemas.complaint(name, changed) is not None, f"{name}: valid without {key}")


def check_plans(schemas, dsm, source, folder):
    explorations = (
        ("raider", "torus16"),
        ("raider", "chip1", "--mode", "inference"),
        ("gnmt", "torus64"),
        ("gnmt", "torus64", "--optimize", "none"),
        ("mobilenet_v2", "torus64_symmetric", "--parallelism", "data,model"),
        ("googlenet", "torus64", "--set", "workload.minibatch=64", "--set",
         "system.core.scratchpad_MiB=2"),
        ("vgg16", "torus64_refined", "--set", "system.model.layout_move=exact"),
        ("raider", "torus64", "--set", "system.model.tile_schedule=true"),
        ("vgg16", "torus64", "--set", "system.model.tiling=blocked"),
        ("alexnet", "dgx_a100"),
        ("mobilenet_v2", "chip1", "--set", "system.core.arrays=2", "--set", "system.core.vector_macs_per_cycle=64", "--set",
         "system.chip.interconnect=mesh"),
        ("alexnet", "dgx_a100", "--optimize", "hybrid,tensor", "--parallelism", "gpu=data,gpu=column,gpu=row"),
        ("alexnet", "tpu_v4_4096"),
        ("alexnet", "torus16", "--optimize", "none",
         "--set", 'workload.dataset={"samples":1281167,"sample_bytes":150000,"repeat":2}', "--set",
         'system.storage={"fast":{"capacity_GB":50,"bandwidth_GBps":40},"capacity":{"bandwidth_GBps":1}}'),
        ("raider", "torus64", "--set", "system.model.overlapped_reduction=true"),
        ("alexnet", "torus16", "--minibatch", "64", "--optimize", "accumulate,stages", "--stages", "2", "--micro-batches", "2",
         "--interleave", "2"),
        ("resnet18", "torus64", "--set", "system.chip.memory.capacity_GB=0.0155", "--optimize",
         "hybrid,shard,recompute"),
        ("gpt", "torus64", "--set", "workload.parameters.blocks=1", "--optimize", "recompute", "--recompute", "full"),
        ("gpt", "dgx_a100", "--minibatch", "16", "--set", "workload.parameters.blocks=2", "--optimize",
         "hybrid,tensor,accumulate,stages", "--stages", "2"),
        ("gpt", "torus16", "--set", "workload.parameters.blocks=1"),
        ("vgg16", "torus64", "--set", "system.technology=n7", "--objective", "joules"),
        ("vgg16", "torus64", "--set", "system.technology=n5", "--power-cap", "24"),
        ("googlenet", "torus64", "--set", "system.model.auxiliary_traffic=unfused", "--set",
         "system.core.operation_overhead_us=1", "--set", "system.core.issue_us=2"),
    )
    plans = []
    for workload, system, *options in explorations:
        inputs = [str(source / "workloads" / f"{workload}.json"),
                  str(source / "systems" / f"{system}.json")]
        plan = run(dsm, "explore", *inputs, *options, "--format", "json")
        if plan is None:
            continue
        complaint = schemas.complaint("dsm-plan/1", plan)
        expect(complaint is None, f"explore {workload} {system} {options}: {complaint}")
        complete = is_complete(schemas, "dsm-plan/1", plan)
        expect(complete is True, f"explore {workload} {system} {options}: {complete}")
        is_inference = plan["mode"] == "inference"
        expect(("latency_seconds" in plan["result"]) == is_inference, "latency_seconds")
        plans.append(folder / f"{len(plans)}.json")
        plans[-1].write_text(json.dumps(plan))
        scored = run(dsm, "score", str(plans[-1]), "--format", "json")
        complaint = schemas.complaint("dsm-plan/1", scored)
        expect(complaint is None, f"score {workload} {system} {options}: {complaint}")
    if not plans:
        return plans
    small = json.loads(plans[0].read_text())
    needed = schemas.by_format["dsm-plan/1"]["required"]
    check_refusals(schemas, "dsm-plan/1", small, needed)
    wrong_mode = {**small, "mode": "inference"}
    expect(schemas.complaint("dsm-plan/1", wrong_mode) is not None,
           "a plan of inference with a backward pass is valid")
    return plans


def check_description(schemas, dsm, source, plans):
    files = [*sorted(source.glob("workloads/*.json")), *sorted(source.glob("systems/*.json")),
             *plans, *sorted(source.glob("sweeps/*.json")), *sorted(source.glob("servers/*.json")),
             *sorted(source.glob("stages/*.json")), *sorted(source.glob("rl-workloads/*.json")),
             *sorted(source.glob("pim-systems/*.json")), *sorted(source.glob("technologies/*.json")), source / "tests" / "report" / "pim_plan.json",
             source / "tests" / "cli" / "cases" / "partition_energy" / "powered.json",
             source / "tests" / "cli" / "cases" / "describe_links" / "linked.json"]
    described = run(dsm, "describe", *map(str, files), "--format", "json")
    if described is None:
        return
    complaint = schemas.complaint("dsm-describe/1", described)
    expect(complaint is None, f"describe: {complaint}")
    expect([item["file"] for item in described["items"]] == [str(file) for file in files],
           "describe: one item for each file, in order")
    kinds = {item["kind"]: item for item in described["items"]}
    expect_same("kinds of descriptions", kinds, ["workload", "system", "plan", "sweep", "server", "profile", "stages",
                                                  "rl-workload", "pim-system", "pim", "technology"])
    small = {"format": described["format"], "items": list(kinds.values())}
    for item in small["items"]:
        item["layers"] = item.get("layers", [])[:1]
        item["parameters"] = item.get("parameters", [])[:1]
        item["stages"] = item.get("stages", [])[:1]
        for key in ("layers", "parameters", "stages"):
            if not item[key]:
                del item[key]
    for index, item in enumerate(small["items"]):
        for key in item:
            changed = copy.deepcopy(small)
            del changed["items"][index][key]
            # of systems that list their axes or have a base, of workloads that say it, of servers that have some
            is_optional = key in ("network_axes", "base", "own_values", "dataset", "ports", "pairs")
            expect(is_optional or schemas.complaint("dsm-describe/1", changed) is not None,
                   f"dsm-describe/1: a {item['kind']} is valid without {key}")


def check_made(schemas, dsm, source, plans):
    """Formats whose schema is made of tables: what the program writes is valid."""
    unread = source / "README.md"
    for name, codes, arguments in (
            ("dsm-ladder/1", (0,), ("explore", "vgg16", "torus64", "--ladder")),
            ("dsm-ladder/1", (0,), ("explore", "resnet18", "torus64", "--set", "system.chip.memory.capacity_GB=0.0155",
                                    "--optimize", "hybrid,shard,recompute", "--ladder")),
            ("dsm-ladder/1", (0,), ("explore", "gnmt", "torus16", "--mode", "inference", "--ladder",
                                    "--ladder-base", "torus64")),
            ("dsm-explain/1", (0,), ("explore", "alexnet", "torus64", "--explain", "conv1")),
            ("dsm-explain/1", (0,), ("explore", "gnmt", "torus64", "--explain", "enc2")),
            ("dsm-explain/1", (0,), ("explore", "alexnet", "torus16", "--minibatch", "64", "--optimize",
                                     "accumulate,shard,recompute,stages", "--stages", "2", "--explain", "conv1")),
            ("dsm-explain/1", (0,), ("explore", "alexnet", "chip1", "--mode", "inference", "--explain", "fc1")),
            ("dsm-calibration/1", (0,), ("calibrate", str(source / "examples" / "calibrate" / "times.csv"), "chip1")),
            ("dsm-calibration/1", (0,), ("calibrate", str(source / "examples" / "calibrate" / "times.csv"), "chip1",
                                         "--fit", "chip.memory.bandwidth_GBps,chip.memory.efficiency_ratio")),
            ("dsm-design/1", (0,), ("design", "alexnet,vgg16@0.5", "torus64", "--vary", "chip.memory.bandwidth_GBps=128..512/3",
                                    "--vary", "core.scratchpad_MiB=1,2", "--budget", "chip.memory.bandwidth_GBps<=300",
                                    "--pareto", "chip.memory.bandwidth_GBps")),
            ("dsm-remat/1", (0,), ("remat", "gpt2_medium_blocks", "--budget", "33%")),
            ("dsm-remat/1", (0,), ("remat", "vgg16", "torus64", "--pareto")),
            ("dsm-pipeline/1", (0,), ("remat", "gpt2_medium_blocks", "--stages", "4", "--budget", "700MB")),
            ("dsm-front/1", (0,), ("partition", "vgg16", "edge_npu", "--pareto", "throughput,latency", "--points", "4")),
            ("dsm-front/1", (0,), ("partition", "vgg16", "cpu_gpu_fpga", "--pareto", "throughput,latency,energy", "--points", "8")),
            ("dsm-pim/1", (0,), ("pim", "taxi", "upmem2524")),
            ("dsm-pim/1", (0,), ("pim", "taxi", "upmem2524", "--cores", "1,2000", "--transfers", "serial", "--objective", "energy")),
            ("dsm-storage/1", (0,), ("storage", "deepcam", "summit", "--samples-per-second", "65000", "--max-repeat", "128")),
            ("dsm-storage/1", (0,), ("storage", "deepcam", "summit", "--samples-per-second", "65000", "--repeat", "4", "--timeline")),
            ("dsm-storage/1", (0,), ("storage", "deepcam", "summit", "--flops-per-second", "1e18", "--adaptive", "score",
                                     "--trace", str(source / "examples" / "storage" / "trace.csv"))),
            ("dsm-serving/1", (0,), ("serve", "gpt2", "h100", "--gap", "60%", "--tpot", "9", "--ttft", "99", "--rate", "9", "--prefix-hit", "50%")),
            ("dsm-serving/1", (0,), ("serve", "gpt2", "dgx_h100", "--chips", "2", "--gap", "60%", "--disaggregate")),
            ("dsm-serving/1", (0,), ("serve", "gpt2", "h100", "--gap", "60%", "--chunk", "256", "--simulate", "20", "--speculate", "2,0.5,gpt2")),
            ("dsm-serving/1", (0,), ("serve", "bert_base", "h100", "--input-tokens", "128", "--output-tokens", "0")),
            ("dsm-validate/1", (0,), ("validate", "vgg16", "torus64", "fig10", str(plans[0]))),
            ("dsm-validate/1", (3,), ("validate", "vgg16", str(unread)))):
        written = run(dsm, *arguments, "--format", "json", codes=codes)
        if written is None:
            continue
        complaint = schemas.complaint(name, written)
        expect(complaint is None, f"{' '.join(arguments)}: {complaint}")


def check_list(schemas, dsm, source):
    """All bundled descriptions are listed, with the sizes of describe."""
    listed = run(dsm, "list", "--format", "json")
    if listed is None:
        return
    complaint = schemas.complaint("dsm-list/1", listed)
    expect(complaint is None, f"list: {complaint}")
    kinds = ("workload", "system", "server", "sweep", "stages", "rl-workload", "pim-system", "technology")
    wanted = [(kind, path.stem) for kind in kinds for path in sorted(folder_of(source, kind).glob("*.json"))]
    found = [(item["kind"], item["name"]) for item in listed["items"]]
    expect(found == wanted, f"list: found {found}, expected {wanted}")
    schema_names = {path.name for path in (source / "schemas").glob("*.json")}
    for answer in listed["answers"]:
        expect(f"{answer['format'].replace('/', '-')}.schema.json" in schema_names, f"list: no schema of {answer}")
        expect({"table", "json", "csv"} <= set(answer["forms"]), f"list: {answer}")
    by_name = {item["name"]: item for item in listed["items"]}
    for item in listed["items"]:
        text = json.loads((folder_of(source, item["kind"]) / f"{item['name']}.json").read_text())
        expect(item["about"] == text["//"], f"list: {item['name']}: {item['about']}")
        expect(len(item["about"]) <= 60, f"{item['name']}: too long for a line: {item['about']}")
    described = run(dsm, "describe", "vgg16", "torus64", "edge_npu", "fig10", "--format", "json")["items"]
    network, system, server, sweep = described
    devices = server["devices"]
    for item, sizes in (
            (by_name["vgg16"], {"layers": len(network["layers"]),
                                "weights": network["totals"]["weights"],
                                "macs_forward_per_sample": network["totals"]["macs_forward_per_sample"]}),
            (by_name["torus64"], {key: system[key]
                                  for key in ("chips", "cores", "peak_flops", "memory_bytes")}),
            (by_name["edge_npu"], {"devices": len(devices),
                                   "peak_flops": sum(device["peak_flops"] for device in devices),
                                   "memory_bytes": sum(device["memory_bytes"] for device in devices)}),
            (by_name["fig10"], {"points": sweep["points"]})):
        expect({key: item[key] for key in sizes} == sizes, f"list: {item}, expected {sizes}")


def check_elasticity(schemas, dsm, source, plan):
    name = "dsm-elasticity/1"
    kept = run(dsm, "score", str(plan), "--elasticity", "--format", "json")
    complaint = "no elasticities" if kept is None else schemas.complaint(name, kept)
    expect(complaint is None, f"score --elasticity: {complaint}")
    files = [str(source / path) for path in ("workloads/raider.json", "systems/torus16.json",
                                             "systems/torus64_refined.json")]
    system_count = len(json.loads((source / "systems" / "torus16.json").read_text())["notes"])
    known = {key for _, value in objects(schemas.by_format[name]) if "properties" in value
             for key in value["properties"]}
    for option, count in (("--elasticity", system_count + 4), ("--sensitivity", 30)):
        found = run(dsm, "describe", *files, option, "--minibatch", "64", "--set",
                    "system.chip.memory.efficiency_ratio=1", "--format", "json")
        if found is None:
            return
        complaint = schemas.complaint(name, found)
        expect(complaint is None, f"describe {option}: {complaint}")
        first = found["items"][0]
        expect(len({parameter["path"] for parameter in first["parameters"]})
               == len(first["parameters"]) == count, f"describe {option}: each parameter once")
        responses = [response for parameter in first["parameters"] for variation in
                     parameter["variations"] for response in variation["responses"]]
        expect(any("why_not" in response for response in responses), f"{option}: no variation is refused")
        seen = {key for _, value in objects(found) for key in value}
        expect(known <= seen, f"describe {option}: never written: {known - seen}")


def check_checks(schemas, dsm, plans, folder):
    """A baseline that regressed with everything that can move, one that is as it was, and one that
    cannot be read."""
    name = "dsm-check/1"
    moved = folder / "moved.json"
    plan = json.loads(plans[2].read_text())  # gnmt, training
    plan["result"].update(step_seconds=1e-9, utilization=1)
    plan["layers"][0]["name"] = "of another time"
    plan["layers"][1]["dysm_factor"] = 2
    first = plan["layers"][1]["passes"]["forward"]
    first["core_split"]["mb"] = 77
    first["cycles"]["total"] = 0
    plan["layers"][2]["passes"].pop("backward")
    plan["pipeline"] = []
    moved.write_text(json.dumps(plan))
    broken = folder / "broken.json"
    broken.write_text('{"format": "dsm-plan/2"}')
    priced = folder / "priced.json"
    priced.write_text(json.dumps(run(dsm, "explore", "raider", "torus64", "--set",
                                     "system.technology=n7", "--format", "json")))
    found = run(dsm, "check", str(moved), str(plans[0]), str(broken), str(priced), "--format",
                "json", codes=(3,))
    other = check_answers(schemas, dsm, folder, "check", "--against", codes=(1,))
    if found is None or other is None:
        return
    complaint = schemas.complaint(name, found)
    expect(complaint is None, f"check: {complaint}")
    regressed, same, unread, priced = found["items"]
    expect((regressed["verdict"], same["verdict"], unread["status"])
           == ("regressed", "ok", "invalid input"), "check: other verdicts")
    expect([each["path"] for each in priced["figures"]]
           == ["energy.step_joules", "energy.million_samples_dollars"], "check: other figures")
    expect(all(regressed[key] for key in ("layers", "passes", "decisions")),
           "check: something that moved is not listed")
    seen = {key for each in (found, other) for _, value in objects(each) for key in value}
    known = {key for _, value in objects(schemas.by_format[name]) if "properties" in value
             for key in value["properties"]}
    expect(known <= seen, f"check: never written: {known - seen}")


def check_answers(schemas, dsm, folder, command, *between, codes=(0,)):
    """Two answers of storage side by side: 65,000 and 60,000 samples a second are asked for."""
    files = [folder / f"storage{rate}.json" for rate in (65000, 60000)]
    for file, rate in zip(files, (65000, 60000)):
        file.write_text(json.dumps(run(dsm, "storage", "deepcam", "summit", "--samples-per-second",
                                       str(rate), "--format", "json")))
    found = run(dsm, command, str(files[0]), *between, str(files[1]), "--format", "json",
                codes=codes)
    complaint = found and schemas.complaint(f"dsm-{command}/1", found)
    expect(complaint is None, f"{command}: {complaint}")
    return found


def check_diffs(schemas, dsm, folder, plans):
    """Plans with everything that can differ: other networks, other modes, and the same plan twice."""
    name = "dsm-diff/1"
    schema = schemas.by_format[name]
    pairs = [(plans[0], plans[0]), *zip(plans, plans[1:] + plans[:1])]
    documents = [run(dsm, "diff", str(one), str(other), "--format", "json")
                 for one, other in pairs]
    for found in documents:
        complaint = found and schemas.complaint(name, found)
        expect(complaint is None, f"diff: {complaint}")
    expect([found["different"] for found in documents]
           == [one != other for one, other in pairs], "diff: other answers")
    documents.append(check_answers(schemas, dsm, folder, "diff"))
    seen = {key for found in documents for _, value in objects(found) for key in value}
    known = {key for _, value in objects(schema) if "properties" in value
             for key in value["properties"]}
    expect(known <= seen, f"diff: never written: {known - seen}")


def check_server_tables(schemas, formats):
    name = "dsm-server/1"
    server = schemas.by_format[name]
    device = server["$defs"]["device"]
    kinds = formats.words("kind of device")
    expect_same("keys of a server", server["properties"], formats.keys(name, "server"))
    expect_same("kinds of devices", device["properties"]["kind"]["enum"], kinds)
    for rule, kind in zip(device["allOf"], kinds):
        expect(rule["if"]["properties"]["kind"]["const"] == kind, f"server: rule of {kind}")
        expect_same(f"keys of a {kind}", rule["then"]["propertyNames"]["enum"],
                    formats.keys(name, "device", kind))
    expect_same("keys of power", server["$defs"]["power"]["properties"], formats.keys(name, "power"))
    expect(server["properties"]["devices"]["maxItems"] == formats.limits["DSM_DEVICES_MAX"],
           "server: devices is not DSM_DEVICES_MAX")


# ---- comments ----


def check_comments(schemas, dsm, plans, source, folder):
    """Every object of an input may have a comment, in the schema and for the program; what is no text is
    none for either."""
    cases = source / "tests" / "cli" / "cases"
    inputs = [source / "workloads" / "gnmt.json", source / "workloads" / "mobilenet_v2.json",
              source / "systems" / "torus64_refined.json",
              source / "sweeps" / "scratchpad_vgg16.json", source / "servers" / "edge_npu.json",
              source / "servers" / "cpu_gpu_fpga.json", source / "templates" / "stages.json", cases / "partition_energy" / "powered.json",
              source / "rl-workloads" / "taxi.json", source / "templates" / "pim-system.json",
              plans[0]]
    for path in inputs:
        document = json.loads(path.read_text())
        name = document["format"]
        for value, is_good in (("text", True), (["two", "lines"], True), ([], True), (1, False),
                               ([1], False), ({}, False), (None, False)):
            changed = copy.deepcopy(document)
            for _, target in list(objects(changed)):
                target["//"] = value
            complaint = schemas.complaint(name, changed)
            expect((complaint is None) == is_good, f"{path.name} with {value!r}: {complaint}")
            commented = folder / "commented.json"
            commented.write_text(json.dumps(changed))
            done = subprocess.run([dsm, "validate", str(commented)], capture_output=True, text=True,
                                  check=False, timeout=120)
            expect((done.returncode == 0 and not done.stderr) if is_good else done.returncode == 3,
                   f"{path.name} with {value!r}: exit code {done.returncode}: {done.stderr[:300]}")
        # One object of each sort: its keys are the same whichever item of a list it is in.
        sorts = {tuple(step for step in where if isinstance(step, str)): where
                 for where, _ in objects(document)}
        for where in sorts.values():
            changed = copy.deepcopy(document)
            target = changed
            for step in where:
                target = target[step]
            target["//"] = 1
            expect(schemas.complaint(name, changed) is not None,
                   f"{path.name}: the schema takes a number for a comment at {where}")


# ---- broken inputs ----


def parse_strictly(data):
    """JSON as the standard has it; None if it is none. Python's own reader takes more."""
    def refuse(word):
        raise ValueError(word)

    try:
        return json.loads(data.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError):
        return None


def change_lines(lines, changes):
    """Lines with "@ FIRST COUNT" and what follows in place of COUNT of them from FIRST on."""
    made, taken = [], 0
    for change in re.split(r"(?m)^@ ", "".join(changes))[1:]:
        place, _, instead = change.partition("\n")
        first, count = map(int, place.split())
        made += lines[taken:first - 1] + [instead]
        taken = first - 1 + count
    return made + lines[taken:]


def decode_input(text):
    """The bytes of an input in which <XX> is a byte, <XX*N> many, <> the lack of a newline."""
    def byte(match):
        value, _, count = match.group(1).partition(b"*")
        return bytes.fromhex(value.decode()) * int(count or 1)
    return re.sub(rb"<([^>]+)>", byte, text.encode().replace(b"<>\n", b""))


def read_cases(path):
    """The inputs of a file of tests/invalid by name; tests/invalid/test_invalid.c says how it is
    written."""
    texts, cases = {}, {}
    for section in re.split(r"(?m)^=== ", path.read_text())[1:]:
        lines = section.splitlines(keepends=True)
        kind, name, *of = lines[0].split()
        body = lines[1:]
        if kind == "text":
            texts[name] = body
            continue
        body = body[:body.index("--- findings\n")]
        cases[name] = decode_input("".join(change_lines(texts[of[1]], body) if of else body))
    return cases


def check_invalid(schemas, source):
    for kind, reasons in BEYOND_SCHEMAS.items():
        cases = read_cases(source / "tests" / "invalid" / f"{kind}.txt")
        expect(cases, f"tests/invalid/{kind}.txt: no cases")
        refused_count = no_json_count = 0
        beyond = []
        for case, text in cases.items():
            document = parse_strictly(text)
            if document is None:
                no_json_count += 1
            elif schemas.complaint(f"dsm-{kind}/1", document) is not None:
                refused_count += 1
            else:
                beyond.append(case)
        for case in beyond:
            expect(any(case.startswith(prefix) for prefix in reasons),
                   f"tests/invalid/{kind}/{case}: valid by the schema, and no reason why")
        for prefix in reasons:
            expect(any(case.startswith(prefix) for case in beyond),
                   f"tests/invalid/{kind}/{prefix}: no such case is valid by the schema")
        print(f"broken {kind}s: {refused_count} refused, {len(beyond)} beyond schemas, "
              f"{no_json_count} no JSON")


def main():
    dsm, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schemas = Schemas(source / "schemas")
    formats = Formats(dsm)
    workload, system = schemas.by_format["dsm-workload/1"], schemas.by_format["dsm-system/1"]
    check_names(source)
    check_bundled(schemas, source)
    check_workload_tables(workload, formats)
    check_expressions(workload)
    check_limits(workload, system, formats.limits)
    check_system_tables(schemas, system, formats)
    check_plan_tables(schemas, schemas.by_format["dsm-plan/1"], formats)
    check_sweep_tables(schemas.by_format["dsm-sweep/1"], formats)
    check_server_tables(schemas, formats)
    check_invalid(schemas, source)
    with tempfile.TemporaryDirectory(prefix="dsm-schemas-") as folder:
        plans = check_plans(schemas, dsm, source, pathlib.Path(folder))
        check_made(schemas, dsm, source, plans)
        check_list(schemas, dsm, source)
        check_description(schemas, dsm, source, plans)
        check_checks(schemas, dsm, plans, pathlib.Path(folder))
        check_comments(schemas, dsm, plans, source, pathlib.Path(folder))
        check_diffs(schemas, dsm, pathlib.Path(folder), plans)
        check_elasticity(schemas, dsm, source, plans[0])
    print(f"{len(failures)} failures" if failures else "the schemas agree with the program")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
