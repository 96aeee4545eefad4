/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elasticity_derive.c: every network mapped with every variation of every parameter. */
#include "dsm/elasticity.h"

#include "base/diag_add.h"
#include "base/parallel.h"
#include "base/text_buffer.h"
#include "base/words.h"
#include "plan/plan_internal.h"
#include "sweep/evaluator.h"
#include "sweep/slope.h"
#include "sweep/subjects.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

/* One exploration. */
typedef struct trial {
  const dsm__elasticity_subject *subject; /* NULL: all is as it is */
  double number;                          /* what the subject is changed to */
  size_t network;
  dsm_response *response;
  dsm_status status;
  dsm_diag finding; /* if status is not DSM_OK */
} trial;

/* What is being made. */
typedef struct builder {
  const dsm_elasticity_request *request;
  dsm_elasticity *made;
  dsm__elasticity_subject *subjects;
  size_t subject_count;
  trial *trials;
  size_t trial_count;
  dsm_sweep_input *inputs;     /* the networks, then the system */
  dsm__evaluator **evaluators; /* one a worker, made by it: trials have much in common */
  size_t worker_count;
} builder;

static const dsm__place nowhere = {NULL, 0, 0, NULL};

/* ---- what is varied ---- */

static dsm_status select_subjects(builder *build, dsm_diags *diags) {
  const dsm_elasticity_request *const request = build->request;
  const size_t count = request->paths == NULL ? dsm__subject_count() : request->path_count;
  build->subjects = dsm__arena_array(build->made->arena, count, sizeof *build->subjects);
  if (build->subjects == NULL) {
    return dsm__out_of_memory(diags);
  }
  for (size_t i = 0; i < count; i++) {
    dsm__elasticity_subject *const subject = &build->subjects[build->subject_count];
    if (request->paths == NULL) {
      *subject = dsm__subject_at(i);
      build->subject_count += dsm__subject_is_usual(subject, request) ? 1 : 0;
    } else if (dsm__subject_find(request->paths[i], subject)) {
      build->subject_count++;
    } else {
      return dsm__refuse(diags, DSM_ERROR_USAGE, "expected the path of a parameter, found \"%s\"",
                         request->paths[i]);
    }
  }
  return DSM_OK;
}

/* Room for all trials, by the number of variations; false if out of memory. */
static bool make_room(builder *build) {
  size_t variation_count = 0;
  for (size_t i = 0; i < build->subject_count; i++) {
    variation_count += dsm__subject_variation_count(&build->subjects[i], build->request->choice);
  }
  build->trials =
      dsm__arena_array(build->made->arena, (1 + variation_count) * build->request->workload_count,
                       sizeof *build->trials);
  return build->trials != NULL;
}

/* Variation number `index` of a parameter, of which each network may have a value of its own; false
 * if out of memory. */
static bool add_variation(builder *build, const dsm__elasticity_subject *subject, size_t index,
                          const dsm_varied_parameter *parameter, dsm_variation *variation) {
  const dsm_elasticity_request *const request = build->request;
  dsm_response *const responses =
      dsm__arena_array(build->made->arena, request->workload_count, sizeof *responses);
  for (size_t w = 0; responses != NULL && w < request->workload_count; w++) {
    const double number = dsm__subject_number(subject, request, w);
    const dsm__change change = dsm__subject_change(subject, number, request->choice, index);
    const bool has_setting = change.why_not == NULL && parameter->setting.kind != DSM_SETTING_NONE;
    responses[w].why_not = change.why_not;
    if (change.why_not == NULL) {
      build->trials[build->trial_count++] = (trial){
          .subject = subject, .number = change.number, .network = w, .response = &responses[w]};
    }
    if (w == 0) {
      *variation = (dsm_variation){
          .kind = change.kind,
          .setting = has_setting ? dsm__subject_setting(subject, change.number) : (dsm_setting){0},
          .factor = change.factor,
          .responses = responses,
      };
    }
  }
  return responses != NULL;
}

/* A parameter with all its variations; false if out of memory. */
static bool add_subject(builder *build, const dsm__elasticity_subject *subject,
                        dsm_varied_parameter *parameter) {
  const dsm_elasticity_request *const request = build->request;
  dsm__arena *const arena = build->made->arena;
  const size_t count = dsm__subject_variation_count(subject, request->choice);
  dsm_variation *const variations = dsm__arena_array(arena, count, sizeof *variations);
  bool is_good = variations != NULL && dsm__subject_describe(parameter, subject, request, arena);
  for (size_t v = 0; v < count && is_good; v++) {
    is_good = add_variation(build, subject, v, parameter, &variations[v]);
  }
  parameter->variations = variations;
  parameter->variation_count = count;
  return is_good;
}

/* ---- mapping ---- */

/* Values are changed in texts, so that whatever a format refuses is refused here too, in the same
 * words; false if out of memory. */
static bool write_inputs(builder *build) {
  const dsm_elasticity_request *const request = build->request;
  const size_t count = request->workload_count + 1;
  build->inputs = dsm__arena_array(build->made->arena, count, sizeof *build->inputs);
  bool is_good = build->inputs != NULL;
  for (size_t i = 0; i < count && is_good; i++) {
    const bool is_system = i == request->workload_count;
    dsm__text_buffer text = {0};
    dsm__json_writer writer = {.out = &text};
    if (is_system) {
      dsm__system_write(request->system, &writer);
    } else {
      dsm__workload_write(request->workloads[i], &writer);
    }
    const char *const copy = text.failed ? NULL : dsm__arena_strdup(build->made->arena, text.text);
    build->inputs[i] = (dsm_sweep_input){.text = copy, .length = text.length};
    is_good = copy != NULL;
    dsm__text_fini(&text);
  }
  return is_good;
}

/* The network on the system, with the value that is tried. */
static dsm__found ask(const builder *build, const trial *each, dsm__evaluator *evaluator) {
  const dsm__elasticity_subject *const subject = each->subject;
  char text[DSM__NUMBER_TEXT_SIZE];
  dsm_override value;
  dsm__sweep_point question = {.options = build->made->options, .kept = build->request->kept};
  question.options.thread_count = 1;
  question.inputs[DSM_DESCRIPTION_WORKLOAD].input = &build->inputs[each->network];
  question.inputs[DSM_DESCRIPTION_SYSTEM].input = &build->inputs[build->request->workload_count];
  if (subject != NULL) {
    dsm__point_input *const changed =
        &question.inputs[subject->of_workloads == NULL ? DSM_DESCRIPTION_SYSTEM
                                                       : DSM_DESCRIPTION_WORKLOAD];
    value = (dsm_override){.path = subject->parameter.path,
                           .value = dsm__parameter_text(&subject->parameter, each->number, text)};
    changed->overrides = &value;
    changed->override_count = 1;
  }
  return dsm__evaluator_ask(evaluator, &question);
}

static void try_task(void *context, size_t task_index, size_t worker_index) {
  const builder *const build = context;
  trial *const each = &build->trials[task_index];
  dsm__evaluator **const evaluator = &build->evaluators[worker_index];
  if (*evaluator == NULL) {
    *evaluator = dsm__evaluator_new(NULL);
  }
  const dsm__found found = *evaluator == NULL ? (dsm__found){.status = DSM_ERROR_OUT_OF_MEMORY}
                                              : ask(build, each, *evaluator);
  each->status = found.status;
  if (found.plan != NULL) {
    each->response->step_cycles = found.plan->result.step_cycles;
    each->response->step_seconds = found.plan->result.step_seconds;
    each->response->utilization = found.plan->result.utilization;
  } else if (found.finding != NULL) {
    each->finding = *found.finding;
  }
}

/* ---- what the trials found ---- */

/* All networks must have a time with the parameters as they are: they are the first trials. */
static dsm_status check_references(const builder *build, dsm_diags *diags) {
  dsm_status status = DSM_OK;
  for (size_t w = 0; w < build->request->workload_count; w++) {
    const trial *const each = &build->trials[w];
    if (each->status != DSM_OK && (status == DSM_OK || status == DSM_ERROR_INFEASIBLE)) {
      status = each->status;
      dsm__diags_add(diags, DSM_SEVERITY_ERROR, nowhere,
                     each->finding.hint[0] == '\0' ? NULL : each->finding.hint, "%s: %s",
                     build->request->workloads[w]->name, each->finding.message);
    }
  }
  return status;
}

static dsm_status collect(const builder *build, dsm_diags *diags) {
  for (size_t i = 0; i < build->trial_count; i++) {
    if (build->trials[i].status == DSM_ERROR_OUT_OF_MEMORY) {
      return dsm__out_of_memory(diags);
    }
  }
  const dsm_status status = check_references(build, diags);
  for (size_t i = 0; i < build->trial_count && status == DSM_OK; i++) {
    const trial *const each = &build->trials[i];
    dsm_response *const response = each->response;
    if (each->status == DSM_OK) {
      response->time_ratio = dsm__time_ratio(response->step_seconds,
                                             build->trials[each->network].response->step_seconds);
      continue;
    }
    response->why_not = dsm__arena_strdup(build->made->arena, each->finding.message);
    if (response->why_not == NULL) {
      return dsm__out_of_memory(diags);
    }
  }
  return status;
}

/* ---- what follows from the times ---- */

static bool derive_slopes(const builder *build, dsm_varied_parameter *parameter) {
  const size_t network_count = build->request->workload_count;
  dsm_slope *const slopes = dsm__arena_array(build->made->arena, network_count, sizeof *slopes);
  for (size_t w = 0; w < network_count && slopes != NULL; w++) {
    for (size_t v = 0; v < parameter->variation_count; v++) {
      const double influence = dsm__response_influence(&parameter->variations[v], w);
      parameter->influence = influence > parameter->influence ? influence : parameter->influence;
    }
    slopes[w] = dsm__slope_of(parameter->variations, parameter->variation_count, w);
  }
  parameter->slopes = slopes;
  return slopes != NULL;
}

/* Does a come before b? Parameters that matter as much keep their order. */
static bool is_before(const builder *build, const dsm_varied_parameter *a,
                      const dsm_varied_parameter *b) {
  const bool is_apart =
      build->request->choice == DSM_VARIATIONS_TWICE && !a->is_software && a->is_free != b->is_free;
  if (a->is_software != b->is_software) {
    return b->is_software;
  }
  return is_apart ? a->is_free : a->influence > b->influence;
}

static void sort(const builder *build, dsm_varied_parameter *parameters, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const dsm_varied_parameter moved = parameters[i];
    size_t at = i;
    while (at > 0 && is_before(build, &moved, &parameters[at - 1])) {
      parameters[at] = parameters[at - 1];
      at--;
    }
    parameters[at] = moved;
  }
}

static dsm_status build_all(builder *build, dsm_diags *diags) {
  const dsm_elasticity_request *const request = build->request;
  dsm__arena *const arena = build->made->arena;
  dsm_status status = select_subjects(build, diags);
  if (status != DSM_OK) {
    return status;
  }
  const size_t count = build->subject_count;
  dsm_varied_parameter *const parameters = dsm__arena_array(arena, count, sizeof *parameters);
  dsm_response *const references =
      dsm__arena_array(arena, request->workload_count, sizeof *references);
  if (parameters == NULL || references == NULL || !make_room(build)) {
    return dsm__out_of_memory(diags);
  }
  for (size_t w = 0; w < request->workload_count; w++) {
    build->trials[build->trial_count++] = (trial){.network = w, .response = &references[w]};
  }
  for (size_t i = 0; i < count; i++) {
    if (!add_subject(build, &build->subjects[i], &parameters[i])) {
      return dsm__out_of_memory(diags);
    }
  }
  build->worker_count = dsm__parallel_workers(request->options.thread_count);
  build->evaluators = dsm__arena_array(arena, build->worker_count, sizeof *build->evaluators);
  if (build->evaluators == NULL || !write_inputs(build)) {
    return dsm__out_of_memory(diags);
  }
  dsm__parallel_for(request->options.thread_count, build->trial_count, try_task, build);
  status = collect(build, diags);
  for (size_t i = 0; i < count && status == DSM_OK; i++) {
    status = derive_slopes(build, &parameters[i]) ? DSM_OK : dsm__out_of_memory(diags);
  }
  if (status == DSM_OK) {
    sort(build, parameters, count);
  }
  build->made->references = references;
  build->made->parameters = parameters;
  build->made->parameter_count = count;
  return status;
}

static void free_evaluators(const builder *build) {
  for (size_t i = 0; build->evaluators != NULL && i < build->worker_count; i++) {
    dsm__evaluator_free(build->evaluators[i]);
  }
}

static dsm_elasticity *new_elasticity(const dsm_elasticity_request *request) {
  dsm_elasticity *const made = DSM__ARENA_OWNER(dsm_elasticity);
  const dsm_workload **const workloads =
      made == NULL ? NULL
                   : dsm__arena_array(made->arena, request->workload_count, sizeof *workloads);
  if (workloads == NULL) {
    dsm_elasticity_free(made);
    return NULL;
  }
  for (size_t w = 0; w < request->workload_count; w++) {
    workloads[w] = request->workloads[w];
  }
  *made = (dsm_elasticity){.system = request->system,
                           .workloads = workloads,
                           .workload_count = request->workload_count,
                           .options = request->options,
                           .choice = request->choice,
                           .is_mapping_kept = request->kept != NULL,
                           .arena = made->arena};
  made->options.parallelisms = dsm__parallelisms_on(request->system, request->options.parallelisms);
  made->options.overrides = NULL;
  made->options.override_count = 0;
  return made;
}

dsm_status dsm_elasticity_derive(dsm_elasticity **elasticity, const dsm_elasticity_request *request,
                                 dsm_diags *diags) {
  *elasticity = NULL;
  dsm_elasticity_request asked = *request;
  if (request->kept != NULL) {
    asked.system = request->kept->system;
    asked.workloads = &request->kept->workload;
    asked.workload_count = 1;
    asked.options = request->kept->options;
    asked.options.thread_count = request->options.thread_count;
  }
  builder build = {.request = &asked, .made = new_elasticity(&asked)};
  if (build.made == NULL) {
    return dsm__out_of_memory(diags);
  }
  const dsm_status status = build_all(&build, diags);
  free_evaluators(&build);
  if (status == DSM_OK) {
    *elasticity = build.made;
  } else {
    dsm_elasticity_free(build.made);
  }
  return status;
}

DSM__ARENA_FREE(dsm_elasticity, dsm_elasticity_free);

/* ---- words ---- */

static const dsm__word variation_kind_words[] = {
    [DSM_VARIATION_HALVED].key = "halved",   [DSM_VARIATION_DOUBLED].key = "doubled",
    [DSM_VARIATION_OTHER].key = "other",     [DSM_VARIATION_RAISED].key = "raised",
    [DSM_VARIATION_LOWERED].key = "lowered",
};
DSM__NAMED_WORDS(dsm__variation_kind_words, "kind of variation", variation_kind_words,
                 DSM_VARIATION_KIND_COUNT, dsm_variation_kind, dsm_variation_kind_name);

static const dsm__word elasticity_basis_words[] = {
    [DSM_ELASTICITY_BASIS_NONE].key = "none",       [DSM_ELASTICITY_BASIS_HALVED].key = "halved",
    [DSM_ELASTICITY_BASIS_DOUBLED].key = "doubled", [DSM_ELASTICITY_BASIS_BOTH].key = "both",
    [DSM_ELASTICITY_BASIS_RAISED].key = "raised",   [DSM_ELASTICITY_BASIS_LOWERED].key = "lowered",
};
DSM__NAMED_WORDS(dsm__elasticity_basis_words, "basis of an elasticity", elasticity_basis_words,
                 DSM_ELASTICITY_BASIS_COUNT, dsm_elasticity_basis, dsm_elasticity_basis_name);
