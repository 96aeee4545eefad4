/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Section 5, protocols: each is tried, and the fastest counts. */
#include <math.h>

#include "twin_network.h"

double twin_protocol_slowing(const twin_axis *axis, const twin_protocol *by) {
  return axis->bytes_per_cycle /
         fmin(by->efficiency * axis->bytes_per_cycle, by->most_bytes_per_cycle);
}

/* Chip to chip through all members, or along one axis after the other. */
static double all_steps(const twin_system *system, const twin_layout *layout) {
  double steps = 0;
  for (size_t a = 0; a < system->axis_count; a++) {
    steps += layout->is_data[a] ? twin_steps(&system->axes[a]) : 0;
  }
  return system->one_ring ? layout->nd - 1 : steps;
}

static bool is_possible(const twin_system *system, const twin_collective *what, const int kind) {
  bool is = system->protocols[kind].efficiency > 0 && kind != TWIN_PROTOCOL_ALL_TO_ALL;
  for (size_t a = 0; a < system->axis_count; a++) {
    const twin_axis *const axis = &system->axes[a];
    if (what->layout->is_data[a] && axis->chips > 1) {
      const bool is_switched = axis->link != TWIN_LINK_RING && axis->link != TWIN_LINK_LINE;
      is = is && axis->protocols && (kind != TWIN_PROTOCOL_ADDS || is_switched);
    }
  }
  return is && (kind != TWIN_PROTOCOL_ADDS || (what->ways > 1 && system->in_network_reduction));
}

static twin_collective_cycles cycles_by(const twin_system *system, const twin_collective *what,
                                        const int kind, const twin_protocol *by) {
  const bool adds = kind == TWIN_PROTOCOL_ADDS;
  const double steps = adds ? 0 : what->ways * all_steps(system, what->layout);
  return (twin_collective_cycles){
      .moving_cycles =
          adds ? twin_adding_cycles_by(system, what->layout, what->bytes, what->memory_bytes, by)
               : twin_moving_cycles_by(system, what->layout, what->ways * what->bytes,
                                       what->memory_bytes, by),
      .latency_cycles = (what->is_begun ? 0 : by->base_cycles) + steps * by->step_cycles,
  };
}

/* On links that nothing else holds up, without the protocol's limit. */
static double links_alone_cycles(const twin_system *system, const twin_collective *what,
                                 const int kind) {
  twin_system links = *system;
  twin_collective bytes = *what;
  twin_protocol by = system->protocols[kind];
  by.most_bytes_per_cycle = HUGE_VAL;
  links.core_link_bytes_per_cycle = HUGE_VAL;
  bytes.memory_bytes = 0;
  return cycles_by(&links, &bytes, kind, &by).moving_cycles;
}

twin_collective_cycles twin_collective_of(const twin_system *system, const twin_collective *what) {
  const double base = what->is_begun ? 0 : system->collective_base_cycles;
  twin_collective_cycles best = {
      .moving_cycles = twin_moving_cycles_by(system, what->layout, what->ways * what->bytes,
                                             what->memory_bytes, NULL),
      .latency_cycles = base + what->ways * twin_all_reduce_steps_cycles(system, what->layout),
  };
  double least = HUGE_VAL;
  for (int kind = 0; kind < TWIN_PROTOCOL_COUNT; kind++) {
    if (is_possible(system, what, kind)) {
      const twin_collective_cycles own = cycles_by(system, what, kind, &system->protocols[kind]);
      const double cost = what->is_joined ? links_alone_cycles(system, what, kind)
                                          : own.moving_cycles + own.latency_cycles;
      best = cost < least ? own : best;
      least = fmin(least, cost);
    }
  }
  return best;
}
