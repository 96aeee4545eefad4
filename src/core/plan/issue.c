/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/issue.h"

#include "plan/keeping.h"

/* Kernels of the operations that run again before a pass, without their product. */
static double operations_again(const dsm_layer_plan *layer, const dsm_machine *machine,
                               dsm_mode mode, dsm_pass which) {
  if (!layer->decisions.is_product_kept || which != dsm__recomputing_pass(layer->layer)) {
    return 0;
  }
  return (double)layer->passes[DSM_PASS_FORWARD].invocations[0].count *
         dsm__operation_kernels(layer->layer, machine, mode);
}

/* Kernels of a layer's pass in a step. */
static double kernels_of(const dsm_layer_plan *layer, const dsm_machine *machine, dsm_mode mode,
                         dsm_pass which) {
  const dsm_pass_plan *const pass = &layer->passes[which];
  double invocations = 0;
  double again = 0; /* of the forward pass */
  for (unsigned i = 0; pass->exists && i < pass->invocation_count; i++) {
    const dsm_invocation *const of = &pass->invocations[i];
    *(of->kind == DSM_INVOCATION_RECOMPUTE ? &again : &invocations) += (double)of->count;
  }
  return invocations * dsm_invocation_kernels(layer->layer, machine, mode, which) +
         (again > 0 ? again * dsm_invocation_kernels(layer->layer, machine, mode, DSM_PASS_FORWARD)
                    : 0) +
         operations_again(layer, machine, mode, which);
}

/* Of the network, as a chip has them: of a group's stages it is one, of which one has most. */
static double kernels_of_chip(const dsm_plan *plan, const dsm_machine *machine, dsm_pass which) {
  const dsm_mode mode = plan->options.mode;
  double sum = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    sum += layer->pipeline == DSM_NO_PIPELINE ? kernels_of(layer, machine, mode, which) : 0;
  }
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    const dsm_pipeline_plan *const group = &plan->pipelines[g];
    double most = 0;
    for (size_t k = 0; k < group->layer_count; k++) {
      const double own = kernels_of(&plan->layers[group->first_layer + k], machine, mode, which);
      most = own > most ? own : most;
    }
    sum += most;
  }
  return sum;
}

/* Whatever else a pass takes is hidden behind issuing: that decides all of it. */
static dsm_resources all_overhead(double cycles) {
  dsm_resources resources = {{0}};
  resources.cycles[DSM_BOUND_OVERHEAD] = cycles;
  return resources;
}

static void add(dsm_plan *plan, size_t index, dsm_pass which, double cycles) {
  dsm_pass_plan *const pass = &plan->layers[index].passes[which];
  pass->group_cycles[DSM_GROUP_ISSUE] += cycles;
  pass->cycles.non_overlapped += cycles;
  pass->cycles.total += cycles;
  pass->resources = all_overhead(pass->cycles.total);
  pass->bound = DSM_BOUND_OVERHEAD;
  pass->utilization = pass->ideal_cycles / pass->cycles.total;
}

/*
 * Source: section 6. Symbols: K = kernels of a pass of the network, T its cycles: max(0, K * issue
 * - T), of a layer's pass the part that it has of all kernels. Limits: issue = 0: nothing.
 */
static void charge_pass(dsm_plan *plan, const dsm_machine *machine, dsm_pass which) {
  double cycles = 0;
  double kernels = 0; /* of all chips */
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_pass_plan *const pass = &plan->layers[i].passes[which];
    cycles += pass->exists ? pass->cycles.total : 0;
    kernels += kernels_of(&plan->layers[i], machine, plan->options.mode, which);
  }
  const double missing = kernels_of_chip(plan, machine, which) * machine->issue_cycles - cycles;
  for (size_t i = 0; missing > 0 && i < plan->layer_count; i++) {
    if (plan->layers[i].passes[which].exists) {
      const double own = kernels_of(&plan->layers[i], machine, plan->options.mode, which);
      add(plan, i, which, missing * (own / kernels));
    }
  }
}

/* Of a group's time the passes that are charged are overhead, the rest is what it was. */
static void settle_group(const dsm_plan *plan, dsm_pipeline_plan *group) {
  double charged = 0; /* the charge included */
  double charges = 0;
  for (size_t k = 0; k < group->layer_count; k++) {
    const dsm_layer_plan *const layer = &plan->layers[group->first_layer + k];
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const double own =
          layer->passes[p].exists ? layer->passes[p].group_cycles[DSM_GROUP_ISSUE] : 0;
      charged += own > 0 ? layer->passes[p].cycles.total : 0;
      charges += own;
    }
  }
  if (charges > 0) {
    const dsm_resources before = group->resources;
    group->resources = all_overhead(charged);
    dsm_resources_add(&group->resources, &before, 1 - (charged - charges) / group->cycles);
    group->cycles += charges;
  }
}

void dsm__issue_charge(dsm_plan *plan, dsm_pipeline_plan *groups, const dsm_machine *machine) {
  if (!(machine->issue_cycles > 0)) {
    return;
  }
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    charge_pass(plan, machine, (dsm_pass)p);
  }
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    settle_group(plan, &groups[g]);
  }
}

double dsm__issue_charged(const dsm_plan *plan) {
  double cycles = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      cycles += pass->exists ? pass->group_cycles[DSM_GROUP_ISSUE] : 0;
    }
  }
  return cycles;
}

/* One spatial minibatch; of lstm, which may be stages at the same time, only the one with most. */
double dsm__issue_least(const dsm_workload *workload, const dsm_machine *machine, dsm_mode mode) {
  double kernels = 0;
  for (int p = 0; p < DSM_PASS_COUNT && machine->issue_cycles > 0; p++) {
    double most = 0;
    for (size_t i = 0; i < workload->layer_count; i++) {
      const dsm_layer *const layer = &workload->layers[i];
      const bool exists = dsm_pass_exists(layer, mode, (dsm_pass)p);
      const double own = exists ? (double)dsm_invocation_count(layer, (dsm_pass)p) *
                                      dsm_invocation_kernels(layer, machine, mode, (dsm_pass)p)
                                : 0;
      most = layer->gates > 0 && own > most ? own : most;
      kernels += layer->gates > 0 ? 0 : own;
    }
    kernels += most;
  }
  return kernels * machine->issue_cycles;
}
