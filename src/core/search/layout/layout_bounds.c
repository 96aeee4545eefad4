/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_bounds.c: what layouts add at least to what is still to come.
 *
 * From the last layer back, what a layer adds is looked at as a function of the layouts that it
 * reads: its passes at their best core splits, its own output at its best layout, with what that
 * adds to later layers. Of this function of several layouts a sum of functions of one layout each
 * is split off, the *costs to go* of the tensors that the layer reads, and a constant; what is left
 * over is not negative. Of a layer that can run in several ways, the least costs to go count. So
 * with the layouts of what is held, the cycles to the end are at least the constants of the layers
 * to come and the costs to go of the held tensors. Where layers read one tensor each, that is
 * exact.
 */
#include "base/order.h"
#include "search/layout/layout_uses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- costs to go ---- */

static size_t user_count(const dsm__held_lives *lives, size_t layer) {
  return lives->first_user[layer + 1] - lives->first_user[layer];
}

/* Room for the costs to go of a tensor, none of them known. False if out of memory. */
static bool make_cost_to_go(dsm__layout_bounds *bounds, dsm__layout_slot slot, size_t layer) {
  dsm__layout_cost_to_go *const to_go = &bounds->costs_to_go[slot];
  const size_t choices = dsm__layout_choices_of(bounds->uses, slot).count;
  const size_t entries = user_count(bounds->uses->request->lives, layer) * choices;
  if (to_go->sum != NULL) {
    return true;
  }
  if (!DSM__RESERVE(bounds->arena, to_go->by_user, entries) ||
      !DSM__RESERVE(bounds->arena, to_go->sum, choices)) {
    return false;
  }
  to_go->next_user = SIZE_MAX;
  for (size_t i = 0; i < entries; i++) {
    to_go->by_user[i] = HUGE_VAL;
  }
  return true;
}

/* Keeps the least costs to go of a user: these (NULL: none), or what it has. */
static void join_cost_to_go(const dsm__layout_bounds *bounds, dsm__layout_slot slot, size_t layer,
                            size_t user, const double *to_go) {
  const dsm__held_lives *const lives = bounds->uses->request->lives;
  const size_t *const users = &lives->users[lives->first_user[layer]];
  const size_t choices = dsm__layout_choices_of(bounds->uses, slot).count;
  size_t u = 0;
  while (users[u] != user) {
    u++;
  }
  for (size_t c = 0; c < choices; c++) {
    double *const cost = &bounds->costs_to_go[slot].by_user[u * choices + c];
    *cost = fmin(*cost, to_go == NULL ? 0 : to_go[c]);
  }
}

const double *dsm__layout_cost_to_go_from(dsm__layout_bounds *bounds, dsm__layout_slot slot,
                                          size_t layer, size_t boundary) {
  const dsm__held_lives *const lives = bounds->uses->request->lives;
  const size_t *const users = &lives->users[lives->first_user[layer]];
  const size_t choices = dsm__layout_choices_of(bounds->uses, slot).count;
  dsm__layout_cost_to_go *const to_go = &bounds->costs_to_go[slot];
  size_t next = 0;
  while (next < user_count(lives, layer) && users[next] < boundary) {
    next++;
  }
  if (to_go->next_user == next) {
    return to_go->sum;
  }
  to_go->next_user = next;
  memset(to_go->sum, 0, choices * sizeof to_go->sum[0]);
  for (size_t u = next; u < user_count(lives, layer); u++) {
    for (size_t c = 0; c < choices; c++) {
      const double cost = to_go->by_user[u * choices + c];
      to_go->sum[c] += isfinite(cost) ? cost : 0;
    }
  }
  return to_go->sum;
}

/* ---- what a layer on an edge adds ---- */

/* A tensor that the layer touches. */
typedef struct touched_tensor {
  dsm__layout_slot slot;
  size_t layer; /* that made it */
  size_t choices;
  double *moves[2]; /* of forward and of backward: [split * choices + choice] */
  double *
      plus; /* of each choice: what later layers add (the output), or less the cost to go (input) */
  double *row;   /* likewise: scratch */
  double *more;  /* likewise: scratch */
  double *least; /* of each pair of splits: moves and plus, at the best layout */
} touched_tensor;

/* The layer as a choice of two core splits, that of forward and that of backward. */
typedef struct layer_function {
  dsm__layout_bounds *bounds;
  const dsm__layout_profile_part *parts[2]; /* NULL: no such pass */
  size_t splits[2];                         /* how many, at least 1 */
  touched_tensor *inputs;
  size_t input_count;
  double *added; /* of each pair of splits: both passes and the output at its best layout */
} layer_function;

enum { FORWARD, BACKWARD };

/* Most pairs of splits that are looked at together. Where there are more, what backward adds is
 * left out, which is not negative. */
enum { PAIRS_MAX = 1 << 12 };

static bool allocate_tensor(const layer_function *f, touched_tensor *t) {
  t->moves[FORWARD] = calloc(f->splits[FORWARD] * t->choices, sizeof(double));
  t->moves[BACKWARD] = calloc(f->splits[BACKWARD] * t->choices, sizeof(double));
  t->plus = calloc(t->choices, sizeof t->plus[0]);
  t->row = calloc(t->choices, sizeof t->row[0]);
  t->more = calloc(t->choices, sizeof t->more[0]);
  t->least = calloc(f->splits[FORWARD] * f->splits[BACKWARD], sizeof t->least[0]);
  return t->moves[FORWARD] != NULL && t->moves[BACKWARD] != NULL && t->plus != NULL &&
         t->row != NULL && t->more != NULL && t->least != NULL;
}

static void free_tensor(touched_tensor *t) {
  free(t->moves[FORWARD]);
  free(t->moves[BACKWARD]);
  free(t->plus);
  free(t->row);
  free(t->more);
  free(t->least);
}

/* What moves of a tensor with each core split and layout; `share` is its share of the input. */
static bool derive_moves(const layer_function *f, touched_tensor *t, bool is_output, double share) {
  const dsm__layout_uses *const uses = f->bounds->uses;
  if (!allocate_tensor(f, t)) {
    return false;
  }
  for (int p = FORWARD; p <= BACKWARD; p++) {
    const dsm__layout_profile_part *const part = f->parts[p];
    for (size_t i = 0; i < f->splits[p] * t->choices; i++) {
      const dsm__useful_split *const split = part == NULL ? NULL : &part->splits[i / t->choices];
      const uint64_t layout = dsm__layout_code_at(uses, t->slot, i % t->choices);
      const uint64_t code = split == NULL ? 0 : is_output ? split->output_code : split->input_code;
      if (split == NULL || dsm__fits(dsm__layout_divisors(uses), code, layout)) {
        t->moves[p][i] = 0;
      } else if (is_output) {
        t->moves[p][i] = part->count * part->output_move_cycles;
      } else {
        t->moves[p][i] = part->count * part->input_move_cycles * share;
      }
    }
  }
  return true;
}

/* Finds what a tensor adds to each pair of splits, at its best layout. */
static void find_least(const layer_function *f, touched_tensor *t) {
  for (size_t i = 0; i < f->splits[FORWARD]; i++) {
    for (size_t c = 0; c < t->choices; c++) {
      t->row[c] = t->moves[FORWARD][i * t->choices + c] + t->plus[c];
    }
    for (size_t k = 0; k < f->splits[BACKWARD]; k++) {
      const double *const moves = &t->moves[BACKWARD][k * t->choices];
      double least = HUGE_VAL;
      for (size_t c = 0; c < t->choices; c++) {
        least = dsm__smaller(t->row[c] + moves[c], least);
      }
      t->least[i * f->splits[BACKWARD] + k] = least;
    }
  }
}

/* What the update pass adds with a layout of the output. */
static double update_added(const dsm__layout_uses *uses, size_t edge, uint64_t layout) {
  const size_t index = uses->edges[edge].profiles[DSM_PASS_UPDATE];
  const dsm__touched_layouts touched = {
      .divisors = dsm__layout_divisors(uses), .outputs = &layout, .output_count = 1};
  double least;
  double extra = 0;
  if (index != SIZE_MAX) {
    dsm__layout_profile_extras(&uses->profiles.items[index], &touched, HUGE_VAL, &least, &extra);
  }
  return extra;
}

/* The output at its best layout. False if out of memory. */
static bool add_output(layer_function *f, size_t edge, size_t layer, bool is_needed) {
  dsm__layout_uses *const uses = f->bounds->uses;
  const size_t pairs = f->splits[FORWARD] * f->splits[BACKWARD];
  touched_tensor t = {.slot = uses->edges[edge].own, .layer = layer};
  t.choices = dsm__layout_choices_of(uses, t.slot).count;
  bool is_done = make_cost_to_go(f->bounds, t.slot, layer) && derive_moves(f, &t, true, 0);
  if (is_done) {
    const double *const to_go = dsm__layout_cost_to_go_from(f->bounds, t.slot, layer, layer + 1);
    for (size_t c = 0; c < t.choices; c++) {
      t.plus[c] = update_added(uses, edge, dsm__layout_code_at(uses, t.slot, c)) +
                  (is_needed ? to_go[c] : 0);
    }
    find_least(f, &t);
    for (size_t i = 0; i < pairs; i++) {
      f->added[i] += t.least[i];
    }
  }
  free_tensor(&t);
  return is_done;
}

/* ---- splitting costs to go off ---- */

/* What a pair of splits adds at least but for one tensor (NULL: none), the others having their
 * costs to go. */
static double added_without(const layer_function *f, size_t pair, const touched_tensor *t) {
  double added = f->added[pair];
  for (size_t j = 0; j < f->input_count; j++) {
    added += &f->inputs[j] == t ? 0 : f->inputs[j].least[pair];
  }
  return added;
}

/*
 * Gives a tensor a part of what its layouts make different, the others having their costs to go.
 *
 * That is sound for any part from 0 to 1: what is taken from the function of all layouts, and given
 * to a function of one of them alone, adds up to the same. Taking no more than its minimum over the
 * other layouts leaves nothing negative, so the constant that is left bounds from below. It is how
 * costs are shifted to unary functions in weighted constraint networks (Cooper and Schiex, "Arc
 * consistency for soft constraints", Artificial Intelligence 154 (2004)). Each input takes its part
 * in turn, as what the first takes is gone for the others.
 */
static void split_off(layer_function *f, touched_tensor *t, double part) {
  double lowest = HUGE_VAL;
  for (size_t c = 0; c < t->choices; c++) {
    t->more[c] = HUGE_VAL;
  }
  for (size_t i = 0; i < f->splits[FORWARD]; i++) {
    for (size_t c = 0; c < t->choices; c++) {
      t->row[c] = t->moves[FORWARD][i * t->choices + c] + t->plus[c];
    }
    for (size_t k = 0; k < f->splits[BACKWARD]; k++) {
      const double *const moves = &t->moves[BACKWARD][k * t->choices];
      const double others = added_without(f, i * f->splits[BACKWARD] + k, t);
      for (size_t c = 0; c < t->choices; c++) {
        t->more[c] = dsm__smaller(others + (t->row[c] + moves[c]), t->more[c]);
      }
    }
  }
  for (size_t c = 0; c < t->choices; c++) {
    lowest = dsm__smaller(t->more[c], lowest);
  }
  for (size_t c = 0; c < t->choices; c++) {
    t->plus[c] -= part * (t->more[c] - lowest);
  }
  find_least(f, t);
}

/* Splits the costs to go of all inputs off; returns the constant that is left. */
static double split_costs_to_go(layer_function *f) {
  double constant = HUGE_VAL;
  for (size_t j = 0; j < f->input_count; j++) {
    find_least(f, &f->inputs[j]);
  }
  for (size_t j = 0; j < f->input_count; j++) { /* as much to each, as far as that goes */
    split_off(f, &f->inputs[j], 1 / (double)(f->input_count - j));
  }
  for (size_t j = 0; j + 1 < f->input_count; j++) { /* then what is left */
    split_off(f, &f->inputs[j], 1);
  }
  for (size_t i = 0; i < f->splits[FORWARD] * f->splits[BACKWARD]; i++) {
    constant = dsm__smaller(added_without(f, i, NULL), constant);
  }
  return constant;
}

/* ---- a layer ---- */

static bool is_listed_before(const dsm_layer *layer, size_t index) {
  for (size_t i = 0; i < index; i++) {
    if (layer->producers[i] == layer->producers[index]) {
      return true;
    }
  }
  return false;
}

/* The number of what a layer reads as one of its producers' outputs, at a node; DSM__NO_SLOT if no
 * path through the node can have it held. */
static dsm__layout_slot slot_read(const dsm__layout_bounds *bounds, size_t node, size_t producer) {
  const dsm__node_info *const info = &bounds->uses->request->free->infos[node];
  return producer == DSM_NETWORK_INPUT || info->kind != DSM__NODE_HELD
             ? DSM__NO_SLOT
             : dsm__layout_slot_of(bounds->uses, producer, (dsm_parallelism)info->forward,
                                   info->factor_index);
}

/* The tensors that the layer reads, all of them held, each once. False if out of memory. */
static bool list_inputs(layer_function *f, size_t node, const dsm_layer *layer) {
  const dsm_layer *const layers = f->bounds->uses->request->table->inputs->workload->layers;
  double all = 0;
  for (size_t i = 0; i < layer->producer_count; i++) {
    all += (double)layers[layer->producers[i]].stored_size;
  }
  for (size_t i = 0; i < layer->producer_count; i++) {
    const size_t producer = layer->producers[i];
    double share = 0;
    if (is_listed_before(layer, i)) {
      continue;
    }
    for (size_t k = i; k < layer->producer_count; k++) {
      share += layer->producers[k] == producer ? (double)layers[producer].stored_size / all : 0;
    }
    touched_tensor *const t = &f->inputs[f->input_count++];
    t->layer = producer;
    t->slot = slot_read(f->bounds, node, producer);
    t->choices = dsm__layout_choices_of(f->bounds->uses, t->slot).count;
    if (!make_cost_to_go(f->bounds, t->slot, producer) || !derive_moves(f, t, false, share)) {
      return false;
    }
  }
  return true;
}

/* The core splits of the two passes, and what they add by themselves. False if out of memory. */
static bool list_splits(layer_function *f, size_t edge) {
  static const dsm_pass passes[] = {DSM_PASS_FORWARD, DSM_PASS_BACKWARD};
  const dsm__layout_uses *const uses = f->bounds->uses;
  for (int p = FORWARD; p <= BACKWARD; p++) {
    const size_t index = uses->edges[edge].profiles[passes[p]];
    f->parts[p] = index == SIZE_MAX ? NULL : &uses->profiles.items[index].parts[0];
    f->splits[p] = f->parts[p] == NULL ? 1 : f->parts[p]->split_count;
  }
  if (f->splits[FORWARD] * f->splits[BACKWARD] > PAIRS_MAX) {
    f->parts[BACKWARD] = NULL;
    f->splits[BACKWARD] = 1;
  }
  f->added = calloc(f->splits[FORWARD] * f->splits[BACKWARD], sizeof f->added[0]);
  for (size_t i = 0; f->added != NULL && i < f->splits[FORWARD]; i++) {
    for (size_t k = 0; k < f->splits[BACKWARD]; k++) {
      double *const added = &f->added[i * f->splits[BACKWARD] + k];
      const size_t at[] = {i, k};
      *added = 0;
      for (int p = FORWARD; p <= BACKWARD; p++) {
        const dsm__layout_profile_part *const part = f->parts[p];
        *added +=
            part == NULL ? 0 : part->count * (part->splits[at[p]].cycles - part->splits[0].cycles);
      }
    }
  }
  return f->added != NULL;
}

/* What the layer on an edge adds at least but for the costs to go of its inputs, which are joined.
 * False if out of memory. */
static bool find_added(dsm__layout_bounds *bounds, size_t node, size_t edge, double *added) {
  const dsm__layout_request *const request = bounds->uses->request;
  const dsm__network_graph *const network = request->free;
  const dsm__holding *const holding = &network->holdings[edge];
  const size_t index = network->infos[node].layer;
  const dsm_layer *const layer = &request->table->inputs->workload->layers[index];
  const dsm__held_set own = request->lives->layers[index].own;
  const bool is_needed = (network->infos[network->graph.edges[edge].to].needed & own) != 0;
  layer_function f = {.bounds = bounds};
  f.inputs = calloc(layer->producer_count + 1, sizeof f.inputs[0]);
  const bool is_done = f.inputs != NULL && list_splits(&f, edge) &&
                       (!holding->is_input_held || list_inputs(&f, node, layer)) &&
                       (!holding->is_output_held || add_output(&f, edge, index, is_needed));
  if (is_done) {
    *added = split_costs_to_go(&f);
  }
  for (size_t j = 0; j < f.input_count; j++) {
    touched_tensor *const t = &f.inputs[j];
    for (size_t c = 0; is_done && c < t->choices; c++) {
      t->more[c] = -t->plus[c];
    }
    if (is_done) {
      join_cost_to_go(bounds, t->slot, t->layer, index, t->more);
    }
    free_tensor(t);
  }
  free(f.inputs);
  free(f.added);
  return is_done;
}

/*
 * A layer that runs without all of its input held reads none of it as held: it has no cost to go.
 * False if out of memory.
 *
 * The least over all ways to run a user counts. A way that does not read the tensor as held pays
 * nothing for its layout, so that nothing is owed for sure.
 */
static bool waive_cost_to_go(dsm__layout_bounds *bounds, size_t node) {
  const dsm__layout_request *const request = bounds->uses->request;
  const size_t index = request->free->infos[node].layer;
  const dsm_layer *const layer = &request->table->inputs->workload->layers[index];
  for (size_t i = 0; i < layer->producer_count; i++) {
    const size_t producer = layer->producers[i];
    const dsm__layout_slot slot = slot_read(bounds, node, producer);
    if (slot != DSM__NO_SLOT) {
      if (!make_cost_to_go(bounds, slot, producer)) {
        return false;
      }
      join_cost_to_go(bounds, slot, producer, index, NULL);
    }
  }
  return true;
}

/* ---- all of it ---- */

/* A user counts for the sum of a tensor only if every way to run it was seen before the tensor's
 * own layer is looked at; that is so, as users stand behind it and the sweep comes from the end. */
static bool sweep_back(dsm__layout_bounds *bounds) {
  const dsm__layout_request *const request = bounds->uses->request;
  const dsm__graph *const graph = &request->free->graph;
  const size_t last = graph->node_count - 1;
  bounds->rest[last] = 0;
  for (size_t v = last; v-- > 0;) {
    const bool is_layer = request->free->infos[v].kind == DSM__NODE_HELD;
    double least = HUGE_VAL;
    for (size_t e = graph->nodes[v].first_edge; e < graph->nodes[v + 1].first_edge; e++) {
      double added = 0;
      if (request->is_edge_in[e] == 0) {
        continue;
      }
      if ((bounds->uses->edges[e].is_touching && !find_added(bounds, v, e, &added)) ||
          (is_layer && !request->free->holdings[e].is_input_held && !waive_cost_to_go(bounds, v))) {
        return false;
      }
      least = fmin(least, graph->edges[e].cost + added + bounds->rest[graph->edges[e].to]);
    }
    bounds->rest[v] = least;
  }
  return true;
}

bool dsm__layout_bounds_find(dsm__layout_bounds *bounds, dsm__layout_uses *uses,
                             dsm__arena *arena) {
  *bounds = (dsm__layout_bounds){.uses = uses, .arena = arena};
  return DSM__RESERVE(arena, bounds->costs_to_go, uses->slot_count) &&
         DSM__RESERVE(arena, bounds->rest, uses->request->free->graph.node_count) &&
         sweep_back(bounds);
}
