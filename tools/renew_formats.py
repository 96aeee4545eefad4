#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what the program's tables say of its formats into the schemas and docs/formats.md.

In schemas/dsm-plan-1.schema.json the properties of each record: which there are, in the order of the table, with
description, words, limits and default of decisions; a property that the table has and the schema has not is made.
What else stands there (references, conditions, limits of what only a schema knows) is written by hand and stays. The
schemas of results are made; what stands beside what is made (conditions, limits of texts and lists) is written by hand
and stays. In docs/formats.md the tables below comments such as <!-- record: dsm-plan/1 result -->,
<!-- columns: dsm-points/1 point --> and <!-- words -->. In tests/fuzz/dsm.dict the keys and words of formats that are
read, beside what is written there by hand.

Usage: renew_formats.py DSM SOURCE_DIR [--check]
With --check nothing is written: exit code 1, and what differs is named.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "schema"))
from formats import Formats  # noqa: E402

PLAN, POINTS, TECHNOLOGY = "dsm-plan/1", "dsm-points/1", "dsm-technology/1"
RESULTS = [f"dsm-{kind}/1" for kind in ("budget", "calibration", "check", "deployment", "describe", "diff", "dispatch", "elasticity", "explain", "front", "ladder", "list",
                                        "partition", "pim", "pim-system", "pipeline", "points", "profile", "remat", "rl-workload", "serving", "stages", "storage",
                                        "validate")]
# Those of them that people write too.
INPUTS = ("dsm-stages/1", "dsm-profile/1", "dsm-rl-workload/1", "dsm-pim-system/1")
# Those that compare decisions.
DRIFTS = ("dsm-check/1", "dsm-diff/1")
# Those that dsm reads.
READ = ("dsm-workload/1", "dsm-system/1", PLAN, "dsm-sweep/1", "dsm-server/1", "dsm-profile/1", "dsm-stages/1",
        "dsm-rl-workload/1", "dsm-pim-system/1", "dsm-pim/1", TECHNOLOGY)
WIDTH = 110


# ---- schemas ----

def render(value, indent=0, column=0):
    """JSON with short objects and lists on a line."""
    line = json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        line = "{ " + ", ".join(f"{json.dumps(key)}: {render(inner, 0, -9999)}" for key, inner in value.items()) + " }"
        is_flat = not any(isinstance(inner, (dict, list)) for inner in value.values())
    else:
        is_flat = not isinstance(value, list) or column < 0
        if isinstance(value, list) and column < 0:
            line = "[" + ", ".join(render(inner, 0, -9999) for inner in value) + "]"
    if value in ({}, []) or is_flat or column + len(line) <= WIDTH:
        return line
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: " + render(inner, indent + 2, indent + 6 + len(key))
                 for key, inner in value.items()]
        return "{\n" + ",\n".join(pad + part for part in parts) + "\n" + " " * indent + "}"
    if all(isinstance(inner, str) for inner in value):
        rows = [""]
        for inner in value:
            word = json.dumps(inner)
            if len(rows[-1]) + len(word) > WIDTH - len(pad):
                rows.append("")
            rows[-1] += (" " if rows[-1] else "") + word + ","
        return "[\n" + "\n".join(pad + row for row in rows)[:-1] + "\n" + " " * indent + "]"
    return "[\n" + ",\n".join(pad + render(inner, indent + 2, indent + 2) for inner in value) + "\n" + " " * indent + "]"


def resolve(root, schema):
    while "$ref" in schema and schema["$ref"].startswith("#/$defs/"):
        schema = root["$defs"][schema["$ref"].split("/")[-1]]
    return schema


def description_of(field):
    text = field["help"]
    if "decision" in field["flags"]:
        is_word = text[:2] != text[:2].upper()
        text = "Decision: " + (text[0].lower() + text[1:] if is_word else text)
    return text


def one_of(formats, name):
    """A word of a list, or one with names of axes that systems may have in its place."""
    words = {"enum": formats.words(name)}
    pattern = formats.patterns.get(name)
    return {"anyOf": [words, {"type": "string", "pattern": pattern}]} if pattern else words


def made_property(formats, field):
    """A property of a field that the schema does not have yet."""
    kind, words = field["kind"], formats.words(field["words"]) if "words" in field else []
    if kind == "count":
        made = {"type": "integer", "minimum": field.get("min", 0),
                "maximum": field.get("max", formats.limits["DSM_PRODUCT_MAX"])}
    elif kind == "real":
        made = {"type": "number", "minimum": field["min"], **({"maximum": field["max"]} if "max" in field else {})}
    elif kind in ("word", "words"):
        one = one_of(formats, field["words"])
        made = one if kind == "word" else {"type": "array", "uniqueItems": True, "items": one}
    elif kind == "counts":
        made = {"$ref": "#/$defs/loops"}
    elif kind in ("text", "flag"):
        made = {"type": "string" if kind == "text" else "boolean"}
        made.update({"minLength": 1, "maxLength": field["max"]} if "max" in field else {})
        if "nullable" in field["flags"]:
            made["type"] = ["string", "null"]
    else:
        raise SystemExit(f"{field['key']}: a property of kind {kind} is to be written by hand once")
    return made


def renew_property(formats, root, stated, field):
    meant = resolve(root, stated)
    if field["kind"] in ("word", "words"):
        words = meant if field["kind"] == "word" else resolve(root, meant["items"])
        one = one_of(formats, field["words"])
        for key in {"enum", "anyOf"} - one.keys():
            words.pop(key, None)
        words.update(one)
    if "decision" in field["flags"] and "$ref" not in stated:
        for key, limit in (("minimum", "min"), ("maximum", "max")):
            if field["kind"] in ("count", "real") and limit in field:
                stated[key] = field[limit]
        if "default" in field:
            stated["default"] = field["default"]
    stated["description"] = description_of(field)


def renew_plan(formats, root):
    records, todo, seen = formats.records(PLAN), [("plan", root)], set()
    while todo:
        name, place = todo.pop()
        place = resolve(root, place)
        if name in seen:
            continue
        seen.add(name)
        before = place["properties"]
        place["properties"] = {key: value for key, value in before.items() if key == "$schema"}
        for field in formats.fields(PLAN, name):
            stated = before.get(field["key"]) or made_property(formats, field)
            renew_property(formats, root, stated, field)
            place["properties"][field["key"]] = stated
            if "record" in field:
                inner = resolve(root, stated)
                inner = inner["items"] if field["kind"] == "list" else inner
                inner = inner["properties"]["forward"] if field["kind"] == "members" else inner
                todo.append((field["record"], inner))
    assert seen >= records.keys() - {"decisions", "pass_decisions", "search_limits"}


def renew_decisions(formats, value):
    """Sets the lists of the decisions that are compared, wherever they are."""
    if isinstance(value, dict):
        if "enum" in value.get("decision", ()):
            of_pass = formats.field_keys(PLAN, "pass_decisions", "decision")
            of_step = formats.field_keys(PLAN, "plan", "decision")
            value["decision"]["enum"] = [*of_step, *of_pass, "later_core_split",
                                         *formats.field_keys(PLAN, "decisions", "decision"),
                                         *formats.field_keys("dsm-pim/1", "pim_choice", "decision")]
        for inner in value.values():
            renew_decisions(formats, inner)
    elif isinstance(value, list):
        for inner in value:
            renew_decisions(formats, inner)


def document_of(formats, name, record):
    """The format, other than this one, whose document a record is; None if there is none."""
    return next((other for other in formats.formats if other != name and formats.records(other)
                 and next(iter(formats.records(other).values())) == formats.records(name)[record]), None)


def file_of(name):
    return name.replace("/", "-") + ".schema.json"


def made_number(field):
    if "or_0" in field["flags"]:
        return {"type": "number", "anyOf": [{"const": 0}, {"minimum": field["min"]}], "maximum": field["max"]}
    least = "exclusiveMinimum" if "above_min" in field["flags"] else "minimum"
    return {"type": "integer" if field["kind"] == "count" else "number",
            **{key: field[limit] for key, limit in ((least, "min"), ("maximum", "max")) if limit in field}}


def made_value(formats, name, field):
    """What a field of a result may be. Of values of any type, and JSON, the type is written by hand."""
    kind, words = field["kind"], formats.words(field["words"]) if "words" in field else []
    other = document_of(formats, name, field["record"]) if "record" in field else None
    inner = {"$ref": file_of(other) if other else f"#/$defs/{field.get('record')}"}
    if kind in ("count", "real"):
        return made_number(field)
    of_words = {"type": "object", "additionalProperties": False}
    one, pattern = (one_of(formats, field["words"]), formats.patterns.get(field["words"])) if words else ({}, None)
    return {"record": inner, "list": {"type": "array", "items": inner}, "word": one, "words": {"type": "array", "uniqueItems": True, "items": one},
            "counts": {**of_words, "required": words,
                       "properties": {word: {"type": "integer", "minimum": 0} for word in words}},
            "reals": {**of_words, "properties": {word: {"type": "number"} for word in words},
                      **({"patternProperties": {pattern: {"type": "number"}}} if pattern else {})},
            "members": {**of_words, **({} if field.get("is_conditional") else {"required": words}),
                        "properties": {word: inner for word in words}},
            "text": {"type": "string"}, "flag": {"type": "boolean"}, "json": {}, "value": {},
            "text_list": {"type": "array", "items": {"type": "string"}},
            "count_list": {"type": "array", "items": {"type": "integer"}}}[kind]


def or_null(made):
    """The same, or null."""
    if "enum" in made:
        return {**made, "enum": [*made["enum"], None]}
    if "anyOf" in made:
        return {**made, "anyOf": [*made["anyOf"], {"type": "null"}]}
    return {**made, "type": [made["type"], "null"]}


def made_property_of(formats, name, field):
    made = made_value(formats, name, field)
    return {**(or_null(made) if "nullable" in field["flags"] else made), "description": field["help"]}


def is_always_there(field):
    """Of members the condition is one of each."""
    return "optional" not in field["flags"] and (not field.get("is_conditional") or field["kind"] == "members")


def made_object(formats, name, record):
    fields = list(formats.fields(name, record))
    return {"description": formats.records(name)[record]["help"], "type": "object", "additionalProperties": False,
            "required": [field["key"] for field in fields if is_always_there(field)],
            "properties": {field["key"]: made_property_of(formats, name, field) for field in fields}}


def made_row(formats, name, record):
    """A row of points: all but its status may be null; the columns of inputs and axes stand behind the reason."""
    properties = {}
    some = [field["key"] for field in formats.fields(name, record) if field.get("is_conditional")]
    for field in formats.fields(name, record):
        if "column" in field["flags"] and field["key"] != "plan":
            made = {"type": "string"} if field["kind"] == "words" else made_value(formats, name, field)
            properties[field["key"]] = {**(made if field["key"] == "status" else or_null(made)),
                                        "description": field["help"]}
        if field["key"] == "reason":
            properties.update({key: {"type": "string", "description": "Name of the input."}
                               for key in ("workload", "system")})
    return {"description": formats.records(name)[record]["help"], "type": "object",
            "required": [key for key in properties if key not in some], "properties": properties}


def made_objects(formats, name):
    """The objects inside a document, by the names of their records: no parts, and nothing of other documents."""
    document, *records = formats.records(name)
    found, todo = {}, [document]
    while todo:
        record = todo.pop()
        is_row = (name, record) == (POINTS, "point")
        found[record] = (made_row if is_row else made_object)(formats, name, record)
        todo += [] if is_row else [field["record"] for field in formats.fields(name, record)
                                   if "record" in field and field["record"] not in found
                                   and not document_of(formats, name, field["record"])]
    return {record: found[record] for record in (document, *records) if record in found}


def made_schema(formats, name):
    objects = made_objects(formats, name)
    root = objects.pop(next(iter(objects)))
    root["required"].insert(0, "format")
    root["properties"] = {"format": {"const": name, "description": "Name and version of this format."},
                          **root["properties"]}
    kind = name[len("dsm-"):-len("/1")]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": file_of(name),
            "title": f"dsm {kind}, format {name}", **root, "$defs": objects}


COMMENT = {"description": "For people; dsm does not read it.", "type": ["string", "array"], "items": {"type": "string"}}


def made_input_property(made, field):
    """What readers take: a text with something in it, no empty lists; and what they take where nothing is."""
    limits = {}
    if "tall" in field["flags"]:
        limits = {"maxLength": field["max"]}
    elif field["kind"] == "text_list":
        limits = {"items": {"type": "string", "minLength": 1, "maxLength": field["max"]}}
    elif field["kind"] == "text":
        limits = {"minLength": 1, "maxLength": field["max"], "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"}
    elif field["kind"] == "list" and "read" in field["flags"]:
        limits = {"minItems": 1}
    return {**made, **limits, **({"default": field["default"]} if "default" in field else {})}


def made_input(formats, name, schema):
    """The schema of a format that people write: comments, and what its readers ask for."""
    document = next(iter(formats.records(name)))
    objects = {document: schema, **schema["$defs"]}
    for record, made in objects.items():
        fields = {field["key"]: field for field in formats.fields(name, record)}
        made["properties"] = {key: made_input_property(value, fields[key]) if key in fields else value
                              for key, value in made["properties"].items()}
        made["patternProperties"] = {"^//$": {"$ref": "#/$defs/comment"}}
    schema["properties"] = {"$schema": {"type": "string", "description": "The schema of the file, for editors; dsm does not read it."},
                            **schema["properties"]}
    schema["$defs"]["comment"] = COMMENT
    return schema


def with_hand_written(made, before):
    """What is made, and what stands beside it that no table says: conditions, limits of texts and lists."""
    merged = {key: {inner: with_hand_written(value, before.get(key, {}).get(inner, {}))
                    for inner, value in values.items()} if key in ("properties", "$defs") else values
              for key, values in made.items()}
    return {**merged, **{key: value for key, value in before.items() if key not in made}}


# ---- parameters of systems that say what they mean ----

def made_parameter(formats, row):
    made = {"count": {"type": "integer"}, "real": {"type": "number"}, "flag": {"type": "boolean"},
            "word": {"enum": formats.words(row["words"]) if row["kind"] == "word" else []}}[row["kind"]]
    limits = {} if row["kind"] in ("flag", "word") else {"minimum": row["min"], "maximum": row["max"]}
    return {**made, **limits, **({} if row["required"] else {"default": row["default"]}), "description": row["help"]}


def renew_system(formats, schema):
    """The properties of parameters that have a help text, and the paths that notes may have."""
    paths = formats.parameters("system")
    for path, row in paths.items():
        *tiers, key = path.split(".")
        at = schema
        for tier in tiers:
            at = at["items"] if tier.isdigit() else at["properties"][tier]
        if "help" in row:
            at["properties"][key] = made_parameter(formats, row)
            before = [other.split(".")[-1] for other in paths if other.split(".")[:-1] == tiers]
            at["properties"] = dict(sorted(at["properties"].items(), key=lambda item: (
                item[0] in before, before.index(item[0]) if item[0] in before else 0)))
    schema["properties"]["notes"]["propertyNames"]["enum"] = ["//", *paths]
    of_technology = [path.removeprefix("technology.") for path in paths if path.startswith("technology.")]
    schema["properties"]["technology"]["properties"]["notes"]["propertyNames"]["enum"] = ["//", *of_technology]


def made_technology(system):
    """The schema of a technology by itself, which is what a system may state of one."""
    inner = system["properties"]["technology"]
    return {"$schema": system["$schema"], "$id": file_of(TECHNOLOGY), "title": f"dsm technology, format {TECHNOLOGY}",
            "description": "What a chip is made of: energy, area, prices, carbon, failures (docs/budget.md). "
                           "0 is not stated where nothing else is said.",
            "type": "object", "patternProperties": inner["patternProperties"], "additionalProperties": False,
            "required": ["format", "name"],
            "properties": {"$schema": system["properties"]["$schema"], **inner["properties"]},
            "$defs": {name: system["$defs"][name] for name in ("comment", "text")}}


def short(value):
    """A value of JSON as people write it: 1e9, 2147483647, true, int32."""
    if isinstance(value, bool) or isinstance(value, str):
        return str(value).lower()
    return plain(value, "count" if isinstance(value, int) and value % 10 else "real")


def is_of_later_axis(path):
    """All axes have the same keys: those of the first stand for them."""
    return re.match(r"system\.axes\.[1-9]\.", path) is not None


def plain(number, kind):
    """A number as people write it: a count with all its digits, others as 1e-9 and 1e12."""
    return f"{number}" if kind == "count" else re.sub(r"e([-+]?)0*", lambda e: f"e{e[1].strip('+')}", f"{number:g}")


def parameters_of(formats, with_source):
    """The table of those parameters: for docs/formats.md, or with units and sources for docs/model.md."""
    kinds = {"real": "number"}
    for path, row in formats.parameters("system").items():
        if "help" in row and not is_of_later_axis(path):
            limits = f"{plain(row['min'], row['kind'])} to {plain(row['max'], row['kind'])}" if "min" in row else \
                "true, false" if row["kind"] == "flag" else ", ".join(f"`{word}`" for word in formats.words(row["words"]))
            default = "required" if row["required"] else str(row["default"]).lower() if row["kind"] == "flag" \
                else f"`{row['default']}`" if row["kind"] == "word" else f"{row['default']:g}"
            kind = kinds.get(row["kind"], row["kind"])
            kind += f", {row['unit']}" if row["kind"] in ("real", "count") and not with_source else ""
            cells = [row["unit"], default, limits, row.get("source", "given")] if with_source else [kind, limits, default]
            yield f"| `{path}` | " + " | ".join(cells) + f" | {meaning(row['help'])} |"


def table_of_parameters(formats, with_source):
    head = "| key | unit | default | range | source | meaning |" if with_source \
        else "| key | type | range | default | meaning |"
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *parameters_of(formats, with_source)]) + "\n"


# ---- docs ----

def meaning(text):
    """A text for a cell: without the last full stop, begun in lower case, with keys as code."""
    if re.match(r"[A-Z][a-z]*\b", text):
        text = text[0].lower() + text[1:]
    text = text[:-1] if text.endswith(".") else text
    return re.sub(r"\b[a-z]+(?:[_.][a-z]+)+\b", lambda found: f"`{found.group(0)}`", text).replace("|", "\\|")


# Words of a result that a cell can hold; longer lists stand in their own section.
WORDS_IN_CELL = 6


def type_of(formats, name, field):
    kind = field["kind"]
    text = {"real": "number", "counts": "loops", "reals": "object", "record": "object",
            "members": "object", "words": "list of words", "text_list": "list of texts",
            "count_list": "list of counts", "json": "JSON"}.get(kind, kind)
    text += " or null" if "nullable" in field["flags"] else ""
    after = ""
    if name != PLAN:
        words = formats.words(field["words"]) if kind in ("word", "words") else ()
        is_given = name in INPUTS and field.get("default") is not None
        text += "" if is_always_there(field) or is_given else " or absent"
        if name in INPUTS and kind in ("count", "real") and "max" in field:
            text += f", {'0, or ' if 'or_0' in field['flags'] else ''}{short(field['min'])} to {short(field['max'])}"
        after = f"; default `{short(field['default'])}`" if is_given else ""
        text += ": " + ", ".join(f"`{word}`" for word in words) if 0 < len(words) <= WORDS_IN_CELL else ""
    text += f", 0 to {field['max']:g}" if kind == "real" and "decision" in field["flags"] and "max" in field else ""
    return text + (f", {field['unit']}" if "unit" in field and field["unit"] != "ratio" else "") + after


def is_told_inside(formats, name, field):
    """Do the fields of a field's record stand among those of the table? Of results only where nothing else has it."""
    if field["kind"] != "record" or name != PLAN and document_of(formats, name, field["record"]):
        return False
    fields = [each for record in formats.records(name).values() for each in record["fields"]]
    return name == PLAN or sum(each.get("record") == field["record"] for each in fields) == 1


def rows_of(formats, name, record, prefix=""):
    once = {field["key"]: field for field in formats.fields(name, record)}
    for field in once.values():
        key = prefix + field["key"]
        cells = [f"`{key}`", type_of(formats, name, field), meaning(field["help"])]
        if name == PLAN:
            is_read = "required" in field["flags"] and "figure" not in field["flags"]
            cells[2:2] = ["D" if "decision" in field["flags"] else "read" if is_read else "",
                          json.dumps(field["default"]) if "default" in field else ""]
        yield "| " + " | ".join(cells) + " |"
        if is_told_inside(formats, name, field):
            yield from rows_of(formats, name, field["record"], key + ".")


def table_of(formats, name, record):
    head = ["| key | type | | default | meaning |", "|---|---|---|---|---|"] if name == PLAN \
        else ["| key | type | meaning |", "|---|---|---|"]
    return "\n".join([*head, *rows_of(formats, name, record)]) + "\n"


def columns_of(formats, name, record):
    rows = (f"| `{field.get('column', field['key'])}` | {field.get('unit', '')} | {meaning(field['help'])} |"
            for field in formats.fields(name, record) if "column" in field["flags"])
    return "\n".join(["| column | unit | meaning |", "|---|---|---|", *rows]) + "\n"


def words_of(formats):
    rows = (f"| {what} | " + ", ".join(f"`{word}`" for word in words)
            + ("; with the names of axes" if what in formats.patterns else "") + " |"
            for what, words in formats.word_lists.items())
    return "\n".join(["| kind of word | words |", "|---|---|", *rows]) + "\n"


def renew_docs(formats, text):
    text = re.sub(r"(<!-- words -->\n\n)(?:\|.*\n)+", lambda found: found.group(1) + words_of(formats), text)
    text = re.sub(r"(<!-- parameters( with sources)? -->\n\n)(?:\|.*\n)+",
                  lambda found: found.group(1) + table_of_parameters(formats, found.group(2) is not None), text)
    text = re.sub(r"(<!-- columns: (\S+) (\w+) -->\n\n)(?:\|.*\n)+",
                  lambda found: found.group(1) + columns_of(formats, found.group(2), found.group(3)), text)
    return re.sub(r"(<!-- record: (\S+) (\w+) -->\n\n)(?:\|.*\n)+",
                  lambda found: found.group(1) + table_of(formats, found.group(2), found.group(3)), text)


# ---- tests/fuzz/dsm.dict ----

def renew_dictionary(formats, text):
    """The words of the dictionary, with those of all formats that dsm reads besides; in order."""
    lines = text.splitlines()
    head = [line for line in lines if line.startswith("#")]
    words = {line for line in lines if line and not line.startswith("#")}
    for name in READ:
        for word in (name, *formats.all_keys(name)):
            if "*" not in word and len(word) < 64:
                words.add(json.dumps(json.dumps(word)))
    return "\n".join([*head, *sorted(words)]) + "\n"


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    formats, source, is_check = Formats(sys.argv[1]), pathlib.Path(sys.argv[2]), "--check" in sys.argv
    made = {}
    for name in (PLAN, *RESULTS):
        path = source / "schemas" / file_of(name)
        before = json.loads(path.read_text()) if path.exists() else {}
        if name == PLAN:
            schema = before
            renew_plan(formats, schema)
        else:
            schema = made_schema(formats, name)
            schema = with_hand_written(made_input(formats, name, schema) if name in INPUTS else schema, before)
            renew_decisions(formats, schema if name in DRIFTS else {})
        made[path] = render(schema) + "\n"
    path = source / "schemas" / file_of("dsm-system/1")
    schema = json.loads(path.read_text())
    renew_system(formats, schema)
    made[path] = render(schema) + "\n"
    made[source / "schemas" / file_of(TECHNOLOGY)] = render(made_technology(schema)) + "\n"
    for name in ("formats", "model"):
        path = source / "docs" / f"{name}.md"
        made[path] = renew_docs(formats, path.read_text())
    path = source / "tests" / "fuzz" / "dsm.dict"
    made[path] = renew_dictionary(formats, path.read_text())
    different = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    for path in different:
        if is_check:
            print(f"{path.relative_to(source)}: not what the program's tables say; build the target formats")
        else:
            path.write_text(made[path])
    return 1 if is_check and different else 0


if __name__ == "__main__":
    sys.exit(main())
