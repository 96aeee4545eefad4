/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_floors.c: what layers take at least, whatever their roles, each by itself. */
#include <math.h>

#include "plan/reductions.h"
#include "search/roles/role_graph.h"
#include "search/roles/role_search.h"

dsm__cost dsm__role_cost_of(const dsm__role_space *space, size_t layer_index,
                            const dsm__role_option *option) {
  const dsm_pass_layouts layouts = dsm__option_layouts(option);
  dsm__layer_setting setting =
      dsm__role_setting(space->problem, layer_index, option->factor_index, option->shares);
  setting.shard = option->shard;
  const dsm__once_parts parts = dsm__once_parts_of(&setting, &layouts);
  const double once = option->once_cost - parts.repeated_cycles;
  return (dsm__cost){.micro = (option->least_cost - once) / (double)dsm__micro_batches_of(&setting),
                     .once = once,
                     .latency = setting.reductions == NULL
                                    ? 0
                                    : parts.latency_cycles / setting.reductions->shares[0]};
}

void dsm__role_front_add(dsm__role_front *front, const dsm__cost *point) {
  size_t kept = 0;
  for (size_t i = 0; i < front->count; i++) {
    if (dsm__is_cost_below(&front->points[i], point)) {
      return;
    }
  }
  for (size_t i = 0; i < front->count; i++) {
    if (!dsm__is_cost_below(point, &front->points[i])) {
      front->points[kept++] = front->points[i];
    }
  }
  front->points[kept] = *point;
  front->count = kept + 1;
}

dsm__role_front dsm__role_front_of(const dsm__role_space *space, size_t layer_index) {
  const dsm__role_options *const options = dsm__role_options_of(space, layer_index);
  dsm__role_front front = {.count = 0};
  if (!DSM__RESERVE(space->problem->arena, front.points, options->whole_count + 1)) {
    return front;
  }
  for (size_t o = 0; o < options->whole_count; o++) {
    const dsm__role_option *const option = &options->items[o];
    if (isfinite(option->least_cost) && dsm__is_role_open(space, layer_index, option)) {
      const dsm__cost point = dsm__role_cost_of(space, layer_index, option);
      dsm__role_front_add(&front, &point);
    }
  }
  return front;
}

double dsm__role_floor(const dsm__role_front *front, const dsm__prices *prices) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < front->count; i++) {
    const double price = dsm__price(prices, &front->points[i]);
    least = price < least ? price : least;
  }
  return least;
}
