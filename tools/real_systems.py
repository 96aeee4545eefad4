#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the bundled systems of machines that exist: systems/tpu_v3_*.json, dgx_a100.json and so on.

Each family of machines has its constants in one place below, each with its public source, or with the word
assumption and the reason. What no data sheet says (the share of a peak that is sustained, the time that a launch
takes) is one set a family, chosen before any measured step was looked at.

Usage: real_systems.py SYSTEMS_FOLDER [--check]
With --check nothing is written: exit code 1, and the files that differ are named.
"""
import json
import pathlib
import sys

TPU_V3 = "cloud.google.com/tpu/docs/v3"
TPU_V4 = "Jouppi et al., TPU v4: an optically reconfigurable supercomputer, ISCA 2023, Table 4"
TPU_V4_DOCS = "cloud.google.com/tpu/docs/v4"
MULTIPOD = "S. Kumar et al., Exploring the limits of concurrency in ML training on Google TPUs, arXiv 2011.03641"
SCALING_BOOK = "J. Austin et al., How To Scale Your Model, jax-ml.github.io/scaling-book"
A100 = "NVIDIA A100 Tensor Core GPU data sheet"
V100 = "NVIDIA V100 Tensor Core GPU data sheet"
H100 = "NVIDIA H100 Tensor Core GPU data sheet, SXM5"
FLASH_2 = "T. Dao, FlashAttention-2, arXiv 2307.08691: 50 to 73 % of the peak on an A100"
FLASH_3 = "J. Shah et al., FlashAttention-3, arXiv 2407.08608: up to 75 % of the peak on an H100"

# Paths with their values and where they come from.
COMMON = {
    "core.sfu_ops_per_cycle": None,
    "model.exact_rotation": (True, "assumption: the last move of a rotation is not made"),
    "model.fused_attention": (True, "T. Dao et al., FlashAttention, arXiv 2205.14135: what runs today; runs before 2022 stored scores"),
    "model.kept_inputs": ("all", "V. Korthikanti et al., arXiv 2205.05198, section 4: what automatic differentiation keeps"),
    "model.exact_forks": (True, "assumption: activation gradients of a tensor that several layers use are added in memory"),
    "model.lstm_gate_errors": (True, "assumption: the weight gradients of an lstm read the gradients of its gates"),
    "model.search": ("all", "such machines run tensor, sequence, spatial and expert parallelism"),
}

# Elements that auxiliary operations read and write, by what they do: those that sum over their operands, and the rest.
TRAFFIC_OF_SUMS = {
    "model.traffic_batch_norm_forward": (2, "assumption: read and written; its sums are taken where the operand is made"),
    "model.traffic_batch_norm_backward": (5, "assumption: operand and gradient read for two sums and again, a result written"),
    "model.traffic_layer_norm_forward": (2, "assumption: as model.traffic_batch_norm_forward"),
    "model.traffic_layer_norm_backward": (5, "assumption: as model.traffic_batch_norm_backward"),
    "model.traffic_softmax_forward": (2, "assumption: read and written"),
    "model.traffic_softmax_backward": (3, "assumption: result and gradient read, a result written"),
    "model.traffic_cross_entropy_forward": (2, "assumption: read, and copied in single precision"),
    "model.traffic_cross_entropy_backward": (0, "assumption: all of it is in single precision"),
    "model.traffic_cross_entropy_wide_forward": (3, "assumption: the copy written, read, and its softmax written"),
    "model.traffic_cross_entropy_wide_backward": (3, "assumption: softmax and gradient read, a result written"),
    "model.traffic_dropout_mask_forward": (1, "assumption: a byte an element, written"),
    "model.traffic_dropout_mask_backward": (1, "assumption: a byte an element, read"),
}
TRAFFIC_OF_OTHERS = {
    "model.traffic_activation_forward": (2, "assumption: a kernel of its own: read and written"),
    "model.traffic_activation_backward": (3, "assumption: operand and gradient read, a result written"),
    "model.traffic_bias_forward": (0, "assumption: added where the operand is made"),
    "model.traffic_bias_backward": (1, "assumption: the gradient read for its sum"),
    "model.traffic_residual_forward": (1, "assumption: the other operand read"),
    "model.traffic_residual_backward": (0, "assumption: both operands have the gradient of the sum"),
    "model.traffic_fork_forward": (0, "assumption: all users read the same tensor"),
    "model.traffic_fork_backward": (3, "assumption: two gradients read, their sum written"),
    "model.traffic_multiply_forward": (1, "assumption: the other operand read"),
    "model.traffic_multiply_backward": (3, "assumption: both operands read, the other's gradient written"),
    "model.traffic_dropout_forward": (2, "assumption: read and written"),
    "model.traffic_dropout_backward": (2, "assumption: read and written"),
    "model.traffic_rotary_forward": (2, "assumption: read and written"),
    "model.traffic_rotary_backward": (2, "assumption: read and written"),
    "model.traffic_copy_forward": (2, "assumption: read and written"),
    "model.traffic_copy_backward": (2, "assumption: read and written"),
    "model.traffic_split_forward": (0, "assumption: its readers read their parts where they lie"),
    "model.traffic_split_backward": (2, "assumption: gradients of the parts read, written side by side"),
}

TPU = {
    **TRAFFIC_OF_SUMS,
    "pe.simd_macs": (1, "a PE of the matrix unit is one multiply-accumulate unit"),
    "array.startup_cycles": (256, "assumption: data pass the rows and the columns of an array"),
    "array.efficiency_ratio": (0.85, "assumption: a large systolic array sustains 85 % of its peak"),
    "array.unroll_kernel_on_rows": (True, "assumption: the compiler packs kernel positions and features into the rows"),
    "core.transcendental_passes": (4, "assumption"),
    "core.resident_weight_fraction": (0.75, "assumption"),
    "core.operation_overhead_us": (5, "assumption: time between operations of a compiled step"),
    "chip.interconnect": ("ring", "assumption: matrix units share the memory's bandwidth"),
    "chip.memory.efficiency_ratio": (0.85, "assumption: 85 % of the peak is sustained"),
    "chip.memory.auxiliary_efficiency_ratio": (0.85, "assumption: as chip.memory.efficiency_ratio"),
    "chip.memory.reserve_ratio": (0.05, "assumption: buffers and fragmentation of a compiled step"),
    "chip.memory.tile_minor": (128, "Cloud TPU performance guide: arrays are padded to tiles of 8 x 128"),
    "chip.memory.tile_second": (8, "Cloud TPU performance guide: arrays are padded to tiles of 8 x 128"),
    "model.auxiliary_traffic": ("fused", "assumption: the compiler fuses element-wise operations with their neighbours"),
    "model.feature_statistics": (True, "chips that share features need the statistics of all of them"),
    "model.two_way_relayout": (True, "assumption: rings are used in both directions"),
    "pe.rates.fp8": (1, "assumption: no type of the machine, converted to bf16"),
    "pe.rates.fp16": (1, "assumption: no type of the machine, converted to bf16"),
    "pe.rates.tf32": (0.3333, "assumption: no type of the machine; 3 products in bf16, XLA's precision HIGH"),
    "pe.rates.fp32": (0.1667, "assumption: 6 products in bf16, XLA's precision HIGHEST; its default rounds to bf16, which is element_type bf16"),
}

GPU = {
    **TRAFFIC_OF_SUMS,
    **TRAFFIC_OF_OTHERS,
    "core.tile_startup_us": (1, "assumption: until the first operands of a tile are there"),
    "core.tile_least_side": (64, "assumption: tiles of outputs are of 64 x 64 to 256 x 128, as those of cuBLAS"),
    "core.tile_most_elements": (32768, "assumption: 256 x 128 sums in the registers of a multiprocessor"),
    "core.tile_least_rows": (16, "rows of a product of a tensor core"),
    "core.attention_floor_us": (10, "assumption: the least time of an attention's kernel"),
    "core.attention_tile_us": (4, "assumption: until queries and first keys are there, and until sums are written"),
    "array.startup_cycles": (0, "assumption: in core.tile_startup_us"),
    "array.efficiency_ratio": (0.80, "assumption: 80 % of the peak is sustained"),
    "array.unroll_kernel_on_rows": (True, "assumption: kernels of convolutions are implicit matrix products"),
    "core.transcendental_passes": (4, "assumption"),
    "core.streaming_buffer_KiB": (192, "assumption"),
    "core.resident_weight_fraction": (0.75, "assumption"),
    "core.operation_overhead_us": (5, "assumption: between launches of kernels"),
    "core.issue_us": (5, "assumption: time in which the host launches a kernel; decides nothing beside an operation_overhead_us that is as long"),
    "chip.interconnect": ("ring", "assumption: the second level of caches, at its bandwidth"),
    "chip.memory.efficiency_ratio": (0.85, "assumption: 85 % of the peak is sustained"),
    "chip.memory.auxiliary_efficiency_ratio": (0.75, "assumption: published rates of softmax and layer norm are 55 to 85 %"),
    "chip.memory.reserve_ratio": (0.08, "assumption: contexts, buffers of collectives and fragmentation of a framework's allocator"),
    "system.collectives": ("ring", "NCCL: one ring through all members"),
    "system.collective_base_us": (8.4, "NCCL: latency of the first step"),
    "model.auxiliary_traffic": ("unfused", "assumption: a framework launches each operation by itself"),
    "model.feature_statistics": (True, "chips that share features need the statistics of all of them"),
    "model.fused_reductions": (True, "Horovod, arXiv 1802.05799, and PyTorch: gradients are joined before they are summed"),
    "model.overlapped_reduction": (True, "PyTorch DistributedDataParallel, Horovod: gradients are summed while the backward pass goes on"),
    "model.tile_schedule": (True, "cores take output tiles as they become free"),
}

FAMILIES = {
    "tpu_v3": (TPU, {
        "pe.rates.int8": (1, "assumption: no type of the machine, converted to bf16"),
        "array.rows": (128, TPU_V3 + ": matrix units of 128 x 128"),
        "array.columns": (128, TPU_V3 + ": matrix units of 128 x 128"),
        "core.arrays": (2, TPU_V3 + ": 2 matrix units a core"),
        "core.streaming_buffer_KiB": (384, "assumption: 3 operands of 2 matrix units, 2 buffers each, of 32 KiB"),
        "core.frequency_GHz": (0.94, TPU_V3 + ": 123 TFLOP/s a chip over 4 * 128 * 128 MACs"),
        "core.scratchpad_MiB": (16, "S. Kumar et al., Scale MLPerf-0.6 models on Google TPU-v3 Pods, 2019: 32 MB a chip, of 2 cores"),
        "core.scratchpad_bandwidth_GBps": (962, "assumption: 128 rows of 2 matrix units, 4 bytes each, a cycle"),
        "core.sfu_ops_per_cycle": (1024, "assumption: a vector unit of 128 x 8 lanes, an element-pass a cycle"),
        "chip.cores": (2, TPU_V3 + ": 2 cores a chip"),
        "chip.core_link_bandwidth_GBps": (1800, "assumption: twice the memory's bandwidth"),
        "chip.memory.capacity_GB": (34.359738368, TPU_V3 + ": 32 GiB a chip"),
        "chip.memory.bandwidth_GBps": (900, TPU_V3 + ": 900 GB/s a chip"),
        "chip.memory.stacks": (2, "assumption: each of the two cores has its half of the memory"),
        "system.collective_order": ("both_halves", "S. Kumar et al., Scale MLPerf-0.6 models on Google TPU-v3 Pods, 2019: gradients are summed along both axes at once"),
        "model.fused_reductions": (True, "S. Kumar et al., 2019: non-contiguous gradients are gathered and summed as one"),
    }),
    "tpu_v4": (TPU, {
        "pe.rates.int8": (1, TPU_V4_DOCS + ": 275 teraflops, bf16 or int8"),
        "array.rows": (128, TPU_V4 + ": matrix units of 128 x 128"),
        "array.columns": (128, TPU_V4 + ": matrix units of 128 x 128"),
        "core.arrays": (4, TPU_V4_DOCS + ": 4 matrix units a core"),
        "core.streaming_buffer_KiB": (768, "assumption: 3 operands of 4 matrix units, 2 buffers each, of 32 KiB"),
        "core.frequency_GHz": (1.05, TPU_V4),
        "core.scratchpad_MiB": (64, TPU_V4 + ": 128 MiB of common memory a chip, of 2 cores"),
        "core.scratchpad_bandwidth_GBps": (2152, "assumption: 128 rows of 4 matrix units, 4 bytes each, a cycle"),
        "core.sfu_ops_per_cycle": (1024, "assumption: a vector unit of 128 x 8 lanes, an element-pass a cycle"),
        "chip.cores": (2, TPU_V4_DOCS + ": 2 cores a chip"),
        "chip.core_link_bandwidth_GBps": (2400, "assumption: twice the memory's bandwidth"),
        "chip.memory.capacity_GB": (34.359738368, TPU_V4 + ": 32 GiB a chip"),
        "chip.memory.bandwidth_GBps": (1200, TPU_V4),
        "chip.memory.stacks": (1, TPU_V4_DOCS + ": both cores have one memory of 32 GiB"),
        "system.collective_order": ("both_halves", "assumption: gradients are summed along all axes at once, as on TPU v3"),
        "model.fused_reductions": (True, "assumption: gradients are gathered and summed as one, as on TPU v3"),
    }),
    "v100": (GPU, {
        "model.attention_efficiency_ratio": (0.6, "assumption: as A100"),
        "pe.simd_macs": (8, V100 + ": 512 half-precision MACs a cycle of a multiprocessor, as 8 x 8 x 8"),
        "pe.rates.int8": (0.5, "NVIDIA, Tesla V100 architecture whitepaper: 4 products a lane and cycle on 64 lanes, no tensor cores"),
        "pe.rates.fp8": (1, "assumption: no type of the machine, converted to half precision"),
        "pe.rates.bf16": (0.125, "assumption: no type of its tensor cores, computed as fp32"),
        "pe.rates.tf32": (0.125, "assumption: no type of the machine, computed as fp32"),
        "pe.rates.fp32": (0.125, V100 + ": 15.7 of 125 TFLOP/s, 64 lanes of a multiprocessor"),
        "array.rows": (8, "as pe.simd_macs"),
        "array.columns": (8, "as pe.simd_macs"),
        "core.frequency_GHz": (1.53, V100 + ": boost clock"),
        "core.scratchpad_MiB": (0.125, V100 + ": 128 KiB of shared memory and first-level cache"),
        "core.scratchpad_bandwidth_GBps": (196, "128 bytes a cycle of shared memory"),
        "core.sfu_ops_per_cycle": (64, V100 + ": 64 lanes of single precision"),
        "chip.cores": (80, V100 + ": 80 multiprocessors"),
        "chip.core_link_bandwidth_GBps": (3133, "assumption: 2048 bytes a cycle of the second-level cache"),
        "chip.memory.capacity_GB": (16, V100),
        "chip.memory.bandwidth_GBps": (900, V100),
    }),
    "a100": (GPU, {
        "model.attention_efficiency_ratio": (0.6, FLASH_2),
        "pe.simd_macs": (8, A100 + ": 1024 half-precision MACs a cycle of a multiprocessor, as 16 x 8 x 8"),
        "pe.rates.int8": (2, A100 + ": 624 TOPS beside 312 TFLOP/s"),
        "pe.rates.fp8": (1, "assumption: no type of the machine, converted to half precision"),
        "pe.rates.tf32": (0.5, A100 + ": 156 of 312 TFLOP/s"),
        "pe.rates.fp32": (0.0625, A100 + ": 19.5 of 312 TFLOP/s, outside tensor cores; as tf32 0.5"),
        "array.rows": (16, "as pe.simd_macs"),
        "array.columns": (8, "as pe.simd_macs"),
        "core.frequency_GHz": (1.41, A100 + ": boost clock"),
        "core.scratchpad_MiB": (0.1875, A100 + ": 192 KiB of shared memory and first-level cache"),
        "core.scratchpad_bandwidth_GBps": (180, "128 bytes a cycle of shared memory"),
        "core.sfu_ops_per_cycle": (64, A100 + ": 64 lanes of single precision"),
        "chip.cores": (108, A100 + ": 108 multiprocessors"),
        "chip.core_link_bandwidth_GBps": (7219, A100 + ": 5120 bytes a cycle of the second-level cache"),
        "chip.memory.capacity_GB": (80, A100 + ", 80 GB"),
        "chip.memory.bandwidth_GBps": (2039, A100 + ", 80 GB"),
    }),
    "h100": (GPU, {
        "model.attention_efficiency_ratio": (0.65, FLASH_3 + "; with FlashAttention-2, of 2023, 0.35 to 0.4"),
        "pe.simd_macs": (8, H100 + ": 2048 half-precision MACs a cycle of a multiprocessor, as 16 x 16 x 8"),
        "pe.rates.int8": (2, H100 + ": 1979 TOPS beside 989 TFLOP/s, without sparsity"),
        "pe.rates.fp8": (2, H100 + ": 1979 of 989 TFLOP/s, without sparsity"),
        "pe.rates.tf32": (0.5, H100 + ": 495 of 989 TFLOP/s, without sparsity"),
        "pe.rates.fp32": (0.0625, H100 + ": 67 of 989 TFLOP/s at the same clock, 128 lanes of a multiprocessor"),
        "array.rows": (16, "as pe.simd_macs"),
        "array.columns": (16, "as pe.simd_macs"),
        "core.frequency_GHz": (1.83, H100 + ": 989 TFLOP/s over 132 * 2048 MACs"),
        "core.scratchpad_MiB": (0.25, H100 + ": 256 KiB of shared memory and first-level cache"),
        "core.scratchpad_bandwidth_GBps": (234, "128 bytes a cycle of shared memory"),
        "core.sfu_ops_per_cycle": (128, H100 + ": 128 lanes of single precision"),
        "chip.cores": (132, H100 + ": 132 multiprocessors"),
        "chip.core_link_bandwidth_GBps": (9370, "assumption: 5120 bytes a cycle of the second-level cache, as A100"),
        "chip.memory.capacity_GB": (80, H100),
        "chip.memory.bandwidth_GBps": (3350, H100),
    }),
}


# Of links of TPUs beside their bandwidth.
STEP = (1, f"assumption: as {SCALING_BOOK}, Sharded matrices, says of later TPUs: a hop takes about 1 us")
SUSTAINED = (0.82, f"assumption: as {SCALING_BOOK}, Sharded matrices, shows of TPU v5e: 560 us of 680 measured")


def torus_axis(name, chips, link, bandwidth, notes):
    """An axis of a torus; a line is passed from end to end, a ring both ways round."""
    both_ways = {"both_ways": True} if link == "ring" else {}
    axis = {"name": name, "chips": chips, "link": link, "bandwidth_GBps": bandwidth, "efficiency_ratio": SUSTAINED[0],
            "latency_us": STEP[0], **both_ways}
    return axis, {"efficiency_ratio": SUSTAINED[1], "latency_us": STEP[1], **notes}


def node(chips, bandwidth, note):
    return {"name": "gpu", "chips": chips, "link": "switch", "bandwidth_GBps": bandwidth, "efficiency_ratio": 0.75,
            "latency_us": 3.4}, {"bandwidth_GBps": note}


def nodes(chips, bandwidth, per_port, note):
    return {"name": "node", "chips": chips, "link": "switch", "bandwidth_GBps": bandwidth, "efficiency_ratio": 0.75,
            "latency_us": 9.6, "chips_per_port": per_port}, {"bandwidth_GBps": note, "chips_per_port": note}


def pod(x, y):
    """Chips of pods of 32 x 32: a side that spans a pod closes, others do not."""
    bandwidth = "82 GB/s a link and direction: 656 Gb/s, often cited"

    def axis(name, chips):
        link = "ring" if chips == 32 else "line"
        note = (f"{TPU_V3}: a pod of 1024 chips is a two-dimensional torus; {SCALING_BOOK}, TPUs: 32 x 32" if link == "ring"
                else f"{SCALING_BOOK}, TPUs: sides shorter than that of a pod do not close" if chips < 32
                else f"{MULTIPOD}: four pods in a row; links between pods close no ring")
        return torus_axis(name, chips, link, 82, {"bandwidth_GBps": bandwidth, "link": note})
    return [axis("x", x), axis("y", y)]


SYSTEMS = {
    **{f"tpu_v3_{2 * x * y}": ("tpu_v3", f"{2 * x * y} cores of TPU v3: {x} x {y} chips", pod(x, y))
       for x, y in ((4, 4), (8, 8), (8, 16), (16, 16), (16, 32), (32, 32), (32, 128))},
    "tpu_v4_4096": ("tpu_v4", "TPU v4: 16 x 16 x 16 chips",
                    [torus_axis(axis, 16, "ring", 50, {"bandwidth_GBps": TPU_V4 + ": 50 GB/s a link and direction",
                                                        "link": TPU_V4 + ": a three-dimensional torus"}) for axis in "xyz"]),
    "dgx1_v100": ("v100", "DGX-1: 8 V100", [
        node(8, 150, V100 + ": 6 links of 25 GB/s; the hybrid cube mesh as a switch, an assumption"),
        nodes(1, 6.25, 8, "4 ports of 100 Gb/s a node")]),
    "dgx2_v100": ("v100", "DGX-2: 16 V100", [
        node(16, 150, V100 + ": 6 links of 25 GB/s to switches"),
        nodes(1, 6.25, 16, "8 ports of 100 Gb/s a node")]),
    "dgx_a100": ("a100", "DGX A100: 12 nodes of 8 A100", [
        node(8, 300, A100 + ": 12 links of 25 GB/s to switches"),
        nodes(12, 25, 8, "8 ports of 200 Gb/s a node")]),
    "dgx_h100": ("h100", "DGX H100: 4 nodes of 8 H100", [
        node(8, 450, H100 + ": 18 links of 25 GB/s to switches"),
        nodes(4, 50, 8, "8 ports of 400 Gb/s a node")]),
    "summit_node": ("v100", "a node of Summit: 6 V100", [
        node(6, 100, "Summit: 2 links of 25 GB/s to each of two neighbours; as a switch, an assumption")]),
}


# What a system has otherwise than its family.
OWN = {
    "dgx2_v100": {"chip.memory.capacity_GB": (32, "NVIDIA DGX-2 data sheet: 512 GB of GPU memory, 16 x 32 GB")},
}


def put(system, path, value):
    *tiers, key = path.split(".")
    for tier in tiers:
        system = system.setdefault(tier, {})
    system[key] = value


def made(name):
    family, title, axes = SYSTEMS[name]
    common, own = FAMILIES[family]
    system = {"//": title, "format": "dsm-system/1", "name": name,
              "source": f"{title}. Public figures of the {family} family, and assumptions, see notes."}
    notes = {}
    tiers = ["pe", "array", "core", "chip", "system", "model"]
    paths = {**{path: row for path, row in COMMON.items() if row}, **common, **own, **OWN.get(name, {})}
    for path in sorted(paths, key=lambda each: tiers.index(each.split(".")[0])):
        put(system, path, paths[path][0])
        notes[path] = paths[path][1]
    system["system"] = {"axes": [axis for axis, note in axes], **system.get("system", {})}
    of_keys = {"chips": title, "link": "as bandwidth_GBps", "efficiency_ratio": "assumption: three quarters of a link are sustained",
               "latency_us": "NCCL: latency of a step", "both_ways": "a link has a wire each way"}
    for index, (axis, of_axis) in enumerate(axes):
        stated = {**of_keys, **of_axis}
        notes.update({f"system.axes.{index}.{key}": stated[key] for key in axis if key != "name"})
    system["notes"] = notes
    return json.dumps(system, indent=2) + "\n"


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder, different = pathlib.Path(sys.argv[1]), False
    for name in SYSTEMS:
        path, text = folder / f"{name}.json", made(name)
        if not path.exists() or path.read_text() != text:
            different = True
            if "--check" in sys.argv:
                print(f"{path.name}: not what tools/real_systems.py makes")
            else:
                path.write_text(text)
    return 1 if different and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
