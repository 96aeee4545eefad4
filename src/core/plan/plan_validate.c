/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_validate.c: walks every invariant of a plan. Findings have paths into the plan's JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/units.h"
#include "plan/core_layouts.h"
#include "plan/holding.h"
#include "plan/legal.h"
#include "plan/plan_internal.h"
#include "plan/role_flow.h"
#include "plan/step_stages.h"

/* Sums taken in different orders agree to this. */
static const double relative_tolerance = 1e-9;

typedef struct checker {
  const dsm_plan *plan;
  dsm_machine whole;
  dsm__stage stage;    /* of the step, if it has any */
  dsm_machine machine; /* of a stage, or the whole one */
  double stage_count;  /* its passes have so many times less than they take there */
  dsm__arena *arena;
  dsm__decisions decisions; /* those of the plan */
  dsm_diags *diags;
  char path[DSM_NAME_BYTES_MAX];
  bool is_broken;
} checker;

static bool is_close(double a, double b) {
  return fabs(a - b) <= relative_tolerance * fmax(fabs(a), fabs(b));
}

/* a <= b, but for rounding. */
static bool is_at_most(double a, double b) {
  return a <= b || is_close(a, b);
}

static void expect(checker *c, bool holds, const char *rule) {
  if (!holds) {
    const dsm__place place = {NULL, 0, 0, c->path};
    dsm__diags_add(c->diags, DSM_SEVERITY_ERROR, place, NULL, "expected that %s, found otherwise",
                   rule);
    c->is_broken = true;
  }
}

/* ---- decisions ---- */

static void set_path(checker *c, const dsm__plan_place *place) {
  char later[40] = "";
  if (place->record == &dsm__step_stages_record) {
    (void)snprintf(c->path, sizeof c->path, "$.stages.%s", place->key);
    return;
  }
  if (place->record == &dsm__decisions_record || place->record == &dsm__pipeline_record) {
    (void)snprintf(c->path, sizeof c->path, "$.%s[%zu].%s",
                   place->record == &dsm__pipeline_record ? "pipeline" : "layers", place->index,
                   place->key);
    return;
  }
  if (place->part > 0) {
    (void)snprintf(later, sizeof later, ".invocations[%u]", place->part);
  }
  const bool is_part = strcmp(place->key, "core_split") == 0 && place->dim != DSM_DIM_COUNT;
  (void)snprintf(c->path, sizeof c->path, "$.layers[%zu].passes.%s%s.%s%s%s", place->index,
                 dsm_pass_name(place->pass), later, place->key, is_part ? "." : "",
                 is_part ? dsm_dim_name(place->dim) : "");
}

static void report_violation(void *context, const dsm__plan_place *place, const char *hint,
                             const char *message) {
  checker *const c = context;
  set_path(c, place);
  const dsm__place where = {NULL, 0, 0, c->path};
  dsm__diags_add(c->diags, DSM_SEVERITY_ERROR, where, hint, "%s", message);
  c->is_broken = true;
}

/* Groups are disjoint runs in order of execution, and their layers know them. */
static bool check_groups(checker *c) {
  size_t next = 0;
  size_t member_count = 0;
  bool is_good = true;
  for (size_t g = 0; g < c->plan->pipeline_count; g++) {
    const dsm_pipeline_plan *const group = &c->plan->pipelines[g];
    (void)snprintf(c->path, sizeof c->path, "$.pipeline[%zu]", g);
    bool is_run = group->columns > 0 && group->first_layer >= next &&
                  group->first_layer <= c->plan->layer_count &&
                  group->layer_count <= c->plan->layer_count - group->first_layer;
    for (size_t k = 0; is_run && k < group->layer_count; k++) {
      is_run = c->plan->layers[group->first_layer + k].pipeline == g && group->rows[k] > 0;
    }
    expect(c, is_run, "groups are disjoint runs of layers on chips of their own");
    is_good = is_good && is_run;
    next = is_run ? group->first_layer + group->layer_count : next;
    member_count += group->layer_count;
  }
  for (size_t i = 0; i < c->plan->layer_count; i++) {
    member_count -= c->plan->layers[i].pipeline != DSM_NO_PIPELINE;
  }
  (void)snprintf(c->path, sizeof c->path, "$.pipeline");
  expect(c, member_count == 0, "layers are in the groups that list them");
  return is_good && member_count == 0;
}

/* The shape of what the decisions are read from. */
static bool check_passes_exist(checker *c) {
  bool is_good = true;
  for (size_t i = 0; i < c->plan->layer_count; i++) {
    const dsm_layer *const layer = &c->plan->workload->layers[i];
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &c->plan->layers[i].passes[p];
      (void)snprintf(c->path, sizeof c->path, "$.layers[%zu].passes.%s", i,
                     dsm_pass_name((dsm_pass)p));
      const bool is_due = dsm_pass_exists(layer, c->plan->options.mode, (dsm_pass)p);
      expect(c, pass->exists == is_due, "the layer has the passes of its mode");
      is_good = is_good && pass->exists == is_due;
      for (unsigned k = 0; is_due && k < DSM_INVOCATION_KINDS_MAX && k < pass->invocation_count;
           k++) {
        for (int d = 0; d < DSM_DIM_COUNT; d++) {
          expect(c, pass->invocations[k].split.n[d] > 0, "a core split has parts of each loop");
          is_good = is_good && pass->invocations[k].split.n[d] > 0;
        }
      }
    }
  }
  return is_good;
}

/* Where the model has layouts, all that is held has one. */
static void check_layouts(checker *c) {
  for (size_t i = 0; i < c->plan->layer_count && dsm__has_layouts(c->plan->system); i++) {
    const dsm_layer_plan *const layer = &c->plan->layers[i];
    const dsm_core_layout *const layout = &layer->decisions.output_layout;
    const bool is_known = layout->features > 0 && layout->ij > 0 && layout->mb > 0;
    (void)snprintf(c->path, sizeof c->path, "$.layers[%zu].output_layout", i);
    expect(c, is_known || !layer->decisions.is_output_held, "a held output has a layout");
  }
}

static dsm_status check_decisions(checker *c) {
  (void)snprintf(c->path, sizeof c->path, "$.optimizations");
  expect(c,
         (c->plan->options.optimizations &
          ~dsm_mode_possible_optimizations(c->plan->options.mode)) == 0,
         "the optimizations are those of the mode");
  if (!dsm__decisions_of_plan(c->plan, c->arena, &c->decisions)) {
    return dsm__out_of_memory(c->diags);
  }
  check_layouts(c);
  const dsm__candidate candidate = {
      .workload = c->plan->workload,
      .machine = &c->whole,
      .options = &c->plan->options,
      .decisions = &c->decisions,
      .is_complete = !c->is_broken,
      .renaming = c->plan->renaming,
  };
  if (!dsm__legality_check(&candidate, report_violation, c, c->arena)) {
    return dsm__out_of_memory(c->diags);
  }
  return DSM_OK;
}

/* ---- costs ---- */

static bool is_finite_and_positive(const dsm_cycles *cycles) {
  return isfinite(cycles->total) && cycles->primary >= 0 && cycles->overlapped >= 0 &&
         cycles->overlapped_visible >= 0 && cycles->auxiliary >= 0 && cycles->non_overlapped >= 0 &&
         cycles->total > 0;
}

/* The kinds of invocation are those that the decisions make. */
static void check_kinds(checker *c, size_t index, dsm_pass which) {
  const dsm_pass_plan *const pass = &c->plan->layers[index].passes[which];
  const dsm__layer_setting setting = {
      .layer = &c->plan->workload->layers[index],
      .machine = &c->machine,
      .precision = dsm_precision_of(c->plan->workload, c->plan->system),
      .mode = c->plan->options.mode,
      .minibatch = c->plan->workload->minibatch / c->plan->micro_batches,
      .micro_batches = c->plan->micro_batches,
      .dysm_factor = c->plan->layers[index].decisions.dysm_factor,
      .is_hoisted = c->plan->layers[index].decisions.is_hoisted,
      .is_recomputed = c->plan->layers[index].decisions.is_recomputed,
  };
  const dsm__parts parts = dsm__pass_parts(&setting, which, pass->share.parallelism,
                                           c->decisions.layers[index].is_kernel_kept[which]);
  bool is_same = parts.count == pass->invocation_count;
  for (unsigned k = 0; is_same && k < parts.count; k++) {
    is_same = parts.items[k].kind == pass->invocations[k].kind &&
              parts.items[k].count == pass->invocations[k].count;
  }
  expect(c, is_same, "the invocations are those that the decisions make");
}

/* Does a group consist of one transfer after the other, of which each may have another slowest
 * link? Two kinds of invocation do, what an update pass lays out anew, gradients and weights of
 * tied layers, and where layers have roles what moves behind one of them and before the next; so do
 * stages, which gather what they are given and sum what is tied. */
static bool has_parts(const checker *c, const dsm_pass_plan *pass, dsm_pass which,
                      dsm_group group) {
  const bool is_of_stages = group == DSM_GROUP_HAND_OVER || group == DSM_GROUP_SUM_OF_GRADIENTS;
  const bool is_of_invocations =
      group == DSM_GROUP_STREAM || group == DSM_GROUP_PARTIAL_SUM || group == DSM_GROUP_ROTATION;
  return (is_of_invocations && pass->invocation_count > 1) || group == DSM_GROUP_COLLECTIVE ||
         group == DSM_GROUP_TIED_WEIGHTS || (is_of_stages && c->stage_count > 1) ||
         (group == DSM_GROUP_RELAYOUT &&
          (which == DSM_PASS_UPDATE || dsm__has_roles(c->plan->workload, &c->decisions)));
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
      expect(c, is_at_most(slowest, own) && is_at_most(own, one_by_one[g]),
             "a group takes from as long as its slowest link to as long as all its transfers");
    } else {
      expect(c, is_close(slowest, own),
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
    expect(
        c,
        is_close(transfer->cycles, dsm_link_cycles(&c->machine, transfer->link, transfer->bytes)),
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
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &layer->passes[p];
    (void)snprintf(c->path, sizeof c->path, "$.layers[%zu].passes.%s", index,
                   dsm_pass_name((dsm_pass)p));
    if (!pass->exists) {
      continue;
    }
    check_kinds(c, index, (dsm_pass)p);
    expect(c, are_finite(pass), "cycles are finite and not negative");
    expect(c, pass->bound == dsm_resources_bound(&pass->resources),
           "the bound is the largest of the resources");
    check_transfers(c, pass);
    if (layer->pipeline == DSM_NO_PIPELINE) {
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
  expect(c, is_close(dsm_plan_computing_seconds(c->plan), result->step_cycles / clock_hz),
         "the seconds of computing are the cycles of a step at the clock");
  expect(c,
         is_close(result->step_seconds,
                  dsm_plan_computing_seconds(c->plan) + result->storage.waiting_seconds),
         "the seconds of a step are those of computing and of waiting for data");
  expect(c,
         is_close(result->samples_per_second,
                  (double)c->plan->workload->minibatch / result->step_seconds),
         "the minibatch is done in the seconds of a step");
}

/* Every sum that the plan promises, in the form in which it is written. */
static dsm_status check_sums(checker *c) {
  char *const text = dsm_plan_print(c->plan);
  if (text == NULL) {
    return dsm__out_of_memory(c->diags);
  }
  const dsm_status status = dsm_plan_validate_text(text, strlen(text), NULL, c->diags);
  free(text);
  c->is_broken = c->is_broken || status == DSM_ERROR_INVALID;
  return status == DSM_ERROR_INVALID ? DSM_OK : status;
}

static dsm_status check_costs(checker *c) {
  const bool was_broken = c->is_broken;
  c->is_broken = false;
  for (size_t i = 0; i < c->plan->layer_count; i++) {
    check_layer(c, i);
  }
  check_result(c);
  const bool is_sound = !c->is_broken;
  c->is_broken = c->is_broken || was_broken;
  return is_sound ? check_sums(c) : DSM_OK;
}

static dsm_status check_all(checker *c) {
  const bool has_groups = check_groups(c);
  if (!check_passes_exist(c) || !has_groups) {
    return DSM_OK; /* nothing to be judged */
  }
  dsm_status status = check_decisions(c);
  if (status == DSM_OK) {
    status = check_costs(c);
  }
  return status;
}

dsm_status dsm_plan_validate(const dsm_plan *plan, dsm_diags *diags) {
  checker c = {
      .plan = plan,
      .whole = dsm_machine_for(plan->system, plan->options.mode),
      .stage_count = (double)dsm__stage_count(&plan->stages),
      .arena = dsm__arena_new(),
      .diags = diags,
  };
  c.machine = *dsm__stage_machine(&c.whole, &plan->stages, &c.stage);
  const dsm_status status = c.arena == NULL ? dsm__out_of_memory(diags) : check_all(&c);
  dsm__arena_free(c.arena);
  if (status != DSM_OK) {
    return status;
  }
  const dsm_plan_memory *const memory = &plan->result.memory;
  if (memory->total_bytes > memory->capacity_bytes * (1 + DSM__CAPACITY_TOLERANCE)) {
    (void)snprintf(c.path, sizeof c.path, "$.result.memory");
    expect(&c, false, "the need is within the memory's capacity");
    return DSM_ERROR_INFEASIBLE;
  }
  return c.is_broken ? DSM_ERROR_INVALID : DSM_OK;
}
