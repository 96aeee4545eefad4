/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_outlook.c: paths through a projection of the graph of roles.
 *
 * States between layers are taken together where the outer layouts are the same, and the last
 * output is inside or is not: of the others that are live it is known only whether all of them are
 * outside. Where that is not known, what a layer reads is tried both ways; what it adds or
 * multiplies may lie on either side; what a relayout moves is taken to be inside, so that it moves
 * less; and what may be gathered is. Of options with the same roles the fastest counts. So each
 * mapping is a path of the projection that takes no more cycles, and what is before a layer and
 * behind it on the shortest paths of the projection is a bound of what it is in a mapping.
 *
 * Layers of a kind have the same edges, which are made once; what is left out before one of them is
 * left out before all. Let the shortest path to layer L take F(L), and all of the shortest take
 * `least`. A path through an edge takes what is before it, the edge, and what is behind it, that is
 * least + (before - F(L)) + edge + (behind - (least - F(L))): of each of both differences the least
 * over all layers of the kind gives a bound for every one of them, and a close one, since equal
 * blocks, one after the other, have nearly the same differences.
 */
#include "search/roles/role_outlook.h"

#include <math.h>
#include <stdlib.h>

#include "plan/tolerance.h"

/* Options of a kind of layer with the same roles. */
typedef struct group {
  size_t option; /* one of them */
  double alone;  /* the least where nothing is shared, */
  double least;  /* and where something may be */
} group;

/* Layers of a kind. */
typedef struct dsm__outlook_kind {
  group *groups;
  size_t group_count;
  uint16_t *group_of;  /* of each option that shares nothing */
  size_t newest_point; /* + 1 */
  size_t layers;       /* of the kind */
} kind;

/* A state between layers; the first member is its key. */
typedef struct dsm__outlook_spot {
  dsm__role_state state;
  double now;  /* cycles up to it, or behind it, at a layer, */
  double next; /* and at the next one */
  size_t edge; /* the latest to it */
} spot;

/* A state before a kind of layer; the first two members are its key. */
typedef struct dsm__outlook_point {
  uint64_t layer; /* the first of the kind */
  uint64_t spot;
  size_t older; /* point of the kind, + 1 */
  size_t first_edge;
  size_t end_edge;
  size_t first_way;
  size_t end_way;
  double before; /* see above */
  double *rooms; /* of each group */
} point;

/* From a point to a spot. */
typedef struct edge {
  uint32_t to;
  double cycles; /* of the fastest way */
  double behind; /* see above */
} edge;

/* A layer with the roles of a group, out of a point. */
typedef struct way {
  uint32_t by;    /* edge */
  uint32_t of;    /* group */
  double leaving; /* cycles of the move behind the layer */
} way;

typedef struct outlooking {
  const dsm__role_space *space;
  const dsm__role_least *least;
  dsm__arena *arena;
  kind **kinds;
  double *shortest; /* F, up to each layer */
  double *left;     /* cycles that a path may take up to a layer */
  DSM__LIST(spot) spots;
  DSM__LIST(point) points;
  DSM__LIST(edge) edges;
  DSM__LIST(way) ways;
  dsm__map spot_index;
  dsm__map point_index;
  DSM__LIST(uint32_t) reached; /* spots before the layer, */
  DSM__LIST(uint32_t) behind;  /* and behind it */
  size_t tried;                /* ways */
  bool is_out_of_memory;
} outlooking;

/* To try more ways than this is not worth it, in this search or in the next ones of the problem. */
enum { TRIED_MAX = 1 << 23 };

static size_t layer_count_of(const outlooking *o) {
  return o->space->problem->inputs.workload->layer_count;
}

static unsigned axis_count_of(const dsm__role_space *space) {
  return space->problem->machine.system->system.axis_count;
}

/* ---- states ---- */

/* What a state before a layer is taken together with. */
static dsm__role_state projected(const dsm__role_space *space, const dsm__role_state *state,
                                 size_t layer_index) {
  dsm__role_state all = *state;
  all.again_bytes = 0;
  all.option = 0;
  for (unsigned a = 0; a < axis_count_of(space); a++) {
    const dsm__role_layer *const last = &space->layers[layer_index - (layer_index > 0 ? 1 : 0)];
    const bool has_others = (all.inside[a] & ~UINT64_C(1)) != 0;
    const uint64_t others = has_others ? last->live & ~UINT64_C(1) : 0;
    all.inside[a] = (all.inside[a] & 1) | others;
    all.gathered[a] = all.inside[a] & last->alike;
    all.gathered_again[a] = all.gathered[a];
  }
  return all;
}

static uint32_t spot_of(outlooking *o, const dsm__role_state *state) {
  const uint32_t hash = dsm__map_hash(0, state, sizeof *state);
  const size_t found =
      dsm__map_find_in(&o->spot_index, hash, o->spots.items, sizeof(spot), state, sizeof *state);
  if (found != DSM__MAP_NONE) {
    return (uint32_t)found;
  }
  if (!DSM__LIST_RESERVE_IN(&o->spots, 1, o->arena) ||
      !dsm__map_add(&o->spot_index, hash, o->spots.count)) {
    o->is_out_of_memory = true;
    return 0;
  }
  o->spots.items[o->spots.count] = (spot){*state, HUGE_VAL, HUGE_VAL, SIZE_MAX};
  return (uint32_t)o->spots.count++;
}

/* ---- edges ---- */

/* The options of a layer by their roles; those that are not looked at are in a group too. */
static kind *kind_of(outlooking *o, size_t layer_index) {
  const dsm__role_options *const options = dsm__role_options_of(o->space, layer_index);
  kind *const own = dsm__arena_array(o->arena, 1, sizeof *own);
  if (own == NULL || !DSM__RESERVE(o->arena, own->groups, options->whole_count) ||
      !DSM__RESERVE(o->arena, own->group_of, options->whole_count)) {
    o->is_out_of_memory = true;
    return NULL;
  }
  for (size_t i = 0; i < options->whole_count; i++) {
    size_t g = own->group_count; /* equal roles stand together */
    while (g > 0 &&
           options->items[own->groups[g - 1].option].parallelism != options->items[i].parallelism) {
      g--;
    }
    if (g == 0) {
      own->groups[own->group_count++] = (group){i, HUGE_VAL, HUGE_VAL};
      g = own->group_count;
    }
    group *const with = &own->groups[g - 1];
    own->group_of[i] = (uint16_t)(g - 1);
    with->alone = fmin(with->alone, o->least->cycles(o->least->context, layer_index, i, false));
    with->least = fmin(with->least, o->least->cycles(o->least->context, layer_index, i, true));
  }
  return own;
}

/* The edge to a spot out of the point whose edges begin at `first`, which takes no more than this.
 */
static uint32_t edge_to(outlooking *o, size_t first, uint32_t to, double cycles) {
  if (o->is_out_of_memory) {
    return 0;
  }
  spot *const at = &o->spots.items[to];
  if (at->edge == SIZE_MAX || at->edge < first) {
    if (!DSM__LIST_RESERVE(&o->edges, 1)) {
      o->is_out_of_memory = true;
      return 0;
    }
    at->edge = o->edges.count;
    o->edges.items[o->edges.count++] = (edge){to, cycles, HUGE_VAL};
  }
  edge *const by = &o->edges.items[at->edge];
  by->cycles = fmin(by->cycles, cycles);
  return (uint32_t)at->edge;
}

/* Is a way out of a point on no path within the limit? Of a kind of several layers another one may
 * be reached in fewer cycles. */
static bool is_too_long(const outlooking *o, const point *from, double cycles) {
  return o->kinds[from->layer]->layers == 1 &&
         o->spots.items[from->spot].now + cycles > o->left[from->layer + 1];
}

static void add_way(outlooking *o, const point *from, dsm__role_surroundings *around,
                    const group *with, uint32_t number) {
  const size_t layer_index = from->layer;
  const dsm__role_space *const space = o->space;
  const dsm__role_option *const option =
      &dsm__role_options_of(space, layer_index)->items[with->option];
  dsm__role_state running;
  dsm__role_state behind;
  dsm__role_shares shared;
  dsm__role_move move;
  if (is_too_long(o, from, with->least)) {
    return;
  }
  o->tried++;
  if (!dsm__role_enter(space, around, option, &running, &shared)) {
    return;
  }
  const double own = (shared.both == 0 ? with->alone : with->least) +
                     dsm__role_entering_cycles(space, around, &running);
  if (!(own < HUGE_VAL) || is_too_long(o, from, own) ||
      !dsm__role_leave(space, &running, layer_index, option, &behind, &move)) {
    return;
  }
  const double leaving = dsm__role_move_cycles(space, &move);
  const dsm__role_state all = projected(space, &behind, layer_index + 1);
  if (is_too_long(o, from, own + leaving)) {
    return;
  }
  if (!DSM__LIST_RESERVE(&o->ways, 1)) {
    o->is_out_of_memory = true;
    return;
  }
  const uint32_t by = edge_to(o, from->first_edge, spot_of(o, &all), own + leaving);
  o->ways.items[o->ways.count++] = (way){by, number, leaving};
}

/* Out of a state of which it is known what the layer reads. */
static void add_ways(outlooking *o, const point *from, const dsm__role_state *state) {
  const size_t layer_index = from->layer;
  const kind *const of = o->kinds[layer_index];
  const uint64_t known = o->space->layers[layer_index].read | 1;
  dsm__role_surroundings around = dsm__role_look_around(o->space, state, layer_index);
  for (unsigned a = 0; a < axis_count_of(o->space); a++) {
    dsm__role_forget_shortcuts(o->space, &around, a, state->inside[a] & ~known);
  }
  for (size_t g = 0; g < of->group_count; g++) {
    add_way(o, from, &around, &of->groups[g], (uint32_t)g);
  }
}

/* Out of a point, with each way in which what its layer reads can lie. */
static void fill_point(outlooking *o, point *of) {
  const dsm__role_state state = o->spots.items[of->spot].state;
  const uint64_t read = o->space->layers[of->layer].read & ~UINT64_C(1);
  unsigned unknown = 0; /* axes */
  for (unsigned a = 0; a < axis_count_of(o->space); a++) {
    unknown |= (state.inside[a] & read) != 0 ? 1U << a : 0;
  }
  of->first_edge = o->edges.count;
  of->first_way = o->ways.count;
  for (unsigned outside = unknown;; outside = (outside - 1) & unknown) {
    dsm__role_state one = state;
    for (unsigned a = 0; a < axis_count_of(o->space); a++) {
      const bool is_outside = (outside >> a & 1U) != 0;
      one.inside[a] &= is_outside ? ~read : UINT64_MAX;
      one.gathered[a] &= one.inside[a];
      one.gathered_again[a] = one.gathered[a];
    }
    add_ways(o, of, &one);
    if (outside == 0) {
      break;
    }
  }
  of->end_edge = o->edges.count;
  of->end_way = o->ways.count;
}

static size_t point_of(outlooking *o, size_t layer_index, uint32_t at) {
  const uint64_t key[] = {o->space->layers[layer_index].kind, at};
  const uint32_t hash = dsm__map_hash(0, key, sizeof key);
  const size_t found =
      dsm__map_find_in(&o->point_index, hash, o->points.items, sizeof(point), key, sizeof key);
  if (found != DSM__MAP_NONE) {
    return found;
  }
  if (!DSM__LIST_RESERVE_IN(&o->points, 1, o->arena) ||
      !dsm__map_add(&o->point_index, hash, o->points.count)) {
    o->is_out_of_memory = true;
    return 0;
  }
  kind *const of = o->kinds[layer_index];
  point one = {key[0], at, of->newest_point, .before = HUGE_VAL};
  fill_point(o, &one);
  if (!DSM__RESERVE(o->arena, one.rooms, of->group_count)) {
    o->is_out_of_memory = true;
    return 0;
  }
  o->points.items[o->points.count++] = one;
  of->newest_point = o->points.count;
  return o->points.count - 1;
}

/* ---- paths ---- */

static bool is_given_up(const outlooking *o) {
  return o->is_out_of_memory || o->tried > TRIED_MAX ||
         dsm__deadline_is_final(o->space->problem->inputs.deadline);
}

/* The spots behind a layer become those before the next; the least cycles up to one. */
static double take_reached(outlooking *o) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < o->reached.count; i++) {
    o->spots.items[o->reached.items[i]].now = HUGE_VAL;
  }
  o->reached.count = 0;
  if (!DSM__LIST_RESERVE_IN(&o->reached, o->behind.count, o->arena)) {
    o->is_out_of_memory = true;
    return least;
  }
  for (size_t i = 0; i < o->behind.count; i++) {
    spot *const own = &o->spots.items[o->behind.items[i]];
    own->now = own->next;
    own->next = HUGE_VAL;
    least = fmin(least, own->now);
    o->reached.items[o->reached.count++] = o->behind.items[i];
  }
  o->behind.count = 0;
  return least;
}

/* A spot behind a layer, unless that is beyond the limit with the least of all layers to come. */
static void reach(outlooking *o, size_t layer_index, uint32_t number, double cycles) {
  if (o->spots.items == NULL || cycles > o->left[layer_index]) {
    return;
  }
  spot *const to = &o->spots.items[number];
  if (to->next == HUGE_VAL) {
    if (!DSM__LIST_RESERVE_IN(&o->behind, 1, o->arena)) {
      o->is_out_of_memory = true;
      return;
    }
    o->behind.items[o->behind.count++] = number;
  }
  to->next = cycles < to->next ? cycles : to->next;
}

/* From the first layer; the cycles of the shortest path. */
static double go_forward(outlooking *o) {
  const dsm__role_state start = {.option = 0};
  reach(o, 0, spot_of(o, &start), 0);
  o->shortest[0] = take_reached(o);
  for (size_t i = 0; i < layer_count_of(o) && !is_given_up(o); i++) {
    const size_t first = o->space->layers[i].kind;
    o->kinds[i] = first < i ? o->kinds[first] : kind_of(o, i);
    if (o->kinds[i] != NULL) {
      o->kinds[i]->layers++;
    }
  }
  for (size_t i = 0; i < layer_count_of(o) && !is_given_up(o); i++) {
    for (size_t s = 0; s < o->reached.count && !is_given_up(o); s++) {
      const double cycles = o->spots.items[o->reached.items[s]].now;
      const size_t p = point_of(o, i, o->reached.items[s]);
      if (o->is_out_of_memory) {
        break;
      }
      point *const from = &o->points.items[p];
      from->before = fmin(from->before, cycles - o->shortest[i]);
      for (size_t e = from->first_edge; e < from->end_edge; e++) {
        reach(o, i + 1, o->edges.items[e].to, cycles + o->edges.items[e].cycles);
      }
    }
    o->shortest[i + 1] = take_reached(o);
  }
  return o->shortest[layer_count_of(o)];
}

/* From where the path is over. */
static void go_back(outlooking *o, double least) {
  for (size_t s = 0; s < o->spots.count; s++) {
    spot *const own = &o->spots.items[s];
    own->now = own->now < HUGE_VAL ? 0 : HUGE_VAL;
  }
  for (size_t i = layer_count_of(o); i-- > 0 && !is_given_up(o);) {
    const double rest = least - o->shortest[i];
    for (size_t p = o->kinds[i]->newest_point; p > 0; p = o->points.items[p - 1].older) {
      const point *const from = &o->points.items[p - 1];
      double cycles = HUGE_VAL;
      for (size_t e = from->first_edge; e < from->end_edge; e++) {
        edge *const by = &o->edges.items[e];
        const double behind = o->spots.items[by->to].now;
        by->behind = behind - rest < by->behind ? behind - rest : by->behind;
        cycles = behind + by->cycles < cycles ? behind + by->cycles : cycles;
      }
      o->spots.items[from->spot].next = cycles;
    }
    for (size_t s = 0; s < o->spots.count; s++) {
      o->spots.items[s].now = o->spots.items[s].next;
      o->spots.items[s].next = HUGE_VAL;
    }
  }
}

/* What a path through an edge may take within the limit, but for what leads up to it and on. */
static void fill_rooms(outlooking *o, double open) {
  for (size_t p = 0; p < o->points.count; p++) {
    const point *const from = &o->points.items[p];
    for (size_t g = 0; g < o->kinds[from->layer]->group_count; g++) {
      from->rooms[g] = -HUGE_VAL;
    }
    for (size_t w = from->first_way; w < from->end_way; w++) {
      const way *const one = &o->ways.items[w];
      const double room = open - from->before - one->leaving - o->edges.items[one->by].behind;
      from->rooms[one->of] = fmax(from->rooms[one->of], room);
    }
  }
}

bool dsm__role_outlook_find(const dsm__role_space *space, const dsm__role_least *least,
                            const double *layers, double limit_cycles, dsm__arena *arena,
                            dsm__role_outlook *outlook) {
  const size_t layer_count = space->problem->inputs.workload->layer_count;
  outlooking o = {.space = space, .least = least, .arena = arena};
  *outlook = (dsm__role_outlook){.least_cycles = 0};
  if (space->problem->is_bounding_off || space->problem->is_outlook_off) {
    return true;
  }
  if (!DSM__RESERVE(arena, o.kinds, layer_count) ||
      !DSM__RESERVE(arena, o.shortest, layer_count + 1) ||
      !DSM__RESERVE(arena, o.left, layer_count + 1)) {
    return false;
  }
  o.left[layer_count] = dsm__tie_limit(limit_cycles);
  for (size_t i = layer_count; i-- > 0;) {
    o.left[i] = o.left[i + 1] - layers[i];
  }
  const double cycles = go_forward(&o);
  if (!is_given_up(&o) && cycles < HUGE_VAL) {
    go_back(&o, cycles);
    fill_rooms(&o, dsm__tie_limit(limit_cycles) - cycles);
  }
  const bool is_known = !is_given_up(&o);
  space->problem->is_outlook_off = o.tried > TRIED_MAX;
  outlook->spot_index = o.spot_index;
  outlook->point_index = o.point_index;
  if (is_known) {
    outlook->least_cycles = cycles;
    outlook->kinds = o.kinds;
    outlook->spots = o.spots.items;
    outlook->points = o.points.items;
  }
  free(o.edges.items);
  free(o.ways.items);
  return !o.is_out_of_memory;
}

void dsm__role_outlook_fini(dsm__role_outlook *outlook) {
  dsm__map_fini(&outlook->spot_index);
  dsm__map_fini(&outlook->point_index);
}

dsm__role_rooms dsm__role_rooms_at(const dsm__role_space *space, const dsm__role_outlook *outlook,
                                   size_t layer_index, const dsm__role_state *state) {
  const dsm__role_rooms any = {NULL, NULL};
  if (outlook == NULL || outlook->spots == NULL) {
    return any;
  }
  const dsm__role_state all = projected(space, state, layer_index);
  const uint64_t key[] = {space->layers[layer_index].kind,
                          dsm__map_find_in(&outlook->spot_index, dsm__map_hash(0, &all, sizeof all),
                                           outlook->spots, sizeof(spot), &all, sizeof all)};
  const size_t p = dsm__map_find_in(&outlook->point_index, dsm__map_hash(0, key, sizeof key),
                                    outlook->points, sizeof(point), key, sizeof key);
  return p == DSM__MAP_NONE
             ? any
             : (dsm__role_rooms){outlook->points[p].rooms, outlook->kinds[layer_index]->group_of};
}
