# SPDX-License-Identifier: GPL-3.0-or-later
"""Served language models as they were measured: for tools/measured.py.

A row says the network, the machine, the element types, the tokens and how chips share layers; `dsm serve --requests` predicts
so many requests at a time on these chips. Nothing is chosen on the measured times.
"""
import json
import pathlib

BUNDLED = pathlib.Path(__file__).resolve().parents[1]
# Sizes of networks that are not bundled, of the family of a bundled one: published configurations (config.json of these names).
QWEN3 = "qwen3_235b"
NETWORKS = {
    "Llama-3.1-8B": ("llama3_8b", {}), "Llama-3.1-70B": ("llama3_70b", {}), "Llama-3.3-70B": ("llama3_70b", {}),
    "Llama-3.1-405B": ("llama3_405b", {}), "Qwen3-32B": ("qwen3_32b", {}), "gpt-oss-120b": ("gpt_oss_120b", {}),
    "DeepSeek-R1": ("deepseek_v3", {}), "Qwen3-235B-A22B": (QWEN3, {}),
    "Qwen3-30B-A3B": (QWEN3, {"hidden": 2048, "inner": 768, "blocks": 48, "heads": 32}),
    "MiniMax-M2.5": (QWEN3, {"hidden": 3072, "blocks": 62, "heads": 48, "kv_heads": 8, "experts": 256, "vocabulary": 200064})}
MACHINES = {"h100": ("dgx_h100", 8), "h200": ("dgx_h200", 8), "b200": ("dgx_b200", 8), "gb200": ("gb200_nvl72", 72),
            "gb300": ("gb300_nvl72", 72), "b300": ("gb300_nvl72", 8)}  # a node of B300 has GPUs as those of GB300
# Bytes of a weight: 16 of 4 bits share a scale of 8.
WEIGHT_TYPES = {"fp8": {"weights": "fp8", "operands": "fp8"}, "fp4": {"weights": "fp4", "operands": "fp4"}, "bf16": {}}


def layers_of(items):
    for item in items:
        yield from layers_of(item["layers"]) if "block" in item else (item,)


def network(dsm, name, precision, cache):
    """Products of blocks in the type, activations, words, routers and logits in 16 bits: as published checkpoints are."""
    base, sizes = NETWORKS[name]
    workload = json.loads((BUNDLED / "workloads" / f"{base}.json").read_text())
    workload["parameters"].update(sizes)
    for key in ("weight_bytes", "element_type"):
        workload.pop(key, None)
    types = WEIGHT_TYPES[precision]
    is_mxfp4 = base == "gpt_oss_120b"  # of its experts alone
    for layer in layers_of(workload["layers"]):
        is_of_type = "experts" in layer if is_mxfp4 else layer["type"] == "fc" and layer["name"] not in ("router", "output")
        if types and is_of_type:
            layer["types"] = dict(types)
    return dsm.file("network", {**workload, "element_type": "bf16", "cache_bytes": cache})


def machine(dsm, name, chips):
    base, node = MACHINES[name]
    axes = [{"name": "gpu", "chips": min(chips, node)}, {"name": "node", "chips": -(-chips // node)}]
    return dsm.file("machine", {"format": "dsm-system/1", "name": name, "base": str(BUNDLED / "systems" / f"{base}.json"),
                                "system": {"axes": axes}})


def serve(dsm, workload, system, tokens_in, tokens_out, requests, words, more=(), **values):
    """What serving says of each number of requests."""
    counts = ",".join(str(each) for each in sorted(set(requests)))
    changes = [part for path, value in values.items() for part in ("--set", f"{path.replace('__', '.')}={value}")]
    return dsm.answer(("serve", str(workload), str(system), "--input-tokens", str(tokens_in), "--output-tokens", str(tokens_out),
                       "--requests", counts, "--parallelism", words, *more, *changes))


def number(row, key):
    text = row.get(key, "")
    return int(text) if text not in ("", "0") else 1


# ---- TTFT and TPOT by concurrency ----

MIXTURES = ("gpt-oss-120b", "DeepSeek-R1", "MiniMax-M2.5")
PRECISIONS = {"fp8": "fp8", "fp4": "fp4", "": "bf16"}
# How InferenceMAX, whose lengths and concurrencies most rows have, asks: lengths are random, from 0.8 of these to all of them,
# and each concurrent request is followed by nine others (--random-range-ratio 0.8, --num-prompts $((CONC * 10))). Assumed of
# all other rows too but for the lengths.
RANDOM_LENGTHS = (("1024", "1024"), ("1024", "8192"), ("8192", "1024"))
MEAN_OF_RANDOM = 0.9
WAVES = "10"
# SGLang prefills all that wait before it decodes, so that requests of one length begin and end together for good: each wave is
# like the first.
IN_STEP = "1"
EXPERTS = 256  # of DeepSeek-R1 and MiniMax-M2.5; 128 of gpt-oss


def model_of(row):
    return row["model_path"].split("/")[1].replace("-Instruct", "").removesuffix("-FP8").removesuffix("-NVFP4")


def split_of(row):
    """Chips, and the roles that layers may have. Where parts and numbers of experts are equal, the other sizes are written as
    their product: TPOT of 64 that are 8 x 8 falls in line with that of 8. The program has no role that cuts an expert in parts:
    experts are on chips of their own in its place. What all chips have whole is what engines do not cut: the query's and the
    keys' latents, and routers."""
    tensor, data = number(row, "tp_size"), number(row, "attention_dp_size")
    if number(row, "moe_tp_size") == number(row, "moe_ep_size") > 1:
        tensor, data = (number(row, "moe_ep_size") if each > 1 else 1 for each in (tensor, data))
    if data > 1:
        return tensor * data, "data,expert"
    return tensor, "column,row,heads" + (",expert,whole" if model_of(row) in MIXTURES else "")


def can_be_served(row):
    """Not: pools of prefill and decode, whose numbers of requests no row says; data parallel attention beside tensor parallel
    one; experts that chips do not divide; DeepSeek in FP8 on 4 B200, which leaves less than the reserve."""
    if row["mode"] != "agg" or number(row, "attention_dp_size") > 1 and number(row, "tp_size") > 1:
        return False
    chips = split_of(row)[0]
    is_too_large = model_of(row) == "DeepSeek-R1" and row["precision"] == "fp8" and chips < 8
    return not is_too_large and (model_of(row) not in MIXTURES or EXPERTS % chips == 0)


def asked_of(row):
    """Of rows that one call predicts: all but how many requests there are."""
    return tuple(row[key] for key in ("model_path", "system", "backend", "precision", "isl", "osl")) + split_of(row)


def mean_length(row, key):
    return round((MEAN_OF_RANDOM if (row["isl"], row["osl"]) in RANDOM_LENGTHS else 1) * int(row[key]))


def served(dsm, row, figure, waves=WAVES, **values):
    """Milliseconds. The cache has 8 bits in quantised networks with TensorRT-LLM, else 16: assumed, as these engines do
    unless they are asked otherwise."""
    chips, words = split_of(row)
    precision = PRECISIONS[row["precision"]]
    cache_bytes = 1 if row["backend"] == "trtllm" and precision != "bf16" else 2
    is_in_step = row["backend"] == "sglang" and (row["isl"], row["osl"]) not in RANDOM_LENGTHS
    answer = serve(dsm, network(dsm, model_of(row), precision, cache_bytes), machine(dsm, row["system"].removesuffix("_sxm"), chips),
                   mean_length(row, "isl"), mean_length(row, "osl"), row["all"], words, ("--waves", IN_STEP if is_in_step else waves),
                   **values)
    point = next(point for point in answer["points"] if point["requests"] == int(row["batch_size"]))
    return 1e3 * point[figure]


def name_of_served(row):
    chips, words = split_of(row)
    return (f"{row['system'].removesuffix('_sxm').upper()}, {row['backend']}: {model_of(row)} in {PRECISIONS[row['precision']]}, "
            f"{chips} GPU{'s' if chips > 1 else ''}{', data parallel' if words.startswith('data') else ''}, "
            f"{row['isl']} + {row['osl']} tokens, {row['batch_size']} requests")


# ---- output tokens a second, all requests at once ----

RANK_REQUESTS = 2048  # that a rank runs at most: TensorRT-LLM's max_batch_size


def is_data_parallel(row):
    """TensorRT-LLM's recommendation for mixtures of experts in a node: each rank has requests of its own."""
    return row["model"].startswith("Qwen3") and number(row, "tp") > 1


def offline(dsm, row, **values):
    """Seconds a million tokens. As many requests as memory has room for, up to what a rank runs at most, or a half or a
    quarter of that where it is faster."""
    chips, is_by_rank = number(row, "tp"), is_data_parallel(row)
    most = RANK_REQUESTS * (chips if is_by_rank else 1)
    answer = serve(dsm, network(dsm, row["model"], row["precision"], 1), machine(dsm, row["gpu"].lower(), chips), row["input"],
                   row["output"], (most // 4, most // 2, most), "data,expert" if is_by_rank else "column,row,heads", **values)
    return 1e6 / (answer["best"]["chip_tokens_per_second"] * chips)


def name_of_offline(row):
    return f"{row['gpu']}: {row['model']} in {row['precision']}, {row['tp']} GPU{'s' if row['tp'] != '1' else ''}, " \
           f"{row['input']} + {row['output']} tokens"
