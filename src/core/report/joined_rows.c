/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * joined_rows.c: layers at one place of a block that repeats, as one row.
 *
 * Blocks are equal in what they are, but where some of them hold what they deliver and others have
 * no room left, their numbers differ, and each kind of block has rows of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "plan/alike.h"
#include "report/folded_name.h"
#include "report/pass_rows.h"

/* A row's place: the name of its first layer without the numbers of blocks, what the layer is, and
 * the pass. */
typedef struct place {
  const char *name; /* NULL: it is in no block that repeats */
  size_t kind;
  dsm_pass pass;
  size_t count; /* of rows */
} place;

/* encoder.12.ff1 as encoder..ff1; NULL: there is no such number, or no memory, which is noted. */
static const char *place_name(dsm__arena *arena, const char *name, bool *has_memory) {
  char *const made = dsm__arena_strdup(arena, name);
  bool has_number = false;
  size_t length = 0;
  *has_memory = *has_memory && made != NULL;
  for (const char *at = name; made != NULL && *at != '\0'; at++) {
    const bool is_part = at == name || at[-1] == '.';
    const size_t digits = is_part ? strspn(at, "0123456789") : 0;
    if (digits > 0 && at[digits] == '.') {
      has_number = true;
      at += digits;
    }
    made[length++] = *at;
  }
  if (made != NULL) {
    made[length] = '\0';
  }
  return has_number ? made : NULL;
}

static bool is_place(const void *context, size_t index, const void *key) {
  const place *const known = (const place *)context + index;
  const place *const wanted = key;
  return known->name != NULL && known->kind == wanted->kind && known->pass == wanted->pass &&
         strcmp(known->name, wanted->name) == 0;
}

static int compare_layers(const void *a, const void *b) {
  const size_t left = *(const size_t *)a;
  const size_t right = *(const size_t *)b;
  return (left > right) - (left < right);
}

/* The name of all layers of some rows. */
static const char *joined_name(const dsm__pass_rows *rows, const dsm_plan *plan,
                               const dsm__pass_row *parts, size_t count, size_t layer_count,
                               dsm__arena *arena) {
  size_t *const layers = dsm__arena_array(arena, layer_count, sizeof *layers);
  const char **const names = dsm__arena_array(arena, layer_count, sizeof *names);
  size_t listed = 0;
  if (layers == NULL || names == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t layer = rows->folding.rows[parts[i].fold_row].first; layer != SIZE_MAX;
         layer = rows->folding.next[layer]) {
      layers[listed++] = layer;
    }
  }
  qsort(layers, listed, sizeof *layers, compare_layers);
  for (size_t i = 0; i < listed; i++) {
    names[i] = plan->workload->layers[layers[i]].name;
  }
  return dsm__folded_name(arena, names, listed);
}

/* The rows of a place as one. */
static bool join(dsm__pass_row *joined, const dsm__pass_rows *rows, const dsm_plan *plan,
                 const place *places, size_t first, const size_t *place_of, dsm__arena *arena) {
  dsm__pass_row *const parts = dsm__arena_array(arena, places[first].count, sizeof *parts);
  size_t listed = 0;
  if (parts == NULL) {
    return false;
  }
  *joined = rows->items[first];
  joined->count = 0;
  joined->cycles = 0;
  for (size_t i = first; listed < places[first].count; i++) {
    if (place_of[i] == first) {
      parts[listed++] = rows->items[i];
      joined->count += rows->items[i].count;
      joined->cycles += rows->items[i].cycles;
    }
  }
  joined->parts = parts;
  joined->part_count = listed;
  joined->name = joined_name(rows, plan, parts, listed, joined->count, arena);
  return joined->name != NULL;
}

/* Of each row the first one of its place. */
static bool find_places(const dsm__pass_rows *rows, const dsm_plan *plan, place *places,
                        size_t *place_of, dsm__arena *arena) {
  dsm__alike kinds;
  dsm__map index = {0};
  bool is_good = dsm__alike_find(&kinds, plan->layers, plan->layer_count, DSM__ALIKE_LOOPS, arena);
  for (size_t i = 0; i < rows->count && is_good; i++) {
    const dsm__pass_row *const row = &rows->items[i];
    places[i] =
        (place){.name = place_name(arena, plan->workload->layers[row->layer].name, &is_good),
                .kind = kinds.class_of[row->layer],
                .pass = row->pass};
    size_t found = i;
    if (places[i].name != NULL) {
      const uint32_t hash =
          dsm__map_hash((uint64_t)row->pass, places[i].name, strlen(places[i].name));
      found = dsm__map_find(&index, hash, is_place, places, &places[i]);
      is_good = is_good && (found != DSM__MAP_NONE || dsm__map_add(&index, hash, i));
      found = found == DSM__MAP_NONE ? i : found;
    }
    place_of[i] = found;
    places[found].count++;
  }
  dsm__map_fini(&index);
  return is_good;
}

bool dsm__pass_rows_join(dsm__pass_rows *rows, const dsm_plan *plan, dsm__arena *arena) {
  place *const places = dsm__arena_array(arena, rows->count, sizeof *places);
  size_t *const place_of = dsm__arena_array(arena, rows->count, sizeof *place_of);
  dsm__pass_row *const made = dsm__arena_array(arena, rows->count, sizeof *made);
  size_t count = 0;
  bool is_any_joined = false;
  if (places == NULL || place_of == NULL || made == NULL ||
      !find_places(rows, plan, places, place_of, arena)) {
    return false;
  }
  for (size_t i = 0; i < rows->count; i++) {
    if (place_of[i] != i) {
      continue;
    }
    made[count] = rows->items[i];
    if (places[i].count > 1) {
      is_any_joined = true;
      if (!join(&made[count], rows, plan, places, i, place_of, arena)) {
        return false;
      }
    }
    made[count].is_first_of_name = count == 0 || made[count - 1].layer != made[count].layer;
    count++;
  }
  rows->items = made;
  rows->count = count;
  rows->is_joined = is_any_joined;
  rows->is_folded = rows->is_folded || is_any_joined;
  return true;
}
