/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_text.h: systems for tests, from a small description with single values replaced. */
#ifndef DSM_TESTS_SYSTEM_MACHINE_TEXT_H
#define DSM_TESTS_SYSTEM_MACHINE_TEXT_H

#include "dsm/dsm.h"

/** A description with only what is required: 4 x 2 chips of 8 cores. */
extern const char minimal_system[];

/** What reading gave. To be freed with outcome_free. */
typedef struct outcome {
  dsm_status status;
  dsm_system *system; /**< NULL unless status is DSM_OK */
  dsm_diags *diags;
} outcome;

/** Reads the minimal system with overrides. */
outcome read_minimal(const dsm_override *overrides, size_t override_count);

/** Reads the minimal system with one value replaced or added. */
outcome read_with(const char *path, const char *value);

void outcome_free(outcome *read);

/** Writes the system and reads that again. Fails where that is refused. */
dsm_system *written_and_read(const dsm_system *system);

/** Fails where the two differ in anything but addresses. */
void expect_same_system(const dsm_system *a, const dsm_system *b);

#endif
