/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * network_graph.c: all mappings of a network as paths (section 13).
 *
 * Why a path is enough: what a layer costs depends on what the layer itself decides and on what
 * stands at its two ends. Relayouts into it take the parallelisms of the layer before, forward and
 * backward; what is held takes the set of held tensors with their one parallelism and factor; a
 * pipeline group has no relayouts at its ends. Nodes are exactly that, so the cost of the rest does
 * not depend on how a node was reached, and the cheapest way to each node is enough (Bellman).
 * Update parallelism and factor of a layer between two states in which nothing is held touch
 * nothing else, and are chosen at their best for each pair beforehand (layer_table.c).
 *
 * Edges are added in the order of decisions in which ties are broken: forward, backward, update,
 * factor, held. So of equally fast mappings the first path is the one that is wanted.
 */
#include "search/hold/network_graph.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "plan/plan_internal.h"
#include "search/hold/network_building.h"

/* A step in the bits of a tag: the update's parallelism, then the factor, then the layout. */
enum { FACTOR_SHIFT = DSM_AXES_MAX, FACTOR_BITS = 6, LAYOUT_SHIFT = FACTOR_SHIFT + FACTOR_BITS };

uint32_t dsm__network_step_pack(const dsm__layer_step *step) {
  return (uint32_t)step->update | (uint32_t)step->factor_index << FACTOR_SHIFT |
         step->layout << LAYOUT_SHIFT | (step->is_output_held ? DSM__TAG_COUNTS : 0);
}

dsm__layer_step dsm__network_step_unpack(uint32_t tag) {
  return (dsm__layer_step){(dsm_parallelism)(tag & (DSM_PARALLELISM_COUNT - 1U)),
                           tag >> FACTOR_SHIFT & ((1U << FACTOR_BITS) - 1U),
                           (tag & DSM__TAG_COUNTS) != 0, (tag & ~DSM__TAG_COUNTS) >> LAYOUT_SHIFT};
}

static const dsm__open_choice *choices_of(const dsm__building *b, size_t index, bool is_hoisted) {
  return dsm__choices_of(b->request->table, index, is_hoisted);
}

/* The ways to give the axes roles. */
static unsigned ways_of(const dsm__building *b) {
  return b->inputs->machine->parallelism_count;
}

static bool is_per_pass(const dsm__building *b) {
  return dsm__network_is_training(b) && dsm__may_choose(b->inputs->options, DSM__CHOICE_PASSES);
}

static uint32_t add_junction(dsm__building *b, dsm__node_kind kind, size_t layer, unsigned pair) {
  const dsm__node_info info = {(uint32_t)layer,
                               (uint8_t)kind,
                               (uint8_t)dsm__pair_forward(pair),
                               (uint8_t)dsm__pair_backward(pair),
                               0,
                               0};
  return dsm__graph_add_node(&b->builder, info, 0, 0);
}

uint32_t dsm__network_add_layer_node(dsm__building *b, dsm__node_kind kind, size_t index,
                                     unsigned pair, unsigned factor_index) {
  const dsm_parallelism forward = dsm__pair_forward(pair);
  const dsm_parallelism backward = dsm__pair_backward(pair);
  const dsm_pass_layouts layouts = {{forward, backward, forward}};
  const dsm_layer *const layer = dsm__network_layer(b, index);
  dsm_layer_memory memory = dsm_layer_memory_derive(layer, b->inputs->machine, b->inputs->workload,
                                                    b->inputs->options->mode, &layouts);
  const dsm__table_cut owner = dsm__known_owner_cut(b->inputs, index);
  dsm__add_table_copy(&memory, layer, b->inputs->machine, b->inputs->workload,
                      b->inputs->options->mode, &layouts, &owner);
  if (dsm__is_run_hoisted(layer, factor_index)) {
    memory.activations_bytes +=
        dsm_hoisted_bytes(layer, b->inputs->machine, b->inputs->workload, forward);
  }
  const dsm__node_info info = {(uint32_t)index,   (uint8_t)kind,         (uint8_t)forward,
                               (uint8_t)backward, (uint8_t)factor_index, 0};
  return dsm__graph_add_node(&b->builder, info, dsm__kept_bytes(&memory), memory.transient_bytes);
}

static bool has_open(const dsm__building *b, size_t index, unsigned pair) {
  return isfinite(choices_of(b, index, false)[pair].cost);
}

/* Can hoisting be of use? It takes more memory, so that it has to be faster; unless that is asked,
 * or known later. */
static bool has_hoisted(const dsm__building *b, size_t index, unsigned pair) {
  const bool are_all_wanted = b->request->is_priced_later || index == b->request->explained_layer;
  if (!dsm__factor_is_allowed(b->request->factors, dsm__network_layer(b, index),
                              DSM__RUN_HOISTED) ||
      dsm__network_layer(b, index)->timesteps == 1) {
    return false;
  }
  const double cost = choices_of(b, index, true)[pair].cost;
  return are_all_wanted ? isfinite(cost) : cost < choices_of(b, index, false)[pair].cost;
}

static uint32_t add_hoisted_entry(dsm__building *b, size_t index, unsigned pair) {
  return has_hoisted(b, index, pair)
             ? dsm__network_add_layer_node(b, DSM__NODE_ENTRY, index, pair, DSM__RUN_HOISTED)
             : DSM__NO_NODE;
}

/*
 * Nodes between which the relayouts into a layer lie, and those after it.
 *
 * With parallelisms per pass a relayout has two steps, forward then backward, over a node in the
 * middle. That makes of 4^2 times 4^2 pairs two times 4^3 edges. A middle node is made only where
 * some state before it and some entry after it can use it.
 */
static void add_layer_nodes(dsm__building *b, size_t index) {
  const unsigned ways = ways_of(b);
  for (DSM__EACH_PAIR(pair, ways)) {
    b->middle[pair] = DSM__NO_NODE;
    const dsm_parallelism forward = dsm__pair_forward(pair);
    bool is_left = false;  /* some state before has this backward parallelism */
    bool is_taken = false; /* the layer can take this forward parallelism */
    for (unsigned p = 0; p < ways; p++) {
      const dsm_parallelism other = (dsm_parallelism)p;
      is_left = is_left || b->open[dsm__pair_of(other, dsm__pair_backward(pair))] != DSM__NO_NODE;
      is_taken = is_taken || has_open(b, index, dsm__pair_of(forward, other));
    }
    if (is_per_pass(b) && is_left && is_taken) {
      b->middle[pair] = add_junction(b, DSM__NODE_MIDDLE, index, pair);
    }
  }
  for (DSM__EACH_PAIR(pair, ways)) {
    b->entry[pair] = has_open(b, index, pair)
                         ? dsm__network_add_layer_node(b, DSM__NODE_ENTRY, index, pair, 0)
                         : DSM__NO_NODE;
    b->hoisted[pair] = add_hoisted_entry(b, index, pair);
  }
  const dsm__pipeline_groups *const groups = b->request->groups;
  b->first_group_node = (uint32_t)b->builder.nodes.count;
  for (size_t g = b->next_group; g < groups->count && groups->items[g].first_layer == index; g++) {
    const dsm__node_info info = {(uint32_t)index, DSM__NODE_GROUP, 0, 0, 0, 0};
    dsm__graph_add_node(&b->builder, info, groups->items[g].kept_bytes,
                        groups->items[g].transient_bytes);
  }
  for (DSM__EACH_PAIR(pair, ways)) {
    b->next_open[pair] = b->entry[pair] == DSM__NO_NODE
                             ? DSM__NO_NODE
                             : add_junction(b, DSM__NODE_OPEN, index + 1, pair);
  }
}

/*
 * The free node after a layer, if a group ends with it; its groups' edges lead there.
 *
 * A group ends free: no relayout is charged behind it, so that all groups that end at a boundary
 * lead to one node.
 */
static uint32_t add_free_node(dsm__building *b, size_t boundary) {
  if (b->first_ending[boundary] == 0) {
    return DSM__NO_NODE;
  }
  const uint32_t node = add_junction(b, DSM__NODE_FREE, boundary, 0);
  for (size_t g = b->first_ending[boundary]; g != 0; g = b->next_ending[g - 1]) {
    if (!b->builder.is_out_of_memory && b->group_edges[g - 1] != SIZE_MAX) {
      b->builder.edges.items[b->group_edges[g - 1]].to = node;
    }
  }
  return node;
}

/* A relayout depends on which axes change their role, not on what roles they had: each difference
 * costs the same wherever it occurs, so that one number for each serves all pairs. */
static dsm_axis_set role_change(dsm_parallelism before, dsm_parallelism after) {
  return dsm_parallelism_model_axes(before) ^ dsm_parallelism_model_axes(after);
}

/* How much counts of what a relayout into a layer takes on the way back: it is of the update of the
 * layer before, or the gradient of its output. */
static double counted_back(const dsm__building *b, size_t index) {
  const dsm__layer_setting setting =
      dsm__open_setting(b->inputs, dsm__network_layer(b, index > 0 ? index - 1 : 0), 1);
  return fmin(dsm__counted_share(&setting, DSM_PASS_BACKWARD),
              dsm__counted_share(&setting, DSM_PASS_UPDATE));
}

/* What relayouts into a layer cost, by the roles that change (section 5). */
typedef struct relayout_costs {
  double there[DSM_PARALLELISM_COUNT];
  double back[DSM_PARALLELISM_COUNT];
  double both[DSM_PARALLELISM_COUNT]; /* as far as there is a way back */
} relayout_costs;

/* Of so many, all of which take their energy, and some of which count of their time. */
static double price_of(const dsm__building *b, const dsm__cost *relayout, double times,
                       double counted) {
  const dsm__cost cost = {.micro = counted * relayout->micro, .joules = times * relayout->joules};
  return dsm__price(&b->inputs->prices, &cost);
}

/* Axes that the machine does not have may change too. */
static void derive_relayouts(const dsm__building *b, size_t index, relayout_costs *relayouts) {
  const dsm_workload *const workload = b->inputs->workload;
  const double bytes = (double)dsm__network_layer(b, index)->carried_elements *
                       (double)workload->minibatch * workload->element_bytes;
  const double counted = counted_back(b, index);
  const bool is_both = dsm__network_is_training(b);
  const unsigned ways = ways_of(b);
  assert(ways > 0);
  for (unsigned change = 0; change < DSM_PARALLELISM_COUNT; change++) {
    const unsigned to = (DSM_PARALLELISM_COUNT - change) % DSM_PARALLELISM_COUNT;
    if (change < ways) {
      const dsm_traffic traffic = dsm_relayout_traffic(b->inputs->machine, bytes,
                                                       DSM_PARALLELISM_DATA, (dsm_parallelism)to);
      const dsm__cost one = dsm__traffic_cost(b->inputs->machine, &traffic);
      relayouts->there[change] = price_of(b, &one, 1, 1);
      relayouts->back[change] = price_of(b, &one, 1, counted);
      relayouts->both[change] =
          is_both ? price_of(b, &one, 2, 1 + counted) : relayouts->there[change];
    } else {
      relayouts->there[change] = relayouts->there[change % ways];
      relayouts->back[change] = relayouts->back[change % ways];
      relayouts->both[change] = relayouts->both[change % ways];
    }
  }
}

static void add_group_edges(dsm__building *b, size_t index) {
  const dsm__pipeline_groups *const groups = b->request->groups;
  for (size_t g = b->next_group; g < groups->count && groups->items[g].first_layer == index; g++) {
    dsm__graph_add_edge(&b->builder, b->first_group_node + (uint32_t)(g - b->next_group), 0, 0);
  }
}

/* Edges into a layer's entries for a pair. */
static void enter(dsm__building *b, unsigned pair, double cost) {
  if (b->entry[pair] != DSM__NO_NODE) {
    dsm__graph_add_edge(&b->builder, b->entry[pair], cost, 0);
  }
  if (b->hoisted[pair] != DSM__NO_NODE) {
    dsm__graph_add_edge(&b->builder, b->hoisted[pair], cost, 0);
  }
}

/* Edges out of the states before a layer in which nothing is held. */
static void add_open_edges(dsm__building *b, size_t index, const relayout_costs *relayouts) {
  const unsigned ways = ways_of(b);
  for (DSM__EACH_PAIR(from, ways)) {
    if (b->open[from] == DSM__NO_NODE) {
      continue;
    }
    dsm__graph_begin_edges(&b->builder, b->open[from]);
    for (DSM__EACH_PAIR(to, ways)) {
      const dsm_axis_set change = role_change(dsm__pair_forward(from), dsm__pair_forward(to));
      if (is_per_pass(b)) {
        if (b->middle[to] != DSM__NO_NODE && dsm__pair_backward(to) == dsm__pair_backward(from)) {
          dsm__graph_add_edge(&b->builder, b->middle[to], relayouts->there[change], 0);
        }
      } else {
        enter(b, to, relayouts->both[change]);
      }
    }
    add_group_edges(b, index);
  }
  if (b->free == DSM__NO_NODE) {
    return;
  }
  dsm__graph_begin_edges(&b->builder, b->free);
  for (DSM__EACH_PAIR(to, ways)) {
    enter(b, to, 0);
  }
  add_group_edges(b, index);
}

static void add_middle_edges(dsm__building *b, const relayout_costs *relayouts) {
  const unsigned ways = ways_of(b);
  for (DSM__EACH_PAIR(from, ways)) {
    if (b->middle[from] == DSM__NO_NODE) {
      continue;
    }
    dsm__graph_begin_edges(&b->builder, b->middle[from]);
    for (unsigned p = 0; p < ways; p++) {
      const unsigned to = dsm__pair_of(dsm__pair_forward(from), (dsm_parallelism)p);
      const dsm_axis_set change = role_change(dsm__pair_backward(from), (dsm_parallelism)p);
      enter(b, to, relayouts->back[change]);
    }
  }
}

/*
 * The layer with nothing held before or after: at its best, or (where it is to be explained) in
 * every way.
 *
 * For a layer that is explained, and where costs are set later, the best choice of update and
 * factor is not known or not enough, so that each has an edge.
 */
static void add_plain_edges(dsm__building *b, size_t index, unsigned pair, dsm_parallelism update,
                            unsigned factor_index, bool is_hoisted) {
  const dsm__layer_table *const table = b->request->table;
  const dsm__open_choice *const choice = &choices_of(b, index, is_hoisted)[pair];
  const dsm__layer_step step = {update, factor_index, false, 0};
  if (index != b->request->explained_layer && !b->request->is_priced_later) {
    if (choice->update == update && choice->factor_index == factor_index) {
      dsm__graph_add_edge(&b->builder, b->next_open[pair], choice->cost,
                          dsm__network_step_pack(&step));
    }
    return;
  }
  const dsm_pass_layouts layouts = {{dsm__pair_forward(pair), dsm__pair_backward(pair), update}};
  const bool is_uniform =
      dsm__pair_forward(pair) == dsm__pair_backward(pair) && dsm__pair_forward(pair) == update;
  if ((is_per_pass(b) || is_uniform) &&
      dsm__is_run_hoisted(dsm__network_layer(b, index), factor_index) == is_hoisted &&
      dsm__factor_is_allowed(b->request->factors, dsm__network_layer(b, index), factor_index)) {
    const double cost = dsm__open_cost(table, index, &layouts, factor_index);
    if (isfinite(cost)) {
      dsm__graph_add_edge(&b->builder, b->next_open[pair], cost, dsm__network_step_pack(&step));
    }
  }
}

static void add_hoisted_edges(dsm__building *b, size_t index, unsigned pair) {
  if (b->hoisted[pair] == DSM__NO_NODE) {
    return;
  }
  dsm__graph_begin_edges(&b->builder, b->hoisted[pair]);
  for (unsigned update = 0; update < ways_of(b); update++) {
    add_plain_edges(b, index, pair, (dsm_parallelism)update, DSM__RUN_HOISTED, true);
  }
}

/* Edges out of the entries, in the order of decisions: update, factor, held. */
static void add_entry_edges(dsm__building *b, size_t index) {
  for (DSM__EACH_PAIR(pair, ways_of(b))) {
    if (b->entry[pair] == DSM__NO_NODE) {
      continue;
    }
    dsm__graph_begin_edges(&b->builder, b->entry[pair]);
    for (unsigned block = 0, blocks = dsm__network_blocks(b); block < blocks; block++) {
      const dsm_parallelism update = (dsm_parallelism)(block / DSM__FACTORS_MAX);
      const unsigned factor_index = block % DSM__FACTORS_MAX;
      if (factor_index >= dsm__run_count(b->request->factors)) {
        continue;
      }
      add_plain_edges(b, index, pair, update, factor_index, false);
      if (pair == dsm__pair_of(update, update) && b->started[block] != DSM__NO_NODE) {
        dsm__network_add_started_edge(b, index, block);
      }
    }
    add_hoisted_edges(b, index, pair);
  }
}

static void add_groups(dsm__building *b, size_t index) {
  const dsm__pipeline_groups *const groups = b->request->groups;
  const size_t first = b->next_group;
  while (b->next_group < groups->count && groups->items[b->next_group].first_layer == index) {
    const size_t g = b->next_group++;
    dsm__graph_begin_edges(&b->builder, b->first_group_node + (uint32_t)(g - first));
    const double cycles =
        b->request->has_group_bounds ? groups->items[g].bound_cycles : groups->items[g].cycles;
    const dsm__layer_setting setting =
        dsm__open_setting(b->inputs, dsm__network_layer(b, index), 1);
    assert(dsm__is_priced_by_time(b->inputs->machine,
                                  &b->inputs->prices)); /* of a group no energy is known */
    const dsm__cost cost = {.micro = dsm__counted_share(&setting, DSM_PASS_BACKWARD) * cycles};
    b->group_edges[g] =
        dsm__graph_add_edge(&b->builder, 0, dsm__price(&b->inputs->prices, &cost), (uint32_t)g);
  }
}

static void add_layer(dsm__building *b, size_t index) {
  relayout_costs relayouts;
  derive_relayouts(b, index, &relayouts);
  add_layer_nodes(b, index);
  const uint32_t next_free = add_free_node(b, index + 1);
  add_open_edges(b, index, &relayouts);
  dsm__network_add_held_edges(b, index);
  add_middle_edges(b, &relayouts);
  add_entry_edges(b, index);
  add_groups(b, index);
  for (DSM__EACH_PAIR(pair, ways_of(b))) {
    b->open[pair] = b->next_open[pair];
  }
  b->free = next_free;
  const dsm__state_list spent = b->held;
  b->held = b->next_held;
  b->next_held = spent;
}

static void add_end(dsm__building *b) {
  const dsm__node_info info = {
      (uint32_t)b->inputs->workload->layer_count, DSM__NODE_END, 0, 0, 0, 0};
  const uint32_t end = dsm__graph_add_node(&b->builder, info, 0, 0);
  for (DSM__EACH_PAIR(pair, ways_of(b))) {
    if (b->open[pair] != DSM__NO_NODE) {
      dsm__graph_begin_edges(&b->builder, b->open[pair]);
      dsm__graph_add_edge(&b->builder, end, 0, 0);
    }
  }
  if (b->free != DSM__NO_NODE) {
    dsm__graph_begin_edges(&b->builder, b->free);
    dsm__graph_add_edge(&b->builder, end, 0, 0);
  }
  dsm__graph_begin_edges(&b->builder, end);
}

/* Chains the groups by the boundary at which they end. */
static bool chain_groups(dsm__building *b) {
  const dsm__pipeline_groups *const groups = b->request->groups;
  if (!DSM__RESERVE(b->arena, b->group_edges, groups->count) ||
      !DSM__RESERVE(b->arena, b->next_ending, groups->count) ||
      !DSM__RESERVE(b->arena, b->first_ending, b->inputs->workload->layer_count + 1)) {
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

static bool build(dsm__building *b, dsm__network_graph *graph) {
  const size_t layer_count = b->inputs->workload->layer_count;
  if (!DSM__RESERVE(b->arena, b->looked_at, layer_count) || !chain_groups(b)) {
    return false;
  }
  for (DSM__EACH_PAIR(pair, ways_of(b))) {
    b->open[pair] = DSM__NO_NODE;
  }
  b->free = add_junction(b, DSM__NODE_FREE, 0, 0);
  for (size_t i = 0; i < layer_count && !b->builder.is_out_of_memory; i++) {
    add_layer(b, i);
  }
  add_end(b);
  size_t *const new_edge =
      b->builder.is_out_of_memory
          ? NULL
          : dsm__arena_array(b->arena, b->builder.edges.count, sizeof *new_edge);
  if (new_edge == NULL || !dsm__graph_finish(&b->builder, graph, new_edge, b->arena)) {
    return false;
  }
  graph->graph.is_counting = b->inputs->machine->system->model.prefer_holding;
  graph->is_cut = b->is_cut || (b->request->lives != NULL && b->request->lives->is_cut);
  const bool are_holdings_kept =
      b->request->is_priced_later || dsm__network_has_layouts(b->request);
  return (!are_holdings_kept || dsm__network_keep_holdings(b, graph, new_edge)) &&
         (b->request->is_priced_later || dsm__network_score_pending(b, graph, new_edge));
}

bool dsm__network_graph_build(dsm__network_graph *graph, const dsm__graph_request *request,
                              dsm__arena *arena) {
  dsm__building *const b = calloc(1, sizeof *b);
  *graph = (dsm__network_graph){.is_cut = false};
  if (b == NULL) {
    return false;
  }
  b->request = request;
  b->inputs = request->table->inputs;
  b->arena = arena;
  b->builder.bytes = dsm__deadline_bytes(b->inputs->deadline);
  b->held_sets_max = dsm__held_sets_limit(request);
  const bool is_built = build(b, graph);
  dsm__graph_builder_fini(&b->builder);
  free(b->held.items);
  free(b->next_held.items);
  free(b->pending.items);
  free(b);
  return is_built;
}
