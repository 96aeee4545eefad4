/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explore_plan.c: a program over libdsm. Loads a workload and a system, explores, and reads the
 * plan:
 *
 *     cc explore_plan.c $(pkg-config --cflags --libs dsm) -o explore_plan
 *     ./explore_plan vgg16.json torus64.json
 */
#include <stdio.h>
#include <stdlib.h>

#include <dsm/dsm.h>

static void print_findings(const dsm_diags *diags) {
  char line[2048];
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    (void)dsm_diag_render(dsm_diags_get(diags, i), false, line, sizeof line);
    fprintf(stderr, "%s\n", line);
  }
}

static void print_plan(const dsm_plan *plan) {
  printf("dsm %s: utilization %.6f, step %.6g ms\n", dsm_version(), plan->result.utilization,
         plan->result.step_seconds * 1e3);
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    const dsm_pass_plan *const forward = &layer->passes[DSM_PASS_FORWARD];
    printf("%s %s %.6f\n", layer->layer->name, dsm_parallelism_name(forward->share.parallelism),
           forward->utilization);
  }
}

int main(int argc, char *argv[]) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s WORKLOAD.json SYSTEM.json\n", argv[0]);
    return EXIT_FAILURE;
  }
  dsm_workload *workload = NULL;
  dsm_system *system = NULL;
  dsm_plan *plan = NULL;
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  dsm_diags *const diags = dsm_diags_new(10);
  const bool is_explored = dsm_workload_load(&workload, argv[1], NULL, 0, diags) == DSM_OK &&
                           dsm_system_load(&system, argv[2], NULL, 0, diags) == DSM_OK &&
                           dsm_explore(&plan, workload, system, &options, diags) == DSM_OK;
  if (is_explored) {
    print_plan(plan);
  }
  print_findings(diags);
  dsm_plan_free(plan);
  dsm_system_free(system);
  dsm_workload_free(workload);
  dsm_diags_free(diags);
  return is_explored ? EXIT_SUCCESS : EXIT_FAILURE;
}
