/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "subjects.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define ON_BOTH_SYSTEMS(name)                                                                      \
  {name, "torus64", "256", DSM_MODE_TRAINING}, {name, "torus64", "64", DSM_MODE_INFERENCE},        \
      {name, "chip1", "16", DSM_MODE_TRAINING}, {                                                  \
    name, "chip1", "1", DSM_MODE_INFERENCE                                                         \
  }

const exploration bundled_explorations[BUNDLED_EXPLORATION_COUNT] = {
    ON_BOTH_SYSTEMS("alexnet"),   ON_BOTH_SYSTEMS("gnmt"),         ON_BOTH_SYSTEMS("gnmt_vocab"),
    ON_BOTH_SYSTEMS("googlenet"), ON_BOTH_SYSTEMS("mobilenet_v2"), ON_BOTH_SYSTEMS("raider"),
    ON_BOTH_SYSTEMS("resnet50"),  ON_BOTH_SYSTEMS("vgg16"),
};

static dsm_workload *load_workload(const char *name, const dsm_override *overrides, size_t count) {
  char path[512];
  dsm_workload *workload = NULL;
  (void)snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, name);
  ck_assert_int_eq(dsm_workload_load(&workload, path, overrides, count, NULL), DSM_OK);
  return workload;
}

dsm_workload *load_bundled_workload(const char *name) {
  return load_workload(name, NULL, 0);
}

dsm_system *load_bundled_system(const char *name) {
  char path[512];
  dsm_system *system = NULL;
  (void)snprintf(path, sizeof path, "%s/systems/%s.json", DSM_SOURCE_DIR, name);
  ck_assert_int_eq(dsm_system_load(&system, path, NULL, 0, NULL), DSM_OK);
  return system;
}

subject subject_explore(const exploration *what) {
  const dsm_override minibatch = {"minibatch", what->minibatch, NULL};
  subject made = {.workload = load_workload(what->workload, &minibatch, 1),
                  .system = load_bundled_system(what->system)};
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = what->mode;
  options.optimizations = dsm_mode_optimizations(what->mode);
  ck_assert_int_eq(dsm_explore(&made.plan, made.workload, made.system, &options, NULL), DSM_OK);
  return made;
}

subject subject_explore_text(const char *workload_text, const char *system) {
  subject made = {.system = load_bundled_system(system)};
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  ck_assert_int_eq(dsm_workload_parse(&made.workload, workload_text, strlen(workload_text), "text",
                                      NULL, 0, NULL),
                   DSM_OK);
  ck_assert_int_eq(dsm_explore(&made.plan, made.workload, made.system, &options, NULL), DSM_OK);
  return made;
}

void subject_free(subject *explored) {
  if (!explored->is_shared) {
    dsm_plan_free(explored->plan);
    dsm_system_free(explored->system);
    dsm_workload_free(explored->workload);
  }
  *explored = (subject){0};
}

/* ---- explored once ---- */

static subject bundled[BUNDLED_EXPLORATION_COUNT];

void bundled_set_up(void) {
  for (int i = 0; i < BUNDLED_EXPLORATION_COUNT; i++) {
    if (bundled[i].plan == NULL) {
      bundled[i] = subject_explore(&bundled_explorations[i]);
    }
  }
}

void bundled_free(void) {
  for (int i = 0; i < BUNDLED_EXPLORATION_COUNT; i++) {
    subject_free(&bundled[i]);
  }
}

subject bundled_subject(int index) {
  ck_assert_ptr_nonnull(bundled[index].plan);
  subject made = bundled[index];
  made.is_shared = true;
  return made;
}

dsm_table_style plain_style(size_t width) {
  return (dsm_table_style){.width = width, .color = false};
}

dsm_table_style unfolded_style(size_t width) {
  return (dsm_table_style){.width = width, .is_unfolded = true};
}
