#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of ONNX as workloads: what they become, and what is said of those that are wrong.

Usage: test_onnx.py DSM
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import onnx_networks as networks
from onnx_writer import BOOL, FLOAT, FLOAT16, INT64, Model, field, node, tensor, value_info

DSM = ""
TESTDATA = pathlib.Path("/usr/share/libonnx-testdata/data")
DONE, INVALID = 0, 3


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, model, name="model.onnx"):
        path = pathlib.Path(self.folder.name, name)
        path.write_bytes(model if isinstance(model, bytes) else model.bytes())
        return str(path)

    def run_dsm(self, *arguments, limit=60):
        return subprocess.run([DSM, *arguments], capture_output=True, text=True, timeout=limit, check=False,
                              errors="replace")

    def imported(self, model, *options):
        """The layers of a model, by name, and what was said."""
        ran = self.run_dsm("import", self.write(model), *options)
        self.assertEqual(ran.returncode, DONE, ran.stderr)
        workload = json.loads(ran.stdout)
        again = pathlib.Path(self.folder.name, "again.json")
        again.write_text(ran.stdout)
        read = self.run_dsm("validate", str(again), "-q", "--format", "json")
        self.assertEqual(read.returncode, DONE, read.stderr)
        return workload, ran.stderr

    def refused(self, model, *options):
        ran = self.run_dsm("import", self.write(model), *options)
        self.assertEqual(ran.returncode, INVALID, ran.stdout + ran.stderr)
        self.assertEqual(ran.stdout, "")
        return ran.stderr


def ops(layer):
    return [one["op"] for one in layer.get("aux", [])]


class Networks(Case):
    def test_resnet50_is_the_bundled_one(self):
        path = self.write(networks.resnet50())
        plans = []
        for name in (path, "resnet50"):
            ran = self.run_dsm("explore", name, "torus64", "--minibatch", "256", "--format", "json")
            self.assertEqual(ran.returncode, DONE, ran.stderr)
            plans.append(json.loads(ran.stdout))
        for key in ("result", "layers"):
            self.assertEqual(plans[0][key], plans[1][key])

    def test_weights_and_order_do_not_matter(self):
        totals = set()
        for weights in ("initializers", "inputs", "constants", "external"):
            for shuffled in (False, True):
                path = self.write(networks.resnet50(weights, shuffled=shuffled))
                ran = self.run_dsm("describe", path, "--format", "json", "-q")
                described = json.loads(ran.stdout)
                text = json.dumps(described)
                totals.add(tuple(part for part in text.replace("}", ",").split(",")
                                 if '"parameters"' in part or '"forward_macs"' in part)[-2:])
        self.assertEqual(len(totals), 1)

    def test_small_network(self):
        workload, notes = self.imported(networks.small_cnn())
        self.assertEqual(notes, "")
        self.assertEqual(workload["input"], {"features": 3, "feature": [32, 32]})
        layers = {layer["name"]: layer for layer in workload["layers"]}
        self.assertEqual(list(layers), ["stem", "a", "b", "c", "d", "fc"])
        self.assertEqual(ops(layers["stem"]), ["batch_norm", "relu", "max_pool"])
        self.assertEqual(layers["b"]["aux"][1], {"op": "residual", "from": "stem"})
        self.assertEqual(layers["d"]["inputs"], ["b"])
        self.assertEqual(ops(layers["c"])[-1], "avg_pool")
        self.assertEqual(layers["fc"]["inputs"], ["c", "d"])
        self.assertEqual(ops(layers["fc"]), ["bias", "softmax"])

    def test_recurrent(self):
        workload, _ = self.imported(networks.recurrent())
        both, one, last = workload["layers"]
        self.assertEqual((both["type"], both["in"], both["out"], both["timesteps"], both["bidirectional"]),
                         ("lstm", 20, 30, 7, True))
        self.assertEqual((one["in"], one["out"], one["timesteps"]), (60, 40, 7))
        self.assertEqual((last["type"], last["in"], last["out"]), ("fc", 40, 5))
        self.assertNotIn("timesteps", last)

    def test_biases_that_come_in(self):
        """Of four products of 768 features, one to 3072 and one back; and of norms a scale and a shift."""
        for weights in ("initializers", "inputs", "constants"):
            for decomposed in (False, True):
                path = self.write(networks.block_of_bert(weights, decomposed))
                ran = self.run_dsm("describe", path, "--format", "json")
                self.assertEqual(ran.returncode, DONE, ran.stderr)
                totals = json.loads(ran.stdout)["items"][0]["totals"]
                self.assertEqual((totals["biases"], totals["norms"], totals["weights"]),
                                 (6912, 2 * 2 * 768, 4 * 768 * 768 + 2 * 768 * 3072), weights)
                self.assertNotIn("spread over", ran.stderr)

    def test_both_biases_of_a_cell(self):
        """An LSTM has 4 gates of as many biases as hidden units, for its input and again for these, in each direction."""
        for op, gates, extra in (("LSTM", 4, []), ("RNN", 1, ["tanh"])):
            m = Model()
            m.add(op, m.input("x", [5, 1, 6]), m.weight([1, gates * 8, 6]), m.weight([1, gates * 8, 8]),
                  m.weight([1, 2 * gates * 8]), name="cell", hidden_size=8)
            layers = self.imported(m)[0]["layers"]
            ran = self.run_dsm("describe", self.write(m), "--format", "json", "-q")
            self.assertEqual(json.loads(ran.stdout)["items"][0]["totals"]["biases"], 2 * gates * 8)
            self.assertEqual([one for layer in layers for one in ops(layer)], ["bias", "bias", *extra])
        ran = self.run_dsm("describe", self.write(networks.recurrent()), "--format", "json", "-q")
        self.assertEqual(json.loads(ran.stdout)["items"][0]["totals"]["biases"], 2 * 240 + 5)

    def test_unet(self):
        workload, notes = self.imported(networks.unet())
        self.assertEqual(notes, "")
        self.assertEqual(workload["minibatch"], 2)
        layers = {layer["name"]: layer for layer in workload["layers"]}
        self.assertEqual(layers["up"]["type"], "conv_transpose")
        self.assertEqual(layers["joined"]["inputs"], ["up", "down1"])
        self.assertEqual(layers["wide"]["aux"][0], {"op": "upsample", "factor": [2, 2]})

    def test_transformer(self):
        model = networks.bert(blocks=1, hidden=64, heads=4, positions=16, vocabulary=100)
        workload, notes = self.imported(model, "--dimension", "sequence=16", "--strict")
        self.assertEqual(notes, "")
        layers = {layer["name"]: layer for layer in workload["layers"]}
        self.assertEqual(list(layers), ["embed"] + ["encoder.0." + name for name in
                                                    ("query", "key", "value", "attention", "output", "ff1", "ff2")]
                         + ["pooler"])
        self.assertEqual((layers["embed"]["vocabulary"], layers["embed"]["learned_positions"]), (100, True))
        self.assertEqual(layers["encoder.0.attention"],
                         {"name": "encoder.0.attention", "type": "attention",
                          "inputs": ["encoder.0.query", "encoder.0.key", "encoder.0.value"], "positions": 16,
                          "heads": 4, "head_features": 16})
        self.assertEqual(ops(layers["encoder.0.ff1"]), ["bias", "gelu"])
        self.assertEqual(ops(layers["encoder.0.ff2"]), ["bias", "residual", "layer_norm"])
        self.assertEqual(layers["pooler"]["aux"][0], {"op": "select", "positions": 1})

    def test_norms_decomposed_or_not(self):
        texts = []
        for decomposed in (False, True):
            model = networks.bert(blocks=2, hidden=64, heads=4, positions=16, vocabulary=100, decomposed=decomposed)
            texts.append(self.imported(model, "--dimension", "sequence=16")[0])
        self.assertEqual(texts[0], texts[1])

    def test_norms_of_what_is_read(self):
        workload, said = self.imported(networks.pre_norm())
        self.assertNotIn("does itself", said)
        layers = {layer["name"]: layer for layer in workload["layers"]}
        self.assertEqual(layers["attention"]["inputs"], ["qkv"])
        self.assertEqual(layers["qkv"]["aux"][0], {"op": "layer_norm", "on": "input"})
        self.assertEqual(ops(layers["gate"]), ["layer_norm", "bias", "silu"])
        self.assertEqual(layers["up"]["aux"][0], {"op": "layer_norm", "on": "input", "from": "gate"})
        self.assertEqual(layers["up"]["aux"][-1], {"op": "multiply", "from": "gate"})
        self.assertEqual(layers["down"]["aux"][-1], {"op": "residual", "from": "out"})

    def test_token_beside_patches(self):
        workload, said = self.imported(networks.patches(2))
        layers = {layer["name"]: layer for layer in workload["layers"]}
        self.assertIn('node "token" (Concat): note: joins tokens, whose places are patches more', said)
        self.assertEqual([layers["patches"][key] for key in ("type", "in", "out", "positions")], ["fc", 48, 16, 7])
        self.assertEqual([layers["token"][key] for key in ("type", "vocabulary", "learned_positions", "inputs", "aux")],
                         ["embedding", 1, True, ["@input"], [{"op": "residual", "from": "patches"}]])
        self.assertEqual(layers["mixed"]["aux"][-1], {"op": "residual", "from": "token"})
        self.assertEqual((workload["minibatch"], layers["class"]["aux"][0]["positions"]), (2, 1))

    def test_several_tokens(self):
        """Of a class and of a distilled one, as two inputs or one."""
        made = [self.imported(model)[0]["layers"] for model in (networks.vit(1, tokens=2),)]
        layers = {layer["name"]: layer for layer in made[0]}
        self.assertEqual([layers["patches"][key] for key in ("type", "positions")], ["fc", 11])
        self.assertEqual([layers["tokens"][key] for key in ("vocabulary", "learned_positions")], [2, True])
        layers = {layer["name"]: layer for layer in self.imported(networks.patches(token=2))[0]["layers"]}
        self.assertEqual((layers["patches"]["positions"], layers["token"]["vocabulary"]), (8, 2))

    def test_both_heads_of_two_tokens(self):
        m = networks.vit(1, tokens=2, heads_of=2)
        layers = {layer["name"]: layer for layer in self.imported(m)[0]["layers"]}
        self.assertEqual(layers["class"]["aux"][:2],
                         [{"op": "layer_norm", "on": "input"}, {"op": "select", "positions": 1}])
        self.assertEqual(layers["distilled"]["aux"][:2],
                         [{"op": "layer_norm", "from": "class", "on": "input"}, {"op": "select", "positions": 1}])
        self.assertEqual(layers["distilled"]["aux"][-1], {"op": "residual", "from": "class"})

    def test_other_rows_beside_patches(self):
        for model in (networks.patches(token=9), networks.patches(kernel=5)):
            self.refused(model)

    def test_padding_apart_and_lengths(self):
        m = Model()
        x = m.add("Pad", m.input("x", [1, 2, 9]), m.ints([0, 0, 1, 0, 0, 2]))
        m.output(m.add("Conv", x, m.weight([4, 2, 4]), name="line", kernel_shape=[4], strides=[3]))
        layer = self.imported(m)[0]["layers"][0]
        self.assertEqual((layer["feature"], layer["kernel"], layer["stride"]), ([3, 1], [4, 1], [3, 1]))

    def test_masks_are_noted_and_weights_shared(self):
        m = Model()
        w = m.weight([8, 8])
        q, k, v = (m.add("MatMul", m.input("x", [1, 4, 8]) if i == 0 else "x", w) for i in range(3))
        scores = m.add("Add", m.add("MatMul", q, m.add("Transpose", k, perm=[0, 2, 1])), m.weight([4, 4]))
        m.output(m.add("MatMul", m.add("Softmax", scores), v))
        workload, notes = self.imported(m)
        self.assertEqual([layer["type"] for layer in workload["layers"]], ["fc", "fc", "fc", "attention"])
        self.assertIn("is a mask that is not looked at", notes)
        self.assertEqual([layer.get("tied_to") for layer in workload["layers"]],
                         [None, "MatMul_0", "MatMul_0", None])

    def test_torch_encoder(self):
        """Positions or samples first, heads apart or not: one network."""
        for ids in (False, True):
            made = [self.imported(networks.torch_encoder(1, samples=samples, first=first, fused=fused, ids=ids),
                                  "--minibatch", "3", "--strict")[0]["layers"]
                    for samples in (1, 3) for first in ("positions", "samples") for fused in (False, True)]
            for other in made[1:]:
                self.assertEqual(made[0], other)
            names = ["embed"] + ["encoder.0." + name for name in
                                 ("in_proj", "attention", "out_proj", "linear1", "linear2")] + ["class"]
            self.assertEqual([layer["name"] for layer in made[0]], names)
            self.assertEqual([made[0][2][key] for key in ("inputs", "positions", "heads", "head_features")],
                             [["encoder.0.in_proj"], 12, 4, 8])
            self.assertEqual(made[0][-1]["aux"][0], {"op": "select", "positions": 1})

    def test_samples_of_either_axis(self):
        workload = self.imported(networks.torch_encoder(1, samples=3))[0]
        self.assertEqual((workload["minibatch"], workload["input"]), (3, {"features": 32, "feature": [12, 1]}))
        m = networks.torch_encoder(1, positions="s", samples="b")
        self.assertEqual(self.imported(m, "--dimension", "s=12", "--dimension", "b=3")[0], workload)
        self.refused(m, "--dimension", "b=3")

    def test_turned_by_positions(self):
        """However sines are computed, and in whatever order elements change places."""
        for ids in (False, True):
            for waves in ("constants", "computed", "tables"):
                for turn in (networks.turn, networks.turn_pairs):
                    model = networks.llama(1, waves=waves, ids=ids, turn=turn)
                    workload, _ = self.imported(model, "--dimension", "sequence=12", "--strict")
                    layers = {layer["name"]: layer for layer in workload["layers"]}
                    self.assertEqual(len(layers), 10)
                    for name in ("q", "k"):
                        self.assertIn({"op": "rotary", "share": 1}, layers["decoder.0." + name]["aux"])
                    self.assertNotIn("rotary", ops(layers["decoder.0.v"]))
        layers = self.imported(networks.llama(1, turned=2), "--dimension", "sequence=12", "--strict")[0]["layers"]
        self.assertEqual([layer["aux"][1] for layer in layers[1:3]], [{"op": "rotary", "share": 0.25}] * 2)

    def turned(self, change):
        """An fc behind which a sum is like one that turns, but for a change."""
        m = Model()
        x = m.add("MatMul", m.input("x", [1, 6, 8]), m.weight([8, 8]), name="it")
        y = change(m, x)
        m.output(m.add("MatMul", y, m.weight([8, 8])))
        workload, notes = self.imported(m)
        return ops(workload["layers"][0]), notes

    def test_sums_that_do_not_turn(self):
        def sum_of(m, x, halves, factor=None):
            waves = [m.weight([1, 6, 8]) for _ in range(2)]
            return m.add("Add", m.add("Mul", factor or x, waves[0]), m.add("Mul", halves, waves[1]))

        def halves_of(m, x, negate=True):
            low, high = m.add("Split", x, axis=2, outputs=2)
            high = m.add("Neg", high) if negate else high
            return m.add("Concat", high, low, axis=-1)
        self.assertEqual(self.turned(lambda m, x: sum_of(m, x, halves_of(m, x))), (["rotary"], ""))
        for change in (lambda m, x: sum_of(m, x, halves_of(m, x, False)),
                       lambda m, x: sum_of(m, x, halves_of(m, x), m.add("Relu", x))):
            names, notes = self.turned(change)
            self.assertNotIn("rotary", names)
            self.assertIn("note", notes)

    def test_a_product_that_others_read_too(self):
        """Both products of a sum that turns go on; all that read a value stay known."""
        m = Model()
        x = m.add("MatMul", m.input("x", [1, 6, 8]), m.weight([8, 8]))
        low, high = m.add("Split", x, axis=2, outputs=2)
        turned = m.add("Concat", m.add("Neg", high), low, axis=-1)
        left, right = m.add("Mul", x, m.weight([1, 6, 8])), m.add("Mul", turned, m.weight([1, 6, 8]))
        for name in (m.add("Add", left, right), left, right):
            m.output(m.add("MatMul", name, m.weight([8, 4])))
        workload, _ = self.imported(m)
        self.assertEqual(len(workload["layers"]), 4)
        self.assertEqual(ops(workload["layers"][0]), [])

    def test_what_is_made_of_constants(self):
        """Weights that a node cuts, adds up or pools on the way are weights."""
        for change in (lambda m, w: m.add("Split", w, axis=1, outputs=2)[0], lambda m, w: m.add("Sum", w, m.weight([8, 4])),
                       lambda m, w: m.add("Mean", m.weight([8, 1]), w)):
            m = Model()
            width = 8 if change(Model(), "w") == "v1" else 4
            m.output(m.add("MatMul", m.input("x", [2, 8]), change(m, m.weight([8, width]))))
            layers = self.imported(m)[0]["layers"]
            self.assertEqual([(layer["in"], layer["out"]) for layer in layers], [(8, 4)])
        m = Model()
        kernel = m.add("GlobalAveragePool", m.weight([4, 3, 5, 5]))
        m.output(m.add("Conv", m.input("x", [1, 3, 8, 8]), kernel))
        layer = self.imported(m)[0]["layers"][0]
        self.assertEqual((layer["in"], layer["out"], layer.get("kernel", [1, 1])), (3, 4, [1, 1]))

    def attention_of(self, **options):
        workload, notes = self.imported(networks.gpt2(blocks=1, **options), "--dimension", "sequence=12")
        layers = {layer["name"]: layer for layer in workload["layers"]}
        return layers["decoder.0.attention"].get("causal", False), layers["head"].get("tied_to"), notes

    def test_causal_masks(self):
        for mask in networks.MASKS:
            for room in (12, 16):
                self.assertEqual(self.attention_of(mask=mask, room=room), (True, "tokens", ""), mask)
        self.assertEqual(self.attention_of(mask=None)[0], False)

    def masked(self, mask, queries=4, keys=4):
        """Attention whose scores a function masks; whether it is causal, and what is said."""
        m = Model()
        x = m.add("MatMul", m.input("x", [1, keys, 8]), m.weight([8, 8]))
        last = m.add("Slice", x, m.ints([-queries]), m.ints([keys]), m.ints([1])) if queries < keys else x
        q, k, v = (m.add("MatMul", y, m.weight([8, 8])) for y in (last, x, x))
        scores = m.add("MatMul", q, m.add("Transpose", k, perm=[0, 2, 1]))
        m.output(m.add("MatMul", m.add("Softmax", mask(m, scores)), v))
        workload, notes = self.imported(m)
        return workload["layers"][-1].get("causal", False), notes.count("mask that is not looked at")

    def test_masks_by_their_numbers(self):
        def added(low, high, diagonal=0, raw=True, kind=FLOAT):
            return lambda m, x: m.add("Add", x, m.data([4, 4], networks.triangle(4, low, high, diagonal), kind, raw))
        self.assertEqual(self.masked(added(0.0, -1e4)), (True, 0))
        self.assertEqual(self.masked(added(0.0, -65504.0, kind=FLOAT16)), (True, 0))
        self.assertEqual(self.masked(added(0.0, float("-inf"), raw=False)), (True, 0))
        self.assertEqual(self.masked(added(0.0, 0.0)), (False, 0))  # hides nothing
        for other in (added(0.0, -2.0), added(-1e4, 0.0), added(0.0, -1e4, 1), added(0.0, -1e4, -1),
                      added(0.0, float("nan")), lambda m, x: m.add("Sub", x, m.data([4, 4], networks.triangle(4, 0, -9e9))),
                      lambda m, x: m.add("Add", x, m.data([4, 4], [0.0] * 3 + [-1e4] * 13)),
                      lambda m, x: m.add("Add", x, m.data([4, 1], [-1e4] * 3 + [0.0])),
                      lambda m, x: m.add("Add", x, m.input("mask", [1, 1, 4])),
                      lambda m, x: m.add("Add", x, m.data([4, 4], [0.0] * 9))):
            self.assertEqual(self.masked(other), (False, 1))

    def test_masks_chosen_and_joined(self):
        def where(m, x, *triangle, turned=False):
            mask = m.data([4, 4], networks.triangle(4, *triangle), BOOL)
            low = m.floats([float("-inf")], [])
            return m.add("Where", mask, *((low, x) if turned else (x, low)))
        self.assertEqual(self.masked(lambda m, x: where(m, x, 1, 0)), (True, 0))
        self.assertEqual(self.masked(lambda m, x: where(m, x, 0, 1, turned=True)), (True, 0))
        self.assertEqual(self.masked(lambda m, x: where(m, x, 0, 1)), (False, 1))

        def inverted(m, x):
            upper = m.add("Not", m.data([4, 4], networks.triangle(4, 1, 0), BOOL))
            return m.add("Where", upper, m.floats([-1e9], []), x)
        self.assertEqual(self.masked(inverted), (True, 0))

        def padded(m, x):
            """Which words only fill a sentence up is not known, and not looked at."""
            causal = m.data([4, 4], networks.triangle(4, 0.0, -1e9))
            filled = m.add("Equal", m.input("mask", [1, 1, 4]), m.floats([0.0], []))
            return m.add("Add", x, m.add("Where", filled, m.floats([-1e9], []), causal))
        self.assertEqual(self.masked(padded), (True, 1))

        def both(m, x):
            filled = m.add("Cast", m.input("mask", [1, 1, 4]), to=BOOL)
            seen = m.add("And", filled, m.data([4, 4], networks.triangle(4, 1, 0), BOOL))
            return m.add("Where", seen, x, m.floats([-1e9], []))
        self.assertEqual(self.masked(both), (True, 1))

        def multiplied(m, x):
            return m.add("Mul", x, m.data([4, 4], networks.triangle(4, 1.0, 0.0)))
        self.assertEqual(self.masked(multiplied), (False, 1))

    def test_masks_of_later_queries(self):
        """Of 8 keys the last 4 are the queries' own positions."""
        for diagonal, found in ((4, (True, 0)), (0, (False, 1))):
            numbers = [0.0 if j - i <= diagonal else -1e9 for i in range(4) for j in range(8)]
            self.assertEqual(self.masked(lambda m, x: m.add("Add", x, m.data([4, 8], numbers)), 4, 8), found)

    def test_weights_that_are_there_twice(self):
        for head in ("turned", "transposed", "copied"):
            self.assertEqual(self.attention_of(head=head)[1], "tokens", head)
        self.assertEqual(self.attention_of(head="apart")[1], None)
        m = Model()  # weights that are all one number, or stand elsewhere, are not the same
        x = m.input("x", [1, 8])
        for numbers in ([0.5] * 64, [0.5] * 64, None, None):
            x = m.add("MatMul", x, m.data([8, 8], numbers) if numbers else m.weight([8, 8]))
        m.output(x)
        self.assertEqual({layer.get("tied_to") for layer in self.imported(m)[0]["layers"]}, {None})

    def test_plain_cell_is_two_layers(self):
        m = Model()
        m.add("RNN", m.input("x", [5, 1, 6]), m.weight([1, 8, 6]), m.weight([1, 8, 8]), name="cell", hidden_size=8)
        workload, notes = self.imported(m)
        self.assertEqual([(layer["in"], layer["out"], layer["timesteps"]) for layer in workload["layers"]],
                         [(6, 8, 5), (8, 8, 5)])
        self.assertIn("is written as two fc", notes)

    def test_every_command_takes_it(self):
        path = self.write(networks.small_cnn())
        for command in (["validate", path], ["describe", path], ["explore", path, "chip1"],
                        ["explore", path, "chip1", "--set", "workload.layers.c.out=8"],
                        ["partition", path, "cpu_2gpu"],
                        ["sweep", path, "chip1", "--vary", "workload.minibatch=1,2", "--database",
                         str(pathlib.Path(self.folder.name, "d.sqlite"))]):
            ran = self.run_dsm(*command)
            self.assertEqual(ran.returncode, DONE, f"{command}: {ran.stderr}")

    def test_options(self):
        path = self.write(networks.small_cnn())
        made = pathlib.Path(self.folder.name, "made.json")
        ran = self.run_dsm("import", path, "--from", "onnx", "--minibatch", "32", "-o", str(made))
        self.assertEqual((ran.returncode, ran.stdout), (DONE, ""))
        self.assertEqual(json.loads(made.read_text())["minibatch"], 32)
        self.assertEqual(self.imported(networks.small_cnn(), "--dimension", "batch=4")[0]["minibatch"], 4)
        with open(path, "rb") as file:
            piped = subprocess.run([DSM, "import", "-"], stdin=file, capture_output=True, check=False)
        self.assertEqual(piped.returncode, DONE)


class Wrong(Case):
    def expect(self, model, *parts, options=()):
        said = self.refused(model, *options)
        for part in parts:
            self.assertIn(part, said)

    def model_of(self, op, *shapes, **attributes):
        m = Model()
        inputs = [m.input("x", shapes[0])] + [m.weight(shape) for shape in shapes[1:]]
        m.output(m.add(op, *inputs, name="it", **attributes))
        return m

    def test_operators_that_are_not_known(self):
        m = networks.small_cnn()
        m.output(m.add("Attention", m.outputs[0], name="odd", domain="com.microsoft"))
        self.expect(m, 'node "odd" (Attention): error: expected an operator that can be read, found '
                       "com.microsoft.Attention")

    def test_shapes_that_do_not_fit(self):
        self.expect(self.model_of("Conv", [1, 3, 8, 8], [4, 5, 3, 3]), 'node "it" (Conv): error: expected weights of 4')
        self.expect(self.model_of("Conv", [1, 3, 2, 2], [4, 3, 3, 3]), "expected a window within the padded side of 2")
        self.expect(self.model_of("Conv", [1, 3, 8, 8, 8], [4, 3, 3, 3, 3]), "expected an input of 3 or 4 dimensions")
        self.expect(self.model_of("Gemm", [1, 8], [9, 4]), "expected rows of features")
        self.expect(self.model_of("MatMul", [1, 8], [9, 4]), "expected matrices that can be multiplied")
        self.expect(self.model_of("LSTM", [5, 1, 8], [1, 16, 9], [1, 16, 4]), "expected an input of timesteps")

    def test_dimensions_without_a_size(self):
        m = Model()
        m.output(m.add("MatMul", m.input("x", ["batch", "sequence", 8]), m.weight([8, 4])))
        self.expect(m, 'expected the size of dimension 1 of input "x", found none (--dimension sequence=N)')
        m = Model()
        m.output(m.add("MatMul", m.input("x", ["batch", 0, 8]), m.weight([8, 4])))
        self.expect(m, "(--dimension x.1=N)")
        self.assertEqual(self.imported(m, "--dimension", "x.1=6")[0]["layers"][0]["positions"], 6)

    def test_sizes_that_overflow(self):
        for size in (1 << 63, (1 << 63) - 1, 1 << 62, 1 << 40, 1 << 31):
            for shapes in ([[1, size, 1, 1], [4, size, 1, 1]], [[1, 3, size, size], [4, 3, 1, 1]],
                           [[1, 3, 4, 4], [size, 3, 1, 1]], [[1, 3, 4, 4], [4, 3, size, size]]):
                self.expect(self.model_of("Conv", *shapes), "error: expected")
            if size < 1 << 63:  # else it is negative, which says that it is open
                self.expect(self.model_of("Conv", [size, 3, 4, 4], [4, 3, 1, 1]), "error: expected")
            self.expect(self.model_of("Gemm", [1, size], [size, size]), "error: expected")
        for pads in ([1 << 62] * 4, [-1] * 4, [0, 0, 0], [1 << 20] * 4):
            self.expect(self.model_of("Conv", [1, 3, 4, 4], [4, 3, 3, 3], pads=pads), "error: expected")
        for strides in ([0, 0], [-1, 1], [1 << 60, 1]):
            self.expect(self.model_of("Conv", [1, 3, 4, 4], [4, 3, 3, 3], strides=strides), "error: expected")

    def test_cycles_and_loose_ends(self):
        m = Model()
        m.input("x", [1, 4])
        m.nodes += [node("Relu", ["b"], ["a"], "first"), node("Relu", ["a"], ["b"], "second")]
        self.expect(m, 'node "first" (Relu): error: expected a graph without cycles')
        m = Model()
        m.nodes.append(node("Relu", ["nowhere"], ["a"], "loose"))
        self.expect(m, 'node "loose" (Relu): error: expected an input that is made somewhere, found "nowhere"')
        m = networks.small_cnn()
        m.nodes.append(node("Relu", ["v1"], ["v2"], "twice"))
        self.expect(m, 'node "twice" (Relu): error: expected a value that no other node makes, found "v2"')

    def test_nodes_that_make_nothing(self):
        """Of operators that are read, at the end of a network; what may be left out may be."""
        for op, rest in (("Cast", {"to": 1}), ("Transpose", {}), ("Identity", {}), ("Relu", {}), ("MatMul", {}),
                         ("Add", {}), ("Split", {"axis": 1}), ("Constant", {"value_int": 1}), ("LSTM", {})):
            for made in ([], [""], ["", "other"]):
                if op in ("Split", "LSTM") and len(made) > 1:
                    continue
                m = networks.small_cnn()
                inputs = [] if op == "Constant" else [m.outputs[0]] + [m.weight([10, 10])] * (op in ("MatMul", "Add"))
                m.nodes.append(node(op, inputs, made, "it", **rest))
                self.expect(m, f'node "it" ({op}): error: expected an output that it makes, found none')
        m = Model()
        m.nodes.append(node("Cast", [m.input("x", [3, 4])], [], to=8))
        self.expect(m, "node 0 (Cast): error: expected an output that it makes, found none")
        m = Model()
        x = m.add("MatMul", m.input("x", [4, 8]), m.weight([8, 6]))
        m.nodes.append(node("Split", [x], ["", "half"], axis=1))
        m.output("half")
        self.assertEqual(len(self.imported(m)[0]["layers"]), 1)

    def test_keys_that_no_layer_makes(self):
        m = Model()
        queries = m.add("Reshape", m.add("MatMul", m.input("x", [1, 4, 8]), m.weight([8, 8])), m.ints([1, 1, 4, 8]))
        scores = m.add("MatMul", queries, m.input("keys", [1, 1, 8, 4]))
        m.output(m.add("MatMul", m.add("Softmax", scores), m.input("values", [1, 1, 4, 8]), name="it"))
        self.expect(m, 'node "it" (MatMul): error: expected queries, keys and values that a layer each delivers')

    def test_sides_that_an_input_lacks(self):
        for shape in ([], [4], [1, 4]):
            self.expect(self.model_of("Conv", shape, [4] * len(shape)), "expected an input of 3 or 4 dimensions, found")

    def test_numbers_of_a_place_each(self):
        """64 numbers across as many others are 4,096, of which these are not the first."""
        m = Model()
        places = m.add("Where", m.data([64, 1], [1] * 64, BOOL), m.data([64, 1], range(64), INT64),
                       m.data([1, 64], range(64), INT64))
        shape = m.add("Slice", m.add("Reshape", places, m.ints([4096])), m.ints([0]), m.ints([4096]))
        m.output(m.add("Reshape", m.input("x", [1, 4096]), shape, name="it"))
        self.expect(m, 'node "it" (Reshape): error: expected a shape that is constant or made of shapes')

    def test_declared_outputs_hold(self):
        m = self.model_of("Conv", [1, 3, 8, 8], [4, 3, 3, 3])
        m.outputs.clear()
        data = m.bytes().replace(field(8, field(1, "") + field(2, 13)), b"")
        graph = b"".join(field(1, one) for one in m.nodes) + b"".join(field(5, one) for one in m.initializers)
        graph += b"".join(field(11, one) for one in m.inputs) + field(12, value_info("v2", [1, 4, 7, 6]))
        self.assertTrue(data)
        self.expect(field(1, 8) + field(7, graph) + field(8, field(2, 13)),
                    "expected an output of the declared size, 7 along dimension 2, found 6")

    def test_notes_are_errors_where_asked(self):
        m = Model()
        x = m.add("Conv", m.input("x", [1, 3, 8, 8]), m.weight([4, 3, 1, 1]), name="c")
        m.output(m.add("LRN", x, name="norm", size=5))
        self.assertIn('node "norm" (LRN): note: is left out', self.imported(m)[1])
        self.expect(m, 'node "norm" (LRN): error: is left out', options=["--strict"])

    def test_versions_and_nothing(self):
        m = networks.small_cnn(Model(opset=6))
        self.expect(m, "expected operators of version 7 to 20, found 6")
        self.expect(Model(), "expected 1 to 12000 layers that multiply, found 0")
        self.expect(b"", "expected an ONNX model with a graph, found none")
        self.expect(b"\x08\x08", "found none")

    def test_usage(self):
        path = self.write(networks.small_cnn())
        for option in ("batch", "batch=", "=3", "batch=0", "batch=99999999999"):
            ran = self.run_dsm("import", path, "--dimension", option)
            self.assertEqual(ran.returncode, 2)
            self.assertIn("--dimension: expected NAME=N", ran.stderr)
        self.assertEqual(self.run_dsm("import", path, "--from", "tensor").returncode, 2)


class Hostile(Case):
    """Whatever the bytes are: a workload, or one message; in no time."""

    def check(self, data):
        ran = self.run_dsm("import", self.write(data), limit=10)
        self.assertIn(ran.returncode, (DONE, INVALID), ran.stderr)
        self.assertEqual(ran.returncode == DONE, "error" not in ran.stderr, ran.stderr)

    def test_truncated(self):
        data = networks.small_cnn().bytes()
        for length in range(0, len(data), 23):
            self.check(data[:length])

    def test_changed(self):
        chosen = random.Random(17)
        seeds = [networks.small_cnn().bytes(), networks.recurrent().bytes(), networks.unet().bytes(),
                 networks.pre_norm().bytes(), networks.gpt2(1, 8, 2, 6, 12, "compared").bytes(),
                 networks.gpt2(1, 8, 2, 6, 12, room=9).bytes(), networks.bert(1, 64, 4, 16, 100).bytes(),
                 networks.llama(1, 8, 2, 1, 12, 6, 12, "computed").bytes(),
                 networks.llama(1, 8, 2, 2, 12, 6, 12, "tables", 2, ids=True).bytes(),
                 networks.torch_encoder(1, 8, 2, 5).bytes(), networks.torch_encoder(1, 8, 2, 5, ids=True).bytes()]
        for _ in range(300):
            data = bytearray(chosen.choice(seeds))
            for _ in range(chosen.randint(1, 6)):
                at = chosen.randrange(len(data))
                data[at] = chosen.choice([0, 1, 0x7F, 0x80, 0xFF, chosen.randrange(256)])
            self.check(bytes(data))

    def test_deep_and_wide(self):
        nested = b""
        for _ in range(20000):
            nested = field(6, field(1, nested))
        self.check(field(1, 8) + field(7, field(1, field(4, "If") + field(5, nested))) + field(8, field(2, 13)))
        self.check(field(1, 8) + field(7, field(1, b"") * 300000) + field(8, field(2, 13)))
        self.check(field(1, 8) + field(7, field(11, value_info("x", [1] * 5000))) + field(8, field(2, 13)))
        m = Model()
        x = m.add("Conv", m.input("x", [1, 1, 8, 8]), m.weight([1, 1, 1, 1]))
        for _ in range(60):
            x = m.add("Concat", x, x, axis=1)
        self.check(m.bytes())

    def test_growing_lists(self):
        m = Model()
        x = m.add("Conv", m.input("x", [1, 1, 8, 8]), m.weight([1, 1, 1, 1]))
        y = x
        for _ in range(5000):
            y = m.add("Concat", y, x, axis=1)
        self.check(m.bytes())

    def test_wrong_types(self):
        self.check(field(1, "text") + field(7, 5) + field(8, 1))
        self.check(field(1, 8) + field(7, field(1, 7) + field(5, 7) + field(11, 7)) + field(8, field(2, 13)))
        self.check(field(1, 8) + field(7, field(5, tensor("w", [-1, 1 << 62], FLOAT))) + field(8, field(2, 13)))
        self.check(field(1, 8) + field(7, field(5, tensor("w", [3], INT64, [1], raw=False))) + field(8, field(2, 13)))


@unittest.skipUnless(TESTDATA.is_dir(), "libonnx-testdata is not installed")
class Testdata(Case):
    """Models of Debian's libonnx-testdata, a node or two each, with the shapes of their outputs."""
    READ = ("conv_with_strides_padding", "conv_with_autopad_same", "convtranspose_output_shape",
            "convtranspose_autopad_same", "gemm_transposeB", "lstm_batchwise", "gru_defaults", "matmul_2d",
            "lstm_with_peepholes", "simple_rnn_defaults")

    def test_all(self):
        read = set()
        for path in sorted(TESTDATA.rglob("model.onnx")):
            ran = self.run_dsm("import", str(path), limit=10)
            self.assertIn(ran.returncode, (DONE, INVALID), f"{path}: {ran.stderr}")
            self.assertNotIn("declared size", ran.stderr, path)
            if ran.returncode == DONE:
                read.add(path.parent.name)
        for name in self.READ:
            self.assertIn("test_" + name, read)


if __name__ == "__main__":
    DSM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
