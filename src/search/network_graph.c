/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/network_graph.h"

#include <math.h>
#include <stdlib.h>

#include "plan/mapping_memory.h"
#include "plan/plan_internal.h"
#include "search/graph_builder.h"
#include "search/variants.h"

enum { NO_NODE = UINT32_MAX, ROLE_CHANGES = 4, BLOCKS = DSM_PARALLELISM_COUNT * DSM__FACTORS_MAX };

/* A state in which something is held. */
typedef struct held_state {
  dsm__held_set set;
  uint64_t elements; /* of all in the set */
  uint32_t node;
  uint8_t parallelism;
  uint8_t factor_index;
} held_state;

typedef struct state_list {
  held_state *items;
  size_t count;
  size_t capacity;
} state_list;

/* An edge whose cycles are still to be scored. */
typedef struct pending {
  size_t edge;
  size_t layer;
  dsm_parallelism parallelism;
  unsigned factor_index;
  dsm__holding holding;
} pending;

typedef struct building {
  const dsm__graph_request *request;
  const dsm__search_inputs *inputs;
  dsm__arena *arena;
  dsm__graph_builder builder;
  double input_bytes;        /* of the network's input on a chip */
  uint32_t open[DSM__PAIRS]; /* nodes after the layer before, by pair */
  uint32_t free;             /* likewise, or NO_NODE */
  state_list held;           /* states before this layer, */
  state_list next_held;      /* and before the next; ordered by parallelism and factor */
  uint32_t next_open[DSM__PAIRS];
  uint32_t middle[DSM__PAIRS];
  uint32_t entry[DSM__PAIRS];
  uint32_t started[BLOCKS]; /* held nodes that entries lead to, by parallelism and factor */
  size_t *group_edges;      /* of each group: its edge, whose end is set when it is reached */
  size_t *first_ending;     /* of each boundary: the first group that ends there, + 1 */
  size_t *next_ending;      /* of each group: the next that ends with it, + 1 */
  size_t next_group;
  uint32_t first_group_node;
  pending *pending;
  size_t pending_count;
  size_t pending_capacity;
  bool is_cut;
} building;

uint32_t dsm__step_pack(const dsm__layer_step *step) {
  return (uint32_t)step->update | (uint32_t)step->is_output_held << 2 |
         (uint32_t)step->factor_index << 3;
}

dsm__layer_step dsm__step_unpack(uint32_t tag) {
  return (dsm__layer_step){(dsm_parallelism)(tag & 3U), tag >> 3, (tag & 4U) != 0};
}

static const dsm_layer *layer_at(const building *b, size_t index) {
  return &b->inputs->workload->layers[index];
}

static const dsm__open_choice *choices_of(const building *b, size_t index) {
  const dsm__layer_table *const table = b->request->table;
  return table->choices[table->distinct.class_of[index]];
}

static bool is_training(const building *b) {
  return b->inputs->options->mode == DSM_MODE_TRAINING;
}

static bool is_per_pass(const building *b) {
  return is_training(b) && dsm__has_optimization(b->inputs, DSM_OPTIMIZATION_PER_PASS);
}

static uint32_t add_junction(building *b, dsm__node_kind kind, size_t layer, unsigned pair) {
  const dsm__node_info info = {(uint32_t)layer, (uint8_t)kind, (uint8_t)dsm__pair_forward(pair),
                               (uint8_t)dsm__pair_backward(pair), 0};
  return dsm__builder_add_node(&b->builder, info, 0, 0);
}

/* A node out of which a layer runs: it has the layer's memory. */
static uint32_t add_layer_node(building *b, dsm__node_kind kind, size_t index, unsigned pair,
                               unsigned factor_index) {
  const dsm_parallelism forward = dsm__pair_forward(pair);
  const dsm_parallelism backward = dsm__pair_backward(pair);
  const dsm_pass_layouts layouts = {{forward, backward, forward}};
  const dsm_layer_memory memory =
      dsm_layer_memory_derive(layer_at(b, index), b->inputs->machine, b->inputs->workload,
                              b->inputs->options->mode, &layouts, b->input_bytes);
  const dsm__node_info info = {(uint32_t)index, (uint8_t)kind, (uint8_t)forward, (uint8_t)backward,
                               (uint8_t)factor_index};
  return dsm__builder_add_node(&b->builder, info, dsm__kept_bytes(&memory), memory.transient_bytes);
}

static bool has_open(const building *b, size_t index, unsigned pair) {
  return isfinite(choices_of(b, index)[pair].cycles);
}

/* Nodes between which the relayouts into a layer lie, and those after it. */
static void add_layer_nodes(building *b, size_t index) {
  for (unsigned pair = 0; pair < DSM__PAIRS; pair++) {
    b->middle[pair] = NO_NODE;
    const dsm_parallelism forward = dsm__pair_forward(pair);
    bool is_left = false;  /* some state before has this backward parallelism */
    bool is_taken = false; /* the layer can take this forward parallelism */
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      const dsm_parallelism other = (dsm_parallelism)p;
      is_left = is_left || b->open[dsm__pair_of(other, dsm__pair_backward(pair))] != NO_NODE;
      is_taken = is_taken || has_open(b, index, dsm__pair_of(forward, other));
    }
    if (is_per_pass(b) && is_left && is_taken) {
      b->middle[pair] = add_junction(b, DSM__NODE_MIDDLE, index, pair);
    }
  }
  for (unsigned pair = 0; pair < DSM__PAIRS; pair++) {
    b->entry[pair] = has_open(b, index, pair) ? add_layer_node(b, DSM__NODE_ENTRY, index, pair, 0)
                                              : (uint32_t)NO_NODE;
  }
  const dsm__groups *const groups = b->request->groups;
  b->first_group_node = (uint32_t)b->builder.node_count;
  for (size_t g = b->next_group; g < groups->count && groups->items[g].first_layer == index; g++) {
    const dsm__node_info info = {(uint32_t)index, DSM__NODE_GROUP, 0, 0, 0};
    dsm__builder_add_node(&b->builder, info, groups->items[g].kept_bytes,
                          groups->items[g].transient_bytes);
  }
  for (unsigned pair = 0; pair < DSM__PAIRS; pair++) {
    b->next_open[pair] = b->entry[pair] == NO_NODE
                             ? (uint32_t)NO_NODE
                             : add_junction(b, DSM__NODE_OPEN, index + 1, pair);
  }
}

/* The free node after a layer, if a group ends with it; its groups' edges lead there. */
static uint32_t add_free_node(building *b, size_t boundary) {
  if (b->first_ending[boundary] == 0) {
    return NO_NODE;
  }
  const uint32_t node = add_junction(b, DSM__NODE_FREE, boundary, 0);
  for (size_t g = b->first_ending[boundary]; g != 0; g = b->next_ending[g - 1]) {
    if (!b->builder.is_out_of_memory && b->group_edges[g - 1] != SIZE_MAX) {
      b->builder.edges[b->group_edges[g - 1]].to = node;
    }
  }
  return node;
}

static unsigned role_change(dsm_parallelism before, dsm_parallelism after) {
  const dsm_axis_roles from = dsm_parallelism_roles(before);
  const dsm_axis_roles to = dsm_parallelism_roles(after);
  return (from.x != to.x ? 1U : 0U) | (from.y != to.y ? 2U : 0U);
}

/* Cycles of a relayout into a layer, by the roles that change (section 5). */
static void derive_relayouts(const building *b, size_t index, double *relayouts) {
  const dsm_workload *const workload = b->inputs->workload;
  const double bytes = (double)layer_at(b, index)->carried_elements * (double)workload->minibatch *
                       workload->element_bytes;
  for (int to = 0; to < DSM_PARALLELISM_COUNT; to++) {
    const dsm_traffic traffic =
        dsm_relayout_traffic(b->inputs->machine, bytes, DSM_PARALLELISM_DATA, (dsm_parallelism)to);
    relayouts[role_change(DSM_PARALLELISM_DATA, (dsm_parallelism)to)] =
        dsm_group_cycles(b->inputs->machine, &traffic);
  }
}

static void add_group_edges(building *b, size_t index) {
  const dsm__groups *const groups = b->request->groups;
  for (size_t g = b->next_group; g < groups->count && groups->items[g].first_layer == index; g++) {
    dsm__builder_add_edge(&b->builder, b->first_group_node + (uint32_t)(g - b->next_group), 0, 0);
  }
}

/* Edges out of the states before a layer in which nothing is held. */
static void add_open_edges(building *b, size_t index, const double *relayouts) {
  for (unsigned from = 0; from < DSM__PAIRS; from++) {
    if (b->open[from] == NO_NODE) {
      continue;
    }
    dsm__builder_begin_edges(&b->builder, b->open[from]);
    for (unsigned to = 0; to < DSM__PAIRS; to++) {
      const double move = relayouts[role_change(dsm__pair_forward(from), dsm__pair_forward(to))];
      if (is_per_pass(b)) {
        if (b->middle[to] != NO_NODE && dsm__pair_backward(to) == dsm__pair_backward(from)) {
          dsm__builder_add_edge(&b->builder, b->middle[to], move, 0);
        }
      } else if (b->entry[to] != NO_NODE) {
        dsm__builder_add_edge(&b->builder, b->entry[to], is_training(b) ? 2 * move : move, 0);
      }
    }
    add_group_edges(b, index);
  }
  if (b->free == NO_NODE) {
    return;
  }
  dsm__builder_begin_edges(&b->builder, b->free);
  for (unsigned to = 0; to < DSM__PAIRS; to++) {
    if (b->entry[to] != NO_NODE) {
      dsm__builder_add_edge(&b->builder, b->entry[to], 0, 0);
    }
  }
  add_group_edges(b, index);
}

static void add_middle_edges(building *b, const double *relayouts) {
  for (unsigned from = 0; from < DSM__PAIRS; from++) {
    if (b->middle[from] == NO_NODE) {
      continue;
    }
    dsm__builder_begin_edges(&b->builder, b->middle[from]);
    for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
      const unsigned to = dsm__pair_of(dsm__pair_forward(from), (dsm_parallelism)p);
      if (b->entry[to] != NO_NODE) {
        dsm__builder_add_edge(&b->builder, b->entry[to],
                              relayouts[role_change(dsm__pair_backward(from), (dsm_parallelism)p)],
                              0);
      }
    }
  }
}

static bool push_state(building *b, held_state state) {
  state_list *const list = &b->next_held;
  if (list->count == list->capacity) {
    const size_t capacity = list->capacity == 0 ? 256 : 2 * list->capacity;
    held_state *const items = realloc(list->items, capacity * sizeof *items);
    if (items == NULL) {
      b->builder.is_out_of_memory = true;
      return false;
    }
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = state;
  return true;
}

static bool is_worthwhile(const building *b, size_t boundary, dsm_parallelism parallelism,
                          unsigned factor_index) {
  const uint64_t *const worthwhile = b->request->worthwhile;
  return worthwhile == NULL ||
         (worthwhile[boundary * DSM_PARALLELISM_COUNT + (size_t)parallelism] >> factor_index &
          1U) != 0;
}

/* The node of a held state before layer `boundary`, added if it is new. `first` is where those of
 * its parallelism and factor begin. NO_NODE: not worthwhile, or too many. */
static uint32_t find_state(building *b, size_t boundary, const held_state *state, size_t first) {
  const dsm_parallelism parallelism = (dsm_parallelism)state->parallelism;
  for (size_t s = first; s < b->next_held.count; s++) {
    if (b->next_held.items[s].set == state->set) {
      return b->next_held.items[s].node;
    }
  }
  if (!is_worthwhile(b, boundary, parallelism, state->factor_index)) {
    return NO_NODE;
  }
  if (b->next_held.count - first >= DSM__HELD_SETS_MAX) {
    b->is_cut = true;
    return NO_NODE;
  }
  held_state added = *state;
  added.node = add_layer_node(b, DSM__NODE_HELD, boundary, dsm__pair_of(parallelism, parallelism),
                              state->factor_index);
  return push_state(b, added) ? added.node : (uint32_t)NO_NODE;
}

static void add_pending(building *b, const pending *one, uint32_t to, const dsm__layer_step *step) {
  if (b->pending_count == b->pending_capacity) {
    const size_t capacity = b->pending_capacity == 0 ? 256 : 2 * b->pending_capacity;
    pending *const items = realloc(b->pending, capacity * sizeof *items);
    if (items == NULL) {
      b->builder.is_out_of_memory = true;
      return;
    }
    b->pending = items;
    b->pending_capacity = capacity;
  }
  b->pending[b->pending_count] = *one;
  b->pending[b->pending_count++].edge =
      dsm__builder_add_edge(&b->builder, to, 0, dsm__step_pack(step));
}

static bool can_hold(const building *b, const pending *one) {
  if (b->request->is_relaxed) {
    return true;
  }
  dsm__layer_setting setting =
      dsm__open_setting(b->inputs, layer_at(b, one->layer), dsm__factor_of(one->factor_index));
  setting.holding = one->holding;
  return dsm__holding_fits(&setting, one->parallelism);
}

/* What a layer does in a state, with its own output held or not. */
static pending pending_of(const building *b, size_t index, const held_state *state,
                          bool is_output_held) {
  const dsm__life *const life = &b->request->lives->layers[index];
  pending one = {.layer = index,
                 .parallelism = (dsm_parallelism)state->parallelism,
                 .factor_index = state->factor_index};
  one.holding.is_output_held = is_output_held;
  if (b->request->is_relaxed) {
    const bool is_any = b->request->lives->is_cut;
    one.holding.is_input_held = state->set != 0 && (is_any || life->can_input_be_held);
    one.holding.is_shortcut_held = state->set != 0 && (is_any || life->can_shortcut_be_held);
    return one;
  }
  one.holding.is_input_held =
      life->can_input_be_held && (state->set & life->producers) == life->producers;
  one.holding.is_shortcut_held =
      life->can_shortcut_be_held && (state->set & life->shortcuts) == life->shortcuts;
  one.holding.held_elements =
      state->elements + (is_output_held ? layer_at(b, index)->stored_elements : 0);
  if (index > 0 && (state->set & b->request->lives->layers[index - 1].own) != 0 && is_training(b)) {
    one.holding.deferred_elements = layer_at(b, index - 1)->stored_elements;
  }
  return one;
}

/* Elements of the tensors of a set that end with a layer. */
static uint64_t ending_elements(const building *b, size_t index, dsm__held_set ending) {
  const dsm_layer *const layer = layer_at(b, index);
  uint64_t elements = 0;
  const size_t *const lists[] = {layer->producers, layer->shortcuts, layer->operands};
  const size_t counts[] = {layer->producer_count, layer->shortcut_count, layer->operand_count};
  for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
    for (size_t i = 0; i < counts[l]; i++) {
      const size_t from = lists[l][i];
      const dsm__held_set own = from == DSM_NETWORK_INPUT ? 0 : b->request->lives->layers[from].own;
      if ((own & ending) != 0) {
        elements += layer_at(b, from)->stored_elements;
        ending &= ~own; /* a tensor may be used twice */
      }
    }
  }
  return elements;
}

/* The state after a layer: what is held, without what it used last. */
static held_state state_after(const building *b, size_t index, const held_state *state,
                              bool is_output_held) {
  const dsm__life *const life = &b->request->lives->layers[index];
  held_state after = *state;
  if (b->request->is_relaxed) {
    after.set = 1;
    return after;
  }
  const dsm__held_set ending = state->set & life->ending;
  after.elements -= ending_elements(b, index, ending);
  after.set &= ~ending;
  if (is_output_held) {
    after.set |= life->own;
    after.elements += layer_at(b, index)->stored_elements;
  }
  return after;
}

static bool is_crossed(const building *b, size_t boundary) {
  return boundary < b->inputs->workload->layer_count &&
         (b->request->lives->layers[boundary].is_crossed || b->request->lives->is_cut) &&
         layer_at(b, boundary)->timesteps == 1;
}

static dsm__layer_step held_step(const held_state *state, bool is_output_held) {
  return (dsm__layer_step){(dsm_parallelism)state->parallelism, state->factor_index,
                           is_output_held};
}

/* Relaxed: a layer whose output can be held has it held, and anything may be held after it. */
static void add_relaxed_edges(building *b, size_t index, const held_state *state, size_t first) {
  const bool is_output_held =
      b->request->lives->layers[index].is_holdable || b->request->lives->is_cut;
  const pending one = pending_of(b, index, state, is_output_held);
  const dsm__layer_step step = held_step(state, is_output_held);
  const uint32_t open = b->next_open[dsm__pair_of((dsm_parallelism)state->parallelism,
                                                  (dsm_parallelism)state->parallelism)];
  add_pending(b, &one, open, &step);
  if (is_crossed(b, index + 1)) {
    const held_state after = state_after(b, index, state, is_output_held);
    const uint32_t to = find_state(b, index + 1, &after, first);
    if (to != NO_NODE) {
      add_pending(b, &one, to, &step);
    }
  }
}

/* Edges out of one held state: the layer's own output held, or not. */
static void add_held_edges(building *b, size_t index, const held_state *state, size_t first) {
  const unsigned pair =
      dsm__pair_of((dsm_parallelism)state->parallelism, (dsm_parallelism)state->parallelism);
  dsm__builder_begin_edges(&b->builder, state->node);
  if (b->entry[pair] == NO_NODE ||
      !dsm__factor_is_allowed(b->request->factors, layer_at(b, index), state->factor_index)) {
    return;
  }
  if (b->request->is_relaxed) {
    add_relaxed_edges(b, index, state, first);
    return;
  }
  const int most = b->request->lives->layers[index].is_holdable ? 1 : 0;
  for (int own = 0; own <= most; own++) {
    const pending one = pending_of(b, index, state, own == 1);
    if (!can_hold(b, &one)) {
      continue;
    }
    const held_state after = state_after(b, index, state, own == 1);
    const uint32_t to =
        after.set == 0 ? b->next_open[pair] : find_state(b, index + 1, &after, first);
    if (to != NO_NODE) {
      const dsm__layer_step step = held_step(state, own == 1);
      add_pending(b, &one, to, &step);
    }
  }
}

static held_state first_state(unsigned block) {
  return (held_state){.parallelism = (uint8_t)(block / DSM__FACTORS_MAX),
                      .factor_index = (uint8_t)(block % DSM__FACTORS_MAX)};
}

/* Where a layer that holds its output while nothing else is held leads to. */
static uint32_t start_holding(building *b, size_t index, unsigned block, size_t first) {
  const held_state none = first_state(block);
  const dsm_parallelism parallelism = (dsm_parallelism)none.parallelism;
  const bool is_holdable = b->request->lives->layers[index].is_holdable ||
                           (b->request->is_relaxed && b->request->lives->is_cut);
  if (!is_holdable || b->entry[dsm__pair_of(parallelism, parallelism)] == NO_NODE ||
      !dsm__factor_is_allowed(b->request->factors, layer_at(b, index), none.factor_index)) {
    return NO_NODE;
  }
  const pending one = pending_of(b, index, &none, true);
  if (!can_hold(b, &one) || (b->request->is_relaxed && !is_crossed(b, index + 1))) {
    return NO_NODE;
  }
  const held_state after = state_after(b, index, &none, true);
  return find_state(b, index + 1, &after, first);
}

/* All that happens to held states at a layer, parallelism by parallelism and factor by factor. */
static void add_all_held_edges(building *b, size_t index) {
  size_t next = 0;
  b->next_held.count = 0;
  for (unsigned block = 0; block < BLOCKS; block++) {
    const size_t first = b->next_held.count;
    b->started[block] = NO_NODE;
    if (b->request->lives == NULL || block % DSM__FACTORS_MAX >= b->request->factors->count) {
      continue;
    }
    while (next < b->held.count && b->held.items[next].parallelism == block / DSM__FACTORS_MAX &&
           b->held.items[next].factor_index == block % DSM__FACTORS_MAX) {
      const held_state state = b->held.items[next++];
      add_held_edges(b, index, &state, first);
    }
    b->started[block] = start_holding(b, index, block, first);
  }
}

/* The layer with nothing held before or after: at its best, or (where it is to be explained) in
 * every way. */
static void add_plain_edges(building *b, size_t index, unsigned pair, dsm_parallelism update,
                            unsigned factor_index) {
  const dsm__layer_table *const table = b->request->table;
  const dsm__open_choice *const choice = &choices_of(b, index)[pair];
  const dsm__layer_step step = {update, factor_index, false};
  if (index != b->request->explained_layer) {
    if (choice->update == update && choice->factor_index == factor_index) {
      dsm__builder_add_edge(&b->builder, b->next_open[pair], choice->cycles, dsm__step_pack(&step));
    }
    return;
  }
  const dsm_pass_layouts layouts = {{dsm__pair_forward(pair), dsm__pair_backward(pair), update}};
  const bool is_uniform =
      dsm__pair_forward(pair) == dsm__pair_backward(pair) && dsm__pair_forward(pair) == update;
  if ((is_per_pass(b) || is_uniform) &&
      dsm__factor_is_allowed(b->request->factors, layer_at(b, index), factor_index)) {
    const double cycles =
        dsm__open_cycles(table, table->distinct.class_of[index], &layouts, factor_index);
    if (isfinite(cycles)) {
      dsm__builder_add_edge(&b->builder, b->next_open[pair], cycles, dsm__step_pack(&step));
    }
  }
}

/* Edges out of the entries, in the order of decisions: update, factor, held. */
static void add_entry_edges(building *b, size_t index) {
  for (unsigned pair = 0; pair < DSM__PAIRS; pair++) {
    if (b->entry[pair] == NO_NODE) {
      continue;
    }
    dsm__builder_begin_edges(&b->builder, b->entry[pair]);
    for (unsigned block = 0; block < BLOCKS; block++) {
      const held_state none = first_state(block);
      const dsm_parallelism update = (dsm_parallelism)none.parallelism;
      if (none.factor_index >= b->request->factors->count) {
        continue;
      }
      add_plain_edges(b, index, pair, update, none.factor_index);
      if (pair == dsm__pair_of(update, update) && b->started[block] != NO_NODE) {
        const pending one = pending_of(b, index, &none, true);
        const dsm__layer_step step = held_step(&none, true);
        add_pending(b, &one, b->started[block], &step);
      }
    }
  }
}

static void add_groups(building *b, size_t index) {
  const dsm__groups *const groups = b->request->groups;
  const size_t first = b->next_group;
  while (b->next_group < groups->count && groups->items[b->next_group].first_layer == index) {
    const size_t g = b->next_group++;
    dsm__builder_begin_edges(&b->builder, b->first_group_node + (uint32_t)(g - first));
    b->group_edges[g] = dsm__builder_add_edge(&b->builder, 0, groups->items[g].cycles, (uint32_t)g);
  }
}

static void add_layer(building *b, size_t index) {
  double relayouts[ROLE_CHANGES];
  derive_relayouts(b, index, relayouts);
  add_layer_nodes(b, index);
  const uint32_t next_free = add_free_node(b, index + 1);
  add_open_edges(b, index, relayouts);
  add_all_held_edges(b, index);
  add_middle_edges(b, relayouts);
  add_entry_edges(b, index);
  add_groups(b, index);
  for (unsigned pair = 0; pair < DSM__PAIRS; pair++) {
    b->open[pair] = b->next_open[pair];
  }
  b->free = next_free;
  const state_list spent = b->held;
  b->held = b->next_held;
  b->next_held = spent;
}

static void add_end(building *b) {
  const dsm__node_info info = {(uint32_t)b->inputs->workload->layer_count, DSM__NODE_END, 0, 0, 0};
  const uint32_t end = dsm__builder_add_node(&b->builder, info, 0, 0);
  for (unsigned pair = 0; pair < DSM__PAIRS; pair++) {
    if (b->open[pair] != NO_NODE) {
      dsm__builder_begin_edges(&b->builder, b->open[pair]);
      dsm__builder_add_edge(&b->builder, end, 0, 0);
    }
  }
  if (b->free != NO_NODE) {
    dsm__builder_begin_edges(&b->builder, b->free);
    dsm__builder_add_edge(&b->builder, end, 0, 0);
  }
  dsm__builder_begin_edges(&b->builder, end);
}

/* Chains the groups by the boundary at which they end. */
static bool chain_groups(building *b) {
  const dsm__groups *const groups = b->request->groups;
  b->group_edges = dsm__arena_array(b->arena, groups->count, sizeof b->group_edges[0]);
  b->next_ending = dsm__arena_array(b->arena, groups->count, sizeof b->next_ending[0]);
  b->first_ending =
      dsm__arena_array(b->arena, b->inputs->workload->layer_count + 1, sizeof b->first_ending[0]);
  if (b->group_edges == NULL || b->next_ending == NULL || b->first_ending == NULL) {
    return false;
  }
  for (size_t g = 0; g < groups->count; g++) {
    const size_t end = groups->items[g].first_layer + groups->items[g].layer_count;
    b->group_edges[g] = SIZE_MAX;
    b->next_ending[g] = b->first_ending[end];
    b->first_ending[end] = g + 1;
  }
  return true;
}

/* Scores the layers on edges while something is held. */
static bool score_pending(building *b, dsm__network_graph *graph, dsm__graph_edge *edges,
                          const size_t *new_edge) {
  const dsm__layer_table *const table = b->request->table;
  dsm__variants variants;
  dsm__variants_init(&variants, table);
  size_t(*const indices)[DSM_PASS_COUNT] = malloc((b->pending_count + 1) * sizeof *indices);
  bool is_ready = indices != NULL;
  for (size_t i = 0; is_ready && i < b->pending_count; i++) {
    const pending *const one = &b->pending[i];
    for (int p = 0; new_edge[one->edge] != SIZE_MAX && p < DSM_PASS_COUNT; p++) {
      if (dsm_pass_exists(layer_at(b, one->layer), b->inputs->options->mode, (dsm_pass)p)) {
        indices[i][p] =
            dsm__variants_add(&variants, table->distinct.class_of[one->layer], (dsm_pass)p,
                              one->parallelism, one->factor_index, &one->holding);
        is_ready = is_ready && indices[i][p] != SIZE_MAX;
      } else {
        indices[i][p] = SIZE_MAX;
      }
    }
  }
  is_ready = is_ready && dsm__variants_score(&variants, b->inputs->options->thread_count);
  for (size_t i = 0; is_ready && i < b->pending_count; i++) {
    const pending *const one = &b->pending[i];
    const size_t edge = new_edge[one->edge];
    if (edge == SIZE_MAX) {
      continue;
    }
    const dsm__layer_setting setting = dsm__open_setting(b->inputs, layer_at(b, one->layer), 1);
    const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(one->parallelism);
    edges[edge].cycles = dsm__once_cycles(&setting, &layouts);
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (indices[i][p] != SIZE_MAX) {
        edges[edge].cycles += variants.cycles[indices[i][p]];
      }
    }
  }
  graph->evaluations = variants.evaluations;
  free(indices);
  dsm__variants_fini(&variants);
  return is_ready;
}

static bool build(building *b, dsm__network_graph *graph) {
  const size_t layer_count = b->inputs->workload->layer_count;
  if (!chain_groups(b)) {
    return false;
  }
  for (unsigned pair = 0; pair < DSM__PAIRS; pair++) {
    b->open[pair] = NO_NODE;
  }
  b->free = add_junction(b, DSM__NODE_FREE, 0, 0);
  for (size_t i = 0; i < layer_count && !b->builder.is_out_of_memory; i++) {
    add_layer(b, i);
  }
  add_end(b);
  size_t *const new_edge =
      b->builder.is_out_of_memory
          ? NULL
          : dsm__arena_array(b->arena, b->builder.edge_count, sizeof *new_edge);
  if (new_edge == NULL || !dsm__builder_finish(&b->builder, graph, new_edge, b->arena)) {
    return false;
  }
  graph->is_cut = b->is_cut || (b->request->lives != NULL && b->request->lives->is_cut);
  return score_pending(b, graph, (dsm__graph_edge *)graph->graph.edges, new_edge);
}

bool dsm__network_graph_build(dsm__network_graph *graph, const dsm__graph_request *request,
                              dsm__arena *arena) {
  building *const b = calloc(1, sizeof *b);
  *graph = (dsm__network_graph){.is_cut = false};
  if (b == NULL) {
    return false;
  }
  b->request = request;
  b->inputs = request->table->inputs;
  b->arena = arena;
  b->input_bytes = dsm_input_memory_bytes(b->inputs->machine, b->inputs->workload);
  const bool is_built = build(b, graph);
  dsm__builder_fini(&b->builder);
  free(b->held.items);
  free(b->next_held.items);
  free(b->pending);
  free(b);
  return is_built;
}
