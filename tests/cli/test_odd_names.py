#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions whose names are legal and odd, in files whose names are odd, go through every command and
every format: what is written can be read by a parser of its kind, steers no terminal, turns no text
round, and is no formula where a spreadsheet opens it. JSON has the names as they are.

Usage: test_odd_names.py DSM_BINARY
"""
import csv
import html.parser
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

DSM = pathlib.Path(sys.argv[1]).resolve()

# Names of layers, and of the descriptions: no control characters, which no name may have.
LAYERS = ["]]>", "a]]>b", "<script>alert(1)</script>", "&amp;&#0;", "\ufffe", "b\uffff", "\U0001fffe", "\ufdd0",
          "c\u202e\u2066d", "e\u200f\u061c", "f\u2028g\u2029", "\U000e0041tag", "=1+1", "+cmd|' /C calc'!A0", "-2+3",
          "=@SUM(1)", "-1", '"quoted", twice', "'single'", "a\\b`c$(d)", "#h{i}^j_k~l%m@n;o|p", "<!--", "?>",
          "\u00e4\u5c42\u0301", "\ufeff", "-->", "=\u202eHYPERLINK(1)", "%s%n%d"]
NETWORK, MACHINE, SERVER = "=net\u202e]]>\ufffe", "+chip\u2067<&>\uffff", "-server\u200e]]>"
# Names of files and folders may be any bytes.
FOLDER = b"=f\x1b[31m\xff\xc2\x9b\xe2\x80\xae]]>&\"'<\n"
STEERING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef"
                      "\ufff9-\ufffb\ufffe\uffff\U0001fffe\U0001ffff\U000e0000-\U000e007f]")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")


def layers():
    """A chain, each layer's name odd."""
    made = []
    for i, name in enumerate(LAYERS):
        made.append({"name": name, "type": "fc", "in": 8, "out": 8, **({"inputs": [LAYERS[i - 1]]} if i else {})})
    return made


class OddNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory(prefix="dsm-odd-")
        cls.folder = os.path.join(os.fsencode(cls.keep.name), FOLDER)
        os.mkdir(cls.folder)
        share = DSM.parent.parent / "share" / "dsm"
        system = json.loads((share / "systems" / "torus64.json").read_text())
        server = json.loads((share / "servers" / "cpu_2gpu.json").read_text())
        cls.write("net.json", {"format": "dsm-workload/1", "name": NETWORK, "minibatch": 64, "layers": layers()})
        cls.write("chip.json", {**system, "name": MACHINE})
        cls.write("server.json", {**server, "name": SERVER, "devices": [
            {**device, "name": f"=d{i}\u202e"} for i, device in enumerate(server["devices"])]})
        cls.write("broken.json", {"format": "dsm-workload/1", "name": "b", "minibatch": 1, "layers": [
            {"name": "a\u202eb", "type": "fc\u202e", "in": 8, "out": 8, "\u202ekey": 1}]})
        cls.run_ok("explore", "net.json", "chip.json", "-q", "-o", "plan.json")
        cls.run_ok("explore", "net.json", "chip.json", "-q", "--set", "system.core.frequency_GHz=0.3", "-o", "other.json")
        cls.run_ok("sweep", "net.json", "chip.json", "--vary", "workload.minibatch=64,128", "--vary",
                   "system.core.frequency_GHz=0.5,1", "-q", "--database", "points.sqlite")

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name.encode())

    @classmethod
    def write(cls, name, content):
        pathlib.Path(os.fsdecode(cls.path(name))).write_text(json.dumps(content))

    @classmethod
    def run_dsm(cls, *words):
        """Names of files there are in the folder stand for their paths, so that messages quote them."""
        known = set(os.listdir(cls.folder))
        command = [cls.path(word) if word.encode() in known or word.startswith("no_such") else word.encode()
                   for word in words]
        return subprocess.run([os.fsencode(DSM), *command], cwd=cls.folder, env={**os.environ, "DSM_PATH": "."}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False)

    @classmethod
    def run_ok(cls, *words):
        done = cls.run_dsm(*words)
        assert done.returncode == 0, (words, done.stderr)
        return done

    def text_of(self, output, what):
        """The output: UTF-8 in which nothing steers."""
        try:
            text = output.decode("utf-8")
        except UnicodeDecodeError as error:
            self.fail(f"{what}: {error}")
        found = STEERING.search(text)
        self.assertIsNone(found, f"{what}: {found and ascii(text[max(0, found.start() - 30):found.end() + 30])}")
        return text

    def outputs(self, *words, code=0):
        done = self.run_dsm(*words)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}")
        self.text_of(done.stderr, f"standard error of {words}")
        return done.stdout

    TABLES = (("list",), ("explore", "net.json", "chip.json"), ("explore", "net.json", "chip.json", "--explain", LAYERS[0]),
              ("explore", "net.json", "chip.json", "--explain", LAYERS[4]),
              ("explore", "net.json", "chip.json", "--ladder"), ("explore", "net.json", "chip.json", "--sensitivity"),
              ("score", "plan.json"), ("describe", "net.json", "chip.json", "server.json"), ("describe", "plan.json"),
              ("validate", "net.json", "chip.json", "server.json", "plan.json"), ("check", "plan.json"),
              ("diff", "plan.json", "other.json"), ("diff", "points.sqlite:0", "points.sqlite:1"),
              ("sweep", "points.sqlite"), ("sweep", "points.sqlite", "--best", "2"),
              ("partition", "net.json", "server.json"), ("partition", "net.json", "server.json", "--simulate", "requests=20"))

    def test_terminal(self):
        for words in self.TABLES:
            for options in ((), ("-v",)):
                with self.subTest(words=words, options=options):
                    self.text_of(self.outputs(*words, *options), words)

    def test_csv(self):
        for words in self.TABLES:
            if "--explain" in words:
                continue  # has no CSV
            with self.subTest(words=words):
                text = self.text_of(self.outputs(*words, "--format", "csv"), words)
                rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
                self.assertGreater(len(rows), 1)
                for row in rows:
                    self.assertEqual(len(row), len(rows[0]))
                    for cell in row:
                        self.assertTrue(cell in ("-", "") or cell[0] not in "=+-@\t\r" or NUMBER.fullmatch(cell), cell)

    def test_numbers_in_csv_stay_numbers(self):
        rows = list(csv.DictReader(io.StringIO(
            self.outputs("diff", "other.json", "plan.json", "--format", "csv").decode(), newline="")))
        values = [row[column] for row in rows for column in row]
        self.assertTrue(any(re.fullmatch(r"-\d.*", value) for value in values))

    def test_json_is_exact(self):
        for words in self.TABLES:
            with self.subTest(words=words):
                text = self.outputs(*words, "--format", "json").decode("utf-8")
                json.loads(text)
                if words[0] in ("explore", "score") and len(words) < 4:
                    self.assertTrue(set(LAYERS) <= {layer["name"] for layer in json.loads(text)["layers"]})

    def test_trace(self):
        for words in (("trace", "plan.json"), ("trace", "points.sqlite:1")):
            trace = json.loads(self.outputs(*words, "-o", "-").decode("utf-8"))
            names = "\n".join(str(event) for event in trace["traceEvents"])
            for layer in LAYERS:
                self.assertIn(str({"x": layer})[6:-2], names)

    def test_junit(self):
        for baseline, code in (("plan.json", 0), ("broken.json", 3)):
            text = self.text_of(self.outputs("check", baseline, "--format", "junit", code=code), "junit")
            root = ElementTree.fromstring(text)
            self.assertEqual(len(root.findall(".//testcase")), 1)

    def test_html(self):
        class Tags(html.parser.HTMLParser):
            scripts = 0

            def handle_starttag(self, tag, attributes):
                self.scripts += tag == "script"
        pages = []
        for subject in ("plan.json", "points.sqlite:0"):
            text = self.text_of(self.outputs("report", subject, "-o", "-"), f"report {subject}")
            tags = Tags()
            tags.feed(text)
            pages.append(tags.scripts)
            for drawing in re.findall(r"<svg.*?</svg>", text, flags=re.S):
                ElementTree.fromstring(drawing)
        plain = json.loads(pathlib.Path(os.fsdecode(self.path("net.json"))).read_text())
        for i, layer in enumerate(plain["layers"]):
            layer["name"] = f"l{i}"
            if i:
                layer["inputs"] = [f"l{i - 1}"]
        self.write("plain.json", plain)
        self.outputs("explore", "plain.json", "chip.json", "-q", "-o", "plain_plan.json")
        tags = Tags()
        tags.feed(self.outputs("report", "plain_plan.json", "-o", "-").decode())
        self.assertEqual(pages[0], tags.scripts)

    def test_pictures(self):
        figures = [("plan.json", figure) for figure in
                   ("loss", "roofline", "splits", "memory")]
        figures += [("points.sqlite", figure) for figure in ("lines", "heatmap", "pareto")]
        for subject, figure in figures:
            with self.subTest(subject=subject, figure=figure):
                done = self.run_dsm("plot", subject, "--figure", figure, "-o", "out.svg", "--script", "scripts")
                self.text_of(done.stderr, f"plot {figure}")
                if figure == "heatmap" and done.returncode == 2:
                    continue  # takes two axes
                self.assertEqual(done.returncode, 0, done.stderr)
                text = self.text_of(pathlib.Path(os.fsdecode(self.path("out.svg"))).read_bytes(), figure)
                ElementTree.fromstring(text)
                os.remove(self.path("out.svg"))
                for file in os.listdir(self.path("scripts")):
                    self.text_of(pathlib.Path(os.fsdecode(os.path.join(self.path("scripts"), file))).read_bytes(), file)
                    os.remove(os.path.join(self.path("scripts"), file))
                os.rmdir(self.path("scripts"))

    def test_exports(self):
        self.outputs("export", "plan.json", "--to", "astra-sim", "-o", "exported")
        for name in os.listdir(self.path("exported")):
            self.assertRegex(name.decode(), r"\A[\w.-]+\Z")
            text = pathlib.Path(os.fsdecode(os.path.join(self.path("exported"), name))).read_bytes()
            self.text_of(text, f"exported {name}")

    def test_diagnostics(self):
        for words in (("validate", "broken.json"), ("describe", "broken.json"), ("explore", "broken.json", "chip.json"),
                      ("score", "net.json"), ("check", "net.json"), ("diff", "plan.json", "net.json"),
                      ("explore", "no_such.json", "chip.json"), ("report", "no_such.sqlite:1"),
                      ("explore", "net.json", "chip.json", "--explain", "\u202eno"),
                      ("explore", "net.json", "chip.json", "--set", "workload.\u202e\u001b[m=1"),
                      ("explore", "net.json", "chip.json", "--mode", "\u202e\u009b"),
                      ("\u202e\u001b[m",), ("explore", "\u202e", "\u001b[m"),
                      ("explore", "net.json", "chip.json", "-o", "no\u202e/x.json"),
                      ("plot", "plan.json", "-o", "no\u202e/x.svg"), ("plot", "plan.json", "-o", "\u202e.x\u001by"),
                      ("export", "plan.json", "--to", "astra-sim", "-o", "no\u202e/\u001by/z"),
                      ("trace", "plan.json", "-o", "no\u202e/\u001by/z"),
                      ("sweep", "points.sqlite", "--by", "\u202e"), ("sweep", "net.json", "--vary", "\u202e=1"),
                      ("partition", "net.json", "server.json", "--objective", "\u202e"),
                      ("explore", "net.json", "chip.json", "--\u202e")):
            with self.subTest(words=words):
                done = self.run_dsm(*words)
                self.assertNotEqual(done.returncode, 0)
                self.assertNotEqual(done.stderr, b"")
                self.text_of(done.stderr + done.stdout, words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
