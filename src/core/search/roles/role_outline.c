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
 */
#include "search/roles/role_outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "plan/tolerance.h"
#include "search/roles/role_states.h"

enum { CODES = DSM__OUTLINE_CODES, OUTERS = 1 << 2 * DSM_AXES_MAX, SIDES_MAX = 3 };

/* Relayouts: from outer layouts, to such, and sets of axes. */
enum { MOVES = OUTERS * OUTERS << DSM_AXES_MAX };

/* In the place of an axis: its output is inside. */
enum { INSIDE = 4 };

bool dsm__outline_has_twins(const dsm__role_space *space, size_t index) {
  const dsm__role_layer *const layers = space->layers;
  const size_t count = space->problem->inputs.workload->layer_count;
  bool is_any = false;
  for (size_t k = 0; index > 1 && !is_any && k + 1 < DSM__ROLE_REACH && index + k < count; k++) {
    is_any = (layers[index + k].read >> k & 3U) == 3U;
  }
  return is_any;
}

/* ---- one layer ---- */

/* A point of an edge; those of an edge are a list. */
typedef struct record {
  dsm__cost point;
  uint32_t next; /* record + 1; 0: none */
} record;

/* An edge that has been met, and its latest record + 1. */
typedef struct met_edge {
  uint16_t from;
  uint16_t to;
  uint32_t latest;
} met_edge;

/* What an axis has in common of options with a role along it. */
typedef struct axis_part {
  unsigned from;
  unsigned to;
  bool may_share;
  bool reads_inside;
} axis_part;

enum { PARTS_MAX = SIDES_MAX * DSM_LAYOUT_COUNT };

/* Of a role: what it leads from and to along an axis of number 0. */
typedef struct role_parts {
  axis_part items[PARTS_MAX];
  size_t count;
  bool are_known;
} role_parts;

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
  double times;                /* micro-batches, of which what moves cost is one's */
  role_parts parts[DSM_ROLE_COUNT];
  DSM__LIST(record) records;
  DSM__LIST(met_edge) edges;
  uint32_t *edge_at; /* of each two states: the edge + 1 between them; 0: not met */
  bool is_out_of_memory;
  bool is_run[CODES];     /* states in which an option may run */
  uint8_t outers[CODES];  /* of each state the outer layouts, */
  uint8_t insides[CODES]; /* and the axes along which it is inside */
  carrying entering;      /* what relayouts move before the layer, */
  carrying leaving;       /* and behind it */
  double *entering_moves; /* cost, by axes and outer layouts; below 0: not known yet */
  double *leaving_moves;
  /* Cost of a move of the last output along an axis, out of outer layouts, to one, */
  double alone_moves[DSM_AXES_MAX][OUTERS][DSM_LAYOUT_COUNT]; /* below 0: not known yet */
} building;

static unsigned axis_count_of(const building *b) {
  return b->space->problem->machine.system->system.axis_count;
}

static unsigned others_of(const building *b) {
  return dsm__outline_others(axis_count_of(b));
}

static const dsm_layer *layer_of(const dsm__role_space *space, size_t index) {
  return &space->problem->inputs.workload->layers[index];
}

static void find_sides(building *b) {
  const dsm__role_layer *const layer = &b->space->layers[b->index];
  const bool is_far = layer->reads_far != 0 || layer->read == 0;
  const dsm__role_layer *const before = b->index > 0 ? layer - 1 : layer;
  b->reads_last = (layer->read & 1U) != 0;
  b->has_twin = dsm__outline_has_twins(b->space, b->index);
  b->makes_twin = dsm__outline_has_twins(b->space, b->index + 1);
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

/* What states tell of their axes. */
static void find_states(building *b) {
  for (unsigned code = 0; code < 2 * others_of(b); code++) {
    for (unsigned a = 0; a < axis_count_of(b); a++) {
      b->outers[code] |= (uint8_t)(dsm__outline_outer(code, a) << 2 * a);
      b->insides[code] |= (uint8_t)(dsm__outline_is_inside(code, a) ? 1U << a : 0U);
    }
  }
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
  const uint64_t of_twin = dsm__outline_has_twins(b->space, next) ? carried_of(b, next, 1) : 0;
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
static double dearest_cost(building *b, const dsm__role_move *move, unsigned from) {
  double dearest = 0;
  for (unsigned a = 0; a < axis_count_of(b); a++) {
    double *const known = &b->alone_moves[a][b->outers[from]][move->after.of[a]];
    if (move->elements[a] > 0 && *known < 0) {
      dsm__role_move alone = *move;
      for (unsigned other = 0; other < axis_count_of(b); other++) {
        alone.elements[other] = other == a ? move->elements[a] : 0;
        alone.after.of[other] = other == a ? move->after.of[a] : move->before.of[other];
      }
      *known = dsm__role_move_cost(b->space, &alone);
    }
    dearest = move->elements[a] > 0 ? fmax(dearest, *known) : dearest;
  }
  return dearest;
}

/* Cost of a relayout of so much; the same one is asked once. */
static double all_cost(building *b, unsigned from, unsigned to, carrying of, double *known) {
  const unsigned changed = (unsigned)b->outers[from] ^ b->outers[to];
  unsigned staying = 0; /* axes along which less moves */
  for (unsigned a = 0; a < axis_count_of(b); a++) {
    staying |= (changed >> 2 * a & 3U) != 0 ? b->insides[from] & 1U << a : 0;
  }
  double *const cost =
      &known[((size_t)staying * OUTERS + b->outers[from]) * OUTERS + b->outers[to]];
  if (*cost < 0) {
    const dsm__role_move move = move_of(b, from, to, of);
    *cost = dsm__role_move_cost(b->space, &move);
  }
  return *cost;
}

/* Cost of a relayout before the layer, at least. Others that may be inside are taken not to move.
 */
static double move_cost(building *b, unsigned from, unsigned to) {
  if ((from & others_of(b)) == 0) {
    return all_cost(b, from, to, b->entering, b->entering_moves) / b->times;
  }
  const dsm__role_move move = move_of(b, from, to, (carrying){b->entering.last, 0});
  return dearest_cost(b, &move, from) / b->times;
}

/* Of one behind it, where all that it moves is outside. */
static double leaving_cost(building *b, unsigned from, unsigned to) {
  return all_cost(b, from, to, b->leaving, b->leaving_moves) / b->times;
}

/* The edge between two states, a new one if it is not met yet; NULL if out of memory. */
static met_edge *edge_of(building *b, unsigned from, unsigned to) {
  uint32_t *const number = &b->edge_at[from * 2 * others_of(b) + to];
  if (*number == 0) {
    if (!DSM__LIST_RESERVE(&b->edges, 1)) {
      b->is_out_of_memory = true;
      return NULL;
    }
    b->edges.items[b->edges.count++] = (met_edge){(uint16_t)from, (uint16_t)to, 0};
    *number = (uint32_t)b->edges.count;
  }
  return &b->edges.items[*number - 1];
}

/* In the place of the points of an edge that it is below, unless one is below it. */
static void add_point(building *b, met_edge *edge, const dsm__cost *point) {
  record *place = NULL;
  uint32_t *link = &edge->latest;
  while (*link != 0) {
    record *const one = &b->records.items[*link - 1];
    if (dsm__is_cost_below(&one->point, point)) {
      return;
    }
    const bool is_gone = dsm__is_cost_below(point, &one->point);
    if (is_gone && place != NULL) {
      *link = one->next;
      continue;
    }
    place = is_gone ? one : place;
    link = &one->next;
  }
  if (place == NULL) {
    b->records.items[b->records.count] = (record){.next = edge->latest};
    place = &b->records.items[b->records.count++];
    edge->latest = (uint32_t)b->records.count;
  }
  place->point = *point;
}

static void add_front(building *b, unsigned from, unsigned to, const dsm__role_front *front,
                      double leaving) {
  met_edge *const edge = edge_of(b, from, to);
  if (edge == NULL || !DSM__LIST_RESERVE(&b->records, front->count)) {
    b->is_out_of_memory = true;
    return;
  }
  for (size_t i = 0; i < front->count; i++) {
    dsm__cost point = front->points[i];
    point.micro += leaving;
    add_point(b, edge, &point);
  }
  b->is_run[from] = true;
}

/* What is live behind the layer but its output: whether some of it is inside leads to two states;
 * what has been read inside still is. */
static void add_fronts(building *b, const axis_part *all) {
  const uint64_t live = b->space->layers[b->index].live;
  const dsm__role_front *const front = all->may_share ? &b->shared : &b->alone;
  const bool are_inside = all->reads_inside && (b->others_read & live >> 1) != 0;
  if (!are_inside) {
    add_front(b, all->from, all->to, front, leaving_cost(b, all->from, all->to));
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

/* What a role leads from and to along an axis. */
static void find_parts(const building *b, dsm_role role, role_parts *parts) {
  const dsm_layer *const layer = layer_of(b->space, b->index);
  const bool is_live = (b->space->layers[b->index].live & 1U) != 0;
  const unsigned asked = (unsigned)dsm_role_input_layout(role);
  const bool is_gathering = dsm__role_has(role, DSM__ROLE_SHARES_INPUT);
  parts->are_known = true;
  for (size_t s = 0; s < b->side_count; s++) {
    const unsigned side = b->sides[s];
    const bool is_read_inside = side != DSM__SIDE_OUTSIDE;
    const bool is_made_inside = dsm__is_made_inside(layer, role, side);
    const bool is_inside = is_told_apart(b) ? is_made_inside : is_read_inside;
    if (dsm__read_fault(layer, role, side) != DSM__ROLE_FAULT_NONE) {
      continue;
    }
    for (unsigned outer = 0; outer < (unsigned)DSM_LAYOUT_COUNT; outer++) {
      if (is_read_inside || outer == asked) {
        const unsigned made = is_made_inside ? outer : (unsigned)dsm_role_output_layout(role);
        parts->items[parts->count++] =
            (axis_part){dsm__outline_axis(0, outer, is_inside),
                        dsm__outline_axis(0, made, is_made_inside && is_live),
                        is_gathering && (is_read_inside || b->may_be_gathered), is_read_inside};
      }
    }
  }
}

/* All states, from an axis on, that options of some roles lead from and to. */
static void add_records(building *b, unsigned axis, const axis_part *so_far) {
  if (axis == axis_count_of(b)) {
    add_fronts(b, so_far);
    return;
  }
  const dsm_role role = dsm_parallelism_role(b->parallelism, axis);
  role_parts *const parts = &b->parts[role];
  if (!parts->are_known) {
    find_parts(b, role, parts);
  }
  for (size_t i = 0; i < parts->count; i++) {
    const axis_part *const part = &parts->items[i];
    const axis_part with = {so_far->from | part->from << 3 * axis,
                            so_far->to | part->to << 3 * axis, so_far->may_share || part->may_share,
                            so_far->reads_inside || part->reads_inside};
    add_records(b, axis + 1, &with);
  }
}

/* The edges that were met, with their points one after the other; none is met any more. */
static bool take_edges(building *b, dsm__outline_layer *out) {
  const size_t states = 2 * (size_t)others_of(b);
  if (!DSM__RESERVE(b->arena, out->edges, b->edges.count + 1) ||
      !DSM__RESERVE(b->arena, out->points, b->records.count + 1)) {
    return false;
  }
  for (size_t i = 0; i < b->edges.count; i++) {
    const met_edge *const one = &b->edges.items[i];
    const uint32_t first = (uint32_t)out->point_count;
    for (uint32_t at = one->latest; at != 0; at = b->records.items[at - 1].next) {
      out->points[out->point_count++] = b->records.items[at - 1].point;
    }
    out->edges[i] = (dsm__outline_edge){one->from, one->to, first, (uint32_t)out->point_count};
    b->edge_at[one->from * states + one->to] = 0;
  }
  out->edge_count = b->edges.count;
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
  unsigned running[CODES];
  size_t running_count = 0;
  for (unsigned to = 0; to < states; to++) {
    kept[to] = b->index > 0 ? kept_of(b, to) : 0;
    running[running_count] = to;
    running_count += b->is_run[to] ? 1 : 0;
  }
  for (unsigned from = 0; from < states; from++) {
    for (size_t i = 0; i < running_count && is_there[from]; i++) {
      const unsigned to = running[i];
      if (((from ^ to) & kept[to]) != 0 || (b->index > 0 && !are_others_possible(b, from, to))) {
        continue;
      }
      if (!DSM__LIST_RESERVE_IN(&moves, 1, b->arena)) {
        return false;
      }
      moves.items[moves.count++] = (dsm__outline_move){(uint16_t)from, (uint16_t)to,
                                                       b->index > 0 ? move_cost(b, from, to) : 0};
    }
  }
  out->moves = moves.items;
  out->move_count = moves.count;
  return true;
}

/* With the roles of the options in hand. */
static void end_roles(building *b) {
  if (b->shared.count > 0) {
    add_records(b, 0, &(axis_part){0, 0, false, false});
  }
  b->alone.count = 0;
  b->shared.count = 0;
}

/* A layer out of some states; NULL if out of memory. */
static const dsm__outline_layer *build(const dsm__role_space *space,
                                       const dsm__outline_source *source, size_t index,
                                       const bool *is_there, uint32_t *edge_at, dsm__arena *arena) {
  building b = {
      .space = space, .arena = arena, .index = index, .times = source->times, .edge_at = edge_at};
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
  find_states(&b);
  b.entering = carrying_of(&b, index, false);
  b.leaving = carrying_of(&b, index + 1, true);
  find_sides(&b);
  for (size_t o = 0; o < options->whole_count && !b.is_out_of_memory; o++) {
    const dsm__cost alone = source->point(source->context, index, o, false);
    const dsm__cost shared = source->point(source->context, index, o, true);
    if (options->items[o].parallelism != b.parallelism) { /* equal roles stand together, mostly */
      end_roles(&b);
    }
    b.parallelism = options->items[o].parallelism;
    if (isfinite(shared.micro)) {
      dsm__role_front_add(&b.alone, &alone);
      dsm__role_front_add(&b.shared, &shared);
    }
  }
  end_roles(&b);
  const bool is_done = !b.is_out_of_memory && take_moves(&b, is_there, out) && take_edges(&b, out);
  free(b.records.items);
  free(b.edges.items);
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
  bool is_same =
      one->index > 0 && index > 0 && layers[one->index].kind == layers[index].kind &&
      layers[one->index - 1].kind == layers[index - 1].kind &&
      dsm__outline_has_twins(space, one->index) == dsm__outline_has_twins(space, index) &&
      dsm__outline_has_twins(space, one->index + 1) == dsm__outline_has_twins(space, index + 1);
  for (size_t c = 0; c < CODES && is_same; c++) {
    is_same = one->is_there[c] || !is_there[c];
  }
  return is_same;
}

static bool build_all(const dsm__role_space *space, const dsm__outline_source *source,
                      uint32_t *edge_at, dsm__arena *arena, dsm__role_outline *outline) {
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
      one->layer = build(space, source, i, is_there, edge_at, arena);
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
  const size_t states = 2 * (size_t)dsm__outline_others(problem->machine.system->system.axis_count);
  *outline = (dsm__role_outline){.state_count = states};
  if (dsm__deadline_is_final(problem->inputs.deadline)) {
    return true; /* not all options are there */
  }
  outline->layer_count = count;
  uint32_t *const edge_at = calloc(states * states, sizeof *edge_at);
  const bool is_found = edge_at != NULL && DSM__RESERVE(arena, outline->layers, count) &&
                        DSM__RESERVE(arena, outline->is_out, count) &&
                        DSM__RESERVE(arena, outline->added, count) &&
                        DSM__RESERVE(arena, outline->before, (count + 1) * states) &&
                        DSM__RESERVE(arena, outline->behind, (count + 1) * states) &&
                        build_all(space, source, edge_at, arena, outline);
  free(edge_at);
  return is_found;
}

/* ---- paths ---- */

static void begin(const dsm__role_outline *outline, double *states) {
  for (size_t c = 0; c < outline->state_count; c++) {
    states[c] = HUGE_VAL;
  }
}

/* Of an edge, the least of the options that are left. */
static double least_of(const dsm__role_outline *outline, size_t layer,
                       const dsm__outline_edge *edge, const dsm__prices *prices) {
  const dsm__cost *const points = outline->layers[layer]->points;
  double least = HUGE_VAL;
  for (size_t p = edge->first; p < edge->end; p++) {
    if (!outline->is_out[layer][p]) {
      least = dsm__smaller(least, dsm__price(prices, &points[p]));
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
    running[move->to] =
        dsm__smaller(running[move->to], before[move->from] + weight * move->cost +
                                            added * added_at(outline, index, move->from));
  }
}

void dsm__outline_pass(const dsm__role_outline *outline, size_t index, const dsm__prices *prices,
                       double moved, double added, const double *before, double *behind) {
  const dsm__outline_layer *const layer = outline->layers[index];
  double running[CODES];
  enter(outline, index, moved, added, before, running);
  begin(outline, behind);
  for (size_t e = 0; e < layer->edge_count; e++) {
    const dsm__outline_edge *const edge = &layer->edges[e];
    if (running[edge->from] < HUGE_VAL) {
      behind[edge->to] = dsm__smaller(behind[edge->to],
                                      running[edge->from] + least_of(outline, index, edge, prices));
    }
  }
}

static const dsm__prices micro = {.micro = 1};

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
      const dsm__cost *const point = &layer->points[p];
      const bool is_over =
          rule->path * (others + point->micro) + dsm__price(&rule->own, point) > limit;
      is_any_out = is_any_out || (is_over && !is_out[p]);
      is_out[p] = is_out[p] || is_over;
    }
    running[edge->from] =
        others < HUGE_VAL ? dsm__smaller(running[edge->from],
                                         behind[edge->to] + least_of(outline, index, edge, &micro))
                          : running[edge->from];
  }
  begin(outline, before);
  for (size_t m = 0; m < layer->move_count; m++) {
    const dsm__outline_move *const move = &layer->moves[m];
    before[move->from] = dsm__smaller(before[move->from], running[move->to] + move->cost +
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
      least = dsm__smaller(least, outline->before[count * states + c]);
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
