/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_RANDOM_PROTOCOLS_H
#define DSM_TESTS_RANDOM_PROTOCOLS_H

#include "dsm/system.h"
#include "random_numbers.h"

/* Protocols of collectives for some systems: rings of few bytes and of many, an all-to-all, and
 * switches that add. What is drawn after them is drawn as without them. */
static inline void random_protocols(dsm_network *network, uint64_t state) {
  static const double times_us[] = {0, 0.01, 0.1, 0.5};
  static const double efficiencies[] = {0, 0.25, 0.5, 0.9, 1};
  static const double limits_GBps[] = {1, 20, 0, 0};
  state ^= UINT64_C(0x70726f746f63);
  network->protocol_latency_ratio = random_below(&state, 2) == 0 ? 1 : 1.5;
  if (random_below(&state, 2) == 0) {
    return;
  }
  for (unsigned a = 0; a < network->axis_count; a++) {
    network->axes[a].protocols = random_below(&state, 3) > 0;
  }
  for (int p = 0; p < DSM_PROTOCOL_COUNT; p++) {
    network->protocols[p] = (dsm_protocol){
        .base_us = times_us[random_below(&state, 4)],
        .step_us = p == DSM_PROTOCOL_IN_NETWORK ? 0 : times_us[random_below(&state, 4)] / 8,
        .efficiency_ratio = efficiencies[random_below(&state, 5)],
        .most_GBps = limits_GBps[random_below(&state, 4)],
    };
  }
}

#endif
