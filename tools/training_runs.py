# SPDX-License-Identifier: GPL-3.0-or-later
"""Training steps of GPT on nodes of 8 A100 as Megatron ran them, and what dsm would have chosen: for tools/measured.py.

A run is a row of a measured table: sizes of the network, and the decisions: chips that share layers (tensor), samples
(data) and stages (pipeline), samples of a micro-batch, runs of layers of a stage (interleave), what is recomputed. They
are written into a plan by hand, which `dsm score` predicts. Nothing is chosen on the measured times: the machine is
`dgx_a100` with its bandwidth between nodes as the table has it, the network the bundled `gpt`.
"""
import json
import pathlib

BUNDLED = pathlib.Path(__file__).resolve().parents[1]
# Software of these runs: each operation a kernel of its own, scores of attention stored, all optimizer state on each
# chip that shares samples, gradients of micro-batches added up in 2 bytes (docs/model.md, section 8, "Whole steps by hand").
# Gradients are summed when the backward pass of the last micro-batch is over: megatron/training.py, train_step, of
# Megatron-LM up to 3.0, which calls allreduce_gradients() there for its own data parallelism (--DDP-impl local).
SOFTWARE = {"fused_attention": False, "sharded_update": False, "accumulate_memory_bytes": 6, "overlapped_reduction": False}
ROLES = {"column": ("qkv", "ff1", "output"), "row": ("words", "project", "ff2"), "heads": ("score", "context")}
# Outside these layers positions are cut: https://arxiv.org/abs/2205.05198, section 4.2.2.
CUT_POSITIONS = {"column": "gather_column", "row": "row_scatter", "heads": "heads"}
# Whether a plan fits is not asked: these runs did. GB, more than any plan needs.
ENOUGH = 1e5


NAMES = {3072: "3.6B", 6144: "18.4B", 8192: "39.1B", 12288: "175B"}


def size(row, key):
    return int(row.get(key, 1))


def name_of(row):
    """The network; what it is cut into: chips that share layers, those that share samples, stages and their runs of
    layers; samples of a micro-batch."""
    network_name = row["model"] if "model" in row else NAMES[size(row, "hidden")]
    kind = f", {row['recomputation']}" if "model" in row else ""
    runs = f" of {row['interleave']} runs" if size(row, "interleave") > 1 else ""
    return (f"{network_name}{kind}: tensor {row['tensor']}, data {row['data']}, stages {row['pipeline']}{runs}, "
            f"micro-batch {row['micro_batch']}")


def network(row):
    """The bundled family with what it leaves out: dropout, and the kernels that lay heads out anew."""
    workload = json.loads((BUNDLED / "workloads" / "gpt.json").read_text())
    workload["parameters"] = {"hidden": size(row, "hidden"), "blocks": size(row, "layers"), "heads": size(row, "heads"),
                              "sequence": 2048, "vocabulary": 51200}
    workload.update(minibatch=size(row, "global_batch"), gradient_bytes=2, optimizer="adam_mixed")
    layers = {layer["name"]: layer for layer in workload["layers"][1]["layers"]}
    layers["qkv"]["aux"].append({"op": "split"})
    layers["attention"].update(causal=False, dropout=True, aux=[{"op": "copy"}])
    for name in ("project", "ff2"):
        layers[name]["aux"].insert(1, {"op": "dropout"})
    return workload


def bundled_axes(name):
    """Those of a bundled system, with what its bases say of the axes of the same names."""
    system = json.loads((BUNDLED / "systems" / f"{name}.json").read_text())
    below = {axis["name"]: axis for axis in bundled_axes(system["base"])} if "base" in system else {}
    return [{**below.get(axis["name"], {}), **axis} for axis in system["system"]["axes"]]


def axes_of(row, nodes, is_whole=False):
    """Axes of so many nodes, and on which of them chips share layers. A node is one axis where all its chips do the same."""
    gpu, node = bundled_axes("dgx_a100")
    if "node_port_Gbps" in row:
        node["bandwidth_GBps"] = size(row, "node_port_Gbps") / 8 / gpu["chips"]
    tensor = 1 if is_whole else size(row, "tensor")
    inside, outside = min(tensor, gpu["chips"]), max(1, tensor // gpu["chips"])
    parts = [(gpu, inside, inside > 1), (dict(gpu, name="rest"), gpu["chips"] // inside, False),
             (dict(node, name="pair"), outside, True), (node, nodes // outside, False)]
    if inside == 1:
        parts[:2] = [(gpu, gpu["chips"], False)]
    kept = [part for part in parts if part[1] > 1 or part[0]["name"] == "node"]
    return [dict(axis, chips=chips) for axis, chips, _ in kept], [part[2] for part in kept]


def machine(axes, inside=(), between=()):
    """dgx_a100 with these axes, with other values of those inside a node and between nodes."""
    for axis in axes:
        axis.update(between if "chips_per_port" in axis else inside)
    return {"format": "dsm-system/1", "name": "dgx_a100", "base": str(BUNDLED / "systems" / "dgx_a100.json"),
            "model": SOFTWARE, "system": {"axes": axes}}


def word_of(role, axes, shared):
    return ",".join(f"{axis['name']}={role if is_shared else 'data'}" for axis, is_shared in zip(axes, shared))


def decide(plan, row, axes, shared):
    """The decisions of a run, written into a plan of the network."""
    names = CUT_POSITIONS if row.get("sequence_parallel") == "yes" else {role: role for role in ROLES}
    for layer in plan["layers"]:
        role = next(role for role, layers in ROLES.items() if layer["name"].split(".")[-1] in layers)
        for one in layer["passes"].values():
            one["parallelism"] = word_of(names[role], axes, shared) if any(shared) else "data"
        # These runs made products with values anew too, beside the scores that they are of.
        if row.get("recomputation") == "selective" and layer["name"].endswith(".context"):
            layer["recompute"] = True
    stages, interleave = size(row, "pipeline"), size(row, "interleave")
    if stages > 1:
        runs, blocks = stages * interleave, size(row, "layers")
        plan["optimizations"].append("stages")
        plan["stages"] = {"axis": "node", **({"interleave": interleave} if interleave > 1 else {}),
                          "first_layers": ["words"] + [f"decoder.{run * blocks // runs}.qkv" for run in range(1, runs)]}


def as_run(dsm, row, inside=(), between=(), **values):
    """The plan of a run, as score predicts it: that of a stage's machine, with the decisions, on all of its nodes."""
    nodes, stages = size(row, "gpus") // 8, size(row, "pipeline")
    axes, shared = axes_of(row, nodes // stages)
    micro_batches = size(row, "global_batch") // size(row, "data") // size(row, "micro_batch")
    roles = ["data"] + [f"{axis['name']}={role}" for axis, is_shared in zip(axes, shared) if is_shared
                        for role in (*ROLES, *CUT_POSITIONS.values())]
    plan = dsm.plan(dsm.file("network", network(row)), dsm.file("machine", machine(axes, inside, between)),
                    "--optimize", "hybrid,tensor,accumulate,recompute", "--micro-batches", str(micro_batches),
                    "--recompute", row.get("recomputation", "full"), "--parallelism", ",".join(dict.fromkeys(roles)), **{"system__chip__memory__capacity_GB": ENOUGH, **values})
    decide(plan, row, axes, shared)
    plan["system"]["system"]["axes"][-1]["chips"] *= stages
    return dsm.score(plan)


def chosen(dsm, row, optimize):
    """The fastest plan that the search finds for the same network, samples and chips, within their memory."""
    axes, _ = axes_of(row, size(row, "gpus") // 8, is_whole=True)
    return dsm.plan(dsm.file("network", network(row)), dsm.file("machine", machine(axes)), "--optimize", optimize)


def decisions_of(plan):
    """In short: micro-batches, stages, what chips of a node and nodes do in most layers of weights, shards, recomputation."""
    weights = [layer for layer in plan["layers"] if layer["name"].split(".")[-1] in ("qkv", "project", "ff1", "ff2")]
    words = [layer["passes"]["forward"]["parallelism"] for layer in weights]
    told = []
    if plan.get("stages"):
        runs = plan["stages"].get("interleave", 1)
        told.append(f"{len(plan['stages']['first_layers']) // runs} stages{f' of {runs} runs' if runs > 1 else ''}"
                    f" along {plan['stages']['axis']}")
    if plan.get("micro_batches", 1) > 1:
        told.append(f"{plan['micro_batches']} micro-batches")
    told += [f"`{word}` in {percent_of(words.count(word), len(words))}" for word in sorted(set(words), key=words.index)]
    for what in ("optimizer", "gradients", "weights"):
        count = sum(layer.get("shard") == what for layer in weights)
        told += [f"{what} in shards in {percent_of(count, len(weights))}"] if count else []
    again = [layer for layer in plan["layers"] if layer.get("recompute")]
    told += [f"{percent_of(len(again), len(plan['layers']))} of layers recomputed"] if again else ["nothing recomputed"]
    return "; ".join(told)


def percent_of(count, total):
    return "all" if count == total else f"{100 * count / total:.0f} %"
