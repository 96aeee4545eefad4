/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * variants.c: passes of layers while something is held, each scored once.
 *
 * What a pass costs depends on its class, parallelism and factor, on whether its input, output and
 * shortcut are held, and on how much is held beside it: that is the key. Numbers that a pass does
 * not look at are 0 in its key, and of parallelisms that are alike the first stands for all, so
 * that edges which cannot differ share a variant. There are far fewer variants than edges, and
 * those of one class, pass, parallelism and factor differ only in what is held.
 *
 * For these one front of core splits is enough, whatever is held (split_front.c): the least total
 * of a variant is the least over the front. The count of model calls that is reported is the same
 * whether the front was found or the memo knew the scores.
 */
#include "search/variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/parallel.h"
#include "model/equations.h"
#include "search/layer_search.h"
#include "search/layer_table.h"

_Static_assert(sizeof(dsm__variant_key) == 40, "no padding");

void dsm__variants_init(dsm__variants *variants, const dsm__layer_table *table) {
  *variants = (dsm__variants){.table = table};
}

void dsm__variants_fini(dsm__variants *variants) {
  free(variants->keys.items);
  free(variants->cycles);
  free(variants->layouts.items);
  dsm__map_fini(&variants->index);
  *variants = (dsm__variants){.table = variants->table};
}

/* The number of layouts, a new one unless they are those of the key before, + 1; 0: there are none.
 * SIZE_MAX if out of memory. */
static size_t number_of(dsm__variants *variants, const dsm_held_layouts *layouts) {
  const size_t count = variants->layouts.count;
  if (layouts == NULL) {
    return 0;
  }
  if (count > 0 && variants->layouts.items[count - 1] == layouts) {
    return count;
  }
  if (!DSM__LIST_RESERVE(&variants->layouts, 1)) {
    return SIZE_MAX;
  }
  variants->layouts.items[variants->layouts.count++] = layouts;
  return variants->layouts.count;
}

size_t dsm__variants_add(dsm__variants *variants, size_t class_index, dsm_pass pass,
                         dsm_parallelism parallelism, unsigned factor_index,
                         const dsm__holding *holding) {
  /* What a pass does not look at (section 5) is the same for all, and so are alike parallelisms. */
  const bool is_update = pass == DSM_PASS_UPDATE;
  dsm_parallelism first_alike = DSM_PARALLELISM_DATA;
  while (!dsm__are_alike(variants->table->inputs->machine, first_alike, parallelism)) {
    first_alike = (dsm_parallelism)((int)first_alike + 1);
  }
  const size_t layouts = number_of(variants, holding->layouts);
  const dsm__variant_key key = {
      .class_index = class_index,
      .held_elements = holding->held_elements,
      .deferred_elements = pass == DSM_PASS_FORWARD ? holding->deferred_elements : 0,
      .layouts = layouts,
      .pass = (uint8_t)pass,
      .parallelism = (uint8_t)first_alike,
      .factor_index = (uint8_t)factor_index,
      .is_input_held = holding->is_input_held && !is_update,
      .is_output_held = holding->is_output_held,
      .is_shortcut_held = holding->is_shortcut_held && !is_update,
      .is_moving_free = holding->is_moving_free,
  };
  if (layouts == SIZE_MAX) {
    return SIZE_MAX;
  }
  const uint32_t hash = dsm__map_hash(0, &key, sizeof key);
  size_t number =
      dsm__map_find_in(&variants->index, hash, variants->keys.items, sizeof key, &key, sizeof key);
  if (number == DSM__MAP_NONE) {
    number = variants->keys.count;
    if (!DSM__LIST_RESERVE(&variants->keys, 1) || !dsm__map_add(&variants->index, hash, number)) {
      return SIZE_MAX;
    }
    variants->keys.items[variants->keys.count++] = key;
  }
  return number;
}

/* What the tasks share: one task for each class, pass, parallelism and factor. Each writes its own
 * entries and uses its worker's front. */
typedef struct job {
  dsm__variants *variants;
  const size_t *sorted;     /* variants, by task */
  const size_t *starts;     /* of each task in `sorted`, and the end */
  dsm__split_front *fronts; /* of each worker */
  uint64_t *evaluations;    /* of each worker */
} job;

dsm__layer_setting dsm__variant_setting(const dsm__variants *variants,
                                        const dsm__variant_key *key) {
  const dsm__layer_table *const table = variants->table;
  dsm__layer_setting setting = dsm__open_setting(
      table->inputs, dsm__class_layer(table, key->class_index), dsm__factor_of(key->factor_index));
  setting.holding = (dsm__holding){
      .is_input_held = key->is_input_held != 0,
      .is_output_held = key->is_output_held != 0,
      .is_shortcut_held = key->is_shortcut_held != 0,
      .is_moving_free = key->is_moving_free != 0,
      .held_elements = key->held_elements,
      .deferred_elements = key->deferred_elements,
      .layouts = key->layouts == 0 ? NULL : variants->layouts.items[key->layouts - 1],
  };
  return setting;
}

/* The variants of one task, and what they share. */
typedef struct task {
  const dsm__variants *variants;
  dsm__split_front *front;
  uint64_t evaluations; /* that it took to find the front; 0: it is not found yet */
} task;

/* The least total of an invocation: with layouts of what is held, of all candidates, as they differ
 * in what they fit. */
static double least_total(const task *t, const dsm_pass_work *work, uint64_t *evaluations) {
  if (work->residency.layouts != NULL) {
    const dsm__least_total least = dsm__least_total_find(work, &t->variants->table->splits, false);
    *evaluations += least.evaluations;
    return least.cycles;
  }
  double least = HUGE_VAL;
  for (size_t i = 0; i < t->front->count; i++) {
    const double total = dsm_invocation_score(work, &t->front->items[i].split).total;
    least = total < least ? total : least;
  }
  *evaluations += t->front->count;
  return least;
}

static void find_front(task *t, const dsm__variant_key *key) {
  const dsm__layer_setting setting = dsm__variant_setting(t->variants, key);
  const dsm_parallelism parallelism = (dsm_parallelism)key->parallelism;
  const dsm__parts parts = dsm__pass_parts(&setting, (dsm_pass)key->pass, parallelism, false);
  const dsm_pass_work work =
      dsm__part_work(&setting, (dsm_pass)key->pass, parallelism, &parts.items[0]);
  if (t->evaluations == 0) {
    t->evaluations = dsm__split_front_find(t->front, &work, &t->variants->table->splits);
  }
}

/* What it takes to find a task's front: of a pass with nothing held. */
static uint64_t count_for_front(task *t, const dsm__variant_key *first) {
  dsm__layer_setting setting = dsm__variant_setting(t->variants, first);
  setting.holding = (dsm__holding){.layouts = NULL};
  const dsm__recalled_pass of = {t->variants->table, first->class_index, &setting,
                                 (dsm_pass)first->pass, (dsm_parallelism)first->parallelism};
  dsm__memo_score score = {0, 0};
  if (!dsm__recall_score(&of, DSM__MEMO_FRONT, &score)) {
    find_front(t, first);
    score.evaluations = t->evaluations;
    dsm__keep_score(&of, DSM__MEMO_FRONT, score);
  }
  return score.evaluations;
}

/* The cycles of a variant, and how often the model was asked for them. */
static dsm__memo_score score_variant(task *t, const dsm__variant_key *key) {
  const dsm_pass pass = (dsm_pass)key->pass;
  const dsm_parallelism parallelism = (dsm_parallelism)key->parallelism;
  const dsm__layer_table *const table = t->variants->table;
  const dsm__layer_setting setting = dsm__variant_setting(t->variants, key);
  const dsm__recalled_pass of = {table, key->class_index, &setting, pass, parallelism};
  dsm__memo_score score = {0, 0};
  if (dsm__recall_score(&of, DSM__MEMO_LEAST_CYCLES, &score)) {
    return score;
  }
  find_front(t, key);
  const dsm__parts parts = dsm__pass_parts(&setting, pass, parallelism, false);
  for (unsigned k = 0; k < parts.count; k++) {
    const dsm_pass_work work = dsm__part_work(&setting, pass, parallelism, &parts.items[k]);
    score.cycles += (double)parts.items[k].count * least_total(t, &work, &score.evaluations);
  }
  dsm__keep_score(&of, DSM__MEMO_LEAST_CYCLES, score);
  return score;
}

static void run_task(void *context, size_t task_index, size_t worker_index) {
  const job *const j = context;
  if (dsm__deadline_is_over(j->variants->table->inputs->deadline)) {
    return; /* what is made of the cycles is not used any more */
  }
  task t = {.variants = j->variants, .front = &j->fronts[worker_index]};
  uint64_t *const evaluations = &j->evaluations[worker_index];
  *evaluations += count_for_front(&t, &j->variants->keys.items[j->sorted[j->starts[task_index]]]);
  for (size_t i = j->starts[task_index]; i < j->starts[task_index + 1]; i++) {
    const dsm__memo_score score = score_variant(&t, &j->variants->keys.items[j->sorted[i]]);
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
  return dsm__order_then(dsm__order_whole(a->task, b->task),
                         dsm__order_whole(a->variant, b->variant));
}

/*
 * Sorts the variants into tasks; sorted and starts have room for all, and one more. The number of
 * tasks; SIZE_MAX if out of memory.
 *
 * Variants with a common front are one task, in the order of tasks, so that a front is found by one
 * worker once, and which worker does it changes nothing.
 */
static size_t make_tasks(const dsm__variants *variants, size_t *sorted, size_t *starts,
                         dsm__arena *scratch) {
  placed *const places = dsm__arena_array(scratch, variants->keys.count, sizeof *places);
  if (places == NULL) {
    return SIZE_MAX;
  }
  const size_t count = variants->keys.count;
  for (size_t i = 0; i < count; i++) {
    places[i] = (placed){task_of(&variants->keys.items[i]), i};
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
  return tasks;
}

bool dsm__variants_score(dsm__variants *variants, size_t thread_count) {
  const size_t workers = dsm__parallel_workers(thread_count);
  const size_t count = variants->keys.count;
  dsm__arena *const scratch =
      dsm__arena_new_counted(dsm__deadline_bytes(variants->table->inputs->deadline));
  size_t *sorted = NULL;
  size_t *starts = NULL;
  job j = {.variants = variants};
  free(variants->cycles);
  variants->cycles = calloc(count + 1, sizeof variants->cycles[0]);
  bool is_ready =
      scratch != NULL && variants->cycles != NULL && DSM__RESERVE(scratch, sorted, count) &&
      DSM__RESERVE(scratch, starts, count + 1) && DSM__RESERVE(scratch, j.fronts, workers) &&
      DSM__RESERVE(scratch, j.evaluations, workers);
  const size_t tasks = is_ready ? make_tasks(variants, sorted, starts, scratch) : SIZE_MAX;
  is_ready = tasks != SIZE_MAX;
  j.sorted = sorted;
  j.starts = starts;
  if (is_ready) {
    dsm__parallel_for(workers, tasks, run_task, &j);
  }
  for (size_t w = 0; is_ready && w < workers; w++) {
    variants->evaluations += j.evaluations[w];
    is_ready = !j.fronts[w].is_out_of_memory;
  }
  for (size_t w = 0; j.fronts != NULL && w < workers; w++) {
    dsm__split_front_fini(&j.fronts[w]);
  }
  dsm__arena_free(scratch);
  return is_ready;
}
