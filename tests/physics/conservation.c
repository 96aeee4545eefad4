/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conservation.c: what a plan says of its transfers, groups and times is one account, in the plan
 * and in its JSON. */
#include <cJSON.h>
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/names.h"
#include "physics.h"
#include "rebuilt.h"

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* ---- transfers, and the groups that they are in ---- */

static double planned_bytes(const dsm_pass_plan *pass, dsm_transfer transfer, unsigned axis,
                            dsm_link link) {
  double bytes = 0;
  for (size_t t = 0; t < pass->transfer_count; t++) {
    const dsm_plan_transfer *const one = &pass->transfers[t];
    const bool is_it = one->transfer == transfer && one->axis == axis && one->link == link;
    bytes += is_it ? one->bytes : 0;
  }
  return bytes;
}

static void check_transfer(physics_log *log, const physics_case *one, const dsm_pass_plan *pass,
                           const rebuilt_pass *rebuilt, dsm_transfer t) {
  for (unsigned axis = 0; axis <= DSM_NO_AXIS; axis++) {
    for (int l = 0; l < DSM_LINK_COUNT; l++) {
      const double found = planned_bytes(pass, t, axis, (dsm_link)l);
      const double due = rebuilt->bytes[t][axis][l];
      if (found > 0 || due > 0) {
        physics_expect(log, one, dsm_transfer_name(t), physics_is_close(found, due), found, due);
      }
    }
  }
}

static void check_transfers(physics_log *log, const physics_case *one, const dsm_pass_plan *pass,
                            const rebuilt_pass *rebuilt) {
  for (int t = 0; t < DSM_TRANSFER_COUNT; t++) {
    check_transfer(log, one, pass, rebuilt, (dsm_transfer)t);
  }
}

/* A transfer alone takes its bytes over the link's rate, on the torus of its layer. */
static void check_transfer_cycles(physics_log *log, const physics_case *one,
                                  const dsm_pass_plan *pass, const dsm_system *torus) {
  const dsm_machine machine = dsm_machine_for(torus, one->options.mode);
  for (size_t t = 0; t < pass->transfer_count; t++) {
    const dsm_plan_transfer *const transfer = &pass->transfers[t];
    const double due = transfer->bytes / machine.link_bytes_per_cycle[transfer->link];
    physics_expect(log, one, "a transfer's cycles", physics_is_close(transfer->cycles, due),
                   transfer->cycles, due);
  }
}

static void check_groups(physics_log *log, const physics_case *one, const dsm_pass_plan *pass,
                         const rebuilt_pass *rebuilt) {
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    const double due = rebuilt->group_cycles[g];
    physics_expect(log, one, dsm_group_name((dsm_group)g),
                   physics_is_close(pass->group_cycles[g], due), pass->group_cycles[g], due);
  }
  physics_expect(log, one, "a pass", physics_is_close(pass->cycles.total, rebuilt->cycles),
                 pass->cycles.total, rebuilt->cycles);
}

/* ---- pipelines ---- */

/* Section 9: the slowest stage of each pass sets the pace; what occurs once, the slowest too. */
static double pipeline_cycles(const dsm_plan *plan, const dsm_pipeline_plan *group) {
  const bool is_overlapped = plan->system->model.overlapped_hand_over;
  const double timesteps = (double)plan->layers[group->first_layer].layer->timesteps;
  double slowest[DSM_PASS_COUNT] = {0};
  double once = 0;
  for (size_t k = 0; k < group->layer_count; k++) {
    const size_t index = group->first_layer + k;
    double own = 0;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (plan->layers[index].passes[p].exists) {
        const rebuilt_pass pass = rebuilt_pass_of(plan, index, (dsm_pass)p);
        const double step = is_overlapped ? larger(pass.last_cycles, pass.hand_over_cycles)
                                          : pass.last_cycles + pass.hand_over_cycles;
        slowest[p] = larger(slowest[p], step);
        own += pass.once_cycles + larger(0, pass.first_cycles - pass.last_cycles);
      }
    }
    once = larger(once, own);
  }
  double cycles = once;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    cycles += slowest[p] * (timesteps + (double)group->layer_count - 1);
  }
  return cycles;
}

/* ---- the same in JSON ---- */

static double number_of(const cJSON *object, const char *key) {
  const cJSON *const item = cJSON_GetObjectItem(object, key);
  return item == NULL ? 0 : item->valuedouble;
}

static void check_same(physics_log *log, const physics_case *one, const char *where, double found,
                       double due) {
  physics_expect(log, one, where, physics_is_close(found, due), found, due);
}

static void check_json_pass(physics_log *log, const physics_case *one, const dsm_pass_plan *pass,
                            const cJSON *json) {
  const cJSON *const transfers = cJSON_GetObjectItem(json, "transfers");
  ck_assert_int_eq(cJSON_GetArraySize(transfers), (int)pass->transfer_count);
  size_t t = 0;
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, transfers) {
    const dsm_plan_transfer *const transfer = &pass->transfers[t++];
    ck_assert_str_eq(cJSON_GetObjectItem(item, "name")->valuestring,
                     transfer->axis_name != NULL
                         ? dsm_transfer_name(transfer->transfer)
                         : dsm__move_name(transfer->transfer, transfer->axis));
    ck_assert_str_eq(cJSON_GetObjectItem(item, "link")->valuestring, dsm_link_name(transfer->link));
    check_same(log, one, "bytes in JSON", number_of(item, "bytes"), transfer->bytes);
    check_same(log, one, "cycles in JSON", number_of(item, "cycles"), transfer->cycles);
  }
  for (int g = 0; g < DSM_GROUP_COUNT; g++) {
    const char *const name = dsm_group_name((dsm_group)g);
    check_same(log, one, "a group in JSON", number_of(cJSON_GetObjectItem(json, "groups"), name),
               pass->group_cycles[g]);
  }
  check_same(log, one, "a pass in JSON", number_of(cJSON_GetObjectItem(json, "cycles"), "total"),
             pass->cycles.total);
}

static void check_json(physics_log *log, const physics_case *one, const dsm_plan *plan) {
  char *const text = dsm_plan_print(plan);
  cJSON *const document = cJSON_Parse(text);
  const cJSON *const layers = cJSON_GetObjectItem(document, "layers");
  for (size_t i = 0; i < plan->layer_count; i++) {
    const cJSON *const passes = cJSON_GetObjectItem(cJSON_GetArrayItem(layers, (int)i), "passes");
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (plan->layers[i].passes[p].exists) {
        check_json_pass(log, one, &plan->layers[i].passes[p],
                        cJSON_GetObjectItem(passes, dsm_pass_name((dsm_pass)p)));
      }
    }
  }
  check_same(log, one, "the step in JSON",
             number_of(cJSON_GetObjectItem(document, "result"), "step_cycles"),
             plan->result.step_cycles);
  cJSON_Delete(document);
  free(text);
}

/* ---- a whole plan ---- */

static void check_layer(physics_log *log, const physics_case *one, const dsm_plan *plan,
                        size_t index) {
  const dsm_layer_plan *const layer = &plan->layers[index];
  const dsm_system torus = rebuilt_torus(plan, index);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &layer->passes[p];
    if (pass->exists) {
      const rebuilt_pass rebuilt = rebuilt_pass_of(plan, index, (dsm_pass)p);
      check_transfers(log, one, pass, &rebuilt);
      check_transfer_cycles(log, one, pass, &torus);
      if (layer->pipeline == DSM_NO_PIPELINE) {
        check_groups(log, one, pass, &rebuilt);
      }
    }
  }
}

static double pass_cycles(const dsm_layer_plan *layer) {
  double cycles = 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    cycles += layer->passes[p].exists ? layer->passes[p].cycles.total : 0;
  }
  return cycles;
}

static void check_step(physics_log *log, const physics_case *one, const dsm_plan *plan) {
  double step = 0;
  for (size_t i = 0; i < plan->layer_count; i++) {
    step += plan->layers[i].pipeline == DSM_NO_PIPELINE ? pass_cycles(&plan->layers[i]) : 0;
  }
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    const dsm_pipeline_plan *const group = &plan->pipelines[g];
    double shares = 0;
    for (size_t k = 0; k < group->layer_count; k++) {
      shares += pass_cycles(&plan->layers[group->first_layer + k]);
    }
    check_same(log, one, "a pipeline", group->cycles, pipeline_cycles(plan, group));
    check_same(log, one, "the shares of a pipeline", shares, group->cycles);
    step += group->cycles;
  }
  check_same(log, one, "the step", plan->result.step_cycles, step);
}

void physics_conservation(physics_log *log, const physics_case *one) {
  dsm_plan *const plan = physics_explore(one, &one->system);
  if (plan == NULL) {
    return;
  }
  physics_log_plan(log, one, plan);
  for (size_t i = 0; i < plan->layer_count; i++) {
    check_layer(log, one, plan, i);
  }
  check_step(log, one, plan);
  check_json(log, one, plan);
  dsm_plan_free(plan);
}
