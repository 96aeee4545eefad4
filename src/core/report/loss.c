/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/loss.h"

#include "base/units.h"
#include "model/names.h"
#include "plan/strategy_rules.h"

double dsm__share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/* Without its groups. */
static dsm__loss loss_of(const dsm_cycles *cycles, double ideal_cycles) {
  return (dsm__loss){
      .busy = ideal_cycles,
      .array = cycles->primary - ideal_cycles,
      .transfer = cycles->overlapped_visible,
      .auxiliary = cycles->auxiliary,
      .other = cycles->non_overlapped,
      .total = cycles->total,
  };
}

static void add_groups(dsm__loss *loss, const dsm_pass_plan *pass) {
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_VISIBLE_END; g++) {
    loss->groups[g] += pass->group_cycles[g];
  }
}

dsm__loss dsm__loss_of_pass(const dsm_pass_plan *pass) {
  dsm__loss loss = loss_of(&pass->cycles, pass->ideal_cycles);
  add_groups(&loss, pass);
  return loss;
}

dsm__loss dsm__loss_times(dsm__loss loss, double count) {
  loss.busy *= count;
  loss.array *= count;
  loss.transfer *= count;
  loss.auxiliary *= count;
  loss.waiting *= count;
  loss.other *= count;
  loss.total *= count;
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    loss.groups[g] *= count;
  }
  return loss;
}

static double waiting_cycles(const dsm_plan *plan) {
  const double waiting = plan->result.storage.waiting_seconds;
  return waiting > 0 ? waiting * plan->system->core.frequency_GHz * DSM__HERTZ_PER_GHZ : 0;
}

double dsm__step_cycles(const dsm_plan *plan) {
  return plan->result.step_cycles + waiting_cycles(plan);
}

dsm__loss dsm__loss_of_plan(const dsm_plan *plan) {
  dsm__loss loss = loss_of(&plan->result.cycles, plan->result.ideal_cycles);
  loss.waiting = waiting_cycles(plan);
  loss.total += loss.waiting;
  for (size_t layer = 0; layer < plan->layer_count; layer++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[layer].passes[p];
      if (pass->exists) {
        add_groups(&loss, pass);
      }
    }
  }
  return loss;
}

int dsm__part_count(const dsm_plan *plan) {
  const dsm_core *const core = &plan->system->core;
  const bool has_overhead =
      core->operation_overhead_us > 0 || core->issue_us > 0 || core->kernel_floor_us > 0;
  if (plan->stages.count > 1) {
    return DSM__PART_WAITING;
  }
  if (dsm__choice_count(DSM__CHOICE_RECOMPUTED, plan) > 0) {
    return DSM__PART_BUBBLE;
  }
  return has_overhead ? DSM__PART_RECOMPUTE : DSM__PART_OVERHEAD;
}

dsm__time_parts dsm__time_parts_of(const dsm__loss *loss) {
  dsm__time_parts parts = {.cycles = {[DSM__PART_BUSY] = loss->busy,
                                      [DSM__PART_ARRAY] = loss->array,
                                      [DSM__PART_TRANSFER] = loss->transfer,
                                      [DSM__PART_AUXILIARY] = loss->auxiliary,
                                      [DSM__PART_OVERHEAD] = loss->groups[DSM_GROUP_OVERHEAD] +
                                                             loss->groups[DSM_GROUP_ISSUE],
                                      [DSM__PART_RECOMPUTE] = loss->groups[DSM_GROUP_RECOMPUTE],
                                      [DSM__PART_BUBBLE] = loss->groups[DSM_GROUP_BUBBLE],
                                      [DSM__PART_WAITING] = loss->waiting}};
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_LINKS_END; g++) {
    parts.cycles[(int)DSM__PART_GROUPS + g - 1] = loss->groups[g];
  }
  return parts;
}

dsm_group dsm__group_of_part(dsm__time_part part) {
  return part == DSM__PART_TRANSFER ? DSM_GROUP_STREAM
         : part >= DSM__PART_GROUPS && part < DSM__PART_OVERHEAD
             ? (dsm_group)(part - DSM__PART_GROUPS + DSM_GROUP_STREAM + 1)
         : part == DSM__PART_RECOMPUTE ? DSM_GROUP_RECOMPUTE
         : part == DSM__PART_BUBBLE    ? DSM_GROUP_BUBBLE
                                       : DSM_GROUP_COUNT;
}

dsm_group dsm__loss_largest_group(const double groups[DSM_GROUP_COUNT]) {
  int largest = DSM_GROUP_STREAM;
  double most = 0;
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_VISIBLE_END; g++) {
    if (groups[g] > most) {
      largest = g;
      most = groups[g];
    }
  }
  return (dsm_group)largest;
}

const char *dsm__loss_kind_that_matters(const dsm__loss *loss) {
  static const double least_share = 0.005;
  const bool matters = dsm__share(loss->other, loss->total) >= least_share;
  const dsm_group group = dsm__loss_largest_group(loss->groups);
  return matters && group != DSM_GROUP_STREAM ? dsm__word_brief(&dsm__group_words, group) : "";
}
