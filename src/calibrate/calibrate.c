/* SPDX-License-Identifier: GPL-3.0-or-later */
/* calibrate.c: measurements read, constants chosen and judged, and the system that has them. */
#include "dsm/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "calibrate/judge.h"

/* What is being made. */
typedef struct builder {
  const dsm_calibration_request *request;
  dsm_calibration *made;
  dsm_measured *rows;
  dsm_calibrated_constant *judged;
  dsm__measurements read;
  dsm__constant constants[DSM_CALIBRATION_CONSTANTS_MAX];
  size_t constant_count;
  dsm__predictor predictor;
  dsm__fit fit;
} builder;

/* ---- which constants ---- */

/* Those that no datasheet has, wherever they are in a path. */
static const char *const usual[] = {"array.efficiency_ratio", "chip.memory.efficiency_ratio",
                                    "chip.memory.auxiliary_efficiency_ratio",
                                    "core.operation_overhead_us"};
static const char axes_prefix[] = "system.axes.";
static const char axes_suffix[] = ".efficiency_ratio";

static bool is_usual(const dsm__parameter *parameter) {
  bool is_one = false;
  for (size_t i = 0; i < DSM__COUNT_OF(usual); i++) {
    is_one = is_one || strcmp(parameter->path, usual[i]) == 0;
  }
  const size_t length = strlen(parameter->path);
  return is_one || (strncmp(parameter->path, axes_prefix, sizeof axes_prefix - 1) == 0 &&
                    length >= sizeof axes_suffix &&
                    strcmp(parameter->path + length - (sizeof axes_suffix - 1), axes_suffix) == 0);
}

/* Can a description of the system have a number there? */
static bool is_of_system(const dsm__parameter *parameter, const dsm_system *system) {
  const dsm_network *const network = &system->system;
  const unsigned axis_count = network->topology == DSM_TOPOLOGY_AXES ? network->axis_count : 0;
  return parameter->kind == DSM__PARAMETER_REAL && parameter->axis <= axis_count &&
         (parameter->is_neutral || dsm__parameter_is_stated(parameter, system));
}

/* Of the model only what it assumes is a number of the machine. The spread is none that predicts.
 */
static bool is_constant(const dsm__parameter *parameter, const dsm_system *system) {
  static const char spread[] = "model.spread_";
  return is_of_system(parameter, system) &&
         strncmp(parameter->path, spread, sizeof spread - 1) != 0;
}

static void add_constant(builder *build, const dsm__parameter *parameter) {
  static const double least = 1e-6; /* of what may be 0, for logarithms */
  build->constants[build->constant_count++] =
      (dsm__constant){.parameter = parameter,
                      .given = dsm__parameter_number(parameter, build->request->system),
                      .low = fmax(parameter->min, least),
                      .high = parameter->max};
}

/* Bytes of a path of a parameter; longer ones are of none. */
enum { PATH_SIZE = 128 };

static const dsm__parameter *find_parameter(const char *path) {
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (strcmp(dsm__parameters[p].path, path) == 0) {
      return &dsm__parameters[p];
    }
  }
  return NULL;
}

static dsm_status refuse_path(const builder *build, const char *path, dsm_diags *diags) {
  static const dsm__place nowhere = {NULL, 0, 0, NULL};
  const char *known[DSM__PARAMETERS_MAX];
  char hint[160] = "";
  size_t count = 0;
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (is_constant(&dsm__parameters[p], build->request->system)) {
      known[count++] = dsm__parameters[p].path;
    }
  }
  (void)dsm__nearest_hint(path, known, count, hint, sizeof hint);
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, nowhere, hint,
                 "expected the path of a number of %s that is no count, such as "
                 "array.efficiency_ratio, found \"%s\"",
                 build->request->system->name, path);
  return DSM_ERROR_USAGE;
}

/* A path as the table of parameters has it: one of an axis may say its name, as --set does, and
 * leave out that axes are of the system. */
static const char *path_of_table(const dsm_system *system, const char *path, char text[PATH_SIZE]) {
  static const char root[] = "system.";
  static const char axes[] = "axes.";
  const size_t length = sizeof root - 1;
  const char *below = strncmp(path, root, length) == 0 ? path + length : path;
  const char *const key = strncmp(below, root, length) == 0 ? below + length : below;
  if (strncmp(key, axes, sizeof axes - 1) != 0) {
    return below == path || find_parameter(path) != NULL ? path : below;
  }
  const char *const named = key + sizeof axes - 1;
  (void)snprintf(text, PATH_SIZE, "%s%s", root, key);
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    const char *const name = system->system.axes[a].name;
    if (strncmp(named, name, strlen(name)) == 0 && named[strlen(name)] == '.') {
      (void)snprintf(text, PATH_SIZE, "%s%s%u%s", root, axes, a, named + strlen(name));
    }
  }
  return text;
}

static dsm_status add_path(builder *build, const char *path, dsm_diags *diags) {
  char text[PATH_SIZE];
  const char *const wanted = path_of_table(build->request->system, path, text);
  const dsm__parameter *const parameter = find_parameter(wanted);
  if (parameter == NULL || !is_constant(parameter, build->request->system)) {
    return refuse_path(build, path, diags);
  }
  for (size_t k = 0; k < build->constant_count; k++) {
    if (build->constants[k].parameter == parameter) {
      return dsm__refuse(diags, DSM_ERROR_USAGE, "%s is there twice", path);
    }
  }
  if (build->constant_count == DSM_CALIBRATION_CONSTANTS_MAX) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected at most %d constants to fit",
                       DSM_CALIBRATION_CONSTANTS_MAX);
  }
  add_constant(build, parameter);
  return DSM_OK;
}

static dsm_status select_constants(builder *build, dsm_diags *diags) {
  const dsm_calibration_request *const request = build->request;
  dsm_status status = DSM_OK;
  for (size_t i = 0; request->paths != NULL && i < request->path_count && status == DSM_OK; i++) {
    status = add_path(build, request->paths[i], diags);
  }
  for (size_t p = 0; request->paths == NULL && p < dsm__parameter_count; p++) {
    const dsm__parameter *const parameter = &dsm__parameters[p];
    if (is_usual(parameter) && is_constant(parameter, request->system)) {
      add_constant(build, parameter);
    }
  }
  return status;
}

/* A row that has another value of a constant of its own would be predicted without it. */
static dsm_status check_overrides(const builder *build, dsm_diags *diags) {
  for (size_t r = 0; r < build->read.rows.count; r++) {
    const dsm__row *const row = &build->read.rows.items[r];
    const dsm_system *const own = build->read.questions.items[row->question].own_system;
    for (size_t k = 0; own != NULL && k < build->constant_count; k++) {
      const dsm__constant *const constant = &build->constants[k];
      const double number = dsm__parameter_number(constant->parameter, own);
      const bool has_it = constant->parameter->axis <= own->system.axis_count;
      if (has_it && (number < constant->given || number > constant->given)) {
        const dsm__place place = {.file = build->request->file, .line = row->of.line};
        dsm__diags_add(diags, DSM_SEVERITY_ERROR, place, NULL,
                       "overrides: %s is chosen for all measurements and cannot differ here",
                       constant->parameter->path);
        return DSM_ERROR_INVALID;
      }
    }
  }
  return DSM_OK;
}

/* ---- what is found ---- */

static bool make_room(builder *build) {
  dsm_calibration *const made = build->made;
  const dsm__measurements *const read = &build->read;
  made->row_count = read->rows.count;
  made->constant_count = build->constant_count;
  if (!DSM__RESERVE(made->arena, build->rows, made->row_count) ||
      !DSM__RESERVE(made->arena, build->judged, made->constant_count)) {
    return false;
  }
  made->rows = build->rows;
  made->constants = build->judged;
  for (size_t r = 0; r < made->row_count; r++) {
    build->rows[r] = read->rows.items[r].of;
    const char **const name = &build->rows[r].workload;
    *name = dsm__arena_strdup(made->arena, *name);
    if (*name == NULL) {
      return false;
    }
  }
  build->predictor = (dsm__predictor){.read = read,
                                      .constants = build->constants,
                                      .constant_count = build->constant_count,
                                      .exploration_max = build->request->exploration_max == 0
                                                             ? DSM_CALIBRATION_EXPLORATIONS
                                                             : build->request->exploration_max,
                                      .thread_count = build->request->thread_count};
  build->fit.predictor = &build->predictor;
  return dsm__predictor_init(&build->predictor) && dsm__fit_init(&build->fit, made->arena);
}

/* To six digits: more say nothing. */
static double six_digits(double value) {
  const double scale = value > 0 ? pow(10, 5 - floor(log10(value))) : 0;
  char text[DSM__NUMBER_TEXT_SIZE];
  double number = value;
  if (scale > 0 && isfinite(scale)) {
    /* Once more over its decimal text: the product may be off by a bit. */
    (void)snprintf(text, sizeof text, "%.0fe%d", round(value * scale), -(int)lround(log10(scale)));
    (void)dsm__text_to_double(text, strlen(text), &number);
  }
  return number;
}

/* The same within the limits. */
static double rounded(const dsm__constant *constant, double value) {
  const double number = six_digits(value);
  const bool is_legal = number >= constant->parameter->min && number <= constant->parameter->max;
  return is_legal ? number : value;
}

/* Begins anew with values, also where that takes an exploration more than there may be. */
static void go_to(builder *build, const double *values) {
  const uint64_t most = build->predictor.exploration_max;
  build->predictor.exploration_max = UINT64_MAX;
  (void)dsm__fit_begin(&build->fit, values, NULL);
  build->predictor.exploration_max = most;
}

/* Puts a constant back to what it was, if the others can nearly make up for it. */
static void put_back(builder *build, size_t k) {
  static const double least_share = 0.005; /* of the error */
  static const double least = 1e-4;        /* of what was measured */
  dsm__fit *const fit = &build->fit;
  const double most = fit->error * (1 + least_share) + least;
  double chosen[DSM_CALIBRATION_CONSTANTS_MAX];
  double values[DSM_CALIBRATION_CONSTANTS_MAX];
  memcpy(chosen, fit->best.values, sizeof chosen);
  memcpy(values, chosen, sizeof values);
  values[k] = build->constants[k].given;
  build->constants[k].is_fixed = true;
  go_to(build, values);
  dsm__fit_polish(fit);
  if (!(fit->error <= most)) {
    build->constants[k].is_fixed = false;
    go_to(build, chosen);
  }
}

static bool is_as_given(const builder *build, size_t k) {
  const double value = build->fit.best.values[k];
  return !(value < build->constants[k].given) && !(value > build->constants[k].given);
}

/* Constants that hardly lessen the error are as they were; the others have few digits. */
static void tidy(builder *build) {
  double values[DSM_CALIBRATION_CONSTANTS_MAX];
  bool is_unseen[DSM_CALIBRATION_CONSTANTS_MAX] = {false};
  for (size_t k = 0; k < build->constant_count; k++) {
    is_unseen[k] = build->constants[k].is_fixed;
  }
  for (size_t k = 0; k < build->constant_count; k++) {
    if (!is_as_given(build, k)) {
      put_back(build, k);
    }
  }
  memcpy(values, build->fit.best.values, sizeof values);
  for (size_t k = 0; k < build->constant_count; k++) {
    build->constants[k].is_fixed = is_unseen[k];
    values[k] = is_as_given(build, k) ? values[k] : rounded(&build->constants[k], values[k]);
  }
  go_to(build, values);
}

static void note_before(builder *build) {
  build->made->error_before = build->fit.error;
  for (size_t r = 0; r < build->made->row_count; r++) {
    build->rows[r].before = build->fit.best.seconds[r];
  }
}

static void note_after(builder *build) {
  build->made->error_after = build->fit.error;
  for (size_t r = 0; r < build->made->row_count; r++) {
    build->rows[r].after = build->fit.best.seconds[r];
  }
  for (size_t k = 0; k < build->constant_count; k++) {
    const dsm__constant *const constant = &build->constants[k];
    const double chosen = build->fit.best.values[k];
    build->judged[k] = (dsm_calibrated_constant){.path = constant->parameter->path,
                                                 .unit = constant->parameter->unit,
                                                 .before = constant->given,
                                                 .after = chosen,
                                                 .lowest = chosen,
                                                 .highest = chosen};
  }
}

/* Constants that change nothing at a tenth and at ten times their value are not searched. */
static void fix_unseen(builder *build) {
  static const double least_change = 0.001;
  dsm__fit *const fit = &build->fit;
  for (size_t k = 0; k < build->constant_count; k++) {
    dsm__constant *const constant = &build->constants[k];
    const double given = constant->given;
    const double ends[] = {fmax(given / 10, constant->low),
                           fmin(given > 0 ? 10 * given : 1, constant->high)};
    bool is_seen = false;
    for (size_t i = 0; i < DSM__COUNT_OF(ends) && !is_seen; i++) {
      memcpy(fit->tried.values, fit->best.values, sizeof fit->tried.values);
      fit->tried.values[k] = ends[i];
      is_seen = !dsm__predict(&build->predictor, &fit->tried);
      for (size_t r = 0; r < build->made->row_count; r++) {
        const double change = fabs(fit->tried.seconds[r] - fit->best.seconds[r]);
        is_seen = is_seen || !(change < least_change * fit->best.seconds[r]);
      }
    }
    constant->is_fixed = !is_seen;
  }
}

static dsm_status choose(builder *build, dsm_diags *diags) {
  dsm__fit *const fit = &build->fit;
  dsm__predictor *const predictor = &build->predictor;
  double given[DSM_CALIBRATION_CONSTANTS_MAX] = {0};
  for (size_t k = 0; k < build->constant_count; k++) {
    given[k] = build->constants[k].given;
  }
  /* The fit leaves half for what judges it. */
  const uint64_t most = predictor->exploration_max;
  predictor->exploration_max = most / 2;
  if (!dsm__fit_begin(fit, given, NULL)) {
    return predictor->is_out_of_memory ? dsm__out_of_memory(diags)
                                       : dsm__predict_explain(predictor, &fit->tried, diags);
  }
  note_before(build);
  fix_unseen(build);
  dsm__fit_run(fit, DSM__FIT_ROUNDS);
  build->made->is_stopped = predictor->is_stopped;
  predictor->is_stopped = false;
  predictor->exploration_max = most;
  tidy(build);
  note_after(build);
  if (predictor->is_out_of_memory || !dsm__judge_constants(build->made, build->judged, fit) ||
      !dsm__judge_rows(build->made, build->rows, build->judged, fit)) {
    return dsm__out_of_memory(diags);
  }
  build->made->is_stopped = build->made->is_stopped || predictor->is_stopped;
  build->made->explorations = predictor->explorations;
  return DSM_OK;
}

/* ---- the calibrated system ---- */

/* Has the constant another value than before? */
static bool is_moved(const dsm_calibrated_constant *constant) {
  return constant->after < constant->before || constant->after > constant->before;
}

static void set_note(dsm_system *system, const char **paths, const char **texts, const char *path,
                     const char *text) {
  size_t at = 0;
  while (at < system->note_count && strcmp(paths[at], path) != 0) {
    at++;
  }
  paths[at] = path;
  texts[at] = text;
  system->note_count = at == system->note_count ? at + 1 : system->note_count;
}

/* The system of the request, with the chosen values and where they come from. */
static bool make_system(builder *build) {
  static const char *const spread[] = {"model.spread_low", "model.spread_high",
                                       "model.spread_count"};
  dsm_calibration *const made = build->made;
  const size_t note_max =
      build->request->system->note_count + made->constant_count + DSM__COUNT_OF(spread);
  dsm_system *const system = dsm__arena_alloc(made->arena, sizeof *system);
  const char **const paths = dsm__arena_array(made->arena, note_max, sizeof *paths);
  const char **const texts = dsm__arena_array(made->arena, note_max, sizeof *texts);
  const char *const text =
      dsm__arena_printf(made->arena, "calibrated on %zu measurement%s of %s", made->row_count,
                        dsm__plural((double)made->row_count), made->file);
  if (system == NULL || paths == NULL || texts == NULL || text == NULL) {
    return false;
  }
  *system = *build->request->system;
  for (size_t i = 0; i < system->note_count; i++) {
    paths[i] = system->note_paths[i];
    texts[i] = system->note_texts[i];
  }
  for (size_t k = 0; k < made->constant_count; k++) {
    if (is_moved(&made->constants[k]) || made->constants[k].is_seen) {
      *(double *)dsm__parameter_field(build->constants[k].parameter, system) =
          made->constants[k].after;
      set_note(system, paths, texts, made->constants[k].path, text);
    }
  }
  system->model.spread_low = six_digits(made->spread_low);
  system->model.spread_high = six_digits(made->spread_high);
  system->model.spread_count = made->fold_count == 0 ? 0 : made->row_count;
  for (size_t i = 0; made->fold_count > 0 && i < DSM__COUNT_OF(spread); i++) {
    set_note(system, paths, texts, spread[i], text);
  }
  system->note_paths = paths;
  system->note_texts = texts;
  made->system = system;
  return true;
}

/* ---- all of it ---- */

static dsm_status build_all(builder *build, dsm_diags *diags) {
  const char *const file = build->request->file;
  const char *const slash = strrchr(file, '/');
  const char *const name = slash == NULL ? file : slash + 1;
  build->made->name = build->request->system->name;
  build->made->file =
      dsm__arena_strdup(build->made->arena, strcmp(name, "-") == 0 ? "standard input" : name);
  if (build->made->file == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm_status status = select_constants(build, diags);
  if (status == DSM_OK) {
    status = dsm__measurements_read(&build->read, build->request, build->made->arena, diags);
  }
  if (status == DSM_OK) {
    status = check_overrides(build, diags);
  }
  if (status == DSM_OK) {
    status = make_room(build) ? choose(build, diags) : dsm__out_of_memory(diags);
  }
  if (status == DSM_OK) {
    status = make_system(build) ? DSM_OK : dsm__out_of_memory(diags);
  }
  return status;
}

dsm_status dsm_calibrate(dsm_calibration **calibration, const dsm_calibration_request *request,
                         dsm_diags *diags) {
  *calibration = NULL;
  dsm_calibration *const made = DSM__ARENA_OWNER(dsm_calibration);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  builder build = {.request = request, .made = made};
  const dsm_status status = build_all(&build, diags);
  dsm__predictor_fini(&build.predictor);
  dsm__measurements_fini(&build.read);
  if (status == DSM_OK) {
    *calibration = made;
  } else {
    dsm_calibration_free(made);
  }
  return status;
}

DSM__ARENA_FREE(dsm_calibration, dsm_calibration_free);

char *dsm_calibration_print_system(const dsm_calibration *calibration) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__system_write(calibration->system, &writer);
  dsm__json_finish(&writer);
  if (text.failed) {
    dsm__text_fini(&text);
    return NULL;
  }
  return text.text;
}
