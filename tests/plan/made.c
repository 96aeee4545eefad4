/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "made.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan_internal.h"

#define CONV "\"type\": \"conv\", \"out\": 32, \"feature\": [8, 8], \"kernel\": [3, 3]"
#define LSTM "\"type\": \"lstm\", \"in\": 32, \"out\": 32, \"timesteps\": 10"
#define FC "\"type\": \"fc\", \"in\": 32, \"out\": 32, \"timesteps\": 6"

const char made_convs[] = "{\"name\": \"conv1\", \"in\": 3, " CONV "},"
                          "{\"name\": \"conv2\", \"in\": 32, " CONV "},"
                          "{\"name\": \"conv3\", \"in\": 32, " CONV ","
                          " \"aux\": [{\"op\": \"residual\", \"from\": \"conv1\"}]},"
                          "{\"name\": \"fc4\", \"type\": \"fc\", \"in\": 2048, \"out\": 64}";

const char made_lstms[] = "{\"name\": \"lstm1\", " LSTM "}, {\"name\": \"lstm2\", " LSTM "},"
                          "{\"name\": \"lstm3\", " LSTM "}, {\"name\": \"lstm4\", " LSTM "},"
                          "{\"name\": \"fc5\", \"type\": \"fc\", \"in\": 32, \"out\": 64,"
                          " \"timesteps\": 10}";

const char made_matmul[] = "{\"name\": \"fc1\", " FC "}, {\"name\": \"fc2\", " FC "},"
                           "{\"name\": \"product\", \"type\": \"matmul\", \"in\": 32, \"out\": 16,"
                           " \"timesteps\": 6, \"operand\": \"fc1\", \"operand_elements\": 512}";

static dsm_system *small_system(const char *model) {
  static const char format[] =
      "{\"format\": \"dsm-system/1\", \"name\": \"small\", \"core\": {\"frequency_GHz\": 2,"
      " \"scratchpad_MiB\": 1, \"scratchpad_bandwidth_GBps\": 128}, \"chip\": {\"cores\": 4,"
      " \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 256, \"memory\":"
      " {\"capacity_GB\": 8, \"bandwidth_GBps\": 256}}, \"system\": {\"topology\": \"torus_2d\","
      " \"chips_x\": 2, \"chips_y\": 4, \"link_bandwidth_x_GBps\": 120,"
      " \"link_bandwidth_y_GBps\": 40}, \"model\": %s}";
  char text[2048];
  dsm_system *system = NULL;
  (void)snprintf(text, sizeof text, format, model == NULL ? "{}" : model);
  ck_assert_int_eq(dsm_system_parse(&system, text, strlen(text), "system", NULL, 0, NULL), DSM_OK);
  return system;
}

made made_of(const char *layers, dsm_mode mode, const char *model) {
  char text[2048];
  made m = {.system = small_system(model)};
  (void)snprintf(text, sizeof text,
                 "{\"format\": \"dsm-workload/1\", \"name\": \"small\", \"minibatch\": 32,"
                 " \"layers\": [%s]}",
                 layers);
  ck_assert_int_eq(dsm_workload_parse(&m.workload, text, strlen(text), "workload", NULL, 0, NULL),
                   DSM_OK);
  ck_assert_uint_le(m.workload->layer_count, MADE_LAYERS_MAX);
  dsm_explore_options_init(&m.options);
  m.options.mode = mode;
  m.options.optimizations = dsm_mode_optimizations(mode);
  for (size_t i = 0; i < m.workload->layer_count; i++) {
    m.layers[i] = dsm__layer_decision_none();
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      m.layers[i].splits[p][0] = (dsm_loops){{1, 4, 1, 1, 1}};
      m.layers[i].splits[p][1] = m.layers[i].splits[p][0];
    }
  }
  return m;
}

void made_set_parallelism(made *m, size_t layer, dsm_parallelism parallelism) {
  m->layers[layer].layouts = dsm_pass_layouts_uniform(parallelism);
}

void made_keep_kernel(made *m, size_t layer, dsm_pass pass, dsm_loops steady_split) {
  m->layers[layer].is_kernel_kept[pass] = true;
  m->layers[layer].splits[pass][1] = steady_split;
}

void made_keep_kernel_well(made *m, size_t layer, dsm_pass pass) {
  static const dsm_loops splits[] = {{{1, 1, 1, 1, 4}}, {{1, 2, 1, 1, 2}}, {{1, 4, 1, 1, 1}},
                                     {{2, 1, 1, 1, 2}}, {{2, 2, 1, 1, 1}}, {{4, 1, 1, 1, 1}}};
  const dsm_loops *best = NULL;
  double least = HUGE_VAL;
  for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
    made_keep_kernel(m, layer, pass, splits[i]);
    made_predict(m);
    const double cycles = m->plan->layers[layer].passes[pass].invocations[1].cost.total;
    best = cycles < least ? &splits[i] : best;
    least = cycles < least ? cycles : least;
  }
  made_keep_kernel(m, layer, pass, *best);
}

void made_add_group(made *m, const char *name, size_t first, size_t count, const uint64_t *rows) {
  ck_assert_uint_lt(m->pipeline_count, MADE_GROUPS_MAX);
  m->pipelines[m->pipeline_count++] =
      (dsm__pipeline_decision){.name = name,
                               .first_layer = first,
                               .layer_count = count,
                               .columns = m->system->system.axes[0].chips,
                               .rows = rows};
}

void made_predict(made *m) {
  const dsm__decisions decisions = {m->layers, m->pipelines, m->pipeline_count, 1, {.count = 0}};
  dsm_plan_free(m->plan);
  ck_assert_int_eq(dsm__plan_make(&m->plan, m->workload, m->system, &m->options, &decisions, NULL),
                   DSM_OK);
}

void made_free(made *m) {
  dsm_plan_free(m->plan);
  dsm_system_free(m->system);
  dsm_workload_free(m->workload);
  *m = (made){0};
}
