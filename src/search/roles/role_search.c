/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_search.c: all mappings with roles as paths through a graph.
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
#include "search/roles/role_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "plan/keeping.h"
#include "plan/role_flow.h"
#include "plan/role_rules.h"
#include "plan/segment.h"
#include "plan/tolerance.h"
#include "search/roles/role_layers.h"
#include "search/roles/role_options.h"

/*
 * What a segment makes anew is part of a state, so that a segment of many layers has as many states
 * as sums of some of them. Where nodes are too many (dsm__problem), sums are counted in grains.
 * Rounded up, no mapping needs more than it is taken to need: what is found fits. Rounded down,
 * none needs less: no mapping that fits is left out, and the bound is one of all.
 */
/* Along all axes. No padding: compared as bytes. */
typedef struct state {
  uint64_t inside[DSM_AXES_MAX];   /* bit k: what the layer k + 1 before made is live, and inside or
                                      with its experts */
  uint64_t gathered[DSM_AXES_MAX]; /* of these: its input lies gathered, and a later layer reads it
                                      too */
  double again_bytes;              /* made anew in this segment so far */
  uint32_t outer[DSM_AXES_MAX];    /* dsm_layout */
  uint32_t option;                 /* of a layer's node, + 1; 0: between layers */
} state;

typedef struct role_graph {
  dsm__problem *problem;
  const dsm__role_options *options; /* of each class, then of those among the first layers */
  const double *least;              /* of each layer: cycles of its fastest option */
  const dsm__role_layer *layers;    /* what is around each */
  bool may_recompute;
  double grain;      /* what is made anew is counted in so many bytes, a power of 2; 0: exactly, */
  bool is_up;        /* and rounded up; else down */
  bool is_too_large; /* the graph has too many nodes */
  double slack;      /* cycles by which an option may be over its layer's least */
  dsm__arena *arena; /* of the graph */
  dsm_layer_memory *memories; /* of each option of the layer that is being added */
  dsm__graph_builder builder;
  DSM__LIST(state) states; /* of each node */
  dsm__map index;          /* of the nodes of this layer, or of the states behind it */
  size_t first_indexed;    /* the first state that is in it */
} role_graph;

bool dsm__problem_has_roles(const dsm__problem *problem) {
  return dsm__may_have_roles(problem->inputs.options) ||
         dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_ACCUMULATE) ||
         dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_SHARD) ||
         dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_RECOMPUTE) ||
         dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_STAGES);
}

static const dsm_layer *layer_of(const role_graph *g, size_t index) {
  return &g->problem->inputs.workload->layers[index];
}

static unsigned axis_count_of(const role_graph *g) {
  return g->problem->machine.system->system.axis_count;
}

static bool is_training(const role_graph *g) {
  return g->problem->inputs.options->mode == DSM_MODE_TRAINING;
}

static const dsm__role_options *options_of(const role_graph *g, size_t layer) {
  const dsm__distinct *const distinct = &g->problem->table.distinct;
  const size_t row = layer < g->problem->inputs.first_layers ? distinct->count : 0;
  return &g->options[row + distinct->class_of[layer]];
}

/* ---- nodes ---- */

/* What a layer takes with an option. */
static dsm_layer_memory memory_of(const role_graph *g, size_t index, size_t option_index) {
  const dsm__search_inputs *const inputs = &g->problem->inputs;
  const dsm_machine *const machine = &g->problem->machine;
  const dsm__role_option *const option = &options_of(g, index)->items[option_index];
  const dsm_layer_decisions decisions = {.shard = option->shard,
                                         .is_recomputed = option->is_recomputed};
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(option->parallelism);
  dsm_layer_memory memory =
      dsm_layer_memory_derive(layer_of(g, index), machine, inputs->workload, inputs->options->mode,
                              &layouts, dsm_input_memory_bytes(machine, inputs->workload));
  dsm__keep_less(&memory, dsm__shard_ways(layer_of(g, index), machine, &layouts), &decisions,
                 g->layers[index].is_segment_end != 0);
  memory.activations_bytes *= inputs->in_flight > 0 ? inputs->in_flight : 1;
  return memory;
}

/* With each option. */
static void find_memories(role_graph *g, size_t index) {
  for (size_t o = 0; o < options_of(g, index)->count; o++) {
    g->memories[o] = memory_of(g, index, o);
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
  const dsm__role_layer *const layer = &g->layers[reader];
  return sides_of(g, s, reader, axis, layer->read, layer->reads_far != 0);
}

/* Of what a relayout before layer `next` moves, that which is outside; the output of the layer
 * before is told apart where that has just run. */
static uint64_t outside_elements(const role_graph *g, const state *s, size_t next, unsigned axis,
                                 bool is_behind) {
  if (next == g->problem->inputs.workload->layer_count) {
    return 0;
  }
  uint64_t elements = layer_of(g, next)->carried_elements;
  uint64_t others = g->layers[next].carried & (s->inside[axis] | (is_behind ? 1U : 0U));
  while (others != 0) {
    const dsm_layer *const maker = layer_of(g, next - 1 - take_nearest(&others));
    elements -= maker->stored_elements * maker->timesteps;
  }
  return elements;
}

static double move_cycles(const role_graph *g, const dsm__role_move *move) {
  const dsm_workload *const workload = g->problem->inputs.workload;
  const double bytes = (double)workload->minibatch * workload->element_bytes;
  const dsm_machine *const machine = &g->problem->machine;
  const dsm_traffic there = dsm__role_move_traffic(machine, move, bytes, false);
  double cycles = dsm_group_cycles(machine, &there);
  if (is_training(g)) {
    const dsm_traffic back = dsm__role_move_traffic(machine, move, bytes, true);
    cycles += dsm_group_cycles(machine, &back);
  }
  const uint64_t micro_batches = g->problem->inputs.micro_batches;
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
  dsm_axis_set gathered;               /* an earlier layer gathers the same input */
  double moves[1 << 2 * DSM_AXES_MAX]; /* cycles to the outer layouts with this number; below 0: not
                                          known */
} surroundings;

/* An earlier layer gathers the same input along an axis; with the same role, if what is outside
 * does not move before this layer: which of the two roles it has the outer layout tells. */
static surroundings look_around(const role_graph *g, const state *from, size_t index) {
  const dsm__role_layer *const layer = &g->layers[index];
  surroundings around = {.from = from, .index = index};
  for (unsigned a = 0; a < axis_count_of(g); a++) {
    around.sides[a] = read_sides(g, from, index, a);
    around.shortcut_sides[a] = sides_of(g, from, index, a, layer->added, layer->adds_far != 0);
    around.outside[a] = outside_elements(g, from, index, a, false);
    around.gathered |= (from->gathered[a] & layer->same) != 0 ? 1U << a : 0U;
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
static bool enter(const role_graph *g, const surroundings *around, dsm_parallelism parallelism,
                  state *to, dsm_axis_set *shared) {
  const dsm_layer *const layer = layer_of(g, around->index);
  *to = *around->from;
  *shared = 0;
  for (unsigned a = 0; a < axis_count_of(g); a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
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
    } else if (may_share && (is_read_inside || dsm_axis_set_has(around->gathered, a))) {
      *shared |= 1U << a;
    }
  }
  return true;
}

/* The state behind a layer that ran with roles; and the move that it makes of what is outside.
 * False if what is inside lives for too long. */
static bool leave(const role_graph *g, const state *from, size_t index, dsm_parallelism parallelism,
                  state *to, dsm__role_move *move) {
  const dsm_layer *const layer = layer_of(g, index);
  const size_t last = dsm__last_use(layer);
  const bool is_live = (g->layers[index].live & 1U) != 0;
  *to = *from;
  to->option = 0;
  to->again_bytes = g->layers[index].is_segment_end != 0 ? 0 : to->again_bytes;
  *move = (dsm__role_move){.elements = {0}};
  for (unsigned a = 0; a < axis_count_of(g); a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    const unsigned sides = read_sides(g, from, index, a);
    const bool is_made_inside = dsm__is_made_inside(layer, role, sides);
    const bool is_gathering = dsm__is_column_like(role) || role == DSM_ROLE_EXPERT;
    if (is_made_inside && is_live && last - index > DSM__ROLE_REACH) {
      return false;
    }
    /* But what has just been read for the last time. */
    to->inside[a] = (to->inside[a] << 1 | (is_made_inside ? 1U : 0U)) & g->layers[index].live;
    to->gathered[a] =
        (to->gathered[a] << 1 | (is_gathering ? 1U : 0U)) & g->layers[index].alike & to->inside[a];
    if (!is_made_inside && to->outer[a] != (uint32_t)dsm_role_output_layout(role)) {
      to->outer[a] = (uint32_t)dsm_role_output_layout(role);
      to->gathered[a] = 0;
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
static size_t option_index(const dsm__role_options *options, size_t whole, dsm_axis_set shared) {
  size_t i = whole;
  if (shared != 0) {
    i = options->whole_count;
    while (i < options->count &&
           (!dsm__is_same_option(&options->items[i], &options->items[whole]) ||
            options->items[i].shared != shared)) {
      i++;
    }
  }
  return i;
}

/* May a layer have roles: is it free, or are these what it has to have? */
static bool is_open(const role_graph *g, size_t index, dsm_parallelism parallelism) {
  const dsm__fixed_roles *const fixed = g->problem->fixed;
  return fixed == NULL || fixed->layer != index || fixed->parallelism == parallelism;
}

/* As it is counted; grains add up exactly. */
static double again_bytes(const role_graph *g, double bytes) {
  if (g->grain <= 0) {
    return bytes;
  }
  return g->grain * (g->is_up ? ceil(bytes / g->grain) : floor(bytes / g->grain));
}

static void add_entries(role_graph *g, size_t index, uint32_t from) {
  const dsm__role_options *const options = options_of(g, index);
  const state before = *state_of(g, from);
  const double limit = g->least[index] + g->slack;
  surroundings around = look_around(g, &before, index);
  dsm__graph_begin_edges(&g->builder, from);
  for (size_t o = 0; o < options->whole_count && !g->builder.is_out_of_memory; o++) {
    state to;
    dsm_axis_set shared;
    if (options->items[o].least_cycles > limit ||
        !is_open(g, index, options->items[o].parallelism) ||
        !enter(g, &around, options->items[o].parallelism, &to, &shared)) {
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
  const dsm__role_options *const options = options_of(g, index);
  const state running = *state_of(g, from);
  const dsm__role_option *const option = &options->items[running.option - 1];
  state to;
  dsm__role_move move;
  dsm__graph_begin_edges(&g->builder, from);
  if (leave(g, &running, index, option->parallelism, &to, &move)) {
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
      now->layer + period <= g->problem->inputs.workload->layer_count &&
      memcmp(state_of(g, before->first), state_of(g, now->first), count * sizeof(state)) == 0;
  for (size_t i = now->layer - 1; is_same && i < now->layer + period; i++) {
    is_same = g->layers[i].kind == g->layers[i - period].kind;
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
  g->is_too_large = false;
  while (at->layer < g->problem->inputs.workload->layer_count && !g->builder.is_out_of_memory &&
         !g->is_too_large && !dsm__deadline_is_final(g->problem->inputs.deadline)) {
    const bool is_start = at->layer > 0 && g->layers[at->layer - 1].is_segment_end != 0;
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
    g->is_too_large = g->may_recompute && g->builder.nodes.count > g->problem->role_nodes_max;
  }
}

static bool build(role_graph *g, dsm__network_graph *network) {
  const state start = {.option = 0};
  boundary at = {0, 0, 1};
  begin_index(g);
  node_of(g, &start, 0, DSM__NODE_OPEN);
  add_layers(g, &at);
  if (g->is_too_large || dsm__deadline_is_final(g->problem->inputs.deadline)) {
    return true; /* without a graph */
  }
  if (g->builder.is_out_of_memory) {
    return false;
  }
  add_end(g, at.first, at.end);
  drop_states(g); /* before the graph takes their room, */
  const bool is_built =
      !g->builder.is_out_of_memory && dsm__graph_finish(&g->builder, network, NULL, g->arena);
  network->graph.capacity_bytes = g->problem->capacity_bytes;
  drop_building(g); /* and this before labels do */
  return is_built;
}

/* ---- the answer ---- */

/* What a path decides of a layer with an option. */
static void decide_layer(const role_graph *g, size_t index, size_t option_index,
                         dsm__layer_decision *decision) {
  const dsm__problem *const problem = g->problem;
  const dsm_layer *const layer = layer_of(g, index);
  const dsm__role_option *const option = &options_of(g, index)->items[option_index];
  *decision = (dsm__layer_decision){
      .layouts = dsm_pass_layouts_uniform(option->parallelism),
      .layer = {.dysm_factor = layer->timesteps == 1 ? dsm__factor_of(option->factor_index) : 1,
                .shard = option->shard,
                .is_recomputed = option->is_recomputed},
  };
  dsm__layer_setting setting = dsm__run_setting(&problem->inputs, layer, option->factor_index);
  setting.gathered_before = option->shared;
  setting.summed_later = option->shared;
  setting.is_recomputed = option->is_recomputed;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (dsm_pass_exists(layer, setting.mode, (dsm_pass)p)) {
      const dsm__best_pass best = dsm__best_pass_find(
          &setting, (dsm_pass)p, option->parallelism,
          dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_REUSE), &problem->table.splits);
      decision->is_kernel_kept[p] = best.is_kernel_kept;
      memcpy(decision->splits[p], best.splits, sizeof best.splits);
    }
  }
}

static bool decide(const role_graph *g, const dsm__network_graph *network,
                   const dsm__graph_path *path, dsm__decisions *decisions) {
  dsm__problem *const problem = g->problem;
  dsm__layer_decision *layers = NULL;
  if (!DSM__RESERVE(problem->arena, layers, problem->inputs.workload->layer_count)) {
    return false;
  }
  dsm__graph_place at = dsm__graph_start(&network->graph);
  for (size_t i = 0; i < path->length; i++) {
    const dsm__graph_edge *const edge = dsm__graph_edge_at(&network->graph, at, path->edges[i]);
    const dsm__node_info *const info = &network->infos[at.node];
    if (info->kind == DSM__NODE_ENTRY) {
      const size_t index = info->layer + at.run.layers;
      decide_layer(g, index, edge->tag, &layers[index]);
    }
    at = dsm__graph_behind(&network->graph, at, edge);
  }
  *decisions = (dsm__decisions){.layers = layers, .micro_batches = problem->inputs.micro_batches};
  return true;
}

static bool find_options(role_graph *g, bool may_recompute) {
  const dsm__distinct *const distinct = &g->problem->table.distinct;
  const size_t layer_count = g->problem->inputs.workload->layer_count;
  dsm__role_options *const options =
      dsm__arena_array(g->problem->arena, 2 * distinct->count, sizeof *options);
  double *const least = dsm__arena_array(g->problem->arena, layer_count, sizeof *least);
  size_t *const rows = dsm__arena_array(g->problem->arena, layer_count, sizeof *rows);
  bool *const ends = dsm__arena_array(g->problem->arena, layer_count, sizeof *ends);
  const bool *const is_cut = g->problem->inputs.is_cut;
  dsm__segment_walk walk = dsm__segments_begin(g->problem->inputs.workload);
  if (options == NULL || least == NULL || rows == NULL || ends == NULL) {
    return false;
  }
  size_t most_options = 0;
  g->options = options;
  g->least = least;
  for (size_t i = 0; i < layer_count; i++) {
    dsm__role_options *const own = &options[options_of(g, i) - options];
    if (own->items == NULL) {
      *own = dsm__role_options_find(g->problem, i, may_recompute);
    }
    if (own->items == NULL) {
      return false;
    }
    const bool is_last = dsm__segment_ends(&walk, i) && i + 1 < layer_count;
    ends[i] = is_cut != NULL ? is_cut[i] : is_last;
    rows[i] = (size_t)(own - options);
    least[i] = HUGE_VAL;
    most_options = own->count > most_options ? own->count : most_options;
    for (size_t o = 0; o < own->count; o++) {
      least[i] = is_open(g, i, own->items[o].parallelism) ? fmin(least[i], own->items[o].cycles)
                                                          : least[i];
    }
  }
  const size_t other = g->problem->fixed == NULL ? SIZE_MAX : g->problem->fixed->layer;
  g->memories = dsm__arena_array(g->problem->arena, most_options, sizeof g->memories[0]);
  g->layers =
      dsm__role_layers_find(g->problem->inputs.workload, rows, ends, other, g->problem->arena);
  return g->memories != NULL && g->layers != NULL;
}

bool dsm__role_outlook_find(dsm__problem *problem, dsm__role_outlook *outlook,
                            dsm_layer_memory *memory) {
  const double times =
      problem->inputs.micro_batches > 0 ? (double)problem->inputs.micro_batches : 1;
  role_graph g = {.problem = problem};
  *outlook = (dsm__role_outlook){0, 0};
  if (!find_options(&g, dsm__has_optimization(&problem->inputs, DSM_OPTIMIZATION_RECOMPUTE))) {
    return false;
  }
  for (size_t i = 0; i < problem->inputs.workload->layer_count; i++) {
    const dsm__role_options *const options = options_of(&g, i);
    double least = HUGE_VAL;
    double kept = HUGE_VAL;
    for (size_t o = 0; o < options->count; o++) {
      least = fmin(least, (options->items[o].cycles - options->items[o].once_cycles) / times);
    }
    const size_t first = g.layers[i].kind;
    for (size_t o = 0; o < options->whole_count && first == i; o++) {
      const dsm_layer_memory own = memory_of(&g, i, o);
      if (dsm__kept_bytes(&own) < kept) {
        kept = dsm__kept_bytes(&own);
        memory[i] = own;
      }
    }
    memory[i] = memory[first];
    outlook->cycles += g.least[i];
    outlook->micro_cycles += least;
  }
  return true;
}

/* What all mappings need at least: each layer keeps the least of all its options, and the largest
 * need of a layer while it runs is not less than the least of any. False if out of memory. */
static bool least_need_bytes(const role_graph *g, double *need_bytes) {
  const size_t layer_count = g->problem->inputs.workload->layer_count;
  double kept = 0;
  double transient = 0;
  double *least_kept = NULL;
  if (!DSM__RESERVE(g->problem->arena, least_kept, layer_count)) {
    return false;
  }
  for (size_t i = 0; i < layer_count; i++) {
    const size_t first = g->layers[i].kind;
    double least_transient = HUGE_VAL;
    least_kept[i] = first < i ? least_kept[first] : HUGE_VAL;
    for (size_t o = 0; o < options_of(g, i)->whole_count && first == i; o++) {
      const dsm_layer_memory memory = memory_of(g, i, o);
      least_kept[i] = fmin(least_kept[i], dsm__kept_bytes(&memory));
      least_transient = fmin(least_transient, memory.transient_bytes);
    }
    kept += least_kept[i];
    transient = first == i ? fmax(transient, least_transient) : transient;
  }
  *need_bytes = kept + transient;
  return true;
}

/* One graph of the options that the slack leaves. */
static bool search_graph(role_graph *g, dsm__graph_answer *answer, dsm__decisions *decisions) {
  dsm__network_graph network = {.is_cut = false};
  dsm__graph_path path;
  *answer = (dsm__graph_answer){.cycles = HUGE_VAL, .lower_bound_cycles = HUGE_VAL};
  g->arena = dsm__arena_new();
  bool is_good = g->arena != NULL && build(g, &network);
  if (is_good && network.graph.nodes != NULL && dsm__graph_edge_count(&network.graph) > 0) {
    is_good = dsm__graph_search(&network.graph, g->arena, &path, answer) &&
              decide(g, &network, &path, decisions);
  }
  dsm__arena_free(g->arena);
  drop_building(g);
  return is_good;
}

/* Puts the answers with what is made anew rounded up and down together. */
static void join_rounded(role_graph *g, const dsm__graph_answer *down, dsm__graph_answer *answer) {
  const double least = g->is_too_large ? 0 : down->lower_bound_cycles;
  if (!answer->is_feasible && !g->is_too_large && !down->is_feasible) {
    *answer = *down; /* then it is proven that none fits */
    return;
  }
  g->problem->is_need_rounded = g->problem->is_need_rounded || !answer->is_feasible;
  answer->lower_bound_cycles = fmin(answer->lower_bound_cycles, least);
}

/* The options that a slack leaves; with larger and larger grains where there are too many states.
 */
static bool search_within(role_graph *g, double slack, dsm__graph_answer *answer,
                          dsm__decisions *decisions) {
  static const double grains = 256; /* in the memory, at first */
  static const double growth = 8;
  g->slack = slack;
  g->grain = 0;
  if (!search_graph(g, answer, decisions)) {
    return false;
  }
  double grain = exp2(ceil(log2(fmax(1, g->problem->capacity_bytes / grains))));
  const double last = growth * g->problem->capacity_bytes; /* more than can be made anew */
  while (g->is_too_large && grain <= last && !dsm__deadline_is_final(g->problem->inputs.deadline)) {
    g->grain = grain;
    g->is_up = true;
    if (!search_graph(g, answer, decisions)) {
      return false;
    }
    if (!g->is_too_large) {
      dsm__graph_answer down;
      dsm__decisions others;
      g->is_up = false;
      if (!search_graph(g, &down, &others)) {
        return false;
      }
      join_rounded(g, &down, answer);
      return true;
    }
    grain *= growth;
  }
  if (g->is_too_large) { /* nothing is known */
    g->problem->is_need_rounded = true;
    answer->lower_bound_cycles = 0;
  }
  return true;
}

/*
 * A small slack first: a path that it leaves and that is not over it is the fastest of all, since
 * what is left out is on no faster one. A path that is over it says how much slack is enough.
 */
bool dsm__role_search(dsm__problem *problem, bool may_recompute, double limit_cycles,
                      dsm__graph_answer *answer, dsm__decisions *decisions) {
  static const double first_share = 0.05; /* of what all layers take at least */
  static const double growth = 8;
  role_graph g = {.problem = problem, .may_recompute = may_recompute};
  *answer = (dsm__graph_answer){.cycles = HUGE_VAL, .lower_bound_cycles = HUGE_VAL};
  if (!find_options(&g, may_recompute) || !least_need_bytes(&g, &answer->smallest_need_bytes)) {
    return false;
  }
  if (answer->smallest_need_bytes > dsm__capacity_limit(problem->capacity_bytes)) {
    return true; /* no graph has a path that fits */
  }
  double least = 0;
  for (size_t i = 0; i < problem->inputs.workload->layer_count; i++) {
    least += g.least[i];
  }
  const double most = fmin(dsm__tie_limit(limit_cycles) - least, DBL_MAX);
  double slack = fmin(most, first_share * least);
  while (slack >= 0 && isfinite(least)) {
    if (!search_within(&g, slack, answer, decisions)) {
      return false;
    }
    const double over = dsm__tie_limit(answer->cycles) - least;
    if (slack >= most || (answer->is_feasible && over <= slack)) {
      break;
    }
    if (answer->is_feasible ? dsm__problem_is_over(problem)
                            : dsm__deadline_is_final(problem->inputs.deadline)) {
      /* What the slack leaves out takes at least so much more. */
      answer->lower_bound_cycles = fmin(answer->lower_bound_cycles, least + slack);
      break;
    }
    /* Where much more time makes nothing fit, all options are asked at once. */
    const double more = slack > least ? most : growth * slack;
    slack = fmin(most, answer->is_feasible ? over : more);
  }
  return true;
}
