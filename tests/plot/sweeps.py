# SPDX-License-Identifier: GPL-3.0-or-later
"""Databases to plot: of bundled sweeps, and of small ones with what is hard to draw."""
import json

import plans

LONG = "a_very_long_name_of_a_system_that_nobody_would_choose_but_somebody_has"
FIGURES = ("lines", "ladder", "heatmap", "pareto")


def small_network():
    return {"format": "dsm-workload/1", "name": "small", "minibatch": 64, "element_bytes": 2,
            "layers": [plans.conv("c", 16, 16, 14)]}


def system(folder, dsm, name, **memory):
    """A file with the system torus64 under another name."""
    plan = json.loads(plans.explore(dsm, folder, "for_system", small_network()).read_text())
    made = plan["system"]
    made["name"] = name
    made["chip"]["memory"].update(memory)
    path = folder / f"{name}.system.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def sweep(dsm, folder, name, *words):
    """The path of the database of a sweep."""
    database = folder / f"{name}.sqlite"
    done = plans.run(dsm, "sweep", *words, "-q", "--threads", "2", "--database", database,
                     env=plans.environment())
    if done.returncode != 0:
        raise SystemExit(f"cannot sweep {name}: {done.stderr}")
    return database


def specification(folder, name, workloads, systems, axes):
    path = folder / f"{name}.sweep.json"
    path.write_text(json.dumps({
        "format": "dsm-sweep/1", "name": name, "workloads": [str(each) for each in workloads],
        "systems": [str(each) for each in systems], "axes": axes, "record": "points"}),
        encoding="utf-8")
    return path


def all_databases(dsm, folder):
    """{name: path}"""
    small = folder / "small.json"
    small.write_text(json.dumps(small_network()), encoding="utf-8")
    tight = system(folder, dsm, "tight", capacity_GB=0.001)
    named = [system(folder, dsm, f"{LONG}_{i}") for i in range(20)]
    odd = [system(folder, dsm, name) for name in ("it's", "under_{x}^2", "日本語", "'''", "a;b")]
    scratchpad = {"path": "system.core.scratchpad_MiB", "values": [0.25, 0.3, 1, 7, 7.5]}
    many = {"path": "system.core.sfu_ops_per_cycle", "range": {"from": 1, "to": 40, "step": 1}}
    made = {name: sweep(dsm, folder, name, name) for name in ("fig10", "fig11", "scratchpad_vgg16")}
    for name, workloads, systems, axes in (
            ("many_series", [small], named, [scratchpad]),
            ("odd_names", [small], odd, [scratchpad]),
            ("words", [small, "googlenet"], odd, []),
            ("one", [small], ["torus64"], []),
            ("zero", [small], ["torus64"], [
                {"path": "system.array.startup_cycles", "values": [0, 10, 1000, 100000]},
                {"path": "options.optimize", "values": ["none", "all"]}]),
            ("some_infeasible", [small], ["torus64", tight], [
                {"path": "workload.minibatch", "values": [1, 64, 16384]},
                {"path": "options.optimize", "values": ["none", "hybrid", "all"]}]),
            ("all_infeasible", ["vgg16"], [tight], [
                {"path": "workload.minibatch", "values": [64, 128]},
                {"path": "options.optimize", "values": ["none", "all"]}]),
            ("many_numbers", [small], ["torus64"], [
                many, {"path": "system.core.frequency_GHz",
                       "range": {"from": 0.1, "to": 3, "step": 0.1}}])):
        made[name] = sweep(dsm, folder, name,
                           specification(folder, name, workloads, systems, axes))
    return made
