#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Applications and systems of Calculon, and networks of ASTRA-sim.

Usage: test_systems.py DSM
"""
import json
import pathlib
import random
import sys
import unittest

import cases

APPLICATION = {"hidden": 12288, "feedforward": 49152, "seq_size": 2048, "attn_heads": 96, "attn_size": 128, "num_blocks": 96}
SYSTEM = {
    "matrix": {"tflops": 312}, "vector": {"tflops": 78},
    "mem1": {"GiB": 80, "GBps": 2048, "MB_efficiency": [[100, 0.9], [10, 0.75], [0, 0.3]]},
    "mem2": {"GiB": 512, "GBps": 32}, "processing_mode": "no_overlap",
    "networks": [{"bandwidth": 300, "efficiency": 0.6, "size": 8, "latency": 0.000001, "ops": {"p2p": 1.0},
                  "must_be_filled": True, "processor_usage": 0.15},
                 {"bandwidth": 25, "efficiency": 0.9, "size": 65536, "latency": 0.000002, "ops": {"p2p": 1.0},
                  "must_be_filled": False, "processor_usage": 0.02}]}
NETWORK = """# three dimensions
topology: [ Ring, FullyConnected, Switch ]  # innermost first
npus_count: [ 2, 8, 4 ]
bandwidth: [ 200.0, 100.0, 50.0 ]  # GB/s
latency: [ 50.0, 500.0, 2000.0 ]  # ns
"""


class Applications(cases.Case):
    def test_totals(self):
        h, f, s, heads, d, blocks = APPLICATION.values()
        totals = self.described(self.write(APPLICATION, "gpt3.json"))
        block = 2 * h * f + 4 * h * heads * d + h + f + 3 * heads * d + h + 2 * 2 * h
        self.assertEqual(totals["parameters"], blocks * block + (51200 + s) * h)
        self.assertEqual(totals["macs_forward_per_sample"], blocks * s * (4 * h * heads * d + 2 * h * f + 2 * s * heads * d))

    def test_options(self):
        workload, said = self.made(self.write(APPLICATION, "gpt3.json"), "--sequence", "512", "--minibatch", "4")
        self.assertEqual((workload["parameters"]["sequence"], workload["minibatch"], workload["name"]), (512, 4, "gpt3"))
        self.assertIn("$: note: has no vocabulary", said)

    def test_what_is_wrong(self):
        for key, value in (("hidden", None), ("attn_heads", 0), ("num_blocks", 12001), ("seq_size", "long")):
            said = self.refused(self.write({**APPLICATION, key: value}, "a.json"))
            self.assertIn(f"$.{key}: error: ", said)
        self.refused(self.write({"hidden": 3}, "a.json"), "--from", "calculon")


class Systems(cases.Case):
    def complete(self, part):
        """A system that has the part, and of torus64 what it lacks."""
        share = pathlib.Path(self.DSM).resolve().parents[1] / "share" / "dsm" / "systems" / "torus64.json"
        whole = json.loads(share.read_text())
        whole.pop("notes", None)
        for key, value in part.items():
            whole[key] = {**whole.get(key, {}), **value} if key == "chip" else value
        whole["chip"]["memory"] = {**whole["chip"]["memory"], **part.get("chip", {}).get("memory", {})}
        path = self.write(whole, "whole.json")
        ran = self.run_dsm("validate", path)
        self.assertEqual(ran.returncode, cases.DONE, ran.stdout + ran.stderr)

    def test_calculon(self):
        part, said = self.made(self.write(SYSTEM, "a100.json"))
        self.assertEqual(part["chip"]["memory"],
                         {"capacity_GB": 80 * 2 ** 30 / 1e9, "bandwidth_GBps": 2048, "efficiency_ratio": 0.9})
        self.assertEqual(part["system"]["axes"], [
            {"name": "net0", "chips": 8, "link": "switch", "bandwidth_GBps": 300, "efficiency_ratio": 0.6, "latency_us": 1},
            {"name": "net1", "chips": 8192, "link": "switch", "bandwidth_GBps": 25, "efficiency_ratio": 0.9, "latency_us": 2}])
        for key in ("matrix", "vector", "mem2", "processing_mode", "networks", "networks[0].ops", "networks[1].processor_usage"):
            self.assertIn(f"$.{key}: note: ", said)
        self.complete(part)
        self.refused(self.write(SYSTEM, "a100.json"), "--strict")

    def test_sizes_that_do_not_divide(self):
        networks = [{**SYSTEM["networks"][0], "size": 8}, {**SYSTEM["networks"][1], "size": 20}]
        part, said = self.made(self.write({**SYSTEM, "networks": networks}, "a.json"))
        self.assertEqual(part["system"]["axes"][1]["chips"], 2)
        self.assertIn("$.networks[1].size: note: is read as 16, a multiple of the 8", said)
        networks[1]["size"] = 4
        said = self.refused(self.write({**SYSTEM, "networks": networks}, "a.json"))
        self.assertIn("$.networks[1].size: error: expected 8 to ", said)

    def test_wrong_systems_of_calculon(self):
        for change, text in (({"mem1": []}, "$.mem1"), ({"mem1": {"GiB": 0, "GBps": 1}}, "$.mem1.GiB"),
                             ({"mem1": {"GiB": 1, "GBps": 1, "MB_efficiency": [7]}}, "$.mem1.MB_efficiency[0]"),
                             ({"networks": []}, "$.networks"), ({"networks": [1]}, "$.networks[0]"),
                             ({"networks": SYSTEM["networks"] * 2}, "$.networks"),
                             ({"networks": [{**SYSTEM["networks"][0], "latency": -1}]}, "$.networks[0].latency")):
            self.assertIn(text, self.refused(self.write({**SYSTEM, **change}, "a.json")))

    def test_astra_network(self):
        for name in ("network.yml", "anything"):
            part, said = self.made(self.write(NETWORK, name))
            self.assertEqual([[axis[key] for key in ("chips", "link", "bandwidth_GBps", "latency_us")]
                              for axis in part["system"]["axes"]],
                             [[2, "ring", 200 * 2 ** 30 / 1e9, 0.05], [8, "switch", 7 * 100 * 2 ** 30 / 1e9, 0.5],
                              [4, "switch", 50 * 2 ** 30 / 1e9, 2]])
            self.assertIn("topology: note: FullyConnected is read as a switch", said)
            self.complete(part)
        block = "topology:\n  - Ring\nnpus_count: 4\nbandwidth:\n- 1e1\nlatency: [0]\nother: {a: [1, {b: 2}]}\n"
        part, said = self.made(self.write(block, "n.yml"), "--strict")
        self.assertEqual(part["system"]["axes"][0]["chips"], 4)
        self.assertEqual(said, "")
        part, _ = self.made(self.write(block.replace("1e1", f"1.{'0' * 40}e1"), "n.yml"))
        self.assertEqual(part["system"]["axes"][0]["bandwidth_GBps"], 10 * 2 ** 30 / 1e9)

    def test_what_is_exported_comes_back(self):
        folder = pathlib.Path(self.folder.name)
        plan, out = str(folder / "plan.json"), str(folder / "out")
        self.run_dsm("explore", "alexnet", "torus64", "-q", "-o", plan)
        self.run_dsm("export", plan, "--to", "astra-sim", "-o", out)
        part, _ = self.made(out + "/network.yml")
        axes = part["system"]["axes"]
        self.assertEqual([(axis["chips"], axis["link"]) for axis in axes], [(4, "ring"), (16, "ring")])
        self.assertAlmostEqual(axes[0]["bandwidth_GBps"], 120, places=9)

    def test_wrong_networks_of_astra_sim(self):
        def says(text, content):
            self.assertIn(text, self.refused(self.write(content, "n.yml"), "--from", "astra_network"))
        says("topology: error: expected Ring, FullyConnected or Switch, found \"Mesh\"", NETWORK.replace("Ring,", "Mesh,"))
        says("npus_count: error: expected whole numbers from 1 to 1048576, found \"0\"", NETWORK.replace("[ 2,", "[ 0,"))
        says("bandwidth: error: expected numbers", NETWORK.replace("200.0", "fast"))
        says("bandwidth: error: expected numbers", NETWORK.replace("200.0", ".inf"))
        says("latency: error: expected numbers", NETWORK.replace("50.0, 500", "-1, 500"))
        says("bandwidth: error: expected 1 to 3 values, as many as topology has, found 2", NETWORK.replace("200.0,", ""))
        says("latency: error: expected a value for each dimension, found none", NETWORK.replace("latency", "delay"))
        says("topology: error: expected it once, found it again", NETWORK + "topology: [ Ring ]\n")
        says("topology: error: expected a list of values", NETWORK.replace("Ring,", "[Ring],"))
        says("topology: error: expected a list of values", "a: &x Ring\ntopology: [*x]\n")
        says("expected 1 to 3 values", "".join(f"{key}: [{','.join(['1'] * 9)}]\n" for key in
                                               ("topology", "npus_count", "bandwidth", "latency")))
        says("npus_count: error: expected texts and numbers", NETWORK.replace("[ 2,", '[ "2\\0 7",'))
        says("error: expected members", "- a\n- b\n")
        says("error: expected members", "")
        says("error: expected names of members", "[a]: b\n")
        says("error: expected YAML, found in line 2", "topology: [ Ring\n")
        says("error: ", "topology: " + "[" * 100000)
        says("error: expected YAML", "a: \x01")

    def test_any_bytes_end_well(self):
        draw = random.Random(7)
        for text, name in ((NETWORK, "astra_network"), (json.dumps(SYSTEM), "calculon_system"),
                           (json.dumps(APPLICATION), "calculon")):
            for _ in range(40):
                data = bytearray(text.encode())
                for _ in range(draw.randint(1, 4)):
                    data[draw.randrange(len(data))] = draw.choice(b"\x00\xff[]{}:,\n&*\"99-")
                ran = self.run_dsm("import", self.write(bytes(data), "f"), "--from", name, limit=10)
                self.assertIn(ran.returncode, (cases.DONE, cases.INVALID), data)


if __name__ == "__main__":
    cases.Case.DSM = sys.argv.pop(1)
    unittest.main()
