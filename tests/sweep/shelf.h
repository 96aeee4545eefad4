/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shelf.h: descriptions in memory, as the source of sweeps: the workloads "net" and "wide", the
 * systems "one" and "two", each also as NAME.json and in any folder; "broken" is an invalid one of
 * either kind, "net" in the folder "other" differs.
 */
#ifndef DSM_TESTS_SWEEP_SHELF_H
#define DSM_TESTS_SWEEP_SHELF_H

#include "dsm/sweep.h"

extern const dsm_sweep_source shelf;

/** Makes a sweep; fails the test, with the findings, if that does not work. */
dsm_sweep *sweep_of(const char *text, const dsm_sweep_request *request);

/** The findings of a sweep that cannot be made, or of one that can, one a line; to be freed. Checks
 * the status. */
char *findings_of(const char *text, const dsm_sweep_request *request, dsm_status expected);

/** Asserts that there is just this finding. */
void assert_refused(const char *text, const dsm_sweep_request *request, dsm_status status,
                    const char *finding);

/** A specification of net on one, with these members beside. */
#define SPEC(members)                                                                              \
  "{\"format\": \"dsm-sweep/1\", \"workloads\": [\"net\"], \"systems\": [\"one\"]," members "}"

/** The texts of a column, with commas between, in a static buffer. */
const char *column_of(const dsm_sweep *sweep, const char *path);

#endif
