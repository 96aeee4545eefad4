/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_tied.h"

#include <string.h>

#include "twin_bytes.h"

/* Axes of more than one chip, along which... */
typedef struct {
  bool of[TWIN_MAX_AXES];
} axes;

static double chips_of(const twin_system *system, const axes *set) {
  double chips = 1;
  for (size_t a = 0; a < system->axis_count; a++) {
    chips *= set->of[a] ? system->axes[a].chips : 1;
  }
  return chips;
}

static bool is_any(const axes *set) {
  return set->of[0] || set->of[1] || set->of[2];
}

/* ...each chip has the features of some outputs only: of gradients, or of the weights that forward
 * and backward use. */
static axes sharing_outputs(const twin_context *context, const twin_node *node,
                            const twin_parallelism *p, const bool of_gradients) {
  const twin_system *const system = context->system;
  axes set = {{false}};
  for (size_t a = 0; a < system->axis_count; a++) {
    const bool in_forward = twin_layout_of(system, p[TWIN_FORWARD]).is_data[a];
    const bool in_backward =
        twin_has_backward(node) && twin_layout_of(system, p[TWIN_BACKWARD]).is_data[a];
    const bool in_update = twin_layout_of(system, p[TWIN_UPDATE]).is_data[a];
    const bool has_all = of_gradients ? in_update : in_forward || in_backward;
    set.of[a] = system->axes[a].chips > 1 && !has_all;
  }
  return set;
}

/* Are the outputs of the one the inputs of the other? Learned positions are shared by nobody. */
static bool are_crossed(const twin_node *owner, const twin_node *tied) {
  const double shared = twin_weight_elements(tied);
  const bool fits_straight = owner->out == tied->out;
  const bool fits_crossed = shared / owner->out == tied->out;
  return fits_crossed && (owner->kind != tied->kind || !fits_straight);
}

/* What each of the two has, and where parts differ. */
typedef struct {
  axes gathered; /* the tied layer has all, the owner a part */
  axes crossed;  /* both have parts, of different features */
  double elements;
} meeting;

static meeting meeting_of(const twin_context *context, const twin_summed_layer *layers,
                          const size_t layer, const bool of_gradients,
                          const twin_parallelism *own_parallelism) {
  const twin_node *const tied = &context->workload->nodes[layer];
  const size_t at = (size_t)tied->tied.layers[0];
  const twin_node *const owner = &context->workload->nodes[at];
  const axes theirs = sharing_outputs(context, owner, layers[at].parallelism, of_gradients);
  const axes own = sharing_outputs(context, tied, own_parallelism, of_gradients);
  meeting m = {.elements = twin_weight_elements(tied)};
  for (size_t a = 0; a < context->system->axis_count; a++) {
    const double n = context->system->axes[a].chips;
    m.gathered.of[a] = theirs.of[a] && !own.of[a];
    m.crossed.of[a] = theirs.of[a] && own.of[a] && are_crossed(owner, tied);
    /* Gradients: what a chip has made; weights: what it has, or the part that it is asked for. */
    m.elements /= own.of[a] || (!of_gradients && theirs.of[a]) ? n : 1;
  }
  return m;
}

static bool meets(const twin_context *context, const twin_summed_layer *layers,
                  const size_t layer) {
  const twin_node *const tied = &context->workload->nodes[layer];
  return tied->is_tied && !layers[layer].is_grouped &&
         !layers[(size_t)tied->tied.layers[0]].is_grouped;
}

/* A reduce-scatter, or an all-gather, with a start of its own. */
static double half_cycles(const twin_system *system, const axes *set, const double bytes,
                          const double memory_factor) {
  if (!is_any(set)) {
    return 0;
  }
  const twin_layout layout = twin_layout_with(system, set->of);
  const twin_collective what = {
      .layout = &layout, .bytes = bytes, .ways = 1, .memory_bytes = memory_factor * bytes};
  const twin_collective_cycles cycles = twin_collective_of(system, &what);
  return cycles.moving_cycles + cycles.latency_cycles;
}

/* As a relayout of what all chips have, along these axes. */
static double crossing_cycles(const twin_system *system, const axes *set, const double bytes) {
  for (int p = TWIN_DATA + 1; p < TWIN_PARALLELISM_COUNT; p++) {
    const twin_layout layout = twin_layout_of(system, (twin_parallelism)p);
    bool is_it = true;
    for (size_t a = 0; a < system->axis_count; a++) {
      is_it = is_it && layout.is_data[a] == !set->of[a];
    }
    if (is_it && is_any(set)) {
      return twin_move_cycles(system, bytes * twin_chips(system), TWIN_DATA, (twin_parallelism)p);
    }
  }
  return 0;
}

double twin_tied_cycles(const twin_context *context, const twin_summed_layer *layers,
                        const size_t layer) {
  const twin_system *const system = context->system;
  const twin_node *const tied = &context->workload->nodes[layer];
  if (context->inference || !meets(context, layers, layer)) {
    return 0;
  }
  const twin_parallelism *const own = layers[layer].parallelism;
  const meeting there = meeting_of(context, layers, layer, true, own);
  const meeting back = meeting_of(context, layers, layer, false, own);
  const double made = there.elements * context->workload->gradient_bytes;
  const double asked = back.elements * tied->weight_bytes;
  return half_cycles(system, &there.gathered, made, system->reduce_memory_bytes) +
         crossing_cycles(system, &there.crossed, made / chips_of(system, &there.gathered)) +
         crossing_cycles(system, &back.crossed, asked) +
         half_cycles(system, &back.gathered, asked * chips_of(system, &back.gathered),
                     system->broadcast_memory_bytes);
}

double twin_tied_bytes(const twin_context *context, const twin_summed_layer *layers,
                       const size_t layer) {
  const twin_node *const tied = &context->workload->nodes[layer];
  const twin_parallelism *const p = layers[layer].parallelism;
  if (!meets(context, layers, layer)) {
    return 0;
  }
  const twin_parallelism kept[TWIN_PASS_COUNT] = {p[TWIN_FORWARD], p[TWIN_BACKWARD],
                                                  p[TWIN_FORWARD]};
  const meeting there = meeting_of(context, layers, layer, true, kept);
  const meeting back = meeting_of(context, layers, layer, false, kept);
  const bool has_weights = is_any(&back.gathered) || is_any(&back.crossed);
  const bool has_gradients = has_weights || is_any(&there.gathered) || is_any(&there.crossed);
  const double elements =
      twin_weight_elements(tied) / twin_layout_of(context->system, p[TWIN_FORWARD]).nm;
  return (has_weights ? elements * tied->weight_bytes : 0) +
         (has_gradients && !context->inference ? elements * context->workload->gradient_bytes : 0);
}
