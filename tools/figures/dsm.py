# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the program, and remembers what it said, so that nothing is computed twice."""
import json
import subprocess

BASE_SYSTEM = "torus64_symmetric"


class Refused(Exception):
    """The program refused a plan; the message is what it found."""


class Dsm:
    def __init__(self, program):
        self.program = program
        self.answers = {}

    def run(self, *arguments, text=None):
        """The parsed JSON that a command prints."""
        command = [self.program, *arguments, "--format=json", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, input=text, check=False)
        if done.returncode in (3, 4) and text is not None:
            raise Refused(done.stderr.splitlines()[0].partition("error: ")[2])
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)

    def explore(self, *arguments):
        if arguments not in self.answers:
            self.answers[arguments] = self.run("explore", *arguments)
        return self.answers[arguments]

    def plan(self, workload, system, minibatch, optimize, *overrides):
        """The plan of an exploration; overrides are of the system."""
        return self.explore(workload, system, f"--minibatch={minibatch}", f"--optimize={optimize}",
                            *(f"--set=system.{override}" for override in overrides))

    def utilization(self, *key):
        return self.plan(*key)["result"]["utilization"]

    def ladder(self, workload, minibatch, *overrides, system="torus64", base=BASE_SYSTEM,
               mode="training"):
        """The rungs of a ladder by name."""
        options = [f"--mode={mode}", f"--minibatch={minibatch}", "--ladder"]
        options += [f"--ladder-base={base}"] if base else []
        options += [f"--set=system.{override}" for override in overrides]
        rungs = self.explore(workload, system, *options)["rungs"]
        return {rung["name"]: rung for rung in rungs}

    def score(self, plan):
        """A plan, perhaps edited, predicted again. Refused if it is not legal or does not fit."""
        return self.run("score", "-", text=json.dumps(plan))


def layers_of(plan):
    return {layer["name"]: layer for layer in plan["layers"]}


def cycles_without_relayout(one_pass):
    return one_pass["cycles"]["total"] - one_pass["groups"].get("relayout", 0)


def share(one_pass, cycles):
    return cycles / one_pass["cycles"]["total"]
