/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folder_state.h: the files of the working folder and of those below it, to compare and put back.
 */
#ifndef DSM_TESTS_FAULTS_FOLDER_STATE_H
#define DSM_TESTS_FAULTS_FOLDER_STATE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct folder_file folder_file;
typedef struct folder_state {
  folder_file *files; /**< by path */
  size_t count;
} folder_state;

/** Ends the process if a file cannot be read. */
void folder_state_read(folder_state *state);
/** Databases are not compared: a sweep that ends early keeps its points. */
bool folder_state_equals(const folder_state *a, const folder_state *b);
/** Makes the folder as it was `before`; it is as `now` says. */
void folder_state_put_back(const folder_state *before, const folder_state *now);
void folder_state_fini(folder_state *state);

#endif
