/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_question.c: what is asked, made ready. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "design/design_internal.h"

enum { SHOWN_MAX = 128 };

/* ---- the sweep of which designs are points ---- */

static const dsm__parameter *parameter_at(const char *path, size_t length) {
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (strlen(dsm__parameters[p].path) == length &&
        strncmp(dsm__parameters[p].path, path, length) == 0) {
      return &dsm__parameters[p];
    }
  }
  return NULL;
}

/* PATH=VALUES with the paths of sweeps. */
static const char *sweep_text(dsm__arena *arena, const char *text) {
  const bool is_below = parameter_at(text, strcspn(text, "=")) != NULL;
  return dsm__arena_printf(arena, "%s%s", is_below ? "system." : "", text);
}

static dsm_status read_paths(dsm__question *q, const char *const *texts, size_t count,
                             const char ***made, dsm_diags *diags) {
  if (!DSM__RESERVE(q->arena, *made, count + 1)) {
    return dsm__out_of_memory(diags);
  }
  for (size_t i = 0; i < count; i++) {
    (*made)[i] = sweep_text(q->arena, texts[i]);
    if ((*made)[i] == NULL) {
      return dsm__out_of_memory(diags);
    }
  }
  return DSM_OK;
}

/* NETWORK, or NETWORK@WEIGHT. */
static dsm_status read_network(dsm__question *q, const char *text, const char **name,
                               double *weight, dsm_diags *diags) {
  const char *const at = strrchr(text, '@');
  *weight = 1;
  *name = at == NULL ? text : dsm__arena_strndup(q->arena, text, (size_t)(at - text));
  if (at != NULL && (!dsm__text_to_double(at + 1, strlen(at + 1), weight) || !(*weight > 0) ||
                     !(*weight < 1e9))) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a network and a weight above 0, such as %.*s@0.5, found \"%.*s\"",
                       (int)(at - text), text, SHOWN_MAX, text);
  }
  return *name == NULL ? dsm__out_of_memory(diags) : DSM_OK;
}

static dsm_status read_networks(dsm__question *q, const dsm_design_request *request,
                                const char **names, dsm_diags *diags) {
  double sum = 0;
  dsm_status status = DSM_OK;
  for (size_t n = 0; n < request->network_count && status == DSM_OK; n++) {
    status = read_network(q, request->networks[n], &names[n], &q->weights[n], diags);
    sum += q->weights[n];
    for (size_t other = 0; other < n && status == DSM_OK; other++) {
      if (strcmp(names[n], names[other]) == 0) {
        status = dsm__refuse(diags, DSM_ERROR_USAGE, "expected each network once, found %s twice",
                             names[n]);
      }
    }
  }
  for (size_t n = 0; n < request->network_count; n++) {
    q->weights[n] /= sum;
  }
  q->network_count = request->network_count;
  return status;
}

/* Plans are those of the objective that --minimize names, else the fastest; columns of others are
 * bounded by explorations with these. */
static void find_aims(dsm__question *q, const dsm_design_request *request) {
  unsigned left = dsm__aims_in(request, request->minimize == NULL ? "" : request->minimize);
  left = left == 0 ? 1U << DSM_AIM_TIME : left;
  for (int round = 0; round < 2; round++) {
    for (int aim = DSM_AIM_COUNT; aim-- > 0;) { /* of several the last one names the plans */
      bool is_new = (left >> aim & 1U) != 0;
      for (size_t a = 0; a < q->aim_count; a++) {
        is_new = is_new && q->aims[a] != (dsm_aim)aim;
      }
      if (is_new) {
        q->aims[q->aim_count++] = (dsm_aim)aim;
      }
    }
    for (size_t b = 0; b < request->budget_count; b++) {
      left |= dsm__aims_in(request, request->budgets[b]);
    }
    left |= request->pareto == NULL ? 0 : dsm__aims_in(request, request->pareto);
  }
}

/* "options.objective=time,joules"; NULL if out of memory. */
static const char *aims_text(dsm__question *q) {
  const char *text = "options.objective=";
  for (size_t a = 0; a < q->aim_count && text != NULL; a++) {
    text = dsm__arena_printf(q->arena, "%s%s%s", text, a == 0 ? "" : ",", dsm_aim_name(q->aims[a]));
  }
  return text;
}

static dsm_status make_sweep(dsm__question *q, const dsm_design_request *request,
                             dsm_diags *diags) {
  static const dsm_record record = DSM_RECORD_POINTS;
  dsm_sweep_request asked = request->question;
  const char **varies = NULL;
  const char **sets = NULL;
  const char **networks = NULL;
  if (request->network_count == 0 || asked.vary_count == 0) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected at least one %s, found none",
                       request->network_count == 0 ? "network" : "parameter that is varied");
  }
  if (!DSM__RESERVE(q->arena, networks, request->network_count) ||
      !DSM__RESERVE(q->arena, q->weights, request->network_count)) {
    return dsm__out_of_memory(diags);
  }
  dsm_status status = read_networks(q, request, networks, diags);
  if (status == DSM_OK) {
    status = read_paths(q, asked.varies, asked.vary_count, &varies, diags);
  }
  if (status == DSM_OK) {
    status = read_paths(q, asked.sets, asked.set_count, &sets, diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  find_aims(q, request);
  if (dsm__has_energy_aims(q)) {
    varies[asked.vary_count] = aims_text(q);
    if (varies[asked.vary_count++] == NULL) {
      return dsm__out_of_memory(diags);
    }
  }
  asked.workloads = networks;
  asked.workload_count = request->network_count;
  asked.systems = &request->system;
  asked.system_count = 1;
  asked.varies = varies;
  asked.sets = sets;
  asked.record = &record;
  asked.is_open = true;
  return dsm_sweep_make(&q->sweep, NULL, 0, NULL, NULL, &asked, request->source, diags);
}

/* ---- parameters ---- */

/* A value as a number; false: the parameter cannot have it. */
static bool number_of(const dsm__parameter *parameter, const dsm_axis_value *value,
                      double *number) {
  for (size_t w = 0; parameter->words != NULL && w < parameter->words->count; w++) {
    if (strcmp(dsm__word_key(parameter->words, w), value->text) == 0) {
      *number = (double)w;
      return true;
    }
  }
  *number = value->number;
  return parameter->words == NULL && value->is_number && value->number >= parameter->min &&
         value->number <= parameter->max &&
         (parameter->kind != DSM__PARAMETER_COUNT || !(floor(value->number) < value->number));
}

static dsm_status refuse_value(const dsm__parameter *parameter, const dsm_axis_value *value,
                               dsm_diags *diags) {
  const dsm__words_text words = parameter->words == NULL
                                    ? (dsm__words_text){.text = ""}
                                    : dsm__words_join(parameter->words, UINT_MAX, ", ");
  return parameter->words != NULL
             ? dsm__refuse(diags, DSM_ERROR_USAGE, "--vary %s: expected one of %s, found \"%.*s\"",
                           parameter->path, words.text, SHOWN_MAX, value->text)
             : dsm__refuse(diags, DSM_ERROR_USAGE,
                           "--vary %s: expected a %s from %.10g to %.10g, found \"%.*s\"",
                           parameter->path,
                           parameter->kind == DSM__PARAMETER_COUNT ? "whole number" : "number",
                           parameter->min, parameter->max, SHOWN_MAX, value->text);
}

/* `judged`: the system by which it is judged what more of a parameter does. */
static dsm_status add_dimension(dsm__question *q, const dsm_axis *axis, const dsm_system *judged,
                                dsm_diags *diags) {
  static const char prefix[] = "system.";
  const bool is_below = strncmp(axis->paths[0], prefix, sizeof prefix - 1) == 0;
  const char *const path = axis->paths[0] + (is_below ? sizeof prefix - 1 : 0);
  const dsm__parameter *const parameter =
      is_below && axis->path_count == 1 ? parameter_at(path, strlen(path)) : NULL;
  if (parameter == NULL) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "--vary: expected the path of one parameter of the system, found \"%.*s\"",
                       SHOWN_MAX, axis->paths[0]);
  }
  if (q->dimension_count == DSM__DIMENSIONS_MAX) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected at most %d parameters, found more",
                       DSM__DIMENSIONS_MAX);
  }
  dsm__dimension *const made = &q->dimensions[q->dimension_count++];
  const int way = dsm__parameter_way(parameter, judged);
  *made = (dsm__dimension){.parameter = parameter,
                           .values = axis->values,
                           .count = (uint32_t)axis->value_count,
                           .way = way > 0   ? DSM_WAY_NEVER_SLOWER
                                  : way < 0 ? DSM_WAY_NEVER_FASTER
                                            : DSM_WAY_NEITHER};
  if (!DSM__RESERVE(q->arena, made->numbers, made->count)) {
    return dsm__out_of_memory(diags);
  }
  const double own = dsm__parameter_number(parameter, q->system);
  for (uint32_t v = 0; v < made->count; v++) {
    if (!number_of(parameter, &axis->values[v], &made->numbers[v])) {
      return refuse_value(parameter, &axis->values[v], diags);
    }
    made->own = !(made->numbers[v] < own) && !(made->numbers[v] > own) ? v : made->own;
  }
  return DSM_OK;
}

uint64_t dsm__point_of(const dsm__question *question, uint64_t place, size_t network, size_t aim) {
  return (network * question->network_stride + place) * question->aim_count + aim;
}

static dsm_status add_dimensions(dsm__question *q, dsm_diags *diags) {
  const dsm_sweep *const sweep = q->sweep;
  dsm_status status = DSM_OK;
  dsm_system judged = *q->system;
  for (size_t a = 0; a < sweep->axis_count; a++) { /* some designs may have tiles */
    judged.model.tile_schedule = judged.model.tile_schedule ||
                                 strcmp(sweep->axes[a].paths[0], "system.model.tile_schedule") == 0;
  }
  for (size_t a = 0; a < sweep->axis_count && status == DSM_OK; a++) {
    const char *const path = sweep->axes[a].paths[0];
    if (strcmp(path, "workload") != 0 && strcmp(path, "system") != 0 &&
        !(dsm__has_energy_aims(q) && strcmp(path, "options.objective") == 0)) {
      status = add_dimension(q, &sweep->axes[a], &judged, diags);
    }
  }
  q->network_stride = 1;
  for (size_t d = q->dimension_count; d-- > 0;) {
    q->dimensions[d].stride = q->network_stride;
    q->network_stride *= q->dimensions[d].count;
  }
  return status;
}

/* ---- expressions ---- */

static const char *expression_of(dsm__question *q, const char *text, size_t length) {
  return dsm__arena_printf(q->arena, "=%.*s", (int)length, text);
}

static dsm_status add_define(dsm__question *q, const char *text, dsm_diags *diags) {
  dsm__definition *const made = &q->defines[q->define_count];
  const dsm_status status = dsm__definition_read(made, text, q->arena, diags);
  if (status != DSM_OK || !dsm__expression_check(q, "--define", made->expression, diags)) {
    return status == DSM_OK ? DSM_ERROR_USAGE : status;
  }
  q->define_count++;
  return DSM_OK;
}

static dsm_status add_budget(dsm__question *q, const char *text, dsm_diags *diags) {
  const char *const sign = strstr(text, "<=");
  dsm__limit *const made = &q->budgets[q->budget_count];
  if (sign == NULL || sign == text ||
      !dsm__text_to_double(sign + 2, strlen(sign + 2), &made->most)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "--budget: expected COLUMN<=NUMBER, found \"%.*s\"",
                       SHOWN_MAX, text);
  }
  made->name = dsm__arena_strdup(q->arena, text);
  made->expression = expression_of(q, text, (size_t)(sign - text));
  if (made->name == NULL || made->expression == NULL) {
    return dsm__out_of_memory(diags);
  }
  q->budget_count++;
  return dsm__expression_check(q, "--budget", made->expression, diags) ? DSM_OK : DSM_ERROR_USAGE;
}

static dsm_status read_expressions(dsm__question *q, const dsm_design_request *request,
                                   dsm_diags *diags) {
  const char *const wanted = request->minimize == NULL ? "step_seconds" : request->minimize;
  q->minimize = expression_of(q, wanted, strlen(wanted));
  if (q->minimize == NULL || !DSM__RESERVE(q->arena, q->defines, request->define_count) ||
      !DSM__RESERVE(q->arena, q->budgets, request->budget_count + 1)) {
    return dsm__out_of_memory(diags);
  }
  dsm_status status = DSM_OK;
  for (size_t i = 0; i < request->define_count && status == DSM_OK; i++) {
    status = add_define(q, request->defines[i], diags);
  }
  for (size_t i = 0; i < request->budget_count && status == DSM_OK; i++) {
    status = add_budget(q, request->budgets[i], diags);
  }
  if (status == DSM_OK && !dsm__expression_check(q, "--minimize", q->minimize, diags)) {
    status = DSM_ERROR_USAGE;
  }
  if (status == DSM_OK && request->pareto != NULL) {
    q->pareto = expression_of(q, request->pareto, strlen(request->pareto));
    status = q->pareto == NULL                                        ? dsm__out_of_memory(diags)
             : dsm__expression_check(q, "--pareto", q->pareto, diags) ? DSM_OK
                                                                      : DSM_ERROR_USAGE;
  }
  return status;
}

/* The system with what is set for all designs. */
static dsm_status read_system(dsm__question *q, dsm_diags *diags) {
  const dsm_sweep *const sweep = q->sweep;
  static const char prefix[] = "system.";
  dsm_override *overrides = NULL;
  size_t count = 0;
  if (!DSM__RESERVE(q->arena, overrides, sweep->set_count)) {
    return dsm__out_of_memory(diags);
  }
  for (size_t s = 0; s < sweep->set_count; s++) {
    const char *const text = sweep->sets[s];
    const size_t length = strcspn(text, "=");
    if (strncmp(text, prefix, sizeof prefix - 1) == 0) {
      const char *const path =
          dsm__arena_strndup(q->arena, text + sizeof prefix - 1, length - (sizeof prefix - 1));
      if (path == NULL) {
        return dsm__out_of_memory(diags);
      }
      overrides[count++] = (dsm_override){.path = path, .value = text + length + 1};
    }
  }
  const dsm_sweep_input *const input = &sweep->systems[0];
  const dsm_status status = dsm_system_parse(&q->system, input->text, input->length, input->file,
                                             overrides, count, diags);
  q->has_prices = status == DSM_OK && dsm__energy_terms_of(q->system).has_prices;
  return status;
}

dsm_status dsm__question_init(dsm__question *question, const dsm_design_request *request,
                              dsm_diags *diags) {
  *question = (dsm__question){.arena = dsm__arena_new()};
  dsm_status status = question->arena == NULL ? dsm__out_of_memory(diags) : DSM_OK;
  if (status == DSM_OK) {
    status = make_sweep(question, request, diags);
  }
  if (status == DSM_OK) {
    status = read_system(question, diags);
  }
  if (status == DSM_OK) {
    status = add_dimensions(question, diags);
  }
  return status == DSM_OK ? read_expressions(question, request, diags) : status;
}

void dsm__question_fini(dsm__question *question) {
  dsm_system_free(question->system);
  dsm_sweep_free(question->sweep);
  dsm__arena_free(question->arena);
}
