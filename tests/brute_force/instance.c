/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instance.h"

#include "instance_parts.h"

static const double smallest_legal_GB =
    1e-9; /* of the format; a network of a few elements needs less */

static twin_options pick_options(instance_random *random, const instance_axes *axes) {
  const unsigned all = (1U << instance_parallelism_count(axes)) - 1;
  twin_options options = {
      .hybrid = instance_random_chance(random, 75),
      .inference = instance_random_chance(random, 25),
      .parallelism_mask = all,
  };
  if (instance_random_chance(random, 20)) {
    /* At least data or model stays, so that something is left without the hybrids too. */
    const unsigned kept = instance_random_chance(random, 50) ? 1U << TWIN_DATA : 1U << TWIN_MODEL;
    options.parallelism_mask = (unsigned)instance_random_between(random, 0, all) | kept;
  }
  return options;
}

/*
 * The factor is a random fraction, so that no mapping's need hits the
 * capacity by rounding alone. Where the optimum needs least of all mappings there is no room
 * between, and either nothing fits or everything that matters.
 */
double instance_capacity_GB(instance_random *random, const twin_result *unbound) {
  const double smallest = unbound->smallest_need_bytes;
  const double room = unbound->memory_bytes - smallest;
  const double fraction = 0.001 + 0.998 * instance_random_fraction(random);
  if (room > smallest * 1e-6 && !instance_random_chance(random, 15)) {
    return (smallest + room * fraction) / 1e9;
  }
  const double below_GB = smallest * fraction / 1e9;
  const bool is_legal = below_GB >= smallest_legal_GB;
  return instance_random_chance(random, 40) && is_legal ? below_GB : INSTANCE_AMPLE_GB;
}

static void write_system(instance *out, const instance_random random, const instance_axes *axes,
                         const double capacity_GB) {
  instance_text text = {.buffer = out->system_json, .size = sizeof out->system_json};
  const instance_system system = {.axes = *axes, .capacity_GB = capacity_GB, .keys = out->keys};
  instance_system_write(&text, random, &system);
}

void instance_make(instance *out, const uint64_t seed, const instance_key_set allowed) {
  instance_random random = {.state = seed};
  const instance_axes axes = instance_axes_pick(seed);
  *out = (instance){.seed = seed,
                    .has_axes = axes.count > 0,
                    .has_axis_keys = axes.has_keys,
                    .options = pick_options(&random, &axes)};
  instance_random keys_random = {.state = instance_random_u64(&random)};
  out->keys = instance_keys_pick(&keys_random, allowed);
  instance_text text = {.buffer = out->workload_json, .size = sizeof out->workload_json};
  instance_workload_write(&text, &random);

  const bool binds = instance_random_chance(&random, 50); /* half of them can */
  const uint64_t capacity_state = instance_random_u64(&random);
  write_system(out, random, &axes, INSTANCE_AMPLE_GB);
  if (binds) {
    twin_result unbound;
    if (twin_explore(&unbound, out->workload_json, out->system_json, out->options)) {
      instance_random capacity_random = {.state = capacity_state};
      write_system(out, random, &axes, instance_capacity_GB(&capacity_random, &unbound));
    }
  }
}
