#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what the program's tables say of its formats into the schemas and docs/formats.md.

In schemas/dsm-plan-1.schema.json the properties of each record: which there are, in the order of the table, with
description, words, limits and default of decisions; a property that the table has and the schema has not is made.
What else stands there (references, conditions, limits of what only a schema knows) is written by hand and stays. In
the schemas of checks and differences the decisions that they compare. The schemas of explanations, ladders and
validations are made whole. In docs/formats.md the tables below comments
such as <!-- record: dsm-plan/1 result --> and <!-- columns: dsm-points/1 point -->.

Usage: renew_formats.py DSM SOURCE_DIR [--check]
With --check nothing is written: exit code 1, and what differs is named.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "schema"))
from formats import Formats  # noqa: E402

PLAN = "dsm-plan/1"
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


def made_property(formats, field):
    """A property of a field that the schema does not have yet."""
    kind, words = field["kind"], formats.words(field["words"]) if "words" in field else []
    if kind == "count":
        made = {"type": "integer", "minimum": field.get("min", 0),
                "maximum": field.get("max", formats.limits["DSM_PRODUCT_MAX"])}
    elif kind == "real":
        made = {"type": "number", "minimum": field["min"], **({"maximum": field["max"]} if "max" in field else {})}
    elif kind in ("word", "words"):
        made = {"enum": words} if kind == "word" else {"type": "array", "uniqueItems": True, "items": {"enum": words}}
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
    if field["kind"] == "word":
        meant["enum"] = formats.words(field["words"])
    elif field["kind"] == "words":
        resolve(root, meant["items"])["enum"] = formats.words(field["words"])
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
            value["decision"]["enum"] = [*of_pass, "later_core_split",
                                         *formats.field_keys(PLAN, "decisions", "decision")]
        for inner in value.values():
            renew_decisions(formats, inner)
    elif isinstance(value, list):
        for inner in value:
            renew_decisions(formats, inner)


# Formats whose schema stands in tables alone.
MADE = ("explain", "ladder", "validate")
NUMBERS = {"count": "integer", "real": "number"}


def made_value(formats, field):
    """What a field of a result may be."""
    kind, inner = field["kind"], {"$ref": f"#/$defs/{field.get('record')}"}
    words = formats.words(field["words"]) if "words" in field else []
    made = {"record": inner, "list": {"type": "array", "items": inner}, "word": {"enum": words},
            "words": {"type": "array", "uniqueItems": True, "items": {"enum": words}},
            "counts": {"type": "object", "additionalProperties": False, "required": words,
                       "properties": {word: {"type": "integer", "minimum": 0} for word in words}},
            "reals": {"type": "object", "additionalProperties": False,
                      "properties": {word: {"type": "number"} for word in words}},
            "members": {"type": "object", "additionalProperties": False, "properties": {word: inner for word in words}},
            "text": {"type": "string"}, "flag": {"type": "boolean"}, "json": {},
            "text_list": {"type": "array", "items": {"type": "string"}},
            "count_list": {"type": "array", "items": {"type": "integer"}},
            "value": {"type": ["number", "string", "boolean"]}}.get(kind)
    if made is None:
        made = {"type": NUMBERS[kind]}
        made.update({"minimum": field["min"]} if kind == "count" else {})
    if "nullable" in field["flags"]:
        made = {"anyOf": [made, {"type": "null"}]}
    return {**made, "description": field["help"]}


def is_always_there(field):
    return not field.get("is_conditional") and "optional" not in field["flags"]


def made_object(formats, name, record):
    fields = list(formats.fields(name, record))
    return {"description": formats.records(name)[record]["help"], "type": "object", "additionalProperties": False,
            "required": [field["key"] for field in fields if is_always_there(field)],
            "properties": {field["key"]: made_value(formats, field) for field in fields}}


def made_schema(formats, name):
    records = list(formats.records(name))
    parts = {field.get("record") for record in formats.records(name).values() for field in record["fields"]
             if field["kind"] == "part"}
    root = made_object(formats, name, records[0])
    root["required"].insert(0, "format")
    root["properties"] = {"format": {"const": name, "description": "Name and version of this format."},
                          **root["properties"]}
    kind = name[len("dsm-"):-len("/1")]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"dsm-{kind}-1.schema.json",
            "title": f"dsm {kind}, format {name}", **root,
            "$defs": {record: made_object(formats, name, record) for record in records[1:] if record not in parts}}


# ---- docs ----

def meaning(text):
    """A text for a cell: without the last full stop, begun in lower case, with keys as code."""
    if re.match(r"[A-Z][a-z]*\b", text):
        text = text[0].lower() + text[1:]
    text = text[:-1] if text.endswith(".") else text
    return re.sub(r"\b[a-z]+(?:[_.][a-z]+)+\b", lambda found: f"`{found.group(0)}`", text).replace("|", "\\|")


def type_of(field):
    kind = field["kind"]
    text = {"real": "number", "counts": "loops", "reals": "object", "record": "object",
            "members": "object", "words": "list of words", "text_list": "list of texts",
            "count_list": "list of counts", "json": "object"}.get(kind, kind)
    text += " or null" if "nullable" in field["flags"] else ""
    text += f", 0 to {field['max']:g}" if kind == "real" and "decision" in field["flags"] and "max" in field else ""
    return text + (f", {field['unit']}" if "unit" in field and field["unit"] != "ratio" else "")


def rows_of(formats, name, record, prefix=""):
    for field in formats.fields(name, record):
        key = prefix + field["key"]
        inner = formats.records(name).get(field.get("record"))
        mark = "D" if "decision" in field["flags"] else "read" if "required" in field["flags"] and name == PLAN \
            and "figure" not in field["flags"] else ""
        default = json.dumps(field["default"]) if "default" in field else ""
        yield f"| `{key}` | {type_of(field)} | {mark} | {default} | {meaning(field['help'])} |"
        if inner and field["kind"] == "record":
            yield from rows_of(formats, name, field["record"], key + ".")


def table_of(formats, name, record):
    return "\n".join(["| key | type | | default | meaning |", "|---|---|---|---|---|",
                      *rows_of(formats, name, record)]) + "\n"


def columns_of(formats, name, record):
    rows = (f"| `{field.get('column', field['key'])}` | {field.get('unit', '')} | {meaning(field['help'])} |"
            for field in formats.fields(name, record) if "column" in field["flags"])
    return "\n".join(["| column | unit | meaning |", "|---|---|---|", *rows]) + "\n"


def renew_docs(formats, text):
    text = re.sub(r"(<!-- columns: (\S+) (\w+) -->\n\n)(?:\|.*\n)+",
                  lambda found: found.group(1) + columns_of(formats, found.group(2), found.group(3)), text)
    return re.sub(r"(<!-- record: (\S+) (\w+) -->\n\n)(?:\|.*\n)+",
                  lambda found: found.group(1) + table_of(formats, found.group(2), found.group(3)), text)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    formats, source, is_check = Formats(sys.argv[1]), pathlib.Path(sys.argv[2]), "--check" in sys.argv
    made = {}
    for name, renew in (("plan", renew_plan), ("check", renew_decisions), ("diff", renew_decisions)):
        path = source / "schemas" / f"dsm-{name}-1.schema.json"
        schema = json.loads(path.read_text())
        renew(formats, schema)
        made[path] = render(schema) + "\n"
    for name in MADE:
        made[source / "schemas" / f"dsm-{name}-1.schema.json"] = render(made_schema(formats, f"dsm-{name}/1")) + "\n"
    path = source / "docs" / "formats.md"
    made[path] = renew_docs(formats, path.read_text())
    different = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    for path in different:
        if is_check:
            print(f"{path.relative_to(source)}: not what the program's tables say; build the target formats")
        else:
            path.write_text(made[path])
    return 1 if is_check and different else 0


if __name__ == "__main__":
    sys.exit(main())
