/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/parameters.h"

const char *const dsm__interconnect_names[] = {[DSM_INTERCONNECT_RING] = "ring"};
_Static_assert(sizeof dsm__interconnect_names / sizeof dsm__interconnect_names[0] ==
                   DSM_INTERCONNECT_COUNT,
               "a name for each interconnect");

const char *const dsm__topology_names[] = {[DSM_TOPOLOGY_TORUS_2D] = "torus_2d"};
_Static_assert(sizeof dsm__topology_names / sizeof dsm__topology_names[0] == DSM_TOPOLOGY_COUNT,
               "a name for each topology");

const char *const dsm__layout_move_names[] = {
    [DSM_LAYOUT_MOVE_NONE] = "none",
    [DSM_LAYOUT_MOVE_ALWAYS] = "always",
    [DSM_LAYOUT_MOVE_EXACT] = "exact",
};
_Static_assert(sizeof dsm__layout_move_names / sizeof dsm__layout_move_names[0] ==
                   DSM_LAYOUT_MOVE_COUNT,
               "a name for each way to move held tensors");

/* Smallest and largest rate, frequency or capacity: with them no time or volume can overflow. */
#define RATE_MIN 1e-9
#define RATE_MAX 1e12
/* Largest factor on bytes. */
#define FACTOR_MAX 1024

/* clang-format off: one parameter a line */
#define COUNT(path, field, required, max, fallback)                                                \
  { path, DSM__PARAMETER_COUNT, offsetof(dsm_system, field), required, 1, max, fallback }
#define RATE(path, field)                                                                          \
  { path, DSM__PARAMETER_REAL, offsetof(dsm_system, field), true, RATE_MIN, RATE_MAX, 0 }
#define REAL(path, field, min, max, fallback)                                                      \
  { path, DSM__PARAMETER_REAL, offsetof(dsm_system, field), false, min, max, fallback }
#define FLAG(path, field, fallback)                                                                \
  { path, DSM__PARAMETER_FLAG, offsetof(dsm_system, field), false, 0, 1, fallback }

#define WORD(path, kind, field, required, fallback)                                                \
  { path, kind, offsetof(dsm_system, field), required, 0, 0, fallback }

/* Defaults: docs/model.md, section 2, with their sources. */
const dsm__parameter dsm__parameters[] = {
    COUNT("pe.simd_macs", pe.simd_macs, false, DSM_SIDE_MAX, 8),
    COUNT("array.rows", array.rows, false, DSM_SIDE_MAX, 16),
    COUNT("array.columns", array.columns, false, DSM_SIDE_MAX, 8),
    REAL("array.startup_cycles", array.startup_cycles, 0, 1e9, 1000),
    FLAG("array.unroll_kernel_on_rows", array.unroll_kernel_on_rows, false),
    FLAG("array.weights_from_scratchpad", array.weights_from_scratchpad, false),
    RATE("core.frequency_GHz", core.frequency_GHz),
    RATE("core.scratchpad_MiB", core.scratchpad_MiB),
    RATE("core.scratchpad_bandwidth_GBps", core.scratchpad_bandwidth_GBps),
    REAL("core.sfu_ops_per_cycle", core.sfu_ops_per_cycle, RATE_MIN, RATE_MAX, 16),
    REAL("core.transcendental_passes", core.transcendental_passes, 0, 1e6, 4),
    REAL("core.streaming_buffer_KiB", core.streaming_buffer_KiB, 0, 1e9, 192),
    REAL("core.resident_weight_fraction", core.resident_weight_fraction, 0, 1, 0.75),
    COUNT("chip.cores", chip.cores, true, DSM_CORES_MAX, 0),
    WORD("chip.interconnect", DSM__PARAMETER_INTERCONNECT, chip.interconnect, true, 0),
    RATE("chip.core_link_bandwidth_GBps", chip.core_link_bandwidth_GBps),
    RATE("chip.memory.capacity_GB", chip.memory.capacity_GB),
    RATE("chip.memory.bandwidth_GBps", chip.memory.bandwidth_GBps),
    REAL("chip.memory.efficiency_ratio", chip.memory.efficiency_ratio, 1e-6, 1, 1),
    WORD("system.topology", DSM__PARAMETER_TOPOLOGY, system.topology, true, 0),
    COUNT("system.chips_x", system.chips_x, true, DSM_CHIPS_MAX, 0),
    COUNT("system.chips_y", system.chips_y, true, DSM_CHIPS_MAX, 0),
    RATE("system.link_bandwidth_x_GBps", system.link_bandwidth_x_GBps),
    RATE("system.link_bandwidth_y_GBps", system.link_bandwidth_y_GBps),
    REAL("model.bptt_resident_copies", model.bptt_resident_copies, 0, FACTOR_MAX, 2),
    REAL("model.relu_mask_bytes", model.relu_mask_bytes, 0, FACTOR_MAX, 0.125),
    REAL("model.batch_norm_saved_bytes", model.batch_norm_saved_bytes, 0, FACTOR_MAX, 0.125),
    REAL("model.reduce_memory_bytes", model.reduce_memory_bytes, 0, FACTOR_MAX, 1),
    REAL("model.broadcast_memory_bytes", model.broadcast_memory_bytes, 0, FACTOR_MAX, 1),
    REAL("model.reduce_ring_crossings", model.reduce_ring_crossings, 0, FACTOR_MAX, 2),
    REAL("model.rotate_memory_bytes", model.rotate_memory_bytes, 0, FACTOR_MAX, 1),
    REAL("model.relayout_memory_bytes", model.relayout_memory_bytes, 0, FACTOR_MAX, 2),
    REAL("model.weight_update_memory_bytes", model.weight_update_memory_bytes, 0, FACTOR_MAX, 2),
    REAL("model.partial_sum_bytes", model.partial_sum_bytes, 0, FACTOR_MAX, 0),
    FLAG("model.exact_groups", model.exact_groups, false),
    FLAG("model.dysm_uniform", model.dysm_uniform, false),
    FLAG("model.dysm_accumulate_in_memory", model.dysm_accumulate_in_memory, true),
    FLAG("model.exact_rotation", model.exact_rotation, false),
    FLAG("model.exact_forks", model.exact_forks, false),
    FLAG("model.overlapped_hand_over", model.overlapped_hand_over, false),
    FLAG("model.pipeline_columns", model.pipeline_columns, false),
    FLAG("model.lstm_gate_errors", model.lstm_gate_errors, false),
    FLAG("model.statistics_sums", model.statistics_sums, false),
    FLAG("model.two_way_relayout", model.two_way_relayout, false),
    WORD("model.layout_move", DSM__PARAMETER_LAYOUT_MOVE, model.layout_move, false,
         DSM_LAYOUT_MOVE_NONE),
    FLAG("model.charge_held_masks", model.charge_held_masks, false),
    FLAG("model.prefer_holding", model.prefer_holding, false),
    FLAG("model.resident_operands", model.resident_operands, true),
};
/* clang-format on */

const size_t dsm__parameter_count = sizeof dsm__parameters / sizeof dsm__parameters[0];

const char *dsm__parameter_word(const dsm__parameter *parameter, const dsm_system *system) {
  const void *const field = dsm__parameter_get(parameter, system);
  switch (parameter->kind) {
  case DSM__PARAMETER_INTERCONNECT:
    return dsm__interconnect_names[*(const dsm_interconnect *)field];
  case DSM__PARAMETER_TOPOLOGY:
    return dsm__topology_names[*(const dsm_topology *)field];
  case DSM__PARAMETER_LAYOUT_MOVE:
    return dsm__layout_move_names[*(const dsm_layout_move *)field];
  case DSM__PARAMETER_COUNT:
  case DSM__PARAMETER_REAL:
  case DSM__PARAMETER_FLAG:
    break;
  }
  return "";
}
