/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scratch.h: a folder for the files of a test, and findings to look at. */
#ifndef DSM_TESTS_SWEEP_SCRATCH_H
#define DSM_TESTS_SWEEP_SCRATCH_H

#include "stored.h"

/** Makes a new folder and enters it; removes it again with all files in it. A checked fixture. */
void scratch_enter(void);
void scratch_leave(void);

/** Findings of the test that runs; emptied by scratch_enter. */
dsm_diags *scratch_diags(void);
/** Ends the test unless there is one finding, which has the text in it. */
void scratch_expect(const char *text);

bool scratch_exists(const char *path);
void scratch_write(const char *path, const char *text, size_t length);
/** A copy of a file. */
void scratch_copy(const char *from, const char *to);

/** Opens a store and ends the test if that fails. */
dsm_store *scratch_open(const char *path, const dsm_sweep *sweep);
dsm_store *scratch_read(const char *path);
/** Records the points first, first + step, ... below end, of that many layers each. */
void scratch_put(dsm_store *store, const dsm_sweep *sweep, size_t first, size_t step, size_t end);
/** A database with those points. */
void scratch_make(const char *path, const dsm_sweep *sweep, size_t first, size_t step, size_t end);

/** The only number that a statement gives about a database. */
double scratch_number(const char *path, const char *sql);
/** Runs statements on a database. */
void scratch_sql(const char *path, const char *sql);

enum { SCRATCH_LAYERS = 6 };

#endif
