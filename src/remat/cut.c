/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cut.c: parts of a chain for the devices of a pipeline, and chains of several micro-batches. */
#include "remat/cut.h"

#include <math.h>

/* ---- parts ---- */

/* The best that the first stages come to in some parts. */
typedef struct cut {
  double longest;
  double squares; /* of times: among equals parts are to be even */
  size_t first;   /* of the last part */
} cut;

static bool is_better(const cut *one, const cut *other) {
  return one->longest < other->longest ||
         (one->longest == other->longest && one->squares < other->squares);
}

/* The first `end` stages in one part more, of which the last begins somewhere. */
static cut best_cut(const double *sums, const cut *fewer, size_t parts, size_t end) {
  cut best = {.longest = HUGE_VAL, .squares = HUGE_VAL};
  for (size_t first = end; first-- > parts - 1;) {
    const double last = sums[end] - sums[first];
    const cut one = {.longest = last > fewer[first].longest ? last : fewer[first].longest,
                     .squares = fewer[first].squares + last * last,
                     .first = first};
    if (is_better(&one, &best)) {
      best = one;
    } else if (last > best.longest) {
      break; /* the last part only grows */
    }
  }
  return best;
}

static void add_up(const dsm_remat_chain *chain, double *sums) {
  for (size_t s = 0; s < chain->stage_count; s++) {
    const dsm_remat_stage *const stage = &chain->stages[s];
    const dsm_remat_option *const option = &stage->options[dsm__remat_fastest(stage)];
    sums[s + 1] = sums[s] + option->forward_seconds + option->backward_seconds;
  }
}

bool dsm__remat_cut(const dsm_remat_chain *chain, size_t parts, size_t *firsts) {
  const size_t count = chain->stage_count;
  const size_t row = count + 1;
  dsm__arena *const arena = dsm__arena_new();
  double *sums = NULL;
  cut *cuts = NULL; /* of the first `end` stages in p parts, at p * row + end */
  if (!DSM__RESERVE(arena, sums, row) || !DSM__RESERVE(arena, cuts, (parts + 1) * row)) {
    dsm__arena_free(arena);
    return false;
  }
  add_up(chain, sums);
  for (size_t end = 1; end <= count; end++) {
    cuts[end] = (cut){.longest = HUGE_VAL, .squares = HUGE_VAL};
  }
  for (size_t p = 1; p <= parts; p++) {
    for (size_t end = p; end <= count; end++) {
      cuts[p * row + end] = best_cut(sums, &cuts[(p - 1) * row], p, end);
    }
  }
  for (size_t p = parts, end = count; p > 0; p--) {
    end = cuts[p * row + end].first;
    firsts[p - 1] = end;
  }
  dsm__arena_free(arena);
  return true;
}

dsm_remat_chain dsm__remat_part(const dsm_remat_chain *chain, size_t first, size_t count) {
  dsm_remat_chain part = *chain;
  part.minibatch = 1;
  part.budget_bytes = 0;
  part.input_bytes = dsm__remat_input(chain, first);
  part.input_error_bytes = dsm__remat_error_before(chain, first);
  part.stages = chain->stages + first;
  part.stage_count = count;
  part.arena = NULL;
  return part;
}

/* ---- micro-batches ---- */

static dsm_remat_stage input_stage(const dsm_remat_chain *part, const dsm_remat_option *option) {
  return (dsm_remat_stage){.name = "input",
                           .output_bytes = part->input_bytes,
                           .error_bytes = part->input_error_bytes,
                           .is_recomputable = false,
                           .options = option,
                           .option_count = 1};
}

dsm_remat_chain *dsm__remat_repeated(const dsm_remat_chain *part, size_t micro_batches,
                                     dsm__arena *arena) {
  const size_t count = part->stage_count;
  dsm_remat_chain *const all = dsm__arena_alloc(arena, sizeof *all);
  dsm_remat_option *const option = dsm__arena_alloc(arena, sizeof *option);
  dsm_remat_stage *stages = NULL;
  if (all == NULL || option == NULL ||
      !DSM__RESERVE(arena, stages, micro_batches * (count + 1) - 1)) {
    return NULL;
  }
  *option = (dsm_remat_option){.name = "input", .saved_bytes = part->input_bytes};
  for (size_t k = 0; k < micro_batches; k++) {
    dsm_remat_stage *const own = &stages[dsm__remat_repeated_first(part, k)];
    for (size_t s = 0; s < count; s++) {
      own[s] = part->stages[s];
    }
    if (k + 1 < micro_batches) {
      own[count - 1].output_bytes = 0;
      own[count] = input_stage(part, option);
    }
  }
  *all = *part;
  all->stages = stages;
  all->stage_count = micro_batches * (count + 1) - 1;
  return all;
}
