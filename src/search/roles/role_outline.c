/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_outline.c: a graph of roles seen through few states.
 *
 * A state of the graph (role_states.h) is told by its outer layouts, and by the axes along which
 * the output of the layer before is not outside. Each edge of the graph has one here between what
 * its states are told by, which takes no more:
 *
 * - What a layer reads is on one side along an axis, or it could not run. If it reads the output of
 *   the layer before, that is the side of this one. Else it is taken to be on any side.
 * - What it adds or multiplies is taken to be where it has to be.
 * - Where a relayout before a layer can move no other output than the last one, it is the graph's.
 *   Else the others are taken to be where they do not move. What is moved along an axis is a
 *   collective that takes no less with more bytes, and no less if other axes are in it: the dearest
 *   axis is taken alone.
 * - A layer takes what it takes with all that it may share. The relayout behind it moves all but
 *   its output: it takes nothing here.
 */
#include "search/roles/role_outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/tolerance.h"
#include "search/roles/role_states.h"

enum { CODES = DSM__OUTLINE_CODES, SIDES_MAX = 3 };

/* What floors of more take costs more than they tell. */
enum { STATES_MAX = 1 << 18 };

static unsigned with_axis(unsigned code, unsigned axis, unsigned outer, bool is_inside) {
  return code | (outer | (is_inside ? 4U : 0U)) << 3 * axis;
}

/* ---- one layer ---- */

typedef struct record {
  dsm__role_point point;
  uint16_t from;
  uint16_t to;
} record;

typedef struct building {
  const dsm__role_space *space;
  dsm__arena *arena;
  size_t index;              /* of the layer */
  unsigned sides[SIDES_MAX]; /* that what it reads may be on */
  size_t side_count;
  bool reads_last;
  const dsm__role_point *point; /* of an option, */
  dsm_parallelism parallelism;  /* with these roles */
  DSM__LIST(record) records;
  bool is_out_of_memory;
  bool is_run[CODES]; /* states in which an option may run */
} building;

static const dsm_layer *layer_of(const dsm__role_space *space, size_t index) {
  return &space->problem->inputs.workload->layers[index];
}

static void find_sides(building *b) {
  const dsm__role_layer *const layer = &b->space->layers[b->index];
  const bool is_far = layer->reads_far != 0 || layer->read == 0;
  b->reads_last = (layer->read & 1U) != 0;
  b->sides[0] = DSM__SIDE_OUTSIDE;
  b->side_count = 1;
  if (!is_far && b->reads_last) {
    b->sides[b->side_count++] = dsm__inner_side(layer_of(b->space, b->index - 1));
  } else if (!is_far) {
    b->sides[b->side_count++] = DSM__SIDE_INSIDE;
    b->sides[b->side_count++] = DSM__SIDE_EXPERTS;
  }
}

static void add_record(building *b, unsigned from, unsigned to) {
  if (!DSM__LIST_RESERVE_IN(&b->records, 1, b->arena)) {
    b->is_out_of_memory = true;
    return;
  }
  b->records.items[b->records.count++] = (record){*b->point, (uint16_t)from, (uint16_t)to};
  b->is_run[from] = true;
}

/* All states, from an axis on, that an option leads from and to. */
static void add_records(building *b, unsigned axis, unsigned from, unsigned to) {
  if (axis == b->space->problem->machine.system->system.axis_count) {
    add_record(b, from, to);
    return;
  }
  const dsm_layer *const layer = layer_of(b->space, b->index);
  const dsm_role role = dsm_parallelism_role(b->parallelism, axis);
  for (size_t s = 0; s < b->side_count; s++) {
    const unsigned side = b->sides[s];
    const bool is_read_inside = side != DSM__SIDE_OUTSIDE;
    const bool is_made_inside = dsm__is_made_inside(layer, role, side);
    const unsigned asked = (unsigned)dsm_role_input_layout(role);
    if (dsm__read_fault(layer, role, side) != DSM__ROLE_FAULT_NONE) {
      continue;
    }
    for (unsigned outer = 0; outer < (unsigned)DSM_LAYOUT_COUNT; outer++) {
      if (is_read_inside || outer == asked) {
        const unsigned made = is_made_inside ? outer : (unsigned)dsm_role_output_layout(role);
        add_records(b, axis + 1, with_axis(from, axis, outer, is_read_inside),
                    with_axis(to, axis, made, is_made_inside));
      }
    }
  }
}

static int compare_records(const void *left, const void *right) {
  const record *const a = left;
  const record *const b = right;
  if (a->from != b->from || a->to != b->to) {
    return (a->from != b->from ? a->from < b->from : a->to < b->to) ? -1 : 1;
  }
  return a->point.micro_cycles < b->point.micro_cycles
             ? -1
             : (a->point.micro_cycles > b->point.micro_cycles ? 1 : 0);
}

/* The records of an edge as points of which none is below another. */
static bool take_edges(building *b, dsm__outline_layer *out) {
  const size_t count = b->records.count;
  if (!DSM__RESERVE(b->arena, out->edges, count + 1) ||
      !DSM__RESERVE(b->arena, out->points, count + 1)) {
    return false;
  }
  if (count > 0) {
    qsort(b->records.items, count, sizeof b->records.items[0], compare_records);
  }
  for (size_t i = 0; i < count; i++) {
    const record *const one = &b->records.items[i];
    const bool is_first = i == 0 || one->from != one[-1].from || one->to != one[-1].to;
    if (is_first) {
      out->edges[out->edge_count++] = (dsm__outline_edge){
          one->from, one->to, (uint32_t)out->point_count, (uint32_t)out->point_count};
    }
    dsm__outline_edge *const edge = &out->edges[out->edge_count - 1];
    dsm__role_front front = {&out->points[edge->first], edge->end - edge->first};
    dsm__role_front_add(&front, &one->point);
    edge->end = edge->first + (uint32_t)front.count;
    out->point_count = edge->end;
  }
  return true;
}

/* Cycles of a relayout before the layer, at least. */
static double move_cycles(const building *b, unsigned from, unsigned to) {
  const dsm__role_space *const space = b->space;
  const unsigned axes = space->problem->machine.system->system.axis_count;
  const uint64_t carried = space->layers[b->index].carried;
  const dsm_layer *const last = layer_of(space, b->index - 1);
  const uint64_t of_last = (carried & 1U) != 0 ? last->stored_elements * last->timesteps : 0;
  const uint64_t others = layer_of(space, b->index)->carried_elements - of_last;
  const bool is_known = (carried & ~UINT64_C(1)) == 0;
  const uint64_t micro_batches = space->problem->inputs.micro_batches;
  dsm__role_move move = {.elements = {0}};
  double dearest = 0;
  for (unsigned a = 0; a < axes; a++) {
    move.before.of[a] = (dsm_layout)dsm__outline_outer(from, a);
    move.after.of[a] = (dsm_layout)dsm__outline_outer(to, a);
    if (move.before.of[a] != move.after.of[a]) {
      move.elements[a] = (is_known ? others : 0) + (dsm__outline_is_inside(from, a) ? 0 : of_last);
    }
  }
  for (unsigned a = 0; a < axes && !is_known; a++) {
    dsm__role_move alone = move;
    for (unsigned other = 0; other < axes; other++) {
      alone.elements[other] = other == a ? move.elements[a] : 0;
      alone.after.of[other] = other == a ? move.after.of[a] : move.before.of[other];
    }
    dearest = fmax(dearest, dsm__role_move_cycles(space, &alone));
  }
  return (is_known ? dsm__role_move_cycles(space, &move) : dearest) /
         (micro_batches > 0 ? (double)micro_batches : 1);
}

/* Does a state before the layer go with one in which it runs? */
static bool is_before(const building *b, unsigned from, unsigned to) {
  bool is_good = true;
  for (unsigned a = 0; a < b->space->problem->machine.system->system.axis_count; a++) {
    const bool is_read_inside = dsm__outline_is_inside(to, a);
    is_good = is_good &&
              (!is_read_inside || dsm__outline_outer(from, a) == dsm__outline_outer(to, a)) &&
              (!b->reads_last || is_read_inside == dsm__outline_is_inside(from, a));
  }
  return is_good;
}

/* The network's input lies as its first reader wants it. */
static bool take_moves(building *b, const bool *is_there, dsm__outline_layer *out) {
  DSM__LIST(dsm__outline_move) moves = {NULL, 0, 0};
  for (unsigned from = 0; from < CODES; from++) {
    for (unsigned to = 0; to < CODES && is_there[from]; to++) {
      if (!b->is_run[to] || (b->index > 0 && !is_before(b, from, to))) {
        continue;
      }
      if (!DSM__LIST_RESERVE_IN(&moves, 1, b->arena)) {
        return false;
      }
      moves.items[moves.count++] = (dsm__outline_move){(uint16_t)from, (uint16_t)to,
                                                       b->index > 0 ? move_cycles(b, from, to) : 0};
    }
  }
  out->moves = moves.items;
  out->move_count = moves.count;
  return true;
}

/* A layer out of some states; NULL if out of memory. */
static const dsm__outline_layer *build(const dsm__role_space *space, size_t index,
                                       const bool *is_there) {
  building b = {.space = space, .arena = space->problem->arena, .index = index};
  const dsm__role_options *const options = dsm__role_options_of(space, index);
  dsm__outline_layer *const out = dsm__arena_array(b.arena, 1, sizeof *out);
  find_sides(&b);
  for (size_t o = 0; o < options->whole_count && !b.is_out_of_memory; o++) {
    const dsm__role_option *const option = &options->items[o];
    if (isfinite(option->least_cycles) && dsm__is_role_open(space, index, option)) {
      const dsm__role_point point = dsm__role_point_of(space, index, option);
      b.point = &point;
      b.parallelism = option->parallelism;
      add_records(&b, 0, 0, 0);
    }
  }
  return out != NULL && !b.is_out_of_memory && take_moves(&b, is_there, out) && take_edges(&b, out)
             ? out
             : NULL;
}

/* ---- all layers ---- */

/* A layer that has been built, and the states that it is built for. */
typedef struct built {
  const dsm__outline_layer *layer;
  size_t index;
  bool is_there[CODES];
} built;

static bool is_built_for(const dsm__role_space *space, const built *one, size_t index,
                         const bool *is_there) {
  const dsm__role_layer *const layers = space->layers;
  bool is_same = one->index > 0 && index > 0 && layers[one->index].kind == layers[index].kind &&
                 layers[one->index - 1].kind == layers[index - 1].kind;
  for (size_t c = 0; c < CODES && is_same; c++) {
    is_same = one->is_there[c] || !is_there[c];
  }
  return is_same;
}

static bool build_all(const dsm__role_space *space, dsm__role_outline *outline) {
  DSM__LIST(built) list = {NULL, 0, 0};
  bool is_there[CODES] = {true};
  for (size_t i = 0; i < outline->layer_count; i++) {
    size_t at = 0;
    while (at < list.count && !is_built_for(space, &list.items[at], i, is_there)) {
      at++;
    }
    if (at == list.count) {
      if (!DSM__LIST_RESERVE_IN(&list, 1, space->problem->arena)) {
        return false;
      }
      built *const one = &list.items[list.count++];
      one->index = i;
      memcpy(one->is_there, is_there, sizeof is_there);
      one->layer = build(space, i, is_there);
      if (one->layer == NULL) {
        return false;
      }
    }
    const dsm__outline_layer *const layer = list.items[at].layer;
    outline->layers[i] = layer;
    memset(is_there, 0, sizeof is_there);
    for (size_t e = 0; e < layer->edge_count; e++) {
      is_there[layer->edges[e].to] = true;
    }
    if (!DSM__RESERVE(space->problem->arena, outline->is_out[i], layer->point_count + 1)) {
      return false;
    }
  }
  return true;
}

bool dsm__role_outline_find(dsm__problem *problem, bool is_rough, dsm__role_outline *outline) {
  const size_t count = problem->inputs.workload->layer_count;
  const size_t states = (size_t)1 << 3 * problem->machine.system->system.axis_count;
  dsm__role_space space = {.problem = problem};
  *outline = (dsm__role_outline){.state_count = states};
  if (count + 1 > STATES_MAX / states) {
    return true;
  }
  if (!dsm__role_space_find(&space, is_rough, false) ||
      !DSM__RESERVE(problem->arena, outline->layers, count) ||
      !DSM__RESERVE(problem->arena, outline->is_out, count) ||
      !DSM__RESERVE(problem->arena, outline->added, count) ||
      !DSM__RESERVE(problem->arena, outline->before, (count + 1) * states) ||
      !DSM__RESERVE(problem->arena, outline->behind, (count + 1) * states)) {
    return false;
  }
  if (dsm__deadline_is_final(problem->inputs.deadline)) {
    return true; /* not all options are there */
  }
  outline->layer_count = count;
  return build_all(&space, outline);
}

/* ---- paths ---- */

static double lesser(double a, double b) {
  return a < b ? a : b;
}

static void begin(const dsm__role_outline *outline, double *states) {
  for (size_t c = 0; c < outline->state_count; c++) {
    states[c] = HUGE_VAL;
  }
}

static double weighed(const dsm__role_point *point, const dsm__role_point *weights) {
  return weights->micro_cycles * point->micro_cycles + weights->once_cycles * point->once_cycles +
         weights->latency_cycles * point->latency_cycles;
}

/* Of an edge, the least of the options that are left. */
static double least_of(const dsm__role_outline *outline, size_t layer,
                       const dsm__outline_edge *edge, const dsm__role_point *weights) {
  const dsm__role_point *const points = outline->layers[layer]->points;
  double least = HUGE_VAL;
  for (size_t p = edge->first; p < edge->end; p++) {
    if (!outline->is_out[layer][p]) {
      least = lesser(least, weighed(&points[p], weights));
    }
  }
  return least;
}

/* What is added to a state before a layer. */
static double added_at(const dsm__role_outline *outline, size_t index, size_t state) {
  return outline->added[index] != NULL ? outline->added[index][state] : 0;
}

static void enter(const dsm__role_outline *outline, size_t index, double weight, double added,
                  const double *before, double *running) {
  const dsm__outline_layer *const layer = outline->layers[index];
  begin(outline, running);
  for (size_t m = 0; m < layer->move_count; m++) {
    const dsm__outline_move *const move = &layer->moves[m];
    running[move->to] = lesser(running[move->to], before[move->from] + weight * move->cycles +
                                                      added * added_at(outline, index, move->from));
  }
}

void dsm__outline_pass(const dsm__role_outline *outline, size_t index,
                       const dsm__role_point *weights, double moved, double added,
                       const double *before, double *behind) {
  const dsm__outline_layer *const layer = outline->layers[index];
  double running[CODES];
  enter(outline, index, moved, added, before, running);
  begin(outline, behind);
  for (size_t e = 0; e < layer->edge_count; e++) {
    const dsm__outline_edge *const edge = &layer->edges[e];
    if (running[edge->from] < HUGE_VAL) {
      behind[edge->to] =
          lesser(behind[edge->to], running[edge->from] + least_of(outline, index, edge, weights));
    }
  }
}

static const dsm__role_point micro = {1, 0, 0};

/* Back through a layer, and out with the options that are on no path within the limit. */
static bool pass_back(dsm__role_outline *outline, size_t index, const dsm__outline_rule *rule,
                      double limit) {
  const dsm__outline_layer *const layer = outline->layers[index];
  const double *const behind = &outline->behind[(index + 1) * outline->state_count];
  double *const before = &outline->behind[index * outline->state_count];
  bool *const is_out = outline->is_out[index];
  double to_here[CODES];
  double running[CODES];
  bool is_any_out = false;
  enter(outline, index, 1, 1, &outline->before[index * outline->state_count], to_here);
  begin(outline, running);
  for (size_t e = 0; e < layer->edge_count; e++) {
    const dsm__outline_edge *const edge = &layer->edges[e];
    const double others = to_here[edge->from] + behind[edge->to];
    for (size_t p = edge->first; p < edge->end && others < HUGE_VAL; p++) {
      const dsm__role_point *const point = &layer->points[p];
      const bool is_over =
          rule->path * (others + point->micro_cycles) + weighed(point, &rule->own) > limit;
      is_any_out = is_any_out || (is_over && !is_out[p]);
      is_out[p] = is_out[p] || is_over;
    }
    running[edge->from] =
        others < HUGE_VAL
            ? lesser(running[edge->from], behind[edge->to] + least_of(outline, index, edge, &micro))
            : running[edge->from];
  }
  begin(outline, before);
  for (size_t m = 0; m < layer->move_count; m++) {
    const dsm__outline_move *const move = &layer->moves[m];
    before[move->from] = lesser(before[move->from], running[move->to] + move->cycles +
                                                        added_at(outline, index, move->from));
  }
  return is_any_out;
}

bool dsm__outline_restrict(dsm__role_outline *outline, const dsm__outline_rule *rule,
                           double limit) {
  enum { ROUNDS = 4 };
  const size_t count = outline->layer_count;
  const size_t states = outline->state_count;
  bool is_any_out = true;
  for (size_t i = 0; i < count; i++) {
    memset(outline->is_out[i], 0, outline->layers[i]->point_count * sizeof(bool));
  }
  begin(outline, outline->before);
  outline->before[0] = 0; /* the start */
  for (size_t c = 0; c < states; c++) {
    outline->behind[count * states + c] = 0;
  }
  for (int round = 0; round < ROUNDS && is_any_out; round++) {
    double least = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
      dsm__outline_pass(outline, i, &micro, 1, 1, &outline->before[i * states],
                        &outline->before[(i + 1) * states]);
    }
    for (size_t c = 0; c < states; c++) {
      least = lesser(least, outline->before[count * states + c]);
    }
    if (!isfinite(least) || rule->path * least > limit) {
      return false;
    }
    is_any_out = false;
    for (size_t i = count; i-- > 0;) {
      is_any_out = pass_back(outline, i, rule, limit) || is_any_out;
    }
  }
  return true;
}
