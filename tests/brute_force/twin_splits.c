/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_splits.h"

#include <assert.h>
#include <math.h>

enum { MAX_DIVISORS = 64 };

static double total_of(const twin_invocation *cost) {
  return cost->total;
}

static double primary_of(const twin_invocation *cost) {
  return cost->primary;
}

static double core_bytes_of(const twin_invocation *cost) {
  return cost->core_bytes;
}

/* Keeps, in their order, the candidates that are least by a key, up to a tie. */
static void keep_least(twin_candidates *list, double (*const key)(const twin_invocation *)) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < list->count; i++) {
    least = fmin(least, key(&list->items[i]));
  }
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (key(&list->items[i]) <= least * (1 + TWIN_TIE_RATIO)) {
      list->items[kept++] = list->items[i];
    }
  }
  list->count = kept;
}

static size_t enumerate_divisors(size_t divisors[MAX_DIVISORS], const size_t number) {
  size_t count = 0;
  for (size_t divisor = 1; divisor <= number; divisor++) {
    if (number % divisor == 0) {
      assert(count < MAX_DIVISORS);
      divisors[count++] = divisor;
    }
  }
  return count;
}

/* All factorisations in lexicographic order, with their costs; only valid ones if asked. */
static void enumerate_splits(twin_candidates *list, const twin_context *context,
                             const twin_node *node, const twin_pass_kind pass,
                             const twin_parallelism parallelism, const twin_condition *condition,
                             const bool only_valid) {
  const size_t cores = context->system->tile_schedule ? 1 : (size_t)context->system->cores;
  size_t d[MAX_DIVISORS] = {0};
  const size_t count = enumerate_divisors(d, cores);
  list->count = 0;
  for (size_t in = 0; in < count; in++) {
    for (size_t out = 0; out < count; out++) {
      for (size_t ij = 0; ij < count; ij++) {
        for (size_t kij = 0; kij < count; kij++) {
          for (size_t mb = 0; mb < count; mb++) {
            if (d[in] * d[out] * d[ij] * d[kij] * d[mb] != cores) {
              continue;
            }
            const double split[] = {(double)d[in], (double)d[out], (double)d[ij], (double)d[kij],
                                    (double)d[mb]};
            if (only_valid &&
                !twin_split_is_valid(context, node, parallelism, split, condition->samples)) {
              continue;
            }
            assert(list->count < TWIN_MAX_SPLITS);
            list->items[list->count++] =
                twin_invocation_of(context, node, pass, parallelism, split, condition);
          }
        }
      }
    }
  }
}

void twin_enumerate_invocations(twin_candidates *out, const twin_context *context,
                                const twin_node *node, const twin_pass_kind pass,
                                const twin_parallelism parallelism,
                                const twin_condition *condition) {
  enumerate_splits(out, context, node, pass, parallelism, condition, true);
  if (out->count == 0) {
    enumerate_splits(out, context, node, pass, parallelism, condition, false);
  }
}

bool twin_best_invocation(twin_invocation *out, const twin_context *context, const twin_node *node,
                          const twin_pass_kind pass, const twin_parallelism parallelism,
                          const twin_condition *condition, const double kernel_limit_bytes) {
  twin_candidates list;
  twin_enumerate_invocations(&list, context, node, pass, parallelism, condition);
  size_t kept = 0;
  for (size_t i = 0; i < list.count; i++) {
    if (list.items[i].kernel_bytes <= kernel_limit_bytes * (1 + TWIN_TIE_RATIO)) {
      list.items[kept++] = list.items[i];
    }
  }
  list.count = kept;
  keep_least(&list, total_of);
  keep_least(&list, primary_of);
  keep_least(&list, core_bytes_of);
  if (list.count > 0) {
    *out = list.items[0]; /* lexicographically smallest */
  }
  return list.count > 0;
}

bool twin_best_steady_invocation(twin_invocation *out, const twin_context *context,
                                 const twin_node *node, const twin_pass_kind pass,
                                 const twin_parallelism parallelism) {
  const twin_system *const system = context->system;
  const double copies = pass == TWIN_FORWARD ? 1 : system->bptt_resident_copies;
  const double all = system->shared_bytes > 0 ? system->shared_bytes : system->scratchpad_bytes;
  const double room = all * system->resident_weight_fraction;
  twin_condition condition = twin_plain_condition(context, node);
  condition.is_resident = true;
  return twin_best_invocation(out, context, node, pass, parallelism, &condition,
                              copies > 0 ? room / copies : HUGE_VAL);
}
