#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm partition` of bundled networks on bundled servers: what its JSON says holds by itself. The constraints
are those of section 2.6 of the paper, written anew here; the graph is read from the workload's file.

Usage: test_partition.py DSM_BINARY [unittest's own arguments]
"""
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

DSM = None
MAKE_PROFILE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "make_profile.py"
NETWORKS = ("vgg16", "resnet50", "googlenet", "raider")
SERVERS = ("cpu_2gpu", "cpu_gpu_fpga", "edge_gpu", "edge_npu")
# Of what is checked: the library's own tolerance.
TOLERANCE = 1e-6
SHARE = None


def run(*arguments, folder=None, code=0):
    done = subprocess.run([DSM, "partition", *arguments], cwd=folder, capture_output=True, text=True,
                          check=False)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: exit {done.returncode}\n{done.stderr}")
    return done


def partition(*arguments):
    return json.loads(run(*arguments, "--format", "json").stdout)


def consumers(network):
    """For each layer the layers that read what it stores."""
    layers = json.loads((SHARE / "workloads" / f"{network}.json").read_text())["layers"]
    readers = {layer["name"]: [] for layer in layers}
    before = None
    for layer in layers:
        sources = set(layer.get("inputs", [before] if before else []))
        sources |= {aux["from"] for aux in layer.get("aux", []) if "from" in aux}
        for source in sources - {"@input"}:
            readers[source].append(layer["name"])
        before = layer["name"]
    return readers


HARD = ("resnet50", "edge_npu", "--set", "server.devices.npu.memory_GB=0.01", "--time-limit", "600")


class Interrupted(unittest.TestCase):
    """A signal while the solver works: the best so far, and the exit code of an interruption."""

    def interrupt(self, *options):
        process = subprocess.Popen([DSM, "partition", *HARD, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        time.sleep(3)  # the starting heuristic has answered; the proof takes minutes
        process.send_signal(signal.SIGINT)
        found, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("interrupted: this is the best answer so far", said)
        return found

    def test_the_best_so_far_is_printed(self):
        self.assertIn("not proven: interrupted", self.interrupt())

    def test_no_simulation_follows(self):
        answer = json.loads(self.interrupt("--format", "json", "--simulate", "requests=10"))
        self.assertEqual(answer["status"], "limited")
        self.assertGreater(answer["gap"], 0)
        self.assertNotIn("simulation", answer)


def without_clock(text):
    return re.sub(r'"solver_seconds": [^\n]*', "", text)


class Answers(unittest.TestCase):
    def at_most(self, value, limit, what):
        self.assertLessEqual(value, limit + TOLERANCE * max(abs(limit), abs(value), 1e-300), what)

    def check_constraints(self, network, answer):
        """(1) to (7), a tensor being sent once to each device that needs it."""
        names = [device["name"] for device in answer["devices"]]
        rho = answer["rho"]
        rates, seconds, stored = {}, {}, {}
        for task in answer["tasks"]:
            held = {item["device"]: item for item in task["placements"]}
            rates[task["name"]] = [held[n]["rate"] if n in held else 0 for n in names]
            seconds[task["name"]] = [held[n]["seconds"] if n in held else None for n in names]
            stored[task["name"]] = [n in held for n in names]
            self.at_most(rho, sum(rates[task["name"]]), "(7) every task at the rate of requests")
            self.assertTrue(held)
        readers = consumers(network)
        received = 0
        for j, device in enumerate(answer["devices"]):
            busy = sum(rates[t][j] * seconds[t][j] for t in rates if rates[t][j] > 0)
            self.at_most(busy, 1, "(1) time")
            self.assertAlmostEqual(busy, device["time_fraction"], delta=1e-5)
            held = sum(t["weights_bytes"] for t in answer["tasks"] if stored[t["name"]][j])
            self.assertEqual(held, device["memory_bytes"], "(3) memory")
            if device["memory_capacity_bytes"] is not None:
                self.at_most(held, device["memory_capacity_bytes"], "(3) memory")
            sent = 0
            for task in answer["tasks"]:
                here = rates[task["name"]][j]
                # results leave the device: nobody consumes them there
                there = [rates[k][j] for k in readers[task["name"]]] or [0]
                sent += task["output_bytes"] * max(0, *(here - rate for rate in there))
                received += task["output_bytes"] * max(0, *(rate - here for rate in there))
                if not readers[task["name"]]:
                    received += task["output_bytes"] * here
            self.at_most(sent, device["link_bytes_per_second"], "(4) what leaves the device")
            if device["link_capacity_bytes_per_second"] is not None:
                self.at_most(device["link_bytes_per_second"],
                             device["link_capacity_bytes_per_second"], "(6) link")
        self.at_most(received, sum(d["link_bytes_per_second"] for d in answer["devices"]),
                     "(4) what is received has been sent")

    def check_throughput(self, network, server, *options):
        answer = partition(network, server, "--gap", "1%", "--time-limit", "20", *options)
        self.check_constraints(network, answer)
        self.at_most(answer["rho"], answer["bound"], "rho and bound")
        self.at_most(answer["bound"], answer["relaxation"], "bound and relaxation")
        for baseline in answer["baselines"]:
            if baseline["feasible"]:
                self.at_most(baseline["rho"] * 0.99, answer["rho"], baseline["name"])
                if answer["status"] == "optimal":
                    self.at_most(baseline["rho"], answer["bound"], baseline["name"])
        return answer

    def test_bundled_networks_on_bundled_servers(self):
        for network in NETWORKS:
            for server in SERVERS:
                with self.subTest(network=network, server=server):
                    self.check_throughput(network, server)

    def test_little_memory_and_slow_links(self):
        for network, memory in (("vgg16", 0.21), ("resnet50", 0.03), ("googlenet", 0.006)):
            with self.subTest(network=network):
                tight = self.check_throughput(network, "cpu_2gpu", "--set",
                                              f"server.devices.gpu.memory_GB={memory}")
                roomy = self.check_throughput(network, "cpu_2gpu")
                self.at_most(tight["rho"], roomy["bound"], "less memory")
                slow = self.check_throughput(network, "cpu_2gpu", "--set",
                                             "server.devices.gpu.link_GBps=0.01")
                self.at_most(slow["rho"], roomy["bound"], "slower links")

    def test_the_same_answer_every_time(self):
        for network in NETWORKS:
            for form in ("table", "csv", "json"):
                first, second = (without_clock(run(network, "cpu_gpu_fpga", "--format", form,
                                                   "--simulate", "requests=50,rate=10,seed=3").stdout)
                                 for _ in range(2))
                self.assertEqual(first, second)

    def test_a_simulation_is_not_faster_than_the_bound(self):
        requests, window = 400, 12
        for network in NETWORKS:
            for server in ("cpu_2gpu", "edge_npu"):
                with self.subTest(network=network, server=server):
                    answer = partition(network, server, "--gap", "1%", "--simulate",
                                       f"requests={requests},window={window}")
                    half = requests / 2
                    # what was under way when the steady half began was partly done before it
                    edge = half / (half - window)
                    simulation = answer["simulation"]
                    self.at_most(simulation["throughput"], answer["bound"] * edge, "throughput")
                    self.assertGreater(simulation["throughput"], 0)
                    for device in simulation["devices"]:
                        self.at_most(device["time_fraction"], 1, "time")
                        self.at_most(device["link_fraction"], 1, "link")

    def test_ways_of_requests_are_ways_of_the_answer(self):
        """Together they are whole_rho, keep each device's time, and go where the placement has the task."""
        answer = partition("googlenet", "cpu_2gpu", "--set", "server.devices.gpu.link_GBps=1")
        self.assertAlmostEqual(sum(way["rate"] for way in answer["ways"]), answer["whole_rho"], delta=1e-6 * answer["rho"])
        busy = {}
        for way in answer["ways"]:
            for task, device in zip(answer["tasks"], way["devices"], strict=True):
                seconds = {row["device"]: row["seconds"] for row in task["placements"]}[device]
                busy[device] = busy.get(device, 0) + way["rate"] * seconds
        self.assertLess(max(busy.values()), 1 + 1e-6)

    def test_latency_is_not_longer_than_on_one_device(self):
        for network in NETWORKS:
            for server in SERVERS:
                with self.subTest(network=network, server=server):
                    answer = partition(network, server, "--objective", "latency", "--gap", "1%",
                                       "--time-limit", "20")
                    self.at_most(answer["bound"], answer["latency_seconds"], "bound")
                    best = next(b for b in answer["baselines"] if b["name"] == "best_device")
                    if best["feasible"]:
                        self.at_most(answer["latency_seconds"] * 0.99, best["latency_seconds"],
                                     "one device")

    def test_energy_grows_with_what_is_required(self):
        best = partition("vgg16", "cpu_gpu_fpga")["rho"]
        joules = []
        for share in (0.1, 0.5, 0.9):
            answer = partition("vgg16", "cpu_gpu_fpga", "--objective", "energy", "--require",
                               str(share * best))
            self.at_most(share * best, answer["rho"], "required")
            busy = {"cpu": (85, 28), "gpu": (70, 10), "fpga": (225, 50)}
            self.assertGreater(answer["joules_per_request"], 0)
            self.assertEqual({d["name"] for d in answer["devices"]}, set(busy))
            joules.append(answer["joules_per_request"] * answer["rho"])
        self.assertEqual(joules, sorted(joules))
        run("vgg16", "cpu_gpu_fpga", "--objective", "energy", "--require", str(2 * best), code=4)

    def test_joined_tasks_are_not_faster(self):
        whole = partition("resnet50", "cpu_2gpu")
        for count in (1, 5, 20):
            joined = partition("resnet50", "cpu_2gpu", "--tasks", str(count))
            self.assertLessEqual(len(joined["tasks"]), count)
            self.at_most(joined["rho"], whole["bound"] * 1.5, "joined")
            self.assertAlmostEqual(sum(t["weights_bytes"] for t in joined["tasks"]),
                                   sum(t["weights_bytes"] for t in whole["tasks"]))


class Files(unittest.TestCase):
    def test_nothing_is_left_of_a_file_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for option in ("--write-mps", "-o"):
                run("raider", "edge_npu", option, "missing/file", folder=folder, code=5)
            run("raider", "edge_npu", "--simulate", "requests=5,window=2", "--trace", "missing/t",
                folder=folder, code=5)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_a_trace_is_of_all_that_ran(self):
        with tempfile.TemporaryDirectory() as folder:
            run("raider", "cpu_2gpu", "--simulate", "requests=20,window=4", "--trace", "t.json", "-q",
                folder=folder)
            trace = json.loads(pathlib.Path(folder, "t.json").read_text())
            tasks = [e for e in trace["traceEvents"] if e.get("cat") == "task"]
            self.assertEqual(len(tasks), 20 * 4)
            self.assertEqual(len({(e["args"]["request"], e["args"]["task"]) for e in tasks}), 80)

    def test_made_networks_are_proven(self):
        """Ten tasks on eight devices, which small trees with restarts did not settle, and on six; both with pairs of
        equal devices, one of them a host, under whose other names five times as many nodes were looked at. A hundred
        tasks with ample memory, of which the relaxation says where they are stored."""
        for shape, most in (("10 8 2 2", 1000), ("10 6 1.5 2", 500), ("100 8 4 1", 0)):
            with self.subTest(shape=shape), tempfile.TemporaryDirectory() as folder:
                made = subprocess.run([sys.executable, str(MAKE_PROFILE), *shape.split()], capture_output=True, check=True)
                pathlib.Path(folder, "p.json").write_bytes(made.stdout)
                said = run("--profile", "p.json", "-o", "a.json", "-q", "--verbose", folder=folder).stderr
                self.assertEqual(json.loads(pathlib.Path(folder, "a.json").read_text())["status"], "optimal")
                self.assertLessEqual(int(re.search(r"(\d+) nodes", said).group(1)), most)

    @unittest.skipUnless(shutil.which("cbc"), "needs cbc (package coinor-cbc)")
    def test_another_solver_agrees(self):
        for network, server, *options in (("vgg16", "cpu_2gpu"), ("raider", "edge_npu"),
                                          ("vgg16", "cpu_2gpu", "--set",
                                           "server.devices.gpu.memory_GB=0.21"),
                                          ("googlenet", "edge_gpu", "--tasks", "12"),
                                          ("resnet50", "cpu_gpu_fpga", "--tasks", "10",
                                           "--keep-results")):
            with self.subTest(network=network, server=server), \
                    tempfile.TemporaryDirectory() as folder:
                run(network, server, *options, "--write-mps", "p.mps", "-o", "p.json", "-q",
                    folder=folder)
                answer = json.loads(pathlib.Path(folder, "p.json").read_text())
                subprocess.run(["cbc", "p.mps", "preprocess", "off", "sec", "60", "solve", "solu", "s.txt"], cwd=folder,
                               capture_output=True, check=True)
                first = pathlib.Path(folder, "s.txt").read_text().splitlines()[0]
                self.assertTrue(first.startswith("Optimal"), first)
                other = -float(first.split()[-1])
                self.assertAlmostEqual(other / answer["rho"], 1, delta=1e-3)


if __name__ == "__main__":
    DSM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    SHARE = pathlib.Path(DSM).parent.parent / "share" / "dsm"
    unittest.main()
