/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare.c: two records of the same question, side by side.
 *
 * Everything is compared twice by the same code: at first it is only counted, then written into
 * lists of the right size.
 */
#include <math.h>
#include <string.h>

#include "check/record.h"
#include "check/wording.h"
#include "workload/name_index.h"

/* ---- figures ---- */

dsm_moved dsm__moved_between(double before, double after, double tolerance) {
  dsm_moved moved = {.before = before, .after = after};
  const double difference = after - before;
  if (fabs(difference) > 0) {
    moved.change = fabs(before) > 0 ? difference / before : copysign(HUGE_VAL, difference);
  }
  moved.is_beyond = fabs(moved.change) > tolerance + DSM_TOLERANCE_ROUNDING;
  return moved;
}

/* ---- what is found ---- */

/* Lists that are only counted while `is_counting`. */
typedef struct findings {
  dsm__arena *arena;
  bool is_counting;
  bool has_failed;
  dsm_layer_drift *layers;
  size_t layer_count;
  dsm_decision_drift *decisions;
  size_t decision_count;
} findings;

static const char *kept_text(findings *found, const char *text) {
  const char *const copy = dsm__arena_strdup(found->arena, text);
  found->has_failed = found->has_failed || copy == NULL;
  return copy;
}

static void add_layer(findings *found, const char *layer, dsm_presence presence) {
  if (!found->is_counting) {
    found->layers[found->layer_count] =
        (dsm_layer_drift){.layer = kept_text(found, layer), .presence = presence};
  }
  found->layer_count++;
}

/* Which decision of which layer and pass a comparison is about. */
typedef struct subject {
  const dsm_recorded_layer *before;
  const dsm_recorded_layer *after;
  dsm_pass pass;
} subject;

static void compare_decision(findings *found, const subject *of, dsm_compared decision) {
  const dsm__wording before = dsm__decision_wording(of->before, of->pass, decision);
  const dsm__wording after = dsm__decision_wording(of->after, of->pass, decision);
  if (before.is_unknown || after.is_unknown || dsm__is_same_wording(&before, &after)) {
    return;
  }
  if (!found->is_counting) {
    found->decisions[found->decision_count] =
        (dsm_decision_drift){.layer = kept_text(found, of->before->name),
                             .pass = of->pass,
                             .decision = decision,
                             .before = kept_text(found, before.text),
                             .after = kept_text(found, after.text)};
  }
  found->decision_count++;
}

/* ---- what is compared ---- */

static void compare_pass(findings *found, const subject *of) {
  if (!of->before->passes[of->pass].exists || !of->after->passes[of->pass].exists) {
    return;
  }
  for (int d = DSM_COMPARED_PARALLELISM; d <= DSM_COMPARED_LATER_CORE_SPLIT; d++) {
    compare_decision(found, of, (dsm_compared)d);
  }
}

static void compare_layer(findings *found, const dsm_recorded_layer *before,
                          const dsm_recorded_layer *after) {
  for (int d = DSM_COMPARED_DYSM_FACTOR; d < DSM_COMPARED_COUNT; d++) {
    compare_decision(found, &(subject){before, after, DSM_PASS_COUNT}, (dsm_compared)d);
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    compare_pass(found, &(subject){before, after, (dsm_pass)p});
  }
}

/* Partners as of dsm__layer_partners, from before to after and back. */
static void compare_layers(findings *found, const dsm_recorded *before, const dsm_recorded *after,
                           const size_t *partner, const size_t *partner_before) {
  for (size_t i = 0; i < before->layer_count; i++) {
    if (partner[i] == SIZE_MAX) {
      add_layer(found, before->layers[i].name, DSM_PRESENCE_MISSING);
    } else {
      compare_layer(found, &before->layers[i], &after->layers[partner[i]]);
    }
  }
  for (size_t i = 0; i < after->layer_count; i++) {
    if (partner_before[i] == SIZE_MAX) {
      add_layer(found, after->layers[i].name, DSM_PRESENCE_NEW);
    }
  }
}

static bool make_lists(findings *found) {
  found->layers = dsm__arena_array(found->arena, found->layer_count, sizeof *found->layers);
  found->decisions =
      dsm__arena_array(found->arena, found->decision_count, sizeof *found->decisions);
  found->layer_count = 0;
  found->decision_count = 0;
  found->is_counting = false;
  return found->layers != NULL && found->decisions != NULL;
}

const size_t *dsm__layer_partners(const dsm_recorded *from, const dsm_recorded *to,
                                  dsm__arena *arena) {
  dsm__name_index names = {.entries =
                               dsm__arena_array(arena, to->layer_count, sizeof(dsm__name_entry)),
                           .count = to->layer_count};
  size_t *const partners = dsm__arena_array(arena, from->layer_count, sizeof *partners);
  if (names.entries == NULL || partners == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < to->layer_count; i++) {
    names.entries[i] = (dsm__name_entry){to->layers[i].name, i};
  }
  dsm__name_index_sort(&names);
  for (size_t i = 0; i < from->layer_count; i++) {
    partners[i] = dsm__name_index_find(&names, from->layers[i].name);
  }
  return partners;
}

static bool compare_records(findings *found, const dsm_recorded *before,
                            const dsm_recorded *after) {
  const size_t *const partner = dsm__layer_partners(before, after, found->arena);
  const size_t *const partner_before = dsm__layer_partners(after, before, found->arena);
  if (partner == NULL || partner_before == NULL) {
    return false;
  }
  found->is_counting = true;
  compare_layers(found, before, after, partner, partner_before);
  if (!make_lists(found)) {
    return false;
  }
  compare_layers(found, before, after, partner, partner_before);
  return !found->has_failed;
}

/* ---- the verdict ---- */

/* How a figure has moved: 0 if not beyond the tolerance, 1 for the better, -1 for the worse. */
static int direction(const dsm_moved *moved, bool is_lower_better) {
  if (!moved->is_beyond) {
    return 0;
  }
  return (moved->change < 0) == is_lower_better ? 1 : -1;
}

/* The time decides, that of a sample, since half the minibatch is half the work. Utilization tells
 * machines apart that are equally fast: at twice the clock a step that takes half the time less a
 * bit is better, though the arrays wait more cycles. */
static dsm_verdict verdict_of(const dsm_drift *drift) {
  const int time = direction(&drift->sample_seconds, true);
  const int moved = time != 0 ? time : direction(&drift->utilization, false);
  if (moved != 0) {
    return moved < 0 ? DSM_VERDICT_REGRESSED : DSM_VERDICT_IMPROVED;
  }
  return drift->layer_count + drift->pass_count + drift->decision_count > 0 ? DSM_VERDICT_CHANGED
                                                                            : DSM_VERDICT_OK;
}

bool dsm__drift_compare(dsm_drift *drift, const dsm_recorded *before, const dsm_recorded *after) {
  findings found = {.arena = drift->arena};
  if (!compare_records(&found, before, after)) {
    return false;
  }
  drift->layers = found.layers;
  drift->layer_count = found.layer_count;
  drift->decisions = found.decisions;
  drift->decision_count = found.decision_count;
  drift->step_seconds =
      dsm__moved_between(before->step_seconds, after->step_seconds, drift->tolerance);
  drift->step_cycles =
      dsm__moved_between(before->step_cycles, after->step_cycles, drift->tolerance);
  drift->utilization =
      dsm__moved_between(before->utilization, after->utilization, drift->tolerance);
  drift->sample_seconds =
      dsm__moved_between(before->step_seconds / (double)drift->minibatch_before,
                         after->step_seconds / (double)drift->minibatch_after, drift->tolerance);
  drift->is_same_clock = dsm__is_same_clock(before, after);
  if (!dsm__drift_list_passes(drift, before, after)) {
    return false;
  }
  drift->verdict = verdict_of(drift);
  return true;
}
