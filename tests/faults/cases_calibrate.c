/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_calibrate.c: calibrate.h and its reports. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "subject.h"

static const dsm_table_style style = {.width = 80, .color = true};

static uint64_t digest_calibration(const dsm_calibration *of) {
  uint64_t digest = digest_text(DIGEST_START, of->file);
  digest = digest_double(digest, of->error_after);
  digest = digest_double(digest, of->error_left_out);
  for (size_t k = 0; k < of->constant_count; k++) {
    digest = digest_double(digest, of->constants[k].after);
  }
  for (size_t r = 0; r < of->row_count; r++) {
    digest = digest_double(digest, of->rows[r].left_out);
  }
  return digest;
}

/* Any name is the convolutional network, and any plan the small one. */
static dsm_status read_network(void *context, const char *name, const char *folder,
                               dsm_description kind, char **text, size_t *length, char **file,
                               dsm_diags *diags) {
  const subject *const s = context;
  static const dsm_diag no_memory = {.severity = DSM_SEVERITY_ERROR, .message = "out of memory"};
  (void)folder;
  *text = strdup(kind == DSM_DESCRIPTION_PLAN ? s->small_plan_text : subject_convolutional_text);
  *file = strdup(name);
  if (*text == NULL || *file == NULL) {
    free(*text);
    free(*file);
    *text = NULL;
    *file = NULL;
    dsm_diags_append(diags, &no_memory);
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  *length = strlen(*text);
  return DSM_OK;
}

static const char *const some_paths[] = {"array.efficiency_ratio", "core.transcendental_passes"};

/* The subject has no constant members that a callback's context could not be. */
static dsm_status calibrate(dsm_calibration **made, const subject *s, const char *csv,
                            size_t thread_count, dsm_diags *diags) {
  subject copy = *s;
  const dsm_sweep_source source = {.read = read_network, .context = &copy};
  const dsm_calibration_request request = {.text = csv,
                                           .length = strlen(csv),
                                           .file = "times.csv",
                                           .folder = ".",
                                           .source = &source,
                                           .system = s->system,
                                           .paths = some_paths,
                                           .path_count = 2,
                                           .thread_count = thread_count,
                                           .exploration_max = 30};
  return dsm_calibrate(made, &request, diags);
}

static const char good[] = "workload,mode,optimize,overrides,milliseconds,layer\n"
                           "net,inference,none,,1,\n"
                           "net,inference,none,system.core.frequency_GHz=2,\"2\",\n";

static attempt calibrate_text(const subject *s, const char *csv, size_t thread_count,
                              dsm_diags *diags) {
  static dsm_calibration poison;
  dsm_calibration *made = &poison;
  const dsm_status status = calibrate(&made, s, csv, thread_count, diags);
  const attempt how =
      attempt_of_status(status, made, status == DSM_OK ? digest_calibration(made) : 0);
  if (made != &poison) {
    dsm_calibration_free(made);
  }
  return how;
}

static attempt calibrate_rows(const subject *s, dsm_diags *diags) {
  return calibrate_text(s, good, 1, diags);
}

static attempt calibrate_with_threads(const subject *s, dsm_diags *diags) {
  return calibrate_text(s, good, 2, diags);
}

static attempt calibrate_a_plan(const subject *s, dsm_diags *diags) {
  return calibrate_text(s, "plan,milliseconds\nit,1\n", 1, diags);
}

static attempt calibrate_a_bad_row(const subject *s, dsm_diags *diags) {
  return calibrate_text(s, "workload,milliseconds,layer\nnet,1,nowhere\n", 1, diags);
}

/* A report of a calibration that is made anew, which may fail as well. */
static attempt report(const subject *s, dsm_diags *diags,
                      char *(*make)(const dsm_calibration *calibration)) {
  dsm_calibration *made = NULL;
  const dsm_status status = calibrate(&made, s, good, 1, diags);
  if (status != DSM_OK) {
    return attempt_of_status(status, made, 0);
  }
  const attempt how = attempt_of_text(make(made));
  dsm_calibration_free(made);
  return how;
}

static char *table(const dsm_calibration *calibration) {
  return as_table(DSM_ANSWER(calibration, calibration), style);
}

static char *json(const dsm_calibration *calibration) {
  return as_json(DSM_ANSWER(calibration, calibration));
}

static char *csv(const dsm_calibration *calibration) {
  return as_csv(DSM_ANSWER(calibration, calibration));
}

static char *system_text(const dsm_calibration *calibration) {
  return dsm_calibration_print_system(calibration);
}

static attempt calibration_table(const subject *s, dsm_diags *diags) {
  return report(s, diags, table);
}

static attempt calibration_json(const subject *s, dsm_diags *diags) {
  return report(s, diags, json);
}

static attempt calibration_csv(const subject *s, dsm_diags *diags) {
  return report(s, diags, csv);
}

static attempt calibrated_system(const subject *s, dsm_diags *diags) {
  return report(s, diags, system_text);
}

const faulty_case calibrate_cases[] = {
    {"dsm_calibrate", calibrate_rows, DSM_OK, NULL},
    {"dsm_calibrate: two threads", calibrate_with_threads, DSM_OK, NULL},
    {"dsm_calibrate: a plan", calibrate_a_plan, DSM_OK, NULL},
    {"dsm_calibrate: a bad row", calibrate_a_bad_row, DSM_ERROR_INVALID, NULL},
    {"dsm_answer_print: calibration table", calibration_table, DSM_OK, NULL},
    {"dsm_answer_print: calibration json", calibration_json, DSM_OK, NULL},
    {"dsm_answer_print: calibration csv", calibration_csv, DSM_OK, NULL},
    {"dsm_calibration_print_system", calibrated_system, DSM_OK, NULL},
};
const size_t calibrate_case_count = sizeof calibrate_cases / sizeof calibrate_cases[0];
