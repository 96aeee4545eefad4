/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_validate.c: walks every invariant of a plan. Findings have paths into the plan's JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/units.h"
#include "plan/holding.h"
#include "plan/plan_internal.h"
#include "plan/role_rules.h"
#include "plan/step_stages.h"

typedef struct checker {
  const dsm_plan *plan;
  const dsm_plan *again; /* what its text is read as */
  dsm__stage stage;      /* of the step, if it has any */
  dsm_machine machine;   /* of a stage, or the whole one */
  double stage_count;    /* its passes have so many times less than they take there */
  dsm_diags *diags;
  char path[DSM_NAME_BYTES_MAX];
  bool is_broken;
} checker;

/* a <= b, but for rounding. */
static bool is_at_most(double a, double b) {
  return a <= b || dsm__is_close(a, b);
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

/* What follows from a pass's decisions and is not read. */
static bool is_same_work(const dsm_pass_plan *pass, const dsm_pass_plan *again) {
  bool is_same = pass->invocation_count == again->invocation_count;
  for (unsigned k = 0; is_same && k < pass->invocation_count; k++) {
    const dsm_invocation *const one = &pass->invocations[k];
    const dsm_invocation *const other = &again->invocations[k];
    is_same = one->kind == other->kind && one->count == other->count &&
              memcmp(&one->split, &other->split, sizeof one->split) == 0;
  }
  return is_same;
}

/* Does a group consist of one transfer after the other, of which each may have another slowest
 * link? Two kinds of invocation do, what an update pass lays out anew, gradients and weights of
 * tied layers, and where layers may have roles what moves behind one of them and before the next;
 * so do stages, which gather what they are given and sum what is tied. */
static bool has_parts(const checker *c, const dsm_pass_plan *pass, dsm_pass which,
                      dsm_group group) {
  const bool is_of_stages = group == DSM_GROUP_HAND_OVER || group == DSM_GROUP_SUM_OF_GRADIENTS;
  const bool is_of_invocations =
      group == DSM_GROUP_STREAM || group == DSM_GROUP_PARTIAL_SUM || group == DSM_GROUP_ROTATION;
  return (is_of_invocations && pass->invocation_count > 1) || group == DSM_GROUP_COLLECTIVE ||
         group == DSM_GROUP_TIED_WEIGHTS || (is_of_stages && c->stage_count > 1) ||
         (group == DSM_GROUP_RELAYOUT &&
          (which == DSM_PASS_UPDATE || dsm__may_have_roles(&c->plan->options)));
}

/* Of what roles exchange, where a product hides the rest. */
static double least_shown_share(const checker *c) {
  const dsm_assumptions *const model = &c->plan->system->model;
  return 1 - fmax(model->overlapped_collectives, model->overlapped_dispatch);
}

/* What the named transfers put on each link explains each group's time: the slowest link is it, or,
 * of several parts, its least. */
static void check_groups_of(checker *c, const dsm_pass_plan *pass, dsm_pass which) {
  dsm_traffic traffic[DSM_GROUP_COUNT];
  double one_by_one[DSM_GROUP_COUNT];
  double auxiliary[DSM_LINK_COUNT] = {0}; /* of memories, at the same time */
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    one_by_one[g] = pass->group_latency_cycles[g] * c->stage_count;
    traffic[g] = (dsm_traffic){.latency_cycles = one_by_one[g]};
  }
  for (size_t i = 0; i < pass->transfer_count; i++) {
    const dsm_plan_transfer *const transfer = &pass->transfers[i];
    traffic[transfer->group].bytes[transfer->link] += transfer->bytes;
    one_by_one[transfer->group] += transfer->cycles;
    auxiliary[transfer->link] += transfer->group == DSM_GROUP_AUXILIARY ? transfer->cycles : 0;
  }
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    expect(c, is_at_most(auxiliary[l], pass->cycles.auxiliary * c->stage_count),
           "auxiliary operations take at least as long as what they read and write");
  }
  double least_hidden = 0;
  double most_hidden = 0;
  for (int g = 0; g < DSM_GROUP_LINKS_END; g++) {
    const double slowest = dsm_group_cycles(&c->machine, &traffic[g]);
    const double own = pass->group_cycles[g] * c->stage_count;
    if (pass->hidden_cycles > 0 &&
        (g == DSM_GROUP_SUM_OF_GRADIENTS || g == DSM_GROUP_BROADCAST_WEIGHTS)) {
      const double all = has_parts(c, pass, which, (dsm_group)g) ? one_by_one[g] : slowest;
      least_hidden += (slowest - own) / c->stage_count;
      most_hidden += (all - own) / c->stage_count;
      expect(c, is_at_most(own, all), "of a sum or a way back at most all of it is visible");
    } else if (has_parts(c, pass, which, (dsm_group)g)) {
      const double shown = g == DSM_GROUP_COLLECTIVE ? least_shown_share(c) : 1;
      expect(c, is_at_most(shown * slowest, own) && is_at_most(own, one_by_one[g]),
             "a group takes from as long as its slowest link to as long as all its transfers");
    } else {
      expect(c, dsm__is_close(slowest, own),
             "a group takes as long as its slowest link and its latency");
    }
  }
  expect(c,
         is_at_most(pass->cycles.total + least_hidden, pass->cycles.total + pass->hidden_cycles) &&
             is_at_most(pass->cycles.total + pass->hidden_cycles, pass->cycles.total + most_hidden),
         "what is not visible of sums and ways back is hidden");
}

static void check_transfers(checker *c, const dsm_pass_plan *pass) {
  for (size_t i = 0; i < pass->transfer_count; i++) {
    const dsm_plan_transfer *const transfer = &pass->transfers[i];
    expect(c,
           dsm__is_close(transfer->cycles,
                         dsm_link_cycles(&c->machine, transfer->link, transfer->bytes)),
           "a transfer's cycles are its bytes over the link's bandwidth");
  }
}

/* The kinds of invocation that a pass has, whose numbers are written. */
static bool are_finite(const dsm_pass_plan *pass) {
  bool is_finite = is_finite_and_positive(&pass->cycles) && isfinite(pass->ideal_cycles) &&
                   isfinite(pass->utilization);
  for (unsigned k = 0; k < DSM_INVOCATION_KINDS_MAX && k < pass->invocation_count; k++) {
    is_finite = is_finite && isfinite(pass->invocations[k].cost.total);
  }
  return is_finite;
}

static void check_layer(checker *c, size_t index) {
  const dsm_layer_plan *const layer = &c->plan->layers[index];
  const dsm_layer_plan *const again = &c->again->layers[index];
  (void)snprintf(c->path, sizeof c->path, "$.layers[%zu]", index);
  expect(c, layer->pipeline == again->pipeline, "layers are in the groups that list them");
  expect(c,
         memcmp(&layer->decisions.output_layout, &again->decisions.output_layout,
                sizeof again->decisions.output_layout) == 0,
         "a held output has a layout");
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &layer->passes[p];
    (void)snprintf(c->path, sizeof c->path, "$.layers[%zu].passes.%s", index,
                   dsm_pass_name((dsm_pass)p));
    if (!pass->exists) {
      continue;
    }
    expect(c, is_same_work(pass, &again->passes[p]),
           "the invocations are those that the decisions make");
    expect(c, are_finite(pass), "cycles are finite and not negative");
    expect(c, pass->bound == dsm_resources_bound(&pass->resources),
           "the bound is the largest of the resources");
    check_transfers(c, pass);
    if (again->pipeline == DSM_NO_PIPELINE) {
      check_groups_of(c, pass, (dsm_pass)p);
    }
  }
}

/* What the step is in other units, and beside the bound. */
static void check_result(checker *c) {
  const dsm_plan_result *const result = &c->plan->result;
  const double clock_hz = dsm__hertz(c->plan->system->core.frequency_GHz);
  (void)snprintf(c->path, sizeof c->path, "$.result");
  expect(c, is_finite_and_positive(&result->cycles), "cycles are finite and not negative");
  expect(c, result->lower_bound_cycles <= result->step_cycles,
         "no plan is faster than the lower bound");
  expect(c, dsm__is_close(dsm_plan_computing_seconds(c->plan), result->step_cycles / clock_hz),
         "the seconds of computing are the cycles of a step at the clock");
  expect(c,
         dsm__is_close(result->step_seconds,
                       fmax(dsm_plan_computing_seconds(c->plan) + result->storage.waiting_seconds,
                            result->energy.capped_seconds)),
         "the seconds of a step are those of computing and of waiting for data, or of a power cap");
  expect(c, dsm__is_close(result->energy.step_joules, dsm_joules_total(&result->energy.parts)),
         "the joules of a step are the sum of their parts");
  expect(c, result->energy.objective_bound <= result->energy.objective_value,
         "no plan is better than the bound of the objective");
  expect(c,
         dsm__is_close(result->samples_per_second,
                       (double)c->plan->workload->minibatch / result->step_seconds),
         "the minibatch is done in the seconds of a step");
}

/* What a plan says in the form in which it is written: its decisions are read from it as from any
 * text, and its figures are to be of these. */
static dsm_status check_text(checker *c, const char *text, size_t length) {
  dsm_plan *again = NULL;
  dsm_status status = dsm_plan_parse(&again, text, length, NULL, NULL, c->diags);
  if (status == DSM_OK) {
    c->again = again;
    for (size_t i = 0; i < c->plan->layer_count; i++) {
      check_layer(c, i);
    }
    check_result(c);
    status =
        c->is_broken ? DSM_ERROR_INVALID : dsm_plan_validate_text(text, length, NULL, c->diags);
  }
  dsm_plan_free(again);
  return status;
}

dsm_status dsm_plan_validate(const dsm_plan *plan, dsm_diags *diags) {
  const dsm_machine whole = dsm_machine_for(plan->system, plan->options.mode);
  checker c = {
      .plan = plan, .stage_count = (double)dsm__stage_count(&plan->stages), .diags = diags};
  c.machine = *dsm__stage_machine(&whole, &plan->stages, &c.stage);
  char *const text = dsm_plan_print(plan);
  const dsm_status status =
      text == NULL ? dsm__out_of_memory(diags) : check_text(&c, text, strlen(text));
  free(text);
  const dsm_plan_memory *const memory = &plan->result.memory;
  if ((status == DSM_OK || status == DSM_ERROR_INVALID) &&
      memory->total_bytes > memory->capacity_bytes * (1 + DSM__CAPACITY_TOLERANCE)) {
    (void)snprintf(c.path, sizeof c.path, "$.result.memory");
    expect(&c, false, "the need is within the memory's capacity");
    return DSM_ERROR_INFEASIBLE;
  }
  return status;
}
