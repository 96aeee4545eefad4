/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "twin_auxiliary.h"
#include "twin_between_cores.h"
#include "twin_bytes.h"
#include "twin_compute.h"
#include "twin_cost.h"
#include "twin_stream.h"
#include "twin_traffic.h"
#include "twin_types.h"

/* Section 3 */

double twin_samples_per_chip(const twin_layout layout, const double samples) {
  return ceil(samples / layout.nd);
}

bool twin_split_is_valid(const twin_context *context, const twin_node *node,
                         const twin_parallelism parallelism, const double split[TWIN_DIM_COUNT],
                         const double samples) {
  const twin_layout layout = twin_layout_of(context->system, parallelism);
  const double inc = twin_group_inputs(node, layout);
  const double outc = ceil(twin_out_features(node) / layout.nm);
  const double mbc = twin_samples_per_chip(layout, samples);
  return split[0] <= inc && split[1] <= outc && split[2] <= node->ij && split[3] <= node->kij &&
         split[4] <= mbc;
}

double twin_partial_sum_bytes(const twin_context *context) {
  const double given = context->system->partial_sum_bytes;
  return given > 0 ? given : context->workload->partial_sum_bytes;
}

double twin_sum_widening(const twin_context *context, const twin_node *node,
                         const twin_pass_kind pass) {
  const twin_node as = twin_as_read(context, node, pass);
  const double summed = pass == TWIN_UPDATE     ? twin_kernel_bytes(context, &as)
                        : pass == TWIN_BACKWARD ? as.in_bytes
                                                : as.out_bytes;
  return twin_partial_sum_bytes(context) / summed;
}

/* Means and variances of a batch_norm go round all that share them, there and back. */
static double shared_statistics_cycles(const twin_context *context, const twin_node *node,
                                       const twin_pass_kind pass, const twin_layout *layout,
                                       const double samples, const double mbc) {
  const twin_system *const system = context->system;
  const bool is_done = pass != TWIN_UPDATE || !twin_has_backward(node);
  const double group = fmin(context->workload->normalization_group, samples);
  const double memories = group / fmax(1, mbc / system->memory_stacks);
  if (!node->has_batch_norm || node->kind == TWIN_LSTM || context->inference || !is_done ||
      memories <= 1) {
    return 0;
  }
  size_t axis = 0;
  while (axis < system->axis_count && (!layout->is_data[axis] || system->axes[axis].chips <= 1)) {
    axis++;
  }
  return axis == system->axis_count
             ? 0
             : 2 * ceil(log2(memories) - 1e-9) * system->axes[axis].latency_cycles;
}

size_t twin_node_index(const twin_context *context, const twin_node *node) {
  (void)context;
  return node->place;
}

twin_condition twin_plain_condition(const twin_context *context, const twin_node *node) {
  return (twin_condition){
      .samples = context->workload->minibatch,
      .cap_bytes = context->system->scratchpad_bytes,
      .free_bytes = context->system->shared_bytes,
      .accumulates = node->timesteps > 1,
  };
}

twin_condition twin_open_condition(const twin_condition *condition) {
  twin_condition open = *condition;
  open.is_input_held = false;
  open.is_output_held = false;
  open.is_shortcut_held = false;
  open.is_resident = false;
  return open;
}

twin_invocation twin_invocation_of(const twin_context *context, const twin_node *node,
                                   const twin_pass_kind pass, const twin_parallelism parallelism,
                                   const double split[TWIN_DIM_COUNT],
                                   const twin_condition *condition) {
  const twin_system *const system = context->system;
  const twin_layout layout = twin_layout_of(system, parallelism);
  const double mbc = twin_samples_per_chip(layout, condition->samples);
  const twin_node as = twin_as_read(context, node, pass);
  const twin_traffic bytes = twin_traffic_of(context, &as, layout, split, condition);
  const bool widens = node->widens_weights && pass != TWIN_UPDATE;
  const double widened = widens ? bytes.ker / twin_kernel_bytes(context, &as) : 0;
  const double full = twin_in_elements(node) * mbc * node->in_bytes;
  const bool is_turned = twin_turns(node, layout) > 1;
  const twin_rotation rotated = is_turned ? twin_rotation_of(system, &layout, full * bytes.turned)
                                          : (twin_rotation){.largest_bytes = 0};
  const double rm = system->rotate_memory_bytes * rotated.largest_bytes;
  const twin_stream mem = twin_stream_of(context, &as, pass, layout, split, &bytes, condition,
                                         pass == TWIN_BACKWARD ? 0 : rm);

  twin_invocation cost = {
      .split = {split[0], split[1], split[2], split[3], split[4]},
      .primary = twin_primary_cycles(context, &as, pass, layout, split, mbc),
      .auxiliary =
          twin_auxiliary_cycles(context, node, pass, layout, mbc, condition, bytes.added, widened),
      .non_overlapped =
          twin_between_cores_cycles(context, &as, pass, layout, split, &bytes, condition),
      .core_bytes = bytes.s_in + bytes.s_out + bytes.kcore,
      .kernel_bytes = system->shared_bytes > 0 ? bytes.ker : bytes.kcore,
  };
  if (pass == TWIN_BACKWARD) {
    const double turned = twin_even_bytes(system, rotated.all_bytes);
    cost.overlapped = fmax(twin_group_cycles(system, NULL, mem.memory, mem.link),
                           mem.shared / system->shared_bytes_per_cycle);
    cost.non_overlapped += twin_group_cycles(system, &rotated.links, rm, turned) *
                               twin_sum_widening(context, node, pass) +
                           rotated.latency_cycles;
  } else {
    cost.overlapped = fmax(twin_group_cycles(system, &rotated.links, mem.memory + rm,
                                             mem.link + twin_even_bytes(system, rm)),
                           (mem.shared + rm) / system->shared_bytes_per_cycle) +
                      rotated.latency_cycles;
  }
  cost.non_overlapped += twin_overhead_cycles(context, node, pass);
  cost.non_overlapped +=
      shared_statistics_cycles(context, node, pass, &layout, condition->samples, mbc);
  cost.total = fmax(cost.primary, cost.overlapped) + cost.auxiliary + cost.non_overlapped;
  return cost;
}
