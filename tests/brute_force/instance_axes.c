/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "instance_parts.h"

static const size_t most_chips = 8;

/* A seed's draws of axes are its own: seeds without them are what they would be without axes. */
instance_axes instance_axes_pick(const uint64_t seed) {
  static const size_t lengths[] = {1, 2, 2, 2, 3, 4, 4, 5, 6, 7, 8};
  instance_random random = {.state = seed ^ UINT64_C(0x61786573)};
  instance_axes axes = {.chips = {1, 1, 1}};
  if (!instance_random_chance(&random, 33)) {
    return axes;
  }
  const size_t count = instance_random_between(&random, 0, 9);
  axes.count = count < 2 ? 1 : count < 5 ? 2 : 3;
  axes.has_keys = instance_random_chance(&random, 50);
  do {
    for (size_t a = 0; a < axes.count; a++) {
      axes.chips[a] = INSTANCE_PICK(&random, lengths);
    }
  } while (axes.chips[0] * axes.chips[1] * axes.chips[2] > most_chips);
  return axes;
}

void instance_axes_lengthen_last(instance_axes *axes) {
  for (size_t a = 0; a + 1 < axes->count; a++) {
    size_t *const last = &axes->chips[axes->count - 1];
    if (axes->chips[a] > *last) {
      const size_t longer = axes->chips[a];
      axes->chips[a] = *last;
      *last = longer;
    }
  }
}

size_t instance_parallelism_count(const instance_axes *axes) {
  return (size_t)1 << (axes->count == 0 ? 2 : axes->count);
}

/* All chips of some of the axes before share a port. */
static size_t pick_chips_per_port(instance_random *random, const instance_axes *axes,
                                  const size_t axis) {
  const size_t joined = instance_random_between(random, 0, axis);
  size_t chips = 1;
  for (size_t a = 0; a < joined; a++) {
    chips *= axes->chips[a];
  }
  return chips;
}

static void write_axis_keys(instance_text *text, instance_random *random, const instance_axes *axes,
                            const size_t axis) {
  static const double efficiencies[] = {0.5, 0.75, 0.9};
  static const double latencies_us[] = {0.001, 0.002, 0.01, 0.05, 0.2, 3.4};
  if (instance_random_chance(random, 40)) {
    instance_text_real(text, "efficiency_ratio", INSTANCE_PICK_REAL(random, efficiencies));
  }
  if (instance_random_chance(random, 65)) {
    instance_text_real(text, "latency_us", INSTANCE_PICK_REAL(random, latencies_us));
  }
  if (instance_random_chance(random, 40)) {
    instance_text_bool(text, "both_ways", instance_random_chance(random, 80));
  }
  if (axis > 0 && instance_random_chance(random, 50)) {
    instance_text_count(text, "chips_per_port", pick_chips_per_port(random, axes, axis));
  }
}

/* Of a fat tree and of a dragonfly. */
static void write_group_keys(instance_text *text, instance_random *random, const size_t link) {
  static const double oversubscriptions[] = {1, 1.5, 2, 7};
  static const double global_links[] = {0.25, 0.5, 1, 3};
  if (link < 3) {
    return;
  }
  if (instance_random_chance(random, 70)) {
    instance_text_count(text, "group_chips", instance_random_between(random, 1, 4));
  }
  if (link == 3) {
    instance_text_real(text, "oversubscription", INSTANCE_PICK_REAL(random, oversubscriptions));
  } else {
    instance_text_real(text, "global_links", INSTANCE_PICK_REAL(random, global_links));
  }
}

static void write_protocol(instance_text *text, instance_random *random, const char *name,
                           const bool has_steps) {
  static const double bases_us[] = {0.001, 0.01, 0.1, 6.6};
  static const double steps_us[] = {0.0005, 0.002, 0.01, 0.6};
  static const double efficiencies[] = {0.25, 0.5, 0.92, 1};
  static const double limits_GBps[] = {2, 20, 141};
  instance_text_key(text, name);
  instance_text_open(text, '{');
  instance_text_real(text, "efficiency_ratio", INSTANCE_PICK_REAL(random, efficiencies));
  if (instance_random_chance(random, 80)) {
    instance_text_real(text, "base_us", INSTANCE_PICK_REAL(random, bases_us));
  }
  if (has_steps && instance_random_chance(random, 80)) {
    instance_text_real(text, "step_us", INSTANCE_PICK_REAL(random, steps_us));
  }
  if (instance_random_chance(random, 30)) {
    instance_text_real(text, "most_GBps", INSTANCE_PICK_REAL(random, limits_GBps));
  }
  instance_text_close(text, '}');
}

static void write_protocols(instance_text *text, instance_random *random) {
  static const char *const names[] = {"low_latency", "low_latency_128", "simple", "all_to_all",
                                      "in_network"};
  instance_text_key(text, "protocols");
  instance_text_open(text, '{');
  for (size_t p = 0; p < sizeof names / sizeof names[0]; p++) {
    if (instance_random_chance(random, 70)) {
      write_protocol(text, random, names[p], p < 4);
    }
  }
  instance_text_close(text, '}');
  if (instance_random_chance(random, 50)) {
    instance_text_real(text, "protocol_latency_ratio", 1.5);
  }
}

/* Is the order of axes not the best? The best without a protocol need not be that with one. */
static bool write_collective_keys(instance_text *text, instance_random *random) {
  static const char *const orders[] = {"given", "best", "best", "both_halves", "both_halves"};
  static const double bases_us[] = {0.001, 0.01, 0.1, 8.4};
  if (instance_random_chance(random, 50)) {
    instance_text_string(text, "collectives",
                         instance_random_chance(random, 75) ? "ring" : "nested");
  }
  const char *order = orders[0];
  if (instance_random_chance(random, 60)) {
    order = orders[instance_random_between(random, 0, 4)];
    instance_text_string(text, "collective_order", order);
  }
  if (instance_random_chance(random, 60)) {
    instance_text_real(text, "collective_base_us", INSTANCE_PICK_REAL(random, bases_us));
  }
  if (instance_random_chance(random, 40)) {
    instance_text_bool(text, "in_network_reduction", instance_random_chance(random, 80));
  }
  return strcmp(order, "best") != 0;
}

void instance_axes_write(instance_text *text, instance_random *random, const instance_axes *axes,
                         const double bandwidths_GBps[INSTANCE_MAX_AXES]) {
  static const char *const names[INSTANCE_MAX_AXES] = {"x", "board", "rack2"};
  static const char *const links[] = {"ring", "line", "switch", "fat_tree", "dragonfly"};
  instance_random own = {.state = random->state ^ UINT64_C(0x70726f74)}; /* of protocols */
  instance_text_key(text, "system");
  instance_text_open(text, '{');
  instance_text_key(text, "axes");
  instance_text_open(text, '[');
  for (size_t a = 0; a < axes->count; a++) {
    const size_t link = axes->has_keys ? instance_random_between(random, 0, 4) : 0;
    instance_text_key(text, NULL);
    instance_text_open(text, '{');
    instance_text_string(text, "name", names[a]);
    instance_text_count(text, "chips", axes->chips[a]);
    instance_text_string(text, "link", links[link]);
    instance_text_real(text, "bandwidth_GBps", bandwidths_GBps[a]);
    if (axes->has_keys) {
      write_axis_keys(text, random, axes, a);
      write_group_keys(text, random, link);
      instance_text_bool(text, "protocols", instance_random_chance(&own, 70));
    }
    instance_text_close(text, '}');
  }
  instance_text_close(text, ']');
  if (axes->has_keys) {
    if (write_collective_keys(text, random) && instance_random_chance(&own, 60)) {
      write_protocols(text, &own);
    }
  }
  instance_text_close(text, '}');
}
