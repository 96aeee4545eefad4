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


def number(row, key):
    text = row.get(key, "")
    return int(text) if text not in ("", "0") else 1


def served(dsm, row, options, **values):
    """What serving says of each number of requests."""
    changes = [part for path, value in values.items() for part in ("--set", f"{path.replace('__', '.')}={value}")]
    return dsm.answer(("serve", str(row["network"]), str(row["machine"]), *options, *changes))


# ---- TTFT and TPOT by concurrency ----

PRECISIONS = {"fp8": "fp8", "fp4": "fp4", "": "bf16"}


def split_of(row):
    """Chips, and the roles that layers may have."""
    tensor, data = number(row, "tp_size"), number(row, "attention_dp_size")
    is_moe = model_of(row) in ("gpt-oss-120b", "DeepSeek-R1", "MiniMax-M2.5")
    if data > 1:
        return tensor * data, "data,expert"
    return tensor, "column,row,heads" + (",expert" if is_moe else "")


def model_of(row):
    return row["model_path"].split("/")[1].removesuffix("-Instruct").removesuffix("-Instruct-FP8").removesuffix("-NVFP4")


def can_be_said(row):
    return row["mode"] == "agg" and not (number(row, "attention_dp_size") > 1 and number(row, "tp_size") > 1)


def together(row):
    """Rows that one call predicts."""
    return tuple(row[key] for key in ("model_path", "system", "backend", "precision", "isl", "osl", "tp_size", "attention_dp_size",
                                      "moe_tp_size", "moe_ep_size"))


def served_row(dsm, row, figure, **values):
    chips, words = split_of(row)
    precision = PRECISIONS[row["precision"]]
    is_cache_fp8 = row["backend"] == "trtllm" and precision != "bf16"
    asked = {"network": network(dsm, model_of(row), precision, 1 if is_cache_fp8 else 2),
             "machine": machine(dsm, row["system"].removesuffix("_sxm"), chips)}
    sizes = sorted(int(each["batch_size"]) for each in row["all"])
    counts = ",".join(str(each) for each in dict.fromkeys(sizes))
    answer = served(dsm, asked, ("--input-tokens", row["isl"], "--output-tokens", row["osl"], "--requests", counts, "--parallelism",
                                 words), **values)
    point = next(point for point in answer["points"] if point["requests"] == int(row["batch_size"]))
    return 1e3 * point[figure]
