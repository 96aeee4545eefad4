/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tied_table.c: weights that two layers share, which cut them in ways of their own (section 5). */
#include "model/tied_table.h"
#include "model/chip_link.h"
#include "model/equations.h"

#include <string.h>

static bool is_cut(uint8_t part) {
  return part == DSM__TABLE_IN || part == DSM__TABLE_OUT;
}

/* What a role leaves to a chip of an axis of its own. */
static dsm__table_part part_of(dsm_role role) {
  if (!dsm_role_divides(role, DSM_DIVIDED_WEIGHTS)) {
    return DSM__TABLE_WHOLE;
  }
  const bool is_by_outputs =
      dsm_role_divides(role, DSM_DIVIDED_OUT) && !dsm_role_divides(role, DSM_DIVIDED_OUT_TURNS);
  return is_by_outputs ? DSM__TABLE_OUT : DSM__TABLE_IN;
}

dsm__table_cut dsm__table_cut_of(const dsm_layer *layer, const dsm_machine *machine,
                                 const dsm_pass_layouts *layouts) {
  const dsm_network *const network = &machine->system->system;
  const dsm_axis_set summed = dsm__summing_axes(layer, network, layouts->of[DSM_PASS_UPDATE]);
  const dsm_axis_set asked = dsm__broadcast_axes(layer, network, layouts);
  dsm__table_cut cut = {.is_known = true};
  for (unsigned a = 0; a < network->axis_count; a++) {
    if (network->axes[a].chips > 1) {
      const dsm_role update = dsm_parallelism_role(layouts->of[DSM_PASS_UPDATE], a);
      const dsm_role forward = dsm_parallelism_role(layouts->of[DSM_PASS_FORWARD], a);
      cut.gradients[a] = (uint8_t)(dsm_axis_set_has(summed, a) ? DSM__TABLE_SHARED //
                                                               : part_of(update));
      cut.weights[a] = (uint8_t)(dsm_axis_set_has(asked, a) ? DSM__TABLE_SHARED //
                                                            : part_of(forward));
    }
  }
  return cut;
}

static uint8_t transposed(uint8_t part) {
  if (!is_cut(part)) {
    return part;
  }
  return part == DSM__TABLE_IN ? DSM__TABLE_OUT : DSM__TABLE_IN;
}

dsm__table_cut dsm__table_transposed(dsm__table_cut cut) {
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    cut.gradients[a] = transposed(cut.gradients[a]);
    cut.weights[a] = transposed(cut.weights[a]);
  }
  return cut;
}

bool dsm__table_is_cut_alike(const dsm__table_cut *a, const dsm__table_cut *b) {
  return memcmp(a->gradients, b->gradients, sizeof a->gradients) == 0 &&
         memcmp(a->weights, b->weights, sizeof a->weights) == 0;
}

/* What a part of a table passes on its way, one after the other. */
typedef struct route {
  double elements;        /* of a chip, before it */
  dsm_axis_set scattered; /* reduce-scattered along these axes, */
  dsm_axis_set passed;    /* by an all-to-all to those who cut it otherwise, */
  dsm_axis_set reduced;   /* all-reduced, */
  dsm_axis_set gathered;  /* all-gathered */
} route;

/* Takes the part of a tensor that a chip is asked for, or has. */
static void divide(const dsm_network *network, unsigned axis, route *along) {
  along->elements /= (double)network->axes[axis].chips;
}

static route gradients_route(const dsm_layer *layer, const dsm_network *network,
                             const dsm__table_cut *owner, const dsm__table_cut *own) {
  route along = {.elements = (double)layer->weight_elements};
  for (unsigned a = 0; a < network->axis_count; a++) {
    const uint8_t from = own->gradients[a];
    const uint8_t to = owner->gradients[a];
    if (is_cut(from) || (from == DSM__TABLE_WHOLE && is_cut(to))) {
      divide(network, a, &along);
    }
    along.scattered |= from == DSM__TABLE_SHARED && is_cut(to) ? 1U << a : 0U;
    along.passed |= is_cut(from) && is_cut(to) && from != to ? 1U << a : 0U;
    along.reduced |= from == DSM__TABLE_SHARED && to == DSM__TABLE_WHOLE ? 1U << a : 0U;
    along.gathered |= is_cut(from) && to == DSM__TABLE_WHOLE ? 1U << a : 0U;
  }
  return along;
}

static route weights_route(const dsm_layer *layer, const dsm_network *network,
                           const dsm__table_cut *owner, const dsm__table_cut *own) {
  route along = {.elements = (double)layer->weight_elements};
  for (unsigned a = 0; a < network->axis_count; a++) {
    const uint8_t from = owner->weights[a];
    const uint8_t to = own->weights[a];
    if (is_cut(from) || is_cut(to)) {
      divide(network, a, &along);
    }
    along.passed |= is_cut(from) && is_cut(to) && from != to ? 1U << a : 0U;
    along.gathered |= is_cut(from) && !is_cut(to) ? 1U << a : 0U;
  }
  return along;
}

static bool is_moving(const route *along) {
  return (along->scattered | along->passed | along->reduced | along->gathered) != 0;
}

static dsm_traffic collective(const dsm_machine *machine, dsm__collective_kind kind,
                              dsm_axis_set members, double bytes, double memory_bytes) {
  const dsm__collective_asked asked = {.kind = kind,
                                       .members = members,
                                       .bytes = bytes,
                                       .memory_bytes = memory_bytes * bytes,
                                       .is_kept_from_cores = kind == DSM__COLLECTIVE_ALL_TO_ALL};
  return members == 0 ? (dsm_traffic){.latency_cycles = 0}
                      : dsm__collective_traffic(machine, &asked);
}

dsm__table_exchange dsm__table_exchange_derive(const dsm_layer *layer, const dsm_machine *machine,
                                               dsm_precision precision, const dsm__table_cut *owner,
                                               const dsm__table_cut *own) {
  const dsm_network *const network = &machine->system->system;
  const double reduced_memory = machine->system->model.reduce_memory_bytes;
  const double gathered_memory = machine->system->model.broadcast_memory_bytes;
  if (!owner->is_known) {
    return (dsm__table_exchange){{{.latency_cycles = 0}}};
  }
  const route there = gradients_route(layer, network, owner, own);
  const route back = weights_route(layer, network, owner, own);
  const double whole = there.elements * precision.gradient_bytes;
  const double part = whole / dsm__chips_of(network, there.scattered);
  const double weights = back.elements * dsm__layer_weight_bytes(layer, precision.weight_bytes,
                                                                 precision.element_bytes);
  const double relaid_memory = machine->system->model.relayout_memory_bytes;
  return (dsm__table_exchange){{
      collective(machine, DSM__COLLECTIVE_ONE_WAY, there.scattered, whole, reduced_memory),
      collective(machine, DSM__COLLECTIVE_ALL_TO_ALL, there.passed, part, relaid_memory),
      collective(machine, DSM__COLLECTIVE_BOTH_WAYS, there.reduced, part, 2 * reduced_memory),
      collective(machine, DSM__COLLECTIVE_ONE_WAY, there.gathered,
                 part * dsm__chips_of(network, there.gathered), reduced_memory),
      collective(machine, DSM__COLLECTIVE_ALL_TO_ALL, back.passed, weights, relaid_memory),
      collective(machine, DSM__COLLECTIVE_ONE_WAY, back.gathered,
                 weights * dsm__chips_of(network, back.gathered), gathered_memory),
  }};
}

void dsm__add_table_copy(dsm_layer_memory *memory, const dsm_layer *layer,
                         const dsm_machine *machine, const dsm_workload *workload, dsm_mode mode,
                         const dsm_pass_layouts *layouts, const dsm__table_cut *owner) {
  const dsm_network *const network = &machine->system->system;
  const dsm_parallelism forward = layouts->of[DSM_PASS_FORWARD];
  const dsm_pass_layouts kept = {{forward, layouts->of[DSM_PASS_BACKWARD], forward}};
  if (!owner->is_known) {
    return;
  }
  const dsm__table_cut own = dsm__table_cut_of(layer, machine, &kept);
  const route there = gradients_route(layer, network, owner, &own);
  const route back = weights_route(layer, network, owner, &own);
  const dsm_chip_share share = dsm_chip_share_derive(layer, machine, forward, workload->minibatch);
  const double elements = (double)layer->weight_elements / (double)share.weight_ways;
  if (is_moving(&back)) {
    memory->weights_bytes +=
        elements * dsm__layer_weight_bytes(layer, workload->weight_bytes, workload->element_bytes);
  }
  if (mode == DSM_MODE_TRAINING && (is_moving(&there) || is_moving(&back))) {
    memory->gradients_bytes += elements * workload->gradient_bytes;
  }
}
