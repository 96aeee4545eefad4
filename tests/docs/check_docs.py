#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the documents say what the code does?

  parameters  the tables of docs/model.md and docs/formats.md against the program's
  keys        every key of a format is in docs/formats.md, in its section
  functions   every equation of the model is in docs/model.md, and no function there is unknown
  limits      the table of docs/formats.md against the program's
  examples    every ```json block is JSON; inputs (with a known "format") validate without a finding
  results     every key and column that the program writes is in docs/formats.md
  numbers     tables after <!-- checked: explore WORKLOAD SYSTEM [OPTION...] --> hold what the program
              says of bundled descriptions
  links       relative links of all *.md, with their anchors, lead somewhere

What the program has of these it says itself: `dsm describe --formats json`.

Usage: check_docs.py DSM_BINARY SOURCE_DIR
"""
import csv
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "schema"))
from formats import Formats  # noqa: E402

TIMEOUT_SECONDS = 120
INPUT_FORMATS = ("dsm-workload/1", "dsm-system/1", "dsm-plan/1")
OTHER_INPUT_FORMATS = ("dsm-server/1", "dsm-profile/1", "dsm-stages/1", "dsm-rl-workload/1", "dsm-pim-system/1",
                       "dsm-technology/1")
NUMBER_TOLERANCE = 1e-8
# Points have what the columns of a database are.
COLUMNS_OF = {"dsm-points/1": "Sweep database"}
# Not ours to check: build trees and what tools leave.
SKIPPED_FOLDERS = {"build", ".git", ".cache", "node_modules"}


# ---- documents ----

def slug(heading):
    """The anchor that a heading gets: as shown, in lower case, without punctuation, - for a space."""
    text = re.sub(r"[`*]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def without_code_blocks(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)


def headings(text):
    return re.findall(r"^#{1,6} +(.+?) *$", without_code_blocks(text), flags=re.M)


def section(text, title):
    """The text below a heading, up to the next one that is not below it. None if there is none."""
    found = re.search(rf"^(#+) {re.escape(title)} *$", text, flags=re.M)
    if not found:
        return None
    rest = text[found.end():]
    end = re.search(rf"^#{{1,{len(found.group(1))}}} ", rest, flags=re.M)
    return rest[:end.start()] if end else rest


def code_spans(text):
    return re.findall(r"`([^`\n]+)`", without_code_blocks(text))


def tokens(text):
    """All code spans, and all identifiers in them: `a.b[]` holds a and b."""
    return {token for span in code_spans(text) for token in (span, *re.findall(r"[A-Za-z_]\w*", span))}


def tables(text):
    """Every table as a list of rows, each a dictionary by column title."""
    rows, titles, result = [], None, []
    for line in text.splitlines() + [""]:
        if not line.startswith("|"):
            if titles is not None:
                result.append(rows)
            rows, titles = [], None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if titles is None:
            titles = cells
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            rows.append(dict(zip(titles, cells)))
    return result


def first_span(cell):
    spans = code_spans(cell)
    return spans[0] if spans else None


# ---- sources ----

def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


class Checker:
    def __init__(self, dsm, source):
        self.dsm = dsm
        self.source = source
        self.complaints = []
        self.model = (source / "docs/model.md").read_text()
        self.formats = (source / "docs/formats.md").read_text()
        self.words = tokens(section(self.formats, "Words") or "")
        self.stated = Formats(dsm)

    def complain(self, where, message):
        self.complaints.append(f"{where}: {message}")

    def read(self, path):
        return without_comments((self.source / path).read_text())

    def format_tokens(self, name):
        """Identifiers in a format's section and among the words."""
        text = section(self.formats, name)
        if text is None:
            self.complain("docs/formats.md", f"no section {name}")
            return set(self.words)
        return tokens(text) | self.words

    # ---- parameters ----

    def parameters(self, kind):
        """{path: (default, range, unit, source)}; default None: required; range None: a flag or a
        word (a word in the ticks of the documents); source None: of a required one."""
        result = {}
        for path, row in self.stated.parameters(kind).items():
            if re.match(r"system\.axes\.[1-9]\.", path):
                continue  # as those of the first axis
            default = row.get("default")
            if row["kind"] == "flag":
                default = str(default).lower()
            elif row["kind"] == "word" and default is not None:
                default = f"`{default}`"
            limits = (row["min"], row["max"]) if "min" in row else None
            result[path] = (default, limits, row["unit"], row.get("source"))
        return result

    def check_origin(self, path, row, unit, source):
        """Unit and source of the default in docs/model.md. Where the page says no more than
        "assumption", the code may give a reason; what the page says of other systems follows
        after a semicolon."""
        where = "docs/model.md"
        if row.get("unit") != unit:
            self.complain(where, f"{path}: expected the unit {unit}, found {row.get('unit')!r}")
        if source is None:
            return
        stated = re.split(r"; (?:refined|P, Fig)", row.get("source", "").replace("`", ""))[0]
        in_page = stated.replace("P, IV", "DeepSpatialMatrix paper, section IV")
        in_code = source.replace("the DeepSpatialMatrix paper, Fig.", "Fig.")
        is_bare = re.fullmatch(r"assumption( \(.*\))?", in_page) is not None
        if in_page != in_code and not (is_bare and in_code.startswith("assumption")):
            self.complain(where, f"{path}: expected the source {in_code!r}, found {stated!r}")

    def check_parameter_row(self, where, path, row, default, limits):
        shown = row.get("default", "")
        if default is None:
            is_right = shown == "required"
        elif isinstance(default, str):
            is_right = shown == default
        else:
            is_right = re.fullmatch(r"[\d.eE+-]+", shown) is not None and float(shown) == default
        if not is_right:
            wanted = "required" if default is None else default
            self.complain(where, f"{path}: expected the default {wanted}, found {shown!r}")
        if limits is not None:
            found = re.fullmatch(r"([\d.eE+-]+) to ([\d.eE+-]+)", row.get("range", ""))
            if not found or (float(found.group(1)), float(found.group(2))) != limits:
                self.complain(where, f"{path}: expected the range {limits[0]:g} to {limits[1]:g}, "
                                     f"found {row.get('range')!r}")

    def check_parameters(self):
        of_model = section(self.model, "2. System parameters")
        for kind in ("system", "workload"):
            self.check_parameter_rows(self.parameters(kind),
                                      (("docs/model.md", of_model),
                                       ("docs/formats.md", section(self.formats, f"dsm-{kind}/1"))))

    def check_parameter_rows(self, parameters, places):
        for where, text in places:
            rows = {}
            for row in (row for table in tables(text or "") for row in table):
                rows.setdefault(first_span(row.get("key", "")), row)  # those of the workload before a layer's
            for path, (default, limits, unit, source) in parameters.items():
                if path not in rows:
                    self.complain(where, f"no row for the parameter {path}")
                    continue
                self.check_parameter_row(where, path, rows[path], default, limits)
                if where == "docs/model.md":
                    self.check_origin(path, rows[path], unit, source)
            is_system = any("." in path for path in parameters)
            for path in rows:
                if is_system and path is not None and "." in path and path not in parameters:
                    self.complain(where, f"a row for {path}, which is no parameter")
            for row in rows.values():
                if any(row.get(title, "x") == "" for title in ("unit", "source", "meaning")):
                    self.complain(where, f"an empty cell in the row of {row.get('key')}")

    # ---- keys ----

    def check_keys(self):
        for name in self.stated.formats:
            known = self.format_tokens(COLUMNS_OF.get(name, name))
            for other in self.stated.formats:  # a document inside of it
                if next(iter(self.stated.records(other)), None) in self.stated.records(name):
                    known |= self.format_tokens(COLUMNS_OF.get(other, other))
            keys = self.stated.all_keys(name, "column" if name in COLUMNS_OF else None)
            for key in sorted(keys - known):
                self.complain("docs/formats.md", f"{name}: nothing on the key or word {key}")

    # ---- functions ----

    def declared_functions(self):
        names = []
        for path in ("include/dsm/model.h", "include/dsm/traffic.h", "include/dsm/mapping.h",
                     "include/dsm/role.h", "src/core/model/equations.h"):
            code = re.sub(r"^\s*#.*$", "", self.read(path), flags=re.M)
            names += [(path, name) for name in re.findall(r"\b(dsm_\w+)\s*\(", code)]
        return names

    def check_functions(self):
        numbers = {found.group(1) for found in
                   (re.match(r"(\d+)\. ", heading) for heading in headings(self.model)) if found}
        for path, name in self.declared_functions():
            is_word = name.endswith("_name") or name.endswith("_parse")
            if not is_word and not re.search(rf"\b{name}\(\)", self.model):
                self.complain("docs/model.md", f"no equation names {name}() of {path}")
        code = "\n".join(path.read_text() for folder in ("include", "src")
                         for path in sorted((self.source / folder).rglob("*.[ch]")))
        known = set(re.findall(r"\bdsm_\w+", code))
        for where, text in (("docs/model.md", self.model), ("docs/formats.md", self.formats)):
            for name in sorted(set(re.findall(r"\bdsm_\w+", text)) - known):
                if not name.endswith("_"):
                    self.complain(where, f"{name} is not in the code")
        for path in sorted((self.source / "src/core/model").glob("*.c")):
            cited = re.findall(r"\bsections? (\d+)", path.read_text())
            for number in sorted(set(cited) - numbers):
                self.complain("docs/model.md", f"{path.name} cites section {number}, which is missing")

    # ---- limits ----

    def check_limits(self):
        rows = {first_span(row.get("constant", "")): row.get("value")
                for table in tables(section(self.formats, "Limits") or "") for row in table}
        for name, value in self.stated.limits.items():
            if rows.get(name) != str(value):
                self.complain("docs/formats.md", f"{name}: expected {value}, found {rows.get(name)}")

    # ---- examples ----

    def run(self, *arguments):
        return subprocess.run([str(self.dsm), *map(str, arguments)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS, check=False)

    def examples(self):
        """(document, line, text) of every ```json block."""
        paths = sorted((self.source / "docs").glob("*.md"))
        paths += [path for path in [self.source / "README.md"] if path.exists()]
        for path in paths:
            text = path.read_text()
            for found in re.finditer(r"^```json\b[^\n]*\n(.*?)^```", text, flags=re.S | re.M):
                line = text.count("\n", 0, found.start()) + 1
                yield path.relative_to(self.source), line, found.group(1)

    def check_examples(self, folder):
        """Returns {format: file} of the examples of docs/formats.md."""
        files = {}
        for number, (document, line, text) in enumerate(self.examples()):
            where = f"{document}:{line}"
            try:
                value = json.loads(text)
            except json.JSONDecodeError as error:
                self.complain(where, f"the example is no JSON: {error}")
                continue
            name = value.get("format") if isinstance(value, dict) else None
            if name not in INPUT_FORMATS + OTHER_INPUT_FORMATS:
                continue
            path = folder / f"example{number}.json"
            path.write_text(text)
            done = self.run("validate", path)
            if done.returncode != 0 or done.stderr:
                found = done.stderr.replace(str(path), where).strip()
                self.complain(where, f"the example does not validate (exit {done.returncode}): {found}")
            elif str(document) == "docs/formats.md":
                files[name] = path
        for name in INPUT_FORMATS + OTHER_INPUT_FORMATS:
            if name not in files:
                self.complain("docs/formats.md", f"no example of {name} that validates")
        return files

    # ---- results ----

    def keys_of(self, value):
        if isinstance(value, dict):
            for key, member in value.items():
                yield key
                if key not in ("workload", "system", "notes"):
                    yield from self.keys_of(member)
        elif isinstance(value, list):
            for item in value:
                yield from self.keys_of(item)

    def has_axis(self, key):
        """Is it a word with the name of an axis?"""
        return any(re.match(pattern, key) for pattern in self.stated.patterns.values())

    def check_result(self, name, known, *arguments):
        """Runs a command and looks up all keys of its JSON and all columns of its CSV."""
        shown = " ".join(["dsm", *(pathlib.Path(a).name if "/" in str(a) else str(a) for a in arguments)])
        done = self.run(*arguments, "--format", "json")
        try:
            value = json.loads(done.stdout)
        except json.JSONDecodeError:
            self.complain(shown, f"no JSON (exit {done.returncode}): {done.stderr.strip()}")
            return
        if value.get("format") not in (name, f"{name}.1"):
            self.complain(shown, f"expected the format {name}, found {value.get('format')}")
        for key in sorted(set(self.keys_of(value)) - known):
            if not self.has_axis(key):
                self.complain("docs/formats.md", f"{name}: nothing on the key {key} ({shown})")
        done = self.run(*arguments, "--format", "csv")
        columns = next(csv.reader(io.StringIO(done.stdout)), [])
        for column in columns:
            if not all(key in known or self.has_axis(key) for key in column.split(".")):
                self.complain("docs/formats.md", f"{name}: nothing on the column {column} ({shown})")

    def bundled(self, workload, system):
        return (self.source / "workloads" / f"{workload}.json", self.source / "systems" / f"{system}.json")

    def check_results(self, files, folder):
        workload, system, plan = (files.get(name) for name in INPUT_FORMATS)
        if None in (workload, system, plan):
            return
        layer = json.loads(workload.read_text())["layers"][-1]["name"]
        bad = folder / "bad.json"
        bad.write_text(workload.read_text().replace('"minibatch"', '"minibach"'))
        inputs = ("explore", workload, system)
        recurrent = ("explore", *self.bundled("gnmt", "torus64"))
        baseline = folder / "baseline.json"
        self.run(*inputs, "-q", "-o", baseline)
        other = folder / "other.json"
        self.run(*inputs, "-q", "-o", other, "--mode", "inference", "--minibatch", "8")
        changed = ("check", baseline, bad, "--tolerance", "0", "--set", "workload.minibatch=8")
        for name, arguments in (
                ("dsm-plan/1", inputs),
                ("dsm-plan/1", (*inputs, "--mode", "inference")),
                ("dsm-plan/1", recurrent),
                ("dsm-plan/1", ("score", plan)),
                ("dsm-explain/1", (*inputs, "--explain", layer)),
                ("dsm-explain/1", (*recurrent, "--explain", "enc1")),
                ("dsm-ladder/1", (*inputs, "--ladder")),
                ("dsm-describe/1", ("describe", workload, system, plan)),
                ("dsm-elasticity/1", ("describe", workload, system, "--elasticity")),
                ("dsm-elasticity/1", (*inputs, "--sensitivity")),
                ("dsm-elasticity/1", ("score", plan, "--sensitivity")),
                ("dsm-list/1", ("list",)),
                ("dsm-describe/1", ("describe", self.source / "templates" / "stages.json")),
                ("dsm-design/1", ("design", "alexnet", "torus64", "--vary", "chip.memory.bandwidth_GBps=128..512/3",
                                  "--budget", "chip.memory.bandwidth_GBps<=300", "--pareto", "chip.memory.bandwidth_GBps")),
                ("dsm-remat/1", ("remat", self.source / "templates" / "stages.json", "--budget", "50%")),
                ("dsm-remat/1", ("remat", self.source / "templates" / "stages.json", "--pareto")),
                ("dsm-pipeline/1", ("remat", self.source / "templates" / "stages.json", "--stages", "2", "--budget", "1GB")),
                ("dsm-pim/1", ("pim", self.source / "rl-workloads" / "taxi.json", self.source / "pim-systems" / "upmem2524.json")),
                ("dsm-storage/1", ("storage", "deepcam", "summit", "--samples-per-second", "65000", "--repeat", "4", "--timeline")),
                ("dsm-storage/1", ("storage", "deepcam", "summit", "--samples-per-second", "65000", "--adaptive", "score",
                                   "--trace", self.source / "examples" / "storage" / "trace.csv", "--max-repeat", "99")),
                ("dsm-serving/1", ("serve", "gpt2", "h100", "--gap", "60%", "--tpot", "9", "--ttft", "99", "--rate", "9", "--prefix-hit", "50%")),
                ("dsm-serving/1", ("serve", "gpt2", "h100", "--gap", "60%", "--chunk", "256", "--simulate", "20", "--speculate", "2,0.5,gpt2")),
                ("dsm-serving/1", ("serve", "gpt2", "dgx_h100", "--chips", "2", "--gap", "60%", "--disaggregate")),
                ("dsm-calibration/1", ("calibrate", self.source / "examples" / "calibrate" / "times.csv", "chip1")),
                ("dsm-check/1", changed),
                ("dsm-diff/1", ("diff", baseline, other)),
                ("dsm-validate/1", ("validate", workload, bad))):
            self.check_result(name, self.format_tokens(name), *arguments)

    # ---- numbers ----

    def value_at(self, plan, path):
        """The number at layers.NAME.passes.PASS.key...; None if there is none. An item of a list is
        called by its name, or its kind."""
        value = plan
        for step in path.split("."):
            if isinstance(value, list):
                value = next((item for item in value if item.get("name", item.get("kind")) == step), None)
            else:
                value = value.get(step) if isinstance(value, dict) else None
        return value if isinstance(value, (int, float)) else None

    def check_numbers(self):
        pattern = r"<!-- checked: explore (\w+) (\w+)((?: +\S+)*?) -->\s*\n((?:\|.*\n)+)"
        found = re.findall(pattern, self.model)
        if len(found) != self.model.count("<!-- checked:"):
            self.complain("docs/model.md", "a mark \"checked\" is not followed by a table")
        for workload, system, options, text in found:
            done = self.run("explore", *self.bundled(workload, system), *options.split(),
                            "--format", "json")
            if done.returncode != 0:
                self.complain("docs/model.md", f"explore {workload} {system}{options}: "
                                               f"{done.stderr.strip()}")
                continue
            plan = json.loads(done.stdout)
            for row in tables(text)[0]:
                path, shown = first_span(row["place in the plan"]), float(row["value"])
                actual = self.value_at(plan, path)
                if actual is None or not math.isclose(actual, shown, rel_tol=NUMBER_TOLERANCE):
                    self.complain("docs/model.md", f"{path}: the page says {shown}, the plan {actual}")

    # ---- lists ----

    def check_lists(self):
        """The page on the library names every header, the index every page."""
        library = self.source / "docs/library.md"
        spans = [span for row in library.read_text().splitlines() if row.startswith("| `")
                 for span in re.findall(r"`(\w+\.h)`", row.split("|")[1])]
        named = set(spans)
        for name in sorted(span for span in named if spans.count(span) > 1):
            self.complain("docs/library.md", f"the table of headers has {name} more than once")
        headers = {path.name for path in (self.source / "include/dsm").glob("*.h")} - {"dsm.h"}
        for name in sorted(named ^ headers):
            self.complain("docs/library.md", f"the table of headers: {name} is not in both it and include/dsm")
        index = (self.source / "docs/README.md").read_text()
        docs = self.source / "docs"
        for page in sorted(docs.rglob("*.md")):
            name = page.relative_to(docs)
            if page.name != "README.md" and f"]({name})" not in index:
                self.complain("docs/README.md", f"the index lacks {name}")

    # ---- the README ----

    def check_readme(self):
        """It is short, and its figures are those of the page on experiments."""
        text = self.read("README.md")
        if text.count("\n") > 150:
            self.complain("README.md", f"expected at most 150 lines, found {text.count(chr(10))}")
        experiments = set(re.findall(r"[0-9.]+x?", self.read("docs/evidence/experiments.md")))
        rows = [row for table in tables(section(text, "How true it is")) for row in table]
        figures = [figure for row in rows for name, cell in row.items() if name.startswith("`")
                   for figure in cell.split(", ")]
        if len(figures) < 10:
            self.complain("README.md", "no table of figures")
        for figure in figures:
            if figure not in experiments:
                self.complain("README.md", f"{figure} is not in docs/evidence/experiments.md")

    # ---- links ----

    def check_links(self):
        for path in sorted(self.source.rglob("*.md")):
            relative = path.relative_to(self.source)
            if any(part in SKIPPED_FOLDERS or part.startswith("build") for part in relative.parts[:-1]):
                continue
            text = re.sub(r"`[^`\n]*`", "``", without_code_blocks(path.read_text()))
            for target in re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", text):
                if re.match(r"[a-z][a-z0-9+.-]*:", target):
                    continue
                file, _, anchor = target.partition("#")
                to = (path.parent / file) if file else path
                if not to.exists():
                    self.complain(relative, f"the link {target} leads nowhere")
                elif anchor and to.suffix == ".md" and anchor not in map(slug, headings(to.read_text())):
                    self.complain(relative, f"the link {target}: no such heading")


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    dsm, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    for path in (dsm, source / "docs/model.md", source / "docs/formats.md"):
        if not path.is_file():
            print(f"{path}: no such file")
            return 1
    checker = Checker(dsm, source)
    checker.check_parameters()
    checker.check_keys()
    checker.check_functions()
    checker.check_limits()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = checker.check_examples(folder)
        checker.check_results(files, folder)
    checker.check_numbers()
    checker.check_lists()
    checker.check_readme()
    checker.check_links()
    print("\n".join(map(str, checker.complaints)) if checker.complaints
          else "the documents agree with the code")
    return 1 if checker.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
