/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * subject.h: small inputs of every kind, made once before anything fails, and the calls that are
 * made with them while allocations fail.
 */
#ifndef DSM_TESTS_FAULTS_SUBJECT_H
#define DSM_TESTS_FAULTS_SUBJECT_H

#include <stdint.h>

#include "answers.h"
#include "dsm/dsm.h"
#include "sweep/stored.h"

enum { SUBJECT_PATH_BYTES = 256 };

typedef struct subject {
  char folder[SUBJECT_PATH_BYTES];
  char workload_path[SUBJECT_PATH_BYTES];
  char system_path[SUBJECT_PATH_BYTES];
  char plan_path[SUBJECT_PATH_BYTES];
  char old_path[SUBJECT_PATH_BYTES];  /**< an existing file */
  char link_path[SUBJECT_PATH_BYTES]; /**< a symbolic link to it */
  dsm_workload *single;
  dsm_workload *residual; /**< holds outputs on the long system, with DySM factors */
  dsm_workload *stacked;  /**< has a pipeline group there */
  dsm_system *long_system;
  dsm_explore_options training;
  dsm_plan *small_plan; /**< of a single layer */
  char *small_plan_text;
  char store_folder[64];
  char store_path[SUBJECT_PATH_BYTES]; /**< a database of the sweep `stored` */
  char swept_path[SUBJECT_PATH_BYTES]; /**< a database of `swept`, without points */
  dsm_sweep *stored;
  dsm_sweep *other_stored;      /**< another sweep */
  stored_result *stored_result; /**< of point 1 */
  dsm_point_table *points;
  dsm_sweep *swept; /**< subject_sweep */
} subject;

extern const char subject_convolutional_text[];
extern const char subject_bad_workload_text[];
extern const char subject_system_text[];
extern const char subject_bad_system_text[];
/** What the existing file holds. */
extern const char subject_old_text[];

/** Makes everything, in a new folder below /tmp; ends the test if that fails. */
void subject_init(subject *s);
void subject_fini(subject *s);

/** A sweep of four points: a good one, an infeasible one and two invalid ones. */
dsm_sweep *subject_sweep(void);

/** How a call went. */
typedef struct attempt {
  dsm_status status;
  uint64_t digest;   /**< of the output; 0 if there is none */
  const char *wrong; /**< the promise that was broken, or NULL */
} attempt;

/** One call. Whatever it allocates it frees. */
typedef attempt faulty_call(const subject *s, dsm_diags *diags);
/** Looks at what a call left behind; NULL or the promise that was broken. */
typedef const char *aftermath(const subject *s, dsm_status status);

typedef struct faulty_case {
  const char *name;
  faulty_call *call;
  dsm_status expected; /**< without faults */
  aftermath *after;    /**< or NULL */
} faulty_case;

extern const faulty_case load_cases[];
extern const size_t load_case_count;
extern const faulty_case session_cases[];
extern const size_t session_case_count;
extern const faulty_case sweep_eval_cases[];
extern const size_t sweep_eval_case_count;

extern const faulty_case sweep_store_cases[];
extern const size_t sweep_store_case_count;
extern const faulty_case sweep_team_cases[];
extern const size_t sweep_team_case_count;

/** Where a digest begins, and how bytes, a text and numbers are added to it. */
#define DIGEST_START UINT64_C(14695981039346656037)
uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t size);
uint64_t digest_text(uint64_t digest, const char *text);
uint64_t digest_u64(uint64_t digest, uint64_t value);
uint64_t digest_double(uint64_t digest, double value);

/** The attempt of a function that gives a text, which is freed. */
attempt attempt_of_text(char *text);

/** Defines a case: a text that is made of the subject `s`. */
#define TEXT_CASE(name, text)                                                                      \
  static attempt name(const subject *s, dsm_diags *diags) {                                        \
    (void)s;                                                                                       \
    (void)diags;                                                                                   \
    return attempt_of_text(text);                                                                  \
  }

/** Defines three: an answer that is made of it, as table, JSON and CSV; and their rows. */
#define FORM_CASES(name, answer)                                                                   \
  TEXT_CASE(name##_table, as_table(answer, ((dsm_table_style){.width = 80, .color = true})))       \
  TEXT_CASE(name##_json, as_json(answer))                                                          \
  TEXT_CASE(name##_csv, as_csv(answer))
#define FORM_ROWS(name)                                                                            \
  {"dsm_answer_print: " #name " table", name##_table, DSM_OK, NULL},                               \
      {"dsm_answer_print: " #name " json", name##_json, DSM_OK, NULL}, {                           \
    "dsm_answer_print: " #name " csv", name##_csv, DSM_OK, NULL                                    \
  }

/** The attempt of a function that gives a status and sets a pointer. */
attempt attempt_of_status(dsm_status status, const void *output, uint64_t digest);

#endif
