/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_validate.c: walks every invariant of a plan. Findings have paths into the plan's JSON. */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "plan/core_splits.h"
#include "plan/plan_internal.h"

/* Sums taken in different orders agree to this. */
static const double relative_tolerance = 1e-9;

typedef struct checker {
  const dsm_plan *plan;
  dsm_machine machine;
  dsm__core_splits splits;
  dsm_diags *diags;
  char path[DSM_NAME_BYTES_MAX];
  bool is_broken;
} checker;

static bool is_close(double a, double b) {
  return fabs(a - b) <= relative_tolerance * fmax(fabs(a), fabs(b));
}

static void expect(checker *c, bool holds, const char *rule) {
  if (!holds) {
    const dsm__place place = {NULL, 0, 0, c->path};
    dsm__diags_add(c->diags, DSM_SEVERITY_ERROR, place, NULL, "expected that %s, found otherwise",
                   rule);
    c->is_broken = true;
  }
}

static bool is_finite_and_positive(const dsm_cycles *cycles) {
  return isfinite(cycles->total) && cycles->primary >= 0 && cycles->overlapped >= 0 &&
         cycles->overlapped_visible >= 0 && cycles->auxiliary >= 0 && cycles->non_overlapped >= 0 &&
         cycles->total > 0;
}

static void check_cycles(checker *c, const dsm_cycles *cycles) {
  expect(c, is_finite_and_positive(cycles), "cycles are finite and not negative");
  const double sum =
      cycles->primary + cycles->overlapped_visible + cycles->auxiliary + cycles->non_overlapped;
  expect(c, sum >= cycles->total && sum <= cycles->total, "the components add up to the total");
}

static void check_split(checker *c, const dsm_layer *layer, const dsm_pass_plan *pass) {
  uint64_t product = 1;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    product *= pass->first.split.n[d];
  }
  expect(c, product == c->plan->system->chip.cores, "the core split multiplies to the cores");
  expect(c,
         dsm_split_is_valid(layer, &pass->share, &pass->first.split) ||
             !dsm__core_splits_any_valid(&c->splits, layer, &pass->share),
         "the core split is valid where a valid one exists");
  const unsigned bit = DSM_PARALLELISM_BIT(pass->share.parallelism);
  expect(c, (dsm__allowed_parallelisms(layer, &c->plan->options) & bit) != 0,
         "the parallelism is one that layer and options allow");
}

/* What the named transfers put on each link explains each group's time: the slowest link is it. */
static void check_transfers(checker *c, const dsm_pass_plan *pass) {
  dsm_traffic traffic[DSM_GROUP_COUNT] = {{{0}}};
  for (size_t i = 0; i < pass->transfer_count; i++) {
    const dsm_plan_transfer *const transfer = &pass->transfers[i];
    traffic[transfer->group].bytes[transfer->link] += transfer->bytes;
    expect(
        c,
        is_close(transfer->cycles, dsm_link_cycles(&c->machine, transfer->link, transfer->bytes)),
        "a transfer's cycles are its bytes over the link's bandwidth");
  }
  double non_overlapped = 0;
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    expect(c, is_close(dsm_group_cycles(&c->machine, &traffic[g]), pass->group_cycles[g]),
           "a group takes as long as its slowest link");
    non_overlapped += g == DSM_GROUP_STREAM ? 0 : pass->group_cycles[g];
  }
  expect(c,
         non_overlapped >= pass->cycles.non_overlapped &&
             non_overlapped <= pass->cycles.non_overlapped,
         "the groups add up to the non-overlapped cycles");
}

static void check_layers(checker *c) {
  dsm_cycles sum = {0};
  for (size_t i = 0; i < c->plan->layer_count; i++) {
    const dsm_layer *const layer = &c->plan->workload->layers[i];
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &c->plan->layers[i].passes[p];
      snprintf(c->path, sizeof c->path, "$.layers[%zu].passes.%s", i, dsm_pass_name((dsm_pass)p));
      expect(c, pass->exists == dsm_pass_exists(layer, c->plan->options.mode, (dsm_pass)p),
             "the layer has the passes of its mode");
      if (pass->exists) {
        check_split(c, layer, pass);
        check_cycles(c, &pass->cycles);
        check_transfers(c, pass);
        sum.total += pass->cycles.total;
      }
    }
  }
  snprintf(c->path, sizeof c->path, "$.result");
  check_cycles(c, &c->plan->result.cycles);
  expect(c, is_close(sum.total, c->plan->result.step_cycles), "the passes add up to the step");
  expect(c, c->plan->result.lower_bound_cycles <= c->plan->result.step_cycles,
         "no plan is faster than the lower bound");
}

dsm_status dsm_plan_validate(const dsm_plan *plan, dsm_diags *diags) {
  checker c = {.plan = plan, .machine = dsm_machine_derive(plan->system), .diags = diags};
  dsm__arena *const arena = dsm__arena_new();
  if (arena == NULL || !dsm__core_splits_enumerate(&c.splits, plan->system->chip.cores, arena)) {
    dsm__arena_free(arena);
    return dsm__out_of_memory(diags);
  }
  check_layers(&c);
  dsm__arena_free(arena);
  const dsm_plan_memory *const memory = &plan->result.memory;
  if (memory->total_bytes > memory->capacity_bytes * (1 + DSM__CAPACITY_TOLERANCE)) {
    snprintf(c.path, sizeof c.path, "$.result.memory");
    expect(&c, false, "the need is within the memory's capacity");
    return DSM_ERROR_INFEASIBLE;
  }
  return c.is_broken ? DSM_ERROR_INVALID : DSM_OK;
}
