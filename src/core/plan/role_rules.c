/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/role_rules.h"

#include "model/role_row.h"

const char *dsm__roles_why_not(const dsm_layer *layer, const dsm_system *system,
                               dsm_parallelism parallelism) {
  const dsm_network *const network = &system->system;
  uint64_t ways = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    const char *const why = dsm__role_why_not(layer, role);
    if (why != NULL) {
      return why;
    }
    ways *= dsm_role_divides(dsm__role_of_layer(layer, role), DSM_DIVIDED_GROUPS)
                ? network->axes[a].chips
                : 1;
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
    return dsm__role_is_of_words(a) && dsm__role_is_of_words(b);
  }
  const dsm__weight_cut cut_by_a = dsm__role_rows[a].cut;
  const dsm__weight_cut cut_by_b = dsm__role_rows[b].cut;
  return !dsm__role_has(a, DSM__ROLE_SENDS_TOKENS) && !dsm__role_has(b, DSM__ROLE_SENDS_TOKENS) &&
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
  return dsm__role_why_not(layer, role) == NULL;
}
