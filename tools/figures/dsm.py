# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the program, several at a time, and remembers what it said, so that nothing is computed
twice."""
import json
import os
import subprocess
import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor

class Refused(Exception):
    """The program refused a plan; the message is what it found."""


class Dsm:
    def __init__(self, program):
        self.program = program
        self.answers = {}
        self.lock = threading.Lock()

    def output(self, *arguments, text=None):
        """The JSON text that a command prints."""
        command = [self.program, *arguments, "--format=json", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, input=text, check=False)
        if done.returncode in (3, 4) and text is not None:
            raise Refused(done.stderr.splitlines()[0].partition("error: ")[2])
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
        return done.stdout

    def run(self, *arguments, text=None):
        return json.loads(self.output(*arguments, text=text))

    def remembered(self, key, compute):
        """compute() of the first that asks for the key; others wait for its answer."""
        with self.lock:
            is_first = key not in self.answers
            if is_first:
                self.answers[key] = Future()
            answer = self.answers[key]
        if is_first:
            try:
                answer.set_result(compute())
            except BaseException as error:
                answer.set_exception(error)
        return answer.result()

    def explore(self, *arguments):
        return self.remembered(arguments, lambda: self.run("explore", *arguments))

    def describe(self, name):
        return self.remembered(("describe", name), lambda: self.run("describe", name))["items"][0]

    def parameters(self, name):
        """The values of a system by path."""
        return {one["path"]: one["value"] for one in self.describe(name)["parameters"]}

    def plan(self, case, workload, minibatch, optimize, *more):
        """The plan of an exploration."""
        return self.explore(workload, case.system, f"--minibatch={minibatch}",
                            f"--optimize={optimize}", *more, *overrides_of(case))

    def step(self, workload, system, minibatch, optimize, *overrides):
        """What the plan of an exploration predicts for the step; the rest is not even read, since
        there are many of them. overrides: "KEY=VALUE" of the system."""
        arguments = (workload, system, f"--minibatch={minibatch}", f"--optimize={optimize}",
                     *(f"--set=system.{override}" for override in overrides))
        return self.remembered(("step", *arguments),
                               lambda: result_of(self.output("explore", *arguments)))

    def known_step(self, workload, system, minibatch, optimize, *options):
        """The same, with whole options, if it is known already; else None."""
        key = ("step", workload, system, f"--minibatch={minibatch}", f"--optimize={optimize}",
               *options)
        return self.answers[key].result() if key in self.answers else None

    def sweep(self, name):
        """The points of a sweep, computed anew."""
        def compute():
            with tempfile.TemporaryDirectory() as folder:
                return self.run("sweep", name, f"--database={folder}/points.sqlite",
                                f"--threads={os.cpu_count()}")["rows"]
        return self.remembered(("sweep", name), compute)

    def utilization(self, *key):
        return self.step(*key)["utilization"]

    def result(self, case, workload, minibatch, optimize, system=None):
        return self.step(workload, system or case.system, minibatch, optimize, *case.overrides)

    def base_result(self, case, workload, minibatch):
        """The same without optimizations, of the symmetric torus."""
        return self.result(case, workload, minibatch, "none", system=case.base)

    def ladder(self, case, workload, minibatch, mode="training"):
        """The rungs of a ladder by name. In inference they are those of the paper, Fig. 11 (d) to
        (f), and the base is no other system."""
        options = [f"--mode={mode}", f"--minibatch={minibatch}", "--ladder",
                   f"--ladder-base={case.base}" if mode == "training" else
                   "--optimize=reuse,preload"]
        rungs = self.explore(workload, case.system, *options, *overrides_of(case))["rungs"]
        return {rung["name"]: rung for rung in rungs}

    def score(self, plan):
        """A plan, perhaps edited, predicted again. Refused if it is not legal or does not fit."""
        return self.run("score", "-", text=json.dumps(plan))

    @staticmethod
    def map(function, items):
        """function of each item, as many at a time as there are processors. Not to be nested."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(function, items))


def overrides_of(case):
    return tuple(f"--set=system.{override}" for override in case.overrides)


def result_of(plan_text):
    """The object "result" of a plan, which comes before all that could hold the word as well."""
    start = plan_text.index("{", plan_text.index('"result":'))
    return json.JSONDecoder().raw_decode(plan_text, start)[0]


def layers_of(plan):
    return {layer["name"]: layer for layer in plan["layers"]}


def cycles_without_relayout(one_pass):
    return one_pass["cycles"]["total"] - one_pass["groups"].get("relayout", 0)


def share(one_pass, cycles):
    return cycles / one_pass["cycles"]["total"]
