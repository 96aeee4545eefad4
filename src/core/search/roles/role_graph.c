/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_graph.c: all mappings with roles as paths through a graph.
 *
 * Between two layers what later costs depend on is, along each axis, the outer layout and which
 * live tensors are inside (plan/role_flow.h). A layer with its roles is a node, since it keeps
 * memory; edges into it relayout what is outside, the edge out of it is what it takes. Layers whose
 * state before and roles are the same share a node, and states that are the same share one, however
 * they were reached: so the graph grows with layers times states, not with mappings. Equal blocks,
 * out of equal states, are stored once.
 *
 * Options that cannot be on a path within the limit are left out: a path takes at least the least
 * of each layer, so that one which is over its layer's least by more than the limit leaves to the
 * whole is on none.
 */
#include "search/roles/role_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/counted_list.h"
#include "base/map.h"
#include "model/chip_link.h"
#include "plan/keeping.h"
#include "plan/role_rules.h"
#include "plan/tolerance.h"
#include "search/roles/role_rooms.h"

typedef struct role_graph {
  dsm__role_space *space;
  dsm_layer_memory *memories; /* of each option of a layer, once asked for, */
  size_t *known_at;           /* and of which layer it is, + 1 */
  dsm__graph_builder builder;
  DSM__LIST(dsm__role_state) states; /* of each node */
  dsm__map index;                    /* of the nodes of this layer, or of the states behind it */
  size_t first_indexed;              /* the first state that is in it */
} role_graph;

const dsm__role_options *dsm__role_options_in(const dsm__problem *problem,
                                              const dsm__role_options *options,
                                              size_t layer_index) {
  const dsm__distinct *const distinct = &problem->table.distinct;
  const size_t row = dsm__zone_row(&problem->inputs, layer_index);
  return &options[row * distinct->count + distinct->class_of[layer_index]];
}

const dsm__role_options *dsm__role_options_of(const dsm__role_space *space, size_t layer_index) {
  return dsm__role_options_in(space->problem, space->options, layer_index);
}

bool dsm__role_has_spares(const dsm__role_space *space) {
  bool has_any = false;
  for (size_t i = 0; i < space->problem->inputs.workload->layer_count && !has_any; i++) {
    has_any = dsm__role_options_of(space, i)->has_spares;
  }
  return has_any;
}

bool dsm__is_role_open(const dsm__role_space *space, size_t layer_index,
                       const dsm__role_option *option) {
  const dsm__fixed_roles *const fixed = space->problem->fixed;
  const dsm_pass_layouts layouts = dsm__option_layouts(option);
  if (!dsm__is_table_open(&space->problem->inputs, layer_index, &layouts)) {
    return false;
  }
  return fixed == NULL || fixed->layer != layer_index ||
         (fixed->parallelism == option->parallelism && fixed->parallelism == option->update);
}

dsm_layer_memory dsm__role_memory_of(const dsm__role_space *space, size_t layer_index,
                                     size_t option_index) {
  const dsm__search_inputs *const inputs = &space->problem->inputs;
  const dsm_layer *const layer = &space->problem->inputs.workload->layers[layer_index];
  const dsm_machine *const machine = &space->problem->machine;
  const dsm__role_option *const option =
      &dsm__role_options_of(space, layer_index)->items[option_index];
  const dsm_layer_decisions decisions = {
      .shard = option->shard,
      .is_recomputed = option->is_recomputed,
      .is_product_kept = option->is_product_kept,
      .is_output_recomputed = /* the option may be that of others of its class alone */
      option->is_output_recomputed && space->layers[layer_index].may_go_on != 0};
  const dsm_pass_layouts layouts = dsm__option_layouts(option);
  dsm_layer_memory memory =
      dsm_layer_memory_derive(layer, machine, inputs->workload, inputs->options->mode, &layouts);
  const dsm__table_cut owner = dsm__known_owner_cut(inputs, layer_index);
  dsm__add_table_copy(&memory, layer, machine, inputs->workload, inputs->options->mode, &layouts,
                      &owner);
  dsm__keep_less(&memory, layer, machine, &layouts, &decisions,
                 space->layers[layer_index].is_segment_end != 0);
  const double in_flight = inputs->in_flight > 0 ? inputs->in_flight : 1;
  memory.input_bytes *= in_flight;
  memory.activations_bytes *= in_flight;
  return memory;
}

/* ---- nodes ---- */

static const dsm_layer_memory *memory_of(role_graph *g, size_t index, size_t option) {
  if (g->known_at[option] != index + 1) {
    g->known_at[option] = index + 1;
    g->memories[option] = dsm__role_memory_of(g->space, index, option);
  }
  return &g->memories[option];
}

static const dsm__role_state *state_of(const role_graph *g, size_t node) {
  return &g->states.items[node];
}

/* The node of a state between layers, or in which one runs. */
static uint32_t node_of(role_graph *g, const dsm__role_state *of, size_t layer,
                        dsm__node_kind kind) {
  const uint32_t hash = dsm__map_hash(0, of, sizeof *of);
  if (!DSM__LIST_RESERVE_COUNTED(&g->states, 1, g->builder.bytes)) {
    g->builder.is_out_of_memory = true;
    return 0;
  }
  const size_t found = dsm__map_find_in(&g->index, hash, &g->states.items[g->first_indexed],
                                        sizeof *of, of, sizeof *of);
  if (found != DSM__MAP_NONE) {
    return (uint32_t)(g->first_indexed + found);
  }
  const dsm__node_info info = {.layer = (uint32_t)(layer - g->builder.repeated_layers),
                               .kind = (uint8_t)kind};
  if (!dsm__map_add(&g->index, hash, g->states.count - g->first_indexed)) {
    g->builder.is_out_of_memory = true;
    return 0;
  }
  g->states.items[g->states.count++] = *of;
  double kept = 0;
  double transient = 0;
  if (kind == DSM__NODE_ENTRY) {
    const dsm_layer_memory *const memory = memory_of(g, layer, of->option - 1);
    kept = dsm__kept_bytes(memory);
    transient = memory->transient_bytes + of->again_bytes;
  }
  return dsm__graph_add_node(&g->builder, info, kept, transient);
}

static void begin_index(role_graph *g) {
  dsm__map_fini(&g->index);
  g->index = (dsm__map){NULL, 0, 0};
  g->first_indexed = g->states.count;
}

/* ---- edges ---- */

/* As it is counted; grains add up exactly. */
static double again_bytes(const role_graph *g, double bytes) {
  if (g->space->grain <= 0) {
    return bytes;
  }
  return g->space->grain *
         (g->space->is_up ? ceil(bytes / g->space->grain) : floor(bytes / g->space->grain));
}

static void add_entries(role_graph *g, size_t index, uint32_t from) {
  const dsm__role_options *const options = dsm__role_options_of(g->space, index);
  const dsm__role_state before = *state_of(g, from);
  const double most = fmin(g->space->least[index] + g->space->slack,
                           dsm__room_from(g->space, g->space->rooms, index, &before));
  dsm__role_surroundings around = dsm__role_look_around(g->space, &before, index);
  dsm__graph_begin_edges(&g->builder, from);
  for (size_t o = 0; o < options->whole_count && !g->builder.is_out_of_memory; o++) {
    dsm__role_state to;
    dsm__role_state behind;
    dsm__role_move move;
    dsm__role_shares shared;
    const double priced = dsm__role_priced_cost(g->space, index, o);
    if (options->items[o].is_dominated || options->items[o].least_cost + priced > most ||
        (options->items[o].is_spare && !g->space->has_spares) ||
        (options->items[o].is_output_recomputed && g->space->layers[index].may_go_on == 0) ||
        !dsm__is_role_open(g->space, index, &options->items[o]) ||
        !dsm__role_enter(g->space, &around, &options->items[o], &to, &shared)) {
      continue;
    }
    const size_t option = dsm__role_option_index(options, o, shared);
    const double moving = dsm__role_entering_cost(g->space, &around, &to);
    const double counted = options->items[option].cost + moving + priced;
    if (counted <= most &&
        dsm__role_leave(g->space, &to, index, &options->items[o], &behind, &move) &&
        counted <= dsm__room_between(g->space, g->space->rooms, index, &before, &behind) &&
        (g->space->bytes == NULL ||
         g->space->bytes[index][o] <=
             dsm__room_between(g->space, g->space->byte_rooms, index, &before, &behind))) {
      to.option = (uint32_t)option + 1;
      to.again_bytes =
          again_bytes(g, to.again_bytes + memory_of(g, index, option)->recomputed_bytes);
      const uint32_t node = node_of(g, &to, index, DSM__NODE_ENTRY);
      dsm__graph_add_edge(&g->builder, node, moving, 0);
    }
  }
}

/* What a segment that ends with a layer hands over, there and back. */
static double handed_cost(const role_graph *g, size_t index, dsm_parallelism parallelism) {
  const dsm__search_inputs *const inputs = &g->space->problem->inputs;
  const dsm_machine *const machine = &g->space->problem->machine;
  if (!inputs->is_handed || g->space->layers[index].is_segment_end == 0) {
    return 0;
  }
  const dsm_boundary boundary =
      dsm__boundary_derive(&inputs->workload->layers[index], machine, inputs->precision,
                           inputs->workload->minibatch, inputs->handed_axis, 1, parallelism);
  const dsm__cost cost = {.micro = 2 * (double)inputs->micro_batches *
                                   (dsm_group_cycles(machine, &boundary.shift) +
                                    dsm_group_cycles(machine, &boundary.gather))};
  return dsm__price(&inputs->prices, &cost);
}

static void add_exit(role_graph *g, size_t index, uint32_t from) {
  const dsm__role_options *const options = dsm__role_options_of(g->space, index);
  const dsm__role_state running = *state_of(g, from);
  const dsm__role_option *const option = &options->items[running.option - 1];
  dsm__role_state to;
  dsm__role_move move;
  dsm__graph_begin_edges(&g->builder, from);
  if (dsm__role_leave(g->space, &running, index, option, &to, &move)) {
    const uint32_t node = node_of(g, &to, index + 1, DSM__NODE_OPEN);
    dsm__graph_add_edge(&g->builder, node,
                        option->cost + dsm__role_move_cost(g->space, &move) +
                            handed_cost(g, index, option->parallelism),
                        running.option - 1);
  }
}

static void add_end(role_graph *g, size_t first, size_t end) {
  const dsm__node_info info = {.kind = DSM__NODE_END};
  const uint32_t last = (uint32_t)end;
  for (size_t node = first; node < end && !g->builder.is_out_of_memory; node++) {
    dsm__graph_begin_edges(&g->builder, (uint32_t)node);
    dsm__graph_add_edge(&g->builder, last, 0, 0);
  }
  dsm__graph_add_node(&g->builder, info, 0, 0);
  dsm__graph_begin_edges(&g->builder, last);
}

/* What nodes were told apart by. */
static void drop_states(role_graph *g) {
  dsm__map_fini(&g->index);
  g->index = (dsm__map){NULL, 0, 0};
  DSM__LIST_FREE_COUNTED(&g->states, g->builder.bytes);
}

/* What a graph was made with. */
static void drop_building(role_graph *g) {
  drop_states(g);
  dsm__graph_builder_fini(&g->builder);
}

/* Nodes between layers, before a segment. */
typedef struct boundary {
  size_t layer;
  size_t first; /* nodes */
  size_t end;
} boundary;

/* Do layers up to a boundary begin as those before the earlier one did, and go on alike up to as
 * many layers behind it? Between segments only the output of the layer before is live, so that no
 * others are asked for. */
static bool is_repeated(const role_graph *g, const boundary *before, const boundary *now) {
  const size_t period = now->layer - before->layer;
  const size_t count = now->end - now->first;
  bool is_same = before->layer > 0 && count > 0 && count == before->end - before->first &&
                 now->layer + period <= g->space->problem->inputs.workload->layer_count &&
                 memcmp(state_of(g, before->first), state_of(g, now->first),
                        count * sizeof(dsm__role_state)) == 0;
  for (size_t i = now->layer - 1; is_same && i < now->layer + period; i++) {
    is_same = g->space->layers[i].kind == g->space->layers[i - period].kind;
  }
  return is_same;
}

/* Layers that are equal to those before, out of equal states, make the same nodes and edges: what
 * lies between two boundaries comes once more behind the later one, where the states are the same
 * again. */
static bool repeat(role_graph *g, const boundary *before, boundary *now) {
  const size_t period = now->layer - before->layer;
  if (!dsm__graph_repeat(&g->builder, before->first, now->first, before->end - before->first,
                         period)) {
    g->builder.is_out_of_memory = true;
    return false;
  }
  now->layer += period;
  return true;
}

/* Is the graph of no use any more? What it is made with is there once more when it is done. */
static bool is_given_up(const role_graph *g) {
  const dsm__graph_builder *const b = &g->builder;
  const size_t bytes = b->nodes.capacity * sizeof b->nodes.items[0] +
                       b->edges.capacity * sizeof b->edges.items[0] +
                       b->infos.capacity * sizeof b->infos.items[0];
  return b->is_out_of_memory ||
         dsm__deadline_is_final_with(g->space->problem->inputs.deadline, bytes);
}

/* Adds a layer behind a boundary between layers, which becomes the next one. */
static void add_layer(role_graph *g, boundary *at) {
  const size_t edges = g->builder.edges.count;
  begin_index(g);
  for (size_t node = at->first; node < at->end && !is_given_up(g); node++) {
    add_entries(g, at->layer, (uint32_t)node);
  }
  const size_t first = at->end;
  const size_t end = g->builder.nodes.count;
  const size_t looks = (first - at->first) * dsm__role_options_of(g->space, at->layer)->whole_count;
  begin_index(g);
  for (size_t node = first; node < end && !is_given_up(g); node++) {
    add_exit(g, at->layer, (uint32_t)node);
  }
  dsm__deadline_add_work(g->space->problem->inputs.deadline,
                         looks + DSM__WORK_OF_EDGE * (g->builder.edges.count - edges));
  *at = (boundary){at->layer + 1, end, g->builder.nodes.count};
}

/* As many edges as so many for each of the most nodes are too many too. */
enum { EDGES_OF_NODE = 8 };

/* The most segments that a block is taken to have. */
enum { SEGMENTS_OF_BLOCK = 4 };

static size_t most_edges(const dsm__role_space *space) {
  return space->problem->role_edges_max / (space->edge_share > 0 ? space->edge_share : 1);
}

static void add_layers(role_graph *g, boundary *at) {
  boundary before[SEGMENTS_OF_BLOCK] = {{0, 0, 0}}; /* segments, the latest first */
  g->space->is_too_large = false;
  while (at->layer < g->space->problem->inputs.workload->layer_count && !is_given_up(g) &&
         !g->space->is_too_large) {
    const bool is_start = at->layer > 0 && g->space->layers[at->layer - 1].is_segment_end != 0;
    const boundary start = *at;
    size_t repeated = 0;
    while (is_start && repeated < SEGMENTS_OF_BLOCK && !is_repeated(g, &before[repeated], at)) {
      repeated++;
    }
    if (is_start && repeated < SEGMENTS_OF_BLOCK) {
      const size_t period = at->layer - before[repeated].layer;
      if (!repeat(g, &before[repeated], at)) {
        return;
      }
      for (size_t s = 0; s < SEGMENTS_OF_BLOCK; s++) { /* the same block, one later */
        before[s] = s > repeated
                        ? (boundary){0, 0, 0}
                        : (boundary){before[s].layer + period, before[s].first, before[s].end};
      }
      continue;
    }
    if (is_start) {
      memmove(&before[1], &before[0], (SEGMENTS_OF_BLOCK - 1) * sizeof before[0]);
      before[0] = start;
    }
    add_layer(g, at);
    g->space->is_too_large =
        g->space->may_recompute
            ? g->builder.nodes.count > g->space->problem->role_nodes_max ||
                  g->builder.edges.count > EDGES_OF_NODE * g->space->problem->role_nodes_max
            : g->builder.edges.count > most_edges(g->space);
  }
}

static bool build(role_graph *g, dsm__arena *arena, dsm__network_graph *network) {
  const dsm__role_state start = {.option = 0};
  boundary at = {0, 0, 1};
  begin_index(g);
  node_of(g, &start, 0, DSM__NODE_OPEN);
  add_layers(g, &at);
  g->space->problem->found->role_edges += g->builder.edges.count;
  if (g->space->is_too_large || dsm__deadline_is_final(g->space->problem->inputs.deadline)) {
    return true; /* without a graph */
  }
  if (g->builder.is_out_of_memory) {
    return false;
  }
  add_end(g, at.first, at.end);
  drop_states(g); /* before the graph takes their room, */
  const bool is_built =
      !g->builder.is_out_of_memory && dsm__graph_finish(&g->builder, network, NULL, arena);
  network->graph.capacity_bytes = g->space->problem->capacity_bytes;
  network->graph.deadline = g->space->problem->inputs.deadline;
  drop_building(g); /* and this before labels do */
  return is_built;
}

bool dsm__role_graph_build(dsm__role_space *space, dsm__arena *arena, dsm__network_graph *network) {
  role_graph g = {.space = space,
                  .builder = {.bytes = dsm__deadline_bytes(space->problem->inputs.deadline)}};
  const bool is_built = DSM__RESERVE(arena, g.memories, space->most_options) &&
                        DSM__RESERVE(arena, g.known_at, space->most_options) &&
                        build(&g, arena, network);
  drop_building(&g);
  return is_built;
}
