/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Developer tool, no test: `twin_demo FIRST COUNT` explores COUNT seeds and says what they were
 * like; `twin_demo SEED` shows one instance with its optimum.
 */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "instance.h"

static const char *const parallelism_names[] = {"data", "model", "data_x_model_y",
                                                "model_x_data_y"};
static const char *const pass_names[] = {"forward", "backward", "update"};

static void show_pass(const char *name, const twin_pass *pass) {
  if (pass->exists) {
    printf("    %-8s (%zu %zu %zu %zu %zu) primary %.17g overlapped %.17g auxiliary %.17g "
           "non-overlapped %.17g total %.17g\n",
           name, pass->split[0], pass->split[1], pass->split[2], pass->split[3], pass->split[4],
           pass->primary, pass->overlapped, pass->auxiliary, pass->non_overlapped, pass->total);
  }
}

static void show(const instance *input, const twin_result *result) {
  printf("%s\n%s\n", input->workload_json, input->system_json);
  printf("hybrid %d inference %d mask %u\n", input->options.hybrid, input->options.inference,
         input->options.parallelism_mask);
  printf("feasible %d step %.17g ideal %.17g memory %.17g smallest %.17g\n", result->feasible,
         result->step_cycles, result->ideal_cycles, result->memory_bytes,
         result->smallest_need_bytes);
  for (size_t i = 0; result->feasible && i < result->layer_count; i++) {
    const twin_layer *const layer = &result->layers[i];
    printf("  %s: %s\n", layer->name, parallelism_names[layer->parallelism]);
    for (size_t pass = 0; pass < TWIN_PASS_COUNT; pass++) {
      show_pass(pass_names[pass], &layer->passes[pass]);
    }
  }
}

/* Does every number hold what its name promises? */
static bool is_sound(const twin_result *result) {
  double total = 0;
  for (size_t i = 0; i < result->layer_count; i++) {
    for (size_t pass = 0; pass < TWIN_PASS_COUNT; pass++) {
      const twin_pass *const p = &result->layers[i].passes[pass];
      const double parts = fmax(p->primary, p->overlapped) + p->auxiliary + p->non_overlapped;
      if (fabs(parts - p->total) > 1e-12 * p->total) {
        return false;
      }
      total += p->total;
    }
  }
  const bool beats_ideal = result->ideal_cycles > result->step_cycles * (1 + 1e-12);
  return !result->feasible ||
         (isfinite(total) && fabs(total - result->step_cycles) <= 1e-12 * total && !beats_ideal &&
          result->smallest_need_bytes <= result->memory_bytes);
}

typedef struct {
  size_t infeasible;
  size_t bound; /* memory excludes the unconstrained optimum, yet something fits */
  size_t mixed; /* more than one parallelism in the optimum */
  size_t used[TWIN_PARALLELISM_COUNT];
  double slowest_seconds;
} survey;

/* The same instance with all the memory it may want. */
static double unbound_step_cycles(const instance *input) {
  const char *const key = strstr(input->system_json, "\"capacity_GB\":");
  assert(key != NULL);
  const char *const rest = strchr(key, ',');
  char text[INSTANCE_TEXT_SIZE] = "";
  (void)snprintf(text, sizeof text, "%.*s\"capacity_GB\":1024%s", (int)(key - input->system_json),
                 input->system_json, rest);
  twin_result result;
  return twin_explore(&result, input->workload_json, text, input->options) ? result.step_cycles : 0;
}

static bool survey_seed(survey *out, const uint64_t seed) {
  instance input;
  instance_make(&input, seed, INSTANCE_EVERY_KEY);
  twin_result result;
  const clock_t start = clock();
  const bool explored =
      twin_explore(&result, input.workload_json, input.system_json, input.options);
  out->slowest_seconds =
      fmax(out->slowest_seconds, (double)(clock() - start) / (double)CLOCKS_PER_SEC);
  if (!explored || !is_sound(&result)) {
    printf("seed %llu is wrong\n", (unsigned long long)seed);
    return false;
  }
  out->infeasible += !result.feasible;
  out->bound += result.feasible && unbound_step_cycles(&input) < result.step_cycles;
  bool is_mixed = false;
  for (size_t i = 0; result.feasible && i < result.layer_count; i++) {
    out->used[result.layers[i].parallelism]++;
    is_mixed = is_mixed || result.layers[i].parallelism != result.layers[0].parallelism;
  }
  out->mixed += is_mixed;
  return true;
}

int main(const int argc, char **argv) {
  const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
  if (argc == 2) {
    instance input;
    instance_make(&input, first, INSTANCE_EVERY_KEY);
    twin_result result;
    const bool explored =
        twin_explore(&result, input.workload_json, input.system_json, input.options);
    show(&input, &result);
    return explored ? 0 : 1;
  }
  const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
  survey summary = {0};
  bool is_right = true;
  for (uint64_t seed = first; seed < first + count; seed++) {
    is_right = survey_seed(&summary, seed) && is_right;
  }
  printf("infeasible %zu, bound %zu, mixed %zu, layers with data %zu, model %zu, "
         "data_x_model_y %zu, model_x_data_y %zu; slowest twin %.1f ms\n",
         summary.infeasible, summary.bound, summary.mixed, summary.used[0], summary.used[1],
         summary.used[2], summary.used[3], 1000 * summary.slowest_seconds);
  return is_right ? 0 : 1;
}
