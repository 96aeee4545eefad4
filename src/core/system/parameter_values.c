/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parameter_values.c: what the rows of the table of parameters are in a system. */
#include <assert.h>
#include <string.h>

#include "system/system_internal.h"

bool dsm__parameter_is_software(const dsm__parameter *parameter) {
  static const char model[] = "model.";
  return strncmp(parameter->path, model, sizeof model - 1) == 0 ||
         (parameter->nature & DSM__PARAMETER_SOFTWARE) != 0;
}

bool dsm__parameter_is_of_technology(const dsm__parameter *parameter) {
  return strncmp(parameter->path, DSM__TECHNOLOGY_PREFIX, strlen(DSM__TECHNOLOGY_PREFIX)) == 0;
}

bool dsm__parameter_is_of_cost(const dsm__parameter *parameter) {
  static const char area[] = "area.";
  return dsm__parameter_is_of_technology(parameter) ||
         strncmp(parameter->path, area, sizeof area - 1) == 0;
}

/* Does a schedule of tiles depend on it? A library of kernels chooses tiles by rules of its own, so
 * that a better machine may get worse tiles. */
static bool moves_tiles(const dsm__parameter *parameter, const dsm_system *system) {
  static const char *const parts[] = {"array.", "core.", "chip.core_link"};
  bool is_of_one = false;
  for (size_t i = 0; i < DSM__COUNT_OF(parts); i++) {
    is_of_one = is_of_one || strncmp(parameter->path, parts[i], strlen(parts[i])) == 0;
  }
  return is_of_one && system->model.tile_schedule;
}

int dsm__parameter_way(const dsm__parameter *parameter, const dsm_system *system) {
  if (moves_tiles(parameter, system) || parameter->kind != DSM__PARAMETER_REAL ||
      (parameter->nature & DSM__PARAMETER_MIXED) != 0 || dsm__parameter_is_of_cost(parameter)) {
    return 0;
  }
  return (parameter->nature & DSM__PARAMETER_COST) != 0 ? -1 : 1;
}

void dsm__parameter_set(const dsm__parameter *parameter, dsm_system *system, double number) {
  void *const field = dsm__parameter_field(parameter, system);
  switch (parameter->kind) {
  case DSM__PARAMETER_COUNT:
    *(uint64_t *)field = (uint64_t)number;
    break;
  case DSM__PARAMETER_REAL:
    *(double *)field = number;
    break;
  case DSM__PARAMETER_FLAG:
    *(bool *)field = number > 0;
    break;
  case DSM__PARAMETER_WORD:
    *(int *)field = (int)number;
    break;
  }
}

bool dsm__parameter_is_of_short_form(const dsm__parameter *parameter) {
  static const char *const paths[] = {"system.chips_x", "system.chips_y",
                                      "system.link_bandwidth_x_GBps",
                                      "system.link_bandwidth_y_GBps"};
  bool is_it = false;
  for (size_t i = 0; i < DSM__COUNT_OF(paths); i++) {
    is_it = is_it || strcmp(parameter->path, paths[i]) == 0;
  }
  return is_it;
}

/* What stands for parts of a chip of which only the peak rate is known: one core without a
 * scratchpad, whose cycles are nanoseconds, and that nothing but memory holds back. */
static const struct {
  const char *path;
  double value;
  const char *source;
} of_peak[] = {
    {"array.startup_cycles", 0, "assumption: a chip of a stated peak rate starts at once"},
    {"core.frequency_GHz", 1, "cycles are nanoseconds"},
    {"core.scratchpad_MiB", 1.0 / 1024,
     "assumption: nothing stays on a chip of a stated peak rate"},
    {"core.scratchpad_bandwidth_GBps", DSM__RATE_MAX, "it holds nothing back"},
    {"core.sfu_ops_per_cycle", DSM__RATE_MAX,
     "assumption: what is no product takes the time of what it moves"},
    {"core.tile_startup_us", 0, "assumption: as array.startup_cycles"},
    {"chip.cores", 1, "the chip as a whole"},
    {"chip.interconnect", DSM_INTERCONNECT_NONE, "of one core"},
    {"chip.core_link_bandwidth_GBps", DSM__RATE_MAX, "it holds nothing back"},
    {"model.auxiliary_traffic", DSM_AUXILIARY_TRAFFIC_UNFUSED,
     "assumption: a framework launches each operation by itself"},
    {"model.tile_schedule", 1, "each tensor moves once"},
};

dsm__default dsm__parameter_default(const dsm__parameter *parameter, const dsm_system *system) {
  for (size_t i = 0; system->chip.peak_TFLOPS > 0 && i < DSM__COUNT_OF(of_peak); i++) {
    if (strcmp(of_peak[i].path, parameter->path) == 0) {
      return (dsm__default){false, of_peak[i].value, of_peak[i].source};
    }
  }
  return (dsm__default){parameter->is_required, parameter->fallback, parameter->source};
}

/* Is it a part of a chip of which only the peak rate is known, and nothing else is said of it? */
static bool is_of_peak(const dsm__parameter *parameter, const dsm_system *system) {
  static const char *const parts[] = {"pe.",    "array.", "core.",
                                      "chip.c", "chip.i", "model.tile_schedule"};
  bool is_part = false;
  for (size_t i = 0; system->chip.peak_TFLOPS > 0 && i < DSM__COUNT_OF(parts); i++) {
    is_part = is_part || strncmp(parameter->path, parts[i], strlen(parts[i])) == 0;
  }
  return is_part && dsm__parameter_has_default(parameter, system) &&
         dsm_system_note(system, parameter->path) == NULL;
}

bool dsm__parameter_is_stated(const dsm__parameter *parameter, const dsm_system *system) {
  const dsm_network *const network = &system->system;
  const bool has_axes = network->topology == DSM_TOPOLOGY_AXES;
  if (parameter->axis > (has_axes ? network->axis_count : 0)) {
    return false;
  }
  const double number = dsm__parameter_number(parameter, system);
  const bool is_neutral =
      parameter->is_neutral && !(number < parameter->fallback) && !(number > parameter->fallback);
  const bool is_silent = is_neutral && dsm__parameter_has_default(parameter, system) &&
                         (parameter->is_used == NULL || !parameter->is_used(system)) &&
                         dsm_system_note(system, parameter->path) == NULL;
  return !(has_axes && dsm__parameter_is_of_short_form(parameter)) && !is_silent &&
         !is_of_peak(parameter, system);
}

dsm__stated_parameters dsm__parameters_of(const dsm_system *system) {
  dsm__stated_parameters stated = {.count = 0};
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (dsm__parameter_is_stated(&dsm__parameters[p], system)) {
      stated.items[stated.count++] = &dsm__parameters[p];
    }
  }
  return stated;
}

double dsm__parameter_number(const dsm__parameter *parameter, const dsm_system *system) {
  const void *const field = dsm__parameter_get(parameter, system);
  switch (parameter->kind) {
  case DSM__PARAMETER_COUNT:
    return (double)*(const uint64_t *)field;
  case DSM__PARAMETER_REAL:
    return *(const double *)field;
  case DSM__PARAMETER_FLAG:
    return *(const bool *)field ? 1 : 0;
  case DSM__PARAMETER_WORD:
    return *(const unsigned *)field;
  }
  return 0;
}

const char *dsm__parameter_text(const dsm__parameter *parameter, double number,
                                char text[DSM__NUMBER_TEXT_SIZE]) {
  if (parameter->words != NULL) {
    assert(number >= 0 && number < (double)parameter->words->count);
    return dsm__word_key(parameter->words, (size_t)number);
  }
  (void)dsm__double_to_text(number, text);
  return text;
}

const char dsm__given[] = "given";

bool dsm__parameter_has_default(const dsm__parameter *parameter, const dsm_system *system) {
  const double number = dsm__parameter_number(parameter, system);
  const dsm__default usual = dsm__parameter_default(parameter, system);
  return !usual.is_required && !(number < usual.value) && !(number > usual.value);
}

const char *dsm__parameter_source(dsm__arena *arena, const dsm__parameter *parameter,
                                  const dsm_system *system) {
  static const char assumptions[] = "model.";
  const char *const note = dsm_system_note(system, parameter->path);
  if (note != NULL) {
    return note;
  }
  if (dsm__parameter_has_default(parameter, system)) {
    return dsm__arena_printf(arena, "(default) %s",
                             dsm__parameter_default(parameter, system).source);
  }
  return strncmp(parameter->path, assumptions, sizeof assumptions - 1) == 0
             ? "assumption, the description does not say why"
             : dsm__given;
}
