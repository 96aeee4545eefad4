# SPDX-License-Identifier: GPL-3.0-or-later
"""Training steps of transformers as they were run, and what dsm would have chosen: for tools/measured.py.

A run is what a row of a measured table says: the network, the machine, and the decisions: chips that share layers
(tensor), positions (context), samples (data) and stages (pipeline), samples of a micro-batch, runs of layers of a stage
(interleave), what is in shards, what is recomputed. They are written into a plan by hand, which `dsm score` predicts.
Nothing is chosen on the measured times: networks and machines are the bundled ones.
"""
import dataclasses
import functools
import json
import math
import pathlib

BUNDLED = pathlib.Path(__file__).resolve().parents[1]
# What the runs on A100 of 2021 and 2022 did: each operation a kernel of its own, scores of attention stored, all optimizer
# state on each chip that shares samples, gradients of micro-batches added up in 2 bytes (docs/model.md, section 8, "Whole
# steps by hand"). Gradients are summed when the backward pass of the last micro-batch is over: megatron/training.py,
# train_step, of Megatron-LM up to 3.0, which calls allreduce_gradients() there (--DDP-impl local).
SOFTWARE_OF_2021 = {"fused_attention": False, "sharded_update": False, "accumulate_memory_bytes": 6,
                    "overlapped_reduction": False}
# Roles of layers along axes on which chips share layers, and the same with positions cut in between
# (https://arxiv.org/abs/2205.05198, section 4.2.2); along those on which they share positions.
LAYERS = {"column": ("qkv", "ff1", "gate", "up", "output"), "row": ("words", "project", "ff2", "down"),
          "heads": ("attention", "score", "context")}
ROLES = {"tensor": {role: role for role in LAYERS},
         "sequence": {"column": "gather_column", "row": "row_scatter", "heads": "heads"},
         "context": {"column": "spatial", "row": "spatial", "heads": "context"},
         "data": {role: "data" for role in LAYERS}}
# Whether a plan fits is not asked: these runs did. GB, more than any plan needs.
ENOUGH = 1e5


@dataclasses.dataclass
class Run:
    name: str
    network: dict
    system: str
    chips: int
    global_batch: int
    micro_batch: int
    tensor: int = 1
    context: int = 1
    pipeline: int = 1
    interleave: int = 1
    sequence_parallel: bool = True
    shard: str = "none"
    recompute: str = "none"
    recomputed: tuple = ()  # layers of a block that are recomputed beside what `recompute` says
    software: dict = dataclasses.field(default_factory=dict)
    node: int = 8  # chips of a node
    torus: tuple = ()  # chips of each axis, the last ones for tensor, where the machine is a torus
    ends_apart: bool = False  # the first run of layers is the embedding, the last one the head, and each block is one
    values: dict = dataclasses.field(default_factory=dict)  # of the system, where the machine is another than the bundled one
    between_GBps: float = 0  # of a chip between nodes, where the source says it; 0: the bundled system's

    @property
    def data(self):
        return self.chips // (self.tensor * self.context * self.pipeline)

    @property
    def micro_batches(self):
        return max(1, self.global_batch // (self.data * self.micro_batch))


# ---- networks ----

def decoder(template, values, **sizes):
    """A bundled family, `gpt` or a gated one, with sizes: those of heads and of the feed-forward part need not follow from
    the hidden size. `values` are members of the workload, such as its minibatch."""
    workload = json.loads((BUNDLED / "workloads" / f"{template}.json").read_text())
    parameters = workload["parameters"]
    parameters.update({"kv_heads": sizes.get("heads", parameters.get("kv_heads")), **sizes})
    parameters.setdefault("head_features", parameters["hidden"] // parameters["heads"])
    parameters.setdefault("inner", 4 * parameters["hidden"])
    layers = {layer["name"]: layer for layer in workload["layers"][1]["layers"]}
    layers["qkv"]["out"] = "=(heads+2*kv_heads)*head_features"
    layers["attention"].update(kv_heads="=kv_heads", head_features="=head_features")
    layers["project"]["in"] = "=heads*head_features"
    for name, side in (("ff1", "out"), ("ff2", "in")):
        if name in layers:
            layers[name][side] = "=inner"
    return {**workload, "gradient_bytes": 2, "optimizer": "adam_mixed", **values}


def gpt_of_2021(values, **sizes):
    """With what the bundled network leaves out: dropout, and the kernels that lay heads out anew; nothing masked is skipped."""
    workload = decoder("gpt", values, sequence=2048, vocabulary=51200, **sizes)
    layers = {layer["name"]: layer for layer in workload["layers"][1]["layers"]}
    layers["qkv"]["aux"].append({"op": "split"})
    layers["attention"].update(causal=False, dropout=True, aux=[{"op": "copy"}])
    for name in ("project", "ff2"):
        layers[name]["aux"].insert(1, {"op": "dropout"})
    return workload


# ---- machines ----

def bundled_axes(name):
    """Those of a bundled system, with what its bases say of the axes of the same names."""
    system = json.loads((BUNDLED / "systems" / f"{name}.json").read_text())
    below = {axis["name"]: axis for axis in bundled_axes(system["base"])} if "base" in system else {}
    return [{**below.get(axis["name"], {}), **axis} for axis in system.get("system", {}).get("axes", below.values())]


def torus_axes(run):
    """Axes of a torus, each with what its chips do: sides shorter than that of a pod do not close into rings."""
    axes, tensor = [], run.tensor
    for axis, chips in zip(bundled_axes(run.system), run.torus):
        is_ring = axis["chips"] <= chips or chips % 4 == 0 and len(run.torus) == 3
        axes.append([dict(axis, chips=chips, link="ring" if is_ring else "line", both_ways=is_ring), "data"])
    for axis in reversed(axes):
        if tensor > 1:
            axis[1], tensor = "sequence" if run.sequence_parallel else "tensor", tensor // axis[0]["chips"]
    return axes


def axes_of(run, is_whole=False):
    """Axes of the chips of a stage, each with what its chips do: those that share layers are next to each other, then those
    that share positions, then samples. What shares fills nodes first. A node is one axis where all its chips do the same."""
    if run.torus:
        return torus_axes(run)
    gpu, node = bundled_axes(run.system)
    if run.between_GBps:
        node["bandwidth_GBps"] = run.between_GBps
    chips = run.chips if is_whole else run.chips // run.pipeline
    kinds = [] if is_whole else [(run.tensor, "sequence" if run.sequence_parallel else "tensor"), (run.context, "context")]
    kinds.append((chips // math.prod(ways for ways, _ in kinds), "data"))
    inside, outside, room = [], [], min(run.node, chips)
    for ways, kind in kinds:
        near = math.gcd(ways, room)
        room //= near
        inside += [(near, kind)] if near > 1 else []
        outside += [(ways // near, kind)] if ways // near > 1 else []
    if not outside or outside[-1][1] != "data":
        outside.append((1, "data"))
    names = {"sequence": "pair", "tensor": "pair", "context": "around"}
    axes = [[dict(gpu, chips=ways, name="rest" if kind == "data" and position else "gpu" if position == 0 else "around"), kind]
            for position, (ways, kind) in enumerate(inside)]
    if len(inside) + len(outside) > 3 and outside[-1][0] == 1:  # a system has three axes at most: stages are along the last one
        outside.pop()
    axes += [[dict(node, chips=ways, name="node" if (ways, kind) == outside[-1] else f"{names[kind]}s"), kind]
             for ways, kind in outside]
    return axes


def machine(run, axes):
    """The bundled system with these axes."""
    return {"format": "dsm-system/1", "name": run.system, "base": str(BUNDLED / "systems" / f"{run.system}.json"),
            "model": run.software, "system": {"axes": [axis for axis, _ in axes]}}


def change(plan, inside, between, values):
    """Other values of axes inside a node and between nodes, and of the system, by paths with `__` between their keys."""
    for axis in plan["system"]["system"]["axes"]:
        axis.update(between if axis.get("chips_per_port", 1) > 1 else inside)
    for path, value in values.items():
        *keys, last = path.split("__")
        functools.reduce(lambda part, key: part[key], keys, plan)[last] = value


# ---- plans ----

def decide(plan, run, axes):
    """The decisions of a run, written into a plan of the network."""
    for layer in plan["layers"]:
        name = layer["name"].split(".")[-1]
        role = next(role for role, names in LAYERS.items() if name in names)
        words = [f"{axis['name']}={ROLES[kind][role]}" for axis, kind in axes]
        is_data = all(word.endswith("=data") for word in words)
        for one in layer["passes"].values():
            one["parallelism"] = "data" if is_data else ",".join(words)
        if name in run.recomputed:
            layer["recompute"] = True
        if run.shard != "none" and role != "heads":
            layer["shard"] = run.shard
    if run.shard != "none":
        plan["optimizations"].append("shard")
    if run.pipeline > 1:
        runs, blocks = run.pipeline * run.interleave, run.network["parameters"]["blocks"]
        first = next(layer["name"] for layer in run.network["layers"][1]["layers"])
        plan["optimizations"].append("stages")
        begins = [f"decoder.{each}.{first}" for each in range(blocks)]
        begins = begins + ["output"] if run.ends_apart else [begins[each * blocks // runs] for each in range(1, runs)]
        plan["stages"] = {"axis": axes[-1][0]["name"], **({"interleave": run.interleave} if run.interleave > 1 else {}),
                          "first_layers": ["words", *begins]}


def as_run(dsm, run, inside=(), between=(), **values):
    """The plan of a run, as score predicts its result: that of a stage's machine, with the decisions, on all of its nodes. Values of the
    system that are varied change no decision, so that they are written into the plan too."""
    axes = axes_of(run)
    roles = ["data"] + [f"{axis['name']}={role}" for axis, kind in axes if kind != "data" for role in ROLES[kind].values()]
    optimize = "hybrid,tensor,accumulate,recompute" + (",spatial,context" if run.context > 1 else "")
    plan = dsm.plan_to_edit(dsm.file("network", run.network), dsm.file("machine", machine(run, axes)), "--optimize", optimize,
                            "--micro-batches", str(run.micro_batches), "--recompute", run.recompute, "--parallelism",
                            ",".join(dict.fromkeys(roles)), **{"system__chip__memory__capacity_GB": ENOUGH, **run.values})
    decide(plan, run, axes)
    change(plan, inside, between, values)
    plan["system"]["system"]["axes"][-1]["chips"] *= run.pipeline
    return dsm.score(plan)


def chosen(dsm, run, optimize):
    """The fastest plan that the search finds for the same network, samples and chips, within their memory."""
    axes = axes_of(run, is_whole=True)
    return dsm.plan(dsm.file("network", run.network), dsm.file("machine", machine(run, axes)), "--optimize", optimize)


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
