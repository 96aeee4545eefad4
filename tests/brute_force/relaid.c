/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relaid.h"

#include <stdlib.h>
#include <string.h>

bool relaid_has_layouts(const dsm_plan *plan) {
  for (size_t i = 0; i < plan->layer_count; i++) {
    if (plan->layers[i].decisions.output_layout.features > 0) {
      return true;
    }
  }
  return false;
}

static size_t pick_divisor(instance_random *random, const size_t number) {
  size_t divisor = 0;
  do {
    divisor = instance_random_between(random, 1, number);
  } while (number % divisor != 0);
  return divisor;
}

static void lay_out_anew(dsm_plan *plan, twin_mapping *mapping, instance_random *random) {
  const size_t cores = (size_t)plan->system->chip.cores;
  for (size_t i = 0; i < plan->layer_count; i++) {
    if (plan->layers[i].decisions.output_layout.features > 0) {
      const size_t features = pick_divisor(random, cores);
      const size_t positions = pick_divisor(random, cores / features);
      const size_t samples = cores / features / positions;
      plan->layers[i].decisions.output_layout =
          (dsm_core_layout){.features = features, .ij = positions, .mb = samples};
      mapping->layers[i].parts =
          (twin_parts){.features = features, .positions = positions, .samples = samples};
    }
  }
}

static void read_split(size_t out[TWIN_DIM_COUNT], const dsm_invocation *invocation) {
  for (size_t d = 0; d < TWIN_DIM_COUNT; d++) {
    out[d] = (size_t)invocation->split.n[d];
  }
}

/* Of layers with one timestep: invocations are all alike, or those of an update write or add. */
static void read_splits(twin_splits *out, const dsm_plan *plan) {
  *out = (twin_splits){0};
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < TWIN_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      if (pass->exists) {
        read_split(out->first[i][p], &pass->invocations[0]);
      }
      if (pass->exists && p == TWIN_UPDATE) {
        read_split(out->accumulating[i], &pass->invocations[pass->invocation_count - 1]);
      }
    }
  }
}

bool relaid_compare(relaid_cycles *out, dsm_plan *plan, twin_mapping *mapping,
                    const instance *given, instance_random *random, dsm_diags *diags) {
  twin_splits splits;
  twin_cost cost = {0};
  dsm_plan *relaid = NULL;
  lay_out_anew(plan, mapping, random);
  read_splits(&splits, plan);
  char *const text = dsm_plan_print(plan);
  const bool is_scored =
      text != NULL &&
      dsm_plan_parse(&relaid, text, strlen(text), "relaid", NULL, diags) == DSM_OK &&
      twin_score_splits(&cost, given->workload_json, given->system_json, given->options, mapping,
                        &splits) &&
      cost.fault == NULL;
  if (is_scored) {
    *out = (relaid_cycles){.libdsm = relaid->result.step_cycles, .twin = cost.cycles};
  }
  dsm_plan_free(relaid);
  free(text);
  return is_scored;
}
