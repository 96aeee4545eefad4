/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_profiles.c: of each pass the core splits that some layout can make the best.
 *
 * A pass with a split costs its cycles with nothing moving, and what does not fit has to move.
 * Three kinds of splits are useless. First, one that takes more than the fastest with all its
 * moves: that one is better whatever the layouts. Second, one that takes more than the fastest and
 * the slack, which is what the mapping in hand leaves to all layouts together: no mapping as fast
 * can have it. Third, one that a split which costs no more fits in for: whatever layouts the slower
 * one fits, the faster one fits too, so it never moves more. What is left are few of some hundred
 * candidates, each with a code in which "divides" is one operation on words (dsm__fits).
 */
#include "search/layout/layout_uses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/parallel.h"
#include "plan/tolerance.h"
#include "search/layer_search.h"

/* Room for all core splits, of a worker. */
typedef struct scratch {
  dsm__useful_split *items;
  uint64_t *codes;
} scratch;

/* What the tasks share; each writes its own profile and uses its worker's scratch. */
typedef struct job {
  const dsm__variants *variants;
  double slack_cycles;
  dsm__layout_profiles *profiles;
  dsm__useful_split *items; /* splits.count a worker */
  uint64_t *codes;          /* likewise */
  uint64_t *evaluations;    /* of each worker */
  bool *is_out_of_memory;   /* of each worker */
} job;

static int compare_useful(const void *left, const void *right) {
  const dsm__useful_split *const a = left;
  const dsm__useful_split *const b = right;
  return dsm__order_then(dsm__order(a->cycles, b->cycles),
                         memcmp(&a->split, &b->split, sizeof a->split));
}

/* The candidates that can be the best with some moves. */
typedef struct listing {
  const dsm_pass_work *work;
  double most_added;
  double least; /* of the cycles so far */
  dsm__useful_split *items;
  size_t count;
} listing;

static double most_of(const listing *list) {
  return dsm__tie_limit(list->least + list->most_added);
}

/* Layouts only add to what a split takes, and needs are a bound of that from below, so a family
 * that needs more than the most is passed over as a whole. The most falls as faster splits are
 * seen; what was listed before and exceeds it is dropped at the end. */
static bool is_hopeless(void *context, const dsm__split_needs *least) {
  static const double rounding = 1 - 1e-14;
  const listing *const list = context;
  return rounding * (least->primary_cycles + list->work->auxiliary_cycles) > most_of(list) ||
         rounding * dsm__needs_total(list->work, least) > most_of(list);
}

static void visit(void *context, const dsm__needy_split *one) {
  listing *const list = context;
  const double cycles = dsm_invocation_score(list->work, &one->split).total;
  if (cycles <= most_of(list)) {
    list->least = fmin(list->least, cycles);
    list->items[list->count++] = (dsm__useful_split){.cycles = cycles, .split = one->split};
  }
}

/* Lists them by cycles; how many they are. */
static size_t list_candidates(const dsm_pass_work *work, const dsm__core_splits *splits,
                              double most_added, dsm__useful_split *items, uint64_t *evaluations) {
  listing list = {.work = work, .most_added = most_added, .least = HUGE_VAL, .items = items};
  const dsm__split_visitor visitor = {
      .is_hopeless = is_hopeless, .visit = visit, .context = &list, .are_all_wanted = true};
  *evaluations += dsm__splits_walk(work, splits, &visitor);
  size_t kept = 0;
  for (size_t i = 0; i < list.count; i++) {
    if (items[i].cycles <= most_of(&list)) {
      items[kept++] = items[i];
    }
  }
  qsort(items, kept, sizeof items[0], compare_useful);
  return kept;
}

/* What a split has to divide of the layouts that a part touches; 1: nothing. */
static uint64_t code_of(const dsm__layout_profile_part *part, const dsm__divisors *divisors,
                        const dsm_loops *split) {
  const bool is_output = part->output_move_cycles > 0;
  const bool is_input = part->input_move_cycles > 0;
  const uint64_t parts[4] = {is_output ? split->n[DSM_DIM_OUT] : 1,
                             is_input ? split->n[DSM_DIM_IN] : 1,
                             is_output || is_input ? split->n[DSM_DIM_IJ] : 1,
                             is_output || is_input ? split->n[DSM_DIM_MB] : 1};
  return dsm__fit_code(divisors, parts);
}

/*
 * Drops splits that fit no layout that a faster one does not fit; how many are left.
 *
 * In order of cycles: a split goes if one before it, which costs no more, divides whatever it
 * divides. "Fits" is transitive, so that it is enough to ask those that stay.
 */
static size_t drop_useless(const dsm__layout_profile_part *part, const dsm__divisors *divisors,
                           dsm__useful_split *items, uint64_t *codes, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const uint64_t code = code_of(part, divisors, &items[i].split);
    bool is_useful = true;
    for (size_t k = 0; k < kept && is_useful; k++) {
      is_useful = !dsm__fits(divisors, codes[k], code);
    }
    if (is_useful) {
      codes[kept] = code;
      items[kept++] = items[i];
    }
  }
  return kept;
}

static void find_codes(const dsm__divisors *divisors, dsm__useful_split *one) {
  const uint64_t *const n = one->split.n;
  const uint64_t output[4] = {n[DSM_DIM_OUT], n[DSM_DIM_IJ], n[DSM_DIM_MB], 1};
  const uint64_t input[4] = {n[DSM_DIM_IN], n[DSM_DIM_IJ], n[DSM_DIM_MB], 1};
  one->output_code = dsm__fit_code(divisors, output);
  one->input_code = dsm__fit_code(divisors, input);
}

static bool score_part(const dsm_pass_work *work, const dsm__core_splits *splits,
                       double slack_cycles, const scratch *room, uint64_t *evaluations,
                       dsm__layout_profile_part *part) {
  part->output_move_cycles = dsm_layout_move_cycles(work->machine, work->bytes.output_move);
  part->input_move_cycles = dsm_layout_move_cycles(work->machine, work->bytes.input_move);
  const double most_added =
      fmin(part->output_move_cycles + part->input_move_cycles, slack_cycles / part->count);
  const size_t candidates = list_candidates(work, splits, most_added, room->items, evaluations);
  part->split_count = drop_useless(part, &splits->divisors, room->items, room->codes, candidates);
  part->splits = calloc(part->split_count + 1, sizeof part->splits[0]);
  if (part->splits == NULL) {
    return false;
  }
  memcpy(part->splits, room->items, part->split_count * sizeof part->splits[0]);
  for (size_t i = 0; i < part->split_count; i++) {
    find_codes(&splits->divisors, &part->splits[i]);
  }
  return true;
}

static void run_task(void *context, size_t task, size_t worker) {
  const job *const j = context;
  const dsm__layer_table *const table = j->variants->table;
  const dsm__variant_key *const key = &j->variants->keys.items[task];
  if (dsm__deadline_is_over(table->inputs->deadline)) {
    return;
  }
  const dsm_parallelism parallelism = (dsm_parallelism)key->parallelism;
  const dsm__layer_setting setting = dsm__variant_setting(j->variants, key);
  const dsm__parts parts = dsm__pass_parts(&setting, (dsm_pass)key->pass, parallelism, false);
  dsm__layout_profile *const profile = &j->profiles->items[task];
  const size_t first = worker * table->splits.count;
  const scratch room = {&j->items[first], &j->codes[first]};
  for (unsigned k = 0; k < parts.count; k++) {
    const dsm_pass_work work =
        dsm__part_work(&setting, (dsm_pass)key->pass, parallelism, &parts.items[k]);
    profile->parts[k].count = (double)parts.items[k].count;
    if (!score_part(&work, &table->splits, j->slack_cycles, &room, &j->evaluations[worker],
                    &profile->parts[k])) {
      j->is_out_of_memory[worker] = true;
      return;
    }
    profile->part_count = k + 1;
  }
}

bool dsm__layout_profiles_score(dsm__layout_profiles *profiles, const dsm__variants *variants,
                                double slack_cycles, size_t thread_count) {
  const size_t workers = dsm__parallel_workers(thread_count);
  const size_t splits = variants->table->splits.count;
  *profiles = (dsm__layout_profiles){.count = variants->keys.count};
  profiles->items = calloc(variants->keys.count + 1, sizeof profiles->items[0]);
  job j = {.variants = variants, .slack_cycles = slack_cycles, .profiles = profiles};
  dsm__arena *const memory = dsm__arena_new();
  bool is_ready = profiles->items != NULL && memory != NULL &&
                  DSM__RESERVE(memory, j.items, workers * splits) &&
                  DSM__RESERVE(memory, j.codes, workers * splits) &&
                  DSM__RESERVE(memory, j.evaluations, workers) &&
                  DSM__RESERVE(memory, j.is_out_of_memory, workers);
  if (is_ready) {
    dsm__parallel_for(workers, variants->keys.count, run_task, &j);
  }
  for (size_t w = 0; is_ready && w < workers; w++) {
    profiles->evaluations += j.evaluations[w];
    is_ready = !j.is_out_of_memory[w];
  }
  dsm__arena_free(memory);
  return is_ready;
}

void dsm__layout_profiles_fini(dsm__layout_profiles *profiles) {
  for (size_t i = 0; i < profiles->count && profiles->items != NULL; i++) {
    for (unsigned k = 0; k < profiles->items[i].part_count; k++) {
      free(profiles->items[i].parts[k].splits);
    }
  }
  free(profiles->items);
  *profiles = (dsm__layout_profiles){.count = 0};
}

/* The part of the input that does not fit, as dsm_misfitting_input has it. */
static double misfitting_input(const dsm__touched_layouts *touched,
                               const dsm__useful_split *split) {
  uint64_t all = 0;
  uint64_t misfitting = 0;
  for (size_t i = 0; i < touched->inputs.count; i++) {
    const dsm__read_layout *const input = &touched->inputs.items[i];
    const bool is_fitting = dsm__fits(touched->divisors, split->input_code, input->code);
    all += input->elements;
    misfitting += is_fitting ? 0 : input->elements;
  }
  return all == 0 ? 0 : (double)misfitting / (double)all;
}

static double input_cycles(const dsm__layout_profile_part *part,
                           const dsm__touched_layouts *touched, const dsm__useful_split *split) {
  return part->input_move_cycles > 0 ? part->input_move_cycles * misfitting_input(touched, split)
                                     : 0;
}

/* What an invocation costs at least if the output does not fit, unless that is more than `most`.
 * Splits go by cycles, so that none after the first that costs the least so far can be better. */
static double least_misfitting(const dsm__layout_profile_part *part,
                               const dsm__touched_layouts *touched, double most) {
  double least = HUGE_VAL;
  for (size_t k = 0; k < part->split_count && part->splits[k].cycles < least; k++) {
    const dsm__useful_split *const split = &part->splits[k];
    if (split->cycles > most) {
      break;
    }
    least =
        fmin(least, split->cycles + part->output_move_cycles + input_cycles(part, touched, split));
  }
  return least;
}

/*
 * What it costs at least with its moves, for each layout of the output: no more than if that does
 * not fit, and less with a split that does.
 *
 * The largest of the least costs so far is what a further split has to undercut to matter to any
 * layout; splits go by cycles, so that the walk ends there.
 */
static void find_least(const dsm__layout_profile_part *part, const dsm__touched_layouts *touched,
                       double most, double *least) {
  const double misfitting = least_misfitting(part, touched, most);
  double largest = misfitting;
  for (size_t i = 0; i < touched->output_count; i++) {
    least[i] = misfitting;
  }
  if (part->output_move_cycles <= 0) {
    return;
  }
  for (size_t k = 0; k < part->split_count && part->splits[k].cycles < largest; k++) {
    const dsm__useful_split *const split = &part->splits[k];
    const double fitting = split->cycles + input_cycles(part, touched, split);
    if (split->cycles > most) {
      break;
    }
    if (fitting >= largest || fitting > most) {
      continue;
    }
    largest = 0;
    for (size_t i = 0; i < touched->output_count; i++) {
      const bool is_better = fitting < least[i] &&
                             dsm__fits(touched->divisors, split->output_code, touched->outputs[i]);
      least[i] = is_better ? fitting : least[i];
      largest = least[i] > largest ? least[i] : largest;
    }
  }
}

void dsm__layout_profile_extras(const dsm__layout_profile *profile,
                                const dsm__touched_layouts *touched, double most, double *least,
                                double *extras) {
  static const double rounding = 1 + 1e-9;
  for (size_t i = 0; i < touched->output_count; i++) {
    extras[i] = 0;
  }
  for (unsigned k = 0; k < profile->part_count; k++) {
    const dsm__layout_profile_part *const part = &profile->parts[k];
    const double cycles = part->splits[0].cycles;
    find_least(part, touched, (cycles + most / part->count) * rounding, least);
    for (size_t i = 0; i < touched->output_count; i++) {
      extras[i] += part->count * (least[i] - cycles);
    }
  }
}
