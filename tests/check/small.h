/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * small.h: questions whose answers are baselines. The small one is an fc of 64 x 64 for one sample
 * on one chip of four cores, in inference, without optimizations.
 */
#ifndef DSM_TESTS_CHECK_SMALL_H
#define DSM_TESTS_CHECK_SMALL_H

#include "dsm/dsm.h"

/** The small baseline, which claims 500 ns for a step, with a part of its text replaced by another,
 * to be freed. Fails the test if the part is not there. */
char *small_baseline_with(const char *part, const char *replacement);

/** A baseline read from text; fails the test if that does not work. */
dsm_baseline *baseline_of(const char *text, const dsm_override *overrides, size_t override_count);

typedef struct bundled_question {
  const char *workload;
  const char *system;
  dsm_mode mode;
  const char *layout_move; /**< NULL: the system's */
} bundled_question;

/** A plan with all optimizations, which owns its inputs. */
dsm_plan *explored(const bundled_question *question);

#endif
