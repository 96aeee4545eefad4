/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capacity.c: what a mapping takes of a chip's memory (section 12). */
#include <math.h>

#include "dsm/model.h"
#include "model/chip_link.h"
#include "model/equations.h"

/* Elements of the scores that a fused attention never stores, of the layer that makes or reads
 * them. */
static double fused_elements(const dsm_layer *layer, const dsm_assumptions *model) {
  if (dsm__is_score_fused(layer, model)) {
    return (double)layer->stored_elements;
  }
  return dsm__is_read_score_fused(layer, model) ? (double)layer->input_elements : 0;
}

/* The same as so many elements of the workload's size. */
static double fused_size(const dsm_layer *layer, const dsm_assumptions *model,
                         double element_bytes) {
  const double bytes = dsm__is_score_fused(layer, model) ? layer->bytes.output : layer->bytes.input;
  return ceil(fused_elements(layer, model) * dsm__stated_bytes(bytes, element_bytes) /
              element_bytes);
}

static bool keeps_inputs(const dsm_assumptions *model) {
  return model->kept_inputs != DSM_KEPT_INPUTS_NONE;
}

/* What its output has of what training keeps, in bytes a sample: a cross_entropy has its softmax in
 * place of it, and the softmax's gradient, both in single precision. */
static double output_bytes(const dsm_layer *layer, const dsm_assumptions *model,
                           double element_bytes) {
  static const double softmax_bytes = 4 + 4;
  if (dsm__is_score_fused(layer, model)) {
    return 0;
  }
  return (double)layer->stored_elements *
         (keeps_inputs(model) && layer->has_op[DSM_AUX_CROSS_ENTROPY]
              ? softmax_bytes
              : dsm__stated_bytes(layer->bytes.output, element_bytes));
}

/* What training keeps of a layer's own results beside its output, likewise: of a fused score two
 * sums of 4 bytes for each row, and nothing of its softmax and dropout, which are made again. */
static double inner_bytes(const dsm_layer *layer, const dsm_assumptions *model,
                          double element_bytes) {
  static const double row_bytes = 2 * 4;
  if (dsm__is_score_fused(layer, model)) {
    return (double)(layer->groups * layer->ij) * row_bytes;
  }
  double elements = (double)layer->state_elements;
  elements += keeps_inputs(model) ? (double)layer->kept_results : 0;
  elements += model->kept_inputs == DSM_KEPT_INPUTS_ALL ? (double)layer->kept_activations : 0;
  const double mask_bytes = (double)layer->mask_elements / (keeps_inputs(model) ? 1 : 8);
  return elements * dsm__stated_bytes(layer->bytes.output, element_bytes) + mask_bytes;
}

/* What the product makes, likewise: from it the results behind it can be made anew. 0: there are
 * none, or they are made anew in any case. */
static double product_bytes(const dsm_layer *layer, const dsm_assumptions *model,
                            double element_bytes) {
  const uint64_t results =
      layer->kept_results + (layer->has_op[DSM_AUX_CROSS_ENTROPY] ? layer->output_elements : 0) +
      (model->kept_inputs == DSM_KEPT_INPUTS_ALL ? layer->kept_activations : 0);
  const bool has_results = keeps_inputs(model) && results > 0 && layer->gates == 0;
  return has_results && !dsm__is_score_fused(layer, model)
             ? (double)layer->output_elements *
                   dsm__stated_bytes(layer->bytes.output, element_bytes)
             : 0;
}

/* The operand that operations on the input hand on, which is kept beside the input. */
static double handed_on_bytes(const dsm_layer *layer, const dsm_assumptions *model,
                              double element_bytes) {
  const uint64_t grown =
      layer->input_pool_elements > 0 ? layer->input_pool_elements : layer->upsampled_elements;
  const bool is_grown_kept = keeps_inputs(model) && grown > 0;
  return (double)(is_grown_kept ? grown : layer->input_op_elements) *
         dsm__stated_bytes(layer->bytes.input, element_bytes);
}

/* A chip's part of live tensors, a layer's own output among them, while the layer runs: its output
 * lies in its output's layout, the others in its input's. With data and model both are one. */
static double live_part(const dsm_layer *layer, const dsm_machine *machine,
                        const dsm_chip_share *share, double elements, double fused) {
  const bool is_output_fused = dsm__is_score_fused(layer, &machine->system->model);
  const double own =
      (double)layer->stored_size * (double)layer->timesteps - (is_output_fused ? fused : 0);
  const double stored_ways = (double)share->stored_ways;
  const double samples = (double)share->chip.n[DSM_DIM_MB];
  if (!dsm_parallelism_has_roles(share->parallelism)) {
    return (elements - fused) * samples * share->position_share / stored_ways;
  }
  return (own / stored_ways +
          (elements - fused - own) / dsm__lying_ways(machine, share->parallelism)) *
         samples * share->position_share;
}

/* Keys or values that came from other chips, while a product runs; in backward their errors take
 * their place. */
static double gathered_bytes(const dsm_layer *layer, const dsm_machine *machine,
                             const dsm_chip_share *share, double element_bytes) {
  return (double)layer->operand_elements * (double)share->chip.n[DSM_DIM_MB] /
         (double)share->weight_ways *
         dsm__gathered_operand_share(layer, &machine->system->system, share->parallelism) *
         dsm__stated_bytes(layer->bytes.operand, element_bytes);
}

/* Source: section 12; splits.md, section 4: the network's input lies as a layer reads it. Symbols:
 * in_el*T*mbc*B, divided as the input of its role is. Limits: data: by the chips, as samples are.
 */
static double network_input_bytes(const dsm_workload *workload, const dsm_machine *machine,
                                  const dsm_chip_share *share) {
  const double ways = dsm_parallelism_has_roles(share->parallelism)
                          ? dsm__lying_ways(machine, share->parallelism)
                          : (double)share->stored_ways;
  return (double)workload->input_elements * (double)workload->input_timesteps *
         (double)share->chip.n[DSM_DIM_MB] * share->position_share / ways * workload->element_bytes;
}

double dsm__kept_weight_bytes(const dsm_layer *layer, const dsm_workload *workload, dsm_mode mode) {
  const double stored =
      dsm__layer_weight_bytes(layer, workload->weight_bytes, workload->element_bytes);
  if (!layer->casts.are_weights_cast) {
    return stored;
  }
  return dsm_element_type_bytes(layer->casts.operands) + (mode == DSM_MODE_TRAINING ? stored : 0);
}

/* Have passes different roles, some of them other than data and model? */
static bool has_own_roles(const dsm_pass_layouts *layouts) {
  bool is_different = false;
  bool has_roles = false;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    is_different = is_different || layouts->of[p] != layouts->of[DSM_PASS_FORWARD];
    has_roles = has_roles || dsm_parallelism_has_roles(layouts->of[p]);
  }
  return is_different && has_roles;
}

/* Chips that update a part each of what one has of a layer's weights: the state of a part is on its
 * chip alone. */
static double updating_ways(const dsm_layer *layer, const dsm_machine *machine,
                            dsm_parallelism forward) {
  const dsm_network *const network = &machine->system->system;
  return machine->system->model.sharded_update
             ? dsm__chips_of(network, dsm__summing_axes(layer, network, forward))
             : 1;
}

/*
 * Source: section 12. Symbols: weights w_el/nm*Bk (none of a tied layer), gradients w_el/nm*Bg,
 * optimiser state w_el/nm each, shared out with model.sharded_update /W; training: kept activations
 * ((st_el, 5H of an lstm, results that operations need)*Bo, masks, what the input is made to*Bi)*T
 * and the pair of live errors*B, inference: the live tensors*B, all times mbc/nm with mbc =
 * ceil(Nmb/nd); nm, nd of the forward pass, for the errors of the backward pass. While a layer
 * runs, its output has its output's layout, and all other live tensors that of its input (a
 * relayout moves all of them). Where passes have different roles, other than data and model, what
 * forward and backward both cut of the weights is kept, and while the layer is updated its
 * gradients of pU beside those of pF. In a list of layers nothing outlives a layer: in training
 * what it keeps, what it reads and its errors are live while it runs. Limits: one chip: everything.
 */
dsm_layer_memory dsm_layer_memory_derive(const dsm_layer *layer, const dsm_machine *machine,
                                         const dsm_workload *workload, dsm_mode mode,
                                         const dsm_pass_layouts *layouts) {
  const dsm_chip_share share =
      dsm_chip_share_derive(layer, machine, layouts->of[DSM_PASS_FORWARD], workload->minibatch);
  const double samples = (double)share.chip.n[DSM_DIM_MB] * share.position_share;
  const double stored_ways = (double)share.stored_ways;
  const double weights =
      layer->is_tied ? 0 : (double)layer->weight_elements / (double)share.weight_ways;
  const double element_bytes = workload->element_bytes;
  dsm_layer_memory memory = {.weights_bytes =
                                 weights * dsm__kept_weight_bytes(layer, workload, mode)};
  const dsm_assumptions *const model = &machine->system->model;
  const double fused = fused_size(layer, model, element_bytes);
  double more_gradients = 0;
  if (mode == DSM_MODE_INFERENCE) {
    memory.cache_bytes = (double)layer->cache_elements * samples / (double)share.weight_ways *
                         dsm__layer_cache_bytes(layer, workload->cache_bytes, element_bytes);
    const size_t index = (size_t)(layer - workload->layers);
    const bool is_input_live =
        workload->input_last_use != DSM_NEVER_USED && index <= workload->input_last_use;
    memory.transient_bytes =
        live_part(layer, machine, &share, (double)layer->live_elements, fused) *
            workload->element_bytes +
        (is_input_live ? network_input_bytes(workload, machine, &share) : 0) +
        gathered_bytes(layer, machine, &share, element_bytes);
    return memory;
  }
  if (has_own_roles(layouts) && !layer->is_tied) {
    const double update_ways =
        (double)dsm_chip_share_derive(layer, machine, layouts->of[DSM_PASS_UPDATE],
                                      workload->minibatch)
            .weight_ways;
    memory.weights_bytes *=
        (double)share.weight_ways / dsm_used_weight_ways(layer, machine, layouts);
    more_gradients =
        layer->has_update ? fmax(0, (double)layer->weight_elements / update_ways - weights) : 0;
  }
  memory.input_bytes =
      layer == workload->layers ? network_input_bytes(workload, machine, &share) : 0;
  memory.gradients_bytes = weights * workload->gradient_bytes;
  memory.optimizer_bytes = weights * workload->optimizer_bytes_per_weight /
                           updating_ways(layer, machine, layouts->of[DSM_PASS_FORWARD]);
  const double made = output_bytes(layer, model, element_bytes);
  const double kept =
      made + inner_bytes(layer, model, element_bytes) +
      handed_on_bytes(layer, model, element_bytes) * dsm__input_widening(machine, &share);
  memory.activations_bytes = kept * (double)layer->timesteps * samples / stored_ways;
  memory.output_bytes = made * (double)layer->timesteps * samples / stored_ways;
  memory.product_bytes =
      product_bytes(layer, model, element_bytes) * (double)layer->timesteps * samples / stored_ways;
  const dsm_chip_share error_share =
      dsm_chip_share_derive(layer, machine, layouts->of[DSM_PASS_BACKWARD], workload->minibatch);
  memory.transient_bytes =
      live_part(layer, machine, &error_share, (double)layer->error_pair_elements, fused) *
          workload->element_bytes +
      more_gradients * workload->gradient_bytes +
      gathered_bytes(layer, machine, &error_share, element_bytes);
  if (workload->is_list) {
    const double stored = (double)layer->stored_size * (double)layer->timesteps;
    memory.transient_bytes += memory.activations_bytes + ((double)layer->live_elements - stored) *
                                                             samples / stored_ways *
                                                             workload->element_bytes;
    memory.activations_bytes = 0;
    memory.output_bytes = 0;
    memory.product_bytes = 0;
  }
  return memory;
}
