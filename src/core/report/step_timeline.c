/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step_timeline.h"

/* A timeline that grows. */
typedef struct builder {
  const dsm_plan *plan;
  dsm__step_span *spans; /* room for every pass of every layer */
  size_t count;
  double end_cycles; /* of the last span */
} builder;

static void add(builder *timeline, size_t layer, dsm_pass pass) {
  const dsm_pass_plan *const planned = &timeline->plan->layers[layer].passes[pass];
  if (!planned->exists) {
    return;
  }
  timeline->spans[timeline->count++] = (dsm__step_span){
      .layer = layer,
      .layer_count = 1,
      .pass = pass,
      .begin_cycles = timeline->end_cycles,
      .cycles = planned->cycles.total,
  };
  timeline->end_cycles += planned->cycles.total;
}

/* A pass of all layers of a unit, the last first. */
static void add_reversed(builder *timeline, dsm__step_unit unit, dsm_pass pass) {
  for (size_t k = unit.layer_count; k > 0; k--) {
    add(timeline, unit.first_layer + k - 1, pass);
  }
}

dsm__step_unit dsm__step_unit_of(const dsm_plan *plan, size_t layer) {
  const size_t group = plan->layers[layer].pipeline;
  if (group == DSM_NO_PIPELINE) {
    return (dsm__step_unit){layer, 1};
  }
  return (dsm__step_unit){plan->pipelines[group].first_layer, plan->pipelines[group].layer_count};
}

bool dsm__step_timeline_derive(dsm__step_timeline *timeline, const dsm_plan *plan,
                               dsm__arena *arena) {
  builder made = {.plan = plan};
  made.spans = dsm__arena_array(arena, plan->layer_count, DSM_PASS_COUNT * sizeof *made.spans);
  if (made.spans == NULL) {
    return false;
  }
  for (size_t layer = 0; layer < plan->layer_count; layer++) {
    add(&made, layer, DSM_PASS_FORWARD);
  }
  size_t end = plan->layer_count; /* layers from here on are done on the way back too */
  while (end > 0) {
    const dsm__step_unit unit = dsm__step_unit_of(plan, end - 1);
    const bool is_group = unit.layer_count > 1;
    add_reversed(&made, unit, is_group ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE);
    add_reversed(&made, unit, is_group ? DSM_PASS_UPDATE : DSM_PASS_BACKWARD);
    end = unit.first_layer;
  }
  *timeline = (dsm__step_timeline){.plan = plan, .spans = made.spans, .span_count = made.count};
  return true;
}

const char *dsm__step_name(const dsm__step_timeline *timeline, const dsm__step_span *span) {
  return span->name != NULL ? span->name : timeline->plan->layers[span->layer].layer->name;
}

/* One more span of a column. */
static void extend(dsm__step_column *column, const dsm__step_timeline *timeline) {
  const dsm__step_span *const span = &timeline->spans[column->first + column->count];
  column->cycles += span->cycles;
  column->pass_count += span->layer_count;
  column->count++;
}

dsm__step_column dsm__step_column_at(const dsm__step_timeline *timeline, size_t first,
                                     double least_cycles) {
  dsm__step_column made = {.first = first, .begin_cycles = timeline->spans[first].begin_cycles};
  while (first + made.count < timeline->span_count &&
         (made.count == 0 || made.cycles < least_cycles)) {
    extend(&made, timeline);
    /* A span that is wide enough gets a column of its own. */
    if (first + made.count < timeline->span_count &&
        timeline->spans[first + made.count].cycles >= least_cycles) {
      break;
    }
  }
  return made;
}

dsm__step_column dsm__step_layer_at(const dsm__step_timeline *timeline, size_t first) {
  dsm__step_column made = {.first = first, .begin_cycles = timeline->spans[first].begin_cycles};
  while (first + made.count < timeline->span_count &&
         timeline->spans[first + made.count].layer == timeline->spans[first].layer) {
    extend(&made, timeline);
  }
  return made;
}

dsm__time_parts dsm__step_column_parts(const dsm__step_timeline *timeline,
                                       const dsm__step_column *column) {
  dsm__time_parts sum = {.cycles = {0}};
  for (size_t i = 0; i < column->count; i++) {
    const dsm__step_span *const span = &timeline->spans[column->first + i];
    const dsm__loss loss =
        dsm__loss_of_pass(&timeline->plan->layers[span->layer].passes[span->pass]);
    const dsm__time_parts parts = dsm__time_parts_of(&loss);
    for (int part = 0; part < DSM__PART_COUNT; part++) {
      sum.cycles[part] += (double)span->layer_count * parts.cycles[part];
    }
  }
  return sum;
}
