/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "batched_instance.h"

#include "random_numbers.h"

static const uint32_t sizes[BATCHED_SIZES] = {1, 2, 5};

void batched_random(batched_instance *made, uint64_t seed) {
  uint64_t state = seed ^ 0xba7c4;
  small_random(&made->s, seed, 4, 3);
  for (size_t k = 0; k < made->s.instance.task_count * made->s.instance.device_count; k++) {
    made->tables[k] = (dsm_batch_table){made->times[k], BATCHED_SIZES};
    for (size_t b = 0; b < BATCHED_SIZES; b++) {
      const double part = (double)random_below(&state, 1000) / 1000;
      made->times[k][b] =
          (dsm_batch_time){sizes[b], made->s.seconds[k] * (b == 0 ? 1 : 1 + part * sizes[b])};
    }
  }
  for (size_t j = 0; j < made->s.instance.device_count; j++) {
    made->s.devices[j].batch_sizes = sizes;
    made->s.devices[j].batch_size_count = 1 + random_below(&state, BATCHED_SIZES);
    made->s.devices[j].batch = 1;
    made->s.devices[j].has_power = true;
  }
  made->s.instance.tables = made->tables;
}

void batched_choose(small_instance *plain, const batched_instance *of, uint64_t seed,
                    const size_t *chosen) {
  small_random(plain, seed, 4, 3);
  for (size_t j = 0; j < plain->instance.device_count; j++) {
    plain->devices[j].batch = sizes[chosen[j]];
    plain->devices[j].has_power = true;
    for (size_t i = 0; i < plain->instance.task_count; i++) {
      const size_t k = i * plain->instance.device_count + j;
      plain->seconds[k] = of->times[k][chosen[j]].seconds / sizes[chosen[j]];
    }
  }
}

bool batched_next(const batched_instance *of, size_t *chosen) {
  size_t j = 0;
  while (j < of->s.instance.device_count && ++chosen[j] == of->s.devices[j].batch_size_count) {
    chosen[j++] = 0;
  }
  return j < of->s.instance.device_count;
}
