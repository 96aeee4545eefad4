/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_graph.c: a state of the free graph becomes one for each way to lay out what it needs.
 *
 * After the layer that makes a tensor, its layout is asked for where a later layer reads it as held
 * input, and nowhere else; so a state has the layouts of those tensors only (`needed`), and states
 * that agree in these are one: whatever follows costs the same from both, and the cheaper way to
 * the state serves both. A layout that nobody asks for again is chosen at once, as the one that
 * adds least.
 *
 * What is left out: an edge or a state whose cycles so far, with the least of what is still to come
 * (layout_bounds.c), exceed the limit. The limit is the time of a mapping that is known, or as
 * fast, and the bound is never above the truth, so that nothing as fast as the answer is lost. Only
 * where states of a node are too many are those with the least such sum kept, and the graph says
 * that it is cut.
 */
#include "search/layout/layout_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "search/hold/held_sets.h"
#include "search/hold/network_graph.h"
#include "search/layout/layout_uses.h"

/* ---- states ---- */

/* No state. */
#define NO_STATE UINT32_MAX

/* A node with a choice for each tensor that it needs. */
typedef struct layout_state {
  double before;   /* least cycles from the first node */
  size_t choices;  /* where they begin in the pool */
  uint32_t node;   /* of the free graph */
  uint32_t number; /* in the order of processing; NO_STATE: not processed */
  uint32_t next;   /* of the same node */
} layout_state;

typedef struct layout_states {
  layout_state *items;
  size_t count;
  size_t capacity;
  DSM__LIST(uint32_t) pool; /* choices of all states */
  uint32_t *first;          /* of each node: its first state */
  uint32_t *last;           /* and its last */
  dsm__map index;           /* of the states */
} layout_states;

/* No states of so many nodes; false if out of memory. layout_states_fini in any case. */
static bool layout_states_init(layout_states *states, size_t node_count, dsm__arena *arena) {
  if (!DSM__RESERVE(arena, states->first, node_count) ||
      !DSM__RESERVE(arena, states->last, node_count)) {
    return false;
  }
  for (size_t v = 0; v < node_count; v++) {
    states->first[v] = NO_STATE;
  }
  return true;
}

static void layout_states_fini(layout_states *states) {
  free(states->items);
  free(states->pool.items);
  dsm__map_fini(&states->index);
}

/* A node with choices. All states of a node have as many. */
typedef struct state_key {
  uint32_t node;
  const uint32_t *choices;
  size_t count;
} state_key;

static bool is_state(const void *context, size_t index, const void *key) {
  const layout_states *const states = context;
  const layout_state *const state = &states->items[index];
  const state_key *const of = key;
  return state->node == of->node && memcmp(&states->pool.items[state->choices], of->choices,
                                           of->count * sizeof of->choices[0]) == 0;
}

/* The state of a node with some choices, a new one (before infinite) if there is none; NO_STATE if
 * out of memory. */
static uint32_t find_state(layout_states *states, uint32_t node, const uint32_t *choices,
                           size_t choice_count) {
  const state_key key = {node, choices, choice_count};
  const uint32_t hash = dsm__map_hash(node, choices, choice_count * sizeof *choices);
  const size_t known = dsm__map_find(&states->index, hash, is_state, states, &key);
  if (known != DSM__MAP_NONE) {
    return (uint32_t)known;
  }
  const size_t index = states->count;
  if (!DSM__LIST_RESERVE(states, 1) || !DSM__LIST_RESERVE(&states->pool, choice_count + 1) ||
      !dsm__map_add(&states->index, hash, index)) {
    return NO_STATE;
  }
  memcpy(&states->pool.items[states->pool.count], choices, choice_count * sizeof *choices);
  states->items[states->count++] =
      (layout_state){HUGE_VAL, states->pool.count, node, NO_STATE, NO_STATE};
  states->pool.count += choice_count;
  if (states->first[node] == NO_STATE) {
    states->first[node] = (uint32_t)index;
  } else {
    states->items[states->last[node]].next = (uint32_t)index;
  }
  states->last[node] = (uint32_t)index;
  return (uint32_t)index;
}

/* ---- the expansion ---- */

/* An edge from a state to a state. */
typedef struct layout_edge {
  double cycles;
  uint32_t from;
  uint32_t to;
  uint32_t tag;
} layout_edge;

/* A state of a node, to be sorted. */
typedef struct ranked_state {
  double cycles; /* before, and what its layouts add at least */
  uint32_t index;
} ranked_state;

typedef struct expansion {
  const dsm__layout_request *request;
  const dsm__graph *graph; /* the free one */
  const dsm_workload *workload;
  dsm__layout_uses uses;
  dsm__layout_bounds bounds;
  layout_states states;
  DSM__LIST(layout_edge) edges;
  uint32_t processed;
  size_t owners_known;           /* layers before this one are known as owners */
  size_t owners[DSM__SET_BITS];  /* the layer that made the tensor of a bit last */
  dsm__read_layout *inputs;      /* scratch */
  uint64_t *outputs;             /* scratch: each choice of a layer's output, */
  double *extras;                /* what it adds, */
  double *extras_scratch;        /* and two numbers for each */
  DSM__LIST(ranked_state) order; /* scratch: states of a node */
  bool is_cut;
  bool is_out_of_memory;
} expansion;

static const dsm__node_info *info_of(const expansion *x, size_t node) {
  return &x->request->free->infos[node];
}

static size_t count_bits(dsm__held_set set) {
  size_t count = 0;
  for (; set != 0; set &= set - 1) {
    count++;
  }
  return count;
}

/* Is the time over? Then nothing is found. */
static bool is_over(const expansion *x) {
  return dsm__deadline_is_over(x->request->table->inputs->deadline);
}

/* ---- edges ---- */

/* The choice that a state has made for one of the bits that its node needs. */
static uint32_t choice_in(const expansion *x, uint32_t state, dsm__held_set bit) {
  const layout_state *const of = &x->states.items[state];
  const dsm__held_set needed = info_of(x, of->node)->needed;
  /* Where too much was to be asked of the future, a node may need what nobody reads. */
  return (needed & bit) == 0 ? 0
                             : x->states.pool.items[of->choices + count_bits(needed & (bit - 1))];
}

/* Adds an edge to the state in which the layer's own output has a layout, if that can be on a path
 * within the limit. */
static void add_edge(expansion *x, uint32_t from, size_t edge, const uint32_t *own_choice,
                     double cycles) {
  const dsm__graph_edge *const free_edge = &x->graph->edges[edge];
  const double before = x->states.items[from].before + cycles;
  uint32_t choices[DSM__SET_BITS];
  size_t count = 0;
  const double rest = x->bounds.rest[free_edge->to];
  if (x->is_out_of_memory || before + rest > x->request->cost_limit) {
    return;
  }
  const dsm__node_info *const info = info_of(x, x->states.items[from].node);
  const size_t layer = info->layer;
  for (dsm__held_set left = info_of(x, free_edge->to)->needed; left != 0; left &= left - 1) {
    const dsm__held_set bit = (dsm__held_set)1 << dsm__held_bit(left);
    const bool is_own = own_choice != NULL && bit == x->request->lives->layers[layer].own;
    choices[count++] = is_own ? *own_choice : choice_in(x, from, bit);
  }
  const uint32_t to = find_state(&x->states, free_edge->to, choices, count);
  if (to == NO_STATE || !DSM__LIST_RESERVE(&x->edges, 1)) {
    x->is_out_of_memory = true;
    return;
  }
  x->states.items[to].before = fmin(x->states.items[to].before, before);
  dsm__layer_step step = dsm__network_step_unpack(free_edge->tag);
  step.layout = own_choice == NULL
                    ? 0
                    : dsm__layout_choices_of(&x->uses, x->uses.edges[edge].own).items[*own_choice];
  const uint32_t tag = own_choice == NULL ? free_edge->tag : dsm__network_step_pack(&step);
  x->edges.items[x->edges.count++] = (layout_edge){cycles, from, to, tag};
}

/* Of layouts that no later layer looks at, the first that adds least. */
static void add_least(expansion *x, uint32_t from, size_t edge, size_t count) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < count; i++) {
    best = x->extras[i] < x->extras[best] ? i : best;
  }
  add_edge(x, from, edge, &best, x->graph->edges[edge].cost + x->extras[best]);
}

/*
 * More than this no path within the limit takes for the layouts of an edge.
 *
 * The limit, less what comes before the edge and the least of what is behind it. A pass need not
 * know more precisely what layouts cost that exceed this, as the edge goes anyway. The little that
 * is added is more than rounding.
 */
static double most_extra(const expansion *x, uint32_t from, size_t edge) {
  const dsm__graph_edge *const free_edge = &x->graph->edges[edge];
  const double without =
      x->states.items[from].before + free_edge->cost + x->bounds.rest[free_edge->to];
  return fmax(x->request->cost_limit - without, 0) + x->request->cost_limit * 1e-10;
}

/* The edges of a layer that holds its output, one for each layout. */
static void add_own_layouts(expansion *x, uint32_t from, size_t edge,
                            dsm__touched_layouts *touched) {
  const dsm__graph_edge *const free_edge = &x->graph->edges[edge];
  const dsm__node_info *const info = info_of(x, x->states.items[from].node);
  const dsm__layout_slot slot = x->uses.edges[edge].own;
  const size_t count = dsm__layout_choices_of(&x->uses, slot).count;
  for (size_t i = 0; i < count; i++) {
    x->outputs[i] = dsm__layout_code_at(&x->uses, slot, i);
  }
  touched->outputs = x->outputs;
  touched->output_count = count;
  dsm__layout_extras(&x->uses, edge, touched, most_extra(x, from, edge), x->extras_scratch,
                     x->extras);
  if ((info_of(x, free_edge->to)->needed & x->request->lives->layers[info->layer].own) == 0) {
    add_least(x, from, edge, count);
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    add_edge(x, from, edge, &i, free_edge->cost + x->extras[i]);
  }
}

/* The edges that an edge of the free graph becomes. */
static void expand_edge(expansion *x, uint32_t from, size_t edge) {
  const dsm__graph_edge *const free_edge = &x->graph->edges[edge];
  const dsm__holding *const holding = &x->request->free->holdings[edge];
  if (!x->uses.edges[edge].is_touching) {
    add_edge(x, from, edge, NULL, free_edge->cost);
    return;
  }
  const dsm__node_info *const info = info_of(x, x->states.items[from].node);
  const dsm_layer *const layer = &x->workload->layers[info->layer];
  dsm__touched_layouts touched = {
      .divisors = dsm__layout_divisors(&x->uses),
      .inputs = {x->inputs, holding->is_input_held ? layer->producer_count : 0}};
  for (size_t i = 0; i < touched.inputs.count; i++) {
    const size_t producer = layer->producers[i];
    const dsm__layout_slot slot =
        dsm__layout_slot_of(&x->uses, producer, (dsm_parallelism)info->forward, info->factor_index);
    const uint32_t choice = choice_in(x, from, x->request->lives->layers[producer].own);
    x->inputs[i] = (dsm__read_layout){dsm__layout_code_at(&x->uses, slot, choice),
                                      x->workload->layers[producer].stored_size};
  }
  if (holding->is_output_held) {
    add_own_layouts(x, from, edge, &touched);
  } else {
    const uint64_t none = 0;
    touched.outputs = &none;
    touched.output_count = 1;
    dsm__layout_extras(&x->uses, edge, &touched, most_extra(x, from, edge), x->extras_scratch,
                       x->extras);
    add_edge(x, from, edge, NULL, free_edge->cost + x->extras[0]);
  }
}

/* ---- states of a node ---- */

/* Learns which layer made the tensor of each bit, up to the layer of a node. */
static void find_owners(expansion *x, size_t node) {
  for (; x->owners_known < info_of(x, node)->layer; x->owners_known++) {
    const dsm__held_set own = x->request->lives->layers[x->owners_known].own;
    if (own != 0) {
      x->owners[dsm__held_bit(own)] = x->owners_known;
    }
  }
}

/* Adds to the states of a node what their layouts add at least to what is still to come. */
static void add_costs_to_go(expansion *x, size_t node, ranked_state *order, size_t count) {
  const dsm__node_info *const info = info_of(x, node);
  size_t i = 0;
  for (dsm__held_set left = info->needed; left != 0; left &= left - 1, i++) {
    const size_t owner = x->owners[dsm__held_bit(left)];
    const dsm__layout_slot slot =
        dsm__layout_slot_of(&x->uses, owner, (dsm_parallelism)info->forward, info->factor_index);
    const double *const to_go = dsm__layout_cost_to_go_from(&x->bounds, slot, owner, info->layer);
    for (size_t s = 0; s < count; s++) {
      order[s].cycles += to_go[x->states.pool.items[x->states.items[order[s].index].choices + i]];
    }
  }
}

static int compare_ranked(const void *left, const void *right) {
  const ranked_state *const a = left;
  const ranked_state *const b = right;
  return dsm__order_then(dsm__order(a->cycles, b->cycles), dsm__order_whole(a->index, b->index));
}

static int compare_indices(const void *left, const void *right) {
  const ranked_state *const a = left;
  const ranked_state *const b = right;
  return dsm__order_whole(a->index, b->index);
}

/* How many states a node may have. */
static size_t states_left(const expansion *x) {
  return x->processed < DSM__LAYOUT_STATES_IN_ALL ? x->request->states_max : DSM__LAYOUT_STATES_MIN;
}

/*
 * The states of a node that are worth going on from, in order of creation; of too many, those that
 * promise most. How many.
 *
 * States are judged by what they cost so far and what their own layouts add at least to later
 * layers, which tells apart states of one node; what is behind the node at least is the same for
 * all.
 */
static size_t choose_states(expansion *x, uint32_t node) {
  x->order.count = 0;
  for (uint32_t s = x->states.first[node]; s != NO_STATE; s = x->states.items[s].next) {
    if (!DSM__LIST_RESERVE(&x->order, 1)) {
      x->is_out_of_memory = true;
      return 0;
    }
    x->order.items[x->order.count++] = (ranked_state){x->states.items[s].before, s};
  }
  ranked_state *const order = x->order.items;
  size_t count = x->order.count;
  if (count == 0) {
    return 0;
  }
  find_owners(x, node);
  add_costs_to_go(x, node, order, count);
  qsort(order, count, sizeof order[0], compare_ranked);
  while (count > 0 && order[count - 1].cycles + x->bounds.rest[node] > x->request->cost_limit) {
    count--;
  }
  if (count > states_left(x)) {
    count = states_left(x);
    x->is_cut = true;
  }
  qsort(order, count, sizeof order[0], compare_indices);
  return count;
}

/*
 * Nodes in their order, which is that of paths: all that leads to a state is known before it.
 *
 * The order of nodes is that of paths, so that the least cycles to a state are final when its turn
 * comes. States of a node keep the order in which they were made: it follows that of edges, by
 * which ties are broken.
 */
static void expand_all(expansion *x) {
  const uint32_t none = 0;
  const uint32_t start = find_state(&x->states, 0, &none, 0);
  if (start == NO_STATE) {
    x->is_out_of_memory = true;
    return;
  }
  x->states.items[start].before = 0;
  for (size_t v = 0; v < x->graph->node_count && !x->is_out_of_memory; v++) {
    const size_t count = choose_states(x, (uint32_t)v);
    for (size_t i = 0; i < count && !is_over(x); i++) {
      const uint32_t from = x->order.items[i].index;
      x->states.items[from].number = x->processed++;
      for (size_t e = x->graph->nodes[v].first_edge; e < x->graph->nodes[v + 1].first_edge; e++) {
        if (x->request->is_edge_in[e] != 0) {
          expand_edge(x, from, e);
        }
      }
    }
  }
}

/* ---- all of it ---- */

/* Adds nodes and edges in the order of processing. False if out of memory. */
static bool add_processed(const expansion *x, dsm__graph_builder *builder) {
  uint32_t *const in_order = calloc((size_t)x->processed + 1, sizeof *in_order);
  if (in_order == NULL) {
    return false;
  }
  for (size_t s = 0; s < x->states.count; s++) {
    if (x->states.items[s].number != NO_STATE) {
      in_order[x->states.items[s].number] = (uint32_t)s;
    }
  }
  for (uint32_t n = 0; n < x->processed; n++) {
    const size_t node = x->states.items[in_order[n]].node;
    dsm__graph_add_node(builder, *info_of(x, node), x->graph->nodes[node].kept_bytes,
                        x->graph->nodes[node].transient_bytes);
  }
  size_t e = 0;
  for (uint32_t n = 0; n < x->processed; n++) {
    dsm__graph_begin_edges(builder, n);
    for (; e < x->edges.count && x->edges.items[e].from == in_order[n]; e++) {
      const uint32_t to = x->states.items[x->edges.items[e].to].number;
      if (to != NO_STATE) {
        dsm__graph_add_edge(builder, to, x->edges.items[e].cycles, x->edges.items[e].tag);
      }
    }
  }
  free(in_order);
  return !builder->is_out_of_memory;
}

static bool make_network(const expansion *x, dsm__network_graph *network, dsm__arena *arena) {
  dsm__graph_builder builder = {.is_out_of_memory = false};
  bool is_done = add_processed(x, &builder);
  size_t *const new_edge = malloc((builder.edges.count + 1) * sizeof *new_edge);
  is_done = is_done && new_edge != NULL && dsm__graph_finish(&builder, network, new_edge, arena);
  network->graph.capacity_bytes = x->graph->capacity_bytes;
  network->graph.deadline = x->graph->deadline;
  network->graph.is_counting = x->graph->is_counting;
  network->is_cut = x->request->free->is_cut;
  free(new_edge);
  dsm__graph_builder_fini(&builder);
  return is_done;
}

static size_t most_producers(const dsm_workload *workload) {
  size_t most = 1;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const size_t count = workload->layers[i].producer_count;
    most = count > most ? count : most;
  }
  return most;
}

static bool prepare(expansion *x, dsm__arena *scratch) {
  const size_t choices_max = x->request->layouts->count;
  return scratch != NULL && layout_states_init(&x->states, x->graph->node_count, scratch) &&
         DSM__RESERVE(scratch, x->inputs, most_producers(x->workload)) &&
         DSM__RESERVE(scratch, x->outputs, choices_max) &&
         DSM__RESERVE(scratch, x->extras, choices_max) &&
         DSM__RESERVE(scratch, x->extras_scratch, 2 * choices_max) &&
         dsm__layout_uses_find(&x->uses, x->request, scratch) &&
         (is_over(x) || dsm__layout_bounds_find(&x->bounds, &x->uses, scratch));
}

bool dsm__layout_graph_build(dsm__layout_graph *made, const dsm__layout_request *request,
                             dsm__arena *arena) {
  expansion x = {.request = request,
                 .graph = &request->free->graph,
                 .workload = request->table->inputs->workload};
  *made = (dsm__layout_graph){.is_found = false};
  dsm__arena *const scratch =
      dsm__arena_new_counted(dsm__deadline_bytes(request->table->inputs->deadline));
  bool is_done = prepare(&x, scratch);
  if (is_done && !is_over(&x)) {
    expand_all(&x);
    made->is_cut = x.is_cut;
    made->lower_bound = x.bounds.rest[0];
    made->is_found = x.states.first[x.graph->node_count - 1] != NO_STATE && !is_over(&x);
    is_done = !x.is_out_of_memory && (!made->is_found || make_network(&x, &made->network, arena));
    made->network.evaluations = x.uses.profiles.evaluations;
  }
  dsm__layout_uses_fini(&x.uses);
  layout_states_fini(&x.states);
  free(x.edges.items);
  free(x.order.items);
  dsm__arena_free(scratch);
  return is_done;
}
