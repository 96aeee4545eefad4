/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_sweep_team.c: what carries results between threads and processes. No public function is
 * here, but a lost result would be a hole in a sweep. */
#include "base/arena.h"
#include "base/diag_add.h"
#include "subject.h"
#include "sweep/point_record.h"
#include "sweep/team.h"

static uint64_t digest_result(uint64_t digest, const dsm_point_result *result) {
  digest = digest_u64(digest, result->point);
  digest = digest_u64(digest, result->status);
  digest = digest_text(digest, result->reason == NULL ? "" : result->reason);
  digest = digest_text(digest, result->decisions == NULL ? "" : result->decisions);
  digest = digest_text(digest, result->plan == NULL ? "" : result->plan);
  digest = digest_double(digest, result->result.step_cycles);
  for (size_t i = 0; i < result->layer_count; i++) {
    digest = digest_text(digest, result->layers[i].name);
    digest = digest_double(digest, result->layers[i].cycles.total);
  }
  return digest;
}

/* Adds what the bytes of a result say to the digest of an attempt. */
static void unpack(attempt *made, const dsm__text_buffer *bytes) {
  dsm_point_result result;
  dsm__arena *const arena = dsm__arena_new();
  made->status = arena == NULL ? DSM_ERROR_OUT_OF_MEMORY
                               : dsm__result_unpack(&result, bytes->text, bytes->length, arena);
  if (made->status == DSM_OK) {
    made->digest = digest_result(made->digest, &result);
  }
  dsm__arena_free(arena);
}

/* Neither function has findings: their callers say that memory is out. */
static attempt finish(attempt made, dsm_diags *diags) {
  if (made.status == DSM_ERROR_OUT_OF_MEMORY) {
    (void)dsm__out_of_memory(diags);
  }
  return made;
}

static attempt pack_and_unpack(const subject *s, dsm_diags *diags) {
  attempt made = {.status = DSM_OK, .digest = DIGEST_START};
  dsm__text_buffer bytes = {0};
  dsm__result_pack(&bytes, &s->stored_result->result);
  if (bytes.failed) {
    made.status = DSM_ERROR_OUT_OF_MEMORY;
  } else {
    unpack(&made, &bytes);
  }
  dsm__text_fini(&bytes);
  return finish(made, diags);
}

/* What a leader is given. */
typedef struct led {
  const dsm_sweep *sweep;
  attempt made;
} led;

/* Has the points evaluated one after the other, so that a digest of all does not depend on which is
 * done first. */
static void lead(void *context, dsm__team *team) {
  led *const of = context;
  for (size_t p = 0; p < of->sweep->point_count && of->made.status == DSM_OK; p++) {
    dsm__team_result result;
    if (!dsm__team_give(team, p)) {
      of->made.wrong = "a team with nothing to do takes a point";
      return;
    }
    while (!dsm__team_take(team, &result)) {
      dsm__team_rest(team, true);
    }
    of->made.status = result.status;
    if (result.status == DSM_OK) {
      unpack(&of->made, result.bytes);
    }
    dsm__team_release(team, &result);
  }
}

static attempt run_team(const subject *s, dsm_diags *diags) {
  led of = {.sweep = s->swept, .made = {.status = DSM_OK, .digest = DIGEST_START}};
  const dsm_status status = dsm__team_run(s->swept, 1, lead, &of, diags);
  if (status != DSM_OK) {
    return (attempt){.status = status};
  }
  return finish(of.made, diags);
}

const faulty_case sweep_team_cases[] = {
    {"dsm__result_pack and dsm__result_unpack", pack_and_unpack, DSM_OK, NULL},
    {"dsm__team_run", run_team, DSM_OK, NULL},
};
const size_t sweep_team_case_count = sizeof sweep_team_cases / sizeof sweep_team_cases[0];
