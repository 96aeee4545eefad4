/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_make.c: a sweep from a specification, a command line, or both. */
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/digest.h"
#include "sweep/option_words.h"
#include "sweep/point.h"
#include "sweep/sweep_draft.h"

enum { SHOWN_MAX = 128 };

/* ---- what the command line says ---- */

static void read_request_set(dsm__sweep_draft *draft, const char *text) {
  const size_t length = strcspn(text, "=");
  const char *const path = dsm__draft_text(draft, "%.*s", (int)length, text);
  const dsm__origin origin = {.option = dsm__draft_text(draft, "--set %s", path)};
  dsm__raw_value raw;
  if (text[length] == '\0') {
    dsm__draft_error(draft, origin, NULL, "expected PATH=VALUE, found no value");
    return;
  }
  const char *const value = text[length + 1] == '\0' ? "\"\"" : text + length + 1;
  if (dsm__raw_from_text(draft, value, strlen(value), origin, &raw)) {
    dsm__set_add(draft, path, &raw);
  }
}

static void read_request(dsm__sweep_draft *draft) {
  const dsm_sweep_request *const request = draft->request;
  for (size_t v = 0; v < draft->vary_count; v++) {
    if (!draft->varies[v].is_used) {
      dsm__vary_read(draft, &draft->varies[v]);
    }
  }
  for (size_t s = 0; s < request->set_count; s++) {
    read_request_set(draft, request->sets[s]);
  }
  if (request->exclude_count > DSM_SWEEP_CONDITIONS_MAX) {
    dsm__draft_error(draft, (dsm__origin){.option = "--exclude"}, NULL,
                     "expected at most %d conditions, found %zu", DSM_SWEEP_CONDITIONS_MAX,
                     request->exclude_count);
    return;
  }
  for (size_t e = 0; e < request->exclude_count; e++) {
    draft->conditions[draft->condition_count++] =
        (dsm__condition_draft){.text = request->excludes[e], .origin = {.option = "--exclude"}};
  }
}

static void read_request_options(dsm__sweep_draft *draft) {
  const dsm_sweep_request *const request = draft->request;
  if (request->mode != NULL) {
    draft->options.mode = *request->mode;
    draft->is_stated[DSM__OPTION_MODE] = true;
  }
  if (request->optimizations != NULL) {
    draft->options.optimizations = *request->optimizations;
    draft->is_stated[DSM__OPTION_OPTIMIZE] = true;
  }
  if (request->parallelisms != NULL) {
    draft->options.parallelisms = *request->parallelisms;
    for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
      draft->options.roles[a] = request->roles == NULL ? 0 : request->roles[a];
    }
    draft->is_stated[DSM__OPTION_PARALLELISM] = true;
  }
  if (request->aim != NULL) {
    draft->options.aim = *request->aim;
    draft->is_stated[DSM__OPTION_OBJECTIVE] = true;
  }
  if (request->power_cap_watts != NULL) {
    draft->options.power_cap_watts = *request->power_cap_watts;
    draft->is_stated[DSM__OPTION_POWER_CAP] = true;
  }
  if (request->gap != NULL) {
    draft->options.gap = *request->gap;
  }
  if (request->time_limit_seconds != NULL) {
    draft->options.time_limit_seconds = *request->time_limit_seconds;
  }
  if (request->record != NULL) {
    draft->record = *request->record;
  }
}

/* ---- checks ---- */

bool dsm__draft_varies(const dsm__sweep_draft *draft, dsm__path_kind kind) {
  for (size_t a = 0; a < draft->axis_count; a++) {
    for (size_t p = 0; p < draft->axes[a].paths.count; p++) {
      if (draft->axes[a].paths.kinds[p] == kind) {
        return true;
      }
    }
  }
  return false;
}

static void check_inputs(dsm__sweep_draft *draft) {
  static const dsm__path_kind kinds[] = {DSM__PATH_WORKLOAD, DSM__PATH_SYSTEM};
  if (dsm__draft_status(draft) != DSM_OK) {
    return; /* what is missing may be what was wrong */
  }
  const dsm__json_node nodes[] = {draft->workloads_node, draft->systems_node};
  for (size_t i = 0; i < 2; i++) {
    if (!dsm__draft_varies(draft, kinds[i])) {
      const dsm__origin missing = {.node = draft->doc == NULL ? NULL : &nodes[i]};
      dsm__draft_error(draft, missing, NULL, "expected at least one %s, found none",
                       dsm_description_name(dsm__path_description(kinds[i])));
    }
  }
}

/* The optimizations that have a meaning in the mode of some point. */
static dsm_optimization_set meaningful(const dsm__sweep_draft *draft) {
  dsm_optimization_set set = 0;
  bool is_varied = false;
  for (size_t a = 0; a < draft->axis_count; a++) {
    const dsm__axis_draft *const axis = &draft->axes[a];
    for (size_t i = 0; i < axis->value_count * axis->paths.count; i++) {
      dsm_mode mode;
      if (axis->paths.kinds[i % axis->paths.count] == DSM__PATH_OPTION + DSM__OPTION_MODE &&
          dsm_mode_parse(axis->values[i].text, &mode)) {
        set |= dsm_mode_possible_optimizations(mode);
        is_varied = true;
      }
    }
  }
  return is_varied ? set : dsm_mode_possible_optimizations(draft->options.mode);
}

/* The mode of an optimization that not all modes have. */
static const char *only_mode_of(dsm_optimization optimization) {
  int mode = 0;
  while (mode + 1 < DSM_MODE_COUNT &&
         (dsm_strategy_of(optimization)->modes >> (unsigned)mode & 1U) == 0) {
    mode++;
  }
  return dsm_mode_name((dsm_mode)mode);
}

static void check_meaning(dsm__sweep_draft *draft, dsm_optimization_set set,
                          dsm_optimization_set allowed, dsm__origin origin) {
  const dsm_optimization_set all = set == DSM_OPTIMIZATION_EVERYTHING ? set : DSM_OPTIMIZATION_ALL;
  const dsm_optimization_set without = set & ~allowed & ~(dsm__has_all(set) ? all : 0);
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    if ((without & DSM_OPTIMIZATION_BIT(o)) != 0) {
      dsm__draft_error(draft, origin, NULL,
                       "expected optimizations of a mode that is swept, found %s, which only %s "
                       "has",
                       dsm_optimization_name((dsm_optimization)o),
                       only_mode_of((dsm_optimization)o));
    }
  }
}

/* An optimization that is named may not be without meaning at all points. */
static void check_optimizations(dsm__sweep_draft *draft) {
  const dsm_optimization_set allowed = meaningful(draft);
  const bool is_requested = draft->request->optimizations != NULL || draft->doc == NULL;
  const dsm__origin origin = {.node = is_requested ? NULL : &draft->optimize_node,
                              .option = "--optimize"};
  check_meaning(draft, draft->options.optimizations, allowed, origin);
  for (size_t a = 0; a < draft->axis_count; a++) {
    const dsm__axis_draft *const axis = &draft->axes[a];
    for (size_t i = 0; i < axis->value_count * axis->paths.count; i++) {
      dsm_explore_options options;
      if (axis->paths.kinds[i % axis->paths.count] == DSM__PATH_OPTION + DSM__OPTION_OPTIMIZE &&
          dsm__sweep_option_parse(&dsm__sweep_options[DSM__OPTION_OPTIMIZE], axis->values[i].text,
                                  &options, NULL)) {
        check_meaning(draft, options.optimizations, allowed, axis->origin);
      }
    }
  }
  draft->options.optimizations =
      (draft->options.optimizations & allowed) |
      (dsm__has_all(draft->options.optimizations) ? DSM_OPTIMIZATION_ALL : 0);
  if (draft->options.parallelisms == 0) {
    dsm__draft_error(draft, (dsm__origin){.option = "--parallelism"}, NULL,
                     "expected at least one parallelism, found none");
  }
}

/* ---- the sweep ---- */

static void fill_axes(dsm__sweep_draft *draft, dsm_sweep *sweep) {
  dsm_axis *const axes = dsm__draft_array(draft, draft->axis_count, sizeof *axes);
  for (size_t a = 0; axes != NULL && a < draft->axis_count; a++) {
    const dsm__axis_draft *const axis = &draft->axes[a];
    axes[a] = (dsm_axis){.paths = axis->paths.items,
                         .path_count = axis->paths.count,
                         .values = axis->values,
                         .value_count = axis->value_count};
  }
  sweep->axes = axes;
  sweep->axis_count = draft->axis_count;
}

static void fill_sets(dsm__sweep_draft *draft, dsm_sweep *sweep) {
  const char **const sets = dsm__draft_array(draft, draft->sets.count, sizeof *sets);
  for (size_t s = 0; sets != NULL && s < draft->sets.count; s++) {
    sets[s] = dsm__draft_text(draft, "%s=%s", draft->sets.items[s].path, draft->sets.items[s].text);
  }
  sweep->sets = sets;
  sweep->set_count = draft->sets.count;
}

/* The stated name, that of the file, or "WORKLOAD-SYSTEM". */
static void fill_name(dsm__sweep_draft *draft, dsm_sweep *sweep, const char *file) {
  sweep->name = draft->name;
  sweep->source = draft->source_text;
  if (sweep->name == NULL && file != NULL && strcmp(file, "-") != 0) {
    const char *const stem = dsm__stem(draft, file);
    sweep->name = dsm__is_name(stem, DSM_NAME_BYTES_MAX) ? stem : NULL;
  }
  if (sweep->name == NULL) {
    sweep->name = dsm__draft_text(draft, "%s-%s", sweep->workloads[0].name, sweep->systems[0].name);
  }
}

static void fill(dsm__sweep_draft *draft, dsm_sweep *sweep, const char *file) {
  const dsm__input_list *const workloads = &draft->inputs[DSM_DESCRIPTION_WORKLOAD];
  const dsm__input_list *const systems = &draft->inputs[DSM_DESCRIPTION_SYSTEM];
  sweep->workloads = workloads->items;
  sweep->workload_count = workloads->count;
  sweep->systems = systems->items;
  sweep->system_count = systems->count;
  sweep->record = draft->record;
  fill_axes(draft, sweep);
  fill_sets(draft, sweep);
  fill_name(draft, sweep, file);
  if (!dsm__draft_is_stopped(draft)) {
    dsm__product_make(draft, sweep);
  }
  if (dsm__draft_status(draft) != DSM_OK) {
    return;
  }
  sweep->resolved = dsm__sweep_resolve(draft, sweep);
  dsm__digest_text(sweep->resolved, strlen(sweep->resolved), sweep->digest);
  sweep->options = draft->options;
  sweep->has_all_optimizations = dsm__has_all(draft->options.optimizations);
  sweep->options.optimizations &= meaningful(draft);
}

/* Everything but the document, which the caller owns. */
static void make(dsm__sweep_draft *draft, dsm_sweep *sweep, const char *file) {
  draft->conditions =
      dsm__draft_array(draft, 2 * (size_t)DSM_SWEEP_CONDITIONS_MAX, sizeof *draft->conditions);
  static void (*const steps[])(dsm__sweep_draft *) = {
      dsm__varies_parse,   dsm__sweep_read, read_request_options, read_request,
      dsm__axes_complete,  dsm__axes_check, dsm__paths_check,     dsm__same_values_check,
      check_optimizations, check_inputs,
  };
  for (size_t i = 0; i < DSM__COUNT_OF(steps) && !dsm__draft_is_stopped(draft); i++) {
    steps[i](draft);
  }
  if (dsm__draft_status(draft) == DSM_OK) {
    fill(draft, sweep, file);
  }
}

static void init(dsm__sweep_draft *draft, dsm__arena *arena, const char *folder,
                 const dsm_sweep_request *request, const dsm_sweep_source *source,
                 dsm_diags *diags) {
  static const dsm_sweep_request nothing = {0};
  *draft = (dsm__sweep_draft){.arena = arena,
                              .diags = diags,
                              .folder = folder,
                              .request = request == NULL ? &nothing : request,
                              .source = source,
                              .record = DSM_RECORD_LAYERS,
                              .is_open = request != NULL && request->is_open};
  dsm_explore_options_init(&draft->options);
  draft->options.optimizations = DSM_OPTIMIZATION_ALL;
}

dsm_status dsm_sweep_make(dsm_sweep **sweep, const char *text, size_t length, const char *file,
                          const char *folder, const dsm_sweep_request *request,
                          const dsm_sweep_source *source, dsm_diags *diags) {
  *sweep = NULL;
  dsm_sweep *const made = DSM__ARENA_OWNER(dsm_sweep);
  dsm__sweep_draft *const draft =
      made == NULL ? NULL : dsm__arena_alloc(made->arena, sizeof *draft);
  if (draft == NULL) {
    dsm_sweep_free(made);
    return dsm__out_of_memory(diags);
  }
  init(draft, made->arena, folder, request, source, diags);
  dsm_status status = DSM_OK;
  if (text != NULL) {
    status = dsm__json_doc_parse(&draft->doc, text, length, file, NULL, 0, diags);
  }
  if (status == DSM_OK) {
    make(draft, made, file);
    status = dsm__draft_status(draft);
  }
  if (status == DSM_OK) {
    status = dsm__sweep_check_points(made, file, diags);
  }
  dsm__json_doc_free(draft->doc);
  if (status == DSM_OK) {
    *sweep = made;
  } else {
    dsm_sweep_free(made);
  }
  return status;
}
