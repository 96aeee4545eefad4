#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm export PLAN --to stages` of random partitions: each stage by what the profile and the placement say, counted
anew here; refused just where the devices need each other's outputs in turn; edited plans are refused.

Usage: test_export_stages.py DSM_BINARY [unittest's own arguments]
"""
import graphlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

DSM = None
CASES = 40


def run(*arguments):
    return subprocess.run([DSM, *map(str, arguments)], capture_output=True, text=True, check=False)


def drawn_profile(seed):
    """A graph of up to 9 tasks; some devices are short of memory, some cannot run some tasks, the last of some profiles
    has half the bytes an element and twice those a parameter."""
    draw = random.Random(seed)
    devices = [{"name": f"d{j}", "memory_bytes": draw.choice([12, 20, 1000]),
                "link_bytes_per_second": draw.choice([3, 50, 1000])} for j in range(draw.randint(2, 4))]
    tasks = []
    for i in range(draw.randint(2, 9)):
        inputs = sorted(draw.sample(range(i), min(i, draw.randint(0, 2)))) if draw.random() < 0.6 else ([i - 1] if i else [])
        tasks.append({"name": f"t{i}", "weights_bytes": draw.randint(0, 5), "output_bytes": draw.randint(0, 6),
                      "inputs": [f"t{k}" for k in inputs],
                      "seconds": {d["name"]: round(draw.uniform(0.1, 2), 3) for d in devices}})
    own = {"element_bytes": 2, "weight_bytes": 2} if seed % 3 == 2 else {}
    devices[-1].update({"element_bytes": 1, "weight_bytes": 4} if own else {})
    return {"format": "dsm-profile/1", "name": f"drawn {seed}", "tasks": tasks, "devices": devices, **own}


def scale(profile, key, device):
    """Bytes on a device over those stated."""
    own = {each["name"]: each for each in profile["devices"]}[device]
    return own[key] / profile[key] if key in own else 1


def with_ways(profile, seed):
    """The same with ports, pairs, ways in, fixed costs and inputs of requests."""
    draw = random.Random(seed)
    names = [device["name"] for device in profile["devices"]]
    for device in profile["devices"]:
        if draw.random() < 0.5:
            device["incoming_bytes_per_second"] = draw.choice([5, 40])
        if draw.random() < 0.5:
            device["transfer_seconds"] = draw.choice([0.01, 0.2])
    for task in profile["tasks"]:
        if not task["inputs"]:
            task["input_bytes"] = draw.randint(0, 6)
    if draw.random() < 0.7:
        profile["ports"] = [{"name": "bridge", "devices": draw.sample(names, draw.randint(1, len(names))),
                             "bandwidth_bytes_per_second": draw.choice([4, 30]), "direct": draw.random() < 0.5}]
    if draw.random() < 0.7:
        profile["pairs"] = [{"devices": draw.sample(names, 2), "bandwidth_bytes_per_second": 25,
                             "transfer_seconds": draw.choice([0, 0.1])}]
    return profile


def places_of(plan):
    return {task["name"]: task["placements"][0]["device"] for task in plan["tasks"]}


def has_order(profile, where):
    """Whether the devices can be passed one after the other."""
    needs = {device: set() for device in where.values()}
    for task in profile["tasks"]:
        needs[where[task["name"]]] |= {where[name] for name in task["inputs"]} - {where[task["name"]]}
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError:
        return False
    return True


class Stages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def partition(self, profile, *options):
        source, plan = self.path / "profile.json", self.path / "plan.json"
        source.write_text(json.dumps(profile))
        done = run("partition", "--profile", source, "--quiet", "-o", plan, *options)
        return json.loads(plan.read_text()) if done.returncode == 0 else None

    def export(self, name):
        return run("export", self.path / "plan.json", "--to", "stages", "-o", self.path / name)

    def check_stage(self, profile, where, stage, before):
        """Against the profile; `before`: devices of the stages before."""
        here = stage["device"]
        tasks = {task["name"]: task for task in profile["tasks"]}
        mine = [name for name, device in where.items() if device == here]
        self.assertEqual(sorted(task["name"] for task in stage["tasks"]), sorted(mine))
        self.assertAlmostEqual(stage["seconds"], sum(tasks[name]["seconds"][here] for name in mine))
        self.assertEqual(stage["weights_bytes"], scale(profile, "weight_bytes", here) *
                         sum(tasks[name]["weights_bytes"] for name in mine))
        sizes = {name: tasks[name]["output_bytes"] * scale(profile, "element_bytes", device) for name, device in where.items()}
        needed, sent, results = {}, {}, {}
        for name in mine:
            users = [user for user in tasks if name in tasks[user]["inputs"]]
            others = {where[user] for user in users} - {here}
            if others:
                sent[name] = others
            if not users:
                results[name] = sizes[name]
            for source in tasks[name]["inputs"]:
                if where[source] != here:
                    needed.setdefault(source, set()).add(name)
        self.assertEqual({row["task"]: set(row["used_by"]) for row in stage["receives"]}, needed)
        self.assertEqual({row["task"]: set(row["to"]) for row in stage["sends"]}, sent)
        self.assertEqual({row["task"]: row["bytes"] for row in stage["results"]}, results)
        for row in (*stage["receives"], *stage["sends"]):
            self.assertEqual(row["bytes"], sizes[row["task"]])
        for row in stage["receives"]:
            self.assertEqual(row["from"], where[row["task"]])
            self.assertIn(row["from"], before)
        self.assertAlmostEqual(stage["received_bytes"], sum(sizes[name] for name in needed))
        leaving = sum(len(to) * sizes[name] for name, to in sent.items()) + sum(results.values())
        self.assertAlmostEqual(stage["sent_bytes"], leaving)

    def test_stages_are_what_the_placement_says(self):
        whole = refused = 0
        for seed in range(CASES):
            profile = drawn_profile(seed)
            objective = ("throughput", "latency")[seed % 2]
            plan = self.partition(profile, "--copies", "1", "--objective", objective)
            if plan is None:
                continue
            where = places_of(plan)
            done = self.export(f"stages{seed}")
            if not has_order(profile, where):
                self.assertEqual(done.returncode, 4, f"{seed}: {done.stderr}")
                self.assertIn("is no one stage", done.stderr)
                refused += 1
                continue
            self.assertEqual(done.returncode, 0, f"{seed}: {done.stderr}")
            made = json.loads((self.path / f"stages{seed}" / "stages.json").read_text())
            self.assertEqual(made["requests_per_second"], plan["rho"])
            before = []
            for stage in made["stages"]:
                self.check_stage(profile, where, stage, before)
                before.append(stage["device"])
            self.assertEqual(sorted(before), sorted(set(where.values())))
            whole += 1
        self.assertGreater(whole, CASES // 4)
        self.assertGreater(refused, 0)

    def test_plans_in_stages_are_never_refused(self):
        made = 0
        for seed in range(CASES):
            if self.partition(drawn_profile(seed), "--stages") is not None:
                self.assertEqual(self.export(f"staged{seed}").returncode, 0, seed)
                made += 1
        self.assertGreater(made, CASES // 4)

    def test_ways_of_transfers_are_read_back(self):
        """Who receives what, and by what way, is part of the check of a plan."""
        made = refused = 0
        for seed in range(CASES):
            options = ["--stages", "--objective", ("throughput", "latency")[seed % 2], *(["--count-input"] if seed % 3 else [])]
            plan = self.partition(with_ways(drawn_profile(seed), seed), *options)
            if plan is None:
                continue
            done = self.export(f"ways{seed}")
            self.assertEqual(done.returncode, 0, f"{seed}: {done.stderr}")
            made += 1
            busy = [row for row in plan.get("carriers", ()) if row["time_fraction"] > 0.2]
            if busy and seed % 2 == 0:  # twice as slow as what it carries
                for key in ("ports", "pairs"):
                    for row in plan.get(key, ()):
                        row["bandwidth_bytes_per_second"] = 1
                for device in plan["devices"]:
                    if "incoming_capacity_bytes_per_second" in device:
                        device["incoming_capacity_bytes_per_second"] /= 1000
                (self.path / "plan.json").write_text(json.dumps(plan))
                done = self.export(f"slow{seed}")
                if done.returncode != 0:
                    self.assertIn("constraint (6)", done.stderr, seed)
                    refused += 1
        self.assertGreater(made, CASES // 3)
        self.assertGreater(refused, 2)

    def test_tasks_in_several_places_are_refused(self):
        profile = drawn_profile(1)
        for device in profile["devices"]:
            device["memory_bytes"] = 1000
        self.partition(profile)
        done = self.export("several")
        self.assertEqual(done.returncode, 3)
        self.assertIn("--copies 1", done.stderr)

    def test_edited_plans_are_refused(self):
        profile = drawn_profile(4)
        for change in (lambda plan: plan["tasks"][0]["placements"][0].update(rate=plan["rho"] * 1.5),
                       lambda plan: plan["tasks"][0].update(weights_bytes=10 ** 9),
                       lambda plan: plan["tasks"][0]["placements"][0].update(device="other"),
                       lambda plan: plan["devices"][0].update(memory_capacity_bytes=0.5),
                       lambda plan: plan["devices"][1].update(memory_capacity_bytes=0.5, memory=1),
                       lambda plan: plan["tensors"][0].update(used_by=["t0"]),
                       lambda plan: plan["tasks"][1].update(name=plan["tasks"][0]["name"]),
                       lambda plan: plan["devices"][1].update(name=plan["devices"][0]["name"]),
                       lambda plan: plan["devices"][1].update(element_bytes=1),
                       lambda plan: plan.pop("tensors"),
                       lambda plan: plan["options"].update(cuts=-1),
                       lambda plan: plan.update(rho=plan["rho"] * 2)):
            plan = self.partition(profile, "--copies", "1")
            change(plan)
            (self.path / "plan.json").write_text(json.dumps(plan))
            done = self.export("edited")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    DSM = sys.argv.pop(1)
    unittest.main()
