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

/* Equal differences of equal machines are equal to the last bit, so that they stay in order. */
static double difference_seconds(const dsm__drift_findings *l, double before_cycles,
                                 double after_cycles) {
  return dsm__is_same_clock(l->before, l->after)
             ? (after_cycles - before_cycles) / l->after->cycles_per_second
             : after_cycles / l->after->cycles_per_second -
                   before_cycles / l->before->cycles_per_second;
}

/* The pass of layers of the same name, one of which may have none. */
static dsm_pass_difference pass_of(const dsm__drift_findings *l, const dsm_layer_plan *before_layer,
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

void dsm__add_passes(dsm__drift_findings *found, dsm__name_pair pair, size_t alike) {
  static const dsm_layer_plan no_layer;
  const dsm_layer_plan *const before =
      pair.a == SIZE_MAX ? &no_layer : &found->before->layers[pair.a];
  const dsm_layer_plan *const after =
      pair.b == SIZE_MAX ? &no_layer : &found->after->layers[pair.b];
  if (!DSM__LIST_RESERVE_IN(&found->passes, DSM_PASS_COUNT, found->arena)) {
    found->has_failed = true;
    return;
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (!before->passes[p].exists && !after->passes[p].exists) {
      continue;
    }
    dsm_pass_difference made = pass_of(found, before, after, (dsm_pass)p);
    made.alike = alike;
    if (made.presence != DSM_PRESENCE_BOTH || made.seconds.is_beyond ||
        made.utilization.is_beyond) {
      const size_t place = found->passes.count++;
      found->passes.items[place] = (dsm__placed_pass){.difference = made, .place = place};
    }
  }
}

/* The largest difference first; among equals as they were. */
static int compare_passes(const void *left, const void *right) {
  const dsm__placed_pass *const a = left;
  const dsm__placed_pass *const b = right;
  const double a_size = fabs(a->difference.difference_seconds);
  const double b_size = fabs(b->difference.difference_seconds);
  return dsm__order_then(dsm__order(b_size, a_size), dsm__order_whole(a->place, b->place));
}

/* With names of their own. */
bool dsm__sort_passes(dsm__drift_findings *found) {
  const size_t count = found->passes.count;
  dsm_pass_difference *const sorted = dsm__arena_array(found->arena, count, sizeof *sorted);
  bool is_good = sorted != NULL;
  dsm__sort(found->passes.items, count, sizeof *found->passes.items, compare_passes);
  for (size_t i = 0; is_good && i < count; i++) {
    sorted[i] = found->passes.items[i].difference;
    sorted[i].layer = dsm__arena_strdup(found->arena, sorted[i].layer);
    is_good = sorted[i].layer != NULL;
  }
  found->drift->passes = sorted;
  found->drift->pass_count = count;
  return is_good;
}
