/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "twin_between_cores.h"
#include "twin_bytes.h"
#include "twin_cost.h"
#include "twin_tiles.h"
#include "twin_traffic.h"

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

/* Section 4 */

/* (groups a core, reduction features a core, produced features a core) in forward and update. */
typedef struct {
  double groups;
  double reduced;
  double produced;
} core_features;

static core_features core_features_of(const twin_node *node, const twin_layout layout,
                                      const double k_in, const double k_out) {
  const double g = twin_chip_groups(node, layout);
  return (core_features){
      .groups = ceil(g / fmin(g, k_out)),
      .reduced = ceil(twin_group_inputs(node, layout) / k_in),
      .produced = ceil(twin_group_outputs(node, layout) / twin_cores_of_group(node, layout, k_out)),
  };
}

/* From one block of weights to the next. */
static double block_cycles(const twin_system *system, const double rate, const double stream,
                           const double load) {
  const double used = stream / rate;
  const double held = system->weights_from_scratchpad ? fmax(used, load) : used;
  return held / system->array_efficiency + system->block_cycles;
}

/* Of a core whose vector unit does all. */
static double vector_cycles(const twin_system *system, const double macs) {
  const double rate = system->vector_macs_per_cycle;
  return rate > 0 ? macs / rate : HUGE_VAL;
}

/* Of what a pass multiplies: without what a mask hides; a score whose products are not kept makes
 * them anew on the way back, one half for each of its operands' errors. */
static double done_share(const twin_system *system, const twin_node *node,
                         const twin_pass_kind pass) {
  const bool is_made_anew = pass == TWIN_BACKWARD && twin_is_fused_score(system, node);
  return twin_visible_share(system, node) * (is_made_anew ? 1.5 : 1);
}

static double primary_cycles(const twin_context *context, const twin_node *node,
                             const twin_pass_kind pass, const twin_layout layout,
                             const double split[TWIN_DIM_COUNT], const double mbc) {
  const twin_system *const system = context->system;
  const core_features features = core_features_of(node, layout, split[0], split[1]);
  const double c_ij = ceil(node->ij / split[2]);
  const double c_kij = ceil(node->kij / split[3]);
  const double c_mb = ceil(mbc / split[4]);
  const double red = pass == TWIN_BACKWARD ? features.produced : features.reduced;
  const double prod = pass == TWIN_BACKWARD ? features.reduced : features.produced;
  const double column_blocks = ceil(prod / system->columns);
  const double row_blocks = system->unroll_kernel_on_rows ? ceil(red * c_kij / system->rows)
                                                          : ceil(red / system->rows) * c_kij;
  const double load = system->rows * system->columns * twin_kernel_bytes(context, node) /
                      system->scratchpad_bytes_per_cycle;
  const double rate = twin_array_rate(context, node, pass);
  /* Each sample of an attention has blocks of its own. */
  const double samples_apart = twin_is_attention(node) ? c_mb : 1;
  const double stream = c_ij * c_mb / samples_apart;
  const double groups = features.groups * samples_apart;
  const double n = system->arrays;
  /* Each array has columns of blocks of its own, or a part of what streams past the same block. */
  const double columns = ceil(groups * column_blocks / n);
  const double by_features = row_blocks * columns * block_cycles(system, rate, stream, n * load);
  const double by_stream =
      groups * row_blocks * column_blocks * block_cycles(system, rate, ceil(stream / n), load);
  const double done = done_share(system, node, pass);
  const double by_arrays = fmin(by_features, by_stream) * done + system->startup_cycles;
  const double macs = groups * features.reduced * features.produced * c_kij * stream;
  if (node->kind == TWIN_EMBEDDING) {
    return 0; /* nothing is multiplied */
  }
  return twin_turns(node, layout) * fmin(by_arrays, vector_cycles(system, macs * done));
}

/* Rows, columns and sums of as many products alike. */
typedef struct {
  double count;
  double rows;
  double columns;
  double summed;
  double row_bytes; /* of an element of each operand */
  double column_bytes;
  double rate;
} product;

static product product_of(const twin_node *node, const twin_pass_kind pass,
                          const twin_layout layout, const double mbc) {
  const double g = twin_chip_groups(node, layout);
  const double inc = twin_group_inputs(node, layout);
  const double outc = twin_group_outputs(node, layout);
  const double samples = twin_is_product(node) ? 1 : mbc;
  const double count = twin_is_product(node) ? mbc * g : g;
  if (pass == TWIN_FORWARD) {
    return (product){count, samples * node->ij, outc, inc * node->kij, 0, 0, 0};
  }
  if (pass == TWIN_BACKWARD) {
    const double inputs = node->multiplied_ij;
    const double summed = outc * node->kij * node->ij / fmin(inputs, node->ij * node->strides);
    return (product){count, samples * inputs, inc, summed, 0, 0, 0};
  }
  return (product){count, outc, inc * node->kij, samples * node->ij, 0, 0, 0};
}

/* With one shape of tiles, whose sums are cut into k. */
static double tile_cycles(const twin_context *context, const product *p, const double tm,
                          const double tn, const double k) {
  const twin_system *const system = context->system;
  const double kk = ceil(p->summed / k);
  const double tiles = p->count * ceil(p->rows / tm) * ceil(p->columns / tn) * k;
  const double rate =
      system->rows * system->columns * system->arrays * system->array_efficiency * p->rate;
  const double fetched = (tm * p->row_bytes + tn * p->column_bytes) * kk * system->cores;
  const double operands = fmax(twin_even_bytes(system, fetched) / system->core_link_bytes_per_cycle,
                               fetched / system->shared_bytes_per_cycle);
  const double cycle = fmax(tm * tn * kk / rate, operands);
  const double sums = k > 1 ? 8 * k * p->count * p->rows * p->columns : 0;
  return ceil(tiles / system->cores) * (cycle + system->tile_startup_cycles) +
         fmax(sums / system->auxiliary_bytes_per_cycle, sums / system->shared_bytes_per_cycle);
}

/* Over all shapes whose sides differ by a factor of 2 at most, and all ways to cut the sums. */
static double scheduled_cycles(const twin_context *context, const twin_node *node,
                               const twin_pass_kind pass, const twin_layout layout,
                               const double mbc) {
  const twin_system *const system = context->system;
  product p = product_of(node, pass, layout, mbc);
  p.row_bytes = pass == TWIN_FORWARD ? node->in_bytes : node->out_bytes;
  p.column_bytes = pass == TWIN_UPDATE ? node->in_bytes : twin_kernel_bytes(context, node);
  p.rate = twin_array_rate(context, node, pass);
  const double least = system->tile_least_side;
  double best = HUGE_VAL;
  for (double tm = least; tm <= least * 2048; tm *= 2) {
    for (double tn = least; tn <= least * 2048; tn *= 2) {
      const bool is_smallest = tm <= least && tn <= least;
      const bool is_shape = tm <= 2 * tn && tn <= 2 * tm && tm * tn <= system->tile_most_elements;
      for (double k = 1; k <= 64 && (is_shape || is_smallest); k *= 2) {
        if (k <= 1 || p.summed / k >= 64) {
          best = fmin(best, tile_cycles(context, &p, tm, tn, k));
        }
      }
    }
  }
  const double macs = twin_chip_groups(node, layout) * twin_group_inputs(node, layout) *
                      twin_group_outputs(node, layout) * node->ij * node->kij * mbc;
  if (node->kind == TWIN_EMBEDDING) {
    return 0;
  }
  return twin_turns(node, layout) * done_share(system, node, pass) *
         fmin(best, vector_cycles(system, macs / system->cores));
}

static double forward_ops(const twin_node *node, const double t, const bool inference) {
  if (node->kind == TWIN_LSTM) {
    return (4 * (1 + t) + t + 4) * node->out;
  }
  const double o = twin_out_elements(node);
  double ops = 0;
  if (twin_has_norm(node)) {
    ops += inference ? o : 2 * o;
  } else if (node->has_transcendental) {
    ops += t * o;
  } else if (node->has_relu || node->has_bias) {
    ops += o;
  }
  ops += node->has_residual ? o : 0;
  ops += node->has_multiply ? o : 0;
  ops += node->has_dropout && !inference ? o : 0;
  ops += 2 * twin_turned_elements(node);
  ops += twin_saved_elements(node) * (inference ? 1 : 2);
  ops += twin_stored_elements(node) * node->pool_window;
  ops += node->has_softmax ? (t + 2) * o : 0;
  ops += node->has_loss ? (t + 2) * o : 0;
  return ops + node->input_pool_ops + node->upsampled_results;
}

static double backward_ops(const twin_node *node) {
  if (node->kind == TWIN_LSTM) {
    return 20 * node->out;
  }
  const double o = twin_out_elements(node);
  double ops = 0;
  if (twin_has_norm(node)) {
    ops += node->has_rms_norm && !node->has_layer_norm && !node->has_batch_norm ? 3 * o : 4 * o;
  } else if (node->has_transcendental || node->has_relu) {
    ops += o;
  }
  ops += node->has_residual ? o : 0;
  ops += node->has_multiply ? 2 * o : 0;
  ops += node->has_dropout ? o : 0;
  ops += 2 * twin_turned_elements(node);
  ops += node->has_input_layer_norm ? 4 * twin_in_elements(node) : 0;
  ops += node->has_input_rms_norm ? 3 * twin_in_elements(node) : 0;
  ops += twin_stored_elements(node) * node->pool_window;
  ops += node->has_softmax ? o : 0;
  ops += node->has_loss ? o : 0;
  return ops + node->input_pool_ops + node->upsampled_results;
}

/* Of each kind, how many elements of a sample its operations work on. */
static void auxiliary_operands(const twin_context *context, const twin_node *node,
                               double elements[TWIN_AUX_COUNT]) {
  const double usual = context->workload->element_bytes;
  const double results = twin_out_elements(node);
  const double o = results * node->out_bytes / usual;
  const double relu = node->has_relu && !twin_has_norm(node) ? 1 : 0;
  elements[TWIN_AUX_BATCH_NORM] = node->has_batch_norm && !context->inference ? o : 0;
  elements[TWIN_AUX_LAYER_NORM] = (node->has_layer_norm + node->has_rms_norm) * o;
  elements[TWIN_AUX_INPUT_NORM] = (node->has_input_layer_norm + node->has_input_rms_norm) *
                                  twin_in_elements(node) * node->in_bytes / usual;
  elements[TWIN_AUX_MULTIPLY] = node->has_multiply ? o : 0;
  elements[TWIN_AUX_DROPOUT] = node->has_dropout && !context->inference ? o : 0;
  elements[TWIN_AUX_DROPOUT_MASK] = node->has_dropout && !context->inference ? results / usual : 0;
  elements[TWIN_AUX_ROTARY] = twin_turned_elements(node) * node->out_bytes / usual;
  elements[TWIN_AUX_SOFTMAX] =
      node->has_softmax && !twin_is_fused_score(context->system, node) ? o : 0;
  elements[TWIN_AUX_LOSS] = node->has_loss ? o : 0;
  elements[TWIN_AUX_LOSS_WIDE] = node->has_loss ? results * 4 / usual : 0;
  elements[TWIN_AUX_ACTIVATION] = node->has_batch_norm ? 0 : (node->transcendentals + relu) * o;
  elements[TWIN_AUX_BIAS] = node->has_bias ? o : 0;
  elements[TWIN_AUX_RESIDUAL] = node->has_residual ? o : 0;
  elements[TWIN_AUX_FORK] = twin_fork_bytes(context->workload, node) / usual;
}

/* What a kind moves for each element, where this and that is held. */
static double auxiliary_moves(const twin_system *system, const twin_aux_kind kind,
                              const bool is_forward, const twin_condition *condition) {
  const bool is_norm = kind == TWIN_AUX_BATCH_NORM || kind == TWIN_AUX_LAYER_NORM;
  const double number = is_forward ? system->moves[kind].forward : system->moves[kind].backward;
  const bool has_sums = kind <= TWIN_AUX_LOSS_WIDE || kind == TWIN_AUX_INPUT_NORM;
  if (kind == TWIN_AUX_DROPOUT_MASK) {
    return number;
  }
  if (system->auxiliary_traffic == TWIN_AUX_FUSED && !has_sums) {
    return 0;
  }
  if (kind == TWIN_AUX_INPUT_NORM && condition->is_input_held) {
    return is_forward ? 0 : fmin(number, 2);
  }
  if (kind == TWIN_AUX_INPUT_NORM) {
    return number;
  }
  if (kind == TWIN_AUX_FORK) {
    return condition->is_input_held ? 0 : number;
  }
  const bool is_other_read = kind == TWIN_AUX_RESIDUAL || (kind == TWIN_AUX_MULTIPLY && is_forward);
  if (is_other_read && condition->is_shortcut_held) {
    return 0;
  }
  if (condition->is_output_held) {
    /* In a shared memory it is added to by an operation that has to read what it adds. */
    const bool reads = kind == TWIN_AUX_RESIDUAL && system->shared_bytes > 0;
    return is_forward ? (reads ? number : 0) : fmin(number, is_norm ? 2 : 1);
  }
  return number;
}

/* Elements of a sample that auxiliary operations read and write. */
static double auxiliary_elements(const twin_context *context, const twin_node *node,
                                 const twin_pass_kind pass, const twin_condition *condition) {
  const bool is_done = pass != TWIN_UPDATE || !twin_has_backward(node);
  double operands[TWIN_AUX_COUNT];
  double sum = 0;
  if (context->system->auxiliary_traffic == TWIN_AUX_NONE || !is_done || node->kind == TWIN_LSTM) {
    return 0;
  }
  auxiliary_operands(context, node, operands);
  for (int kind = 0; kind < TWIN_AUX_COUNT; kind++) {
    sum += operands[kind] *
           auxiliary_moves(context->system, (twin_aux_kind)kind, pass == TWIN_FORWARD, condition);
  }
  return sum;
}

/* What cores read and write, wherever it lies: as if nothing were held. */
static twin_condition open_condition(const twin_condition *condition) {
  twin_condition open = *condition;
  open.is_input_held = false;
  open.is_output_held = false;
  open.is_shortcut_held = false;
  open.is_resident = false;
  return open;
}

static double auxiliary_cycles(const twin_context *context, const twin_node *node,
                               const twin_pass_kind pass, const twin_layout layout,
                               const double mbc, const twin_condition *condition,
                               const double padding) {
  const twin_system *const system = context->system;
  double ops = 0;
  if (pass == TWIN_FORWARD) {
    ops = forward_ops(node, system->transcendental_passes, context->inference);
  } else if (pass == TWIN_BACKWARD || !twin_has_backward(node)) {
    ops = backward_ops(node);
  }
  /* Of two invocations on the way back each has a half. */
  const double share = twin_is_attention(node) && pass == TWIN_BACKWARD ? 0.5 : 1;
  if (pass == TWIN_BACKWARD && twin_is_fused_score(system, node)) {
    ops += forward_ops(node, system->transcendental_passes, context->inference);
  }
  ops *= node->kind == TWIN_SCORE ? twin_visible_share(system, node) : 1;
  if (pass == TWIN_BACKWARD && system->exact_forks) {
    ops += twin_fork_elements(context->workload, node);
  }
  ops *= share;
  const double computing = ops * mbc / (layout.nm * system->cores * system->sfu_ops_per_cycle);
  const twin_condition open = open_condition(condition);
  const double bytes = share * mbc / layout.nm * context->workload->element_bytes * padding;
  const double moving = auxiliary_elements(context, node, pass, condition) * bytes /
                        system->auxiliary_bytes_per_cycle;
  const double sharing =
      auxiliary_elements(context, node, pass, &open) * bytes / system->shared_bytes_per_cycle;
  return fmax(computing, fmax(moving, sharing));
}

/* Kernels of an invocation, and what starting all of them takes. */
static double overhead_cycles(const twin_context *context, const twin_node *node,
                              const twin_pass_kind pass) {
  const twin_system *const system = context->system;
  const bool is_done = pass != TWIN_UPDATE || !twin_has_backward(node);
  const bool is_apart = system->auxiliary_traffic == TWIN_AUX_UNFUSED;
  const double usual = context->workload->element_bytes;
  double operands[TWIN_AUX_COUNT];
  double kernels = twin_reads_fused_score(system, node) ? 0 : 1;
  auxiliary_operands(context, node, operands);
  for (int kind = 0; kind < TWIN_AUX_COUNT && is_done && node->kind != TWIN_LSTM; kind++) {
    const twin_aux_moves *const moves = &system->moves[kind];
    const bool has_sums = kind <= TWIN_AUX_LOSS || kind == TWIN_AUX_INPUT_NORM;
    if (kind == TWIN_AUX_LOSS_WIDE || kind == TWIN_AUX_DROPOUT_MASK) {
      continue;
    }
    const bool moves_some = (pass == TWIN_FORWARD ? moves->forward : moves->backward) > 0;
    const bool is_one_of_its_kind = kind == TWIN_AUX_FORK || kind == TWIN_AUX_ROTARY;
    const double each = is_one_of_its_kind ? operands[kind]
                        : kind == TWIN_AUX_INPUT_NORM
                            ? twin_in_elements(node) * node->in_bytes / usual
                            : twin_out_elements(node) * node->out_bytes / usual;
    if (operands[kind] > 0 && (has_sums || (is_apart && kind != TWIN_AUX_BIAS && moves_some))) {
      kernels += operands[kind] / each;
    }
  }
  return kernels * system->overhead_cycles;
}

/* Section 5 */

/* What the update pass reads of the output's error, and with it. */
static double update_error_bytes(const twin_context *context, const twin_node *node,
                                 const twin_traffic *bytes, const twin_condition *condition) {
  const twin_system *const system = context->system;
  const bool reads_gates = system->lstm_gate_errors && node->kind == TWIN_LSTM;
  const double statistics = twin_has_norm(node) ? bytes->statistics : 0;
  const double error = reads_gates ? bytes->raw : bytes->st;
  const bool reads_statistics = !condition->is_output_held || system->charge_held_masks;
  return (condition->is_output_held ? 0 : error) + (reads_statistics ? statistics : 0);
}

/* `fix` of section 5. */
static double shortcut_fix_bytes(const twin_context *context, const twin_node *node,
                                 const twin_pass_kind pass, const twin_traffic *bytes,
                                 const twin_condition *condition) {
  const bool is_apart = context->system->auxiliary_traffic == TWIN_AUX_UNFUSED;
  const bool is_added_in_core =
      pass == TWIN_FORWARD && condition->is_output_held && context->system->shared_bytes <= 0;
  if (is_apart && !is_added_in_core) {
    return 0;
  }
  const bool has_forks =
      pass == TWIN_BACKWARD && context->system->exact_forks && !condition->is_input_held;
  const double forks = has_forks ? bytes->forks : 0;
  if (node->has_multiply && pass == TWIN_BACKWARD) {
    /* Both operands are read, and the other's error is written, unless it is on chip. */
    const double each = node->pool_window > 0 ? bytes->raw : bytes->st;
    const double other = each * node->other_bytes / node->out_bytes;
    return forks + each + (condition->is_shortcut_held ? 1 : 2) * other;
  }
  if (pass == TWIN_BACKWARD && context->system->exact_forks) {
    return forks;
  }
  if (!(node->has_residual || node->has_multiply) || condition->is_shortcut_held) {
    return 0;
  }
  return pass == TWIN_FORWARD ? twin_shortcut_bytes(context, node, bytes)
                              : bytes->st * node->other_bytes / node->out_bytes;
}

/* What an invocation moves between memory and cores: bytes of memory, bytes that the busiest link
 * of the cores carries of them, and bytes of a shared memory. */
typedef struct {
  double memory;
  double link;
  double shared;
} stream;

/* Adds bytes of the chip, of which a core needs a share. */
static void add_to(stream *sum, const twin_system *system, const double bytes, const double share) {
  const bool is_by_core = system->joint == TWIN_CORES_CROSSBAR || system->joint == TWIN_CORES_MESH;
  const bool has_split = is_by_core && !system->tile_schedule;
  sum->memory += bytes;
  sum->link += has_split ? bytes * share : twin_even_bytes(system, bytes);
}

/* What streams, and the shares of it that the link of a core carries. */
typedef struct {
  double left; /* by positions: inputs, in backward errors */
  double right;
  double once;
  double left_share;
  double right_share;
} volumes;

static volumes volumes_of(const twin_context *context, const twin_node *node,
                          const twin_pass_kind pass, const twin_traffic *bytes,
                          const twin_condition *condition) {
  const bool adds = condition->accumulates || node->is_tied; /* to gradients that are there */
  const double copies = pass == TWIN_UPDATE && adds ? 2 : 1;
  const double kt = condition->is_resident ? 0 : bytes->ker * copies;
  const double of_input = bytes->s_in / bytes->inp;
  const double of_output = bytes->s_out / bytes->raw;
  const double of_kernel = bytes->ker > 0 ? bytes->kcore / bytes->ker : 0;
  const bool is_input_inside =
      condition->is_input_held || twin_reads_fused_score(context->system, node);
  const bool is_output_inside =
      condition->is_output_held || twin_is_fused_score(context->system, node);
  const double read = is_input_inside ? 0 : bytes->inp;
  const double written = is_output_inside ? 0 : bytes->st;
  /* Products of the input are read, errors of the gates written. */
  const double gates = node->is_step ? bytes->raw : 0;
  const double fix = gates + shortcut_fix_bytes(context, node, pass, bytes, condition);
  if (pass == TWIN_UPDATE) {
    return (volumes){.left = bytes->inp,
                     .right = update_error_bytes(context, node, bytes, condition),
                     .once = kt,
                     .left_share = of_input,
                     .right_share = of_output};
  }
  if (pass == TWIN_FORWARD) {
    return (volumes){.left = read,
                     .right = kt,
                     .once = written + bytes->deferred + bytes->save + bytes->added_cache + fix,
                     .left_share = of_input,
                     .right_share = of_kernel};
  }
  const bool reads_mask = !twin_reads_fused_score(context->system, node) &&
                          (!condition->is_input_held || context->system->charge_held_masks);
  return (volumes){.left = written + bytes->save,
                   .right = kt,
                   .once = read + (reads_mask ? bytes->mask : 0) + fix,
                   .left_share = of_output,
                   .right_share = of_kernel};
}

/* The paper's order of loops: what is fetched once for each tile. */
static twin_times paper_times(const twin_system *system, const twin_pass_kind pass,
                              const twin_traffic *bytes, const twin_condition *condition,
                              const volumes *v, const bool is_used_once) {
  /* Tiles that cores take as they become free have each operand once. */
  const bool is_once = system->tile_schedule || is_used_once;
  const double tile = is_once ? 1e300 : condition->cap_bytes / 2;
  const double n1 = condition->is_resident ? 1 : ceil(bytes->kcore / tile);
  const double n2 = ceil((pass == TWIN_FORWARD ? bytes->s_in : bytes->s_out) / tile);
  if (pass == TWIN_UPDATE) {
    return (twin_times){n1, n1, 0};
  }
  return v->left * n1 + v->right <= v->left + v->right * n2 ? (twin_times){n1, 1, 0}
                                                            : (twin_times){1, n2, 0};
}

/* All of it, fetched so often. */
static stream stream_with(const twin_system *system, const volumes *v, const double spilled,
                          const twin_times *times) {
  const double even = 1 / system->cores;
  stream sum = {0};
  add_to(&sum, system, v->left * times->left, v->left_share);
  add_to(&sum, system, v->right * times->right, v->right_share);
  add_to(&sum, system, v->once, even);
  add_to(&sum, system, spilled * times->sums, even);
  return sum;
}

/* Section 7, shared memory: how often external memory has what the cores fetch so often. */
static twin_times times_behind(const twin_pass_kind pass, const twin_traffic *bytes,
                               const twin_condition *condition, const volumes *v,
                               const double spilled, twin_times times) {
  const double room = condition->free_bytes * (1 + 1e-9);
  const double right = pass == TWIN_UPDATE ? v->right : bytes->ker;
  if (v->left <= room) {
    times.left = fmin(times.left, 1);
  }
  if (right <= room) {
    times.right = fmin(times.right, 1);
  }
  if (spilled / 2 <= room) {
    times.sums = 0;
  }
  return times;
}

/* What streams with a shared memory, by what its own volumes are and those behind it. */
typedef struct {
  const twin_system *system;
  twin_pass_kind pass;
  const twin_traffic *bytes;
  const twin_condition *condition;
  volumes behind;
  double behind_spilled;
  volumes own;
  double own_spilled;
} shared_stream;

static stream shared_with(const shared_stream *s, const twin_times *times) {
  const twin_times behind =
      times_behind(s->pass, s->bytes, s->condition, &s->behind, s->behind_spilled, *times);
  const stream from_memory = stream_with(s->system, &s->behind, s->behind_spilled, &behind);
  stream all = stream_with(s->system, &s->own, s->own_spilled, times);
  all.shared = all.memory + s->bytes->deferred * (s->pass == TWIN_FORWARD ? 1 : 0);
  all.memory = from_memory.memory;
  return all;
}

static double slowest_of(const twin_system *system, const stream *all, const double turned) {
  return fmax(fmax((all->memory + turned) / system->memory_bytes_per_cycle,
                   (all->shared + turned) / system->shared_bytes_per_cycle),
              (all->link + twin_even_bytes(system, turned)) / system->core_link_bytes_per_cycle);
}

/* As loads, by what each further fetch adds. */
static void shared_loads(twin_load loads[TWIN_LOADS], const shared_stream *s, const double turned) {
  const twin_system *const system = s->system;
  const twin_times times[] = {{1, 1, 0}, {2, 1, 0}, {3, 1, 0}, {1, 2, 0},
                              {1, 3, 0}, {1, 1, 1}, {1, 1, 2}};
  double cycles[TWIN_LOADS][7];
  for (int i = 0; i < 7; i++) {
    const stream one = shared_with(s, &times[i]);
    cycles[0][i] = (one.memory + turned) / system->memory_bytes_per_cycle;
    cycles[1][i] = (one.link + twin_even_bytes(system, turned)) / system->core_link_bytes_per_cycle;
    cycles[2][i] = (one.shared + turned) / system->shared_bytes_per_cycle;
  }
  for (int l = 0; l < TWIN_LOADS; l++) {
    loads[l].left = cycles[l][2] - cycles[l][1];
    loads[l].right = cycles[l][4] - cycles[l][3];
    loads[l].sums = cycles[l][6] - cycles[l][5];
    loads[l].fixed = cycles[l][0] - loads[l].left - loads[l].right;
  }
}

static stream shared_stream_of(const twin_context *context, const twin_node *node,
                               const twin_pass_kind pass, const twin_layout layout,
                               const double split[TWIN_DIM_COUNT], const twin_traffic *bytes,
                               const twin_condition *condition, const double turned) {
  const twin_system *const system = context->system;
  const twin_condition open = open_condition(condition);
  shared_stream s = {.system = system,
                     .pass = pass,
                     .bytes = bytes,
                     .condition = condition,
                     .behind = volumes_of(context, node, pass, bytes, condition),
                     .behind_spilled = twin_spilled_bytes(context, pass, node, bytes, condition),
                     .own = volumes_of(context, node, pass, bytes, &open),
                     .own_spilled = twin_spilled_bytes(context, pass, node, bytes, &open)};
  s.own.once -= pass == TWIN_FORWARD ? bytes->deferred : 0; /* cores have no part in it */
  const bool is_once = system->tile_schedule || node->kind == TWIN_EMBEDDING;
  const double tile = is_once ? 1e300 : condition->cap_bytes / 2;
  const double n1 = ceil(bytes->kcore / tile);
  const double n2 = ceil((pass == TWIN_FORWARD ? bytes->s_in : bytes->s_out) / tile);
  const twin_times kernel_outer = {n1, pass == TWIN_UPDATE ? n1 : 1, 0};
  const twin_times feature_outer = {1, n2, 0};
  const stream by_kernel = shared_with(&s, &kernel_outer);
  const stream by_features = shared_with(&s, &feature_outer);
  twin_times times = kernel_outer;
  if (pass != TWIN_UPDATE &&
      slowest_of(system, &by_features, turned) < slowest_of(system, &by_kernel, turned)) {
    times = feature_outer;
  }
  if (system->has_blocked_tiles && !system->tile_schedule && times.left + times.right > 2) {
    twin_load loads[TWIN_LOADS];
    shared_loads(loads, &s, turned);
    times = twin_tiled_times(context, node, pass, layout, split, bytes, condition, loads, times);
  }
  return shared_with(&s, &times);
}

/* The pass as section 5 has it: what is read and written once and what once for each tile. What
 * turns at the same time is given. */
static stream stream_of(const twin_context *context, const twin_node *node,
                        const twin_pass_kind pass, const twin_layout layout,
                        const double split[TWIN_DIM_COUNT], const twin_traffic *bytes,
                        const twin_condition *condition, const double turned) {
  const twin_system *const system = context->system;
  if (system->shared_bytes > 0) {
    return shared_stream_of(context, node, pass, layout, split, bytes, condition, turned);
  }
  const volumes v = volumes_of(context, node, pass, bytes, condition);
  const double spilled = twin_spilled_bytes(context, pass, node, bytes, condition);
  twin_times times = paper_times(system, pass, bytes, condition, &v, node->kind == TWIN_EMBEDDING);
  if (system->has_blocked_tiles && !system->tile_schedule && times.left + times.right > 2) {
    const volumes left = {.left = v.left, .left_share = v.left_share};
    const volumes right = {.right = v.right, .right_share = v.right_share};
    const volumes once = {.once = v.once};
    const volumes none = {0};
    const twin_times one = {1, 1, 1};
    const stream each[] = {stream_with(system, &once, 0, &one), stream_with(system, &left, 0, &one),
                           stream_with(system, &right, 0, &one),
                           stream_with(system, &none, spilled, &one)};
    const double memory = system->memory_bytes_per_cycle;
    const double link = system->core_link_bytes_per_cycle;
    const twin_load loads[TWIN_LOADS] = {
        {(each[0].memory + turned) / memory, each[1].memory / memory, each[2].memory / memory,
         each[3].memory / memory},
        {(each[0].link + twin_even_bytes(system, turned)) / link, each[1].link / link,
         each[2].link / link, each[3].link / link},
    };
    times = twin_tiled_times(context, node, pass, layout, split, bytes, condition, loads, times);
  }
  return stream_with(system, &v, spilled, &times);
}

double twin_partial_sum_bytes(const twin_context *context) {
  const double given = context->system->partial_sum_bytes;
  return given > 0 ? given : context->workload->partial_sum_bytes;
}

double twin_sum_widening(const twin_context *context, const twin_node *node,
                         const twin_pass_kind pass) {
  const double summed = pass == TWIN_UPDATE     ? twin_kernel_bytes(context, node)
                        : pass == TWIN_BACKWARD ? node->in_bytes
                                                : node->out_bytes;
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

twin_invocation twin_invocation_of(const twin_context *context, const twin_node *node,
                                   const twin_pass_kind pass, const twin_parallelism parallelism,
                                   const double split[TWIN_DIM_COUNT],
                                   const twin_condition *condition) {
  const twin_system *const system = context->system;
  const twin_layout layout = twin_layout_of(system, parallelism);
  const double mbc = twin_samples_per_chip(layout, condition->samples);
  const twin_traffic bytes = twin_traffic_of(context, node, layout, split, condition);
  const double full = twin_in_elements(node) * mbc * node->in_bytes;
  const bool is_turned = twin_turns(node, layout) > 1;
  const twin_rotation rotated = is_turned ? twin_rotation_of(system, &layout, full * bytes.turned)
                                          : (twin_rotation){.largest_bytes = 0};
  const double rm = system->rotate_memory_bytes * rotated.largest_bytes;
  const stream mem = stream_of(context, node, pass, layout, split, &bytes, condition,
                               pass == TWIN_BACKWARD ? 0 : rm);

  twin_invocation cost = {
      .split = {split[0], split[1], split[2], split[3], split[4]},
      .primary = system->tile_schedule ? scheduled_cycles(context, node, pass, layout, mbc)
                                       : primary_cycles(context, node, pass, layout, split, mbc),
      .auxiliary = auxiliary_cycles(context, node, pass, layout, mbc, condition, bytes.added),
      .non_overlapped =
          twin_between_cores_cycles(context, node, pass, layout, split, &bytes, condition),
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
  cost.non_overlapped += overhead_cycles(context, node, pass);
  cost.non_overlapped +=
      shared_statistics_cycles(context, node, pass, &layout, condition->samples, mbc);
  cost.total = fmax(cost.primary, cost.overlapped) + cost.auxiliary + cost.non_overlapped;
  return cost;
}
