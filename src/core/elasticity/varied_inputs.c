/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elasticity/varied_inputs.h"

#include <assert.h>

#include "system/system_internal.h"
#include "workload/workload_internal.h"

static bool write_texts(dsm__varied_inputs *inputs) {
  dsm__json_writer system_writer = {.out = &inputs->system_text};
  dsm__system_write(inputs->request->system, &system_writer);
  bool has_failed = inputs->system_text.failed;
  for (size_t w = 0; w < inputs->request->workload_count; w++) {
    dsm__json_writer workload_writer = {.out = &inputs->workload_texts[w]};
    dsm__workload_write(inputs->request->workloads[w], &workload_writer);
    has_failed = has_failed || inputs->workload_texts[w].failed;
  }
  return !has_failed;
}

bool dsm__varied_inputs_init(dsm__varied_inputs *inputs, const dsm_elasticity_request *request,
                             dsm__arena *arena, size_t system_max, size_t workload_max) {
  *inputs = (dsm__varied_inputs){
      .request = request,
      .arena = arena,
      .workload_texts =
          dsm__arena_array(arena, request->workload_count, sizeof *inputs->workload_texts),
      .diags = dsm_diags_new(1),
      .systems = dsm__arena_array(arena, system_max, sizeof(dsm_system *)),
      .workloads = dsm__arena_array(arena, workload_max, sizeof(dsm_workload *)),
  };
  return inputs->workload_texts != NULL && inputs->diags != NULL && inputs->systems != NULL &&
         inputs->workloads != NULL && write_texts(inputs);
}

void dsm__varied_inputs_fini(dsm__varied_inputs *inputs) {
  for (size_t i = 0; i < inputs->system_count; i++) {
    dsm_system_free(inputs->systems[i]);
  }
  for (size_t i = 0; i < inputs->workload_count; i++) {
    dsm_workload_free(inputs->workloads[i]);
  }
  for (size_t w = 0; inputs->workload_texts != NULL && w < inputs->request->workload_count; w++) {
    dsm__text_fini(&inputs->workload_texts[w]);
  }
  dsm__text_fini(&inputs->system_text);
  dsm_diags_free(inputs->diags);
}

/* What a reader said: true if that is an answer, with the reason where it refused. */
static bool take_answer(dsm__varied_inputs *inputs, dsm_status status, const char **why_not) {
  *why_not = NULL;
  if (status == DSM_ERROR_INVALID) {
    assert(dsm_diags_count(inputs->diags) == 1);
    *why_not = dsm__arena_strdup(inputs->arena, dsm_diags_get(inputs->diags, 0)->message);
    return *why_not != NULL;
  }
  return status == DSM_OK;
}

bool dsm__varied_system(dsm__varied_inputs *inputs, const char *path, const char *value,
                        const dsm_system **system, const char **why_not) {
  const dsm_override override = {.path = path, .value = value};
  dsm_system *made = NULL;
  dsm_diags_clear(inputs->diags);
  const dsm_status status =
      dsm_system_parse(&made, inputs->system_text.text, inputs->system_text.length, "system",
                       &override, 1, inputs->diags);
  if (made != NULL) {
    inputs->systems[inputs->system_count++] = made;
  }
  *system = made;
  return take_answer(inputs, status, why_not);
}

bool dsm__varied_workload(dsm__varied_inputs *inputs, size_t network, const char *path,
                          const char *value, const dsm_workload **workload, const char **why_not) {
  const dsm_override override = {.path = path, .value = value};
  const dsm__text_buffer *const text = &inputs->workload_texts[network];
  dsm_workload *made = NULL;
  dsm_diags_clear(inputs->diags);
  const dsm_status status =
      dsm_workload_parse(&made, text->text, text->length, "workload", &override, 1, inputs->diags);
  if (made != NULL) {
    inputs->workloads[inputs->workload_count++] = made;
  }
  *workload = made;
  return take_answer(inputs, status, why_not);
}
