#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm report`: is its page valid, complete and true, and does it work in a browser?

Usage: test_plan_page.py DSM_BINARY [unittest's own arguments]
"""
import base64
import hashlib
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, find_chromium

DSM = None
FOLDER = None
# Elements without content.
VOID = {"meta", "link", "br", "hr", "img", "input"}
# What WCAG 2.1, 1.4.3 asks for.
CONTRAST_MIN = 4.5
# Names that could break a page, a tooltip, or a shell.
NASTY = ["<b>bold</b>", "a & b \"quoted\" 'single'", "größe ✓", "</script><script>alert(1)</script>"]


def run(*arguments, code=0):
    done = subprocess.run([DSM, *map(str, arguments)], cwd=FOLDER, capture_output=True, text=True,
                          check=False)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: exit {done.returncode}\n{done.stderr}")
    return done


def make(name, *arguments, options=("--unfold",)):
    """A plan and its page, NAME.json and NAME.html."""
    run("explore", *arguments, "-q", "-o", f"{name}.json")
    run("report", f"{name}.json", *options, "-o", f"{name}.html")
    return Made(name)


class Made:
    def __init__(self, name):
        self.path = FOLDER / f"{name}.html"
        self.plan = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        self.text = self.path.read_text(encoding="utf-8")
        self.page = Page(self.text)


class Page(html.parser.HTMLParser):
    """Checks that elements are balanced, and collects what is looked at."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.problems = []
        self.open = []
        self.elements = []  # (tag, attributes)
        self.rows = {}      # by id of the table: lists of cells, (attributes, text)
        self.table = None
        self.cell = None
        self.pieces = {}
        self.feed(text)
        self.close()
        self.contents = {name: "".join(pieces) for name, pieces in self.pieces.items()}  # by id
        self.problems += [f"<{tag}> is not closed" for tag, _ in self.open]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if len(attributes) != len(attrs):
            self.problems.append(f"<{tag}> has an attribute twice")
        self.elements.append((tag, attributes))
        if tag in VOID:
            return
        self.open.append((tag, attributes.get("id")))
        if tag == "table":
            self.table = self.rows.setdefault(attributes.get("id"), [])
        elif tag == "tr":
            self.table.append([])
        elif tag in ("td", "th"):
            self.cell = [attributes, ""]
            self.table[-1].append(self.cell)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.problems.append(f"</{tag}> at {self.getpos()} closes {self.open[-1:]}")
            return
        self.open.pop()
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell[1] += data
        for _, name in self.open:
            if name is not None:
                self.pieces.setdefault(name, []).append(data)

    def exact(self, name):
        """The exact number of an element."""
        return next(float(attributes["data-v"]) for _, attributes in self.elements
                    if attributes.get("id") == name)

    def records(self, table):
        """The rows of a table by the keys, or titles, of its columns: (attributes, text)."""
        head, *rows = self.rows[table]
        keys = [cell[0].get("data-key", cell[1]) for cell in head]
        return [dict(zip(keys, row)) for row in rows]


def setUpModule():
    global DSM, FOLDER, KEEP, VGG, NASTY_ONE, EDITED, INFERENCE, LARGE, FOLDED
    KEEP = tempfile.TemporaryDirectory(prefix="dsm-page-")
    FOLDER = pathlib.Path(KEEP.name)
    VGG = make("vgg", "vgg16", "torus64", "--minibatch", "512")
    INFERENCE = make("inference", "gnmt", "torus64", "--mode", "inference", "--optimize", "reuse")
    (FOLDER / "nasty.workload.json").write_text(json.dumps({
        "format": "dsm-workload/1", "name": NASTY[0], "source": "<a & b>", "minibatch": 64,
        "element_bytes": 2,
        "layers": [{"name": name, "type": "fc", "in": 256, "out": 256} for name in NASTY]}))
    NASTY_ONE = make("it's a plan", "nasty.workload.json", "torus16", "--parallelism", "data,model",
                     "--optimize", "none", "--set", "workload.source=\"it's\"")
    (FOLDER / "large.workload.json").write_text(json.dumps({
        "format": "dsm-workload/1", "name": "large", "minibatch": 256, "element_bytes": 2,
        "layers": [{"name": f"a_layer_of_number_{i}", "type": "conv", "in": 64, "out": 64, "feature": [14, 14],
                    "kernel": [3, 3]} for i in range(1000)]}))
    LARGE = make("large", "large.workload.json", "torus16", "--optimize", "none")
    FOLDED = make("folded", "gnmt", "torus64", "--mode", "inference", "--optimize", "reuse", options=())
    text = (FOLDER / "vgg.json").read_text()
    plan = json.loads(text)
    plan["layers"][0]["dysm_factor"] = 1
    for layer in plan["layers"][1:4]:
        layer["dysm_factor"] = 1
    for layer in plan["layers"]:
        layer["output_on_chip"] = False
    (FOLDER / "edited.json").write_text(json.dumps(plan))
    run("report", "edited.json", "--unfold", "-o", "edited.html")
    EDITED = Made("edited")


def tearDownModule():
    KEEP.cleanup()


def all_pages():
    return (VGG, INFERENCE, NASTY_ONE, EDITED, LARGE, FOLDED)


class MarkupTest(unittest.TestCase):
    def test_elements_are_balanced(self):
        for made in all_pages():
            self.assertEqual(made.page.problems, [], made.path.name)

    def test_ids_are_unique_and_references_lead_somewhere(self):
        for made in all_pages():
            ids = [attributes["id"] for _, attributes in made.page.elements if "id" in attributes]
            self.assertEqual(len(ids), len(set(ids)))
            for _, attributes in made.page.elements:
                if attributes.get("href", "").startswith("#"):
                    self.assertIn(attributes["href"][1:], ids)
                if "aria-labelledby" in attributes:
                    self.assertIn(attributes["aria-labelledby"], ids)

    def test_nothing_is_loaded(self):
        for made in all_pages():
            for tag, attributes in made.page.elements:
                self.assertNotIn("src", attributes)
                self.assertNotIn("style", attributes, "the policy forbids it")
                self.assertFalse([name for name in attributes if name.startswith("on")])
                if "href" in attributes:
                    self.assertRegex(attributes["href"], r"^(#|data:,$)", tag)
            styles = "".join(re.findall(r"<style>(.*?)</style>", made.text, flags=re.S))
            self.assertNotIn("url(", styles)
            self.assertNotIn("@import", styles)

    def test_the_policy_allows_this_style_and_script_and_nothing_else(self):
        for made in all_pages():
            policy = next(attributes["content"] for tag, attributes in made.page.elements
                          if attributes.get("http-equiv") == "Content-Security-Policy")
            rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
            self.assertEqual(rules["default-src"], "'none'")
            for tag in ("style", "script"):
                found = re.findall(rf"<{tag}>(.*?)</{tag}>", made.text, flags=re.S)
                digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
                           for text in found]
                self.assertEqual(rules[f"{tag}-src"],
                                 " ".join(f"'sha256-{digest}'" for digest in digests))

    def test_figures_and_tables_say_what_they_are(self):
        for made in all_pages():
            for tag, attributes in made.page.elements:
                if tag == "svg":
                    self.assertEqual(attributes.get("role"), "img")
                    self.assertGreater(len(attributes["aria-label"]), 40)
                if tag == "th":
                    self.assertIn(attributes.get("scope"), ("row", "col"))
            tags = [tag for tag, _ in made.page.elements]
            self.assertEqual(tags.count("caption"), tags.count("table"))
            self.assertEqual(tags.count("figcaption"), tags.count("figure"))
            self.assertEqual(tags.count("h1"), 1)

    def test_names_stand_as_they_are(self):
        names = [record["layer"][1] for record in NASTY_ONE.page.records("passes")]
        self.assertEqual(set(names), set(NASTY))

    def test_the_same_plan_gives_the_same_page(self):
        self.assertEqual(run("report", "vgg.json", "--unfold").stdout, VGG.text)
        self.assertEqual(run("report", "vgg.json", "--unfold", "--threads", "2").stdout, VGG.text)


class TruthTest(unittest.TestCase):
    def test_the_summary_is_the_plans(self):
        for made in all_pages():
            if made is not EDITED:
                result = made.plan["result"]
                for name, value in (("step-seconds", result["step_seconds"]),
                                    ("samples-per-second", result["samples_per_second"]),
                                    ("utilization", result["utilization"]),
                                    ("memory-bytes", result["memory"]["total_bytes"])):
                    self.assertAlmostEqual(made.page.exact(name) / value, 1, 12, name)

    def test_the_parts_add_up_to_the_step(self):
        for made in all_pages():
            cells = [cell for row in made.page.rows["parts"][1:] for cell in row
                     if "data-v" in cell[0]]
            step = made.page.exact("step-seconds") * made.plan["system"]["core"]["frequency_GHz"] * 1e9
            self.assertAlmostEqual(sum(float(cell[0]["data-v"]) for cell in cells) / step, 1, 9)

    def test_the_rows_are_the_plans_passes(self):
        for made in (VGG, INFERENCE, NASTY_ONE):
            expected = [(layer["name"], name, layer_pass) for layer in made.plan["layers"]
                        for name, layer_pass in layer["passes"].items() if layer_pass is not None]
            records = made.page.records("passes")
            self.assertEqual(len(records), len(expected))
            for record, (layer, name, layer_pass) in zip(records, expected):
                cycles = layer_pass["cycles"]
                self.assertEqual(record["layer"][1], layer)
                self.assertEqual(record["pass"][1], name)
                self.assertEqual(record["parallelism"][1], layer_pass["parallelism"])
                self.assertEqual(record["bound"][1], layer_pass["bound"])
                for key, value in (
                        ("cycles", cycles["total"]), ("utilization", layer_pass["utilization"]),
                        ("step", cycles["total"] / made.plan["result"]["step_cycles"]),
                        ("transfer", cycles["overlapped_visible"] / cycles["total"]),
                        ("auxiliary", cycles["auxiliary"] / cycles["total"]),
                        ("other", cycles["non_overlapped"] / cycles["total"])):
                    self.assertAlmostEqual(float(record[key][0]["data-v"]), value,
                                           delta=1e-12 * max(1, value), msg=f"{layer} {name} {key}")

    def test_the_elasticities_are_those_of_score(self):
        for made in (VGG, INFERENCE, NASTY_ONE, EDITED):
            name = made.path.with_suffix(".json").name
            (item,) = json.loads(run("score", name, "--sensitivity", "--format", "json", "-q").stdout)["items"]
            varied = {parameter["path"]: parameter for parameter in item["parameters"]}
            records = made.page.records("elasticities")
            self.assertGreater(len(records), 3)
            for record in records:
                self.assertFalse(varied[record["parameter"][1].strip()]["is_software"])
            records += made.page.records("elasticities-software")
            shown = [record["parameter"][1].strip() for record in records]
            self.assertEqual(shown, [path for path, parameter in varied.items() if parameter["influence"] >= 0.0005])
            for path, record in zip(shown, records):
                (variation,), (slope,) = varied[path]["variations"], varied[path]["elasticities"]
                change = variation["responses"][0]["time_ratio"] - 1
                self.assertEqual(float(record["value"][1]), varied[path]["value"])
                self.assertAlmostEqual(float(record["tried"][1].replace(",", "")) / variation["value"], 1, 5)
                self.assertEqual(float(record["step"][0]["data-v"]), change)
                self.assertAlmostEqual(float(record["step"][1].split()[0]), 100 * change, delta=0.0051)
                self.assertEqual(float(record["elasticity"][0]["data-v"]), slope["elasticity"])
                self.assertAlmostEqual(float(record["elasticity"][1]), slope["elasticity"], delta=0.00051)
            for path in varied.keys() - set(shown):
                self.assertRegex(made.page.contents["elasticity"], rf"with this mapping: .*\b{re.escape(path)}\b")

    def test_the_ladder_is_that_of_explore(self):
        ladder = json.loads(run("explore", "vgg16", "torus64", "--minibatch", "512", "--ladder",
                                "--format", "json").stdout)["rungs"]
        records = VGG.page.records("rungs")
        self.assertEqual([record["rung"][1] for record in records],
                         [("+ " if i else "") + rung["name"] for i, rung in enumerate(ladder)])
        for record, rung in zip(records, ladder):
            self.assertEqual(float(record["step (ms)"][0]["data-v"]), rung["step_seconds"])
            self.assertAlmostEqual(float(record["over first"][0]["data-v"]), rung["gain_over_first"], 12)

    def test_the_assumptions_are_those_of_describe(self):
        item = json.loads(run("describe", "vgg.json", "--format", "json").stdout)["items"][0]
        shown = {}
        for table in ("model-parameters", "system-parameters"):
            for record in VGG.page.records(table):
                shown[record["parameter"][1].strip()] = record
        described = {parameter["path"]: parameter for parameter in item["parameters"]}
        self.assertEqual(set(shown), set(described))
        for path, parameter in described.items():
            self.assertEqual(shown[path]["source"][1], parameter["source"], path)
            self.assertEqual(shown[path]["unit"][1], parameter["unit"], path)
            value = parameter["value"]
            text = json.dumps(value) if not isinstance(value, str) else value
            self.assertEqual(shown[path]["value"][1].replace(".0", ""), text.replace(".0", ""), path)

    def test_a_default_that_the_workload_states_is_given(self):
        # the page of a plan that was read again: the bundled network states its elements' bytes alone
        sources = {record["parameter"][1].strip(): record["source"][1]
                   for record in EDITED.page.records("byte-parameters")}
        self.assertEqual(sources["element_bytes"], "given")
        for key in ("gradient_bytes", "partial_sum_bytes", "optimizer_bytes_per_weight"):
            self.assertTrue(sources[key].startswith("(default) assumption"), key)

    def test_equal_layers_have_one_row(self):
        rows = FOLDED.page.records("passes")
        single = INFERENCE.page.records("passes")
        self.assertLess(len(rows), len(single) - 5)
        counts = [int(row["count"][1] or 1) for row in rows]
        self.assertEqual(sum(counts), len(single))
        for key in ("cycles", "step"):
            self.assertAlmostEqual(sum(float(row[key][0]["data-v"]) for row in rows)
                                   / sum(float(row[key][0]["data-v"]) for row in single), 1, 12)
        by_name = {row["layer"][1]: row for row in single}
        for row, count in zip(rows, counts):
            if row["layer"][1] == "enc2..6":
                self.assertAlmostEqual(float(row["cycles"][0]["data-v"])
                                       / (count * float(by_name["enc2"]["cycles"][0]["data-v"])), 1, 12)
        self.assertNotIn("count", single[0])

    def test_a_plan_that_is_not_the_best_says_so(self):
        self.assertNotIn("Not the best plan", VGG.text)
        self.assertIn("Not the best plan.", EDITED.text)
        self.assertIn("Not what the file records.", EDITED.text)
        scored = json.loads(run("score", "edited.json", "-q", "--format", "json").stdout)["result"]
        best = VGG.plan["result"]["step_cycles"]
        self.assertEqual(EDITED.page.exact("step-seconds"), scored["step_seconds"])
        percent = 100 * (scored["step_cycles"] / best - 1)
        said = float(re.search(r"([\d.]+) % longer than the best", EDITED.text).group(1))
        self.assertAlmostEqual(said / percent, 1, 2)

    def test_overrides_are_shown(self):
        self.assertIn("workload.minibatch=512", VGG.page.contents["overrides"])

    def test_what_is_left_out_is_said(self):
        self.assertIn("the other 900 of 1,000 take", LARGE.page.contents["loss-figure"])
        self.assertIn("short passes are joined", LARGE.page.contents["step-figure"])
        rows = LARGE.page.records("passes")
        self.assertEqual(len(rows), 2000)
        self.assertIn("the other 999 take", LARGE.page.contents["passes"])
        share = sum(float(row["step"][0]["data-v"]) for row in rows)
        said = float(re.search(r"the other 999 take ([\d.]+) %", LARGE.text).group(1))
        self.assertAlmostEqual(100 * (1 - share), said, delta=0.051)
        self.assertLess(len(LARGE.text), 4_000_000)

    def test_the_commands_work(self):
        for made in (VGG, NASTY_ONE, INFERENCE):
            for part in ("commands-plan", "commands-explore"):
                script = "set -e\n" + made.page.contents[part]
                subprocess.run(["sh", "-c", script], cwd=FOLDER, check=True, capture_output=True,
                               env={"PATH": f"{pathlib.Path(DSM).parent}:/usr/local/bin:/usr/bin:/bin",
                                    "HOME": str(FOLDER)})
            self.assertEqual((FOLDER / "report.html").read_text(encoding="utf-8"), made.text)
            again = json.loads((FOLDER / "best.json").read_text(encoding="utf-8"))
            self.assertEqual(again["result"], made.plan["result"])
        subprocess.run(["sh", "-c", VGG.page.contents["commands-names"]], cwd=FOLDER, check=True,
                       capture_output=True, env={"PATH": f"{pathlib.Path(DSM).parent}:/usr/bin:/bin"})
        self.assertEqual(json.loads((FOLDER / "plan.json").read_text()), VGG.plan)


def luminance(color):
    """Of "rgb(r, g, b)" or "#rrggbb", as WCAG defines it."""
    if color.startswith("#"):
        channels = [int(color[i:i + 2], 16) for i in (1, 3, 5)]
    else:
        channels = [float(value) for value in re.findall(r"[\d.]+", color)[:3]]
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = find_chromium()
        if program is None:
            raise AssertionError("chromium is not installed: tools/install-packages --tests")
        cls.browser = Browser(program)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def open(self, made, width=1280):
        self.browser.resize(width, 900)
        self.browser.prefer("light")
        self.browser.open(made.path)

    def column(self, key):
        return self.browser.evaluate(f"""(() => {{
            const heads = [...document.querySelectorAll('#passes thead th')];
            const index = heads.findIndex(head => head.dataset.key === '{key}');
            return [...document.querySelectorAll('#passes tbody tr')].filter(row => !row.hidden)
                .map(row => row.cells[index].dataset.v ?? row.cells[index].textContent); }})()""")

    def sort_of(self, key):
        return self.browser.evaluate(
            f"document.querySelector('th[data-key={key}]').getAttribute('aria-sort')")

    def test_pages_are_quiet_and_ask_for_nothing(self):
        for made in all_pages():
            self.open(made)
            self.assertEqual(self.browser.complaints(), [], made.path.name)
            self.assertEqual(self.browser.requests(), [made.path.resolve().as_uri()])

    def test_a_click_sorts(self):
        self.open(VGG)
        at_first = self.column("cycles")
        click = "document.querySelector('th[data-key=cycles] button').click()"
        self.browser.evaluate(click)
        self.assertEqual(self.sort_of("cycles"), "descending")
        numbers = [float(value) for value in self.column("cycles")]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.browser.evaluate(click)
        self.assertEqual(self.sort_of("cycles"), "ascending")
        numbers = [float(value) for value in self.column("cycles")]
        self.assertEqual(numbers, sorted(numbers))
        self.browser.evaluate(click)
        self.assertIsNone(self.sort_of("cycles"))
        self.assertEqual(self.column("cycles"), at_first)

    def test_the_keyboard_sorts(self):
        self.open(VGG)
        self.browser.evaluate("document.querySelector('th[data-key=layer] button').focus()")
        self.browser.press("Tab", 9)
        self.assertEqual(self.browser.evaluate("document.activeElement.textContent"), "pass")
        self.browser.press("Enter", 13, "\r")
        self.assertEqual(self.sort_of("pass"), "ascending")
        words = self.column("pass")
        self.assertEqual(words, sorted(words))
        self.browser.press(" ", 32, " ")
        self.assertEqual(self.sort_of("pass"), "descending")
        outline = self.browser.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        self.assertEqual(outline, "solid", "focus can be seen")

    def test_the_filter_filters(self):
        self.open(VGG)
        total = len(self.column("layer"))
        self.browser.evaluate("document.getElementById('filter-layer').focus()")
        for letter in "FC":
            self.browser.press(letter, ord(letter), letter)
        self.assertEqual(set(self.column("layer")), {"fc1", "fc2", "fc3"})
        self.browser.evaluate("""(() => { const select = document.getElementById('filter-pass');
            select.value = 'update'; select.dispatchEvent(new Event('change')); })()""")
        self.assertEqual(self.column("pass"), ["update"] * 3)
        count = self.browser.evaluate("document.getElementById('filter-count').textContent")
        self.assertTrue(count.startswith(f"3 of {total} passes shown, "), count)
        self.browser.evaluate("document.getElementById('filter-reset').click()")
        self.assertEqual(len(self.column("layer")), total)
        self.browser.evaluate("""(() => { const least = document.getElementById('filter-step');
            least.value = '3'; least.dispatchEvent(new Event('input')); })()""")
        shares = [float(value) for value in self.column("step")]
        self.assertTrue(shares and min(shares) >= 0.03 and len(shares) < total)

    def test_without_scripts_all_is_there_but_sorting(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.open(VGG)
            root = self.browser.call("DOM.getDocument")["root"]["nodeId"]

            def count(selector):
                return len(self.browser.call("DOM.querySelectorAll", nodeId=root,
                                             selector=selector)["nodeIds"])

            self.assertEqual(count("#passes tbody tr"), 47)
            self.assertEqual(count("thead button"), 0)
            self.assertEqual(count("#filters[hidden]"), 1)
            self.assertGreater(count("svg rect > title"), 200)
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)

    def test_light_and_dark_can_be_read(self):
        self.open(VGG)
        papers = {}
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            value = self.browser.evaluate("""(() => { const style = getComputedStyle(document.body);
                return { paper: style.backgroundColor, ink: style.color,
                         vars: Object.fromEntries(['paper', 'panel', 'stripe', 'faint', 'link', 'good', 'bad',
                                                   'ink', 'warning-paper']
                             .map(name => [name, style.getPropertyValue('--' + name).trim()])) }; })()""")
            papers[scheme] = value["paper"]
            colors = value["vars"]
            for ink in ("ink", "faint", "link", "good", "bad"):
                for paper in ("paper", "panel", "stripe"):
                    self.assertGreaterEqual(contrast(colors[ink], colors[paper]), CONTRAST_MIN,
                                            f"{scheme}: {ink} on {paper}")
            self.assertGreaterEqual(contrast(colors["ink"], colors["warning-paper"]), CONTRAST_MIN)
            parts = self.browser.evaluate("""[...document.querySelectorAll('#parts .swatch')]
                .map(swatch => getComputedStyle(swatch).backgroundColor)""")
            self.assertEqual(len(set(parts)), len(parts))
            for color in parts:  # seen, if not read
                self.assertGreaterEqual(contrast(color, value["paper"]), 1.25, f"{scheme}: {color}")
        self.assertGreater(luminance(papers["light"]), 0.9)
        self.assertLess(luminance(papers["dark"]), 0.02)

    def test_narrow_pages_do_not_scroll_sideways(self):
        for made in (VGG, NASTY_ONE, INFERENCE):
            self.open(made, width=360)
            self.assertLessEqual(
                self.browser.evaluate("document.documentElement.scrollWidth"), 360, made.path.name)

    def test_tables_scroll_on_a_phone(self):
        """The column that stays where it is leaves most of the table's box to the others."""
        for made in (VGG, NASTY_ONE, INFERENCE):
            self.open(made, width=390)
            shares, is_scrolled = self.browser.evaluate("""(() => {
                const boxes = [...document.querySelectorAll('.scroll')];
                const names = [...document.querySelectorAll('.dense tbody th')];
                return [names.map(each => each.offsetWidth / each.closest('.scroll').clientWidth),
                        boxes.every(each => getComputedStyle(each).overflowX === 'auto')]; })()""")
            self.assertTrue(is_scrolled, made.path.name)
            self.assertLess(max(shares), 0.45, made.path.name)

    def test_assistive_technology_is_told(self):
        self.open(VGG)
        nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
        named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
                 if not node["ignored"]]
        roles = [role for role, _ in named]
        for role in ("main", "navigation", "banner", "contentinfo", "status"):
            self.assertIn(role, roles)
        for role, name in named:
            if role in ("image", "img", "region", "button", "link", "textbox", "searchbox", "combobox",
                        "spinbutton", "table"):
                self.assertTrue(name.strip(), f"a {role} without a name")
        self.assertIn(("heading", "Where the time of the step goes"), named)

    def test_the_skip_link_comes_first_and_shows(self):
        self.open(VGG)
        self.browser.press("Tab", 9)
        box = self.browser.evaluate("""(() => { const box = document.activeElement.getBoundingClientRect();
            return [document.activeElement.className, box.x, box.y]; })()""")
        self.assertEqual(box[0], "skip")
        self.assertGreaterEqual(min(box[1:]), 0)

    def test_print_is_whole(self):
        self.open(VGG)
        self.browser.prefer("dark", media="print")
        self.assertEqual(self.browser.evaluate("getComputedStyle(document.querySelector('nav')).display"),
                         "none")
        self.assertEqual(self.browser.evaluate(
            "getComputedStyle(document.querySelector('.tall')).overflow"), "visible")
        self.assertGreater(luminance(self.browser.evaluate(
            "getComputedStyle(document.body).backgroundColor")), 0.9)
        self.browser.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('details:not([open])').length"),
                         0)
        self.browser.evaluate("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('details[open]').length"), 0)
        self.assertTrue(self.browser.print().startswith(b"%PDF"))

    def test_figures_stay_within_their_frames(self):
        """No text of a figure is cut off, and no label of the axes lies on another."""
        for made in (VGG, INFERENCE, NASTY_ONE, LARGE):
            self.open(made)
            outside = self.browser.evaluate("""[...document.querySelectorAll('svg')].flatMap(svg => {
                const frame = svg.getBoundingClientRect();
                return [...svg.querySelectorAll('text')].filter(text => {
                    const box = text.getBoundingClientRect();
                    return box.left < frame.left - 1 || box.right > frame.right + 1
                        || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
                }).map(text => svg.parentElement.getAttribute('aria-label') + ': ' + text.textContent);
            })""")
            self.assertEqual(outside, [], made.path.name)
            overlapping = self.browser.evaluate("""[...document.querySelectorAll('svg')].flatMap(svg => {
                const boxes = [...svg.querySelectorAll('text:not([transform])')].map(text =>
                    [text.textContent, text.getBoundingClientRect()]);
                return boxes.flatMap(([one, a], i) => boxes.slice(i + 1).filter(([, b]) =>
                    a.left < b.right - 1 && b.left < a.right - 1
                    && a.top < b.bottom - 4 && b.top < a.bottom - 4)
                    .map(([other]) => one + ' | ' + other));
            })""")
            self.assertEqual(overlapping, [], made.path.name)


if __name__ == "__main__":
    DSM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=1)
