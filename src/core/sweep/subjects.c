/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/subjects.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

size_t dsm__subject_count(void) {
  return dsm__parameter_count + DSM__BYTE_PARAMETER_COUNT;
}

dsm__elasticity_subject dsm__subject_at(size_t index) {
  assert(index < dsm__subject_count());
  if (index < dsm__parameter_count) {
    return (dsm__elasticity_subject){.parameter = dsm__parameters[index]};
  }
  /* All that workloads state are bytes, of which fewer are better. */
  const dsm__byte_parameter *const bytes = &dsm__byte_parameters[index - dsm__parameter_count];
  return (dsm__elasticity_subject){.parameter = {.path = bytes->key,
                                                 .kind = DSM__PARAMETER_REAL,
                                                 .nature = DSM__PARAMETER_COST,
                                                 .fallback = bytes->fallback,
                                                 .unit = bytes->unit},
                                   .of_workloads = bytes};
}

static bool begins_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

bool dsm__subject_find(const char *path, dsm__elasticity_subject *subject) {
  static const char prefix[] = DSM__WORKLOAD_PATH;
  const char *const key = begins_with(path, prefix) ? path + sizeof prefix - 1 : "";
  for (size_t i = 0; i < dsm__subject_count(); i++) {
    *subject = dsm__subject_at(i);
    if (strcmp(subject->parameter.path, subject->of_workloads == NULL ? path : key) == 0) {
      return true;
    }
  }
  return false;
}

/* ---- values ---- */

static bool is_same(double a, double b) {
  return !(a < b) && !(a > b);
}

double dsm__subject_number(const dsm__elasticity_subject *subject,
                           const dsm_elasticity_request *request, size_t network) {
  return subject->of_workloads == NULL
             ? dsm__parameter_number(&subject->parameter, request->system)
             : dsm__byte_parameter_get(subject->of_workloads, request->workloads[network]);
}

dsm_setting dsm__subject_setting(const dsm__elasticity_subject *subject, double number) {
  const dsm__words *const words = subject->parameter.words;
  if (words == NULL) {
    return (dsm_setting){.kind = DSM_SETTING_NUMBER, .number = number};
  }
  const bool is_flag = subject->parameter.kind == DSM__PARAMETER_FLAG;
  return (dsm_setting){.kind = is_flag ? DSM_SETTING_FLAG : DSM_SETTING_WORD,
                       .number = is_flag ? number : 0,
                       .word = dsm__word_key(words, (size_t)number)};
}

/* The value that all networks have; none if they differ. */
static dsm_setting common_setting(const dsm__elasticity_subject *subject,
                                  const dsm_elasticity_request *request) {
  const double first = dsm__subject_number(subject, request, 0);
  for (size_t w = 1; w < request->workload_count; w++) {
    if (!is_same(dsm__subject_number(subject, request, w), first)) {
      return (dsm_setting){.kind = DSM_SETTING_NONE};
    }
  }
  return dsm__subject_setting(subject, first);
}

/* ---- what is said of a parameter ---- */

static bool is_lower_better(const dsm__elasticity_subject *subject) {
  return (subject->parameter.nature & DSM__PARAMETER_COST) != 0;
}

/* Workloads have no notes: what is the default has its source. */
static const char *workload_source(const dsm__byte_parameter *parameter,
                                   const dsm_elasticity_request *request, dsm__arena *arena) {
  for (size_t w = 0; w < request->workload_count; w++) {
    if (!dsm__byte_parameter_is_assumed(parameter, request->workloads[w])) {
      return dsm__given;
    }
  }
  return dsm__arena_printf(arena, "(default) %s", parameter->source);
}

/* By the words with which sources begin that are none (docs/formats.md, dsm-elasticity/1). */
static bool is_free(const char *path, const char *source) {
  static const char is_default[] = "(default) ";
  const char *const text =
      begins_with(source, is_default) ? source + sizeof is_default - 1 : source;
  return begins_with(path, "model.") || begins_with(text, "assumption") ||
         begins_with(text, "derived");
}

bool dsm__subject_describe(dsm_varied_parameter *described, const dsm__elasticity_subject *subject,
                           const dsm_elasticity_request *request, dsm__arena *arena) {
  const dsm__parameter *const parameter = &subject->parameter;
  *described = (dsm_varied_parameter){.path = parameter->path,
                                      .unit = parameter->unit,
                                      .setting = common_setting(subject, request),
                                      .is_lower_better = is_lower_better(subject)};
  if (!parameter->is_required) {
    described->fallback = dsm__subject_setting(subject, parameter->fallback);
  }
  if (subject->of_workloads == NULL) {
    described->source = dsm__parameter_source(arena, parameter, request->system);
    described->is_software = dsm__parameter_is_software(parameter);
  } else {
    described->path = dsm__arena_printf(arena, DSM__WORKLOAD_PATH "%s", parameter->path);
    described->source = workload_source(subject->of_workloads, request, arena);
  }
  if (described->path == NULL || described->source == NULL) {
    return false;
  }
  described->is_free = is_free(described->path, described->source);
  return true;
}

/* ---- variations ---- */

/* Of words: the topology is the form of the description, no other word alone makes a system. With
 * another interconnect the bandwidth of its links is that of something else, and what they are
 * called decides nothing. */
static bool is_form(const dsm__elasticity_subject *subject) {
  return subject->parameter.offset == offsetof(dsm_system, system.topology) ||
         subject->parameter.offset == offsetof(dsm_system, chip.interconnect) ||
         subject->parameter.offset == offsetof(dsm_system, chip.interconnect_label);
}

size_t dsm__subject_variation_count(const dsm__elasticity_subject *subject,
                                    dsm_variation_choice choice) {
  const dsm__words *const words = subject->parameter.words;
  const bool is_number = words == NULL;
  if (choice == DSM_VARIATIONS_TENTH_BETTER) {
    return is_number ? 1 : 0;
  }
  return is_number ? 2 : is_form(subject) ? 0 : words->count - 1;
}

bool dsm__subject_is_usual(const dsm__elasticity_subject *subject,
                           const dsm_elasticity_request *request) {
  const bool is_of_system = subject->of_workloads == NULL;
  if (is_of_system && (!dsm__parameter_is_stated(&subject->parameter, request->system) ||
                       dsm__parameter_is_of_cost(&subject->parameter))) {
    return false;
  }
  return request->choice != DSM_VARIATIONS_TENTH_BETTER ||
         (is_of_system && dsm__subject_variation_count(subject, request->choice) > 0);
}

/* What a number times a factor is; a half is rounded upward. */
static double scaled_number(const dsm__elasticity_subject *subject, double number, double factor) {
  const bool is_count = subject->parameter.kind == DSM__PARAMETER_COUNT;
  return is_count ? floor(number * factor + 0.5) : number * factor;
}

/* A number that is varied: a half or the double of it; or a tenth in the direction that is better,
 * of a count that is too small for that one more. */
static dsm__change scaled(const dsm__elasticity_subject *subject, double number,
                          dsm_variation_kind kind) {
  static const struct {
    double factor;
    const char *why_not_0;
    bool is_one_more;
  } kinds[] = {
      [DSM_VARIATION_HALVED] = {0.5, "0 has neither half nor double", false},
      [DSM_VARIATION_DOUBLED] = {2, "0 has neither half nor double", false},
      [DSM_VARIATION_RAISED] = {1.1, "10 % more than 0 is 0", true},
      [DSM_VARIATION_LOWERED] = {0.9, "10 % less than 0 is 0", true},
  };
  const double factor = kinds[kind].factor;
  dsm__change change = {
      .kind = kind, .factor = factor, .number = scaled_number(subject, number, factor)};
  if (!(number > 0)) {
    change.why_not = kinds[kind].why_not_0;
    return change;
  }
  if (is_same(change.number, number)) {
    change.number = kinds[kind].is_one_more ? number + 1 : number;
    change.why_not = kinds[kind].is_one_more ? NULL : "1 is the smallest whole number";
  }
  change.factor = change.why_not == NULL ? change.number / number : factor;
  return change;
}

dsm__change dsm__subject_change(const dsm__elasticity_subject *subject, double number,
                                dsm_variation_choice choice, size_t index) {
  if (subject->parameter.words == NULL) {
    return scaled(subject, number,
                  choice != DSM_VARIATIONS_TENTH_BETTER
                      ? (index == 0 ? DSM_VARIATION_HALVED : DSM_VARIATION_DOUBLED)
                      : (is_lower_better(subject) ? DSM_VARIATION_LOWERED : DSM_VARIATION_RAISED));
  }
  const double other = (double)index < number ? (double)index : (double)index + 1;
  return (dsm__change){.kind = DSM_VARIATION_OTHER, .number = other};
}
