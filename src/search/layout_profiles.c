/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/layout_profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "model/equations.h"
#include "plan/tolerance.h"

/* What the tasks share; each writes its own profile and uses its worker's scratch. */
typedef struct job {
  const dsm__variants *variants;
  dsm__profiles *profiles;
  dsm__useful_split *scratch; /* splits.count a worker */
  uint64_t *evaluations;      /* of each worker */
  bool *is_out_of_memory;     /* of each worker */
} job;

static int compare_useful(const void *left, const void *right) {
  const dsm__useful_split *const a = left;
  const dsm__useful_split *const b = right;
  if (a->cycles < b->cycles || a->cycles > b->cycles) {
    return a->cycles < b->cycles ? -1 : 1;
  }
  return memcmp(&a->split, &b->split, sizeof a->split);
}

/* The candidates that can be the best with some moves; how many they are. */
static size_t list_candidates(const dsm_pass_work *work, const dsm__core_splits *splits,
                              double most_moved, dsm__useful_split *items, uint64_t *evaluations) {
  const dsm__parts_limit candidates = dsm__candidate_parts(splits, work->layer, &work->share);
  double least = HUGE_VAL;
  size_t count = 0;
  for (size_t i = 0; i < splits->count; i++) {
    const dsm_loops *const split = &splits->items[i];
    if (!dsm__is_within_parts(&candidates, split)) {
      continue;
    }
    const double most = dsm__equal_to(least + most_moved);
    const double cycles = dsm__invocation_total_within(work, split, most);
    ++*evaluations;
    if (cycles <= most) {
      least = fmin(least, cycles);
      items[count++] = (dsm__useful_split){cycles, *split};
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (items[i].cycles <= dsm__equal_to(least + most_moved)) {
      items[kept++] = items[i];
    }
  }
  qsort(items, kept, sizeof items[0], compare_useful);
  return kept;
}

/* Does one split fit every layout that the other fits? */
static bool fits_as_well(const dsm__profile_part *part, const dsm_loops *one,
                         const dsm_loops *other) {
  const bool is_output_fine =
      part->output_move_cycles <= 0 || other->n[DSM_DIM_OUT] % one->n[DSM_DIM_OUT] == 0;
  const bool is_input_fine =
      part->input_move_cycles <= 0 || other->n[DSM_DIM_IN] % one->n[DSM_DIM_IN] == 0;
  const bool is_touching = part->output_move_cycles > 0 || part->input_move_cycles > 0;
  return is_output_fine && is_input_fine &&
         (!is_touching || (other->n[DSM_DIM_IJ] % one->n[DSM_DIM_IJ] == 0 &&
                           other->n[DSM_DIM_MB] % one->n[DSM_DIM_MB] == 0));
}

static size_t drop_useless(const dsm__profile_part *part, dsm__useful_split *items, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    bool is_useful = true;
    for (size_t k = 0; k < kept && is_useful; k++) {
      is_useful = !fits_as_well(part, &items[k].split, &items[i].split);
    }
    if (is_useful) {
      items[kept++] = items[i];
    }
  }
  return kept;
}

static bool score_part(const dsm_pass_work *work, const dsm__core_splits *splits,
                       dsm__useful_split *scratch, uint64_t *evaluations, dsm__profile_part *part) {
  part->output_move_cycles = dsm_layout_move_cycles(work->machine, work->bytes.output_move);
  part->input_move_cycles = dsm_layout_move_cycles(work->machine, work->bytes.input_move);
  const double most_moved = part->output_move_cycles + part->input_move_cycles;
  const size_t candidates = list_candidates(work, splits, most_moved, scratch, evaluations);
  part->split_count = drop_useless(part, scratch, candidates);
  part->splits = calloc(part->split_count + 1, sizeof part->splits[0]);
  if (part->splits == NULL) {
    return false;
  }
  memcpy(part->splits, scratch, part->split_count * sizeof part->splits[0]);
  return true;
}

static void run_task(void *context, size_t task, size_t worker) {
  const job *const j = context;
  const dsm__layer_table *const table = j->variants->table;
  const dsm__variant_key *const key = &j->variants->keys[task];
  const dsm_parallelism parallelism = (dsm_parallelism)key->parallelism;
  dsm__layer_setting setting = dsm__open_setting(
      table->inputs, dsm__class_layer(table, key->class_index), dsm__factor_of(key->factor_index));
  setting.holding = dsm__variant_holding(j->variants, key);
  const dsm__parts parts = dsm__pass_parts(&setting, (dsm_pass)key->pass, parallelism, false);
  dsm__profile *const profile = &j->profiles->items[task];
  for (unsigned k = 0; k < parts.count; k++) {
    const dsm_pass_work work =
        dsm__part_work(&setting, (dsm_pass)key->pass, parallelism, &parts.items[k]);
    profile->parts[k].count = (double)parts.items[k].count;
    if (!score_part(&work, &table->splits, &j->scratch[worker * table->splits.count],
                    &j->evaluations[worker], &profile->parts[k])) {
      j->is_out_of_memory[worker] = true;
      return;
    }
    profile->part_count = k + 1;
  }
}

bool dsm__profiles_score(dsm__profiles *profiles, const dsm__variants *variants,
                         size_t thread_count) {
  const size_t workers = dsm__parallel_workers(thread_count);
  const size_t splits = variants->table->splits.count;
  *profiles = (dsm__profiles){.count = variants->count};
  profiles->items = calloc(variants->count + 1, sizeof profiles->items[0]);
  job j = {.variants = variants, .profiles = profiles};
  j.scratch = calloc(workers * splits, sizeof j.scratch[0]);
  j.evaluations = calloc(workers, sizeof j.evaluations[0]);
  j.is_out_of_memory = calloc(workers, sizeof j.is_out_of_memory[0]);
  bool is_ready = profiles->items != NULL && j.scratch != NULL && j.evaluations != NULL &&
                  j.is_out_of_memory != NULL;
  if (is_ready) {
    dsm__parallel_for(workers, variants->count, run_task, &j);
  }
  for (size_t w = 0; is_ready && w < workers; w++) {
    profiles->evaluations += j.evaluations[w];
    is_ready = !j.is_out_of_memory[w];
  }
  free(j.scratch);
  free(j.evaluations);
  free(j.is_out_of_memory);
  return is_ready;
}

void dsm__profiles_fini(dsm__profiles *profiles) {
  for (size_t i = 0; i < profiles->count && profiles->items != NULL; i++) {
    for (unsigned k = 0; k < profiles->items[i].part_count; k++) {
      free(profiles->items[i].parts[k].splits);
    }
  }
  free(profiles->items);
  *profiles = (dsm__profiles){.count = 0};
}

/*
 * What an invocation costs at least with its moves, for each layout of the output. Splits go by
 * cycles, so that none after the first that costs the least so far can be better; and what a split
 * costs where it fits the output tells of most that they need not be looked at.
 */
static void find_least(const dsm__profile_part *part, const dsm_held_layouts *layouts,
                       const dsm_core_layout *outputs, size_t count, double *least) {
  double most = HUGE_VAL; /* of the least so far */
  for (size_t i = 0; i < count; i++) {
    least[i] = HUGE_VAL;
  }
  for (size_t k = 0; k < part->split_count && part->splits[k].cycles < most; k++) {
    const dsm_loops *const split = &part->splits[k].split;
    const double cycles = part->splits[k].cycles;
    const double input = part->input_move_cycles > 0
                             ? part->input_move_cycles * dsm_misfitting_input(layouts, split)
                             : 0;
    most = 0;
    for (size_t i = 0; i < count; i++) {
      if (cycles + input < least[i]) {
        const bool is_moved =
            part->output_move_cycles > 0 && !dsm_split_fits_output(split, &outputs[i]);
        const double moved = (is_moved ? cycles + part->output_move_cycles : cycles) + input;
        least[i] = moved < least[i] ? moved : least[i];
      }
      most = least[i] > most ? least[i] : most;
    }
  }
}

void dsm__profile_extras(const dsm__profile *profile, const dsm_held_layouts *layouts,
                         const dsm_core_layout *outputs, size_t count, double *least,
                         double *extras) {
  for (size_t i = 0; i < count; i++) {
    extras[i] = 0;
  }
  for (unsigned k = 0; k < profile->part_count; k++) {
    const dsm__profile_part *const part = &profile->parts[k];
    find_least(part, layouts, outputs, count, least);
    for (size_t i = 0; i < count; i++) {
      extras[i] += part->count * (least[i] - part->splits[0].cycles);
    }
  }
}
