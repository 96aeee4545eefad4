/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory_traffic.c: bytes between external memory and the cores (section 5). */
#include <assert.h>
#include <math.h>

#include "model/engine.h"
#include "model/streams.h"

static double padded_ratio(double side, uint64_t tile) {
  return ceil(side / (double)tile) * (double)tile / side;
}

double dsm__padding(const dsm_memory *memory, uint64_t samples, double features) {
  const double own = (double)samples / (double)memory->stacks;
  const double by_samples =
      padded_ratio(own, memory->tile_minor) * padded_ratio(features, memory->tile_second);
  const double by_features =
      padded_ratio(features, memory->tile_minor) * padded_ratio(own, memory->tile_second);
  return by_samples < by_features ? by_samples : by_features;
}

/* Of the tensors of a layer: by the features that a chip has of them. */
typedef struct paddings {
  double input;
  double output; /* stored; of an lstm its hidden units */
  double raw;    /* of an lstm its gates */
} paddings;

static paddings paddings_of(const dsm_layer *layer, const dsm_memory *memory,
                            const dsm_chip_share *share) {
  if (memory->tile_minor == 1 && memory->tile_second == 1 && memory->stacks == 1) {
    return (paddings){1, 1, 1};
  }
  const uint64_t samples = share->chip.n[DSM_DIM_MB];
  const double raw = dsm__padding(memory, samples, (double)share->chip.n[DSM_DIM_OUT]);
  const double gates = layer->gates > 0 ? (double)layer->gates : 1;
  const double hidden = ceil((double)layer->out / gates / (double)share->raw_ways);
  return (paddings){
      .input = dsm__padding(memory, samples, (double)share->chip.n[DSM_DIM_IN]),
      .output = layer->gates > 0 ? dsm__padding(memory, samples, hidden) : raw,
      .raw = raw,
  };
}

/* Bytes of `elements` a sample as a chip has them, divided among `ways`: elements * mbc / n *
 * bytes, of its positions. */
static double chip_bytes(uint64_t elements, const dsm_chip_share *share, uint64_t ways,
                         double bytes) {
  return (double)elements * (double)share->chip.n[DSM_DIM_MB] * share->position_share /
         (double)ways * bytes;
}

/* What turns among the chips that share the features: all of them have it in turn. */
static double turned_bytes(uint64_t elements, const dsm_chip_share *share, uint64_t ways,
                           uint64_t turns, double bytes) {
  const uint64_t others = turns > 0 ? ways / turns : ways;
  return (double)elements * (double)share->chip.n[DSM_DIM_MB] * share->position_share /
         (double)others * bytes;
}

/* Keys and values are those of all positions, whatever positions a chip has queries of. */
static double kernel_bytes(const dsm_layer *layer, const dsm_chip_share *share, dsm_mode mode,
                           double bytes) {
  if (layer->is_product) {
    return (double)layer->operand_elements * (double)share->chip.n[DSM_DIM_MB] /
           (double)share->weight_ways * bytes;
  }
  if (layer->lookup_elements > 0) {
    return chip_bytes(layer->lookup_elements, share, share->weight_ways, bytes);
  }
  return (double)layer->weight_elements / (double)share->weight_ways * bytes *
         dsm__fetched_experts(layer, share, mode);
}

/* Of the output's elements those of a tensor with the same ones. */
static double other_share(const dsm_tensor_bytes *each) {
  return each->shortcut / each->output;
}

/* What a multiply takes: its other operand, and in backward both with the other's error. A held
 * operand is on chip in forward, its error in backward. */
static double factor_bytes(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass,
                           const dsm_residency *residency, const dsm_chip_bytes *bytes,
                           const dsm_tensor_bytes *tensors) {
  const double read = layer->pool_window > 0 ? bytes->raw : bytes->stored;
  const double own = read * (tensors->stored_output / tensors->output);
  const double each = read * other_share(tensors);
  if (pass == DSM_PASS_FORWARD) {
    const bool is_there = model->exact_forks && layer->is_shortcut_own_input;
    return is_there || residency->is_shortcut_held ? 0 : each;
  }
  return own + (residency->is_shortcut_held ? 1 : 2) * each;
}

/* What a residual's other operand takes where it is not on chip: a pooling layer adds it before it
 * pools. With exact_forks its error is the output's, which is there, and what is the layer's own
 * input has been read as that. */
static double shortcut_bytes(const dsm_layer *layer, const dsm_assumptions *model, dsm_pass pass,
                             const dsm_residency *residency, const dsm_chip_bytes *bytes,
                             const dsm_tensor_bytes *tensors) {
  const bool is_forward = pass == DSM_PASS_FORWARD;
  const bool is_there = model->exact_forks && (!is_forward || layer->is_shortcut_own_input);
  if (pass == DSM_PASS_UPDATE || dsm__is_shortcut_auxiliary(model, pass, residency)) {
    return 0;
  }
  if (layer->has_op[DSM_AUX_MULTIPLY]) {
    return factor_bytes(layer, model, pass, residency, bytes, tensors);
  }
  if (!layer->has_op[DSM_AUX_RESIDUAL] || is_there || residency->is_shortcut_held) {
    return 0;
  }
  return (is_forward && layer->pool_window > 0 ? bytes->raw : bytes->stored) * other_share(tensors);
}

/* The error of the output as the update pass reads it: of an lstm with lstm_gate_errors those of
 * its four gates, which the gradient of all weights takes. */
static double output_error_bytes(const dsm_layer *layer, const dsm_assumptions *model,
                                 dsm_pass pass, const dsm_chip_bytes *bytes) {
  const bool is_of_gates = model->lstm_gate_errors && pass == DSM_PASS_UPDATE;
  return is_of_gates && layer->gates > 0 ? bytes->raw : bytes->stored;
}

/* What moves to or from memory, but for the kernel. */
static void derive_moved(const dsm_layer *layer, const dsm_assumptions *model, dsm_mode mode,
                         dsm_pass pass, const dsm_chip_share *share, const dsm_residency *residency,
                         dsm_chip_bytes *bytes, const dsm_tensor_bytes *each, double element_bytes,
                         paddings pad) {
  const bool is_training = mode == DSM_MODE_TRAINING;
  const bool is_backward = pass == DSM_PASS_BACKWARD;
  const bool is_update = pass == DSM_PASS_UPDATE;
  const bool has_norm = layer->has_op[DSM_AUX_BATCH_NORM] || layer->has_op[DSM_AUX_LAYER_NORM] ||
                        layer->has_op[DSM_AUX_RMS_NORM];
  const bool is_input_there = residency->is_input_held || dsm__is_read_score_fused(layer, model);
  const bool is_output_there = residency->is_output_held || dsm__is_score_fused(layer, model);
  /* The update pass reads the input in any case: only its deferred copy in memory is left. */
  bytes->input_moved = is_input_there && !is_update ? 0 : bytes->input;
  bytes->output_moved = is_output_there ? 0 : output_error_bytes(layer, model, pass, bytes);
  bytes->shortcut = shortcut_bytes(layer, model, pass, residency, bytes, each);
  bytes->gates =
      is_update
          ? 0
          : chip_bytes(layer->gate_elements, share, share->raw_ways, each->stored_output) * pad.raw;
  if (is_training && !is_update) {
    bytes->state =
        chip_bytes(layer->state_elements, share, share->stored_ways, each->stored_output) *
        pad.output;
  }
  if (!is_training && layer->cache_elements > 0) {
    bytes->state = chip_bytes(layer->cache_new_elements, share, share->weight_ways, each->kernel);
  }
  if (is_backward && !dsm__is_read_score_fused(layer, model) &&
      (!residency->is_input_held || model->charge_held_masks)) {
    bytes->mask =
        chip_bytes(layer->input_elements, share, share->input_ways, model->relu_mask_bytes) *
        pad.input;
  }
  const bool is_fork_in_stream =
      model->exact_forks && model->auxiliary_traffic != DSM_AUXILIARY_TRAFFIC_UNFUSED;
  if (is_backward && !residency->is_input_held && is_fork_in_stream) {
    bytes->fork = chip_bytes(layer->fork_elements, share, share->input_ways,
                             dsm__stated_bytes(layer->bytes.fork, element_bytes)) *
                  pad.input;
  }
  if (is_update && has_norm && (!residency->is_output_held || model->charge_held_masks)) {
    bytes->statistics =
        chip_bytes(layer->output_elements, share, share->raw_ways, model->batch_norm_saved_bytes) *
        pad.raw;
  }
}

/* Held tensors that may have to move among the cores: with "always" those that are read, the input
 * in forward, the output's error in update and backward; with "exact" those that are written too,
 * the output in forward and the input's error in backward. Tiles fetch what they need over the ring
 * in any case, and any core reads any place of a shared memory. */
static void derive_moves(const dsm_machine *machine, dsm_pass pass, const dsm_residency *residency,
                         dsm_chip_bytes *bytes) {
  const bool is_forward = pass == DSM_PASS_FORWARD;
  const dsm_layout_move moves = machine->system->model.layout_move;
  const bool is_exact = moves == DSM_LAYOUT_MOVE_EXACT;
  if (moves == DSM_LAYOUT_MOVE_NONE || !machine->engine->has_splits || residency->is_moving_free ||
      residency->is_in_shared_memory) {
    return;
  }
  if (residency->is_input_held && (is_forward || (is_exact && pass == DSM_PASS_BACKWARD))) {
    bytes->input_move = bytes->input;
  }
  if (residency->is_output_held && (is_exact || !is_forward)) {
    bytes->output_move = bytes->stored;
  }
}

dsm_chip_bytes dsm__chip_bytes_derive(const dsm_layer *layer, const dsm_machine *machine,
                                      dsm_precision precision, dsm_mode mode, dsm_pass pass,
                                      const dsm_chip_share *share, const dsm_residency *residency) {
  const dsm_assumptions *const model = &machine->system->model;
  const double element_bytes = precision.element_bytes;
  const dsm_tensor_bytes each = dsm__tensor_bytes_derive(layer, &precision, mode, pass);
  const bool is_forward = pass == DSM_PASS_FORWARD;
  const paddings pad = paddings_of(layer, &machine->system->chip.memory, share);
  dsm_chip_bytes bytes = {
      .input = chip_bytes(layer->input_elements, share, share->input_ways, each.input) * pad.input,
      .stored =
          chip_bytes(layer->stored_elements, share, share->stored_ways, each.output) * pad.output,
      .raw = chip_bytes(layer->output_elements, share, share->raw_ways, each.output) * pad.raw,
      .kernel = kernel_bytes(layer, share, mode, each.kernel),
      .deferred =
          is_forward && mode == DSM_MODE_TRAINING ? residency->deferred_bytes * pad.input : 0,
      .rotation = turned_bytes(layer->input_elements, share, share->input_ways, share->in_turns,
                               each.stored_input) *
                  pad.input,
      .output_rotation = turned_bytes(layer->output_elements, share, share->raw_ways,
                                      share->out_turns, each.stored_output) *
                         pad.raw,
  };
  if (model->auxiliary_traffic != DSM_AUXILIARY_TRAFFIC_NONE) {
    const double elements =
        dsm__auxiliary_elements(layer, model, mode, pass, residency, element_bytes) +
        (dsm__input_widening(machine, share) - 1) *
            dsm__input_elements(layer, model, pass, residency, element_bytes);
    bytes.auxiliary = elements * (double)share->chip.n[DSM_DIM_MB] * share->position_share /
                      (double)share->stored_ways * element_bytes * pad.raw;
  }
  derive_moved(layer, model, mode, pass, share, residency, &bytes, &each, element_bytes, pad);
  derive_moves(machine, pass, residency, &bytes);
  const double fetched_fraction = 1 - residency->resident_fraction;
  if (pass == DSM_PASS_UPDATE) {
    /* Later gradients, of timesteps or spatial minibatches, add to what the first left in memory.
     */
    const bool is_adding = residency->is_accumulating || layer->timesteps > 1 || layer->is_tied;
    bytes.gradient = bytes.kernel * (is_adding ? 2 : 1) * fetched_fraction;
  } else {
    bytes.kernel_moved = bytes.kernel * fetched_fraction;
  }
  return bytes;
}

/* Parts of the kernel: of weights by the features they make; of rows of a table by where they go;
 * of the operand of a sample by samples, and where heads are known, by these and what is within
 * one. */
static double kernel_parts(const dsm_layer *layer, uint64_t groups_of_chip,
                           const dsm_loops *split) {
  const double out = (double)dsm__output_parts(groups_of_chip, split);
  const double mb = (double)split->n[DSM_DIM_MB];
  if (layer->lookup_elements > 0) {
    return out * (double)split->n[DSM_DIM_IJ] * mb;
  }
  if (!layer->is_product) {
    return out;
  }
  if (!dsm__has_own_groups(layer)) {
    return mb;
  }
  const uint64_t shared_by = layer->groups / layer->operand_groups;
  assert(shared_by > 0); /* heads are a multiple of those of keys and values */
  const uint64_t operands = groups_of_chip > shared_by ? groups_of_chip / shared_by : 1;
  const uint64_t parts_out = split->n[DSM_DIM_OUT];
  const double operand_parts = (double)(parts_out < operands ? parts_out : operands);
  return mb * operand_parts * (double)dsm__parts_within_group(groups_of_chip, split);
}

dsm__core_bytes dsm__core_bytes_derive(const dsm_layer *layer, uint64_t groups_of_chip,
                                       const dsm_chip_bytes *chip, const dsm_loops *split) {
  const double in = (double)split->n[DSM_DIM_IN];
  const double out = (double)dsm__output_parts(groups_of_chip, split);
  const double kij = (double)split->n[DSM_DIM_KIJ];
  const double mb = (double)split->n[DSM_DIM_MB];
  const double ij_mb = (double)split->n[DSM_DIM_IJ] * mb;
  const double groups = (double)groups_of_chip;
  const double group_parts = groups_of_chip == 1 ? 1 : (out < groups ? out : groups);
  const double kernel_out = kernel_parts(layer, groups_of_chip, split);
  return (dsm__core_bytes){
      .input = chip->input / (group_parts * in * ij_mb),
      .output = chip->raw / (out * ij_mb),
      .kernel = chip->kernel / (in * kij * kernel_out),
  };
}

const dsm__stream_shares dsm__whole_stream = {1, 1, 1, 1};

/* What moves past the weights in a pass, and may have to be fetched once per tile of them; in
 * update the input, which moves past the errors of the output. */
static double streamed_feature_bytes(const dsm_pass_work *work, const dsm__stream_shares *shares) {
  const dsm_chip_bytes *const bytes = &work->bytes;
  return work->pass == DSM_PASS_BACKWARD ? (bytes->output_moved + bytes->state) * shares->output
                                         : bytes->input_moved * shares->input;
}

/* What it moves past: weights, or those errors. */
static double streamed_kernel_bytes(const dsm_pass_work *work, const dsm__stream_shares *shares) {
  const dsm_chip_bytes *const bytes = &work->bytes;
  return work->pass == DSM_PASS_UPDATE ? (bytes->output_moved + bytes->statistics) * shares->output
                                       : bytes->kernel_moved * shares->kernel;
}

double dsm__tiles(double bytes, double scratchpad_bytes) {
  return ceil(bytes / (scratchpad_bytes / 2));
}

static inline dsm__refetch_orders orders_of(const dsm_pass_work *work,
                                            const dsm__core_bytes *core) {
  if (work->layer->lookup_elements > 0 || !work->machine->engine->has_splits) {
    const dsm__refetch once = {1, 1, 0}; /* as rows of a table, which are used once */
    return (dsm__refetch_orders){once, once};
  }
  const double room_bytes = work->residency.scratchpad_bytes;
  const bool is_resident =
      work->residency.resident_fraction >= 1 && !work->residency.is_in_shared_memory;
  const double kernel_tiles = is_resident ? 1 : dsm__tiles(core->kernel, room_bytes);
  if (work->pass == DSM_PASS_UPDATE) {
    const dsm__refetch both = {kernel_tiles, kernel_tiles, 0};
    return (dsm__refetch_orders){both, both};
  }
  const double moving = work->pass == DSM_PASS_FORWARD ? core->input : core->output;
  return (dsm__refetch_orders){{kernel_tiles, 1, 0}, {1, dsm__tiles(moving, room_bytes), 0}};
}

dsm__refetch_orders dsm__refetch_orders_derive(const dsm_pass_work *work,
                                               const dsm__core_bytes *core) {
  return orders_of(work, core);
}

/* The cheaper of the paper's two orders of loops. */
static inline dsm__refetch paper_refetch(const dsm_pass_work *work, const dsm__core_bytes *core) {
  const dsm__refetch_orders orders = orders_of(work, core);
  if (work->pass == DSM_PASS_UPDATE) {
    return orders.kernel_outer;
  }
  const double features = streamed_feature_bytes(work, &dsm__whole_stream);
  const double kernel = work->bytes.kernel_moved;
  const double kernel_outer_bytes = features * orders.kernel_outer.features + kernel;
  const double feature_outer_bytes = features + kernel * orders.feature_outer.kernel;
  return kernel_outer_bytes <= feature_outer_bytes ? orders.kernel_outer : orders.feature_outer;
}

double dsm__streamed_features(const dsm_pass_work *work, const dsm__stream_shares *shares) {
  return streamed_feature_bytes(work, shares);
}

double dsm__streamed_kernel(const dsm_pass_work *work, const dsm__stream_shares *shares) {
  return streamed_kernel_bytes(work, shares);
}

/* What the memory, or a link of the cores, has to do for each of the streams, at a rate. */
static dsm__stream_load load_of(const dsm_pass_work *work, const dsm__stream_shares *shares,
                                double other_bytes, double rate) {
  return (dsm__stream_load){
      .fixed = (dsm__streamed_bytes(work, (dsm__refetch){0, 0, 0}, shares) + other_bytes) / rate,
      .features = streamed_feature_bytes(work, shares) / rate,
      .kernel = streamed_kernel_bytes(work, shares) / rate,
      .spilled = work->tile_bytes.spilled * shares->rest / rate,
  };
}

dsm__stream_load dsm__memory_load(const dsm_pass_work *work) {
  return load_of(work, &dsm__whole_stream, dsm__rotated_bytes(work, DSM_LINK_MEMORY),
                 work->machine->link_bytes_per_cycle[DSM_LINK_MEMORY]);
}

double dsm__rotated_bytes(const dsm_pass_work *work, dsm_link link) {
  return work->rotation.bytes[link];
}

/* A ring carries what the memory does, in proportion. */
static dsm__stream_loads loads_of(const dsm_pass_work *work, const dsm__core_bytes *core) {
  const dsm_machine *const machine = work->machine;
  const dsm_link link = machine->core_links.link;
  dsm__stream_loads loads = {{{.fixed = 0}}, machine->core_links.is_by_core ? 2 : 1};
  loads.of[0] = dsm__memory_load(work);
  if (machine->core_links.is_by_core) {
    const dsm__stream_shares shares = dsm__stream_shares_derive(work, core);
    loads.of[1] =
        load_of(work, &shares, dsm__rotated_bytes(work, link), machine->link_bytes_per_cycle[link]);
  }
  return loads;
}

dsm__refetch dsm__scratchpad_refetch(const dsm_pass_work *work, const dsm__core_bytes *core,
                                     const dsm__core_extents *extents) {
  const dsm__refetch paper = paper_refetch(work, core);
  if (!dsm__is_blocked(work) || (paper.features <= 1 && paper.kernel <= 1)) {
    return paper;
  }
  const dsm__stream_loads loads = loads_of(work, core);
  return dsm__blocked_refetch(work, extents, &loads, paper);
}

static inline double streamed_bytes(const dsm_pass_work *work, dsm__refetch refetch,
                                    const dsm__stream_shares *shares) {
  const dsm_chip_bytes *const bytes = &work->bytes;
  const double rest = shares->rest;
  const double features = streamed_feature_bytes(work, shares) * refetch.features;
  const double kernel = streamed_kernel_bytes(work, shares) * refetch.kernel;
  const double spilled = work->tile_bytes.spilled * rest * refetch.sums;
  switch (work->pass) {
  case DSM_PASS_FORWARD:
    return features + kernel + bytes->output_moved * rest + bytes->deferred * rest +
           bytes->state * rest + bytes->shortcut * rest + bytes->gates * rest + spilled;
  case DSM_PASS_BACKWARD:
    return features + kernel + bytes->input_moved * rest + bytes->mask * rest +
           (bytes->shortcut + bytes->fork) * rest + bytes->gates * rest + spilled;
  case DSM_PASS_UPDATE:
  case DSM_PASS_COUNT:
    break;
  }
  return features + kernel + bytes->gradient * rest + spilled;
}

double dsm__streamed_bytes(const dsm_pass_work *work, dsm__refetch refetch,
                           const dsm__stream_shares *shares) {
  return streamed_bytes(work, refetch, shares);
}

double dsm__memory_bytes(const dsm_pass_work *work, dsm__refetch refetch) {
  return streamed_bytes(work, refetch, &dsm__whole_stream);
}

double dsm__resident_fraction_within(const dsm_pass_work *work, const dsm__core_bytes *core,
                                     const dsm__stream_shares *shares, double limit) {
  const dsm_chip_bytes *const bytes = &work->bytes;
  const double room_bytes = work->residency.scratchpad_bytes;
  const double kernel = bytes->kernel * shares->kernel;
  const double features = streamed_feature_bytes(work, shares);
  const double rest =
      (bytes->output_moved + bytes->deferred + bytes->state + bytes->shortcut) * shares->rest;
  if (kernel <= 0 || rest + features > limit) {
    return kernel <= 0 ? 0 : 1;
  }
  const bool is_once = !work->machine->engine->has_splits;
  const double kernel_tiles = is_once ? 1 : dsm__tiles(core->kernel, room_bytes);
  const double input_tiles = is_once ? 1 : dsm__tiles(core->input, room_bytes);
  const double left_by_kernel_outer = limit - rest - features * kernel_tiles;
  const double kernel_outer = 1 - left_by_kernel_outer / kernel;
  const double feature_outer = 1 - (limit - rest - features) / (kernel * input_tiles);
  const double needed = kernel_outer < feature_outer ? kernel_outer : feature_outer;
  return needed > 0 ? needed : 0;
}

/* With what part of the kernel on chip one way to lay tiles keeps within 1 of each load. */
static double fraction_of(const dsm__stream_loads *loads, dsm__refetch refetch) {
  double fraction = 0;
  for (int i = 0; i < loads->count; i++) {
    const dsm__stream_load *const load = &loads->of[i];
    if (load->kernel > 0) {
      const double left =
          1 - load->fixed - load->features * refetch.features - load->spilled * refetch.sums;
      fraction = fmax(fraction, 1 - left / (load->kernel * refetch.kernel));
    }
  }
  return fraction;
}

/*
 * With each way to lay tiles a load falls with the fraction along a line, so the least of all ways
 * falls too. From a fraction that is enough, the way of least load there needs no larger one; where
 * that is the same fraction, no way needs a smaller one. Each round takes another way, of which
 * there are few.
 */
double dsm__blocked_fraction_within(const dsm_pass_work *work, const dsm__core_bytes *core,
                                    const dsm__core_extents *extents, double memory_limit,
                                    double link_limit, double enough) {
  const bool is_by_core = work->machine->core_links.is_by_core;
  if (!dsm__is_blocked(work) || streamed_feature_bytes(work, &dsm__whole_stream) <= 0 ||
      memory_limit <= 0 || link_limit <= 0) {
    return enough;
  }
  dsm_pass_work without = *work; /* the whole kernel moves */
  without.bytes.kernel_moved = work->bytes.kernel;
  const dsm__stream_shares shares = dsm__stream_shares_derive(work, core);
  const dsm__stream_loads all = {{
                                     load_of(&without, &dsm__whole_stream, 0, memory_limit),
                                     load_of(&without, is_by_core ? &shares : &dsm__whole_stream, 0,
                                             shares.kernel > 0 ? link_limit : HUGE_VAL),
                                 },
                                 2};
  double needed = enough;
  for (double before = HUGE_VAL; needed < before && needed > 0;) {
    before = needed;
    dsm__stream_loads loads = all;
    for (int i = 0; i < loads.count; i++) {
      loads.of[i].kernel *= 1 - needed;
    }
    const dsm__refetch none = {HUGE_VAL, 1, 0};
    needed = fmin(needed, fraction_of(&all, dsm__blocked_refetch(work, extents, &loads, none)));
  }
  return needed;
}
