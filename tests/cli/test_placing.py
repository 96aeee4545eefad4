#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm partition --pin` and `--together` of random profiles: the answer keeps them, and is that of the profile with
the same said in it (null times, groups), also where tasks are joined.

Usage: test_placing.py DSM_BINARY [unittest's own arguments]
"""
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from test_export_stages import drawn_profile

DSM = None
CASES = 30
TOLERANCE = 2e-4  # the gap at which the solver may stop, twice


class Placing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "profile.json"

    def run_on(self, profile, *options):
        self.path.write_text(json.dumps(profile))
        return subprocess.run([DSM, "partition", "--profile", self.path, "--format", "json", *options],
                              capture_output=True, text=True, check=False)

    def solve(self, profile, *options):
        done = self.run_on(profile, *options)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def expect_equal(self, one, other):
        self.assertEqual(one is None, other is None)
        if one is not None:
            self.assertAlmostEqual(one["rho"], other["rho"], delta=TOLERANCE * other["rho"])

    def test_pins_are_null_times(self):
        for seed in range(CASES):
            draw = random.Random(1000 + seed)
            profile = drawn_profile(seed)
            said = copy.deepcopy(profile)
            names = [device["name"] for device in profile["devices"]]
            options, allowed = [], {}
            for task in said["tasks"]:
                if draw.random() < 0.5:
                    allowed[task["name"]] = draw.sample(names, draw.randint(1, len(names)))
                    options += ["--pin", f"{task['name']}={','.join(allowed[task['name']])}"]
                    for name in set(names) - set(allowed[task["name"]]):
                        task["seconds"][name] = None
            pinned = self.solve(profile, *options)
            self.expect_equal(pinned, self.solve(said))
            for task in pinned["tasks"] if pinned else ():
                devices = {place["device"] for place in task["placements"]}
                self.assertLessEqual(devices, set(allowed.get(task["name"], names)))
            joined = ("--tasks", "3")
            self.expect_equal(self.solve(profile, *options, *joined), self.solve(said, *joined))

    def test_groups_are_those_of_the_profile(self):
        for seed in range(CASES):
            draw = random.Random(2000 + seed)
            profile = drawn_profile(seed)
            said = copy.deepcopy(profile)
            group = draw.sample(said["tasks"], draw.randint(2, len(said["tasks"])))
            for task in group:
                task["group"] = "g"
            names = [task["name"] for task in group]
            place = ("--copies", "1") if seed % 2 else ()
            together = self.solve(profile, "--together", ",".join(names), *place)
            self.expect_equal(together, self.solve(said, *place))
            if together is None:
                continue
            rates = [{place["device"]: place["rate"] for place in task["placements"]}
                     for task in together["tasks"] if task["name"] in names]
            for other in rates[1:]:
                self.assertEqual(set(other), set(rates[0]))
                for device, rate in other.items():
                    self.assertAlmostEqual(rate, rates[0][device], delta=1e-6 * together["rho"])
            two = ("--together", ",".join(names[:2]), *(("--together", ",".join(names[1:])) if len(names) > 2 else ()))
            self.expect_equal(self.solve(profile, *two, *place), together)

    def test_a_profile_that_is_written_says_it(self):
        profile = drawn_profile(6)
        written = self.path.with_name("written.json")
        options = ("--pin", "t0=d0", "--together", "t1,t2")
        before = self.solve(profile, *options)
        self.run_on(profile, *options, "--write-profile", written)
        self.expect_equal(before, self.solve(json.loads(written.read_text())))

    def test_what_is_not_there_is_said(self):
        profile = drawn_profile(6)
        for options, words in ((("--pin", "t0"), "expected TASK=DEVICE"), (("--pin", "u0=d0"), "the name of a task"),
                               (("--pin", "t0=e0"), "the name of a device"), (("--pin", "t0=d0,"), "the name of a device"),
                               (("--together", "t0"), "expected TASK,TASK"), (("--together", "t0,u*"), "the name of a task")):
            done = self.run_on(profile, *options)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    DSM = sys.argv.pop(1)
    unittest.main()
