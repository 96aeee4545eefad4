/* SPDX-License-Identifier: GPL-3.0-or-later */
/* passes.c: the time of passes on two sides. Times are compared, since clocks may differ. */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "check/drift.h"

bool dsm__is_same_clock(const dsm_recorded *before, const dsm_recorded *after) {
  return !(before->cycles_per_second < after->cycles_per_second) &&
         !(before->cycles_per_second > after->cycles_per_second);
}

double dsm__step_difference_seconds(const dsm_drift *drift) {
  return drift->step_seconds.is_beyond ? drift->step_seconds.after - drift->step_seconds.before : 0;
}

/* The two sides, and the passes of both that are listed. */
typedef struct lister {
  const dsm_drift *drift;
  const dsm_recorded *before;
  const dsm_recorded *after;
  const dsm__alike_sides *sides;
  struct placed *list;
  size_t count;
} lister;

/* A difference and its place in order of execution. */
typedef struct placed {
  dsm_pass_difference difference;
  size_t place;
} placed;

/* Equal differences of equal machines are equal to the last bit, so that they stay in order. */
static double difference_seconds(const lister *l, double before_cycles, double after_cycles) {
  return dsm__is_same_clock(l->before, l->after)
             ? (after_cycles - before_cycles) / l->after->cycles_per_second
             : after_cycles / l->after->cycles_per_second -
                   before_cycles / l->before->cycles_per_second;
}

/* The pass of layers of the same name, one of which may have none. */
static dsm_pass_difference pass_of(const lister *l, const dsm_layer_plan *before_layer,
                                   const dsm_layer_plan *after_layer, dsm_pass p) {
  const dsm_pass_plan *const before = &before_layer->passes[p];
  const dsm_pass_plan *const after = &after_layer->passes[p];
  const double tolerance = l->drift->tolerance;
  const double step_difference = dsm__step_difference_seconds(l->drift);
  dsm_pass_difference made = {
      .layer = before_layer->name != NULL ? before_layer->name : after_layer->name,
      .pass = p,
      .presence = !before->exists  ? DSM_PRESENCE_NEW
                  : !after->exists ? DSM_PRESENCE_MISSING
                                   : DSM_PRESENCE_BOTH,
      .seconds = dsm__moved_between(before->cycles.total / l->before->cycles_per_second,
                                    after->cycles.total / l->after->cycles_per_second, tolerance),
      .cycles = dsm__moved_between(before->cycles.total, after->cycles.total, tolerance),
      .utilization = dsm__moved_between(before->utilization, after->utilization, tolerance),
      .difference_seconds = difference_seconds(l, before->cycles.total, after->cycles.total),
  };
  if (fabs(step_difference) > 0 && fabs(made.difference_seconds) > 0) {
    made.share = made.difference_seconds / step_difference;
  }
  return made;
}

/* Of layers with these indices, or SIZE_MAX. */
static void add_passes(lister *l, size_t before_index, size_t after_index) {
  static const dsm_layer_plan no_layer;
  const dsm_layer_plan *const before =
      before_index == SIZE_MAX ? &no_layer : &l->before->layers[before_index];
  const dsm_layer_plan *const after =
      after_index == SIZE_MAX ? &no_layer : &l->after->layers[after_index];
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (!before->passes[p].exists && !after->passes[p].exists) {
      continue;
    }
    dsm_pass_difference made = pass_of(l, before, after, (dsm_pass)p);
    made.alike = dsm__alike_number(l->sides, before_index, after_index);
    if (made.presence != DSM_PRESENCE_BOTH || made.seconds.is_beyond ||
        made.utilization.is_beyond) {
      l->list[l->count] = (placed){.difference = made, .place = l->count};
      l->count++;
    }
  }
}

/* The largest difference first; among equals as they were. */
static int compare_passes(const void *left, const void *right) {
  const placed *const a = left;
  const placed *const b = right;
  const double a_size = fabs(a->difference.difference_seconds);
  const double b_size = fabs(b->difference.difference_seconds);
  return dsm__order_then(dsm__order(b_size, a_size), dsm__order_whole(a->place, b->place));
}

/* With names of its own. False if out of memory. */
static bool sort_passes(dsm_drift *drift, const lister *l) {
  dsm_pass_difference *const sorted = dsm__arena_array(drift->arena, l->count, sizeof *sorted);
  if (sorted == NULL) {
    return false;
  }
  qsort(l->list, l->count, sizeof *l->list, compare_passes);
  for (size_t i = 0; i < l->count; i++) {
    sorted[i] = l->list[i].difference;
    sorted[i].layer = dsm__arena_strdup(drift->arena, sorted[i].layer);
    if (sorted[i].layer == NULL) {
      return false;
    }
  }
  drift->passes = sorted;
  drift->pass_count = l->count;
  return true;
}

/* Those of the layers before in order of execution, then those of layers that are new. */
bool dsm__drift_list_passes(dsm_drift *drift, const dsm_recorded *before, const dsm_recorded *after,
                            const dsm__alike_sides *sides) {
  const size_t *const partner = dsm__layer_partners(before, after, drift->arena);
  const size_t *const partner_before = dsm__layer_partners(after, before, drift->arena);
  lister l = {.drift = drift, .before = before, .after = after, .sides = sides};
  l.list = dsm__arena_array(
      drift->arena, (before->layer_count + after->layer_count) * DSM_PASS_COUNT, sizeof *l.list);
  if (partner == NULL || partner_before == NULL || l.list == NULL) {
    return false;
  }
  for (size_t i = 0; i < before->layer_count; i++) {
    add_passes(&l, i, partner[i]);
  }
  for (size_t i = 0; i < after->layer_count; i++) {
    if (partner_before[i] == SIZE_MAX) {
      add_passes(&l, SIZE_MAX, i);
    }
  }
  return sort_passes(drift, &l);
}
