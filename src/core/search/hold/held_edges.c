/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_edges.c: layers that run while something is held on chip (section 7).
 *
 * A state is a parallelism, a DySM factor and a set of held tensors. All layers in the life of a
 * held tensor have the same parallelism and factor (section 7), so that states of one block, which
 * share both, lead only to states of that block, and are looked for only there.
 *
 * Of each layer the edges out of a state are two: its output is held, or not. What that costs
 * depends on the state and the layer alone (pending_of), so it is scored later, once for all edges
 * that look alike, and states that cannot be reached are never scored.
 */
#include <stdlib.h>

#include "search/hold/network_building.h"
#include "search/variants.h"

static bool is_worthwhile(const dsm__building *b, size_t boundary, dsm_parallelism parallelism,
                          unsigned factor_index) {
  const uint64_t *const worthwhile = b->request->worthwhile;
  return worthwhile == NULL ||
         (worthwhile[boundary * DSM_PARALLELISM_COUNT + (size_t)parallelism] >> factor_index &
          1U) != 0;
}

/* The states of a network are bounded as a whole, so that the memory of a
 * search does not grow with layers times sets; and each block keeps at least a few, so that no
 * layer is left without holding. */
size_t dsm__held_sets_limit(const dsm__graph_request *request) {
  const size_t layer_count = request->table->inputs->workload->layer_count;
  const size_t ways = request->table->inputs->machine->parallelism_count;
  const size_t all = layer_count * ways * request->factors->count;
  size_t blocks = request->worthwhile == NULL ? all : 0;
  for (size_t i = 0; request->worthwhile != NULL && i < layer_count * DSM_PARALLELISM_COUNT; i++) {
    for (uint64_t bits = request->worthwhile[i]; bits != 0; bits &= bits - 1) {
      blocks++;
    }
  }
  const size_t limit = blocks == 0 ? DSM__HELD_SETS_MAX : DSM__HELD_STATES_MAX / blocks;
  if (limit < DSM__HELD_SETS_MIN) {
    return DSM__HELD_SETS_MIN;
  }
  return limit < DSM__HELD_SETS_MAX ? limit : DSM__HELD_SETS_MAX;
}

/*
 * The node of a held state before layer `boundary`, added if it is new. `first` is where those of
 * its parallelism and factor begin. DSM__NO_NODE: not worthwhile, or too many.
 *
 * A set is the same state as another if it is the same set, or one that all later layers cannot
 * tell from it: then whatever is decided later costs the same from both, so the cheaper way to the
 * state serves both (held_sets.c has the proof). Where the bound says that no mapping through the
 * block is as fast as one that is known, there is no state. Too many sets are cut, which is noted:
 * the answer then has the bound of the relaxed graph.
 */
static uint32_t find_state(dsm__building *b, size_t boundary, const dsm__held_state *state,
                           size_t first) {
  const dsm_parallelism parallelism = (dsm_parallelism)state->parallelism;
  const bool is_merging = !b->request->is_relaxed && !b->request->is_merging_off;
  const dsm__held_set active =
      is_merging ? dsm__held_active_part(&b->future, state->set) : state->set;
  for (size_t s = first; s < b->next_held.count; s++) {
    const dsm__held_state *const other = &b->next_held.items[s];
    if (other->set == state->set ||
        (is_merging && other->active == active && other->elements == state->elements &&
         dsm__held_sets_are_alike(&b->future, active, other->set, state->set))) {
      return other->node;
    }
  }
  if (!is_worthwhile(b, boundary, parallelism, state->factor_index)) {
    return DSM__NO_NODE;
  }
  if (b->next_held.count - first >= b->held_sets_max) {
    b->is_cut = true;
    return DSM__NO_NODE;
  }
  dsm__held_state added = *state;
  added.active = active;
  added.node = dsm__network_add_layer_node(
      b, DSM__NODE_HELD, boundary, dsm__pair_of(parallelism, parallelism), state->factor_index);
  if (dsm__network_has_layouts(b->request) && !b->builder.is_out_of_memory) {
    b->builder.infos.items[added.node].needed = dsm__held_input_part(&b->future, state->set);
  }
  if (!DSM__LIST_RESERVE(&b->next_held, 1)) {
    b->builder.is_out_of_memory = true;
    return DSM__NO_NODE;
  }
  b->next_held.items[b->next_held.count++] = added;
  return added.node;
}

static void add_pending(dsm__building *b, const dsm__pending_edge *one, uint32_t to,
                        const dsm__layer_step *step) {
  if (!DSM__LIST_RESERVE(&b->pending, 1)) {
    b->builder.is_out_of_memory = true;
    return;
  }
  dsm__pending_edge *const added = &b->pending.items[b->pending.count++];
  *added = *one;
  added->edge = dsm__graph_add_edge(&b->builder, to, 0, dsm__network_step_pack(step));
}

static bool can_hold(const dsm__building *b, const dsm__pending_edge *one) {
  if (b->request->is_relaxed) {
    return true;
  }
  dsm__layer_setting setting = dsm__open_setting(b->inputs, dsm__network_layer(b, one->layer),
                                                 dsm__factor_of(one->factor_index));
  setting.holding = one->holding;
  return dsm__holding_fits(&setting, one->parallelism);
}

/* In all passes. */
static bool is_table_open(const dsm__building *b, size_t index, dsm_parallelism parallelism) {
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(parallelism);
  return dsm__is_table_open(b->inputs, index, &layouts);
}

/* What a layer does in a state, with its own output held or not. */
static dsm__pending_edge pending_of(const dsm__building *b, size_t index,
                                    const dsm__held_state *state, bool is_output_held) {
  const dsm__held_life *const life = &b->request->lives->layers[index];
  dsm__pending_edge one = {.layer = index,
                           .parallelism = (dsm_parallelism)state->parallelism,
                           .factor_index = state->factor_index};
  one.holding.is_output_held = is_output_held;
  if (b->request->is_relaxed) {
    const bool is_any = b->request->lives->is_cut;
    one.holding.is_moving_free = true;
    one.holding.is_input_held = state->set != 0 && (is_any || life->can_input_be_held);
    one.holding.is_shortcut_held = state->set != 0 && (is_any || life->can_shortcut_be_held);
    return one;
  }
  one.holding.is_input_held =
      life->can_input_be_held && (state->set & life->producers) == life->producers;
  one.holding.is_shortcut_held =
      life->can_shortcut_be_held && (state->set & life->shortcuts) == life->shortcuts;
  one.holding.held_elements =
      state->elements + (is_output_held ? dsm__network_layer(b, index)->stored_size : 0);
  if (index > 0 && (state->set & b->request->lives->layers[index - 1].own) != 0 &&
      dsm__network_is_training(b)) {
    one.holding.deferred_elements = dsm__network_layer(b, index - 1)->stored_size;
  }
  return one;
}

/* Elements of the tensors of a set that end with a layer. */
static uint64_t ending_elements(const dsm__building *b, size_t index, dsm__held_set ending) {
  const dsm_layer *const layer = dsm__network_layer(b, index);
  uint64_t elements = 0;
  const size_t *const lists[] = {layer->producers, layer->shortcuts, layer->operands};
  const size_t counts[] = {layer->producer_count, layer->shortcut_count, layer->operand_count};
  for (size_t l = 0; l < DSM__COUNT_OF(lists); l++) {
    for (size_t i = 0; i < counts[l]; i++) {
      const size_t from = lists[l][i];
      const dsm__held_set own = from == DSM_NETWORK_INPUT ? 0 : b->request->lives->layers[from].own;
      if ((own & ending) != 0) {
        elements += dsm__network_layer(b, from)->stored_size;
        ending &= ~own; /* a tensor may be used twice */
      }
    }
  }
  return elements;
}

/* The state after a layer: what is held, without what it used last. */
static dsm__held_state state_after(const dsm__building *b, size_t index,
                                   const dsm__held_state *state, bool is_output_held) {
  const dsm__held_life *const life = &b->request->lives->layers[index];
  dsm__held_state after = *state;
  if (b->request->is_relaxed) {
    after.set = 1;
    return after;
  }
  const dsm__held_set ending = state->set & life->ending;
  after.elements -= ending_elements(b, index, ending);
  after.set &= ~ending;
  if (is_output_held) {
    after.set |= life->own;
    after.elements += dsm__network_layer(b, index)->stored_size;
  }
  return after;
}

static bool is_crossed(const dsm__building *b, size_t boundary) {
  return boundary < b->inputs->workload->layer_count &&
         (b->request->lives->layers[boundary].is_crossed || b->request->lives->is_cut) &&
         dsm__network_layer(b, boundary)->timesteps == 1;
}

static dsm__layer_step held_step(const dsm__held_state *state, bool is_output_held) {
  return (dsm__layer_step){(dsm_parallelism)state->parallelism, state->factor_index, is_output_held,
                           0};
}

/*
 * Relaxed: a layer whose output can be held has it held, and anything may be held after it.
 *
 * Holding takes no room here, so nothing forbids it; the edge costs what the layer costs with all
 * of its held inputs at hand and its output held. Every mapping that holds something has a path
 * here along the same blocks that is no slower, which is what makes the shortest path a bound
 * (solve.c, find_worthwhile).
 */
static void add_relaxed_edges(dsm__building *b, size_t index, const dsm__held_state *state,
                              size_t first) {
  const bool is_output_held =
      b->request->lives->layers[index].is_holdable || b->request->lives->is_cut;
  const dsm__pending_edge one = pending_of(b, index, state, is_output_held);
  const dsm__layer_step step = held_step(state, is_output_held);
  const uint32_t open = b->next_open[dsm__pair_of((dsm_parallelism)state->parallelism,
                                                  (dsm_parallelism)state->parallelism)];
  add_pending(b, &one, open, &step);
  if (is_crossed(b, index + 1)) {
    const dsm__held_state after = state_after(b, index, state, is_output_held);
    const uint32_t to = find_state(b, index + 1, &after, first);
    if (to != DSM__NO_NODE) {
      add_pending(b, &one, to, &step);
    }
  }
}

/* Edges out of one held state: the layer's own output held, or not. */
static void add_state_edges(dsm__building *b, size_t index, const dsm__held_state *state,
                            size_t first) {
  const unsigned pair =
      dsm__pair_of((dsm_parallelism)state->parallelism, (dsm_parallelism)state->parallelism);
  dsm__graph_begin_edges(&b->builder, state->node);
  if (b->entry[pair] == DSM__NO_NODE ||
      !is_table_open(b, index, (dsm_parallelism)state->parallelism) ||
      !dsm__factor_is_allowed(b->request->factors, dsm__network_layer(b, index),
                              state->factor_index)) {
    return;
  }
  if (b->request->is_relaxed) {
    add_relaxed_edges(b, index, state, first);
    return;
  }
  const int most = b->request->lives->layers[index].is_holdable ? 1 : 0;
  for (int own = 0; own <= most; own++) {
    const dsm__pending_edge one = pending_of(b, index, state, own == 1);
    if (!can_hold(b, &one)) {
      continue;
    }
    const dsm__held_state after = state_after(b, index, state, own == 1);
    const uint32_t to =
        after.set == 0 ? b->next_open[pair] : find_state(b, index + 1, &after, first);
    if (to != DSM__NO_NODE) {
      const dsm__layer_step step = held_step(state, own == 1);
      add_pending(b, &one, to, &step);
    }
  }
}

static dsm__held_state first_state(unsigned block) {
  return (dsm__held_state){.parallelism = (uint8_t)(block / DSM__FACTORS_MAX),
                           .factor_index = (uint8_t)(block % DSM__FACTORS_MAX)};
}

/*
 * Where a layer that holds its output while nothing else is held leads to.
 *
 * From an entry nothing is held yet, so that all pairs of a block lead to one state: the layer's
 * own output alone. It is found before the entries have edges, since several entries lead to it.
 */
static uint32_t start_holding(dsm__building *b, size_t index, unsigned block, size_t first) {
  const dsm__held_state none = first_state(block);
  const dsm_parallelism parallelism = (dsm_parallelism)none.parallelism;
  const bool is_holdable = b->request->lives->layers[index].is_holdable ||
                           (b->request->is_relaxed && b->request->lives->is_cut);
  if (!is_holdable || b->entry[dsm__pair_of(parallelism, parallelism)] == DSM__NO_NODE ||
      !is_table_open(b, index, parallelism) ||
      !dsm__factor_is_allowed(b->request->factors, dsm__network_layer(b, index),
                              none.factor_index)) {
    return DSM__NO_NODE;
  }
  const dsm__pending_edge one = pending_of(b, index, &none, true);
  if (!can_hold(b, &one) || (b->request->is_relaxed && !is_crossed(b, index + 1))) {
    return DSM__NO_NODE;
  }
  const dsm__held_state after = state_after(b, index, &none, true);
  return find_state(b, index + 1, &after, first);
}

void dsm__network_add_held_edges(dsm__building *b, size_t index) {
  size_t next = 0;
  if (b->request->lives != NULL && !b->request->is_relaxed) {
    dsm__held_future_derive(&b->future, b->inputs->workload, b->request->lives, index + 1,
                            b->looked_at);
  }
  b->next_held.count = 0;
  for (unsigned block = 0, blocks = dsm__network_blocks(b); block < blocks; block++) {
    const size_t first = b->next_held.count;
    b->started[block] = DSM__NO_NODE;
    if (b->request->lives == NULL || block % DSM__FACTORS_MAX >= b->request->factors->count) {
      continue;
    }
    while (next < b->held.count && b->held.items[next].parallelism == block / DSM__FACTORS_MAX &&
           b->held.items[next].factor_index == block % DSM__FACTORS_MAX) {
      const dsm__held_state state = b->held.items[next++];
      add_state_edges(b, index, &state, first);
    }
    b->started[block] = start_holding(b, index, block, first);
  }
}

void dsm__network_add_started_edge(dsm__building *b, size_t index, unsigned block) {
  const dsm__held_state none = first_state(block);
  const dsm__pending_edge one = pending_of(b, index, &none, true);
  const dsm__layer_step step = held_step(&none, true);
  add_pending(b, &one, b->started[block], &step);
}

/* Edges that were freed as dead ends are not scored. Of all others each pass is one variant, and
 * equal variants are scored once: a network of repeated blocks has far fewer of them than edges. */
bool dsm__network_score_pending(dsm__building *b, dsm__network_graph *graph,
                                const size_t *new_edge) {
  const dsm__layer_table *const table = b->request->table;
  dsm__variants variants;
  dsm__variants_init(&variants, table);
  size_t(*const indices)[DSM_PASS_COUNT] = calloc(b->pending.count + 1, sizeof *indices);
  bool is_ready = indices != NULL;
  for (size_t i = 0; is_ready && i < b->pending.count; i++) {
    const dsm__pending_edge *const one = &b->pending.items[i];
    for (int p = 0; new_edge[one->edge] != SIZE_MAX && p < DSM_PASS_COUNT; p++) {
      if (dsm_pass_exists(dsm__network_layer(b, one->layer), b->inputs->options->mode,
                          (dsm_pass)p)) {
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
  for (size_t i = 0; is_ready && i < b->pending.count; i++) {
    const dsm__pending_edge *const one = &b->pending.items[i];
    const size_t edge = new_edge[one->edge];
    if (edge == SIZE_MAX) {
      continue;
    }
    const dsm__layer_setting setting =
        dsm__open_setting(b->inputs, dsm__network_layer(b, one->layer), 1);
    const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(one->parallelism);
    const dsm__cost once = {.once = dsm__once_cycles(&setting, &layouts)};
    double price = dsm__price(&b->inputs->prices, &once);
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (indices[i][p] != SIZE_MAX) {
        const dsm__cost own = {.micro = dsm__counted_share(&setting, (dsm_pass)p) *
                                        variants.cycles[indices[i][p]]};
        price += dsm__price(&b->inputs->prices, &own);
      }
    }
    graph->edges[edge].cost = price;
  }
  graph->evaluations = variants.evaluations;
  free(indices);
  dsm__variants_fini(&variants);
  return is_ready;
}

bool dsm__network_keep_holdings(const dsm__building *b, dsm__network_graph *graph,
                                const size_t *new_edge) {
  const size_t edge_count = dsm__graph_edge_count(&graph->graph);
  graph->holdings = dsm__arena_array(b->arena, edge_count, sizeof graph->holdings[0]);
  for (size_t i = 0; graph->holdings != NULL && i < b->pending.count; i++) {
    if (new_edge[b->pending.items[i].edge] != SIZE_MAX) {
      graph->holdings[new_edge[b->pending.items[i].edge]] = b->pending.items[i].holding;
    }
  }
  return graph->holdings != NULL;
}
