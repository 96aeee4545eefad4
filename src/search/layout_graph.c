/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/layout_graph.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/tolerance.h"
#include "search/graph_builder.h"
#include "search/held_sets.h"
#include "search/layout_choices.h"

#define NONE UINT32_MAX

/* A node of the free graph with layouts of the tensors that it needs. */
typedef struct state {
  double before;   /* least cycles from the first node */
  size_t layouts;  /* where they begin in the pool: one for each bit of the node's needed set */
  uint32_t node;
  uint32_t number; /* in the order of processing; NONE: not yet, or left out */
  uint32_t next;   /* of the same node */
} state;

/* An edge from a state. */
typedef struct layout_edge {
  double cycles;
  uint32_t from;
  uint32_t to;
  uint32_t tag;
} layout_edge;

/* What an edge of the free graph touches; of edges at which no layout matters, nothing. */
typedef struct touched {
  bool is_touching;
  dsm__held_slot own; /* of the layer's output, if that is held */
  size_t profiles[DSM_PASS_COUNT]; /* SIZE_MAX: no such pass */
} touched;

typedef struct expansion {
  const dsm__layout_request *request;
  const dsm__graph *graph; /* the free one */
  dsm__variants variants;
  dsm__profiles profiles;
  dsm__layout_choices choices;
  touched *touched;   /* of each edge of the free graph */
  uint32_t *slot_of;  /* of (layer, parallelism, factor), + 1; 0: none yet */
  size_t slot_count;
  state *states;
  size_t state_count;
  size_t state_capacity;
  uint32_t *pool; /* layouts of states */
  size_t pool_count;
  size_t pool_capacity;
  uint32_t *first; /* of each node: its first state, */
  uint32_t *last;  /* and its last */
  uint32_t *slots; /* hash table of states, index + 1 */
  size_t hash_size;
  layout_edge *edges;
  size_t edge_count;
  size_t edge_capacity;
  uint32_t processed;
  dsm_held_tensor *inputs; /* scratch */
  uint32_t *projected;     /* scratch: layouts of the next state */
  uint32_t *order;         /* scratch: states of a node */
  size_t order_capacity;
  bool is_cut;
  bool is_out_of_memory;
} expansion;

/* Makes room for `more` of `size` bytes in *items. */
static bool reserve(void **items, size_t count, size_t more, size_t *capacity, size_t size) {
  if (count + more <= *capacity) {
    return true;
  }
  size_t larger = *capacity == 0 ? 1024 : 2 * *capacity;
  larger = larger < count + more ? count + more : larger;
  void *const moved = realloc(*items, larger * size);
  if (moved == NULL) {
    return false;
  }
  *items = moved;
  *capacity = larger;
  return true;
}

static size_t count_bits(dsm__held_set set) {
  size_t count = 0;
  for (; set != 0; set &= set - 1) {
    count++;
  }
  return count;
}

/* ---- what edges touch ---- */

static const dsm_layer *layer_of(const expansion *x, size_t node) {
  return &x->request->table->inputs->workload->layers[x->request->free->infos[node].layer];
}

static bool is_in(const expansion *x, size_t edge) {
  return x->request->is_edge_in == NULL || x->request->is_edge_in[edge] != 0;
}

/* The number of a held tensor, a new one if it has none. */
static dsm__held_slot slot_of(expansion *x, size_t layer, dsm_parallelism parallelism,
                              unsigned factor_index) {
  const size_t at =
      (layer * DSM_PARALLELISM_COUNT + (size_t)parallelism) * x->request->factor_count +
      factor_index;
  if (x->slot_of[at] == 0) {
    x->slot_of[at] = (uint32_t)++x->slot_count;
  }
  return x->slot_of[at] - 1;
}

/* Finds out what an edge touches, and adds the variants of its passes. */
static bool find_touched(expansion *x, size_t node, size_t edge) {
  const dsm__network_graph *const free_graph = x->request->free;
  const dsm__node_info *const info = &free_graph->infos[node];
  const dsm__search_inputs *const inputs = x->request->table->inputs;
  const dsm__holding *const holding = &free_graph->holdings[edge];
  touched *const one = &x->touched[edge];
  one->is_touching = (info->kind == DSM__NODE_ENTRY || info->kind == DSM__NODE_HELD) &&
                     (holding->is_input_held || holding->is_output_held);
  if (!one->is_touching) {
    return true;
  }
  const dsm__layer_step step = dsm__step_unpack(x->graph->edges[edge].tag);
  const dsm_parallelism parallelism = (dsm_parallelism)info->forward;
  if (holding->is_output_held) {
    one->own = slot_of(x, info->layer, parallelism, step.factor_index);
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    one->profiles[p] = SIZE_MAX;
    if (dsm_pass_exists(layer_of(x, node), inputs->options->mode, (dsm_pass)p)) {
      one->profiles[p] = dsm__variants_add(
          &x->variants, x->request->table->distinct.class_of[info->layer], (dsm_pass)p,
          parallelism, step.factor_index, holding);
      if (one->profiles[p] == SIZE_MAX) {
        return false;
      }
    }
  }
  return true;
}

/* Adds what the passes of an edge demand of the layouts that they touch. */
static bool add_demands(expansion *x, size_t node, size_t edge) {
  const dsm__holding *const holding = &x->request->free->holdings[edge];
  const dsm__node_info *const info = &x->request->free->infos[node];
  const dsm__layer_step step = dsm__step_unpack(x->graph->edges[edge].tag);
  const dsm_layer *const layer = layer_of(x, node);
  const touched *const one = &x->touched[edge];
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (one->profiles[p] == SIZE_MAX) {
      continue;
    }
    const dsm__profile *const profile = &x->profiles.items[one->profiles[p]];
    if (holding->is_output_held && !dsm__layout_choices_add(&x->choices, one->own, profile, true)) {
      return false;
    }
    for (size_t i = 0; holding->is_input_held && i < layer->producer_count; i++) {
      const dsm__held_slot slot = slot_of(x, layer->producers[i], (dsm_parallelism)info->forward,
                                          step.factor_index);
      if (!dsm__layout_choices_add(&x->choices, slot, profile, false)) {
        return false;
      }
    }
  }
  return true;
}

typedef bool (*edge_visitor)(expansion *x, size_t node, size_t edge);

/* All edges that are in and (unless it is to be found out) touch something. */
static bool visit_edges(expansion *x, bool are_all, edge_visitor visit) {
  for (size_t v = 0; v + 1 < x->graph->node_count; v++) {
    for (size_t e = x->graph->nodes[v].first_edge; e < x->graph->nodes[v + 1].first_edge; e++) {
      if (is_in(x, e) && (are_all || x->touched[e].is_touching) && !visit(x, v, e)) {
        return false;
      }
    }
  }
  return true;
}

/* ---- states ---- */

static size_t hash_of(uint32_t node, const uint32_t *layouts, size_t count) {
  uint64_t hash = 14695981039346656037U ^ node;
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ layouts[i]) * 1099511628211U;
    hash ^= hash >> 29;
  }
  hash *= 1099511628211U;
  return (size_t)(hash ^ hash >> 32);
}

static size_t layout_count(const expansion *x, uint32_t node) {
  return count_bits(x->request->free->infos[node].needed);
}

/* The slot of a state, or the empty one where it belongs. */
static size_t find_hash_slot(const expansion *x, uint32_t node, const uint32_t *layouts) {
  const size_t count = layout_count(x, node);
  size_t slot = hash_of(node, layouts, count) & (x->hash_size - 1);
  while (x->slots[slot] != 0) {
    const state *const other = &x->states[x->slots[slot] - 1];
    if (other->node == node &&
        memcmp(&x->pool[other->layouts], layouts, count * sizeof *layouts) == 0) {
      break;
    }
    slot = (slot + 1) & (x->hash_size - 1);
  }
  return slot;
}

static bool grow_hash(expansion *x) {
  if (2 * (x->state_count + 1) <= x->hash_size) {
    return true;
  }
  const size_t larger = x->hash_size == 0 ? 4096 : 2 * x->hash_size;
  uint32_t *const slots = calloc(larger, sizeof *slots);
  if (slots == NULL) {
    return false;
  }
  free(x->slots);
  x->slots = slots;
  x->hash_size = larger;
  for (size_t s = 0; s < x->state_count; s++) {
    const state *const one = &x->states[s];
    slots[find_hash_slot(x, one->node, &x->pool[one->layouts])] = (uint32_t)s + 1;
  }
  return true;
}

/* The state of a node with some layouts, a new one if there is none; NONE if out of memory. */
static uint32_t find_state(expansion *x, uint32_t node, const uint32_t *layouts) {
  const size_t count = layout_count(x, node);
  void *states = x->states;
  void *pool = x->pool;
  if (!grow_hash(x) || !reserve(&states, x->state_count, 1, &x->state_capacity, sizeof(state))) {
    x->is_out_of_memory = true;
    return NONE;
  }
  x->states = states;
  const size_t slot = find_hash_slot(x, node, layouts);
  if (x->slots[slot] != 0) {
    return x->slots[slot] - 1;
  }
  if (!reserve(&pool, x->pool_count, count + 1, &x->pool_capacity, sizeof(uint32_t))) {
    x->is_out_of_memory = true;
    return NONE;
  }
  x->pool = pool;
  memcpy(&x->pool[x->pool_count], layouts, count * sizeof *layouts);
  const uint32_t index = (uint32_t)x->state_count++;
  x->states[index] = (state){HUGE_VAL, x->pool_count, node, NONE, NONE};
  x->pool_count += count;
  x->slots[slot] = index + 1;
  if (x->first[node] == NONE) {
    x->first[node] = index;
  } else {
    x->states[x->last[node]].next = index;
  }
  x->last[node] = index;
  return index;
}

/* The layout that a state has for one of the bits that its node needs. */
static uint32_t layout_in(const expansion *x, const state *of, dsm__held_set bit) {
  const dsm__held_set needed = x->request->free->infos[of->node].needed;
  /* Where too much was to be asked of the future, a node may need what nobody reads. */
  return (needed & bit) == 0 ? 0 : x->pool[of->layouts + count_bits(needed & (bit - 1))];
}

/* ---- edges ---- */

static dsm_core_layout layout_at(const expansion *x, uint32_t index) {
  return x->request->layouts->items[index];
}

/* Adds an edge to the state in which the layer's own output has a layout, if that can be on a path
 * within the limit. */
static void add_edge(expansion *x, uint32_t from, size_t edge, uint32_t own_layout, bool is_own,
                     double cycles) {
  const dsm__graph_edge *const free_edge = &x->graph->edges[edge];
  const dsm__network_graph *const free_graph = x->request->free;
  const size_t layer = free_graph->infos[x->states[from].node].layer;
  const double before = x->states[from].before + cycles;
  void *edges = x->edges;
  if (before + x->request->rest[free_edge->to] > x->request->limit_cycles) {
    return;
  }
  size_t count = 0;
  for (dsm__held_set left = free_graph->infos[free_edge->to].needed; left != 0; left &= left - 1) {
    const dsm__held_set bit = left & (~left + 1);
    const bool is_of_layer = is_own && bit == x->request->lives->layers[layer].own;
    x->projected[count++] = is_of_layer ? own_layout : layout_in(x, &x->states[from], bit);
  }
  const uint32_t to = find_state(x, free_edge->to, x->projected);
  if (to == NONE || !reserve(&edges, x->edge_count, 1, &x->edge_capacity, sizeof(layout_edge))) {
    x->is_out_of_memory = true;
    return;
  }
  x->edges = edges;
  x->states[to].before = fmin(x->states[to].before, before);
  dsm__layer_step step = dsm__step_unpack(free_edge->tag);
  step.layout = own_layout;
  const uint32_t tag = is_own ? dsm__step_pack(&step) : free_edge->tag;
  x->edges[x->edge_count++] = (layout_edge){cycles, from, to, tag};
}

/* What layouts add to a layer. */
static double extra_of(const expansion *x, size_t edge, const dsm_held_layouts *layouts) {
  double extra = 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (x->touched[edge].profiles[p] != SIZE_MAX) {
      extra += dsm__profile_extra(&x->profiles.items[x->touched[edge].profiles[p]], layouts);
    }
  }
  return extra;
}

/* Of layouts that no later layer looks at, the first that costs least. */
static void add_best_edge(expansion *x, uint32_t from, size_t edge, dsm_held_layouts *layouts) {
  const dsm__slot_layouts own = x->choices.slots[x->touched[edge].own];
  double least = HUGE_VAL;
  uint32_t best = 0;
  for (size_t i = 0; i < own.count; i++) {
    layouts->output = layout_at(x, own.items[i]);
    const double extra = extra_of(x, edge, layouts);
    if (extra < least) {
      least = extra;
      best = own.items[i];
    }
  }
  add_edge(x, from, edge, best, true, x->graph->edges[edge].cycles + least);
}

/* The edges that an edge of the free graph becomes. */
static void expand_edge(expansion *x, uint32_t from, size_t edge) {
  const dsm__graph_edge *const free_edge = &x->graph->edges[edge];
  const dsm__holding *const holding = &x->request->free->holdings[edge];
  if (!x->touched[edge].is_touching) {
    add_edge(x, from, edge, 0, false, free_edge->cycles);
    return;
  }
  const uint32_t node = x->states[from].node;
  const dsm_layer *const layer = layer_of(x, node);
  const dsm__lives *const lives = x->request->lives;
  dsm_held_layouts layouts = {.inputs = x->inputs};
  layouts.input_count = holding->is_input_held ? layer->producer_count : 0;
  for (size_t i = 0; i < layouts.input_count; i++) {
    const size_t producer = layer->producers[i];
    const uint32_t layout = layout_in(x, &x->states[from], lives->layers[producer].own);
    x->inputs[i] = (dsm_held_tensor){
        layout_at(x, layout),
        x->request->table->inputs->workload->layers[producer].stored_elements};
  }
  if (!holding->is_output_held) {
    add_edge(x, from, edge, 0, false, free_edge->cycles + extra_of(x, edge, &layouts));
    return;
  }
  const dsm__held_set own_bit = lives->layers[x->request->free->infos[node].layer].own;
  if ((x->request->free->infos[free_edge->to].needed & own_bit) == 0) {
    add_best_edge(x, from, edge, &layouts);
    return;
  }
  const dsm__slot_layouts own = x->choices.slots[x->touched[edge].own];
  for (size_t i = 0; i < own.count; i++) {
    layouts.output = layout_at(x, own.items[i]);
    add_edge(x, from, edge, own.items[i], true, free_edge->cycles + extra_of(x, edge, &layouts));
  }
}

/* ---- all of it ---- */

/* A state and what is before it, to be sorted. */
typedef struct ranked_state {
  double before;
  uint32_t index;
} ranked_state;

static int compare_ranked(const void *left, const void *right) {
  const ranked_state *const a = left;
  const ranked_state *const b = right;
  if (a->before < b->before || a->before > b->before) {
    return a->before < b->before ? -1 : 1;
  }
  return (a->index > b->index) - (a->index < b->index);
}

static int compare_indices(const void *left, const void *right) {
  const uint32_t a = *(const uint32_t *)left;
  const uint32_t b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* How many states a node may still have. */
static size_t states_left(const expansion *x) {
  const size_t left = x->request->states_max > x->processed
                          ? x->request->states_max - x->processed
                          : 0;
  const size_t share = left / 4;
  return share < DSM__LAYOUT_STATES_MIN ? DSM__LAYOUT_STATES_MIN : share;
}

/* The states of a node, in order of creation; of too many, the fastest to reach. How many. */
static size_t choose_states(expansion *x, uint32_t node) {
  size_t count = 0;
  for (uint32_t s = x->first[node]; s != NONE; s = x->states[s].next) {
    void *order = x->order;
    if (!reserve(&order, count, 1, &x->order_capacity, sizeof(uint32_t))) {
      x->is_out_of_memory = true;
      return 0;
    }
    x->order = order;
    x->order[count++] = s;
  }
  const size_t most = states_left(x);
  if (count <= most) {
    return count;
  }
  ranked_state *const ranked = malloc(count * sizeof *ranked);
  if (ranked == NULL) {
    x->is_out_of_memory = true;
    return 0;
  }
  for (size_t i = 0; i < count; i++) {
    ranked[i] = (ranked_state){x->states[x->order[i]].before, x->order[i]};
  }
  qsort(ranked, count, sizeof *ranked, compare_ranked);
  for (size_t i = 0; i < most; i++) {
    x->order[i] = ranked[i].index;
  }
  free(ranked);
  qsort(x->order, most, sizeof x->order[0], compare_indices);
  x->is_cut = true;
  return most;
}

/* Nodes in their order, which is that of paths: all that leads to a state is known before it. */
static void expand_all(expansion *x) {
  const uint32_t start = find_state(x, 0, x->projected);
  if (start == NONE) {
    return;
  }
  x->states[start].before = 0;
  for (size_t v = 0; v < x->graph->node_count && !x->is_out_of_memory; v++) {
    const size_t count = choose_states(x, (uint32_t)v);
    for (size_t i = 0; i < count; i++) {
      const uint32_t from = x->order[i];
      x->states[from].number = x->processed++;
      for (size_t e = x->graph->nodes[v].first_edge;
           e < x->graph->nodes[v + 1].first_edge && !x->is_out_of_memory; e++) {
        if (is_in(x, e)) {
          expand_edge(x, from, e);
        }
      }
    }
  }
}

/* Copies states and edges into a graph, in the order of processing. */
static bool copy_graph(expansion *x, dsm__network_graph *network, dsm__arena *arena) {
  dsm__graph_builder builder = {.node_count = 0};
  uint32_t *const in_order = malloc(((size_t)x->processed + 1) * sizeof *in_order);
  bool is_done = in_order != NULL;
  for (size_t s = 0; is_done && s < x->state_count; s++) {
    if (x->states[s].number != NONE) {
      in_order[x->states[s].number] = (uint32_t)s;
    }
  }
  for (uint32_t n = 0; is_done && n < x->processed; n++) {
    const size_t node = x->states[in_order[n]].node;
    dsm__builder_add_node(&builder, x->request->free->infos[node],
                          x->graph->nodes[node].kept_bytes, x->graph->nodes[node].transient_bytes);
  }
  size_t e = 0;
  for (uint32_t n = 0; is_done && n < x->processed; n++) {
    dsm__builder_begin_edges(&builder, n);
    for (; e < x->edge_count && x->edges[e].from == in_order[n]; e++) {
      const uint32_t to = x->states[x->edges[e].to].number;
      if (to != NONE) {
        dsm__builder_add_edge(&builder, to, x->edges[e].cycles, x->edges[e].tag);
      }
    }
  }
  is_done = is_done && !builder.is_out_of_memory;
  size_t *const new_edge =
      is_done ? dsm__arena_array(arena, builder.edge_count, sizeof *new_edge) : NULL;
  is_done = new_edge != NULL && dsm__builder_finish(&builder, network, new_edge, arena);
  network->graph.capacity_bytes = x->graph->capacity_bytes;
  network->graph.is_counting = x->graph->is_counting;
  network->is_cut = x->request->free->is_cut;
  dsm__builder_fini(&builder);
  free(in_order);
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

static bool prepare(expansion *x, dsm__arena *arena) {
  const dsm__search_inputs *const inputs = x->request->table->inputs;
  const size_t nodes = x->graph->node_count;
  const size_t edges = x->graph->nodes[nodes].first_edge;
  x->touched = calloc(edges + 1, sizeof x->touched[0]);
  x->slot_of = calloc(inputs->workload->layer_count * DSM_PARALLELISM_COUNT *
                          x->request->factor_count,
                      sizeof x->slot_of[0]);
  x->first = malloc(nodes * sizeof x->first[0]);
  x->last = malloc(nodes * sizeof x->last[0]);
  x->inputs = malloc(most_producers(inputs->workload) * sizeof x->inputs[0]);
  x->projected = malloc(DSM__SET_BITS * sizeof x->projected[0]);
  if (x->touched == NULL || x->slot_of == NULL || x->first == NULL || x->last == NULL ||
      x->inputs == NULL || x->projected == NULL) {
    return false;
  }
  for (size_t v = 0; v < nodes; v++) {
    x->first[v] = NONE;
  }
  return visit_edges(x, true, find_touched) &&
         dsm__profiles_score(&x->profiles, &x->variants, inputs->options->thread_count) &&
         visit_edges(x, false, add_demands) &&
         dsm__layout_choices_derive(&x->choices, x->slot_count, arena);
}

static void fini(expansion *x) {
  dsm__variants_fini(&x->variants);
  dsm__profiles_fini(&x->profiles);
  dsm__layout_choices_fini(&x->choices);
  free(x->touched);
  free(x->slot_of);
  free(x->states);
  free(x->pool);
  free(x->first);
  free(x->last);
  free(x->slots);
  free(x->edges);
  free(x->inputs);
  free(x->projected);
  free(x->order);
}

bool dsm__layout_graph_build(dsm__layout_graph *made, const dsm__layout_request *request,
                             dsm__arena *arena) {
  expansion x = {.request = request, .graph = &request->free->graph};
  *made = (dsm__layout_graph){.is_found = false};
  x.choices.layouts = request->layouts;
  dsm__variants_init(&x.variants, request->table);
  bool is_done = prepare(&x, arena);
  if (is_done) {
    expand_all(&x);
    made->is_cut = x.is_cut;
if(getenv("RLD")){ size_t ne=0; for(size_t e=0;e<x.graph->nodes[x.graph->node_count].first_edge;e++) ne+=is_in(&x,e); double sl=0; (void)sl; size_t mx=0; for(size_t i=0;i<x.slot_count;i++){sl+=(double)x.choices.slots[i].count; if(x.choices.slots[i].count>mx)mx=x.choices.slots[i].count;} fprintf(stderr,"round: edges in %zu states %zu processed %u edges %zu slots %zu avg %.2f max %zu variants %zu cut %d\n",ne,x.state_count,x.processed,x.edge_count,x.slot_count,sl/((double)x.slot_count+1e-9),mx,x.variants.count,x.is_cut); if(atoi(getenv("RLD"))>1) for(size_t v=0;v<x.graph->node_count;v++){size_t c=0;for(uint32_t s=x.first[v];s!=NONE;s=x.states[s].next)c++; if(c>1){const dsm__node_info*f=&request->free->infos[v];fprintf(stderr," node %zu layer %u %s kind %d p%d f%d needed %zu states %zu\n",v,f->layer,x.request->table->inputs->workload->layers[f->layer].name,f->kind,f->forward,f->factor_index,count_bits(f->needed),c);}}}
    made->is_found = x.first[x.graph->node_count - 1] != NONE;
    is_done = !x.is_out_of_memory &&
              (!made->is_found || copy_graph(&x, &made->network, arena));
    made->network.evaluations = x.profiles.evaluations;
  }
  fini(&x);
  return is_done;
}
