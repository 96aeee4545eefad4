/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/resident_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "model/equations.h"
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

/* Passes of a class of layers that differ in their room only. */
typedef struct kind {
  footprint *footprints; /* of all candidates, each pair once */
  size_t footprint_count;
  double *kernels; /* each once; none where no kernel is kept over timesteps */
  size_t kernel_count;
  double moving_bytes; /* features */
  double kernel_bytes; /* of the chip */
  range *ranges;       /* by room */
  size_t range_count;
  size_t range_capacity;
} kind;

struct dsm__resident_kinds {
  dsm__variants keys; /* one of each kind, with nothing held but what it reads and writes */
  kind *items;        /* of each key */
  size_t count;
  size_t capacity;
  size_t numbers;
  footprint *scratch; /* for all core splits */
  dsm__arena *arena;  /* of footprints and kernels */
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
  for (size_t i = 0; i < kinds->count; i++) {
    free(kinds->items[i].ranges);
  }
  free(kinds->items);
  dsm__variants_fini(&kinds->keys);
  dsm__arena_free(kinds->arena);
  free(kinds);
}

size_t dsm__resident_kinds_count(const dsm__resident_kinds *kinds) {
  return kinds->numbers;
}

/* ---- what a room makes of a kind ---- */

/* The numbers of tiles that matter; SIZE_MAX stands for any. */
typedef struct tiles {
  double kernel;
  double input;
} tiles;

static tiles tiles_of(const kind *k, const footprint *core, double room_bytes) {
  static const double any = -1;
  static const double margin = 1 + 1e-9; /* more than rounding */
  const double kernel = dsm__tiles(core->kernel, room_bytes);
  const double input = dsm__tiles(core->input, room_bytes);
  if (kernel <= 1) {
    return (tiles){kernel, any};
  }
  const bool is_feature_outer =
      k->moving_bytes * (kernel - 1) > margin * k->kernel_bytes * (input - 1);
  return (tiles){is_feature_outer ? any : kernel, input};
}

static bool can_stay(const dsm_machine *machine, double kernel_bytes, double room_bytes) {
  return kernel_bytes <= dsm__capacity_limit(dsm_resident_kernel_limit_bytes(
                             machine, DSM_PASS_FORWARD, room_bytes));
}

static bool are_rooms_alike(const dsm_machine *machine, const kind *k, double a, double b) {
  for (size_t i = 0; i < k->footprint_count; i++) {
    const tiles one = tiles_of(k, &k->footprints[i], a);
    const tiles other = tiles_of(k, &k->footprints[i], b);
    if (one.kernel < other.kernel || one.kernel > other.kernel || one.input < other.input ||
        one.input > other.input) {
      return false;
    }
  }
  for (size_t i = 0; i < k->kernel_count; i++) {
    if (can_stay(machine, k->kernels[i], a) != can_stay(machine, k->kernels[i], b)) {
      return false;
    }
  }
  return true;
}

/* ---- kinds ---- */

static int compare_footprints(const void *left, const void *right) {
  const footprint *const a = left;
  const footprint *const b = right;
  if (a->kernel < b->kernel || a->kernel > b->kernel) {
    return a->kernel < b->kernel ? -1 : 1;
  }
  return (a->input > b->input) - (a->input < b->input);
}

/* All candidates' footprints in the scratch, in order; how many they are. SIZE_MAX: out of memory.
 */
static size_t list_footprints(dsm__resident_kinds *kinds, const dsm_pass_work *work,
                              const dsm__core_splits *splits) {
  const bool is_any_split = !dsm__core_splits_any_valid(splits, work->layer, &work->share);
  if (kinds->scratch == NULL) {
    kinds->scratch = dsm__arena_array(kinds->arena, splits->count, sizeof kinds->scratch[0]);
  }
  if (kinds->scratch == NULL) {
    return SIZE_MAX;
  }
  size_t count = 0;
  for (size_t i = 0; i < splits->count; i++) {
    if (is_any_split || dsm_split_is_valid(work->layer, &work->share, &splits->items[i])) {
      const dsm__core_bytes core =
          dsm__core_bytes_derive(work->layer, &work->bytes, &splits->items[i]);
      kinds->scratch[count++] = (footprint){core.kernel, core.input};
    }
  }
  qsort(kinds->scratch, count, sizeof kinds->scratch[0], compare_footprints);
  return count;
}

/* Keeps the footprints in the scratch, each once; in a kind whose features do not move, none. */
static bool keep_footprints(dsm__resident_kinds *kinds, size_t count, kind *k) {
  size_t kept = 0;
  for (size_t i = 0; i < count && k->moving_bytes > 0; i++) {
    if (kept == 0 || compare_footprints(&kinds->scratch[kept - 1], &kinds->scratch[i]) != 0) {
      kinds->scratch[kept++] = kinds->scratch[i];
    }
  }
  k->footprints = dsm__arena_array(kinds->arena, kept, sizeof k->footprints[0]);
  k->footprint_count = kept;
  if (k->footprints == NULL) {
    return false;
  }
  memcpy(k->footprints, kinds->scratch, kept * sizeof k->footprints[0]);
  return true;
}

/* Keeps what the kernel can be of a core, each once. */
static bool keep_kernels(dsm__resident_kinds *kinds, size_t count, kind *k) {
  k->kernels = dsm__arena_array(kinds->arena, count, sizeof k->kernels[0]);
  for (size_t i = 0; i < count && k->kernels != NULL; i++) {
    const double kernel = kinds->scratch[i].kernel;
    if (k->kernel_count == 0 || k->kernels[k->kernel_count - 1] < kernel) {
      k->kernels[k->kernel_count++] = kernel;
    }
  }
  return k->kernels != NULL;
}

static bool make_kind(dsm__resident_kinds *kinds, const dsm__kind_query *query, kind *k) {
  const dsm__layer_setting *const setting = query->setting;
  const bool may_keep = dsm__has_optimization(query->table->inputs, DSM_OPTIMIZATION_REUSE) &&
                        dsm_kernel_can_be_kept(setting->layer, setting->machine);
  const dsm__parts parts = dsm__pass_parts(setting, DSM_PASS_FORWARD, query->parallelism, false);
  const dsm_pass_work work =
      dsm__part_work(setting, DSM_PASS_FORWARD, query->parallelism, &parts.items[0]);
  *k = (kind){.moving_bytes = work.bytes.input_moved, .kernel_bytes = work.bytes.kernel};
  const size_t count = list_footprints(kinds, &work, &query->table->splits);
  return count != SIZE_MAX && (!may_keep || keep_kernels(kinds, count, k)) &&
         keep_footprints(kinds, count, k);
}

/* The kind of a run, made if it is new; NULL if out of memory. */
static kind *find_kind(dsm__resident_kinds *kinds, const dsm__kind_query *query) {
  dsm__holding holding = query->setting->holding;
  holding.held_elements = 0;
  holding.deferred_elements = 0; /* inference writes nothing later */
  const size_t index = dsm__variants_add(&kinds->keys, query->class_index, DSM_PASS_FORWARD,
                                         query->parallelism, query->factor_index, &holding);
  if (index == SIZE_MAX || index < kinds->count) {
    return index == SIZE_MAX ? NULL : &kinds->items[index];
  }
  if (kinds->count == kinds->capacity) {
    const size_t capacity = kinds->capacity == 0 ? 64 : 2 * kinds->capacity;
    kind *const grown = realloc(kinds->items, capacity * sizeof *grown);
    if (grown == NULL) {
      return NULL;
    }
    kinds->items = grown;
    kinds->capacity = capacity;
  }
  kind *const made = &kinds->items[kinds->count];
  if (!make_kind(kinds, query, made)) {
    return NULL;
  }
  kinds->count++;
  return made;
}

/* ---- ranges ---- */

/* A new range at a place; false if out of memory. */
static bool insert_range(kind *k, size_t place, range one) {
  if (k->range_count == k->range_capacity) {
    const size_t capacity = k->range_capacity == 0 ? 4 : 2 * k->range_capacity;
    range *const grown = realloc(k->ranges, capacity * sizeof *grown);
    if (grown == NULL) {
      return false;
    }
    k->ranges = grown;
    k->range_capacity = capacity;
  }
  memmove(&k->ranges[place + 1], &k->ranges[place], (k->range_count - place) * sizeof one);
  k->ranges[place] = one;
  k->range_count++;
  return true;
}

size_t dsm__resident_kinds_find(dsm__resident_kinds *kinds, const dsm__kind_query *query) {
  const dsm__layer_setting *const setting = query->setting;
  const dsm_machine *const machine = setting->machine;
  kind *const k = find_kind(kinds, query);
  if (k == NULL) {
    return SIZE_MAX;
  }
  const double room = dsm_scratchpad_left_bytes(machine, setting->preloaded_bytes,
                                                dsm__held_bytes(setting, query->parallelism));
  size_t after = 0; /* the first range that does not end before the room */
  while (after < k->range_count && k->ranges[after].most_bytes < room) {
    after++;
  }
  if (after < k->range_count && k->ranges[after].least_bytes <= room) {
    return k->ranges[after].number;
  }
  if (after < k->range_count && are_rooms_alike(machine, k, room, k->ranges[after].least_bytes)) {
    k->ranges[after].least_bytes = room;
    return k->ranges[after].number;
  }
  if (after > 0 && are_rooms_alike(machine, k, room, k->ranges[after - 1].most_bytes)) {
    k->ranges[after - 1].most_bytes = room;
    return k->ranges[after - 1].number;
  }
  return insert_range(k, after, (range){room, room, kinds->numbers}) ? kinds->numbers++ : SIZE_MAX;
}
