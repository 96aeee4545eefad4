# SPDX-License-Identifier: GPL-3.0-or-later
"""The sets of measured times that tools/measured.py predicts: a set is a row of SETS, at the end.

The folder of the measured tables (docs/evidence/measured.md says where their figures are from) is no part of the project; the
rows that the page quotes stand in tools/measured_rows, in files of the same names and columns.
"""
import csv
import dataclasses
import functools
import pathlib
import re
import typing

import serving_runs
from training_runs import SOFTWARE_OF_2021, Run, as_run, decoder, gpt_of_2021

QUOTED = pathlib.Path(__file__).resolve().parent / "measured_rows"

# As the steps were run: data parallel, nothing held on chip from one operation to the next.
AS_RUN = ("--parallelism", "data", "--optimize", "none")
# Times of kernels alone, by a profiler's trace or by a captured graph that repeats: nothing between launches is in them.
KERNELS_ALONE = {"system__core__operation_overhead_us": 0, "system__core__issue_us": 0}


def microseconds(plan, cycles):
    return cycles / plan["system"]["core"]["frequency_GHz"] / 1e3


# ---- one kernel ----

def product(dsm, row, system, columns="mnk", element_type="any", alone=True, **values):
    """A network of one layer, in inference on one GPU."""
    row = {key.lower(): value for key, value in row.items()}
    m, n, k = (int(row[side]) for side in columns)
    workload = dsm.workload([{"name": "product", "type": "fc", "in": k, "out": n}], minibatch=m, element_type=element_type)
    plan = dsm.plan(workload, system, "--mode", "inference", *AS_RUN, **{**(KERNELS_ALONE if alone else {}), **values})
    return 1e6 * plan["result"]["step_seconds"]


def name_of_product(row):
    row = {key.lower(): value for key, value in row.items()}
    label = f"{row['model']} {row['op']} " if "model" in row else f"row {row['sheet_row']}: " if "sheet_row" in row else ""
    return f"{label}{row['m']} x {row['n']} x {row['k']}"


PASSES = {"forward": "forward", "backward_input": "backward", "backward_weights": "update"}


def two_layers(row):
    """A convolution after one that makes its input, so that it has a backward pass. Channels were padded to multiples
    of 8 for the matrix units."""
    size = {key: int(value) for key, value in row.items() if value and value.isdigit()}
    size["in_channels"] = -(-size["in_channels"] // 8) * 8
    return [{"name": "before", "type": "conv", "in": 1, "out": size["in_channels"],
             "feature": [size["in_height"], size["in_width"]]},
            {"name": "conv", "type": "conv", "in": size["in_channels"], "out": size["out_channels"],
             "feature": [size["out_height"], size["out_width"]],
             "kernel": [size["filter_height"], size["filter_width"]],
             "stride": [size["stride_height"], size["stride_width"]],
             "padding": [size["pad_height"], size["pad_width"]]}]


def convolution(dsm, row, system, **values):
    plan = dsm.plan(dsm.workload(two_layers(row), minibatch=int(row["batch"])), system, *AS_RUN,
                    **{"system__core__issue_us": 0, **values})
    of = plan["layers"][1]["passes"][PASSES[row["pass"]]]
    return microseconds(plan, of["cycles"]["total"] - of["groups"].get("weight_update", 0) - of["groups"].get("relayout", 0))


def name_of_convolution(row):
    sides = f"{row['filter_height']} x {row['filter_width']}"
    return (f"row {row['sheet_row']}, {row['pass'].replace('_', ' of ', 1)}: {row['in_channels']} to "
            f"{row['out_channels']} features, {row['batch']} of {row['out_height']} x {row['out_width']}, {sides}")


def attention(dsm, row, system, **values):
    samples, positions, heads, kv_heads, before = (
        int(row[key]) for key in ("batch_size", "isl", "num_heads", "num_key_value_heads", "step"))
    layer = {"name": "attention", "type": "attention", "positions": positions, "heads": heads, "kv_heads": kv_heads,
             "head_features": 128, "context": before + positions, "causal": True}
    plan = dsm.plan(dsm.workload([layer], minibatch=samples), system, "--mode", "inference", *AS_RUN,
                    **{**KERNELS_ALONE, **values})
    return 1e6 * plan["result"]["step_seconds"]


def name_of_attention(row):
    return (f"{row['batch_size']} of {row['isl']} positions, {row['num_heads']} heads on {row['num_key_value_heads']}, "
            f"{int(row['step']) + int(row['isl'])} keys")


# ---- one collective in a node ----

# Elements of two bytes of all ranks' data, or of each rank's: which layer's role makes that collective, of what it reads or
# writes. An expert's layer sends what each chip has to the experts' chips.
COLLECTIVES = {"all_reduce": "row", "all_gather": "gather_column", "reduce_scatter": "row_scatter", "alltoall": "expert"}


def sum_of_gradients(dsm, row, system, **values):
    """An all-reduce of gradients of 4 bytes."""
    layer = {"name": "weights", "type": "fc", "in": 1024, "out": int(row["bytes"]) // 4096}
    plan = dsm.plan(dsm.workload([layer], 4, 8), system, *AS_RUN, system__system__axes__gpu__chips=row["gpus"],
                    system__system__axes__node__chips=1, system__model__fused_reductions="false", **values)
    groups = plan["layers"][0]["passes"]["update"]["groups"]
    return microseconds(plan, groups["sum_of_gradients"] + groups["broadcast_weights"])


def collective(dsm, row, system, **values):
    chips, elements, role = int(row["num_gpus"]), int(row["message_size"]), COLLECTIVES[row["op_name"]]
    positions = min(elements, 1 << 16)
    features, least = elements // positions, chips  # features that a role divides are as many as its chips
    sides = {"row": (least, features), "gather_column": (features, least), "row_scatter": (least, features)}
    if role == "expert":
        layer = {"experts": chips, "active_experts": 1, "in": features, "out": features}
    else:
        layer = dict(zip(("in", "out"), sides[role]))
    workload = dsm.workload([{"name": "layer", "type": "fc", "positions": positions, **layer}],
                            minibatch=chips if role == "expert" else 1)
    plan = dsm.plan(workload, system, "--mode", "inference", "--optimize", "tensor,expert", "--parallelism",
                    f"gpu={role}", system__system__axes__gpu__chips=chips, system__system__axes__node__chips=1,
                    system__model__overlapped_collectives=0, **values)  # by itself
    ways = 2 if role == "expert" else 1  # to the experts and back
    return microseconds(plan, plan["layers"][0]["passes"]["forward"]["groups"]["collective"]) / ways


def bytes_of_collective(row):
    return int(row["bytes"]) if "bytes" in row else 2 * int(row["message_size"])


def name_of_collective(row):
    size = bytes_of_collective(row)
    told = f"{size >> 20} MiB" if size >= 1 << 20 else f"{size / 1024:g} KiB"
    return f"{row['op_name'].replace('_', '-')}, {row['num_gpus']} GPUs, {told}" if "op_name" in row \
        else f"{row['gpus']} GPUs, {told}"


# ---- training steps of convolutional networks ----

# Samples that share the statistics of a normalisation, by chips: model_bn_span in the logs of the submissions.
NORMALIZATION_GROUP = {16: 128, 128: 128, 512: 32, 4096: 64}


def resnet_on_tpu(dsm, row, **values):
    """Gradients were summed with 4 bytes (S. Kumar et al., Scale MLPerf-0.6 models on Google TPU-v3 Pods)."""
    chips = int(row["chips"])
    plan = dsm.plan("resnet50", f"tpu_v3_{2 * chips}", *AS_RUN, **{
        "workload__minibatch": row["global_batch"], "workload__gradient_bytes": 4, "workload__optimizer": "lars",
        "workload__normalization_group": NORMALIZATION_GROUP[chips], **values})
    return 1e3 * plan["result"]["step_seconds"]


def resnet_on_gpus(dsm, row, **values):
    machines = {"dgx1": ("dgx1_v100", 900, "lars"), "dgxa100": ("dgx_a100", 1555, "sgd")}
    system, memory_GBps, optimizer = machines[row["system"].split("_")[0]]
    plan = dsm.plan("resnet50", system, *AS_RUN, workload__minibatch=row["global_batch"],
                    system__system__axes__node__chips=1, system__chip__memory__bandwidth_GBps=memory_GBps,
                    workload__optimizer=optimizer, **values)
    return 1e3 * plan["result"]["step_seconds"]


# ---- training steps of transformers: each function says how a row was run ----

def size(row, key, least=1):
    text = row.get(key, "")
    return int(text) if text.isdigit() else least


NAMES_BY_HIDDEN = {3072: "3.6B", 6144: "18.4B", 8192: "39.1B", 12288: "175B"}


def megatron_of_2021(row):
    """Sequences of 2,048, a vocabulary of 51,200 and 4 times the hidden size as inner one are assumed: no source says them."""
    values = {"minibatch": size(row, "global_batch")}
    network = gpt_of_2021(values, hidden=size(row, "hidden"), blocks=size(row, "layers"), heads=size(row, "heads"))
    kind = f", {row['recomputation']}" if "model" in row else ""
    recompute = row.get("recomputation", "full")
    run = Run(f"{row.get('model', NAMES_BY_HIDDEN.get(size(row, 'hidden')))}{kind}", network, "dgx_a100", size(row, "gpus"),
              size(row, "global_batch"), size(row, "micro_batch"), tensor=size(row, "tensor"), pipeline=size(row, "pipeline"),
              interleave=size(row, "interleave"), sequence_parallel=row.get("sequence_parallel") == "yes",
              recompute=recompute, recomputed=("context",) if recompute == "selective" else (), software=SOFTWARE_OF_2021,
              between_GBps=size(row, "node_port_Gbps", 0) / 64)
    runs = f" of {run.interleave} runs" if run.interleave > 1 else ""
    run.name += f": tensor {run.tensor}, data {run.data}, stages {run.pipeline}{runs}, micro-batch {run.micro_batch}"
    return run


def fsdp(row):
    """MPT: the family of GPT, shards of weights, gradients summed in 4 bytes where parameters stay in single precision.
    Kernels of attention were those of 2022 and 2023, of 25 to 40 % of the peak (arXiv 2307.08691, abstract)."""
    values = {"minibatch": size(row, "global_batch"), "gradient_bytes": 2 if row["mixed"] == "PURE" else 4,
              "element_type": "fp8" if row["precision"] == "amp_fp8" else "bf16"}
    network = decoder("gpt", values, hidden=size(row, "hidden"), blocks=size(row, "layers"), heads=size(row, "heads"),
                      sequence=size(row, "sequence"), vocabulary=size(row, "vocabulary"))
    system = {"h100_80gb": "dgx_h100", "a100_80gb": "dgx_a100", "a100_40gb": "dgx_a100"}[row["gpu"]]
    kept = row["checkpointing"] == "False"
    name = (f"{row['gpu'].replace('_', ' ')}: {row['model']}, {row['sequence']} positions, {row['gpus']} GPUs, "
            f"micro-batch {row['micro_batch']}{'' if kept else ', recomputed'}{', fp8' if 'fp8' in row['precision'] else ''}")
    return Run(name, network, system, size(row, "gpus"), size(row, "global_batch"), size(row, "micro_batch"),
               shard="weights" if row["sharding"] == "FULL_SHARD" else "gradients", recompute="none" if kept else "full",
               software={"attention_efficiency_ratio": 0.35})


def megatron_of_2024(row):
    """Micro-batches of one sample, nothing recomputed but scores, one run of layers a stage: assumed, no source says it."""
    network = decoder("gpt", {"minibatch": size(row, "global_batch"), "element_type": "bf16"}, hidden=size(row, "hidden"),
                      blocks=size(row, "layers"), heads=size(row, "heads"), sequence=4096, vocabulary=131072)
    return Run(f"{row['model']}: {row['gpus']} GPUs, tensor {row['tp']}, stages {row['pp']}", network, "dgx_h100",
               size(row, "gpus"), size(row, "global_batch"), 1, tensor=size(row, "tp"), pipeline=size(row, "pp"),
               shard="optimizer")


def seconds_of_megatron_2024(row):
    """As the source counts operations: see the README of the tables."""
    hidden, sequence, vocabulary, blocks = size(row, "hidden"), 4096, 131072, size(row, "layers")
    operations = 72 * size(row, "global_batch") * sequence * blocks * hidden ** 2 * (
        1 + sequence / 6 / hidden + vocabulary / 12 / blocks / hidden)
    return operations / size(row, "gpus") / float(row["tflops_gpu"]) / 1e12


LLAMA = {"8B": {"hidden": 4096, "inner": 14336, "blocks": 32, "heads": 32},
         "70B": {"hidden": 8192, "inner": 28672, "blocks": 80, "heads": 64},
         "405B": {"hidden": 16384, "inner": 53248, "blocks": 126, "heads": 128}}
# Of Llama 3 keys in 8 heads and a vocabulary of 128,256; of Llama 2 as many as of queries and 32,000.
LLAMA_2 = {"7B": {"hidden": 4096, "inner": 11008, "blocks": 32, "heads": 32},
           "13B": {"hidden": 5120, "inner": 13824, "blocks": 40, "heads": 40}}


def llama3(model, values, **more):
    return decoder("llama3_8b", values, kv_heads=8, **{**LLAMA[model], **more})


# Of gathers and scatters of layers; that tokens of experts hide is said of no row.
NOTHING_HIDES = {"overlapped_collectives": 0}


# A limit of power, below the 700 W at which 85 % of the clock is assumed: power grows with the cube of the clock, as the
# voltage falls with it.
CLOCK_AT_500_W = 0.85 * (500 / 700) ** (1 / 3)


def torchtitan(row):
    """As torchtitan runs Llama 3 unless it is told otherwise: the head is not in FP8 (--float8.filter_fqns output); gradients
    are reduced in 4 bytes, and with stages they are added up in 4 bytes, whole on each chip; micro-batches are as many as
    stages (pipeline_parallel_microbatches); of a block every second product is made anew where recomputation is of operations,
    and all in FP8, of which its list of products to keep had none. Attention is FlashAttention-2, which the note of h100 has at
    0.35 to 0.4. The H100 of these runs had memory of 2.4 TB/s and a limit of 500 W. Only rows with asynchronous tensor
    parallelism hide collectives of layers."""
    fp8, stages = row["precision"].startswith("fp8"), size(row, "pp")
    network = llama3(row["model"], {"minibatch": size(row, "global_batch"), "element_type": "fp8" if fp8 else "bf16",
                                    "gradient_bytes": 4}, sequence=size(row, "sequence"))
    if fp8:
        network["layers"][-1]["types"] = {"operands": "bf16", "weights": "bf16"}
    name = (f"{row['gpu'].split('_')[0].upper()}: {row['model']}, {row['gpus']} GPUs, {row['sequence']} positions, "
            f"tensor {row['tp']}, context {row['cp']}, {row['precision']}")
    limited = {} if row["gpu"] == "h200" else {"system__chip__memory__bandwidth_GBps": 2400,
                                               "system__core__sustained_frequency_ratio": CLOCK_AT_500_W}
    is_whole = row["checkpointing"] == "full"
    anew = ("qkv", "project", "gate", "up", "down") if fp8 else ("project", "up")
    return Run(name, network, "dgx_h200" if row["gpu"] == "h200" else "dgx_h100", size(row, "gpus"),
               size(row, "global_batch"), max(1, size(row, "local_batch") // stages), tensor=size(row, "tp"),
               context=size(row, "cp"), pipeline=stages, shard="optimizer" if stages > 1 else "weights",
               recompute="full" if is_whole else "none",
               software={"attention_efficiency_ratio": 0.375, "kept_inputs": "all" if is_whole else "without_activations",
                         **({} if "asynctp" in row["options"] else NOTHING_HIDES)},
               values=limited, recomputed=() if is_whole else anew)


def llama3_paper(row):
    """Micro-batches of one sample, optimizer in shards; the first and the last of 16 x 8 runs of layers have no block, as the
    paper says. It does not say that collectives of layers hide."""
    batch = size(row, "dp") * size(row, "batch_per_dp")
    network = llama3("405B", {"minibatch": batch, "element_type": "bf16"}, sequence=size(row, "sequence"))
    return Run(f"{row['gpus']} GPUs, {row['sequence']} positions, tensor {row['tp']}, context {row['cp']}, stages {row['pp']}",
               network, "dgx_h100", size(row, "gpus"), batch, 1, tensor=size(row, "tp"), context=size(row, "cp"),
               pipeline=size(row, "pp"), interleave=8, ends_apart=True,
               shard="optimizer", software=NOTHING_HIDES)


def seconds_of_llama3_paper(row):
    """6 operations a weight and token, and attention in full, over the rate of the paper."""
    tokens = size(row, "dp") * size(row, "batch_per_dp") * size(row, "sequence")
    operations = 6 * 405.85e9 + 12 * 126 * 16384 * size(row, "sequence") / 2
    return tokens * operations / size(row, "gpus") / float(row["tflops_gpu"]) / 1e12


def nemo_network(row):
    values = {"minibatch": size(row, "global_batch"), "element_type": "fp8"}
    model, sequence = row["model"], {"sequence": size(row, "sequence")}
    if model.startswith("LLAMA2-"):
        return decoder("llama3_8b", values, vocabulary=32000, **LLAMA_2[model.split("-")[1]], **sequence)
    if model.startswith(("LLAMA3", "Llama3")):
        return llama3(re.split("[-_]", model)[1], values, **sequence)
    gpts = {"GPT3-175B": (12288, 96, 96, 96, 51200), "GPT3-20B": (6144, 44, 48, 48, 51200),
            "Nemotron-340B": (18432, 96, 96, 8, 256000)}
    keys = ("hidden", "blocks", "heads", "kv_heads", "vocabulary")
    return decoder("gpt", values, **dict(zip(keys, gpts[model])), **sequence)


NVIDIA = {"": ("dgx_h100", 8), "DGX-H100": ("dgx_h100", 8), "DGX-GB200": ("gb200_nvl72", 64), "DGX-GB300": ("gb300_nvl72", 64)}


def nemo(row):
    """Products in FP8, nothing recomputed, optimizer in shards, positions cut beside shared layers: assumed, the recipes
    are not in the tables. Racks have 64 of their 72 GPUs in use."""
    system, node = NVIDIA[row.get("system", "")]
    release = f", {row['release']}" if "release" in row else ""
    name = f"{row['model']}{f' on {system}' if release else ''}: {row['gpus']} GPUs, tensor {row['tp']}, stages {row['pp']}, "
    return Run(f"{name}context {row['cp']}{release}", nemo_network(row), system, size(row, "gpus"), size(row, "global_batch"),
               size(row, "micro_batch"), tensor=size(row, "tp"), context=size(row, "cp"), pipeline=size(row, "pp"),
               interleave=size(row, "vp"), shard="weights" if size(row, "fsdp", 0) > 1 else "optimizer", node=node)


TORI = {("v4", 64): (4, 4, 4), ("v4", 192): (4, 4, 12), ("v5e", 256): (16, 16), ("v5p", 64): (4, 4, 4),
        ("v5p", 128): (4, 4, 8), ("v5p", 256): (4, 8, 8), ("v5p", 512): (8, 8, 8), ("v5p", 1024): (8, 8, 16),
        ("v5p", 2048): (8, 16, 16)}
TPUS = {"v4": "tpu_v4_4096", "v5e": "tpu_v5e_256", "v5p": "tpu_v5p_1024"}


def maxtext(row):
    """Weights in shards over the chips that share samples. `minimal` keeps what products make."""
    sizes = {key: size(row, key) for key in ("hidden", "heads", "sequence", "vocabulary")}
    batch = size(row, "batch") * size(row, "chips")
    network = decoder("llama3_8b" if row["gated"] == "yes" else "gpt", {"minibatch": batch, "element_type": "bf16"}, **sizes,
                      blocks=size(row, "layers"), inner=size(row, "ff"), head_features=size(row, "head_dim"))
    tensor = size(row, "tensor")
    return Run(f"{row['tpu']}: {row['model']}, {row['chips']} chips, {row['batch']} samples each, tensor {tensor}", network,
               TPUS[row["tpu"]], size(row, "chips"), batch, size(row, "batch") * tensor, tensor=tensor,
               torus=TORI[row["tpu"], size(row, "chips")], shard="weights",
               recompute="full" if row["remat"] == "full" else "none")


def seconds_of_maxtext(row):
    """6 operations a weight that products read, attention in full, over the rate: as MaxText counted before July 2025."""
    hidden, inner, features = size(row, "hidden"), size(row, "ff"), size(row, "heads") * size(row, "head_dim")
    products = size(row, "layers") * (4 * hidden * features + (3 if row["gated"] == "yes" else 2) * hidden * inner)
    attention_operations = 12 * size(row, "layers") * features * size(row, "sequence")
    tokens = size(row, "batch") * size(row, "sequence")
    return tokens * (6 * (products + hidden * size(row, "vocabulary")) + attention_operations) \
        / float(row["tflops_chip"]) / 1e12


def step_of_run(dsm, row, run, **values):
    return as_run(dsm, run(row), **values)["step_seconds"]


def memory_of_run(dsm, row, run, **values):
    """GiB of a chip, which the reserve of a framework is no part of."""
    return as_run(dsm, run(row), **values)["memory"]["total_bytes"] / 2 ** 30


# ---- the sets ----

@dataclasses.dataclass(frozen=True, eq=False)
class Set:
    """Rows of a file, the question that each asks of the program, and what the page says of them."""
    name: str
    file: str
    question: typing.Callable  # (dsm, row, **asked, **values): the prediction
    asked: dict  # what the question asks of every row, such as its system
    what: str
    source: str
    short: str = ""  # in the README's table
    unit: str = "us"
    measured: typing.Callable = None  # (row): the time, in the unit
    told: typing.Callable = None  # (row): the name of a row
    where: typing.Callable = None  # (row): whether it is of the set
    subsets: tuple = ()  # (what, (row, measured): whether it is of them)
    together: typing.Callable = None  # (row): what rows have in common that one call predicts

    def __post_init__(self):
        if self.told is None:
            object.__setattr__(self, "told", lambda row: self.asked["run"](row).name)

    def rows(self, folders):
        """Those of the first folder that has the file; without folders those that are quoted."""
        paths = [folder / f"{self.file}.csv" for folder in folders or (QUOTED,)]
        with open(next(path for path in paths if path.exists()), newline="") as file:
            rows = [row for row in csv.DictReader(file) if self.where is None or self.where(row)]
        for row in rows if self.together is not None else ():
            row["all"] = sorted(int(each["batch_size"]) for each in rows if self.together(each) == self.together(row))
        return rows


def column(name, scale=1.0):
    return lambda row: scale * float(row[name])


def above(least):
    return lambda row, measured: measured >= least


VIDUR, DEEPBENCH, VTRAIN = "github.com/microsoft/vidur, profiling data", "github.com/baidu-research/DeepBench", "github.com/VIA-Research/vTrain"
AICONFIGURATOR = "github.com/ai-dynamo/aiconfigurator"
ML_PERF = "MLPerf Training v0.6 and v0.7, submissions of"
# Twice as slow as, and slower than, the same with other micro-batches; why is not known.
NOT_SMOOTH = ("3.6B: tensor 8, data 8, stages 1, micro-batch 64", "39.1B: tensor 4, data 16, stages 8, micro-batch 3")
kernel_set = functools.partial(Set, measured=column("microseconds"))
product_set = functools.partial(kernel_set, question=product, told=name_of_product)
collective_set = functools.partial(kernel_set, told=name_of_collective)
served_set = functools.partial(Set, file="serving", question=serving_runs.served, unit="ms", source=AICONFIGURATOR,
                               told=serving_runs.name_of_served, where=serving_runs.can_be_served, together=serving_runs.asked_of)
run_set = functools.partial(Set, question=step_of_run, unit="s", measured=column("step_s"))
SHORT_AND_LONG = (("of them those of 10 us and more", above(10)),)
SMALL_AND_LARGE = (("of them below 1 MiB", lambda row, _: bytes_of_collective(row) < 1 << 20),
                   ("of them 1 MiB and more", lambda row, _: bytes_of_collective(row) >= 1 << 20))

SERVED = (
    *((f"of them {what}", lambda row, _, key=key, value=value: value in row[key]) for what, key, value in (
        ("Llama 3.1 8B", "model_path", "3.1-8B"), ("Llama 3.1 70B", "model_path", "3.1-70B"), ("Qwen3 32B", "model_path", "Qwen3-32B"),
        ("MiniMax-M2.5", "model_path", "MiniMax"), ("gpt-oss-120b", "model_path", "gpt-oss"), ("DeepSeek-R1", "model_path", "DeepSeek"),
        ("on H100", "system", "h100"), ("on H200", "system", "h200"), ("on B200", "system", "b200_"), ("on B300", "system", "b300"),
        ("on GB200", "system", "gb200"), ("with TensorRT-LLM", "backend", "trtllm"), ("with vLLM", "backend", "vllm"),
        ("with SGLang", "backend", "sglang"))),
    ("of them dense networks", lambda row, _: serving_runs.model_of(row) not in serving_runs.MIXTURES),
    ("of them with attention of data parallel ranks", lambda row, _: serving_runs.split_of(row)[1].startswith("data")))

SETS = (
    Set("steps", "tpu_v3_resnet50", resnet_on_tpu, {}, "ResNet-50 on TPU v3, 32 to 8,192 cores, training step",
        f"{ML_PERF} Google", "", "ms", column("step_ms"), lambda row: row["system"]),
    Set("gpu_steps", "gpu_resnet50", resnet_on_gpus, {}, "ResNet-50 on 8 V100 and on 8 A100, training step",
        f"{ML_PERF} NVIDIA", "", "ms", column("step_ms"), lambda row: row["system"]),
    product_set("products", "a100_gemm", asked={"system": "a100"}, what="products of language models on an A100", source=VIDUR),
    product_set("kernels", "v100_kernels", asked={"system": "v100", "columns": "nmk", "alone": False},
                what="products on a V100", source=DEEPBENCH, where=lambda row: row["kernel"] == "gemm",
                subsets=(("of them those above 10 GFLOP", lambda row, _: 2 * int(row["M"]) * int(row["N"]) * int(row["K"]) > 10e9),)),
    kernel_set("convolutions", "v100_kernels", convolution, {"system": "v100"},
               "convolutions on a V100, forward and both gradients", DEEPBENCH, told=name_of_convolution,
               where=lambda row: row["kernel"] == "conv"),
    *(product_set(f"{name}_products", f"{name}_gemm_bf16", asked={"system": name, "element_type": "bf16"},
                  what=f"products on {'an' if name[0] in 'ah' else 'a'} {name.upper()}, bf16", source=AICONFIGURATOR,
                  short=f"products on {name.upper()}" if name in ("h100", "b200") else "", subsets=SHORT_AND_LONG) for name in ("a100", "h100", "h200", "b200")),
    product_set("h100_fp8_products", "h100_gemm_fp8", asked={"system": "h100", "element_type": "fp8"},
                what="products on an H100, fp8", source=AICONFIGURATOR, subsets=SHORT_AND_LONG),
    *(kernel_set(f"attention_{name}", f"h100_attention_{name}", attention, {"system": "h100"},
                 f"attention on an H100, {what}", AICONFIGURATOR, short=f"attention on H100, {what}", told=name_of_attention,
                 subsets=(("of them above 30 us", above(30)), ("of them above 1 ms", above(1000)))[:2 if name == "context" else 1])
      for name, what in (("context", "prompts"), ("generation", "a position more"))),
    collective_set("allreduces", "a100_allreduce", sum_of_gradients, {"system": "dgx_a100"},
                   "all-reduces among 2, 4 and 8 A100 of a node", VTRAIN,
                   subsets=(("of them among 8", lambda row, _: row["gpus"] == "8"),)),
    *(collective_set(f"{name}_collectives", f"{name}_nccl", collective, {"system": f"dgx_{name}"},
                     f"collectives among 2, 4 and 8 {name.upper()} of a node", AICONFIGURATOR,
                     short=f"collectives on {name.upper()}" if name == "h100" else "", subsets=SMALL_AND_LARGE) for name in ("a100", "h100")),
    run_set("gpt_steps", "gpt_a100", asked={"run": megatron_of_2021}, measured=column("iteration_ms", 1e-3),
            what="GPT, 3.6 to 175 billion weights, on 64 to 512 A100, training step", source=VTRAIN,
            subsets=(("of them without two that are not smooth",
                      lambda row, _: megatron_of_2021(row).name not in NOT_SMOOTH),)),
    run_set("table5_steps", "megatron_table5", asked={"run": megatron_of_2021}, measured=column("iteration_s"),
            what="GPT, 22 to 1,000 billion weights, on 8 to 512 A100, training step", source="arXiv 2205.05198, table 5"),
    run_set("fsdp_steps", "fsdp_llmfoundry", asked={"run": fsdp},
            what="MPT, 0.1 to 70 billion weights in shards, on 8 to 512 A100 and H100, training step",
            source="github.com/mosaicml/llm-foundry", short="MPT with FSDP on A100 and H100, training",
            subsets=(("of them on A100", lambda row, _: row["gpu"].startswith("a100")),
                     ("of them on H100", lambda row, _: row["gpu"].startswith("h100")))),
    run_set("megatron_steps", "megatron_h100", asked={"run": megatron_of_2024}, measured=seconds_of_megatron_2024,
            what="GPT, 1.7 to 462 billion weights, on 48 to 6,144 H100, training step",
            source="github.com/NVIDIA/Megatron-LM", short="GPT with Megatron-LM on H100, training"),
    run_set("llama_steps", "llama3_405b", asked={"run": llama3_paper}, measured=seconds_of_llama3_paper,
            what="Llama 3 405B on 8,192 and 16,384 H100, training step", source="arXiv 2407.21783, table 4"),
    run_set("nemo_steps", "nemo_fp8", asked={"run": nemo}, what="NeMo, 7 to 340 billion weights in FP8 on H100, training step",
            source="github.com/NVIDIA/NeMo"),
    run_set("bridge_steps", "megatron_bridge", asked={"run": nemo},
            what="Llama 3 70B and 405B in FP8 on 64 to 1,024 H100, GB200 and GB300, training step",
            source="github.com/NVIDIA-NeMo/Megatron-Bridge", short="Llama 3 in FP8 on H100, GB200 and GB300, training",
            where=lambda row: row["model"].startswith("LLAMA3") and row["task"] == "Pre-Training" and row["precision"] == "FP8"),
    run_set("torchtitan_steps", "torchtitan", asked={"run": torchtitan},
            what="Llama 3 8B to 405B with torchtitan on 8 to 512 H100 and H200, training step",
            source="github.com/pytorch/torchtitan", short="Llama 3 with torchtitan, training",
            subsets=(("of them in bf16", lambda row, _: row["precision"] == "bf16"),)),
    run_set("torchtitan_memory", "torchtitan", question=memory_of_run, asked={"run": torchtitan}, unit="GiB", measured=column("memory_GiB"),
            what="the same, memory of a GPU", source="the same", short="its memory",
            where=lambda row: row["memory_GiB"] != "-"),
    run_set("maxtext_steps", "tpu_maxtext", asked={"run": maxtext}, measured=seconds_of_maxtext,
            what="decoders of 16 to 1,024 billion weights on a slice of 64 to 2,048 TPU v4, v5e and v5p, training step",
            source="github.com/AI-Hypercomputer/maxtext", short="MaxText on TPU v4, v5e and v5p, training",
            where=lambda row: row["slices"] == "1",
            subsets=tuple((f"of them on {name}", lambda row, _, name=name: row["tpu"] == name) for name in TPUS)),
    *(served_set(f"serving_{name}", asked={"figure": f"{name}_seconds"}, measured=column(f"silicon_{name}_ms"), what=what,
                 short=short, subsets=SERVED) for name, what, short in (
        ("tpot", "served language models, time a later token (TPOT)", "served language models, time a token (TPOT)"),
        ("ttft", "the same, time to the first token (TTFT)", "the same, time to the first token (TTFT)"))),
    Set("offline", "trtllm_offline", serving_runs.offline, {}, "language models with all requests at once, time a million tokens",
        "github.com/NVIDIA/TensorRT-LLM", "language models, output tokens a second", "s", lambda row: 1e6 / float(row["output_tokens_per_s"]),
        serving_runs.name_of_offline, lambda row: row["model"] in serving_runs.NETWORKS,
        tuple((f"of them {name}", lambda row, _, start=start: row["model"].startswith(start))
              for name, start in (("Llama 3", "Llama-3"), ("Qwen3, mixtures of experts", "Qwen3")))),
)
BY_NAME = {each.name: each for each in SETS}
