/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/variants.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "search/layer_search.h"

_Static_assert(sizeof(dsm__variant_key) == 32, "no padding");

void dsm__variants_init(dsm__variants *variants, const dsm__layer_table *table) {
  *variants = (dsm__variants){.table = table};
}

void dsm__variants_fini(dsm__variants *variants) {
  free(variants->keys);
  free(variants->cycles);
  free(variants->slots);
  *variants = (dsm__variants){.table = variants->table};
}

/* FNV-1a over the words of a key. */
static size_t hash_of(const dsm__variant_key *key) {
  uint64_t words[sizeof *key / sizeof(uint64_t)];
  memcpy(words, key, sizeof words);
  uint64_t hash = 14695981039346656037U;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    hash = (hash ^ words[i]) * 1099511628211U;
    hash ^= hash >> 29;
  }
  return (size_t)hash;
}

/* The slot that holds a key, or the empty one where it belongs. */
static size_t find_slot(const dsm__variants *variants, const dsm__variant_key *key) {
  size_t slot = hash_of(key) & (variants->slot_count - 1);
  while (variants->slots[slot] != 0 &&
         memcmp(&variants->keys[variants->slots[slot] - 1], key, sizeof *key) != 0) {
    slot = (slot + 1) & (variants->slot_count - 1);
  }
  return slot;
}

/* Doubles the room for keys; the table of slots is at most half full. */
static bool grow(dsm__variants *variants) {
  const size_t capacity = variants->capacity == 0 ? 1024 : 2 * variants->capacity;
  dsm__variant_key *const keys = realloc(variants->keys, capacity * sizeof *keys);
  if (keys == NULL) {
    return false;
  }
  variants->keys = keys;
  size_t *const slots = calloc(2 * capacity, sizeof *slots);
  if (slots == NULL) {
    return false;
  }
  free(variants->slots);
  variants->slots = slots;
  variants->slot_count = 2 * capacity;
  variants->capacity = capacity;
  for (size_t i = 0; i < variants->count; i++) {
    slots[find_slot(variants, &keys[i])] = i + 1;
  }
  return true;
}

size_t dsm__variants_add(dsm__variants *variants, size_t class_index, dsm_pass pass,
                         dsm_parallelism parallelism, unsigned factor_index,
                         const dsm__holding *holding) {
  /* What a pass does not look at (section 5) is the same for all. */
  const bool is_update = pass == DSM_PASS_UPDATE;
  const dsm__variant_key key = {
      .class_index = class_index,
      .held_elements = holding->held_elements,
      .deferred_elements = pass == DSM_PASS_FORWARD ? holding->deferred_elements : 0,
      .pass = (uint8_t)pass,
      .parallelism = (uint8_t)parallelism,
      .factor_index = (uint8_t)factor_index,
      .is_input_held = holding->is_input_held && !is_update,
      .is_output_held = holding->is_output_held,
      .is_shortcut_held = holding->is_shortcut_held && !is_update,
  };
  if (variants->count == variants->capacity && !grow(variants)) {
    return SIZE_MAX;
  }
  const size_t slot = find_slot(variants, &key);
  if (variants->slots[slot] == 0) {
    variants->keys[variants->count++] = key;
    variants->slots[slot] = variants->count;
  }
  return variants->slots[slot] - 1;
}

dsm__holding dsm__variant_holding(const dsm__variant_key *key) {
  return (dsm__holding){
      .is_input_held = key->is_input_held != 0,
      .is_output_held = key->is_output_held != 0,
      .is_shortcut_held = key->is_shortcut_held != 0,
      .held_elements = key->held_elements,
      .deferred_elements = key->deferred_elements,
  };
}

/* What the tasks share; each writes its own entries and uses its worker's totals. */
typedef struct job {
  dsm__variants *variants;
  double *totals;
  uint64_t *evaluations;
} job;

static void run_task(void *context, size_t task_index, size_t worker_index) {
  const job *const j = context;
  const dsm__layer_table *const table = j->variants->table;
  const dsm__variant_key *const key = &j->variants->keys[task_index];
  dsm__layer_setting setting = dsm__open_setting(
      table->inputs, dsm__class_layer(table, key->class_index), dsm__factor_of(key->factor_index));
  setting.holding = dsm__variant_holding(key);
  const dsm__best_pass best =
      dsm__best_pass_find(&setting, (dsm_pass)key->pass, (dsm_parallelism)key->parallelism, false,
                          &table->splits, &j->totals[worker_index * table->splits.count]);
  j->variants->cycles[task_index] = best.cycles;
  j->evaluations[worker_index] += best.evaluations;
}

bool dsm__variants_score(dsm__variants *variants, size_t thread_count) {
  size_t workers = thread_count == 0 ? 1 : thread_count;
  workers = workers > DSM__PARALLEL_MAX_THREADS ? DSM__PARALLEL_MAX_THREADS : workers;
  const size_t split_count = variants->table->splits.count;
  job j = {.variants = variants};
  j.totals = calloc(workers * split_count, sizeof j.totals[0]);
  j.evaluations = calloc(workers, sizeof j.evaluations[0]);
  free(variants->cycles);
  variants->cycles = calloc(variants->count + 1, sizeof variants->cycles[0]);
  const bool is_ready = j.totals != NULL && j.evaluations != NULL && variants->cycles != NULL;
  if (is_ready) {
    dsm__parallel_for(workers, variants->count, run_task, &j);
    for (size_t w = 0; w < workers; w++) {
      variants->evaluations += j.evaluations[w];
    }
  }
  free(j.totals);
  free(j.evaluations);
  return is_ready;
}
