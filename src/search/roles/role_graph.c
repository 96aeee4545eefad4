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

#include "base/map.h"
#include "plan/keeping.h"
#include "plan/role_flow.h"
#include "plan/role_rules.h"
#include "plan/tolerance.h"

/* Along all axes. No padding: compared as bytes. */
typedef struct state {
  uint64_t inside[DSM_AXES_MAX];   /* bit k: what the layer k + 1 before made is live, and inside or
                                      with its experts */
  uint64_t gathered[DSM_AXES_MAX]; /* of these: its input lies gathered, and a later layer reads it
                                      too, */
  uint64_t gathered_again[DSM_AXES_MAX]; /* of these: in update too */
  double again_bytes;                    /* made anew in this segment so far */
  uint32_t outer[DSM_AXES_MAX];          /* dsm_layout */
  uint32_t option;                       /* of a layer's node, + 1; 0: between layers */
} state;

typedef struct role_graph {
  dsm__role_space *space;
  dsm_layer_memory *memories; /* of each option of the layer that is being added */
  dsm__graph_builder builder;
  DSM__LIST(state) states; /* of each node */
  dsm__map index;          /* of the nodes of this layer, or of the states behind it */
  size_t first_indexed;    /* the first state that is in it */
} role_graph;

const dsm__role_options *dsm__role_options_of(const dsm__role_space *space, size_t layer_index) {
  const dsm__distinct *const distinct = &space->problem->table.distinct;
  const size_t row = layer_index < space->problem->inputs.first_layers ? distinct->count : 0;
  return &space->options[row + distinct->class_of[layer_index]];
}

bool dsm__is_role_open(const dsm__role_space *space, size_t layer_index,
                       const dsm__role_option *option) {
  const dsm__fixed_roles *const fixed = space->problem->fixed;
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
  const dsm_layer_decisions decisions = {.shard = option->shard,
                                         .is_recomputed = option->is_recomputed};
  const dsm_pass_layouts layouts = dsm__option_layouts(option);
  dsm_layer_memory memory =
      dsm_layer_memory_derive(layer, machine, inputs->workload, inputs->options->mode, &layouts,
                              dsm_input_memory_bytes(machine, inputs->workload));
  dsm__keep_less(&memory, dsm__shard_ways(layer, machine, &layouts), &decisions,
                 space->layers[layer_index].is_segment_end != 0);
  memory.activations_bytes *= inputs->in_flight > 0 ? inputs->in_flight : 1;
  return memory;
}

static const dsm_layer *layer_of(const role_graph *g, size_t index) {
  return &g->space->problem->inputs.workload->layers[index];
}

static unsigned axis_count_of(const role_graph *g) {
  return g->space->problem->machine.system->system.axis_count;
}

static bool is_training(const role_graph *g) {
  return g->space->problem->inputs.options->mode == DSM_MODE_TRAINING;
}

/* ---- nodes ---- */

/* With each option. */
static void find_memories(role_graph *g, size_t index) {
  for (size_t o = 0; o < dsm__role_options_of(g->space, index)->count; o++) {
    g->memories[o] = dsm__role_memory_of(g->space, index, o);
  }
}

static const state *state_of(const role_graph *g, size_t node) {
  return &g->states.items[node];
}

/* The node of a state between layers, or in which one runs. */
static uint32_t node_of(role_graph *g, const state *of, size_t layer, dsm__node_kind kind) {
  const uint32_t hash = dsm__map_hash(0, of, sizeof *of);
  if (!DSM__LIST_RESERVE(&g->states, 1)) {
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
    const dsm_layer_memory *const memory = &g->memories[of->option - 1];
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

/* ---- sides ---- */

/* The lowest layer of a set is taken out of it. */
static size_t take_nearest(uint64_t *set) {
  size_t k = 0;
  while ((*set >> k & 1U) == 0) {
    k++;
  }
  *set &= *set - 1;
  return k;
}

/* Of tensors that layers before one made; is_far: and others, which are outside. */
static unsigned sides_of(const role_graph *g, const state *s, size_t reader, unsigned axis,
                         uint64_t read, bool is_far) {
  uint64_t inside = s->inside[axis] & read;
  unsigned sides = is_far || (read & ~inside) != 0 ? DSM__SIDE_OUTSIDE : 0U;
  while (inside != 0) {
    sides |= dsm__inner_side(layer_of(g, reader - 1 - take_nearest(&inside)));
  }
  return sides;
}

/* Of what a layer reads. */
static unsigned read_sides(const role_graph *g, const state *s, size_t reader, unsigned axis) {
  const dsm__role_layer *const layer = &g->space->layers[reader];
  return sides_of(g, s, reader, axis, layer->read, layer->reads_far != 0);
}

/* Of what a relayout before layer `next` moves, that which is outside; the output of the layer
 * before is told apart where that has just run. */
static uint64_t outside_elements(const role_graph *g, const state *s, size_t next, unsigned axis,
                                 bool is_behind) {
  if (next == g->space->problem->inputs.workload->layer_count) {
    return 0;
  }
  uint64_t elements = layer_of(g, next)->carried_elements;
  uint64_t others = g->space->layers[next].carried & (s->inside[axis] | (is_behind ? 1U : 0U));
  while (others != 0) {
    const dsm_layer *const maker = layer_of(g, next - 1 - take_nearest(&others));
    elements -= maker->stored_elements * maker->timesteps;
  }
  return elements;
}

static double move_cycles(const role_graph *g, const dsm__role_move *move) {
  const dsm_workload *const workload = g->space->problem->inputs.workload;
  const double bytes = (double)workload->minibatch * workload->element_bytes;
  const dsm_machine *const machine = &g->space->problem->machine;
  const dsm_traffic there = dsm__role_move_traffic(machine, move, bytes, false);
  double cycles = dsm_group_cycles(machine, &there);
  if (is_training(g)) {
    const dsm_traffic back = dsm__role_move_traffic(machine, move, bytes, true);
    cycles += dsm_group_cycles(machine, &back);
  }
  const uint64_t micro_batches = g->space->problem->inputs.micro_batches;
  return cycles * (micro_batches > 0 ? (double)micro_batches : 1);
}

/* ---- edges ---- */

/* What all of a layer's roles ask of a state before it, along each axis. */
typedef struct surroundings {
  const state *from;
  size_t index;
  unsigned sides[DSM_AXES_MAX]; /* of what it reads */
  unsigned shortcut_sides[DSM_AXES_MAX];
  uint64_t outside[DSM_AXES_MAX];      /* elements */
  dsm_axis_set gathered;               /* an earlier layer gathers the same input, */
  dsm_axis_set gathered_again;         /* in update too */
  double moves[1 << 2 * DSM_AXES_MAX]; /* cycles to the outer layouts with this number; below 0: not
                                          known */
} surroundings;

/* An earlier layer gathers the same input along an axis; with the same role, if what is outside
 * does not move before this layer: which of the two roles it has the outer layout tells. */
static surroundings look_around(const role_graph *g, const state *from, size_t index) {
  const dsm__role_layer *const layer = &g->space->layers[index];
  surroundings around = {.from = from, .index = index};
  for (unsigned a = 0; a < axis_count_of(g); a++) {
    around.sides[a] = read_sides(g, from, index, a);
    around.shortcut_sides[a] = sides_of(g, from, index, a, layer->added, layer->adds_far != 0);
    around.outside[a] = outside_elements(g, from, index, a, false);
    around.gathered |= (from->gathered[a] & layer->same) != 0 ? 1U << a : 0U;
    around.gathered_again |= (from->gathered_again[a] & layer->same) != 0 ? 1U << a : 0U;
  }
  for (size_t m = 0; m < DSM__COUNT_OF(around.moves); m++) {
    around.moves[m] = -1;
  }
  return around;
}

/* Of what is outside to other layouts. The network's input lies as its first reader wants it. */
static double entering_cycles(const role_graph *g, surroundings *around, const state *to) {
  size_t number = 0;
  for (unsigned a = 0; a < axis_count_of(g); a++) {
    number |= (size_t)to->outer[a] << 2 * a;
  }
  if (around->moves[number] < 0) {
    dsm__role_move move = {.elements = {0}};
    for (unsigned a = 0; a < axis_count_of(g); a++) {
      move.after.of[a] = (dsm_layout)to->outer[a];
      move.before.of[a] =
          around->index == 0 ? move.after.of[a] : (dsm_layout)around->from->outer[a];
      move.elements[a] = move.before.of[a] != move.after.of[a] ? around->outside[a] : 0;
    }
    around->moves[number] = move_cycles(g, &move);
  }
  return around->moves[number];
}

/* The state in which a layer runs with roles, out of one before it; false if it cannot. `shared`:
 * axes along which its gathers are another's. */
static bool enter(const role_graph *g, const surroundings *around, const dsm__role_option *option,
                  state *to, dsm__role_shares *shared) {
  const dsm_layer *const layer = layer_of(g, around->index);
  *to = *around->from;
  *shared = (dsm__role_shares){0, 0};
  for (unsigned a = 0; a < axis_count_of(g); a++) {
    const dsm_role role = dsm_parallelism_role(option->parallelism, a);
    const unsigned sides = around->sides[a];
    const bool is_read_inside = (sides & ~(unsigned)DSM__SIDE_OUTSIDE) != 0;
    const bool is_made_inside = dsm__is_made_inside(layer, role, sides);
    const bool may_share = dsm__is_column_like(role) || role == DSM_ROLE_EXPERT;
    if (dsm__read_fault(layer, role, sides) != DSM__ROLE_FAULT_NONE ||
        !dsm__are_shortcuts_beside(layer, role, is_made_inside, around->shortcut_sides[a])) {
      return false;
    }
    if (!is_read_inside && to->outer[a] != (uint32_t)dsm_role_input_layout(role)) {
      to->outer[a] = (uint32_t)dsm_role_input_layout(role);
      to->gathered[a] = 0;
      to->gathered_again[a] = 0;
    } else if (may_share && (is_read_inside || dsm_axis_set_has(around->gathered, a))) {
      shared->both |= 1U << a;
    }
  }
  shared->in_update = shared->both & option->gathers & around->gathered_again;
  return true;
}

/* The state behind a layer that ran with roles; and the move that it makes of what is outside.
 * False if what is inside lives for too long. */
static bool leave(const role_graph *g, const state *from, size_t index,
                  const dsm__role_option *option, state *to, dsm__role_move *move) {
  const dsm_layer *const layer = layer_of(g, index);
  const size_t last = dsm__last_use(layer);
  const bool is_live = (g->space->layers[index].live & 1U) != 0;
  *to = *from;
  to->option = 0;
  to->again_bytes = g->space->layers[index].is_segment_end != 0 ? 0 : to->again_bytes;
  *move = (dsm__role_move){.elements = {0}};
  for (unsigned a = 0; a < axis_count_of(g); a++) {
    const dsm_role role = dsm_parallelism_role(option->parallelism, a);
    const unsigned sides = read_sides(g, from, index, a);
    const bool is_made_inside = dsm__is_made_inside(layer, role, sides);
    const bool is_gathering = dsm__is_column_like(role) || role == DSM_ROLE_EXPERT;
    if (is_made_inside && is_live && last - index > DSM__ROLE_REACH) {
      return false;
    }
    /* But what has just been read for the last time. */
    to->inside[a] =
        (to->inside[a] << 1 | (is_made_inside ? 1U : 0U)) & g->space->layers[index].live;
    to->gathered[a] = (to->gathered[a] << 1 | (is_gathering ? 1U : 0U)) &
                      g->space->layers[index].alike & to->inside[a];
    to->gathered_again[a] =
        (to->gathered_again[a] << 1 | (dsm_axis_set_has(option->gathers, a) ? 1U : 0U)) &
        to->gathered[a];
    if (!is_made_inside && to->outer[a] != (uint32_t)dsm_role_output_layout(role)) {
      to->outer[a] = (uint32_t)dsm_role_output_layout(role);
      to->gathered[a] = 0;
      to->gathered_again[a] = 0;
    }
    move->before.of[a] = (dsm_layout)from->outer[a];
    move->after.of[a] = (dsm_layout)to->outer[a];
    if (move->before.of[a] != move->after.of[a]) {
      move->elements[a] = outside_elements(g, to, index + 1, a, true);
    }
  }
  return true;
}

/* With gathers shared along some axes, a layer's option is another one. */
static size_t option_index(const dsm__role_options *options, size_t whole,
                           dsm__role_shares shared) {
  size_t i = whole;
  if (shared.both != 0) {
    i = options->whole_count;
    while (i < options->count &&
           (!dsm__is_same_option(&options->items[i], &options->items[whole]) ||
            options->items[i].shares.both != shared.both ||
            options->items[i].shares.in_update != shared.in_update)) {
      i++;
    }
  }
  return i;
}

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
  const state before = *state_of(g, from);
  const double limit = g->space->least[index] + g->space->slack;
  surroundings around = look_around(g, &before, index);
  dsm__graph_begin_edges(&g->builder, from);
  for (size_t o = 0; o < options->whole_count && !g->builder.is_out_of_memory; o++) {
    state to;
    dsm__role_shares shared;
    if (options->items[o].least_cycles > limit ||
        (options->items[o].is_spare && !g->space->has_spares) ||
        !dsm__is_role_open(g->space, index, &options->items[o]) ||
        !enter(g, &around, &options->items[o], &to, &shared)) {
      continue;
    }
    const size_t option = option_index(options, o, shared);
    const double moving = entering_cycles(g, &around, &to);
    if (options->items[option].cycles + moving <= limit) {
      to.option = (uint32_t)option + 1;
      to.again_bytes = again_bytes(g, to.again_bytes + g->memories[option].recomputed_bytes);
      const uint32_t node = node_of(g, &to, index, DSM__NODE_ENTRY);
      dsm__graph_add_edge(&g->builder, node, moving, 0);
    }
  }
}

static void add_exit(role_graph *g, size_t index, uint32_t from) {
  const dsm__role_options *const options = dsm__role_options_of(g->space, index);
  const state running = *state_of(g, from);
  const dsm__role_option *const option = &options->items[running.option - 1];
  state to;
  dsm__role_move move;
  dsm__graph_begin_edges(&g->builder, from);
  if (leave(g, &running, index, option, &to, &move)) {
    const uint32_t node = node_of(g, &to, index + 1, DSM__NODE_OPEN);
    dsm__graph_add_edge(&g->builder, node, option->cycles + move_cycles(g, &move),
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
  free(g->states.items);
  g->states.items = NULL;
  g->states.count = g->states.capacity = 0;
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
  bool is_same =
      before->layer > 0 && count > 0 && count == before->end - before->first &&
      now->layer + period <= g->space->problem->inputs.workload->layer_count &&
      memcmp(state_of(g, before->first), state_of(g, now->first), count * sizeof(state)) == 0;
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

/* Adds a layer behind a boundary between layers, which becomes the next one. */
static void add_layer(role_graph *g, boundary *at) {
  begin_index(g);
  find_memories(g, at->layer);
  for (size_t node = at->first; node < at->end && !g->builder.is_out_of_memory; node++) {
    add_entries(g, at->layer, (uint32_t)node);
  }
  const size_t first = at->end;
  const size_t end = g->builder.nodes.count;
  begin_index(g);
  for (size_t node = first; node < end && !g->builder.is_out_of_memory; node++) {
    add_exit(g, at->layer, (uint32_t)node);
  }
  *at = (boundary){at->layer + 1, end, g->builder.nodes.count};
}

/* The most segments that a block is taken to have. */
enum { SEGMENTS_OF_BLOCK = 4 };

static void add_layers(role_graph *g, boundary *at) {
  boundary before[SEGMENTS_OF_BLOCK] = {{0, 0, 0}}; /* segments, the latest first */
  g->space->is_too_large = false;
  while (at->layer < g->space->problem->inputs.workload->layer_count &&
         !g->builder.is_out_of_memory && !g->space->is_too_large &&
         !dsm__deadline_is_final(g->space->problem->inputs.deadline)) {
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
        g->space->may_recompute && g->builder.nodes.count > g->space->problem->role_nodes_max;
  }
}

static bool build(role_graph *g, dsm__arena *arena, dsm__network_graph *network) {
  const state start = {.option = 0};
  boundary at = {0, 0, 1};
  begin_index(g);
  node_of(g, &start, 0, DSM__NODE_OPEN);
  add_layers(g, &at);
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
  drop_building(g); /* and this before labels do */
  return is_built;
}

bool dsm__role_graph_build(dsm__role_space *space, dsm__arena *arena, dsm__network_graph *network) {
  role_graph g = {.space = space,
                  .memories = dsm__arena_array(arena, space->most_options, sizeof *g.memories)};
  const bool is_built = g.memories != NULL && build(&g, arena, network);
  drop_building(&g);
  return is_built;
}
