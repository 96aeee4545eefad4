#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm export`: the files of each target are parsed again, by the fields that its sources document, and compared with
what the JSON of the plan says.

Usage: test_export.py DSM_BINARY [unittest's own arguments]
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

DSM = None
COLLECTIVES = {"NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL"}
# Which of the dimensions 0 and 1 sum gradients, by Workload.cc (decode_involved_dimensions).
SUMMED = {"DATA": (True, True), "MODEL": (False, False), "HYBRID_MODEL_DATA": (True, False),
          "HYBRID_DATA_MODEL": (False, True)}
DATA_AXES = {"data": (True, True), "model": (False, False), "data_x_model_y": (True, False),
             "model_x_data_y": (False, True)}
PASSES = ("forward", "backward", "update")
EXPLORATIONS = {
    "vgg16": ("vgg16", "torus64"),
    "vgg16 of 32": ("vgg16", "torus64", "--minibatch", "32"),
    "resnet50, data": ("resnet50", "torus64", "--parallelism", "data"),
    "googlenet": ("googlenet", "torus16"),
    "raider, model": ("raider", "torus64", "--parallelism", "model"),
    "raider, hybrid": ("raider", "torus64", "--parallelism", "model_x_data_y"),
    "raider, other hybrid": ("raider", "torus64", "--parallelism", "data_x_model_y"),
    "gnmt": ("gnmt", "torus64"),
    "one column": ("vgg16", "torus64", "--set", "system.system.chips_x=1"),
    "one row": ("vgg16", "torus64", "--set", "system.system.chips_y=1"),
    "exact": ("vgg16", "torus64_refined"),
    "another clock": ("vgg16", "torus64", "--set", "system.core.frequency_GHz=1.5", "--set",
                      "workload.gradient_bytes=4", "--set", "system.model.partial_sum_bytes=4"),
    "inference": ("resnet50", "torus64", "--mode", "inference"),
    "hybrid with errors of the input": ("gnmt", "torus64", "--optimize", "hybrid"),
}


def run(*arguments, folder, code=0):
    done = subprocess.run([DSM, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: exit {done.returncode}\n{done.stderr}")
    return done.stderr


class Phase:
    def __init__(self, cycles, collective, size):
        assert collective in COLLECTIVES, collective
        self.cycles, self.collective, self.size = int(cycles), collective, int(size)


def parse_workload(text):
    """The strategy, and for each layer its name, phases, update delay and strategy."""
    assert text.endswith("\n") and "\n\n" not in text
    strategy, count, *lines = text.splitlines()
    assert int(count) == len(lines), "line 2 is not the number of layers"
    layers = []
    for line in lines:
        columns = line.split("\t")
        assert columns == line.split(), "white space inside a column"
        own = strategy
        if strategy == "HYBRID_CUSTOMIZED":
            own = columns.pop()
        assert len(columns) == 12 and columns[1] == "-1", line
        phases = dict(zip(PASSES, (Phase(*columns[i:i + 3]) for i in (2, 5, 8))))
        layers.append((columns[0], phases, int(columns[11]), own))
    return strategy, layers


def parse_network(text):
    """Keys and lists, as YAML flow sequences."""
    network = {}
    for line in text.splitlines():
        key, items = re.fullmatch(r"(\w+): \[ (.*) \](?:  # .*)?", line).groups()
        network[key] = items.split(", ")
    return network


class Plan:
    def __init__(self, path):
        self.plan = json.loads(path.read_text())
        system = self.plan["system"]
        self.clock = system["core"]["frequency_GHz"]
        self.chips = (system["system"]["chips_x"], system["system"]["chips_y"])
        self.rates = (system["system"]["link_bandwidth_x_GBps"],
                      system["system"]["link_bandwidth_y_GBps"])
        self.is_exact = system["model"]["exact_rotation"]
        self.layers = self.plan["layers"]

    def axes(self, parallelism):
        """Which dimensions share out samples: axes of one chip are none."""
        return tuple(data for data, chips in zip(DATA_AXES[parallelism], self.chips) if chips > 1)


def bytes_of(step, name, link):
    return sum(transfer["bytes"] for transfer in step["transfers"]
               if transfer["name"] == name and transfer["link"] == link)


def export(folder, *arguments):
    """Explores, exports, and reads both: the plan, the strategy, the layers and the network."""
    run("explore", *arguments, "-q", "-o", "plan.json", folder=folder)
    run("export", "plan.json", "--to", "astra-sim", "-o", "out/", folder=folder)
    out = folder / "out"
    assert sorted(path.name for path in out.iterdir()) == ["network.yml", "workload.txt"]
    return (Plan(folder / "plan.json"), *parse_workload((out / "workload.txt").read_text()),
            parse_network((out / "network.yml").read_text()))


class AstraSim(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="dsm-export-")
        cls.exports = {}
        for name, arguments in EXPLORATIONS.items():
            cls.exports[name] = export(cls.new_folder(name), *arguments)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def new_folder(cls, name):
        path = pathlib.Path(cls.folder.name) / name
        path.mkdir()
        return path

    def near(self, value, expected, what, slack=0.5):
        self.assertLessEqual(abs(value - expected), slack + 1e-9 * abs(expected), what)

    def test_network(self):
        for name, (plan, _, _, network) in self.exports.items():
            with self.subTest(name):
                there = [axis for axis in (0, 1) if plan.chips[axis] > 1]
                self.assertEqual(network["topology"], ["Ring"] * len(there))
                self.assertEqual(network["npus_count"], [str(plan.chips[axis]) for axis in there])
                for found, axis in zip(network["bandwidth"], there):
                    self.near(float(found) * 2**30, plan.rates[axis] * 1e9, "bandwidth")
                self.assertEqual([float(value) for value in network["latency"]], [1] * len(there))

    def test_strategies(self):
        for name, (plan, strategy, layers, _) in self.exports.items():
            with self.subTest(name):
                self.assertEqual([layer[0] for layer in layers],
                                 [layer["name"] for layer in plan.layers])
                used = set()
                for layer, (_, phases, _, own) in zip(plan.layers, layers):
                    axes = plan.axes(layer["passes"]["forward"]["parallelism"])
                    if any(phase.collective != "NONE" for phase in phases.values()):
                        self.assertEqual(SUMMED[own][:len(axes)], axes, layer["name"])
                        used.add(own)
                if used:
                    self.assertEqual(strategy,
                                     used.pop() if len(used) == 1 else "HYBRID_CUSTOMIZED")

    def test_layers_without_collectives_go_by_any_strategy(self):
        """The matmuls of GNMT share out samples, and stages of a pipeline have no collectives."""
        for parallelism, expected in (("model", "MODEL"), ("data_x_model_y", "HYBRID_MODEL_DATA")):
            _, strategy, _, _ = export(self.new_folder(parallelism), "gnmt", "torus64",
                                       "--parallelism", parallelism)
            self.assertEqual(strategy, expected)

    def test_every_cycle_is_in_one_place(self):
        for name, (plan, _, layers, _) in self.exports.items():
            with self.subTest(name):
                for index, (layer, (_, phases, delay, _)) in enumerate(zip(plan.layers, layers)):
                    self.assertEqual(delay, 1)
                    self.check_times(plan, layer, phases, index == 0)

    def check_times(self, plan, layer, phases, is_first):
        """Readers do not simulate columns 6 to 8 of the first line: they are in column 9."""
        backward = layer["passes"].get("backward")
        moved = backward["cycles"]["total"] if is_first and backward else 0
        for kind in PASSES:
            step, phase = layer["passes"].get(kind), phases[kind]
            what = f"{layer['name']} {kind}"
            if kind == "backward" and is_first:
                self.assertEqual((phase.cycles, phase.collective, phase.size), (0, "NONE", 0), what)
                continue
            if step is None and kind == "update":
                self.near(phase.cycles, moved / plan.clock, what)
                self.assertEqual((phase.collective, phase.size), ("NONE", 0), what)
                continue
            if step is None:
                self.assertEqual((phase.cycles, phase.collective, phase.size), (0, "NONE", 0), what)
                continue
            left = 0
            if kind == "forward" and phase.collective == "ALLGATHER":
                left = self.hidden_without_rotation(step)
            elif phase.collective == "REDUCESCATTER":
                left = step["groups"]["rotation"]
            elif phase.collective == "ALLREDUCE":
                left = step["groups"]["sum_of_gradients"] + step["groups"]["broadcast_weights"]
            if left is not None:
                cycles = step["cycles"]["total"] - left + (moved if kind == "update" else 0)
                self.near(phase.cycles, cycles / plan.clock, what)

    def hidden_without_rotation(self, step):
        """By how much a pass would be shorter; None where kinds of invocations differ."""
        if len(step["invocations"]) > 1:
            return None
        used = {}
        for transfer in step["transfers"]:
            if transfer["overlapped"] and not transfer["name"].startswith("rotate_"):
                used[transfer["link"]] = used.get(transfer["link"], 0) + transfer["cycles"]
        cycles = step["cycles"]
        longest = max(cycles["primary"], *used.values())
        return cycles["primary"] + cycles["overlapped_visible"] - longest

    def test_volumes(self):
        seen = set()
        for name, (plan, _, layers, _) in self.exports.items():
            with self.subTest(name):
                for layer, (_, phases, _, own) in zip(plan.layers, layers):
                    for kind in PASSES:
                        if phases[kind].collective == "NONE":
                            self.assertEqual(phases[kind].size, 0)
                        else:
                            seen.add(phases[kind].collective)
                            self.check_volume(plan, layer["passes"][kind], kind, phases[kind], own)
                    self.check_presence(plan, layer, phases)
        self.assertEqual(seen, {"ALLREDUCE", "ALLGATHER", "REDUCESCATTER"})

    def check_volume(self, plan, step, kind, phase, own):
        m, n = plan.chips
        sums_x = DATA_AXES[step["parallelism"]][0] and m > 1
        if kind == "update":
            self.assertEqual(phase.collective, "ALLREDUCE")
            along, k = ("x", m) if sums_x else ("y", n)
            moved = bytes_of(step, f"sum_of_gradients_{along}", f"link_{along}")
            self.near(phase.size, moved * k / (k - 1), "bytes of gradients")
            return
        turns_x = not DATA_AXES[step["parallelism"]][0] and m > 1
        along, k = ("x", m) if turns_x else ("y", n)
        moved = bytes_of(step, f"rotate_{along}", f"link_{along}")
        whole = moved * k / (k - 1) if plan.is_exact else moved
        if kind == "forward":
            self.assertEqual(phase.collective, "ALLGATHER")
            self.near(phase.size, whole / step["feature_iterations"], "bytes of features")
        else:
            self.assertEqual(phase.collective, "REDUCESCATTER")
            self.near(phase.size, whole, "bytes of errors")
        self.assertNotEqual(own, "DATA")

    def check_presence(self, plan, layer, phases):
        """A collective is there unless its pass goes by another strategy, or some chips only."""
        used = [layer["passes"][kind]["parallelism"] for kind in PASSES if kind in layer["passes"]]
        if len({plan.axes(parallelism) for parallelism in used}) > 1:
            return
        axes = plan.axes(used[0])
        is_stage = layer["pipeline_group"] is not None
        is_first = layer is plan.layers[0]
        for kind, is_wanted in (("forward", not all(axes)),
                                ("backward", not all(axes) and not is_first),
                                ("update", any(axes))):
            if kind in layer["passes"]:
                self.assertEqual(phases[kind].collective != "NONE", is_wanted and not is_stage,
                                 f"{layer['name']} {kind}")

    def test_whole_step(self):
        """Of a plan without collectives, the columns add up to the step."""
        plan, _, layers, _ = export(self.new_folder("whole"), "raider", "torus64", "--mode",
                                    "inference", "--parallelism", "data")
        nanoseconds = sum(phase.cycles for _, phases, _, _ in layers for phase in phases.values())
        self.near(nanoseconds, plan.plan["result"]["step_seconds"] * 1e9, "step", len(layers))

    def test_names_have_no_spaces(self):
        workload = {"format": "dsm-workload/1", "name": "spaces", "minibatch": 64, "layers": [
            {"name": "a layer  of mine", "type": "fc", "in": 256, "out": 256}]}
        folder = self.new_folder("spaces")
        (folder / "spaces.json").write_text(json.dumps(workload))
        _, _, layers, _ = export(folder, "spaces.json", "torus64")
        self.assertEqual(layers[0][0], "a_layer__of_mine")

    def test_names_stay_different(self):
        names = ["a b c", "a_b c", "a_b_c", "a_b_c_2", "x y", "x_y_2", "x_y 2"]
        workload = {"format": "dsm-workload/1", "name": "names", "minibatch": 64, "layers": [
            {"name": name, "type": "fc", "in": 256, "out": 256} for name in names]}
        folder = self.new_folder("names")
        (folder / "names.json").write_text(json.dumps(workload))
        _, _, layers, _ = export(folder, "names.json", "torus64")
        self.assertEqual([layer[0] for layer in layers],
                         ["a_b_c_3", "a_b_c_4", "a_b_c", "a_b_c_2", "x_y", "x_y_2", "x_y_2_2"])


class Folders(unittest.TestCase):
    """A folder is whole or not there at all."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="dsm-export-")
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        run("explore", "raider", "torus64", "-q", "-o", "plan.json", folder=self.path)

    def files(self):
        return sorted(str(path.relative_to(self.path)) for path in self.path.rglob("*"))

    def export(self, folder, code=0, plan="plan.json"):
        return run("export", plan, "--to", "astra-sim", "-o", folder, folder=self.path, code=code)

    def test_existing_folders(self):
        (self.path / "empty").mkdir()
        (self.path / "link").symlink_to("empty")
        self.export("link")
        self.assertTrue((self.path / "empty" / "workload.txt").is_file())
        before = self.files()
        self.assertIn("found one that has files", self.export("empty", code=5))
        self.assertIn("this one is an input", self.export("plan.json", code=2))
        (self.path / "file").write_text("x")
        self.assertIn("Not a directory", self.export("file", code=5))
        self.assertIn("No such file", self.export("no/such", code=5))
        self.assertEqual(self.files(), sorted([*before, "file"]))

    def test_an_empty_folder_stays_itself(self):
        """Its permissions, who is in it, and what is around it do not matter."""
        around = self.path / "around"
        empty = around / "empty"
        empty.mkdir(parents=True)
        empty.chmod(0o700)
        before = empty.stat()
        around.chmod(0o500)
        self.addCleanup(around.chmod, 0o700)
        run("export", "../../plan.json", "--to", "astra-sim", "-o", ".", folder=empty)
        after = empty.stat()
        self.assertEqual((before.st_ino, before.st_mode), (after.st_ino, after.st_mode))
        self.assertEqual(sorted(path.name for path in empty.iterdir()),
                         ["network.yml", "workload.txt"])

    def test_folders_without_permission(self):
        if os.geteuid() == 0:
            self.skipTest("root may do anything")
        for mode, text in ((0o000, "cannot read the folder"), (0o500, "cannot write")):
            folder = self.path / f"closed{mode:o}"
            folder.mkdir()
            folder.chmod(mode)
            self.addCleanup(folder.chmod, 0o700)
            self.assertIn(text, self.export(folder.name, code=5))

    def test_one_chip_has_no_network(self):
        run("explore", "raider", "torus64", "--set", "system.system.chips_x=1", "--set",
            "system.system.chips_y=1", "-q", "-o", "one.json", folder=self.path)
        before = self.files()
        self.assertIn("2 chips or more", self.export("out", code=4, plan="one.json"))
        self.assertEqual(self.files(), before)

    def test_two_exports_are_equal(self):
        self.export("a")
        self.export("b")
        for name in ("workload.txt", "network.yml"):
            self.assertEqual((self.path / "a" / name).read_bytes(),
                             (self.path / "b" / name).read_bytes())


if __name__ == "__main__":
    DSM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
