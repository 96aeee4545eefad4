/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resident_kinds.c: which runs of layers (section 10) cost the same, whatever the room set aside.
 *
 * All that a run's costs take of what is held elsewhere and of W is the room left in a scratchpad,
 * and of that only what section 5 makes of it: into how many tiles a core's kernel and features
 * fall with each core split; and with which splits the kernel can stay over timesteps (section 7).
 * Both fall from one number to the next as room grows, so that all rooms between two that agree in
 * them agree as well, to the last bit. Of the tiles those do not count that no fraction on chip can
 * make matter:
 *
 * - features that do not move are fetched in no order but kernel-outer, in one tile or in many;
 * - a kernel that is one tile is fetched kernel-outer too: that is best for any fraction;
 * - with model.tiling "blocked" those are all: rooms in which another kernel is several tiles are
 *   not compared, as each can have tiles of its own;
 * - in a shared memory tiles are always the same, and room counts only for what fits (section 7);
 * - where features * (n1 - 1) > kernel * (tiles of the features - 1), feature-outer moves less for
 *   any fraction, and so long as any weights are needed on chip it needs fewer.
 */
#include "search/preload/residents.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing_list.h"
#include "base/map.h"
#include "base/order.h"
#include "model/streams.h"
#include "plan/tolerance.h"
#include "search/variants.h"

/* Bytes of a core under some core split. */
typedef struct footprint {
  double kernel;
  double input;
} footprint;

/* Rooms that are alike, and the number of the runs with them. */
typedef struct range {
  double least_bytes;
  double most_bytes;
  size_t number;
} range;

/* What a class of layers with a parallelism and a factor is to a core, whatever is held. */
typedef struct shape {
  footprint *footprints; /* of all candidates, each pair once; by kernel */
  size_t footprint_count;
  double *kernels; /* each once; none where no kernel is kept over timesteps */
  size_t kernel_count;
  double kernel_bytes; /* of the chip */
} shape;

/* Passes of a shape that differ in their room only. */
typedef struct kind {
  const shape *of;
  double moving_bytes;     /* features */
  DSM__LIST(range) ranges; /* by room */
} kind;

struct dsm__resident_kinds {
  dsm__variants keys;    /* one of each kind, with nothing held but what it reads and writes */
  DSM__LIST(kind) kinds; /* of each key */
  size_t numbers;
  shape **shapes; /* by class, parallelism and factor; NULL: not made */
  DSM__LIST(footprint) scratch;
  dsm__map places;   /* of the footprints in the scratch */
  dsm__arena *arena; /* of shapes */
};

dsm__resident_kinds *dsm__resident_kinds_new(void) {
  dsm__resident_kinds *const kinds = calloc(1, sizeof *kinds);
  if (kinds == NULL) {
    return NULL;
  }
  kinds->arena = dsm__arena_new();
  if (kinds->arena == NULL) {
    free(kinds);
    return NULL;
  }
  return kinds;
}

void dsm__resident_kinds_free(dsm__resident_kinds *kinds) {
  if (kinds == NULL) {
    return;
  }
  for (size_t i = 0; i < kinds->kinds.count; i++) {
    free(kinds->kinds.items[i].ranges.items);
  }
  free(kinds->kinds.items);
  free(kinds->scratch.items);
  dsm__map_fini(&kinds->places);
  dsm__variants_fini(&kinds->keys);
  dsm__arena_free(kinds->arena);
  free(kinds);
}

/* ---- what a room makes of a kind ---- */

/* The numbers of tiles that matter; -1 stands for any. */
typedef struct tiles {
  double kernel;
  double input;
} tiles;

/* Which of the two orders of loops is better depends on both numbers of tiles and on how many bytes
 * move and stay (section 5); where one of them is better for any part of the weights on chip, the
 * number that only the other order reads may be anything. */
static tiles tiles_of(const kind *k, const footprint *core, double room_bytes) {
  static const double any = -1;
  static const double margin = 1 + 1e-9; /* more than rounding */
  const double kernel = dsm__tiles(core->kernel, room_bytes);
  const double input = dsm__tiles(core->input, room_bytes);
  if (kernel <= 1) {
    return (tiles){kernel, any};
  }
  const bool is_feature_outer =
      k->moving_bytes * (kernel - 1) > margin * k->of->kernel_bytes * (input - 1);
  return (tiles){is_feature_outer ? any : kernel, input};
}

static bool can_stay(const dsm_machine *machine, double kernel_bytes, double room_bytes) {
  return kernel_bytes <= dsm__capacity_limit(dsm_resident_kernel_limit_bytes(
                             machine, DSM_PASS_FORWARD, room_bytes));
}

/* The first footprint whose kernel is more than one tile in a room: those before it are all alike
 * in every room that is no smaller. */
static size_t first_in_tiles(const shape *of, double room_bytes) {
  size_t low = 0;
  size_t high = of->footprint_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (dsm__tiles(of->footprints[middle].kernel, room_bytes) > 1) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

static bool fit_alike(double bytes, double a, double b) {
  return dsm__fits_shared(bytes, a) == dsm__fits_shared(bytes, b);
}

/* Of a shared memory: what is fetched again, or a kernel that stays, fits or does not. */
static bool are_shared_rooms_alike(const dsm_machine *machine, const kind *k, double a, double b) {
  const shape *const of = k->of;
  return fit_alike(k->moving_bytes, a, b) && fit_alike(of->kernel_bytes, a, b) &&
         can_stay(machine, of->kernel_bytes, a) == can_stay(machine, of->kernel_bytes, b);
}

static bool are_rooms_alike(const dsm_machine *machine, const kind *k, double a, double b) {
  const shape *const of = k->of;
  if (machine->has_shared_memory) {
    return are_shared_rooms_alike(machine, k, a, b);
  }
  const size_t end = k->moving_bytes > 0 ? of->footprint_count : 0; /* else no tiles matter */
  const size_t first = end > 0 ? first_in_tiles(of, a < b ? a : b) : 0;
  if (first < end && machine->system->model.tiling == DSM_TILING_BLOCKED) {
    return false;
  }
  for (size_t i = first; i < end; i++) {
    const tiles one = tiles_of(k, &of->footprints[i], a);
    const tiles other = tiles_of(k, &of->footprints[i], b);
    if (one.kernel < other.kernel || one.kernel > other.kernel || one.input < other.input ||
        one.input > other.input) {
      return false;
    }
  }
  for (size_t i = 0; i < of->kernel_count; i++) {
    if (can_stay(machine, of->kernels[i], a) != can_stay(machine, of->kernels[i], b)) {
      return false;
    }
  }
  return true;
}

/* ---- kinds ---- */

static int compare_footprints(const void *left, const void *right) {
  const footprint *const a = left;
  const footprint *const b = right;
  return dsm__order_then(dsm__order(a->kernel, b->kernel), dsm__order(a->input, b->input));
}

/* Puts a footprint at the end of the scratch if it is not there. False if out of memory. */
static bool add_footprint(dsm__resident_kinds *kinds, footprint one) {
  const uint32_t hash = dsm__map_hash(0, &one, sizeof one);
  if (dsm__map_find_in(&kinds->places, hash, kinds->scratch.items, sizeof one, &one, sizeof one) !=
      DSM__MAP_NONE) {
    return true;
  }
  if (!DSM__LIST_RESERVE(&kinds->scratch, 1) ||
      !dsm__map_add(&kinds->places, hash, kinds->scratch.count)) {
    return false;
  }
  kinds->scratch.items[kinds->scratch.count++] = one;
  return true;
}

/* All candidates' footprints in the scratch, each once, in order. False if out of memory. Far fewer
 * differ than there are splits, of which most of the time would go to sorting. */
static bool list_footprints(dsm__resident_kinds *kinds, const dsm_pass_work *work,
                            const dsm__core_splits *splits) {
  const dsm__parts_limit candidates = dsm__candidate_parts(splits, &work->share);
  dsm__map_clear(&kinds->places);
  kinds->scratch.count = 0;
  for (size_t i = 0; i < splits->count; i++) {
    if (dsm__is_within_parts(&candidates, &splits->items[i])) {
      const dsm__core_bytes core =
          dsm__core_bytes_derive(work->layer, work->share.groups, &work->bytes, &splits->items[i]);
      if (!add_footprint(kinds, (footprint){core.kernel, core.input})) {
        return false;
      }
    }
  }
  qsort(kinds->scratch.items, kinds->scratch.count, sizeof kinds->scratch.items[0],
        compare_footprints);
  return true;
}

/* Keeps the footprints in the scratch. */
static bool keep_footprints(dsm__resident_kinds *kinds, shape *of) {
  const size_t count = kinds->scratch.count;
  of->footprints = dsm__arena_array(kinds->arena, count, sizeof of->footprints[0]);
  of->footprint_count = count;
  if (of->footprints == NULL) {
    return false;
  }
  memcpy(of->footprints, kinds->scratch.items, count * sizeof of->footprints[0]);
  return true;
}

/* Keeps what the kernel can be of a core, each once. */
static bool keep_kernels(dsm__resident_kinds *kinds, shape *of) {
  const size_t count = kinds->scratch.count;
  of->kernels = dsm__arena_array(kinds->arena, count, sizeof of->kernels[0]);
  for (size_t i = 0; i < count && of->kernels != NULL; i++) {
    const double kernel = kinds->scratch.items[i].kernel;
    if (of->kernel_count == 0 || of->kernels[of->kernel_count - 1] < kernel) {
      of->kernels[of->kernel_count++] = kernel;
    }
  }
  return of->kernels != NULL;
}

static shape *make_shape(dsm__resident_kinds *kinds, const dsm__kind_query *query,
                         const dsm_pass_work *work) {
  const dsm__layer_setting *const setting = query->setting;
  const bool may_keep = dsm__may_choose(query->table->inputs->options, DSM__CHOICE_KERNEL) &&
                        dsm_kernel_can_be_kept(setting->layer, setting->machine);
  shape *const of = dsm__arena_alloc(kinds->arena, sizeof *of);
  if (of == NULL || !list_footprints(kinds, work, &query->table->splits) ||
      (may_keep && !keep_kernels(kinds, of)) || !keep_footprints(kinds, of)) {
    return NULL;
  }
  of->kernel_bytes = work->bytes.kernel;
  return of;
}

/* The shape of a run, made if it is new; NULL if out of memory. */
static const shape *find_shape(dsm__resident_kinds *kinds, const dsm__kind_query *query,
                               const dsm_pass_work *work) {
  const dsm__layer_table *const table = query->table;
  if (kinds->shapes == NULL) {
    if (!DSM__RESERVE(kinds->arena, kinds->shapes,
                      table->distinct.count * DSM_PARALLELISM_COUNT * table->factor_count)) {
      return NULL;
    }
  }
  const size_t row = query->class_index * DSM_PARALLELISM_COUNT + (size_t)query->parallelism;
  shape **const place = &kinds->shapes[row * table->factor_count + query->factor_index];
  if (*place == NULL) {
    *place = make_shape(kinds, query, work);
  }
  return *place;
}

static bool make_kind(dsm__resident_kinds *kinds, const dsm__kind_query *query, kind *k) {
  const dsm__layer_setting *const setting = query->setting;
  const dsm__parts parts = dsm__pass_parts(setting, DSM_PASS_FORWARD, query->parallelism, false);
  const dsm_pass_work work =
      dsm__part_work(setting, DSM_PASS_FORWARD, query->parallelism, &parts.items[0]);
  *k = (kind){.of = find_shape(kinds, query, &work), .moving_bytes = work.bytes.input_moved};
  return k->of != NULL;
}

/* The kind of a run, made if it is new; NULL if out of memory. */
static kind *find_kind(dsm__resident_kinds *kinds, const dsm__kind_query *query) {
  dsm__holding holding = query->setting->holding;
  holding.held_elements = 0;
  holding.deferred_elements = 0;    /* inference writes nothing later */
  kinds->keys.table = query->table; /* for now: the table of a level does not outlive it */
  const size_t index = dsm__variants_add(&kinds->keys, query->class_index, DSM_PASS_FORWARD,
                                         query->parallelism, query->factor_index, &holding);
  if (index == SIZE_MAX || index < kinds->kinds.count) {
    return index == SIZE_MAX ? NULL : &kinds->kinds.items[index];
  }
  if (!DSM__LIST_RESERVE(&kinds->kinds, 1)) {
    return NULL;
  }
  kind *const made = &kinds->kinds.items[kinds->kinds.count];
  if (!make_kind(kinds, query, made)) {
    return NULL;
  }
  kinds->kinds.count++;
  return made;
}

/* What W and what is held leave: of a scratchpad, or of a shared memory. */
static double room_of(const dsm_machine *machine, double preloaded_bytes, double held_bytes) {
  return machine->has_shared_memory
             ? dsm_shared_left_bytes(machine, preloaded_bytes, held_bytes)
             : dsm_scratchpad_left_bytes(machine, preloaded_bytes, held_bytes);
}

/* ---- ranges ---- */

/* A new range at a place; false if out of memory. */
static bool insert_range(kind *k, size_t place, range one) {
  if (!DSM__LIST_RESERVE(&k->ranges, 1)) {
    return false;
  }
  memmove(&k->ranges.items[place + 1], &k->ranges.items[place],
          (k->ranges.count - place) * sizeof one);
  k->ranges.items[place] = one;
  k->ranges.count++;
  return true;
}

/* The first range that does not end before the room. */
static size_t range_at(const kind *k, double room) {
  size_t at = 0;
  while (at < k->ranges.count && k->ranges.items[at].most_bytes < room) {
    at++;
  }
  return at;
}

/*
 * The range that a room is in, made wider or new; SIZE_MAX if out of memory.
 *
 * Rooms of one kind that agree form intervals, since tiles fall from one number to the next as room
 * grows. So a room between two of a range agrees with them, and one outside is compared with the
 * nearest end only.
 */
static size_t place_room(dsm__resident_kinds *kinds, const dsm_machine *machine, kind *k,
                         double room) {
  const size_t after = range_at(k, room);
  assert(after <= k->ranges.count);
  if (after < k->ranges.count && k->ranges.items[after].least_bytes <= room) {
    return after;
  }
  if (after < k->ranges.count &&
      are_rooms_alike(machine, k, room, k->ranges.items[after].least_bytes)) {
    k->ranges.items[after].least_bytes = room;
    return after;
  }
  if (after > 0 && are_rooms_alike(machine, k, room, k->ranges.items[after - 1].most_bytes)) {
    k->ranges.items[after - 1].most_bytes = room;
    return after - 1;
  }
  const range one = {room, room, kinds->numbers};
  kinds->numbers++;
  return insert_range(k, after, one) ? after : SIZE_MAX;
}

/* Widens a range as far down as a few trials show it to go, so that smaller rooms need none. */
static void widen(const dsm_machine *machine, kind *k, size_t at, double least_room) {
  enum { TRIALS = 4 };
  range *const one = &k->ranges.items[at];
  const double other = at > 0 ? k->ranges.items[at - 1].most_bytes : 0; /* is not alike */
  double low = least_room > other ? least_room : 0.5 * (other + one->least_bytes);
  for (int i = 0; i < TRIALS && low < one->least_bytes; i++) {
    if (are_rooms_alike(machine, k, low, one->least_bytes)) {
      one->least_bytes = low;
      return;
    }
    low = 0.5 * (low + one->least_bytes);
  }
}

size_t dsm__resident_kinds_find(dsm__resident_kinds *kinds, const dsm__kind_query *query,
                                dsm__resident_place *place) {
  const dsm__layer_setting *const setting = query->setting;
  const dsm_machine *const machine = setting->machine;
  kind *const k = find_kind(kinds, query);
  if (k == NULL) {
    return SIZE_MAX;
  }
  const double held_bytes = dsm__held_bytes(setting, query->parallelism);
  const double room = room_of(machine, setting->preloaded_bytes, held_bytes);
  *place = (dsm__resident_place){(size_t)(k - kinds->kinds.items), held_bytes};
  const size_t known = range_at(k, room);
  if (known < k->ranges.count && k->ranges.items[known].least_bytes <= room) {
    return k->ranges.items[known].number;
  }
  const size_t at = place_room(kinds, machine, k, room);
  if (at == SIZE_MAX) {
    return SIZE_MAX;
  }
  widen(machine, k, at, room_of(machine, query->most_preloaded_bytes, held_bytes));
  return k->ranges.items[at].number;
}

size_t dsm__resident_kinds_known(const dsm__resident_kinds *kinds, const dsm_machine *machine,
                                 const dsm__resident_place *place, double preloaded_bytes) {
  const kind *const k = &kinds->kinds.items[place->kind];
  const double room = room_of(machine, preloaded_bytes, place->held_bytes);
  const size_t at = range_at(k, room);
  return at < k->ranges.count && k->ranges.items[at].least_bytes <= room
             ? k->ranges.items[at].number
             : SIZE_MAX;
}
