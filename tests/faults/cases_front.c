/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_front.c: partition_front.h: fronts found, written, read and drawn. */
#include <stdlib.h>
#include <string.h>

#include "subject.h"
#include "two_devices.h"

/* Objectives, as bits. */
enum {
  WITH_LATENCY = 1 << DSM_OBJECTIVE_THROUGHPUT | 1 << DSM_OBJECTIVE_LATENCY,
  WITH_ENERGY = 1 << DSM_OBJECTIVE_THROUGHPUT | 1 << DSM_OBJECTIVE_ENERGY
};

static const char written[] =
    "{\"format\": \"dsm-front/1\", \"instance\": \"x\", \"objectives\": [\"throughput\", "
    "\"latency\"],"
    " \"points\": [{\"rho\": 2, \"rho_bound\": 2.5, \"mean_latency_seconds\": 1, \"objective\":"
    " \"throughput\", \"bound\": 2.5, \"gap\": 0.25, \"status\": \"limited\"}, {\"rho\": 1,"
    " \"mean_latency_seconds\": 0.5, \"objective\": \"throughput\", \"status\": \"optimal\"}]}";

static dsm_status find(dsm_front **front, unsigned objectives, dsm_diags *diags) {
  dsm_front_options options;
  dsm_front_options_init(&options);
  options.objectives = objectives;
  options.question_count = 3;
  return dsm_front_find(front, &two_devices, &options, diags);
}

static attempt found(unsigned objectives, dsm_diags *diags) {
  static dsm_front poison;
  dsm_front *front = &poison;
  const dsm_status status = find(&front, objectives, diags);
  uint64_t digest = DIGEST_START;
  for (size_t k = 0; status == DSM_OK && k < front->point_count; k++) {
    digest = digest_double(digest, front->points[k].rho);
    digest = digest_double(digest, front->points[k].mean_latency_seconds);
  }
  const attempt made = attempt_of_status(status, front, digest);
  if (front != &poison) {
    dsm_front_free(front);
  }
  return made;
}

static attempt find_latency(const subject *s, dsm_diags *diags) {
  (void)s;
  return found(WITH_LATENCY, diags);
}

static attempt find_energy(const subject *s, dsm_diags *diags) {
  (void)s;
  return found(WITH_ENERGY, diags);
}

static attempt find_nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  return found(0, diags);
}

/* ---- reports ---- */

static attempt read_text(const char *text, dsm_diags *diags) {
  static dsm_front poison;
  dsm_front *front = &poison;
  const dsm_status status =
      parsed_as(&dsm_answer_front, &front, text, strlen(text), "front.json", diags);
  const attempt made = attempt_of_status(
      status, front, status == DSM_OK ? digest_double(DIGEST_START, front->points[0].rho) : 0);
  if (front != &poison) {
    dsm_front_free(front);
  }
  return made;
}

static attempt read_front(const subject *s, dsm_diags *diags) {
  (void)s;
  return read_text(written, diags);
}

static attempt read_broken(const subject *s, dsm_diags *diags) {
  (void)s;
  return read_text("{\"format\": \"dsm-front/1\", \"points\": []}", diags);
}

static attempt is_printed(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  const bool is_one = dsm_answer_kind_of(written, sizeof written - 1) == &dsm_answer_front;
  return (attempt){.status = is_one ? DSM_OK : DSM_ERROR_OUT_OF_MEMORY,
                   .digest = digest_u64(DIGEST_START, is_one)};
}

static attempt draw_front(const subject *s, dsm_diags *diags) {
  (void)s;
  dsm_front *front = NULL;
  dsm_plot *plot = NULL;
  dsm_status status =
      parsed_as(&dsm_answer_front, &front, written, sizeof written - 1, "front.json", diags);
  if (status == DSM_OK) {
    status = dsm_plot_answer(&plot, DSM_ANSWER(front, front), 0, diags);
  }
  const attempt made =
      attempt_of_status(status, plot, status == DSM_OK ? digest_text(DIGEST_START, plot->body) : 0);
  dsm_plot_free(plot);
  dsm_front_free(front);
  return made;
}

/* A front is found, with the findings that this has, and then written. */
static attempt write_front(char *(*write)(const dsm_front *front), dsm_diags *diags) {
  dsm_front *front = NULL;
  const dsm_status status = find(&front, WITH_LATENCY, diags);
  if (status != DSM_OK) {
    return attempt_of_status(status, front, 0);
  }
  front->seconds = 0;
  for (size_t k = 0; k < front->point_count; k++) {
    front->points[k].partition->solver_seconds = 0;
  }
  char *const text = write(front);
  const attempt made = attempt_of_status(text == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK, text,
                                         text == NULL ? 0 : digest_text(DIGEST_START, text));
  free(text);
  dsm_front_free(front);
  return made;
}

static char *table_of(const dsm_front *front) {
  return as_table(DSM_ANSWER(front, front), (dsm_table_style){.width = 80});
}

static char *json_of(const dsm_front *front) {
  return as_json(DSM_ANSWER(front, front));
}

static char *csv_of(const dsm_front *front) {
  return as_csv(DSM_ANSWER(front, front));
}

static attempt write_table(const subject *s, dsm_diags *diags) {
  (void)s;
  return write_front(table_of, diags);
}

static attempt write_json(const subject *s, dsm_diags *diags) {
  (void)s;
  return write_front(json_of, diags);
}

static attempt write_csv(const subject *s, dsm_diags *diags) {
  (void)s;
  return write_front(csv_of, diags);
}

const faulty_case front_cases[] = {
    {"dsm_front_find, latency", find_latency, DSM_OK, NULL},
    {"dsm_front_find, energy", find_energy, DSM_OK, NULL},
    {"dsm_front_find, no objectives", find_nothing, DSM_ERROR_USAGE, NULL},
    {"dsm_answer_parse: front", read_front, DSM_OK, NULL},
    {"dsm_answer_parse: front, a broken one", read_broken, DSM_ERROR_INVALID, NULL},
    {"dsm_answer_kind_of", is_printed, DSM_OK, NULL},
    {"dsm_plot_answer: a front", draw_front, DSM_OK, NULL},
    {"dsm_answer_print: front table", write_table, DSM_OK, NULL},
    {"dsm_answer_print: front json", write_json, DSM_OK, NULL},
    {"dsm_answer_print: front csv", write_csv, DSM_OK, NULL},
};
const size_t front_case_count = sizeof front_cases / sizeof front_cases[0];
