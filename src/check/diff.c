/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff.c: two plans side by side. Decisions are compared as a check compares them. */
#include "dsm/diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/diag_add.h"
#include "check/input_differences.h"
#include "check/record.h"

/* ---- times ---- */

/* A side of the comparison. */
typedef struct side {
  dsm_recorded record;
  double cycles_per_second;
} side;

/* False if out of memory. */
static bool make_side(side *made, const dsm_plan *plan, dsm__arena *arena) {
  made->cycles_per_second = 1e9 * plan->system->core.frequency_GHz;
  return dsm__record_of_plan(&made->record, plan, arena);
}

/* Equal differences of equal machines are equal to the last bit, so that they stay in order. */
static double difference_seconds(const side *a, const side *b, double a_cycles, double b_cycles) {
  const bool is_same_clock = !(a->cycles_per_second < b->cycles_per_second) &&
                             !(a->cycles_per_second > b->cycles_per_second);
  return is_same_clock ? (b_cycles - a_cycles) / a->cycles_per_second
                       : b_cycles / b->cycles_per_second - a_cycles / a->cycles_per_second;
}

static const dsm_recorded_layer no_layer;

/* The pass of layers of the same name, one of which may have none. */
static dsm_pass_difference pass_of(const dsm_diff *diff, const side *a, const side *b,
                                   const dsm_recorded_layer *a_layer,
                                   const dsm_recorded_layer *b_layer, dsm_pass p) {
  const dsm_recorded_pass *const a_pass = &a_layer->passes[p];
  const dsm_recorded_pass *const b_pass = &b_layer->passes[p];
  dsm_pass_difference made = {
      .layer = a_layer->name != NULL ? a_layer->name : b_layer->name,
      .pass = p,
      .presence = !a_pass->exists   ? DSM_PRESENCE_NEW
                  : !b_pass->exists ? DSM_PRESENCE_MISSING
                                    : DSM_PRESENCE_BOTH,
      .seconds = dsm__moved(a_pass->cycles / a->cycles_per_second,
                            b_pass->cycles / b->cycles_per_second, 0),
      .cycles = dsm__moved(a_pass->cycles, b_pass->cycles, 0),
      .utilization = dsm__moved(a_pass->utilization, b_pass->utilization, 0),
  };
  made.difference_seconds = difference_seconds(a, b, a_pass->cycles, b_pass->cycles);
  if (fabs(diff->difference_seconds) > 0 && fabs(made.difference_seconds) > 0) {
    made.share = made.difference_seconds / diff->difference_seconds;
  }
  return made;
}

/* A difference and its place in order of execution. */
typedef struct placed {
  dsm_pass_difference difference;
  size_t place;
} placed;

static size_t add_passes(placed *list, size_t count, const dsm_diff *diff, const side *a,
                         const side *b, const dsm_recorded_layer *a_layer,
                         const dsm_recorded_layer *b_layer) {
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (!a_layer->passes[p].exists && !b_layer->passes[p].exists) {
      continue;
    }
    const dsm_pass_difference made = pass_of(diff, a, b, a_layer, b_layer, (dsm_pass)p);
    if (made.presence != DSM_PRESENCE_BOTH || made.seconds.is_beyond ||
        made.utilization.is_beyond) {
      list[count] = (placed){.difference = made, .place = count};
      count++;
    }
  }
  return count;
}

/* The largest difference first; among equals as they were. */
static int compare_passes(const void *left, const void *right) {
  const placed *const a = left;
  const placed *const b = right;
  const double a_size = fabs(a->difference.difference_seconds);
  const double b_size = fabs(b->difference.difference_seconds);
  if (a_size > b_size || a_size < b_size) {
    return a_size > b_size ? -1 : 1;
  }
  return a->place < b->place ? -1 : 1;
}

/* False if out of memory. */
static bool sort_passes(dsm_diff *diff, placed *list, size_t count) {
  dsm_pass_difference *const sorted = dsm__arena_array(diff->arena, count, sizeof *sorted);
  if (sorted == NULL) {
    return false;
  }
  qsort(list, count, sizeof *list, compare_passes);
  for (size_t i = 0; i < count; i++) {
    sorted[i] = list[i].difference;
  }
  diff->passes = sorted;
  diff->pass_count = count;
  return true;
}

/* Those of A's layers in order of execution, then those of layers that only B has. */
static bool list_passes(dsm_diff *diff, const side *a, const side *b) {
  const dsm_recorded *const from = &a->record;
  const dsm_recorded *const to = &b->record;
  const size_t *const partner = dsm__layer_partners(from, to, diff->arena);
  const size_t *const partner_before = dsm__layer_partners(to, from, diff->arena);
  placed *const list = dsm__arena_array(
      diff->arena, (from->layer_count + to->layer_count) * DSM_PASS_COUNT, sizeof *list);
  if (partner == NULL || partner_before == NULL || list == NULL) {
    return false;
  }
  size_t count = 0;
  for (size_t i = 0; i < from->layer_count; i++) {
    const dsm_recorded_layer *const other =
        partner[i] == SIZE_MAX ? &no_layer : &to->layers[partner[i]];
    count = add_passes(list, count, diff, a, b, &from->layers[i], other);
  }
  for (size_t i = 0; i < to->layer_count; i++) {
    if (partner_before[i] == SIZE_MAX) {
      count = add_passes(list, count, diff, a, b, &no_layer, &to->layers[i]);
    }
  }
  return sort_passes(diff, list, count);
}

/* ---- the whole ---- */

/* Layers and decisions are a check's without tolerance. */
static bool compare_decisions(dsm_diff *diff, const side *a, const side *b) {
  dsm_drift drift = {.tolerance = 0, .arena = diff->arena};
  if (!dsm__drift_compare(&drift, &a->record, &b->record)) {
    return false;
  }
  diff->layers = drift.layers;
  diff->layer_count = drift.layer_count;
  diff->decisions = drift.decisions;
  diff->decision_count = drift.decision_count;
  diff->difference_seconds =
      drift.step_seconds.is_beyond ? drift.step_seconds.after - drift.step_seconds.before : 0;
  return true;
}

static bool compare(dsm_diff *diff) {
  side a;
  side b;
  if (!make_side(&a, diff->a, diff->arena) || !make_side(&b, diff->b, diff->arena) ||
      !compare_decisions(diff, &a, &b) || !list_passes(diff, &a, &b) ||
      !dsm__input_differences(diff->a, diff->b, diff->arena, &diff->inputs, &diff->input_count)) {
    return false;
  }
  diff->is_different =
      diff->input_count + diff->layer_count + diff->decision_count + diff->pass_count > 0;
  return true;
}

dsm_status dsm_diff_derive(dsm_diff **diff, const dsm_plan *a, const dsm_plan *b,
                           dsm_diags *diags) {
  *diff = NULL;
  dsm__arena *const arena = dsm__arena_new();
  dsm_diff *const made = arena == NULL ? NULL : dsm__arena_alloc(arena, sizeof *made);
  if (made == NULL) {
    dsm__arena_free(arena);
    return dsm__out_of_memory(diags);
  }
  *made = (dsm_diff){.a = a, .b = b, .arena = arena};
  if (!compare(made)) {
    dsm_diff_free(made);
    return dsm__out_of_memory(diags);
  }
  *diff = made;
  return DSM_OK;
}

void dsm_diff_free(dsm_diff *diff) {
  if (diff != NULL) {
    dsm__arena_free(diff->arena);
  }
}
