/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log.c: what was compared, and what did not hold. */
#include <math.h>
#include <stdio.h>

#include "physics.h"

/* Mappings within 1e-11 count as equally fast; sums are taken in different orders. */
static const double tolerance = 1e-10;

static const char *const set_names[PHYSICS_SET_COUNT] = {
    [PHYSICS_DEFAULT] = "default",     [PHYSICS_REFINED] = "refined", [PHYSICS_ONE_KEY] = "one key",
    [PHYSICS_SOME_KEYS] = "some keys", [PHYSICS_AXES] = "axes",
};

const char *physics_set_name(physics_set set) {
  return set_names[set];
}

bool physics_is_close(double a, double b) {
  return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

bool physics_at_most(double a, double b) {
  return a <= b || physics_is_close(a, b);
}

static bool keeps_weights(const dsm_layer_plan *layer) {
  bool keeps = layer->decisions.weights_on_chip > 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &layer->passes[p];
    for (unsigned k = 0; pass->exists && k < pass->invocation_count; k++) {
      keeps = keeps || pass->invocations[k].kind == DSM_INVOCATION_STEADY;
    }
  }
  return keeps;
}

void physics_log_plan(physics_log *log, const physics_case *one, const dsm_plan *plan) {
  bool holds = false;
  bool cuts = false;
  bool keeps = false;
  for (size_t i = 0; i < plan->layer_count; i++) {
    holds = holds || plan->layers[i].decisions.is_output_held;
    cuts = cuts || plan->layers[i].decisions.dysm_factor > 1;
    keeps = keeps || keeps_weights(&plan->layers[i]);
  }
  log->plans++;
  log->holding += holds ? 1 : 0;
  log->cutting += cuts ? 1 : 0;
  log->keeping += keeps ? 1 : 0;
  log->pipelining += plan->pipeline_count > 0 ? 1 : 0;
  log->limited += one->is_limited ? 1 : 0;
}

void physics_expect(physics_log *log, const physics_case *one, const char *where, bool holds,
                    double found, double limit) {
  log->checked++;
  if (!holds) {
    log->violations++;
    printf("%s: seed %llu, %s, %s: %s: %.17g against %.17g\n", log->property,
           (unsigned long long)one->seed, set_names[one->set], dsm_mode_name(one->options.mode),
           where, found, limit);
  }
}

void physics_excuse(physics_log *log, const physics_case *one, const char *where, bool holds,
                    double found, double limit) {
  log->excluded++;
  if (!holds) {
    log->excused++;
    if (log->is_verbose) {
      printf("excused: %s: seed %llu, %s, %s: %s: %.17g against %.17g\n", log->property,
             (unsigned long long)one->seed, set_names[one->set], dsm_mode_name(one->options.mode),
             where, found, limit);
    }
  }
}
