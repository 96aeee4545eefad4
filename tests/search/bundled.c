/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bundled.h"

#include <check.h>
#include <stdio.h>

const char *const bundled_networks[BUNDLED_NETWORKS] = {
    "vgg16", "resnet50", "gnmt", "gnmt_vocab", "alexnet", "googlenet", "raider", "mobilenet_v2"};

dsm_workload *bundled_workload(const char *name, const char *minibatch) {
  char path[512];
  const dsm_override override = {"minibatch", minibatch, NULL};
  dsm_workload *workload = NULL;
  snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, name);
  ck_assert_int_eq(dsm_workload_load(&workload, path, &override, 1, NULL), DSM_OK);
  return workload;
}

dsm_system *bundled_system_with(const char *name, const dsm_override *overrides, size_t count) {
  char path[512];
  dsm_system *system = NULL;
  snprintf(path, sizeof path, "%s/systems/%s.json", DSM_SOURCE_DIR, name);
  ck_assert_int_eq(dsm_system_load(&system, path, overrides, count, NULL), DSM_OK);
  return system;
}

dsm_system *bundled_system(const char *name) {
  return bundled_system_with(name, NULL, 0);
}

dsm_explore_options bundled_options(dsm_mode mode) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = mode;
  options.optimizations = dsm_mode_optimizations(mode);
  return options;
}

bundled bundled_explore(const char *workload, const char *system, const char *minibatch,
                        const dsm_explore_options *options) {
  bundled explored = {.workload = bundled_workload(workload, minibatch),
                      .system = bundled_system(system)};
  explored.status = dsm_explore(&explored.plan, explored.workload, explored.system, options, NULL);
  return explored;
}

void bundled_free(bundled *explored) {
  dsm_plan_free(explored->plan);
  dsm_system_free(explored->system);
  dsm_workload_free(explored->workload);
}
