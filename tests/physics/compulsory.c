/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compulsory.c: memory and ring; compulsory_links.c: along axes. */
#include "compulsory.h"

#include "compulsory_links.h"

/* A layer and all that its compulsory traffic depends on. */
typedef struct subject {
  const dsm_workload *workload;
  const dsm_layer *layer;
  const dsm_assumptions *model;
  dsm_mode mode;
  double samples; /* and timesteps: runs over all of them */
} subject;

/* Scores of a fused attention never leave the chip. */
static bool is_fused_score(const subject *s, const dsm_layer *layer) {
  return s->model->fused_attention && layer->is_score;
}

/* No layer with timesteps holds features, nor is held what nothing uses. Scores of a fused
 * attention never leave the chip. */
static bool may_be_held(const subject *s, const dsm_layer *layer) {
  return is_fused_score(s, layer) ||
         (layer->timesteps == 1 &&
          (layer->last_use != DSM_NEVER_USED || layer->last_operand_use != DSM_NEVER_USED));
}

static bool are_perhaps_held(const subject *s, const size_t *layers, size_t count) {
  bool all = s->layer->timesteps == 1;
  if (s->model->fused_attention && s->layer->reads_score) {
    return true;
  }
  for (size_t i = 0; i < count; i++) {
    all = all && layers[i] != DSM_NETWORK_INPUT && may_be_held(s, &s->workload->layers[layers[i]]);
  }
  return all;
}

/* What a layer states of an element, or else what the workload does. */
static double bytes_of(const dsm_workload *workload, double own) {
  return own > 0 ? own : workload->element_bytes;
}

/* What a product reads has the bytes of its operands' type, where that is narrower. */
static double read_bytes(const subject *s, double stored) {
  const dsm_element_type type = s->layer->casts.operands;
  const double most = type == DSM_ELEMENT_TYPE_ANY ? stored : dsm_element_type_bytes(type);
  return most < stored ? most : stored;
}

static double weight_bytes(const dsm_workload *workload, const dsm_layer *layer) {
  const double own = layer->bytes.weights;
  return bytes_of(workload, own > 0 ? own : workload->weight_bytes);
}

/* Of the whole system; a matmul's operand belongs to the samples. Weights may be on chip in
 * inference. */
static double kernel_bytes(const subject *s) {
  const double bytes = read_bytes(s, bytes_of(s->workload, s->layer->bytes.operand));
  if (s->layer->lookup_elements > 0) { /* of a table no more than the rows that are asked for */
    return (double)s->layer->lookup_elements * s->samples * weight_bytes(s->workload, s->layer);
  }
  if (!s->layer->is_product) {
    return s->mode == DSM_MODE_TRAINING ? (double)s->layer->weight_elements *
                                              read_bytes(s, weight_bytes(s->workload, s->layer))
                                        : 0;
  }
  const double times = s->model->resident_operands ? 1 : (double)s->layer->timesteps;
  return (double)s->layer->operand_elements * (double)s->workload->minibatch * bytes * times;
}

/* Shortcuts of layers with timesteps; with exact forks only those that are not read anyway. Where
 * auxiliary operations read for themselves it does not stream. */
static double shortcut_bytes(const subject *s) {
  const bool is_read = s->layer->has_op[DSM_AUX_RESIDUAL] && s->layer->timesteps > 1;
  const bool is_apart = s->model->auxiliary_traffic == DSM_AUXILIARY_TRAFFIC_UNFUSED;
  return is_read && !is_apart && !s->model->exact_forks
             ? (double)s->layer->stored_elements * s->samples *
                   bytes_of(s->workload, s->layer->bytes.shortcut)
             : 0;
}

static double forward_bytes(const subject *s) {
  const double input = read_bytes(s, bytes_of(s->workload, s->layer->bytes.input)) * s->samples;
  const double output = bytes_of(s->workload, s->layer->bytes.output) * s->samples;
  const bool is_training = s->mode == DSM_MODE_TRAINING;
  const bool is_read = !are_perhaps_held(s, s->layer->producers, s->layer->producer_count);
  const bool is_written =
      !is_fused_score(s, s->layer) && (is_training || !may_be_held(s, s->layer));
  return kernel_bytes(s) + shortcut_bytes(s) +
         (is_read ? (double)s->layer->input_elements * input : 0) +
         (is_written ? (double)s->layer->stored_elements * output : 0) +
         (is_training ? (double)s->layer->state_elements * output : 0);
}

static double backward_bytes(const subject *s) {
  const dsm_layer *const layer = s->layer;
  const double input = bytes_of(s->workload, layer->bytes.input) * s->samples;
  const double output = bytes_of(s->workload, layer->bytes.output) * s->samples;
  const bool is_written = !are_perhaps_held(s, layer->producers, layer->producer_count);
  const double errors = is_written ? (double)layer->input_elements * input : 0;
  const bool is_fused = s->model->fused_attention && layer->reads_score;
  const double masks = is_written || (s->model->charge_held_masks && !is_fused)
                           ? (double)layer->input_elements * s->samples * s->model->relu_mask_bytes
                           : 0;
  const double read = read_bytes(s, bytes_of(s->workload, layer->bytes.output)) * s->samples;
  const double own = may_be_held(s, layer) ? 0 : (double)layer->stored_elements * read;
  const double shortcut = s->model->exact_forks ? 0 : shortcut_bytes(s);
  const double kernels = layer->is_product ? 2 : 1; /* both operands get an error */
  return kernels * (kernel_bytes(s) + errors + masks + own + shortcut) +
         (double)layer->state_elements * output;
}

static double update_bytes(const subject *s) {
  const dsm_layer *const layer = s->layer;
  const double input = read_bytes(s, bytes_of(s->workload, layer->bytes.input)) * s->samples;
  const double output = read_bytes(s, bytes_of(s->workload, layer->bytes.output)) * s->samples;
  const bool is_typed =
      layer->casts.are_gradients_typed || layer->casts.operands != DSM_ELEMENT_TYPE_ANY;
  const double gradients =
      is_typed ? (double)layer->weight_elements * s->workload->gradient_bytes : kernel_bytes(s);
  const bool has_norm = layer->has_op[DSM_AUX_BATCH_NORM] || layer->has_op[DSM_AUX_LAYER_NORM];
  const bool is_read = !may_be_held(s, layer);
  const double statistics =
      has_norm && (is_read || s->model->charge_held_masks)
          ? (double)layer->output_elements * s->samples * s->model->batch_norm_saved_bytes
          : 0;
  return gradients + (double)layer->input_elements * input +
         (is_read ? (double)layer->stored_elements * output : 0) + statistics;
}

static double layer_bytes(const subject *s, dsm_link link) {
  double bytes = forward_bytes(s);
  if (s->mode == DSM_MODE_INFERENCE) {
    return bytes;
  }
  bytes += s->layer->has_backward ? backward_bytes(s) : 0;
  bytes += s->layer->has_update ? update_bytes(s) : 0;
  /* What an optimizer moves passes memory as auxiliary operations do. */
  const bool is_streamed = s->workload->optimizer == DSM_OPTIMIZER_NONE && !s->layer->is_tied;
  if (link == DSM_LINK_MEMORY && is_streamed) {
    bytes += s->model->weight_update_memory_bytes * (double)s->layer->weight_elements *
             weight_bytes(s->workload, s->layer);
  }
  return bytes;
}

static double chip_count(const dsm_system *system) {
  return (double)dsm_system_chips(system);
}

/* Of what streams, the least that a link carries: all of it, or what each core has a part of. */
static double link_share(const dsm_system *system, dsm_link link) {
  const dsm_interconnect kind = system->chip.interconnect;
  switch (link) {
  case DSM_LINK_RING:
    return kind == DSM_INTERCONNECT_RING ? 1 : 0;
  case DSM_LINK_CORES:
    return kind == DSM_INTERCONNECT_CROSSBAR || kind == DSM_INTERCONNECT_MESH
               ? 1 / (double)system->chip.cores
               : 0;
  case DSM_LINK_SHARED:
    return system->chip.shared_memory.capacity_MB > 0 ? 1 : 0;
  case DSM_LINK_AUXILIARY_MEMORY: /* shares with memory what there is */
    return 0;
  case DSM_LINK_MEMORY:
  case DSM_LINK_AXIS:
  case DSM_LINK_COUNT:
    break;
  }
  return 1;
}

double compulsory_layer_bytes(const dsm_workload *workload, const dsm_system *system, dsm_mode mode,
                              size_t layer, dsm_link link) {
  const subject s = {
      .workload = workload,
      .layer = &workload->layers[layer],
      .model = &system->model,
      .mode = mode,
      .samples = (double)workload->minibatch * (double)workload->layers[layer].timesteps,
  };
  if (link < DSM_LINK_MEMORY) {
    return compulsory_link_bytes(workload, system, mode, layer, link);
  }
  return layer_bytes(&s, link) / chip_count(system) * link_share(system, link);
}

/* Weights that all samples need: no more experts than positions are sent to, and none of a tied
 * layer, as they are another's. A table is not read as a whole. */
static double needed_weights(const dsm_workload *workload, const dsm_layer *layer) {
  const double sent = (double)layer->routed * (double)workload->minibatch;
  const double experts = (double)layer->experts;
  const bool is_once = layer->is_tied || layer->lookup_elements > 0;
  return is_once ? 0 : (double)layer->weight_elements * (sent < experts ? sent / experts : 1);
}

/* Weights of a chip beyond what all scratchpads hold, or what they share. */
static double unpreloaded_bytes(const dsm_workload *workload, const dsm_system *system) {
  double weights = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    weights += needed_weights(workload, &workload->layers[i]) *
               weight_bytes(workload, &workload->layers[i]);
  }
  const double scratchpads = system->core.scratchpad_MiB * 0x1p20 * (double)system->chip.cores;
  const double shared = system->chip.shared_memory.capacity_MB * 1e6;
  const double excess = weights / chip_count(system) - (shared > 0 ? shared : scratchpads);
  return excess > 0 ? excess : 0;
}

double compulsory_bytes(const dsm_workload *workload, const dsm_system *system, dsm_mode mode,
                        dsm_link link) {
  const bool is_streamed = link >= DSM_LINK_MEMORY;
  const bool may_preload = mode == DSM_MODE_INFERENCE && is_streamed;
  double bytes = may_preload ? unpreloaded_bytes(workload, system) * link_share(system, link) : 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    bytes += compulsory_layer_bytes(workload, system, mode, i, link);
  }
  return bytes;
}
