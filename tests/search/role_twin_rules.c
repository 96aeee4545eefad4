/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_twin_rules.c: which roles a layer can have, and which of them one beside another. */
#include "role_twin.h"

static unsigned axis_count(const role_twin *twin) {
  return twin->machine.system->system.axis_count;
}

static uint64_t chips_along(const role_twin *twin, unsigned axis) {
  return twin->machine.system->system.axes[axis].chips;
}

bool role_twin_can(const dsm_layer *layer, dsm_role role) {
  const bool has_heads = layer->operand_groups > 0;
  const bool has_groups = layer->groups > 1;
  const bool is_weighed = !layer->is_product;
  const bool is_pointwise = is_weighed && !has_groups && layer->kij == 1 && layer->strides == 1 &&
                            layer->gates == 0 && layer->timesteps == 1 && layer->experts == 0;
  switch (role) {
  case DSM_ROLE_DATA:
  case DSM_ROLE_WHOLE:
    return true;
  case DSM_ROLE_SPATIAL:
    return (is_weighed || has_heads) && layer->rows > 1 && layer->timesteps == 1 &&
           layer->experts == 0;
  case DSM_ROLE_MODEL:
    return has_heads || (is_weighed && !has_groups);
  case DSM_ROLE_MODEL_OUT:
    return is_weighed && !has_groups && layer->lookup_elements == 0;
  case DSM_ROLE_COLUMN:
  case DSM_ROLE_ROW:
    return is_pointwise;
  case DSM_ROLE_GATHER_COLUMN:
  case DSM_ROLE_ROW_SCATTER:
    return is_pointwise && layer->rows > 1;
  case DSM_ROLE_HEADS:
    return has_heads || (has_groups && is_weighed && layer->experts == 0);
  case DSM_ROLE_EXPERT:
    return layer->experts > 0;
  case DSM_ROLE_CONTEXT:
  case DSM_ROLE_GATHER_CONTEXT:
    return has_heads && layer->rows > 1 && layer->timesteps == 1;
  case DSM_ROLE_COUNT:
    break;
  }
  return false;
}

static bool is_in_space(dsm_role role, role_space space) {
  if (role == DSM_ROLE_DATA || role == DSM_ROLE_MODEL) {
    return true;
  }
  if (role == DSM_ROLE_EXPERT) {
    return space.has_expert;
  }
  if (role == DSM_ROLE_CONTEXT || role == DSM_ROLE_GATHER_CONTEXT) {
    return (space.contexts >> role & 1U) != 0;
  }
  return role == DSM_ROLE_SPATIAL ? space.has_spatial : space.has_tensor;
}

bool role_twin_is_option(const role_twin *twin, size_t index, const dsm_roles *roles,
                         role_space space) {
  const dsm_layer *const layer = &twin->workload->layers[index];
  uint64_t sharers = 1; /* of groups */
  bool has_data = false;
  bool has_model = false;
  bool has_other = false;
  for (unsigned a = 0; a < axis_count(twin); a++) {
    const dsm_role role = roles->of[a];
    const bool is_context = role == DSM_ROLE_SPATIAL && layer->operand_groups > 0;
    if (!role_twin_can(layer, role) || !is_in_space(role, space) ||
        (is_context && space.contexts != 0) ||
        (chips_along(twin, a) == 1 && role != DSM_ROLE_DATA &&
         (role != DSM_ROLE_MODEL || space.has_hybrid))) {
      return false;
    }
    sharers *= role == DSM_ROLE_HEADS || role == DSM_ROLE_EXPERT ||
                       (role == DSM_ROLE_MODEL && layer->operand_groups > 0)
                   ? chips_along(twin, a)
                   : 1;
    has_data = has_data || role == DSM_ROLE_DATA;
    has_model = has_model || role == DSM_ROLE_MODEL;
    has_other = has_other || (role != DSM_ROLE_DATA && role != DSM_ROLE_MODEL);
  }
  const uint64_t operands = layer->operand_groups > 0 ? layer->operand_groups : layer->groups;
  return layer->groups % sharers == 0 && operands % sharers == 0 &&
         (space.has_hybrid || has_other || !has_data || !has_model);
}

/* Weights have one cut along an axis, which whole ones may stand beside; nothing stands beside
 * experts. */
static const char cut_of[DSM_ROLE_COUNT] = {
    [DSM_ROLE_DATA] = '-',
    [DSM_ROLE_SPATIAL] = '-',
    [DSM_ROLE_WHOLE] = '-',
    [DSM_ROLE_MODEL] = 'o',
    [DSM_ROLE_COLUMN] = 'o',
    [DSM_ROLE_GATHER_COLUMN] = 'o',
    [DSM_ROLE_ROW] = 'i',
    [DSM_ROLE_MODEL_OUT] = 'i',
    [DSM_ROLE_ROW_SCATTER] = 'i',
    [DSM_ROLE_HEADS] = 'g',
    [DSM_ROLE_EXPERT] = 'e',
    [DSM_ROLE_CONTEXT] = '-',
    [DSM_ROLE_GATHER_CONTEXT] = '-',
};

bool role_twin_may_differ(const role_twin *twin, size_t layer, const dsm_roles *both,
                          const dsm_roles *update) {
  bool may = twin->workload->layers[layer].has_update;
  for (unsigned a = 0; a < axis_count(twin); a++) {
    const char one = cut_of[both->of[a]];
    const char other = cut_of[update->of[a]];
    const bool is_cut_beside = one == '-' ? other != 'e' : other == '-' && one != 'e';
    may = may && (chips_along(twin, a) == 1 || one == other || is_cut_beside);
  }
  return may;
}
