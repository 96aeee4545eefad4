#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans of given roles and stages in the field's words: their degrees are known by hand.

Usage: test_degrees.py DSM_BINARY [unittest's own arguments]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

DSM = None
TENSOR = "gpu=column,gpu=row,gpu=heads,node=data"


class Degrees(unittest.TestCase):
    def run_dsm(self, *arguments):
        ran = subprocess.run([DSM, *arguments], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def explored(self, network, system, nodes, *options):
        return json.loads(self.run_dsm("explore", network, system, "--set", f"system.system.axes.node.chips={nodes}",
                                       *options, "--format", "json"))

    def said(self, plan, command="score"):
        """What is printed of a plan, on one line."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "plan.json")
            path.write_text(json.dumps(plan))
            return " ".join(self.run_dsm(command, str(path)).split())

    def expect(self, plan, line, **degrees):
        summary = plan["parallelism_summary"]
        for name, (least, most, *axes) in degrees.items():
            self.assertEqual(summary[name], {"least": least, "most": most, "axes": axes}, name)
        self.assertIn(line, self.said(plan))
        return summary

    def test_as_megatron_has_it(self):
        """1,024 chips: 8 of a node share each layer, nodes are 8 stages by 16 replicas; 128 samples, 16 at a time."""
        plan = self.explored("gpt3_175b", "dgx_a100", 128, "--optimize", "tensor,stages,accumulate,recompute",
                             "--parallelism", TENSOR, "--stages", "8", "--interleave", "3", "--micro-batches", "8",
                             "--recompute", "full", "--minibatch", "128")
        summary = self.expect(plan, "TP 8 (gpu), SP 1, CP 1, DP 16 (node), EP 1, PP 8 x 3 (node), ZeRO 0, recompute full, "
                              "micro-batches 8 x 16", tensor=(8, 8, "gpu"), sequence=(1, 1), context=(1, 1),
                              data=(16, 16, "node"), expert=(1, 1), pipeline=(8, 8, "node"), zero=(0, 0))
        self.assertEqual([summary[key] for key in ("interleave", "recompute", "micro_batches", "micro_batch_samples")],
                         [3, "full", 8, 16])

    def test_positions_between_layers(self):
        plan = self.explored("gpt2", "dgx_a100", 4, "--optimize", "tensor,spatial", "--parallelism",
                             "gpu=gather_column,gpu=row_scatter,gpu=heads,node=data", "--minibatch", "64",
                             "--set", "workload.parameters.heads=16", "--set", "workload.parameters.hidden=1024")
        self.expect(plan, "TP 8 (gpu), SP 8 (gpu), CP 1, DP 4 (node)", tensor=(8, 8, "gpu"), sequence=(8, 8, "gpu"))

    def test_experts_on_axes_that_share_samples(self):
        plan = self.explored("mixtral_8x7b", "dgx_h100", 4, "--optimize", "expert,accumulate", "--parallelism",
                             "gpu=expert,gpu=data,node=data", "--minibatch", "64")
        self.expect(plan, "DP 32 (gpu, node), EP 8 (gpu), PP 1", data=(32, 32, "gpu", "node"), expert=(8, 8, "gpu"))

    def test_layers_that_differ(self):
        """Of two layers more is shared out than of the others."""
        plan = self.explored("bert_base", "dgx_a100", 4, "--optimize", "tensor,shard", "--parallelism", TENSOR,
                             "--set", "workload.optimizer=adam_mixed", "--minibatch", "96",
                             "--set", "system.system.axes.gpu.chips=4")
        self.assertEqual(plan["parallelism_summary"]["tensor"], {"least": 4, "most": 4, "axes": ["gpu"]})
        layers = [layer for layer in plan["layers"] if "update" in layer["passes"]]
        for layer in plan["layers"]:
            layer.pop("shard", None)
        layers[1]["shard"], layers[2]["shard"] = "optimizer", "weights"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "plan.json")
            path.write_text(json.dumps(plan))
            edited = json.loads(self.run_dsm("score", str(path), "--format", "json"))
        self.expect(edited, "ZeRO mixed 0 to 3, recompute none, micro-batches 1 x 96", zero=(0, 3))

    def test_inference(self):
        plan = self.explored("gpt2", "dgx_a100", 4, "--mode", "inference", "--optimize", "tensor", "--parallelism",
                             TENSOR, "--minibatch", "64")
        self.expect(plan, "PP 1, ZeRO 0, recompute none, micro-batches 1 x 64", zero=(0, 0))

    def test_chips_that_compute_the_same(self):
        """Which no other degree counts; where there are none the line does not name them."""
        plan = self.explored("gpt2", "dgx_a100", 4, "--mode", "inference", "--optimize", "tensor", "--parallelism",
                             "gpu=whole,node=whole", "--minibatch", "64")
        self.expect(plan, "DP 1, EP 1, replicated 32 (gpu, node), PP 1", replicated=(32, 32, "gpu", "node"), data=(1, 1))
        plan = self.explored("gpt2", "dgx_a100", 4, "--mode", "inference", "--optimize", "tensor", "--parallelism",
                             TENSOR, "--minibatch", "64")
        self.assertNotIn("replicated", self.said(plan))

    def test_plans_of_the_paper_have_none(self):
        plan = json.loads(self.run_dsm("explore", "alexnet", "torus16", "--format", "json"))
        self.assertNotIn("parallelism_summary", plan)
        self.assertNotIn("TP ", self.said(plan))

    def test_the_page_says_it_too(self):
        plan = self.explored("gpt2", "dgx_a100", 4, "--optimize", "tensor", "--parallelism", TENSOR, "--minibatch", "64")
        self.assertIn('<p class="degrees">TP ', self.said(plan, "report"))


if __name__ == "__main__":
    DSM = sys.argv.pop(1)
    unittest.main()
