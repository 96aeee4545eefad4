/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "search/ranking.h"
#include "search/recall.h"
#include "search/resident_kinds.h"

_Static_assert(sizeof(dsm__variant_key) == 40, "no padding");

void dsm__variants_init(dsm__variants *variants, const dsm__layer_table *table) {
  *variants = (dsm__variants){.table = table};
}

void dsm__variants_fini(dsm__variants *variants) {
  free(variants->keys);
  free(variants->cycles);
  free(variants->slots);
  free(variants->layouts);
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

/* The number of layouts, a new one unless they are those of the key before, + 1; 0: there are none.
 * SIZE_MAX if out of memory. */
static size_t number_of(dsm__variants *variants, const dsm_held_layouts *layouts) {
  const size_t count = variants->layout_count;
  if (layouts == NULL) {
    return 0;
  }
  if (count > 0 && variants->layouts[count - 1] == layouts) {
    return count;
  }
  if (count == variants->layout_capacity) {
    const size_t capacity = count == 0 ? 256 : 2 * count;
    const dsm_held_layouts **const grown = realloc(variants->layouts, capacity * sizeof(void *));
    if (grown == NULL) {
      return SIZE_MAX;
    }
    variants->layouts = grown;
    variants->layout_capacity = capacity;
  }
  variants->layouts[variants->layout_count++] = layouts;
  return variants->layout_count;
}

size_t dsm__variants_add(dsm__variants *variants, size_t class_index, dsm_pass pass,
                         dsm_parallelism parallelism, unsigned factor_index,
                         const dsm__holding *holding) {
  /* What a pass does not look at (section 5) is the same for all. */
  const bool is_update = pass == DSM_PASS_UPDATE;
  const size_t layouts = number_of(variants, holding->layouts);
  const dsm__variant_key key = {
      .class_index = class_index,
      .held_elements = holding->held_elements,
      .deferred_elements = pass == DSM_PASS_FORWARD ? holding->deferred_elements : 0,
      .layouts = layouts,
      .pass = (uint8_t)pass,
      .parallelism = (uint8_t)parallelism,
      .factor_index = (uint8_t)factor_index,
      .is_input_held = holding->is_input_held && !is_update,
      .is_output_held = holding->is_output_held,
      .is_shortcut_held = holding->is_shortcut_held && !is_update,
      .is_moving_free = holding->is_moving_free,
  };
  if (layouts == SIZE_MAX || (variants->count == variants->capacity && !grow(variants))) {
    return SIZE_MAX;
  }
  const size_t slot = find_slot(variants, &key);
  if (variants->slots[slot] == 0) {
    variants->keys[variants->count++] = key;
    variants->slots[slot] = variants->count;
  }
  return variants->slots[slot] - 1;
}

dsm__holding dsm__variant_holding(const dsm__variants *variants, const dsm__variant_key *key) {
  return (dsm__holding){
      .is_input_held = key->is_input_held != 0,
      .is_output_held = key->is_output_held != 0,
      .is_shortcut_held = key->is_shortcut_held != 0,
      .is_moving_free = key->is_moving_free != 0,
      .held_elements = key->held_elements,
      .deferred_elements = key->deferred_elements,
      .layouts = key->layouts == 0 ? NULL : variants->layouts[key->layouts - 1],
  };
}

/* What the tasks share: one task for each class, pass, parallelism and factor. Each writes its own
 * entries and uses its worker's scratch. */
typedef struct job {
  dsm__variants *variants;
  const size_t *sorted;       /* variants, by task */
  const size_t *starts;       /* of each task in `sorted`, and the end */
  dsm__ranked_split *scratch; /* splits.count a worker */
  uint64_t *evaluations;      /* of each worker */
} job;

static dsm__layer_setting setting_of(const dsm__variants *variants, const dsm__variant_key *key) {
  const dsm__layer_table *const table = variants->table;
  dsm__layer_setting setting = dsm__open_setting(
      table->inputs, dsm__class_layer(table, key->class_index), dsm__factor_of(key->factor_index));
  setting.holding = dsm__variant_holding(variants, key);
  return setting;
}

/*
 * Ranks the candidates by their cost with everything held where it is used, and the whole
 * scratchpad left: no variant of the pass costs less with the same split, because it moves no less,
 * to memory or among the cores, and its tiles are no larger.
 */
static dsm__ranking rank_splits(const dsm__variants *variants, const dsm__variant_key *key,
                                dsm__ranked_split *ranked) {
  dsm__layer_setting setting = setting_of(variants, key);
  setting.holding = (dsm__holding){.is_input_held = true,
                                   .is_output_held = true,
                                   .is_shortcut_held = true,
                                   .is_moving_free = true};
  const dsm_parallelism parallelism = (dsm_parallelism)key->parallelism;
  const dsm__parts parts = dsm__pass_parts(&setting, (dsm_pass)key->pass, parallelism, false);
  const dsm_pass_work work =
      dsm__part_work(&setting, (dsm_pass)key->pass, parallelism, &parts.items[0]);
  const dsm__core_splits *const splits = &variants->table->splits;
  const dsm__parts_limit candidates = dsm__candidate_parts(splits, setting.layer, &work.share);
  size_t count = 0;
  for (size_t i = 0; i < splits->count; i++) {
    if (dsm__is_within_parts(&candidates, &splits->items[i])) {
      ranked[count++] =
          (dsm__ranked_split){dsm_invocation_score(&work, &splits->items[i]).total, i};
    }
  }
  return dsm__ranking_of(ranked, count);
}

/* The least total of an invocation over the ranked splits: none after the first whose bound exceeds
 * what is known can have it. */
static double least_total(const dsm_pass_work *work, const dsm__core_splits *splits,
                          dsm__ranking *ranking, uint64_t *evaluations) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < ranking->count; i++) {
    const dsm__ranked_split *const ranked = dsm__ranking_at(ranking, i);
    if (ranked->bound > least) {
      break;
    }
    const double total = dsm_invocation_score(work, &splits->items[ranked->split]).total;
    least = total < least ? total : least;
    ++*evaluations;
  }
  return least;
}

/* The variants of one task, and what they share. */
typedef struct task {
  const dsm__variants *variants;
  dsm__ranked_split *scratch;
  dsm__ranking ranking; /* once it is made */
  bool is_ranked;
} task;

/* How many core splits a task has: of a pass with nothing held. */
static uint64_t count_ranked(task *t, const dsm__variant_key *first) {
  dsm__layer_setting setting = setting_of(t->variants, first);
  setting.holding = (dsm__holding){.layouts = NULL};
  const dsm__recalled_pass of = {t->variants->table, first->class_index, &setting,
                                 (dsm_pass)first->pass, (dsm_parallelism)first->parallelism};
  dsm__memo_score score = {0, 0};
  if (!dsm__recall_score(&of, DSM__MEMO_RANKED_SPLITS, &score)) {
    t->ranking = rank_splits(t->variants, first, t->scratch);
    t->is_ranked = true;
    score.evaluations = t->ranking.count;
    dsm__keep_score(&of, DSM__MEMO_RANKED_SPLITS, score);
  }
  return score.evaluations;
}

/* The cycles of a variant, and how often the model was asked for them. */
static dsm__memo_score score_variant(task *t, const dsm__variant_key *key) {
  const dsm_pass pass = (dsm_pass)key->pass;
  const dsm_parallelism parallelism = (dsm_parallelism)key->parallelism;
  const dsm__layer_table *const table = t->variants->table;
  const dsm__layer_setting setting = setting_of(t->variants, key);
  const dsm__recalled_pass of = {table, key->class_index, &setting, pass, parallelism};
  dsm__memo_score score = {0, 0};
  if (dsm__recall_score(&of, DSM__MEMO_LEAST_CYCLES, &score)) {
    return score;
  }
  if (!t->is_ranked) {
    t->ranking = rank_splits(t->variants, key, t->scratch);
    t->is_ranked = true;
  }
  const dsm__parts parts = dsm__pass_parts(&setting, pass, parallelism, false);
  for (unsigned k = 0; k < parts.count; k++) {
    const dsm_pass_work work = dsm__part_work(&setting, pass, parallelism, &parts.items[k]);
    score.cycles += (double)parts.items[k].count *
                    least_total(&work, &table->splits, &t->ranking, &score.evaluations);
  }
  dsm__keep_score(&of, DSM__MEMO_LEAST_CYCLES, score);
  return score;
}

static void run_task(void *context, size_t task_index, size_t worker_index) {
  const job *const j = context;
  if (dsm__deadline_is_over(j->variants->table->inputs->deadline)) {
    return; /* what is made of the cycles is not used any more */
  }
  task t = {.variants = j->variants,
            .scratch = &j->scratch[worker_index * j->variants->table->splits.count]};
  uint64_t *const evaluations = &j->evaluations[worker_index];
  *evaluations += count_ranked(&t, &j->variants->keys[j->sorted[j->starts[task_index]]]);
  for (size_t i = j->starts[task_index]; i < j->starts[task_index + 1]; i++) {
    const dsm__memo_score score = score_variant(&t, &j->variants->keys[j->sorted[i]]);
    j->variants->cycles[j->sorted[i]] = score.cycles;
    *evaluations += score.evaluations;
  }
}

/* The task of a variant, as a number that is the same for all of its variants. */
static uint64_t task_of(const dsm__variant_key *key) {
  const uint64_t way =
      ((uint64_t)key->pass * DSM_PARALLELISM_COUNT + key->parallelism) * DSM__FACTORS_MAX +
      key->factor_index;
  return key->class_index * ((uint64_t)DSM_PASS_COUNT * DSM_PARALLELISM_COUNT * DSM__FACTORS_MAX) +
         way;
}

/* A variant and its task, to be sorted. */
typedef struct placed {
  uint64_t task;
  size_t variant;
} placed;

static int compare_placed(const void *left, const void *right) {
  const placed *const a = left;
  const placed *const b = right;
  if (a->task != b->task) {
    return a->task < b->task ? -1 : 1;
  }
  return (a->variant > b->variant) - (a->variant < b->variant);
}

/* Of each variant the first that costs the same, as far as that shows: in inference, where layouts
 * do not matter. False if out of memory. */
static bool find_first_alike(const dsm__variants *variants, size_t *first_alike) {
  const dsm__layer_table *const table = variants->table;
  const bool is_inference = table->inputs->options->mode == DSM_MODE_INFERENCE;
  dsm__resident_kinds *const kinds = is_inference ? dsm__resident_kinds_new() : NULL;
  size_t *const first_of = calloc(variants->count + 1, sizeof *first_of); /* each number + 1 */
  bool is_done = first_of != NULL && (kinds != NULL || !is_inference);
  for (size_t i = 0; is_done && i < variants->count; i++) {
    const dsm__variant_key *const key = &variants->keys[i];
    first_alike[i] = i;
    if (!is_inference || key->layouts != 0) {
      continue;
    }
    const dsm__layer_setting setting = setting_of(variants, key);
    const dsm__kind_query query = {.table = table,
                                   .setting = &setting,
                                   .class_index = key->class_index,
                                   .parallelism = (dsm_parallelism)key->parallelism,
                                   .factor_index = key->factor_index};
    const size_t number = dsm__resident_kinds_find(kinds, &query);
    is_done = number != SIZE_MAX;
    if (is_done && first_of[number] == 0) {
      first_of[number] = i + 1;
    }
    first_alike[i] = is_done ? first_of[number] - 1 : i;
  }
  dsm__resident_kinds_free(kinds);
  free(first_of);
  return is_done;
}

/* Sorts the variants, each of those that are alike once, into tasks; sorted and starts have room
 * for all, and one more. The number of tasks; SIZE_MAX if out of memory. */
static size_t make_tasks(const dsm__variants *variants, const size_t *first_alike, size_t *sorted,
                         size_t *starts) {
  placed *const places = calloc(variants->count + 1, sizeof *places);
  if (places == NULL) {
    return SIZE_MAX;
  }
  size_t count = 0;
  for (size_t i = 0; i < variants->count; i++) {
    if (first_alike[i] == i) {
      places[count++] = (placed){task_of(&variants->keys[i]), i};
    }
  }
  qsort(places, count, sizeof places[0], compare_placed);
  size_t tasks = 0;
  for (size_t i = 0; i < count; i++) {
    sorted[i] = places[i].variant;
    if (i == 0 || places[i].task != places[i - 1].task) {
      starts[tasks++] = i;
    }
  }
  starts[tasks] = count;
  free(places);
  return tasks;
}

bool dsm__variants_score(dsm__variants *variants, size_t thread_count) {
  const size_t workers = dsm__parallel_workers(thread_count);
  size_t *const sorted = calloc(variants->count + 1, sizeof *sorted);
  size_t *const starts = calloc(variants->count + 1, sizeof *starts);
  size_t *const first_alike = calloc(variants->count + 1, sizeof *first_alike);
  job j = {.variants = variants, .sorted = sorted, .starts = starts};
  j.scratch = calloc(workers * variants->table->splits.count, sizeof j.scratch[0]);
  j.evaluations = calloc(workers, sizeof j.evaluations[0]);
  free(variants->cycles);
  variants->cycles = calloc(variants->count + 1, sizeof variants->cycles[0]);
  bool is_ready = sorted != NULL && starts != NULL && j.scratch != NULL && j.evaluations != NULL &&
                  variants->cycles != NULL && first_alike != NULL &&
                  find_first_alike(variants, first_alike);
  const size_t tasks = is_ready ? make_tasks(variants, first_alike, sorted, starts) : SIZE_MAX;
  is_ready = tasks != SIZE_MAX;
  if (is_ready) {
    dsm__parallel_for(workers, tasks, run_task, &j);
    for (size_t w = 0; w < workers; w++) {
      variants->evaluations += j.evaluations[w];
    }
    for (size_t i = 0; i < variants->count; i++) {
      variants->cycles[i] = variants->cycles[first_alike[i]];
    }
  }
  free(first_alike);
  free(sorted);
  free(starts);
  free(j.scratch);
  free(j.evaluations);
  return is_ready;
}
