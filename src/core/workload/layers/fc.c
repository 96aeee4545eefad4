/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fc.c: every output feature from all input features, with weights of their own. With positions
 * each of them has its outputs, by the same weights: a convolution with a kernel of 1 x 1.
 */
#include <math.h>

#include "workload/layers/layer_kind.h"

/* Keys of a layer of experts. */
static void read_experts(dsm_layer_spec *spec, const dsm__json_node *node) {
  const dsm__json_node experts = dsm__json_member(node, "experts");
  const dsm__json_node active = dsm__json_member(node, "active_experts");
  const dsm__json_node factor = dsm__json_member(node, "capacity_factor");
  if (!dsm__json_is_present(&experts)) {
    const dsm__json_node *const odd = dsm__json_is_present(&active) ? &active : &factor;
    if (dsm__json_is_present(odd)) {
      dsm__json_error(odd, NULL, "expected \"experts\" beside it, found none");
    }
    return;
  }
  dsm__json_u64(&experts, 1, DSM_SIDE_MAX, &spec->experts);
  dsm__json_required_u64(node, "active_experts", "the experts that a position uses", 1,
                         spec->experts > 0 ? spec->experts : 1, &spec->active_experts);
  spec->capacity_factor = 1;
  if (dsm__json_is_present(&factor)) {
    dsm__json_double(&factor, (dsm__json_range){1, 1024, false}, &spec->capacity_factor);
  }
}

static void read(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node) {
  const dsm__json_node tied = dsm__json_member(node, "tied_to");
  dsm__positions_read(spec, node);
  read_experts(spec, node);
  if (dsm__json_is_present(&tied)) {
    dsm__json_string(&tied, 1, DSM_NAME_BYTES_MAX, arena, &spec->tied_to);
    if (spec->experts > 0) {
      dsm__json_error(&tied, NULL, "expected no \"tied_to\" in a layer of experts, found one");
    }
  }
}

static void write(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  dsm__positions_put(writer, spec);
  dsm__json_put_text(writer, "tied_to", spec->tied_to);
  if (spec->experts > 0) {
    dsm__json_put_u64(writer, "experts", spec->experts);
    dsm__json_put_u64(writer, "active_experts", spec->active_experts);
    if (is_full || spec->capacity_factor > 1) {
      dsm__json_put_double(writer, "capacity_factor", spec->capacity_factor);
    }
  }
}

/* A pool on the input takes all that it leaves as features of one position. */
static bool check(const dsm__lowering *lowering) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  const dsm_aux *const select = dsm__find_op(spec, DSM_AUX_SELECT);
  if ((spec->feature.rows == 1 && select == NULL) || dsm__find_pool(spec, true) == NULL) {
    return true;
  }
  if (select != NULL) {
    dsm__json_error(lowering->layer->node, NULL,
                    "expected a select or a pool on the input, found both");
    return false;
  }
  const dsm__json_node positions = dsm__layer_entry_member(lowering->layer, "positions");
  dsm__json_error(&positions,
                  "what a pool on the input leaves is taken as features of one position",
                  "expected 1 or none beside a pool on the input, found %llu",
                  (unsigned long long)spec->feature.rows);
  return false;
}

/* The positions of a part of the experts, rounded up. A factor such as 1.1 is no binary fraction:
 * what is above a whole number only by what that rounds is none. */
static uint64_t positions_of(double parts, double routed, const dsm_layer_spec *spec) {
  static const double rounding = 1e-14;
  return (uint64_t)ceil(routed * spec->capacity_factor / parts * (1 - rounding));
}

/* Experts are groups with weights of their own, each for its part of the positions. */
static void lower_experts(const dsm_layer_spec *spec, dsm_layer *primary) {
  const double routed = (double)(spec->feature.rows * spec->active_experts);
  primary->in *= spec->experts;
  primary->out *= spec->experts;
  primary->groups = spec->experts;
  primary->experts = spec->experts;
  primary->routed = spec->feature.rows * spec->active_experts;
  primary->active_experts = spec->active_experts;
  primary->ij = positions_of((double)spec->experts, routed, spec);
  primary->sent = positions_of(1, routed, spec);
}

static void lower(const dsm__lowering *lowering, dsm_layer *primary) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  *primary = dsm__loops_of_features(spec->in, spec->out);
  primary->is_convolution = spec->feature.rows > 1;
  primary->ij = spec->feature.rows;
  primary->timesteps = spec->timesteps;
  primary->is_tied = spec->tied_to != NULL;
  if (spec->experts > 0) {
    lower_experts(spec, primary);
  }
}

const dsm__layer_kind dsm__fc_kind = {
    .states_features = DSM__STATES_IN | DSM__STATES_OUT,
    .read = read,
    .write = write,
    .keeps_positions = true,
    .works_on_input = true,
    .check = check,
    .has_timesteps = true,
    .lower = lower,
};
