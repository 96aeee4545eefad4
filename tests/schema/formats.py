# SPDX-License-Identifier: GPL-3.0-or-later
"""What the program says of its formats (`dsm describe --formats json`): words, limits, parameters, records, keys."""
import json
import subprocess


class Formats:
    def __init__(self, dsm):
        done = subprocess.run([str(dsm), "describe", "--formats", "json"], check=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=60)
        self.document = json.loads(done.stdout)
        self.limits = self.document["limits"]
        self.patterns = {each["what"]: each["pattern"] for each in self.document["words"] if "pattern" in each}
        self.word_lists = {each["what"]: [word["key"] for word in each["words"]]
                           for each in self.document["words"]}
        self.formats = {each["name"]: each for each in self.document["formats"]}

    def words(self, what):
        return self.word_lists[what]

    def parameters(self, kind):
        """Those of "system" or "workload", by path."""
        return {row["path"]: row for row in self.document["parameters"][kind]}

    def keys(self, name, of, kind=None):
        """Keys of an object of a format; of one kind only, if that is given."""
        found = next(each for each in self.formats[name]["objects"] if each["name"] == of)
        number = None if kind is None else self.words(found["kinds"]).index(kind)
        return [key["key"] for key in found["keys"] if number is None or number in key.get("kinds", [number])]

    def records(self, name):
        """The records of a format by name, that of its document first."""
        return {record["name"]: record for record in self.formats[name].get("records", ())}

    def fields(self, name, record):
        """The fields of a record of a format, those of its parts in their place."""
        for field in self.records(name)[record]["fields"]:
            if field["kind"] == "part":
                given = {"is_conditional": True} if "is_conditional" in field else {}
                yield from ({**inner, **given} for inner in self.fields(name, field["record"]))
            else:
                yield field

    def field_keys(self, name, record, flag=None):
        return [field["key"] for field in self.fields(name, record) if flag is None or flag in field["flags"]]

    def all_keys(self, name, flag=None):
        """Every key that a document of a format may have, or those of fields with a flag, and the words that are
        keys or values of them."""
        keys = {key["key"] for each in self.formats[name].get("objects", ()) for key in each["keys"]}
        for record in self.records(name).values():
            for field in record["fields"]:
                if "key" in field and (flag is None or flag in field["flags"]):
                    keys |= {field["key"], *self.words(field["words"])} if "words" in field else {field["key"]}
        return keys
