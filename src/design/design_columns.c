/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_columns.c: what expressions are on a design, and on all designs of a box. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/words.h"
#include "design/design_internal.h"
#include "dsm/technology.h"

/* Limits are met up to rounding. */
#define LIMIT_TOLERANCE 1e-9

/* What an expression is of. */
typedef struct scope {
  const dsm__question *question;
  const dsm__corner *low;
  const dsm__corner *high;
  const dsm__times *times; /* NULL: nothing is known */
} scope;

/* ---- columns ---- */

static dsm__interval aimed(const scope *of, dsm_aim aim) {
  return of->times == NULL ? (dsm__interval){0, HUGE_VAL} : of->times->of[aim];
}

static dsm__interval samples_per_second(const scope *of, dsm_aim aim) {
  const dsm__interval seconds = aimed(of, aim);
  const double samples = of->times == NULL ? 0 : of->times->samples;
  return samples > 0 ? (dsm__interval){samples / seconds.high, samples / seconds.low}
                     : (dsm__interval){0, HUGE_VAL};
}

static dsm__interval chip_watts(const scope *of, dsm_aim aim) {
  const dsm__interval seconds = aimed(of, DSM_AIM_TIME);
  const dsm__interval joules = aimed(of, aim);
  const double chips = (double)dsm_system_chips(of->question->system);
  return (dsm__interval){seconds.high < HUGE_VAL ? joules.low / seconds.high / chips : 0,
                         seconds.low > 0 ? joules.high / seconds.low / chips : HUGE_VAL};
}

/* A column of what a network does on a machine, and the objective that bounds it. */
static const struct {
  const char *name;
  dsm__interval (*value)(const scope *of, dsm_aim aim);
  dsm_aim aim;
} columns[] = {
    {"step_seconds", aimed, DSM_AIM_TIME},
    {"samples_per_second", samples_per_second, DSM_AIM_TIME},
    {"step_joules", aimed, DSM_AIM_JOULES},
    {"joules", aimed, DSM_AIM_JOULES},
    {"edp", aimed, DSM_AIM_EDP},
    {"step_dollars", aimed, DSM_AIM_DOLLARS},
    {"dollars", aimed, DSM_AIM_DOLLARS},
    {"chip_watts", chip_watts, DSM_AIM_JOULES},
};

dsm__times dsm__times_found(const dsm__times *times) {
  dsm__times found = *times;
  for (int aim = 0; aim < DSM_AIM_COUNT; aim++) {
    found.of[aim].low = found.of[aim].high;
  }
  return found;
}

static size_t name_length(const char *at) {
  return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");
}

/* `depth`: of definitions within definitions. */
static unsigned aims_below(const dsm_design_request *request, const char *text, size_t depth) {
  unsigned aims = 0;
  for (const char *at = text; *at != '\0'; at += name_length(at) > 0 ? name_length(at) : 1) {
    const size_t length = name_length(at);
    for (size_t c = 0; c < DSM__COUNT_OF(columns); c++) {
      const bool is_it =
          strlen(columns[c].name) == length && strncmp(columns[c].name, at, length) == 0;
      aims |= is_it ? 1U << columns[c].aim : 0;
    }
    for (size_t d = 0; d < depth; d++) {
      const char *const define = request->defines[d];
      if (length > 0 && strncmp(define, at, length) == 0 && define[length] == '=') {
        aims |= aims_below(request, define + length + 1, d);
      }
    }
  }
  return aims;
}

unsigned dsm__aims_in(const dsm_design_request *request, const char *text) {
  return aims_below(request, text, request->define_count);
}

/* And those of the machine alone, which grow with whatever there is more of. */
#define MACHINE(member)                                                                            \
  { #member, offsetof(dsm_machine_cost, member) }
static const struct {
  const char *name;
  size_t place;
} machine_columns[] = {
    MACHINE(core_mm2),      MACHINE(chip_mm2),       MACHINE(die_mm2),       MACHINE(die_dollars),
    MACHINE(chip_dollars),  MACHINE(system_dollars), MACHINE(price_dollars), MACHINE(hour_dollars),
    MACHINE(chip_static_W), MACHINE(chip_peak_W),    MACHINE(system_W),      MACHINE(site_W),
    MACHINE(chip_kg),       MACHINE(system_kg),
};

dsm_system dsm__system_of(const dsm__question *question, const dsm__corner *corner) {
  dsm_system system = *question->system;
  for (size_t d = 0; d < question->dimension_count; d++) {
    const dsm__dimension *const dimension = &question->dimensions[d];
    dsm__parameter_set(dimension->parameter, &system, dimension->numbers[corner->at[d]]);
  }
  return system;
}

void dsm__seconds_count(const dsm__question *question, const dsm__corner *corner,
                        double counts[DSM_AIM_COUNT]) {
  const dsm_system system = dsm__system_of(question, corner);
  const dsm__energy_terms terms = dsm__energy_terms_of(&system);
  counts[DSM_AIM_TIME] = 0;
  counts[DSM_AIM_JOULES] = terms.static_watts;
  counts[DSM_AIM_EDP] = terms.static_watts;
  counts[DSM_AIM_DOLLARS] = terms.second_dollars;
}

/* A machine that cannot be made costs more than any. */
static double machine_value(const dsm__question *q, const dsm__corner *corner, size_t place) {
  const dsm_system system = dsm__system_of(q, corner);
  dsm_machine_cost cost;
  if (dsm_machine_cost_of(&system, &cost, NULL) != DSM_OK) {
    return HUGE_VAL;
  }
  double value = 0;
  memcpy(&value, (const unsigned char *)&cost + place, sizeof value);
  return value;
}

static dsm__interval machine_range(const scope *of, size_t place) {
  const double low = machine_value(of->question, of->low, place);
  const bool is_one = memcmp(of->low, of->high, sizeof *of->low) == 0;
  return (dsm__interval){low, is_one ? low : machine_value(of->question, of->high, place)};
}

/* ---- names ---- */

/* A path, that may begin with "system." as those of sweeps do. */
static const dsm__parameter *parameter_of(const dsm__question *q, const char *name) {
  static const char prefix[] = "system.";
  const size_t length = sizeof prefix - 1;
  assert(name != NULL);
  for (size_t d = 0; d < q->dimension_count; d++) { /* most names are of these */
    if (strcmp(q->dimensions[d].parameter->path, name) == 0) {
      return q->dimensions[d].parameter;
    }
  }
  for (int below = 0; below < 2; below++) {
    const char *const path = below == 0                           ? name
                             : strncmp(name, prefix, length) == 0 ? name + length
                                                                  : NULL;
    for (size_t p = 0; path != NULL && p < dsm__parameter_count; p++) {
      if (strcmp(dsm__parameters[p].path, path) == 0) {
        return &dsm__parameters[p];
      }
    }
  }
  return NULL;
}

static dsm__interval parameter_range(const scope *of, const dsm__parameter *parameter) {
  const dsm__question *const q = of->question;
  for (size_t d = 0; d < q->dimension_count; d++) {
    const dsm__dimension *const dimension = &q->dimensions[d];
    if (dimension->parameter == parameter) {
      /* Words are numbers in no order. */
      dsm__interval range = {HUGE_VAL, -HUGE_VAL};
      const uint32_t low = of->low->at[d];
      const uint32_t high = of->high->at[d];
      for (uint32_t v = low; v <= high;
           v += dimension->parameter->words != NULL || high == low ? 1 : high - low) {
        range.low = fmin(range.low, dimension->numbers[v]);
        range.high = fmax(range.high, dimension->numbers[v]);
      }
      return range;
    }
  }
  const double own = dsm__parameter_number(parameter, q->system);
  return (dsm__interval){own, own};
}

static void complain(const dsm__question *q, const char *name, dsm__expression_flaw *flaw) {
  const char *names[DSM__PARAMETERS_MAX + 64];
  size_t count = 0;
  for (size_t c = 0; c < DSM__COUNT_OF(columns); c++) {
    names[count++] = columns[c].name;
  }
  for (size_t c = 0; c < DSM__COUNT_OF(machine_columns); c++) {
    names[count++] = machine_columns[c].name;
  }
  for (size_t d = 0; d < q->define_count && count < 48; d++) {
    names[count++] = q->defines[d].name;
  }
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    names[count++] = dsm__parameters[p].path;
  }
  (void)snprintf(flaw->message, sizeof flaw->message,
                 "expected a column, a parameter of the system or a name that is defined, found "
                 "\"%s\"",
                 name);
  (void)dsm__nearest_hint(name, names, count, flaw->hint, sizeof flaw->hint);
}

/* Of a system that says what it is made of. */
static bool needs(const scope *of, const char *name, bool is_there, dsm__expression_flaw *flaw) {
  const bool is_stated = of->question->system->technology.is_stated;
  (void)snprintf(flaw->message, sizeof flaw->message,
                 is_stated ? "expected a technology that states all that %s is made of, found that "
                             "it does not"
                           : "expected a system that names a technology for %s, found none",
                 name);
  flaw->message[0] = is_there && is_stated ? '\0' : flaw->message[0];
  return is_there && is_stated;
}

static bool find_machine(const scope *of, const char *name, size_t place, dsm__interval *range,
                         dsm__expression_flaw *flaw) {
  *range = machine_range(of, place);
  return needs(of, name, !isnan(range->low) && !isnan(range->high), flaw);
}

static bool find_aimed(const scope *of, size_t column, dsm__interval *range,
                       dsm__expression_flaw *flaw) {
  const dsm_aim aim = columns[column].aim;
  *range = columns[column].value(of, aim);
  return aim == DSM_AIM_TIME ||
         needs(of, columns[column].name, aim != DSM_AIM_DOLLARS || of->question->has_prices, flaw);
}

static bool find(void *context, const char *name, dsm__interval *range,
                 dsm__expression_flaw *flaw) {
  scope *const of = context;
  const dsm__question *const q = of->question;
  for (size_t c = 0; c < DSM__COUNT_OF(columns); c++) {
    if (strcmp(columns[c].name, name) == 0) {
      return find_aimed(of, c, range, flaw);
    }
  }
  for (size_t c = 0; c < DSM__COUNT_OF(machine_columns); c++) {
    if (strcmp(machine_columns[c].name, name) == 0) {
      return find_machine(of, name, machine_columns[c].place, range, flaw);
    }
  }
  for (size_t d = q->define_count; d-- > 0;) {
    if (strcmp(q->defines[d].name, name) == 0) {
      return dsm__expression_range(q->defines[d].expression, find, context, range, flaw);
    }
  }
  const dsm__parameter *const parameter = parameter_of(q, name);
  if (parameter == NULL) {
    complain(q, name, flaw);
    return false;
  }
  *range = parameter_range(of, parameter);
  return true;
}

bool dsm__expression_check(const dsm__question *question, const char *what, const char *expression,
                           dsm_diags *diags) {
  const dsm__corner own = {.at = {0}};
  scope of = {.question = question, .low = &own, .high = &own};
  dsm__interval range;
  dsm__expression_flaw flaw;
  if (dsm__expression_range(expression, find, &of, &range, &flaw)) {
    return true;
  }
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = NULL},
                 flaw.hint[0] == '\0' ? NULL : flaw.hint, "%s %s: %s", what, expression + 1,
                 flaw.message);
  return false;
}

dsm__interval dsm__range_of(const dsm__question *question, const char *expression,
                            const dsm__corner *low, const dsm__corner *high,
                            const dsm__times *times) {
  scope of = {.question = question, .low = low, .high = high, .times = times};
  dsm__interval range;
  dsm__expression_flaw flaw;
  (void)dsm__expression_range(expression, find, &of, &range, &flaw); /* it was found to be one */
  return (dsm__interval){isnan(range.low) ? -HUGE_VAL : range.low,
                         isnan(range.high) ? HUGE_VAL : range.high};
}

double dsm__objective_low(const dsm__question *question, const dsm__corner *low,
                          const dsm__corner *high, const dsm__times *times) {
  double sum = 0;
  for (size_t n = 0; n < question->network_count; n++) {
    const double value = dsm__range_of(question, question->minimize, low, high, &times[n]).low;
    if (question->network_count == 1) {
      return value;
    }
    sum += question->weights[n] * log(value > 0 ? value : 0);
  }
  return exp(sum);
}

/* ---- budgets ---- */

bool dsm__may_keep(const dsm__question *question, const dsm__corner *low, const dsm__corner *high,
                   const dsm__times *times) {
  for (size_t b = 0; b < question->budget_count; b++) {
    const dsm__limit *const budget = &question->budgets[b];
    for (size_t n = 0; n < (times == NULL ? 1 : question->network_count); n++) {
      const double least =
          dsm__range_of(question, budget->expression, low, high, times == NULL ? NULL : &times[n])
              .low;
      if (!(least <= budget->most + LIMIT_TOLERANCE * fabs(budget->most))) {
        return false;
      }
    }
  }
  return true;
}

/* With one value of a parameter. */
static bool may_keep_at(const dsm__question *question, const dsm__box *box, size_t d,
                        uint32_t value) {
  dsm__corner low = box->low;
  dsm__corner high = box->high;
  low.at[d] = value;
  high.at[d] = value;
  return dsm__may_keep(question, &low, &high, NULL);
}

bool dsm__box_contract(const dsm__question *question, dsm__box *box) {
  bool is_changed = true;
  if (!dsm__may_keep(question, &box->low, &box->high, NULL)) {
    return false;
  }
  while (is_changed) {
    is_changed = false;
    for (size_t d = 0; d < question->dimension_count; d++) {
      uint32_t *const low = &box->low.at[d];
      uint32_t *const high = &box->high.at[d];
      const uint32_t low_before = *low;
      const uint32_t high_before = *high;
      while (*low < *high && !may_keep_at(question, box, d, *high)) {
        --*high;
      }
      while (*low < *high && !may_keep_at(question, box, d, *low)) {
        ++*low;
      }
      is_changed = is_changed || *low != low_before || *high != high_before;
    }
  }
  return dsm__may_keep(question, &box->low, &box->high, NULL);
}

dsm__corner dsm__best_corner(const dsm__question *question, const dsm__box *box) {
  dsm__corner corner = box->high;
  for (size_t d = 0; d < question->dimension_count; d++) {
    if (question->dimensions[d].way == DSM_WAY_NEVER_FASTER) {
      corner.at[d] = box->low.at[d];
    }
  }
  return corner;
}
