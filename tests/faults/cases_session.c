/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_session.c: the session of dsm.h, and options by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "subject.h"

/* What a session is made for; it is freed in any case. */
typedef dsm_status use_of_session(dsm_session *session, const subject *s, uint64_t *digest);

static attempt with_session(use_of_session *use, const subject *s) {
  dsm_session *const session = dsm_session_new();
  attempt made = {.status = DSM_ERROR_OUT_OF_MEMORY};
  if (session != NULL) {
    uint64_t digest = DIGEST_START;
    made.status = use(session, s, &digest);
    made.digest = made.status == DSM_OK ? digest : 0;
    (void)dsm_session_finding(session, 0);
  }
  dsm_session_free(session);
  return made;
}

/* The plan as a text, whose numbers are the plan's. */
static dsm_status add_plan(uint64_t *digest, dsm_session *session) {
  char *const text = dsm_session_print(session, "csv");
  double cycles = 0;
  const bool has_number = dsm_session_number(session, "step_cycles", &cycles);
  *digest = digest_double(digest_text(*digest, text == NULL ? "" : text), cycles);
  const dsm_status status =
      text == NULL || !has_number || dsm_session_plan(session)->result.step_cycles != cycles
          ? DSM_ERROR_OUT_OF_MEMORY
          : DSM_OK;
  dsm_text_free(text);
  return status;
}

static dsm_status explore_small(dsm_session *session, const subject *s, uint64_t *digest) {
  dsm_status status = dsm_session_set(session, dsm_session_option(0), "inference");
  if (status == DSM_OK) {
    status = dsm_session_set(session, "optimize", "none");
  }
  if (status == DSM_OK) {
    status = dsm_session_set(session, "set", "system.core.frequency_GHz=2");
  }
  if (status == DSM_OK) {
    status = dsm_session_load(session, s->workload_path, s->system_path);
  }
  if (status == DSM_OK) {
    status = dsm_session_explore(session);
  }
  return status == DSM_OK ? add_plan(digest, session) : status;
}

static dsm_status load_and_save(dsm_session *session, const subject *s, uint64_t *digest) {
  char path[SUBJECT_PATH_BYTES + 16];
  (void)snprintf(path, sizeof path, "%s/session.json", s->folder);
  dsm_status status = dsm_session_load_plan(session, s->plan_path);
  if (status == DSM_OK) {
    status = dsm_session_save(session, path);
  }
  (void)remove(path);
  return status == DSM_OK ? add_plan(digest, session) : status;
}

static dsm_status set_nothing(dsm_session *session, const subject *s, uint64_t *digest) {
  (void)s;
  (void)digest;
  return dsm_session_set(session, "optimise", "all");
}

static attempt explore(const subject *s, dsm_diags *diags) {
  (void)diags;
  return with_session(explore_small, s);
}

static attempt load_plan(const subject *s, dsm_diags *diags) {
  (void)diags;
  return with_session(load_and_save, s);
}

static attempt refuse(const subject *s, dsm_diags *diags) {
  (void)diags;
  return with_session(set_nothing, s);
}

static attempt set_option(const subject *s, dsm_diags *diags) {
  dsm_explore_options options = s->training;
  const dsm_search_option *const option = dsm_search_option_find(dsm_search_option_get(0)->name);
  const dsm_status status = dsm_search_option_set(&options, option, "nothing", diags);
  return (attempt){.status = status};
}

const faulty_case session_cases[] = {
    {"dsm_session_explore", explore, DSM_OK, NULL},
    {"dsm_session_load_plan", load_plan, DSM_OK, NULL},
    {"dsm_session_set, no option", refuse, DSM_ERROR_USAGE, NULL},
    {"dsm_search_option_set, no word", set_option, DSM_ERROR_USAGE, NULL},
};
const size_t session_case_count = sizeof session_cases / sizeof session_cases[0];
