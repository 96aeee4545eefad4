# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads tables of the C sources: names of enumerations, known keys, limits, parameters."""
import re


def strip_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


class Sources:
    """The sources below a folder, by path."""

    def __init__(self, folder):
        self.folder = folder
        self.limits = self.defines("include/dsm/limits.h")

    def text(self, path):
        return strip_comments((self.folder / path).read_text())

    def defines(self, path):
        """Numeric macros without parameters."""
        pairs = re.findall(r"^#define (\w+) +([0-9.eE+-]+)U?\s*$", self.text(path), flags=re.M)
        assert pairs, f"{path}: no macro found"
        return {name: float(value) for name, value in pairs}

    def body(self, path, table):
        """What stands between the braces of `table[...] = {...}`; of names, of the words that have
        them."""
        table = re.sub(r"^(?:dsm__)?(\w+)_names$", r"(?:\1_names|\1_words)", table)
        found = re.search(rf"\b{table}\[\w*\]\s*=\s*\{{(.*?)\}};", self.text(path), flags=re.S)
        assert found, f"{path}: no table {table}"
        return found.group(1)

    def names(self, path, table):
        """The strings of a table of strings, or the keys of one of words, in order."""
        body = self.body(path, table)
        found = re.findall(r'\](?:\.key)? = \{?"([^"]+)"', body) or re.findall(r'"([^"]+)"', body)
        assert found, f"{path}: {table} is empty"
        return found

    def known_keys(self, path, function, table="known"):
        """The strings of a table inside a function."""
        found = re.search(rf"\b{function}\([^;{{]*\)\s*\{{(.*?)^\}}", self.text(path),
                          flags=re.S | re.M)
        assert found, f"{path}: no function {function}"
        body = re.search(rf"\b{table}\[\]\s*=\s*\{{(.*?)\}};", found.group(1), flags=re.S)
        assert body, f"{path}: no table {table} in {function}"
        return re.findall(r'"([^"]+)"', body.group(1))

    def number(self, text, local):
        """A number, perhaps by the name of a macro, or true or false."""
        text = text.strip()
        if text in ("true", "false"):
            return text == "true"
        for macros in (local, self.limits):
            if text in macros:
                return macros[text]
        return float(text)

    def layer_keys(self):
        """Key of a layer -> the types that may have it."""
        rows = re.findall(r'\{\s*"(\w+)"\s*,\s*([\w\s|]+)\}',
                          self.body("src/workload/layer_json.c", "layer_keys"))
        every = {"conv", "fc", "lstm", "matmul"}
        keys = {}
        for name, types in rows:
            words = {word.strip().lower() for word in types.split("|")}
            keys[name] = every if words == {"all_types"} else words
            assert keys[name] <= every, f"layer_keys: unknown types of {name}: {types}"
        return keys

    def parameters(self):
        """Path of a parameter -> its kind, limits, default and whether it is required."""
        path = "src/system/parameters.c"
        local = self.defines(path)
        parameters = {}
        rows = re.findall(r"^ {4}(COUNT|RATE|REAL|COST|FLAG|WORD)\((.*?)\),$",
                          self.body(path, "dsm__parameters"), flags=re.S | re.M)
        for macro, arguments in rows:
            name = re.match(r'\s*"([^"]+)"', arguments).group(1)
            without_texts = re.sub(r',\s*(?:"(?:\\.|[^"\\])*"\s*)+|,\s*NULL\b', "", arguments)
            parts = [part.strip() for part in without_texts.split(",")]
            numbers = [self.number(part, local) for part in parts[2:]] if macro != "WORD" else []
            if macro == "COUNT":
                required, most, fallback = numbers
                row = {"kind": "integer", "required": required, "min": 1, "max": most}
            elif macro == "RATE":
                row = {"kind": "number", "required": True, "min": local["RATE_MIN"],
                       "max": local["RATE_MAX"]}
                fallback = None
            elif macro in ("REAL", "COST"):
                least, most, fallback = numbers
                row = {"kind": "number", "required": False, "min": least, "max": most}
            elif macro == "FLAG":
                fallback = numbers[0]
                row = {"kind": "boolean", "required": False}
            else:
                fallback = parts[4].rsplit("_", 1)[-1].lower()  # the enumerator's own word
                row = {"kind": parts[1], "required": parts[3] == "true"}
            if not row["required"]:
                row["default"] = fallback
            parameters[name] = row
        return parameters
