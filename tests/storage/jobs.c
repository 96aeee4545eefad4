/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "jobs.h"

#include "random_numbers.h"

dsm_storage_job job_by_hand(void) {
  return (dsm_storage_job){.samples = 100,
                           .sample_bytes = 10,
                           .samples_per_second = 8,
                           .demand_bytes_per_second = 80,
                           .fast_bytes = 500,
                           .fast_bytes_per_second = 160,
                           .capacity_bytes_per_second = 20};
}

double number_drawn(uint64_t *state, double least, double most) {
  const double share = (double)(random_next(state) >> 11) / 9007199254740992.0;
  return least + share * (most - least);
}

dsm_storage_job job_drawn(uint64_t *state) {
  dsm_storage_job job = {.samples = 1 + random_below(state, 400),
                         .sample_bytes = number_drawn(state, 1, 1000),
                         .samples_per_second = number_drawn(state, 0.1, 500),
                         .fast_bytes_per_second = number_drawn(state, 1e2, 1e6),
                         .capacity_bytes_per_second = number_drawn(state, 1e1, 1e5)};
  const double total = (double)job.samples * job.sample_bytes;
  job.demand_bytes_per_second = job.samples_per_second * job.sample_bytes;
  job.fast_bytes = 2 * job.sample_bytes + number_drawn(state, 0, 1.2) * total;
  return job;
}
