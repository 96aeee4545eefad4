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
#include "dsm/suggest.h"
#include "sweep/stored.h"

enum { SUBJECT_PATH_BYTES = 256 };

typedef struct subject {
  char folder[SUBJECT_PATH_BYTES];
  char workload_path[SUBJECT_PATH_BYTES];
  char system_path[SUBJECT_PATH_BYTES];
  char plan_path[SUBJECT_PATH_BYTES];
  char old_path[SUBJECT_PATH_BYTES];  /**< an existing file */
  char link_path[SUBJECT_PATH_BYTES]; /**< a symbolic link to it */
  dsm_workload *convolutional;
  dsm_workload *recurrent;
  dsm_workload *single;
  dsm_workload *residual; /**< holds outputs on the long system, with DySM factors */
  dsm_workload *stacked;  /**< has a pipeline group on the long system */
  dsm_workload *laid;     /**< holds outputs with layouts, and preloads, on the laid system */
  dsm_system *system;
  dsm_system *tight_system; /**< its memory limits the search, yet something fits */
  dsm_system *tiny_system;  /**< nothing fits its memory */
  dsm_system *long_system;
  dsm_system *uniform_system;        /**< the same with one DySM factor */
  dsm_system *tight_residual_system; /**< the same, its memory limits the residual network */
  dsm_system *tight_stacked_system;  /**< and the stacked one */
  dsm_system *laid_system;           /**< decides how held tensors lie in the cores */
  dsm_system *tight_laid_system;     /**< the same, its memory limits the laid network */
  dsm_explore_options training;
  dsm_explore_options inference;
  dsm_plan *plan;      /**< of the convolutional workload on the system */
  dsm_plan *base_plan; /**< the same without optimisations */
  dsm_plan *inference_plan;
  dsm_plan *small_plan; /**< of a single layer: reading its long text takes many allocations */
  dsm_plan *held_plan;
  dsm_plan *pipelined_plan;
  dsm_plan *laid_plan; /**< of the laid network in training */
  char *plan_text;
  char *small_plan_text;
  dsm_explanation *explanation;
  char store_folder[64];
  char store_path[SUBJECT_PATH_BYTES]; /**< a database of the sweep `stored` */
  char swept_path[SUBJECT_PATH_BYTES]; /**< a database of `swept`, without points */
  dsm_sweep *stored;
  dsm_sweep *other_stored;      /**< another sweep */
  stored_result *stored_result; /**< of point 1 */
  dsm_point_table *points;
  dsm_sweep *swept;            /**< subject_sweep */
  dsm_elasticity *elasticity;  /**< of one layer in inference, to all parameters */
  dsm_elasticity *sensitivity; /**< the same with each a tenth better */
  dsm_baseline *baseline;      /**< of the stacked workload without optimisations */
  dsm_diff *diff;              /**< from the plan without optimisations to the held one */
  dsm_drift *drift;            /**< from there to the pipelined plan: everything moved */
  dsm_dispatch *simulation;    /**< of made_partition, recorded */
  char *placed_text;           /**< of a partition in stages, as JSON */
  dsm_diags *findings;         /**< of a bad workload */
} subject;

extern const char subject_convolutional_text[];
extern const char subject_blocks_text[];
extern const char subject_recurrent_text[];
extern const char subject_bad_workload_text[];
/** A plan of decisions only, of every kind. */
extern const char subject_decisions_text[];
extern const char subject_system_text[];
extern const char subject_bad_system_text[];
/** What the existing file holds. */
extern const char subject_old_text[];

/** Makes everything, in a new folder below /tmp; ends the test if that fails. */
void subject_init(subject *s);
void subject_fini(subject *s);

/** Partitions the two devices' tasks in stages, with few cuts. */
dsm_status subject_solve_stages(dsm_partition **partition, dsm_diags *diags);

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

extern const faulty_case input_cases[];
extern const size_t input_case_count;
extern const faulty_case plan_cases[];
extern const size_t plan_case_count;
extern const faulty_case calibrate_cases[];
extern const size_t calibrate_case_count;
extern const faulty_case remat_cases[];
extern const size_t remat_case_count;
extern const faulty_case pim_cases[];
extern const size_t pim_case_count;
extern const faulty_case storage_cases[];
extern const size_t storage_case_count;
extern const faulty_case serving_cases[];
extern const size_t serving_case_count;
extern const faulty_case diff_cases[];
extern const size_t diff_case_count;
extern const faulty_case dispatch_cases[];
extern const size_t dispatch_case_count;
extern const faulty_case front_cases[];
extern const size_t front_case_count;
extern const faulty_case partition_cases[];
extern const size_t partition_case_count;
extern const faulty_case elasticity_cases[];
extern const size_t elasticity_case_count;
extern const faulty_case session_cases[];
extern const size_t session_case_count;
extern const faulty_case server_cases[];
extern const size_t server_case_count;
extern const faulty_case sweep_eval_cases[];
extern const size_t sweep_eval_case_count;
extern const faulty_case sweep_spec_cases[];
extern const size_t sweep_spec_case_count;
extern const faulty_case check_cases[];
extern const size_t check_case_count;
extern const faulty_case report_cases[];
extern const size_t report_case_count;
extern const faulty_case plot_cases[];
extern const size_t plot_case_count;
extern const faulty_case plot_points_cases[];
extern const size_t plot_points_case_count;

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
