#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm export --to chakra`: the trace is read again, by the wire format of Protocol Buffers and the field numbers of
Chakra's et_def.proto, and compared and played with what the JSON of the plan says.

Usage: test_export_chakra.py DSM_BINARY [unittest's own arguments]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

DSM = None
COMPUTATION, COLLECTIVE = 4, 7
ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER = 0, 2, 7
OF_PASS = {"forward": (ALL_GATHER, "all_gather"), "backward": (REDUCE_SCATTER, "reduce_scatter"),
           "update": (ALL_REDUCE, "all_reduce")}
EXPLORATIONS = {
    "vgg16": ("vgg16", "torus64"),
    "resnet50, data": ("resnet50", "torus64", "--parallelism", "data"),
    "raider, model": ("raider", "torus64", "--parallelism", "model"),
    "raider, hybrid": ("raider", "torus64", "--parallelism", "model_x_data_y"),
    "gnmt": ("gnmt", "torus64"),
    "a parallelism per pass": ("gnmt", "torus64", "--optimize", "hybrid,per_pass"),
    "one column": ("vgg16", "torus64", "--set", "system.system.chips_x=1"),
    "one row": ("vgg16", "torus64", "--set", "system.system.chips_y=1"),
    "another clock": ("vgg16", "torus64", "--set", "system.core.frequency_GHz=1.5", "--set",
                      "workload.gradient_bytes=4"),
    "inference": ("resnet50", "torus64", "--mode", "inference"),
    "attention": ("bert_base", "torus64", "--parallelism", "data_x_model_y"),
    "stages": ("gnmt", "torus64", "--optimize", "all"),
    "three axes": ("vgg16", "tpu_v4_4096", "--minibatch", "8192", "--optimize", "hybrid,reuse,dysm", "--set",
                   "system.model.overlapped_reduction=false"),
    "a switch": ("resnet50", "dgx_a100", "--minibatch", "192"),
    "reductions hide": ("vgg16", "torus64", "--parallelism", "data", "--set",
                        "system.model.overlapped_reduction=true"),
}


def run(*arguments, folder, code=0):
    done = subprocess.run([DSM, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: exit {done.returncode}\n{done.stderr}")
    return done.stderr


# ---- the wire format (protobuf.dev, Encoding) ----

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            assert value < 2**64 and (byte > 0 or shift == 7), "not the shortest form"
            return value, at


def varints(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def fields(data):
    """Numbers and values, a value a number or bytes."""
    found, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        assert key & 7 in (0, 2), f"wire type {key & 7}"
        value, at = varint(data, at)
        if key & 7 == 2:
            assert at + value <= len(data), "a field goes over its message's end"
            value, at = data[at:at + value], at + value
        found.append((key >> 3, value))
    return found


def messages(data):
    found, at = [], 0
    while at < len(data):
        length, at = varint(data, at)
        assert at + length <= len(data), "a message goes over the file's end"
        found.append(data[at:at + length])
        at += length
    return found


# ---- et_def.proto ----

class Node:
    """Each field once, but attributes; each attribute of the kind that readers expect."""
    KINDS = {"is_cpu_op": 27, "comm_type": 9, "comm_size": 9, "involved_dim": 28}

    def __init__(self, data):
        alone = {}
        self.attributes = {}
        for number, value in fields(data):
            if number == 10:
                self.read_attribute(value)
            else:
                assert number in (1, 2, 3, 4, 5, 7) and number not in alone, number
                alone[number] = value
        self.id, self.type, self.micros = alone[1], alone[3], alone.get(7, 0)
        self.name = alone[2].decode("utf-8")
        self.control, self.data = varints(alone.get(4, b"")), varints(alone.get(5, b""))

    def read_attribute(self, data):
        (one, name), (kind, value) = fields(data)
        name = name.decode("ascii")
        assert one == 1 and kind == self.KINDS[name] and name not in self.attributes, name
        if kind == 28:
            ((one, value),) = fields(value)
            assert one == 1
            value = [bool(item) for item in varints(value)]
        self.attributes[name] = value


def read_trace(path):
    metadata, *nodes = messages(path.read_bytes())
    assert fields(metadata) == [(1, b"0.0.4")], metadata
    return [Node(data) for data in nodes]


def export(folder, *arguments):
    """Explores, exports, and reads both."""
    run("explore", *arguments, "-q", "-o", "plan.json", folder=folder)
    run("export", "plan.json", "--to", "chakra", "-o", "out/", folder=folder)
    out = folder / "out"
    assert sorted(path.name for path in out.iterdir()) == ["network.yml", "step.0.et"]
    return json.loads((folder / "plan.json").read_text()), read_trace(out / "step.0.et")


def play(nodes, micros_of):
    """When the last node ends: one computation and one collective at a time, the first in the file that may begin."""
    ends = {}
    free = {COMPUTATION: 0, COLLECTIVE: 0}
    waiting = list(nodes)
    while waiting:
        begins = [(max(free[node.type], *(ends.get(one, float("inf")) for one in [*node.control, *node.data]), 0),
                   place) for place, node in enumerate(waiting)]
        begin, place = min(begins)
        node = waiting.pop(place)
        ends[node.id] = free[node.type] = begin + micros_of(node)
    return max(ends.values())


class Chakra(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="dsm-chakra-")
        cls.exports = {name: export(cls.new_folder(name), *arguments)
                       for name, arguments in EXPLORATIONS.items()}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def new_folder(cls, name):
        path = pathlib.Path(cls.folder.name) / name
        path.mkdir()
        return path

    def each(self):
        """Every plan, with its nodes, which have names."""
        for plan, nodes in self.exports.values():
            yield plan, nodes, {node.name: node for node in nodes}

    def passes(self, plan):
        for layer in plan["layers"]:
            for kind, step in layer["passes"].items():
                yield layer, kind, step, f"{layer['name'].replace(' ', '_')}.{kind}"

    def micros(self, plan, cycles):
        return cycles / (plan["system"]["core"]["frequency_GHz"] * 1e3)

    def axes(self, plan):
        """Names and chips of those with two chips or more."""
        system = plan["system"]["system"]
        axes = system.get("axes") or [{"name": name, "chips": system[f"chips_{name}"]} for name in "xy"]
        return [(axis["name"], axis["chips"]) for axis in axes if axis["chips"] > 1]

    def shares_samples(self, parallelism, axis):
        """data, model, or a role and its axis after each other: data_x_model_y."""
        words = parallelism.split("_")
        return (words[0] if len(words) == 1 else words[words.index(axis) - 1]) == "data"

    def test_nodes(self):
        """Numbers count up, nothing waits for what comes later or twice for the same."""
        for _, nodes, by_name in self.each():
            self.assertEqual([node.id for node in nodes], list(range(1, len(nodes) + 1)))
            self.assertEqual(len(by_name), len(nodes))
            for node in nodes:
                self.assertIn(node.type, (COMPUTATION, COLLECTIVE))
                self.assertEqual(node.attributes["is_cpu_op"], 0)
                self.assertEqual(len({*node.data}), len(node.data), node.name)
                self.assertTrue(all(0 < one < node.id for one in node.control + node.data))

    def test_passes(self):
        for plan, nodes, by_name in self.each():
            expected = {name for _, _, _, name in self.passes(plan)}
            found = {node.name for node in nodes if node.type == COMPUTATION}
            self.assertEqual(found, expected)
            for node in nodes:
                if node.type == COLLECTIVE:
                    name, _, word = node.name.rpartition(".")
                    kind = name.rpartition(".")[2]
                    self.assertEqual((node.attributes["comm_type"], word), OF_PASS[kind])
                    self.assertEqual(node.data, [by_name[name].id])

    def collective_cycles(self, node, step, is_hidden_too):
        """What a collective stands for in its pass; None where the JSON does not say it."""
        kind = node.name.split(".")[-2]
        groups = step["groups"]
        if kind == "backward":
            return groups["rotation"]
        if kind == "update":
            hidden = step.get("hidden_cycles", 0) if is_hidden_too else 0
            return groups.get("sum_of_gradients", 0) + groups.get("broadcast_weights", 0) + hidden
        if len(step["invocations"]) > 1:
            return None
        used = {}
        for transfer in step["transfers"]:
            if transfer["overlapped"] and not transfer["name"].startswith("rotate"):
                used[transfer["link"]] = used.get(transfer["link"], 0) + transfer["cycles"]
        cycles = step["cycles"]
        longest = max(cycles["primary"], *used.values())
        return cycles["primary"] + cycles["overlapped_visible"] - longest

    def test_times(self):
        """A pass's total is what it computes and what its collective stands for."""
        for plan, nodes, by_name in self.each():
            for _, kind, step, name in self.passes(plan):
                sends = by_name.get(f"{name}.{OF_PASS[kind][1]}")
                left = 0 if sends is None else self.collective_cycles(sends, step, False)
                if left is not None:
                    expected = self.micros(plan, step["cycles"]["total"] - left)
                    self.assertLessEqual(abs(by_name[name].micros - expected), 1 + 1e-9 * expected, name)

    def test_played_with_the_times_of_the_plan_it_takes_the_step(self):
        """Also where sums of gradients hide: then a collective's time is all of it."""
        for plan, nodes, _ in self.each():
            steps = {name: step for _, _, step, name in self.passes(plan)}
            computed = {node.name: node.micros for node in nodes if node.type == COMPUTATION}

            def micros_of(node, plan=plan, steps=steps, computed=computed):
                if node.type == COMPUTATION:
                    return node.micros
                name = node.name.rpartition(".")[0]
                if name.endswith(".update"):
                    return self.micros(plan, self.collective_cycles(node, steps[name], True))
                return max(0, self.micros(plan, steps[name]["cycles"]["total"]) - computed[name])

            step = plan["result"]["step_seconds"] * 1e6
            self.assertLessEqual(abs(play(nodes, micros_of) - step), len(nodes) + 1e-9 * step, plan['system']['name'])

    def test_computations_add_up(self):
        """Rounding is of the ends of passes, so a thousand short ones are not a thousand roundings."""
        plan, nodes = export(self.new_folder("alone"), "resnet50", "torus64", "--mode", "inference",
                             "--parallelism", "data")
        self.assertEqual({node.type for node in nodes}, {COMPUTATION})
        self.assertEqual(sum(node.micros for node in nodes), round(plan["result"]["step_seconds"] * 1e6))

    def test_collectives(self):
        """They are where chips share out features, or samples; along the axes that do."""
        seen = set()
        for plan, nodes, by_name in self.each():
            there = self.axes(plan)
            for layer, kind, step, name in self.passes(plan):
                shares = [self.shares_samples(step["parallelism"], axis) == (kind == "update")
                          for axis, _ in there]
                sends = by_name.get(f"{name}.{OF_PASS[kind][1]}")
                moved = [one for one in step["transfers"]
                         if one["name"].startswith("rotate" if kind != "update" else "sum_of_gradients")]
                is_stage = layer["pipeline_group"] is not None
                if plan["system"]["model"].get("overlapped_reduction") and kind == "update":
                    self.assertEqual(sends is not None, any(shares) and not is_stage, name)
                elif not is_stage and any(shares):
                    self.assertEqual(sends is not None, len(moved) > 0, name)
                else:
                    self.assertIsNone(sends, name)
                if sends is not None:
                    seen.add(sends.attributes["comm_type"])
                    self.assertEqual(sends.attributes["involved_dim"], shares, name)
                    self.check_size(plan, kind, step, sends, *there[shares.index(True)])
        self.assertEqual(seen, {ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER})

    def check_size(self, plan, kind, step, sends, along, k):
        """The first axis of a collective moves a share of what the chip has, by its chips k."""
        if plan["system"]["model"].get("overlapped_reduction") or "axes" in plan["system"]["system"]:
            return
        word = ("sum_of_gradients_" if kind == "update" else "rotate_") + along
        moved = sum(one["bytes"] for one in step["transfers"]
                    if one["name"] == word and one["link"] == f"link_{along}")
        is_share = kind == "update" or plan["system"]["model"]["exact_rotation"]
        whole = moved * k / (k - 1) if is_share else moved
        if kind == "forward":
            whole /= step["feature_iterations"]
        self.assertLessEqual(abs(sends.attributes["comm_size"] - whole), 0.5 + 1e-9 * whole, sends.name)

    def test_dependencies(self):
        """Of a network with a shortcut, by hand: what a pass reads, and the order of the step."""
        layers = [{"name": "a", "type": "fc", "in": 256, "out": 256},
                  {"name": "b", "type": "fc", "in": 256, "out": 256},
                  {"name": "c", "type": "fc", "in": 256, "out": 256, "aux": [{"op": "residual", "from": "a"}]}]
        folder = self.new_folder("shortcut")
        (folder / "shortcut.json").write_text(json.dumps(
            {"format": "dsm-workload/1", "name": "shortcut", "minibatch": 64, "layers": layers}))
        _, nodes = export(folder, "shortcut.json", "torus64", "--parallelism", "data", "--mode", "training")
        names = {node.id: node.name for node in nodes}
        reduced = ".update.all_reduce"
        self.assertEqual(
            [(node.name, [names[one] for one in node.control], {names[one] for one in node.data})
             for node in nodes],
            [("a.forward", [], set()),
             ("b.forward", ["a.forward"], {"a.forward"}),
             ("c.forward", ["b.forward"], {"a.forward", "b.forward"}),
             ("c.update", ["c.forward"], {"c.forward"}),
             ("c" + reduced, [], {"c.update"}),
             ("c.backward", ["c" + reduced], {"c.forward"}),
             ("b.update", ["c.backward"], {"b.forward", "c.backward"}),
             ("b" + reduced, [], {"b.update"}),
             ("b.backward", ["b" + reduced], {"b.forward", "c.backward"}),
             ("a.update", ["b.backward"], {"a.forward", "b.backward", "c.backward"}),
             ("a" + reduced, [], {"a.update"})])

    def test_a_layer_read_twice_is_waited_for_once(self):
        layers = [{"name": "a", "type": "fc", "in": 256, "out": 256},
                  {"name": "b", "type": "fc", "in": 256, "out": 256, "aux": [{"op": "residual", "from": "a"}]}]
        folder = self.new_folder("twice")
        (folder / "twice.json").write_text(json.dumps(
            {"format": "dsm-workload/1", "name": "twice", "minibatch": 64, "layers": layers}))
        _, nodes = export(folder, "twice.json", "torus64", "--parallelism", "data")
        by_name = {node.name: node for node in nodes}
        self.assertEqual(by_name["b.forward"].data, [by_name["a.forward"].id])
        self.assertEqual(by_name["a.update"].data, [by_name["a.forward"].id, by_name["b.backward"].id])

    def test_hidden_sums_are_not_waited_for(self):
        _, nodes = self.exports["reductions hide"]
        sums = {node.id for node in nodes if node.attributes.get("comm_type") == ALL_REDUCE}
        self.assertTrue(sums)
        self.assertFalse([node.name for node in nodes if sums & {*node.control, *node.data}])

    def test_names(self):
        layers = [{"name": name, "type": "fc", "in": 256, "out": 256} for name in ("a b", "a_b", "\u00e4")]
        folder = self.new_folder("names")
        (folder / "names.json").write_text(json.dumps(
            {"format": "dsm-workload/1", "name": "names", "minibatch": 64, "layers": layers}))
        _, nodes = export(folder, "names.json", "torus64", "--mode", "inference", "--parallelism", "data")
        self.assertEqual([node.name for node in nodes], ["a_b_2.forward", "a_b.forward", "\u00e4.forward"])

    def test_network_is_the_one_of_astra_sim(self):
        folder = pathlib.Path(self.folder.name) / "vgg16"
        run("export", "plan.json", "--to", "astra-sim", "-o", "other", folder=folder)
        run("export", "plan.json", "--to", "chakra", "-o", "again", folder=folder)
        network = (folder / "out" / "network.yml").read_text()
        self.assertEqual(network, (folder / "other" / "network.yml").read_text())
        for name in ("network.yml", "step.0.et"):
            self.assertEqual((folder / "out" / name).read_bytes(), (folder / "again" / name).read_bytes())

    def test_network_of_switches(self):
        """Bandwidths are those that can be used, latencies those of a step, in nanoseconds."""
        plan, _ = self.exports["a switch"]
        axes = plan["system"]["system"]["axes"]
        text = (pathlib.Path(self.folder.name) / "a switch" / "out" / "network.yml").read_text()
        lists = {line.split(":")[0]: line[line.index("[") + 1:line.index("]")].split(",")
                 for line in text.splitlines()}
        self.assertEqual([item.strip() for item in lists["topology"]], ["Switch", "Switch"])
        for place, axis in enumerate(axes):
            usable = axis["bandwidth_GBps"] * axis["efficiency_ratio"] * 1e9
            self.assertLess(abs(float(lists["bandwidth"][place]) * 2**30 - usable), 1e-9 * usable)
            self.assertAlmostEqual(float(lists["latency"][place]), axis["latency_us"] * 1e3)

    def test_one_chip_has_no_network(self):
        folder = self.new_folder("one")
        run("explore", "raider", "chip1", "-q", "-o", "plan.json", folder=folder)
        self.assertIn("2 chips or more", run("export", "plan.json", "--to", "chakra", "-o", "out",
                                             folder=folder, code=4))
        self.assertEqual([path.name for path in folder.iterdir()], ["plan.json"])


if __name__ == "__main__":
    DSM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
