/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_tiles.h"

#include <math.h>

enum { SIDES_MAX = 512 };

/* The sides that a tile can have along a loop. */
typedef struct {
  double whole;
  size_t count;
  double items[SIDES_MAX];
} sides;

static bool is_side(const double side, const double of_chip) {
  double odd = side;
  while (fmod(odd, 2) < 1) {
    odd /= 2;
  }
  return odd < 64 && fmod(of_chip, odd) < 1;
}

static void list_sides(sides *list, const double of_core, const double of_chip) {
  list->whole = of_core;
  list->count = 0;
  for (double side = 1; side <= of_core && list->count < SIDES_MAX; side++) {
    if (side >= of_core || is_side(side, of_chip)) {
      list->items[list->count++] = side;
    }
  }
}

/* Bytes of a tile of one by one by one. */
typedef struct {
  double input; /* of a feature and position */
  double output;
  double kernel; /* of a pair of features */
  double cap;
} sizes;

/* in, out, positions: sides of a tile; the counts of tiles that this makes. */
typedef struct {
  double in;
  double out;
  double positions;
} box;

static bool fits(const twin_pass_kind pass, const sizes *s, const box *side, const double sum) {
  const double input = s->input * side->in * side->positions;
  const double output = s->output * side->out * side->positions;
  const double kernel = s->kernel * side->in * side->out;
  const double room = s->cap * (1 + 1e-9);
  if (pass == TWIN_FORWARD) {
    return 2 * (input + kernel) + output * sum <= room;
  }
  return pass == TWIN_BACKWARD ? 2 * (output + kernel) + input * sum <= room
                               : 2 * (input + output) + kernel * sum <= room;
}

double twin_load_cycles(const twin_load loads[TWIN_LOADS], const twin_times *times) {
  double most = 0;
  for (int i = 0; i < TWIN_LOADS; i++) {
    most = fmax(most, loads[i].fixed + loads[i].left * times->left + loads[i].right * times->right +
                          loads[i].sums * times->sums);
  }
  return most;
}

/* Of the three ways to go through the tiles, and what is known, the fastest. */
static twin_times fastest(const twin_pass_kind pass, const twin_load loads[TWIN_LOADS],
                          const box *tiles, twin_times best) {
  const double left_again = pass == TWIN_BACKWARD ? tiles->in : tiles->out;
  const double right_again = pass == TWIN_UPDATE ? tiles->in : tiles->positions;
  const double parts = pass == TWIN_FORWARD    ? tiles->in
                       : pass == TWIN_BACKWARD ? tiles->out
                                               : tiles->positions;
  const twin_times ways[] = {
      {left_again, right_again, 0}, {left_again, 1, parts - 1}, {1, right_again, parts - 1}};
  for (int i = 0; i < 3; i++) {
    if (twin_load_cycles(loads, &ways[i]) < twin_load_cycles(loads, &best)) {
      best = ways[i];
    }
  }
  return best;
}

static double sums_of(const twin_pass_kind pass, const twin_traffic *bytes,
                      const twin_condition *condition) {
  if (pass == TWIN_FORWARD) {
    return condition->is_output_held ? 0 : bytes->raw;
  }
  if (pass == TWIN_BACKWARD) {
    return condition->is_input_held ? 0 : bytes->inp;
  }
  return condition->is_resident ? 0 : bytes->ker;
}

double twin_spilled_bytes(const twin_context *context, const twin_pass_kind pass,
                          const twin_node *node, const twin_traffic *bytes,
                          const twin_condition *condition) {
  return 2 * sums_of(pass, bytes, condition) * twin_sum_widening(context, node, pass);
}

twin_times twin_tiled_times(const twin_context *context, const twin_node *node,
                            const twin_pass_kind pass, const twin_layout layout,
                            const double split[TWIN_DIM_COUNT], const twin_traffic *bytes,
                            const twin_condition *condition, const twin_load loads[TWIN_LOADS],
                            const twin_times paper) {
  const double g = twin_chip_groups(node, layout);
  const double mbc = twin_samples_per_chip(layout, condition->samples);
  const double inc = twin_group_inputs(node, layout);
  const double outc = twin_group_outputs(node, layout);
  const bool is_matmul = node->kind == TWIN_MATMUL;
  const double sum = twin_sum_widening(context, node, pass);
  const double rows = ceil(node->ij / split[2]); /* of a sample */
  const double positions = is_matmul                 ? 1
                           : twin_is_attention(node) ? rows
                                                     : rows * ceil(mbc / split[4]);
  const sizes s = {
      .input = bytes->inp / (inc * g * node->ij * mbc),
      .output = bytes->raw / (outc * g * node->ij * mbc),
      .kernel = bytes->ker / bytes->fetched /
                (inc * outc * g * node->kij * (twin_is_product(node) ? mbc : 1)) *
                ceil(node->kij / split[3]),
      .cap = condition->cap_bytes,
  };
  sides in;
  sides out;
  sides position;
  twin_times best = paper;
  list_sides(&in, ceil(inc / split[0]), inc);
  list_sides(&out, ceil(outc / twin_cores_of_group(node, layout, split[1])), outc);
  list_sides(&position, positions, node->ij * mbc);
  for (size_t i = 0; i < in.count; i++) {
    for (size_t o = 0; o < out.count; o++) {
      for (size_t p = 0; p < position.count; p++) {
        const box side = {in.items[i], out.items[o], position.items[p]};
        const box tiles = {ceil(in.whole / side.in), ceil(out.whole / side.out),
                           ceil(position.whole / side.positions)};
        if (fits(pass, &s, &side, sum)) {
          best = fastest(pass, loads, &tiles, best);
        }
      }
    }
  }
  return best;
}
