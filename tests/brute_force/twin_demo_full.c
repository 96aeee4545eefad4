/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Developer tool, no test, for instances of all options: `twin_demo_full CASE SEED [KEYS]` shows
 * one with its optimum (CASE and KEYS as of test_twin_full), `twin_demo_full FIRST COUNT [KEYS]`
 * says what the optima of COUNT seeds are like.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "instance.h"

static const char *const parallelism_names[] = {"data", "model", "data_x_model_y",
                                                "model_x_data_y"};

static void show_mapping(const twin_result *result, const twin_cost *cost) {
  const twin_mapping *const mapping = &result->mapping;
  for (size_t i = 0; i < mapping->layer_count; i++) {
    const twin_decision *const layer = &mapping->layers[i];
    char parts_text[64] = "";
    if (layer->parts.features > 0) {
      (void)snprintf(parts_text, sizeof parts_text, " as %zu %zu %zu", layer->parts.features,
                     layer->parts.positions, layer->parts.samples);
    }
    printf("  %s: %s, %s, %s; factor %zu%s%s; cycles %.17g %.17g %.17g, relayouts before it %.17g "
           "%.17g\n",
           result->layers[i].name, parallelism_names[layer->parallelism[TWIN_FORWARD]],
           parallelism_names[layer->parallelism[TWIN_BACKWARD]],
           parallelism_names[layer->parallelism[TWIN_UPDATE]], layer->factor,
           layer->is_held ? ", held" : "", parts_text, cost->pass_cycles[i][TWIN_FORWARD],
           cost->pass_cycles[i][TWIN_BACKWARD], cost->pass_cycles[i][TWIN_UPDATE],
           cost->boundary_cycles[i][TWIN_FORWARD], cost->boundary_cycles[i][TWIN_BACKWARD]);
  }
  for (size_t i = 0; i < mapping->group_count; i++) {
    printf("  pipeline from layer %zu, columns %zu, rows", mapping->groups[i].first,
           mapping->groups[i].columns);
    for (size_t j = 0; j < mapping->groups[i].count; j++) {
      printf(" %zu", mapping->groups[i].rows[j]);
    }
    printf(", cycles %.17g\n", cost->group_cycles[i]);
  }
}

static int show(const char *name, const uint64_t seed, const instance_key_set allowed) {
  instance given;
  twin_result result;
  twin_cost cost;
  int which = 0;
  while (which < INSTANCE_CASE_COUNT &&
         strcmp(name, instance_case_name((instance_case)which)) != 0) {
    which++;
  }
  if (which == INSTANCE_CASE_COUNT) {
    return 1;
  }
  instance_make_full(&given, seed, (instance_case)which, allowed);
  const twin_options *const o = &given.options;
  printf("%s\n%s\n", given.workload_json, given.system_json);
  printf("hybrid %d reuse %d dysm %d pipeline %d per_pass %d inference %d mask %u\n", o->hybrid,
         o->reuse, o->dysm, o->pipeline, o->per_pass, o->inference, o->parallelism_mask);
  if (!twin_explore(&result, given.workload_json, given.system_json, given.options)) {
    return 1;
  }
  printf("feasible %d step %.17g memory %.17g smallest %.17g\n", result.feasible,
         result.step_cycles, result.memory_bytes, result.smallest_need_bytes);
  if (result.feasible &&
      twin_score(&cost, given.workload_json, given.system_json, given.options, &result.mapping)) {
    show_mapping(&result, &cost);
  }
  return 0;
}

typedef struct {
  size_t infeasible;
  size_t held;
  size_t divided;
  size_t pipelined;
  size_t mixed; /* passes of a layer differ */
  double seconds;
  double slowest_seconds;
} survey;

static void survey_seed(survey *out, const uint64_t seed, const instance_case which,
                        const instance_key_set allowed) {
  instance given;
  twin_result result;
  instance_make_full(&given, seed, which, allowed);
  const clock_t start = clock();
  if (!twin_explore(&result, given.workload_json, given.system_json, given.options)) {
    printf("seed %llu %s is wrong\n", (unsigned long long)seed, instance_case_name(which));
    return;
  }
  const double seconds = (double)(clock() - start) / (double)CLOCKS_PER_SEC;
  out->seconds += seconds;
  out->slowest_seconds = fmax(out->slowest_seconds, seconds);
  bool is_held = false;
  bool is_divided = false;
  bool is_mixed = false;
  for (size_t i = 0; i < result.mapping.layer_count; i++) {
    const twin_decision *const layer = &result.mapping.layers[i];
    is_held = is_held || layer->is_held;
    is_divided = is_divided || layer->factor > 1;
    is_mixed = is_mixed || layer->parallelism[TWIN_FORWARD] != layer->parallelism[TWIN_BACKWARD] ||
               layer->parallelism[TWIN_FORWARD] != layer->parallelism[TWIN_UPDATE];
  }
  out->infeasible += !result.feasible;
  out->held += is_held;
  out->divided += is_divided;
  out->mixed += is_mixed;
  out->pipelined += result.mapping.group_count > 0;
}

int main(const int argc, char **argv) {
  instance_key_set allowed = INSTANCE_EVERY_KEY;
  if (argc < 3 || argc > 4 || (argc == 4 && !instance_keys_parse(&allowed, argv[3]))) {
    return 2;
  }
  char *end = NULL;
  const uint64_t first = strtoull(argv[1], &end, 10);
  const uint64_t second = strtoull(argv[2], NULL, 10);
  if (*end != '\0') {
    return show(argv[1], second, allowed);
  }
  for (int which = 0; which < INSTANCE_CASE_COUNT; which++) {
    survey sums = {0};
    for (uint64_t seed = first; seed < first + second; seed++) {
      survey_seed(&sums, seed, (instance_case)which, allowed);
    }
    printf("%-18s infeasible %zu; held %zu, with DySM %zu, pipelined %zu, passes "
           "differ %zu; %.2f s, slowest %.3f s\n",
           instance_case_name((instance_case)which), sums.infeasible, sums.held, sums.divided,
           sums.pipelined, sums.mixed, sums.seconds, sums.slowest_seconds);
  }
  return 0;
}
