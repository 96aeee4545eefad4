/* SPDX-License-Identifier: GPL-3.0-or-later */
/* subjects.h: what the reports of this room are about: plans of bundled and of small networks. */
#ifndef DSM_TESTS_REPORT_SUBJECTS_H
#define DSM_TESTS_REPORT_SUBJECTS_H

#include "dsm/dsm.h"

/** A plan with its inputs. */
typedef struct subject {
  dsm_workload *workload;
  dsm_system *system;
  dsm_plan *plan;
  bool is_shared; /**< it belongs to all tests */
} subject;

/** One exploration of bundled descriptions. */
typedef struct exploration {
  const char *workload;
  const char *system;
  const char *minibatch;
  dsm_mode mode;
} exploration;

/** All bundled networks, on 64 chips and on one, in training and in inference. */
extern const exploration bundled_explorations[];
#define BUNDLED_EXPLORATION_COUNT 32

/** Explores them where that has not been done; an unchecked fixture, so that the test processes
 * inherit the plans. */
void bundled_set_up(void);

/** The plan of one of them, for looking at only. */
subject bundled_subject(int index);

/** Frees them, when all tests are done. */
void bundled_free(void);

/** Loads and explores; fails the test if that does not work. */
subject subject_explore(const exploration *what);

/** Explores a network that stands in a text, on a bundled system. */
subject subject_explore_text(const char *workload_text, const char *system);

void subject_free(subject *explored);

dsm_workload *load_bundled_workload(const char *name);
dsm_system *load_bundled_system(const char *name);

/** The style of tables as wide as a page never is, without colour. */
dsm_table_style plain_style(size_t width);

/** The same with a row for each layer. */
dsm_table_style unfolded_style(size_t width);

#endif
