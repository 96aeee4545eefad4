/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roofline.c: never faster than peak compute and than any link. */
#include <math.h>

#include "compulsory.h"
#include "physics.h"
#include "rebuilt.h"

/* Of all invocations of a pass each does the same part of its work, on the chips of its layer. */
static void check_invocations(physics_log *log, const physics_case *one, const dsm_plan *plan,
                              size_t index, const dsm_pass_plan *pass) {
  const dsm_system own = rebuilt_torus(plan, index);
  const double chips_ratio =
      (double)dsm_system_chips(plan->system) / (double)dsm_system_chips(&own);
  uint64_t count = 0;
  for (unsigned k = 0; k < pass->invocation_count; k++) {
    count += pass->invocations[k].count;
  }
  const double ideal = pass->ideal_cycles * chips_ratio / (double)count;
  for (unsigned k = 0; k < pass->invocation_count; k++) {
    const double primary = pass->invocations[k].cost.primary;
    physics_expect(log, one, "compute of an invocation", physics_at_most(ideal, primary), primary,
                   ideal);
  }
}

/* The arrays compute at least as long as a machine without loss, whatever the pass is charged. */
static double check_pass(physics_log *log, const physics_case *one, const dsm_plan *plan,
                         size_t index, dsm_pass which) {
  const dsm_pass_plan *const pass = &plan->layers[index].passes[which];
  if (!pass->exists) {
    return 0;
  }
  physics_expect(log, one, "compute of a pass",
                 physics_at_most(pass->ideal_cycles, pass->cycles.primary), pass->cycles.primary,
                 pass->ideal_cycles);
  physics_expect(log, one, "utilization of a pass", physics_at_most(pass->utilization, 1), 1,
                 pass->utilization);
  check_invocations(log, one, plan, index, pass);
  return pass->ideal_cycles;
}

static void check_compute(physics_log *log, const physics_case *one, const dsm_plan *plan) {
  double ideal = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      ideal += check_pass(log, one, plan, i, (dsm_pass)p);
    }
  }
  physics_expect(log, one, "compute", physics_at_most(ideal, plan->result.step_cycles),
                 plan->result.step_cycles, ideal);
}

/* Cycles for which a layer's transfers occupy a link, and of these those of handing over. */
typedef struct occupied {
  double all;
  double hand_over;
} occupied;

static occupied link_cycles(const dsm_layer_plan *layer, dsm_link link) {
  occupied cycles = {0, 0};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &layer->passes[p];
    for (size_t t = 0; t < pass->transfer_count; t++) {
      const dsm_plan_transfer *const one = &pass->transfers[t];
      cycles.all += one->link == link ? one->cycles : 0;
      cycles.hand_over += one->link == link && one->group == DSM_GROUP_HAND_OVER ? one->cycles : 0;
    }
  }
  return cycles;
}

/* A stage that overlaps handing over with what it does is not charged for both on one link. */
static bool shares_link(const physics_case *one, occupied cycles) {
  return one->system.model.overlapped_hand_over && cycles.hand_over > 0 &&
         cycles.all > cycles.hand_over;
}

/* Stages work at the same time on chips of their own: the busiest of them counts. */
static double busiest_stage_cycles(physics_log *log, const physics_case *one, const dsm_plan *plan,
                                   const dsm_pipeline_plan *group, dsm_link link) {
  double busiest = 0;
  for (size_t k = 0; k < group->layer_count; k++) {
    const occupied own = link_cycles(&plan->layers[group->first_layer + k], link);
    const bool is_shared = shares_link(one, own);
    const double counted = is_shared ? fmax(own.hand_over, own.all - own.hand_over) : own.all;
    physics_expect(log, one, "a stage's own traffic", physics_at_most(counted, group->cycles),
                   group->cycles, counted);
    if (is_shared) {
      physics_excuse(log, one, "a stage hands over while it turns features",
                     physics_at_most(own.all, group->cycles), group->cycles, own.all);
    }
    busiest = fmax(busiest, counted);
  }
  return busiest;
}

static double pass_bytes(const dsm_pass_plan *pass, dsm_link link, bool deferred_only) {
  double bytes = 0;
  for (size_t t = 0; t < pass->transfer_count; t++) {
    const dsm_plan_transfer *const one = &pass->transfers[t];
    const bool counts = !deferred_only || one->transfer == DSM_TRANSFER_WRITE_DEFERRED;
    bytes += one->link == link && counts ? one->bytes : 0;
  }
  return bytes;
}

/* Bytes that a layer puts on a link, on average over all chips of the system. Its held output
 * counts, which the next layer writes, and not what it writes for the layer before. */
static double carried_bytes(const dsm_plan *plan, size_t index, dsm_link link) {
  const dsm_system own = rebuilt_torus(plan, index);
  const double chips_ratio =
      (double)dsm_system_chips(plan->system) / (double)dsm_system_chips(&own);
  const dsm_layer_plan *const layer = &plan->layers[index];
  double bytes = -pass_bytes(&layer->passes[DSM_PASS_FORWARD], link, true);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    bytes += pass_bytes(&layer->passes[p], link, false);
  }
  if (index + 1 < plan->layer_count) {
    bytes += pass_bytes(&plan->layers[index + 1].passes[DSM_PASS_FORWARD], link, true);
  }
  return bytes / chips_ratio;
}

/* A plan moves what it must, layer by layer and in all. */
static void check_compulsory(physics_log *log, const physics_case *one, const dsm_plan *plan,
                             dsm_link link) {
  const dsm_mode mode = one->options.mode;
  double sum = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const double found = carried_bytes(plan, i, link);
    const double due = compulsory_layer_bytes(one->workload, &one->system, mode, i, link);
    physics_expect(log, one, "what a layer must move", physics_at_most(due, found), found, due);
    sum += found;
  }
  const double due = compulsory_bytes(one->workload, &one->system, mode, link);
  physics_expect(log, one, "what must move", physics_at_most(due, sum), sum, due);
}

/* No link carries more than it can in the time of the step. */
static void check_link(physics_log *log, const physics_case *one, const dsm_plan *plan,
                       dsm_link link) {
  const double step = plan->result.step_cycles;
  double own = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const bool is_alone = plan->layers[i].pipeline == DSM_NO_PIPELINE;
    own += is_alone ? link_cycles(&plan->layers[i], link).all : 0;
  }
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    own += busiest_stage_cycles(log, one, plan, &plan->pipelines[g], link);
  }
  physics_expect(log, one, dsm_link_name(link), physics_at_most(own, step), step, own);
}

void physics_roofline(physics_log *log, const physics_case *one) {
  dsm_plan *const plan = physics_explore(one, &one->system);
  if (plan == NULL) {
    return;
  }
  physics_log_plan(log, one, plan);
  check_compute(log, one, plan);
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    check_compulsory(log, one, plan, (dsm_link)l);
    check_link(log, one, plan, (dsm_link)l);
  }
  dsm_plan_free(plan);
}
