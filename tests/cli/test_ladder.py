#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A ladder ends at the plan: its last rung has the step of the exploration with the same options,
to the bit, for every bundled network and every bundled system in both modes, and for what --optimize
and --parallelism leave.

Usage: test_ladder.py DSM SOURCE_FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from how_many import part_of  # noqa: E402

# What each mode has, in the order in which a ladder adds it (interface.md).
RUNGS = {"training": ["hybrid", "reuse", "dysm", "pipeline", "per_pass"],
         "inference": ["hybrid", "reuse", "dysm", "pipeline", "preload"]}
# What systems add whose search is of all roles.
ROLES = ["spatial", "tensor", "expert"]
RESTRICTIONS = (["--optimize=none"], ["--optimize=dysm"], ["--optimize=reuse,hybrid"],
                ["--parallelism=data"], ["--parallelism=model,data_x_model_y"],
                ["--parallelism=data,model", "--optimize=dysm,reuse"])

INFEASIBLE = 4
# Networks that are tried on all systems; the others on a few, those that take seconds to explore on
# one, and in inference alone.
SMALL = ("alexnet", "gnmt", "gnmt_vocab", "raider", "vgg16")
FEW = ("torus64", "tpu_v3_32", "dgx_h100")
LARGE = {"gpt3_175b": "torus64", "llama2_70b": "tpu_v3_32"}


class Ladder(unittest.TestCase):
    dsm = None
    source = None

    def explore(self, *arguments):
        done = subprocess.run([self.dsm, "explore", *arguments, "--format=json"],
                              capture_output=True, text=True, timeout=300, check=False)
        if done.returncode == INFEASIBLE:
            return None
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return json.loads(done.stdout)

    def names(self, folder):
        return sorted(path.stem for path in (self.source / folder).glob("*.json"))

    def check_gains(self, rungs):
        """A gain is a ratio of times, and those of the rungs that fit, which are the last ones,
        multiply to that over the first."""
        product = 1
        fitting = [rung for rung in rungs if "step_seconds" in rung]
        self.assertEqual(fitting, rungs[len(rungs) - len(fitting):])
        for before, rung in zip(fitting, fitting[1:]):
            gain = before["step_seconds"] / rung["step_seconds"]
            product *= rung["gain_over_previous"]
            self.assertAlmostEqual(rung["gain_over_previous"] / gain, 1, delta=1e-12)
            self.assertAlmostEqual(rung["gain_over_first"] / product, 1, delta=1e-12)
        self.assertEqual(fitting[0]["gain_over_first"], 1)

    def check(self, *arguments):
        """Returns the names of the rungs; None where the network does not fit the memory."""
        found = self.explore(*arguments, "--ladder")
        if found is None:
            return None
        rungs = found["rungs"]
        self.check_gains(rungs)
        plan = self.explore(*arguments)
        with self.subTest(arguments=arguments):
            self.assertEqual(rungs[-1]["step_cycles"], plan["result"]["step_cycles"])
            self.assertEqual(rungs[-1]["optimizations"], plan["optimizations"])
        return [rung["name"] for rung in rungs]

    def added(self, system, mode):
        """The rungs that a system adds to those of a mode."""
        done = subprocess.run([self.dsm, "describe", system, "--format=json"], capture_output=True, text=True,
                              check=True)
        values = {row["path"]: row["value"] for row in json.loads(done.stdout)["items"][0]["parameters"]}
        hoist = ["hoist"] if mode == "training" and values.get("model.search_hoist") else []
        return hoist + (ROLES if values.get("model.search") == "all" else [])

    def test_every_bundled_pair_in_both_modes(self):
        asked = [(workload, system, mode) for workload in self.names("workloads")
                 for system in self.names("systems") for mode in RUNGS
                 if workload in SMALL or (system in FEW and workload not in LARGE)
                 or (mode == "inference" and LARGE.get(workload) == system)]
        asked = part_of(asked, 5)
        fitting = 0
        for workload, system, mode in asked:
            with self.subTest(workload=workload, system=system, mode=mode):
                found = self.check(workload, system, f"--mode={mode}", "--minibatch=64")
                fitting += found is not None
                self.assertIn(found, (None, ["none", *RUNGS[mode], *self.added(system, mode)]))
        self.assertGreaterEqual(fitting, len(asked) / 2)

    def test_the_first_rung_on_another_system(self):
        rungs = self.explore("vgg16", "torus64", "--ladder", "--ladder-base=torus16",
                             "--set=system.core.frequency_GHz=1")["rungs"]
        self.assertEqual([rung["system"] for rung in rungs], ["torus16", "torus64", "torus64",
                                                              "torus64", "torus64", "torus64"])
        self.check_gains(rungs)

    def test_restricted_searches(self):
        for workload, system in (("vgg16", "torus64"), ("gnmt", "torus16")):
            for mode in RUNGS:
                for restriction in RESTRICTIONS:
                    self.check(workload, system, f"--mode={mode}", *restriction)

    def test_an_optimization_that_is_left_out_has_no_rung(self):
        rungs = self.check("vgg16", "torus16", "--mode=inference", "--optimize=preload,dysm")
        self.assertEqual(rungs, ["none", "dysm", "preload"])

    def words(self):
        """All that --parallelism lists, as its help says."""
        done = subprocess.run([self.dsm, "explore", "--help"], capture_output=True, text=True,
                              check=True)
        said = " ".join(done.stdout.split()).split("separated by commas: data, model,")[1]
        return ["data", "model", *re.findall(r"\w+", said.split(" --explain ")[0])]

    def test_every_role_and_word_has_a_ladder_and_a_page(self):
        words = self.words()
        self.assertIn("model_x_data_y_data_z", words)
        self.assertIn("row_scatter", words)
        asked = [form for word in words for form in (word, f"x={word},data", f"x=data,y={word}")
                 if word == form or (word != "all" and "_x_" not in word and "_y" not in word)]
        refused = 0
        for workload, system in (("gpt", "dgx_a100"), ("alexnet", "torus16")):
            for named in asked:
                question = [workload, system, "--minibatch=64", f"--parallelism={named}",
                            "--optimize=hybrid,reuse,spatial,tensor,expert,context",
                            *(["--set=workload.parameters.blocks=1"] if workload == "gpt" else [])]
                found = self.check(*question)
                refused += found is None
                if found is None:
                    continue
                self.assertEqual(found[0], "none")
                plan = subprocess.run([self.dsm, "explore", *question, "-q", "-o", "-"],
                                      capture_output=True, check=True).stdout
                page = subprocess.run([self.dsm, "report", "-", "-q", "-o", "-"], input=plan,
                                      capture_output=True, check=False)
                self.assertEqual(page.returncode, 0, (question, page.stderr))
        self.assertLess(refused, len(asked) / 2)


if __name__ == "__main__":
    Ladder.dsm = str(pathlib.Path(sys.argv[1]).resolve())
    Ladder.source = pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
