/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_writer.c: a process that writes or reads a store, to be killed, starved and misled.
 *
 *     store_writer write DATABASE MINIBATCHES LAYERS [FIRST STEP]
 *     store_writer read|json DATABASE
 *     store_writer merge TARGET SOURCE...
 *
 * `write` records what is not recorded yet of the sweep of stored.h, and tells each point on
 * standard output as soon as it is recorded. Findings go to standard error; the exit code is the
 * status.
 */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "sweep/stored.h"

static int finish(dsm_status status, dsm_diags *diags) {
  char text[2048];
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    (void)dsm_diag_render(dsm_diags_get(diags, i), false, text, sizeof text);
    (void)fprintf(stderr, "%s\n", text);
  }
  dsm_diags_free(diags);
  return (int)status;
}

static dsm_status put_missing(dsm_store *store, const dsm_sweep *sweep, size_t layers, size_t first,
                              size_t step, dsm_diags *diags) {
  bool *const is_done = malloc(sweep->point_count * sizeof *is_done);
  stored_result *const made = malloc(sizeof *made);
  dsm_status status = is_done == NULL || made == NULL ? DSM_ERROR_OUT_OF_MEMORY
                                                      : dsm_store_done(store, is_done, diags);
  for (size_t p = first; p < sweep->point_count && status == DSM_OK; p += step) {
    if (is_done[p]) {
      continue;
    }
    stored_result_init(made, sweep, p, layers);
    status = dsm_store_put(store, &made->result, diags);
    if (status == DSM_OK) {
      (void)printf("%zu\n", p);
      (void)fflush(stdout);
    }
  }
  free(is_done);
  free(made);
  return status;
}

static size_t number_of(const char *text) {
  return (size_t)strtoull(text, NULL, 10);
}

static dsm_status write_store(int count, char **arguments, dsm_diags *diags) {
  dsm_sweep *const sweep = stored_sweep(
      (stored_shape){.minibatch_count = number_of(arguments[1]), .record = DSM_RECORD_PLANS});
  dsm_store *store = NULL;
  dsm_status status =
      sweep == NULL ? DSM_ERROR_OUT_OF_MEMORY : dsm_store_open(&store, arguments[0], sweep, diags);
  if (status == DSM_OK) {
    status =
        put_missing(store, sweep, number_of(arguments[2]), count > 3 ? number_of(arguments[3]) : 0,
                    count > 4 ? number_of(arguments[4]) : 1, diags);
  }
  dsm_store_close(store);
  dsm_sweep_free(sweep);
  return status;
}

static dsm_status read_store(const char *path, bool is_json, dsm_diags *diags) {
  dsm_store *store = NULL;
  dsm_point_table *table = NULL;
  dsm_status status = dsm_store_open_read(&store, path, diags);
  if (status == DSM_OK) {
    status = dsm_store_points(store, &table, diags);
  }
  if (status == DSM_OK) {
    char *const text =
        is_json ? as_json(DSM_ANSWER(points, table)) : as_csv(DSM_ANSWER(points, table));
    (void)fputs(text == NULL ? "" : text, stdout);
    free(text);
  }
  dsm_point_table_free(table);
  dsm_store_close(store);
  return status;
}

int main(int count, char **arguments) {
  dsm_diags *const diags = dsm_diags_new(10);
  if (diags == NULL || signal(SIGXFSZ, SIG_IGN) == SIG_ERR || count < 3) {
    return EXIT_FAILURE;
  }
  if (strcmp(arguments[1], "write") == 0 && count >= 5) {
    return finish(write_store(count - 2, arguments + 2, diags), diags);
  }
  const bool is_json = strcmp(arguments[1], "json") == 0;
  if (is_json || strcmp(arguments[1], "read") == 0) {
    return finish(read_store(arguments[2], is_json, diags), diags);
  }
  return finish(
      dsm_store_merge(arguments[2], (const char *const *)(arguments + 3), (size_t)count - 3, diags),
      diags);
}
