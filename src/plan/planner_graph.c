/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/planner_graph.h"

bool dsm__is_planner_graph(const dsm__json_node *root) {
  const dsm__json_node format = dsm__json_member(root, "format");
  const dsm__json_node nodes = dsm__json_member(root, "nodes");
  const dsm__json_node accelerators = dsm__json_member(root, "maxFPGAs");
  return !dsm__json_is_present(&format) &&
         (dsm__json_is_present(&nodes) || dsm__json_is_present(&accelerators));
}
