/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_outline.c: a graph of roles seen through few states.
 *
 * A state of the graph (role_states.h) is told by its outer layouts, by the axes along which the
 * output of the layer before is not outside, and by whether some other output that is live is not.
 * Each edge of the graph has one here between what its states are told by, which takes no more:
 *
 * - What a layer reads is on one side along an axis, or it could not run. If it reads the output of
 *   the layer before, that is the side of this one. Else, where others may be inside, it is taken
 *   to be on any side.
 * - Two outputs that some layer reads together are on one side: where the latest two are, no more
 *   need be told of the second.
 * - What it adds or multiplies is taken to be where it has to be.
 * - Where all others are outside a relayout is the graph's. Else they are taken not to move. What
 * is moved along an axis is a collective that takes no less with more bytes, and no less if other
 *   axes are in it: the dearest axis is taken alone.
 * - A layer takes what it takes with all that it may share, where it may share something.
 *
 * What lives long, as an encoder's output does in a decoder, is one of the others: states do not
 * grow with it, nor with the layers in which it lives.
 *
 * A path through an edge takes what is before it, the edge, and what is behind it. Let the shortest
 * path to layer L take F(L), and all of the shortest take `least`: that is
 *
 *     least + (before - F(L)) + edge + (behind - (least - F(L)))
 *
 * Of each of both differences the least over all layers of a kind gives a bound for every one of
 * them, and a close one, since equal blocks, one after the other, have nearly the same differences.
 * So what is left out before one layer of a kind is left out before all of them.
 */
#include "search/roles/role_outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/tolerance.h"
#include "search/roles/role_states.h"

enum { CODES = DSM__OUTLINE_CODES, OUTERS = 1 << 2 * DSM_AXES_MAX, SIDES_MAX = 3 };

/* Relayouts: from outer layouts, to such, and sets of axes. */
enum { MOVES = OUTERS * OUTERS << DSM_AXES_MAX };

/* An axis' part of a code: the outer layout, and this. */
enum { INSIDE = 4 };

static unsigned with_axis(unsigned code, unsigned axis, unsigned outer, bool is_inside) {
  return code | (outer | (is_inside ? (unsigned)INSIDE : 0U)) << 3 * axis;
}

/* ---- one layer ---- */

typedef struct record {
  dsm__role_point point;
  uint16_t from;
  uint16_t to;
} record;

/* Elements that a relayout moves: of the last output and what is on its side, and of others. */
typedef struct carrying {
  uint64_t last;
  uint64_t others;
} carrying;

typedef struct building {
  const dsm__role_space *space;
  dsm__arena *arena;
  size_t index;              /* of the layer */
  unsigned sides[SIDES_MAX]; /* that what it reads may be on */
  size_t side_count;
  bool reads_last;
  uint64_t others_read;        /* within reach, of which it is not told where each is */
  bool has_twin;               /* the last output, on its side that before, */
  bool makes_twin;             /* and on the side of what the layer makes the last output */
  bool may_be_gathered;        /* what it reads, by a layer of which it is known so far */
  dsm_parallelism parallelism; /* of options, */
  dsm__role_front alone;       /* what these take where nothing is shared, */
  dsm__role_front shared;      /* and where something may be */
  double times;                /* micro-batches, of which cycles of moves are one's */
  DSM__LIST(record) records;
  bool is_out_of_memory;
  bool is_run[CODES];     /* states in which an option may run */
  carrying entering;      /* what relayouts move before the layer, */
  carrying leaving;       /* and behind it */
  double *entering_moves; /* cycles, by axes and outer layouts; below 0: not known yet */
  double *leaving_moves;
  /* Cycles of a move of the last output along an axis, out of outer layouts, to one, */
  double alone_moves[DSM_AXES_MAX][OUTERS][DSM_LAYOUT_COUNT]; /* below 0: not known yet */
} building;

static unsigned axis_count_of(const building *b) {
  return b->space->problem->machine.system->system.axis_count;
}

/* Before a layer: does one from it on read the last two outputs? Then both are on one side. */
static bool are_twins(const dsm__role_space *space, size_t index) {
  const dsm__role_layer *const layers = space->layers;
  const size_t count = space->problem->inputs.workload->layer_count;
  bool is_any = false;
  for (size_t k = 0; index > 1 && !is_any && k + 1 < DSM__ROLE_REACH && index + k < count; k++) {
    is_any = (layers[index + k].read >> k & 3U) == 3U;
  }
  return is_any;
}

/* A state's bit: of what is live before a layer some is inside, but for the last output and what is
 * on its side. */
static unsigned others_bit(unsigned axes) {
  return 1U << 3 * axes;
}

static unsigned others_of(const building *b) {
  return others_bit(axis_count_of(b));
}

static const dsm_layer *layer_of(const dsm__role_space *space, size_t index) {
  return &space->problem->inputs.workload->layers[index];
}

static void find_sides(building *b) {
  const dsm__role_layer *const layer = &b->space->layers[b->index];
  const bool is_far = layer->reads_far != 0 || layer->read == 0;
  const dsm__role_layer *const before = b->index > 0 ? layer - 1 : layer;
  b->reads_last = (layer->read & 1U) != 0;
  b->has_twin = are_twins(b->space, b->index);
  b->makes_twin = are_twins(b->space, b->index + 1);
  b->others_read = layer->read & ~(UINT64_C(1) | (b->has_twin ? 2U : 0U));
  b->may_be_gathered = (layer->same & before->live & before->alike) != 0;
  b->sides[0] = DSM__SIDE_OUTSIDE;
  b->side_count = 1;
  if (!is_far && b->reads_last) {
    b->sides[b->side_count++] = dsm__inner_side(layer_of(b->space, b->index - 1));
  } else if (!is_far) {
    b->sides[b->side_count++] = DSM__SIDE_INSIDE;
    b->sides[b->side_count++] = DSM__SIDE_EXPERTS;
  }
}

static unsigned outers_of(const building *b, unsigned code) {
  unsigned outers = 0;
  for (unsigned a = 0; a < axis_count_of(b); a++) {
    outers |= dsm__outline_outer(code, a) << 2 * a;
  }
  return outers;
}

/* What a relayout before a layer moves of the output that many layers before it. */
static uint64_t carried_of(const building *b, size_t next, unsigned before) {
  const dsm_layer *const maker = layer_of(b->space, next - 1 - before);
  const bool is_carried = (b->space->layers[next].carried >> before & 1U) != 0;
  return is_carried ? maker->stored_elements * maker->timesteps : 0;
}

/* Of a relayout before a layer, or behind the one before it, whose output then stays. */
static carrying carrying_of(const building *b, size_t next, bool is_behind) {
  if (next == 0 || next == b->space->problem->inputs.workload->layer_count) {
    return (carrying){0, 0};
  }
  const uint64_t of_last = carried_of(b, next, 0);
  const uint64_t of_twin = are_twins(b->space, next) ? carried_of(b, next, 1) : 0;
  return (carrying){(is_behind ? 0 : of_last) + of_twin,
                    layer_of(b->space, next)->carried_elements - of_last - of_twin};
}

/* A relayout of so much: `from` tells where the last two are. */
static dsm__role_move move_of(const building *b, unsigned from, unsigned to, carrying of) {
  dsm__role_move move = {.elements = {0}};
  for (unsigned a = 0; a < axis_count_of(b); a++) {
    move.before.of[a] = (dsm_layout)dsm__outline_outer(from, a);
    move.after.of[a] = (dsm_layout)dsm__outline_outer(to, a);
    if (move.before.of[a] != move.after.of[a]) {
      move.elements[a] = of.others + (dsm__outline_is_inside(from, a) ? 0 : of.last);
    }
  }
  return move;
}

/* Along the dearest axis alone; each axis by itself is asked once. */
static double dearest_cycles(building *b, const dsm__role_move *move, unsigned from) {
  double dearest = 0;
  for (unsigned a = 0; a < axis_count_of(b); a++) {
    double *const known = &b->alone_moves[a][outers_of(b, from)][move->after.of[a]];
    if (move->elements[a] > 0 && *known < 0) {
      dsm__role_move alone = *move;
      for (unsigned other = 0; other < axis_count_of(b); other++) {
        alone.elements[other] = other == a ? move->elements[a] : 0;
        alone.after.of[other] = other == a ? move->after.of[a] : move->before.of[other];
      }
      *known = dsm__role_move_cycles(b->space, &alone);
    }
    dearest = move->elements[a] > 0 ? fmax(dearest, *known) : dearest;
  }
  return dearest;
}

/* Cycles of a relayout of so much; the same one is asked once. */
static double all_cycles(building *b, unsigned from, unsigned to, carrying of, double *known) {
  const dsm__role_move move = move_of(b, from, to, of);
  unsigned staying = 0; /* axes along which less moves */
  for (unsigned a = 0; a < axis_count_of(b); a++) {
    const bool is_less = move.before.of[a] != move.after.of[a] && dsm__outline_is_inside(from, a);
    staying |= is_less ? 1U << a : 0;
  }
  double *const cycles =
      &known[((size_t)staying * OUTERS + outers_of(b, from)) * OUTERS + outers_of(b, to)];
  if (*cycles < 0) {
    *cycles = dsm__role_move_cycles(b->space, &move);
  }
  return *cycles;
}

/* Cycles of a relayout before the layer, at least. Others that may be inside are taken not to move.
 */
static double move_cycles(building *b, unsigned from, unsigned to) {
  if ((from & others_of(b)) == 0) {
    return all_cycles(b, from, to, b->entering, b->entering_moves) / b->times;
  }
  const dsm__role_move move = move_of(b, from, to, (carrying){b->entering.last, 0});
  return dearest_cycles(b, &move, from) / b->times;
}

/* Of one behind it, where all that it moves is outside. */
static double leaving_cycles(building *b, unsigned from, unsigned to) {
  return all_cycles(b, from, to, b->leaving, b->leaving_moves) / b->times;
}

static void add_front(building *b, unsigned from, unsigned to, const dsm__role_front *front,
                      double leaving) {
  if (!DSM__LIST_RESERVE(&b->records, front->count)) {
    b->is_out_of_memory = true;
    return;
  }
  for (size_t i = 0; i < front->count; i++) {
    record *const one = &b->records.items[b->records.count++];
    *one = (record){front->points[i], (uint16_t)from, (uint16_t)to};
    one->point.micro_cycles += leaving;
  }
  b->is_run[from] = true;
}

/* What options have in common so far, axis by axis. */
typedef struct common {
  unsigned from;
  unsigned to;
  bool may_share;
  bool reads_inside; /* along some axis */
} common;

/* What is live behind the layer but its output: whether some of it is inside leads to two states;
 * what has been read inside still is. */
static void add_fronts(building *b, const common *all) {
  const uint64_t live = b->space->layers[b->index].live;
  const dsm__role_front *const front = all->may_share ? &b->shared : &b->alone;
  const bool are_inside = all->reads_inside && (b->others_read & live >> 1) != 0;
  if (!are_inside) {
    add_front(b, all->from, all->to, front, leaving_cycles(b, all->from, all->to));
  }
  if ((live & ~UINT64_C(1)) != 0) {
    add_front(b, all->from | others_of(b), all->to | others_of(b), front, 0);
  }
}

/* Does a state in which the layer runs tell where the last output is, which it does not read, in
 * place of what it reads? */
static bool is_told_apart(const building *b) {
  return b->makes_twin && !b->reads_last;
}

/* All states, from an axis on, that options of some roles lead from and to. */
static void add_records(building *b, unsigned axis, const common *so_far) {
  if (axis == axis_count_of(b)) {
    add_fronts(b, so_far);
    return;
  }
  const dsm_layer *const layer = layer_of(b->space, b->index);
  const bool is_live = (b->space->layers[b->index].live & 1U) != 0;
  const dsm_role role = dsm_parallelism_role(b->parallelism, axis);
  const unsigned asked = (unsigned)dsm_role_input_layout(role);
  const bool is_gathering = dsm__is_column_like(role) || role == DSM_ROLE_EXPERT;
  for (size_t s = 0; s < b->side_count; s++) {
    const unsigned side = b->sides[s];
    const bool is_read_inside = side != DSM__SIDE_OUTSIDE;
    const bool is_made_inside = dsm__is_made_inside(layer, role, side);
    const bool is_sharing = is_gathering && (is_read_inside || b->may_be_gathered);
    const bool is_inside = is_told_apart(b) ? is_made_inside : is_read_inside;
    for (unsigned outer = 0; outer < (unsigned)DSM_LAYOUT_COUNT; outer++) {
      if (dsm__read_fault(layer, role, side) == DSM__ROLE_FAULT_NONE &&
          (is_read_inside || outer == asked)) {
        const unsigned made = is_made_inside ? outer : (unsigned)dsm_role_output_layout(role);
        const common with = {with_axis(so_far->from, axis, outer, is_inside),
                             with_axis(so_far->to, axis, made, is_made_inside && is_live),
                             so_far->may_share || is_sharing,
                             so_far->reads_inside || is_read_inside};
        add_records(b, axis + 1, &with);
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

/* In all axes' parts of a code. */
static unsigned in_all_axes(const building *b, unsigned part) {
  unsigned code = 0;
  for (unsigned a = 0; a < axis_count_of(b); a++) {
    code |= part << 3 * a;
  }
  return code;
}

/* In what a state before the layer is as one in which it runs: where that is inside nothing moves,
 * and the last output is on the side of all that is read. */
static unsigned kept_of(const building *b, unsigned to) {
  unsigned kept = b->reads_last || b->makes_twin ? in_all_axes(b, INSIDE) : 0;
  for (unsigned a = 0; a < axis_count_of(b) && !is_told_apart(b); a++) {
    kept |= dsm__outline_is_inside(to, a) ? 3U << 3 * a : 0;
  }
  return kept;
}

/* Does a state before the layer go with one in which it runs, by what else is live? The last output
 * becomes one of the others, unless what the layer makes is on its side; where of these some are
 * inside, those that stay may all be outside. */
static bool are_others_possible(const building *b, unsigned from, unsigned to) {
  const uint64_t stay = b->space->layers[b->index].live;
  const uint64_t on_last_side = (b->makes_twin ? 0U : 2U) | (b->has_twin ? 4U : 0U);
  const unsigned inside = in_all_axes(b, INSIDE);
  const bool are_others_inside = (from & others_of(b)) != 0;
  const bool is_sure = (from & inside) != 0 && (stay & on_last_side) != 0;
  const bool is_possible =
      is_sure || (are_others_inside && (stay & ~(on_last_side | UINT64_C(3))) != 0);
  return ((to & others_of(b)) != 0 ? is_possible : !is_sure) &&
         ((to & inside) == 0 || b->others_read == 0 || is_told_apart(b) || are_others_inside);
}

static void forget(double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    numbers[i] = -1;
  }
}

/* The network's input lies as its first reader wants it. */
static bool take_moves(building *b, const bool *is_there, dsm__outline_layer *out) {
  DSM__LIST(dsm__outline_move) moves = {NULL, 0, 0};
  const unsigned states = 2 * others_of(b);
  unsigned kept[CODES];
  for (unsigned to = 0; to < states; to++) {
    kept[to] = b->index > 0 ? kept_of(b, to) : 0;
  }
  for (unsigned from = 0; from < states; from++) {
    for (unsigned to = 0; to < states && is_there[from]; to++) {
      if (!b->is_run[to] || ((from ^ to) & kept[to]) != 0 ||
          (b->index > 0 && !are_others_possible(b, from, to))) {
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

/* With the roles of the options in hand. */
static void end_roles(building *b) {
  if (b->shared.count > 0) {
    add_records(b, 0, &(common){0, 0, false, false});
  }
  b->alone.count = 0;
  b->shared.count = 0;
}

/* A layer out of some states; NULL if out of memory. */
static const dsm__outline_layer *build(const dsm__role_space *space,
                                       const dsm__outline_source *source, size_t index,
                                       const bool *is_there, dsm__arena *arena) {
  building b = {.space = space, .arena = arena, .index = index, .times = source->times};
  const dsm__role_options *const options = dsm__role_options_of(space, index);
  dsm__outline_layer *const out = dsm__arena_array(b.arena, 1, sizeof *out);
  if (out == NULL || !DSM__RESERVE(arena, b.alone.points, options->whole_count + 1) ||
      !DSM__RESERVE(arena, b.shared.points, options->whole_count + 1)) {
    return NULL;
  }
  b.entering_moves = malloc(2 * (size_t)MOVES * sizeof *b.entering_moves);
  if (b.entering_moves == NULL) {
    return NULL;
  }
  b.leaving_moves = &b.entering_moves[MOVES];
  forget(b.entering_moves, 2 * (size_t)MOVES);
  forget(&b.alone_moves[0][0][0], sizeof b.alone_moves / sizeof(double));
  b.entering = carrying_of(&b, index, false);
  b.leaving = carrying_of(&b, index + 1, true);
  find_sides(&b);
  for (size_t o = 0; o < options->whole_count && !b.is_out_of_memory; o++) {
    const dsm__role_point alone = source->point(source->context, index, o, false);
    const dsm__role_point shared = source->point(source->context, index, o, true);
    if (options->items[o].parallelism != b.parallelism) { /* equal roles stand together, mostly */
      end_roles(&b);
    }
    b.parallelism = options->items[o].parallelism;
    if (isfinite(shared.micro_cycles)) {
      dsm__role_front_add(&b.alone, &alone);
      dsm__role_front_add(&b.shared, &shared);
    }
  }
  end_roles(&b);
  const bool is_done = !b.is_out_of_memory && take_moves(&b, is_there, out) && take_edges(&b, out);
  free(b.records.items);
  free(b.entering_moves);
  return is_done ? out : NULL;
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
                 layers[one->index - 1].kind == layers[index - 1].kind &&
                 are_twins(space, one->index) == are_twins(space, index) &&
                 are_twins(space, one->index + 1) == are_twins(space, index + 1);
  for (size_t c = 0; c < CODES && is_same; c++) {
    is_same = one->is_there[c] || !is_there[c];
  }
  return is_same;
}

static bool build_all(const dsm__role_space *space, const dsm__outline_source *source,
                      dsm__arena *arena, dsm__role_outline *outline) {
  DSM__LIST(built) list = {NULL, 0, 0};
  bool is_there[CODES] = {true};
  for (size_t i = 0; i < outline->layer_count; i++) {
    size_t at = 0;
    while (at < list.count && !is_built_for(space, &list.items[at], i, is_there)) {
      at++;
    }
    if (at == list.count) {
      if (!DSM__LIST_RESERVE_IN(&list, 1, arena)) {
        return false;
      }
      built *const one = &list.items[list.count++];
      one->index = i;
      memcpy(one->is_there, is_there, sizeof is_there);
      one->layer = build(space, source, i, is_there, arena);
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
    if (!DSM__RESERVE(arena, outline->is_out[i], layer->point_count + 1)) {
      return false;
    }
  }
  return true;
}

bool dsm__role_outline_find(const dsm__role_space *space, const dsm__outline_source *source,
                            dsm__arena *arena, dsm__role_outline *outline) {
  const dsm__problem *const problem = space->problem;
  const size_t count = problem->inputs.workload->layer_count;
  const size_t states = 2 * (size_t)others_bit(problem->machine.system->system.axis_count);
  *outline = (dsm__role_outline){.state_count = states};
  if (dsm__deadline_is_final(problem->inputs.deadline)) {
    return true; /* not all options are there */
  }
  outline->layer_count = count;
  return DSM__RESERVE(arena, outline->layers, count) &&
         DSM__RESERVE(arena, outline->is_out, count) &&
         DSM__RESERVE(arena, outline->added, count) &&
         DSM__RESERVE(arena, outline->before, (count + 1) * states) &&
         DSM__RESERVE(arena, outline->behind, (count + 1) * states) &&
         build_all(space, source, arena, outline);
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

/* ---- rooms ---- */

static double least_at(const dsm__role_outline *outline, size_t boundary) {
  double least = HUGE_VAL;
  for (size_t c = 0; c < outline->state_count; c++) {
    least = lesser(least, outline->before[boundary * outline->state_count + c]);
  }
  return least;
}

/* The least of a boundary's numbers and of those that are known, over what all take. */
static void take_least(const double *numbers, double over, size_t count, double *least) {
  for (size_t c = 0; c < count; c++) {
    least[c] = numbers[c] < HUGE_VAL ? lesser(least[c], numbers[c] - over) : least[c];
  }
}

static bool find_rooms(const dsm__role_space *space, dsm__role_outline *outline, dsm__arena *arena,
                       dsm__role_rooms *rooms) {
  static const dsm__outline_rule any = {1, {0, 0, 0}};
  const size_t count = outline->layer_count;
  const size_t states = outline->state_count;
  if (!dsm__outline_restrict(outline, &any, HUGE_VAL)) {
    rooms->least_cycles = HUGE_VAL;
    return true;
  }
  rooms->least_cycles = least_at(outline, count);
  if (!DSM__RESERVE(arena, rooms->before, count) || !DSM__RESERVE(arena, rooms->behind, count) ||
      !DSM__RESERVE(arena, rooms->least_behind, count) ||
      !DSM__RESERVE(arena, rooms->others, count + 1)) {
    return false;
  }
  for (size_t i = 0; i <= count; i++) {
    rooms->others[i] = ~(UINT64_C(1) | (are_twins(space, i) ? 2U : 0U));
  }
  for (size_t i = 0; i < count; i++) {
    const size_t kind = space->layers[i].kind;
    const double shortest = least_at(outline, i);
    if (kind == i) {
      if (!DSM__RESERVE(arena, rooms->before[i], states) ||
          !DSM__RESERVE(arena, rooms->behind[i], states)) {
        return false;
      }
      begin(outline, rooms->before[i]);
      begin(outline, rooms->behind[i]);
    }
    take_least(&outline->before[i * states], shortest, states, rooms->before[kind]);
    take_least(&outline->behind[(i + 1) * states], rooms->least_cycles - shortest, states,
               rooms->behind[kind]);
    rooms->before[i] = rooms->before[kind];
    rooms->behind[i] = rooms->behind[kind];
  }
  for (size_t i = 0; i < count; i++) {
    rooms->least_behind[i] = HUGE_VAL;
    for (size_t c = 0; c < states; c++) {
      rooms->least_behind[i] = lesser(rooms->least_behind[i], rooms->behind[i][c]);
    }
  }
  return true;
}

bool dsm__role_rooms_find(const dsm__role_space *space, const dsm__outline_source *source,
                          dsm__arena *arena, dsm__role_rooms *rooms) {
  dsm__role_outline outline;
  *rooms = (dsm__role_rooms){.least_cycles = 0};
  if (space->problem->is_bounding_off) {
    return true;
  }
  dsm__arena *const scratch = dsm__problem_arena(space->problem);
  const bool is_found = scratch != NULL &&
                        dsm__role_outline_find(space, source, scratch, &outline) &&
                        (outline.layer_count == 0 || find_rooms(space, &outline, arena, rooms));
  dsm__arena_free(scratch);
  return is_found;
}

/* What an option takes where nothing is held, and it is looked at. */
static dsm__role_point least_with(const void *context, size_t layer_index, size_t whole,
                                  bool may_share) {
  const dsm__role_space *const space = context;
  const dsm__role_option *const option = &dsm__role_options_of(space, layer_index)->items[whole];
  const bool is_in = !option->is_dominated && dsm__is_role_open(space, layer_index, option);
  const double cycles = may_share ? option->least_cycles : option->cycles;
  const double priced = dsm__role_priced_cycles(space, layer_index, whole);
  return (dsm__role_point){is_in ? cycles + priced : HUGE_VAL, 0, 0};
}

bool dsm__open_rooms_find(const dsm__role_space *space, dsm__arena *arena, dsm__role_rooms *rooms) {
  const dsm__outline_source source = {space, least_with, 1};
  return dsm__role_rooms_find(space, &source, arena, rooms);
}

/* Of a state before a layer. */
static unsigned code_of(const dsm__role_space *space, const dsm__role_rooms *rooms, size_t index,
                        const dsm__role_state *state) {
  const unsigned axes = space->problem->machine.system->system.axis_count;
  unsigned code = 0;
  for (unsigned a = 0; a < axes; a++) {
    code = with_axis(code, a, state->outer[a], (state->inside[a] & 1U) != 0);
    code |= (state->inside[a] & rooms->others[index]) != 0 ? others_bit(axes) : 0;
  }
  return code;
}

dsm__role_rooms dsm__rooms_within(const dsm__role_rooms *rooms, double limit_cycles) {
  dsm__role_rooms within = *rooms;
  if (rooms->before != NULL) {
    within.open = dsm__tie_limit(limit_cycles) - rooms->least_cycles;
  } else {
    within.open = isfinite(rooms->least_cycles) ? HUGE_VAL : -HUGE_VAL;
  }
  return within;
}

double dsm__room_from(const dsm__role_space *space, const dsm__role_rooms *rooms,
                      size_t layer_index, const dsm__role_state *from) {
  if (rooms == NULL || !isfinite(rooms->open)) {
    return rooms == NULL ? HUGE_VAL : rooms->open;
  }
  return rooms->open - rooms->before[layer_index][code_of(space, rooms, layer_index, from)] -
         rooms->least_behind[layer_index];
}

double dsm__room_between(const dsm__role_space *space, const dsm__role_rooms *rooms,
                         size_t layer_index, const dsm__role_state *from,
                         const dsm__role_state *to) {
  if (rooms == NULL || !isfinite(rooms->open)) {
    return rooms == NULL ? HUGE_VAL : rooms->open;
  }
  return rooms->open - rooms->before[layer_index][code_of(space, rooms, layer_index, from)] -
         rooms->behind[layer_index][code_of(space, rooms, layer_index + 1, to)];
}
