/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/role_rules.h"

#include "model/role_row.h"

/* A product by weights that all positions share: fc, convolutions of 1 x 1, look-ups. */
static bool is_by_position(const dsm_layer *layer) {
  return !layer->is_product && layer->gates == 0 && layer->kij == 1 && layer->strides == 1 &&
         layer->groups == 1 && layer->timesteps == 1 && layer->experts == 0;
}

static const char *why_no_spatial(const dsm_layer *layer) {
  if (layer->timesteps > 1) {
    return "a layer with timesteps";
  }
  if (layer->is_product && layer->operand_groups == 0) {
    return "a matmul";
  }
  if (layer->experts > 0) {
    return "a layer with experts";
  }
  return layer->rows == 1 ? "a layer of one row of positions" : NULL;
}

static const char *why_no_turns(const dsm_layer *layer) {
  if (layer->is_product) {
    return "a product of activations";
  }
  return layer->groups > 1 || layer->lookup_elements > 0
             ? "a layer with groups, experts or look-ups"
             : NULL;
}

static const char *why_no_tensor(const dsm_layer *layer, dsm_role role) {
  const bool cuts_positions =
      dsm__role_has(role, DSM__ROLE_GATHERS_INPUT | DSM__ROLE_SCATTERS_OUTPUT);
  if (!is_by_position(layer)) {
    return "a layer that is no fc, convolution of 1 x 1 or embedding";
  }
  return cuts_positions && layer->rows == 1 ? "a layer of one row of positions" : NULL;
}

/* Why a layer cannot have a role, in words after "expected no ROLE in"; NULL: it can. */
static const char *role_why_not(const dsm_layer *layer, dsm_role role) {
  switch (role) {
  case DSM_ROLE_DATA:
  case DSM_ROLE_WHOLE:
    return NULL;
  case DSM_ROLE_SPATIAL:
    return why_no_spatial(layer);
  case DSM_ROLE_MODEL:
    if (layer->operand_groups > 0) {
      return NULL; /* what heads of other layers are */
    }
    return layer->is_product || layer->groups > 1 ? "a matmul, or a layer with groups" : NULL;
  case DSM_ROLE_MODEL_OUT:
    return why_no_turns(layer);
  case DSM_ROLE_COLUMN:
  case DSM_ROLE_ROW:
  case DSM_ROLE_GATHER_COLUMN:
  case DSM_ROLE_ROW_SCATTER:
    return why_no_tensor(layer, role);
  case DSM_ROLE_HEADS:
    return layer->operand_groups > 0 || (layer->groups > 1 && layer->experts == 0)
               ? NULL
               : "a layer without heads or groups";
  case DSM_ROLE_EXPERT:
    return layer->experts > 0 ? NULL : "a layer without experts";
  case DSM_ROLE_COUNT:
    break;
  }
  return "any layer";
}

const char *dsm__roles_why_not(const dsm_layer *layer, const dsm_system *system,
                               dsm_parallelism parallelism) {
  const dsm_network *const network = &system->system;
  uint64_t ways = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    const char *const why = role_why_not(layer, role);
    if (why != NULL) {
      return why;
    }
    const bool has_own_groups = role == DSM_ROLE_HEADS || role == DSM_ROLE_EXPERT ||
                                (role == DSM_ROLE_MODEL && layer->operand_groups > 0);
    ways *= has_own_groups ? network->axes[a].chips : 1;
  }
  const uint64_t operands = layer->operand_groups > 0 ? layer->operand_groups : layer->groups;
  return layer->groups % ways == 0 && operands % ways == 0
             ? NULL
             : "a layer whose heads, groups or experts the chips do not divide";
}

bool dsm__may_stand_beside(const dsm_layer *layer, dsm_role a, dsm_role b) {
  if (a == b) {
    return true;
  }
  if (layer->is_product) {
    return (a == DSM_ROLE_DATA || a == DSM_ROLE_MODEL) &&
           (b == DSM_ROLE_DATA || b == DSM_ROLE_MODEL);
  }
  const dsm__weight_cut cut_by_a = dsm__role_rows[a].cut;
  const dsm__weight_cut cut_by_b = dsm__role_rows[b].cut;
  return a != DSM_ROLE_EXPERT && b != DSM_ROLE_EXPERT &&
         (cut_by_a == DSM__WEIGHT_CUT_NONE || cut_by_b == DSM__WEIGHT_CUT_NONE ||
          cut_by_a == cut_by_b);
}

unsigned dsm__roles_clash(const dsm_layer *layer, const dsm_system *system, dsm_parallelism a,
                          dsm_parallelism b) {
  const dsm_network *const network = &system->system;
  unsigned axis = 0;
  while (axis < network->axis_count && (network->axes[axis].chips == 1 ||
                                        dsm__may_stand_beside(layer, dsm_parallelism_role(a, axis),
                                                              dsm_parallelism_role(b, axis)))) {
    axis++;
  }
  return axis < network->axis_count ? axis : DSM_NO_AXIS;
}

bool dsm_layer_can_have_role(const dsm_layer *layer, dsm_role role) {
  return role_why_not(layer, role) == NULL;
}
