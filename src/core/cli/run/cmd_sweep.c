/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/input_files.h"
#include "cli/parse/option_values.h"
#include "cli/parse/paths.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/interrupt.h"
#include "cli/run/program.h"
#include "cli/run/sweep_view.h"

/* ---- which options go together ---- */

/* With a database, or databases to merge, nothing is explored. */
static cli_exit check_no_run(const cli_arguments *arguments, const char *what) {
  static const char *const of_runs[] = {"vary",       "exclude",  "set",         "mode",
                                        "minibatch",  "optimize", "parallelism", "objective",
                                        "power-cap",  "record",   "threads",     "gap",
                                        "time-limit", "database", "shard",       NULL};
  const char *const given = cli_given_of(arguments, of_runs);
  return given == NULL
             ? CLI_EXIT_DONE
             : cli_usage_error(arguments->command, "--%s goes with a sweep to explore, not with %s",
                               given, what);
}

static cli_exit check_options(const cli_arguments *arguments) {
  const cli_sweep_arguments *const options = &arguments->sweep;
  const size_t count = arguments->operand_count;
  if (options->is_merge && count < 2) {
    return cli_usage_error(arguments->command,
                           "--merge: expected the database to bring others into, then those, found "
                           "only '%s'",
                           arguments->operands[0]);
  }
  if (!options->is_merge && count > 2) {
    return cli_usage_error(arguments->command, "expected %s, found one more: '%s'",
                           arguments->command->operands, arguments->operands[2]);
  }
  return CLI_EXIT_DONE;
}

/* The result must not be written over the database that it comes from, nor over its log. */
static cli_exit check_output(const cli_arguments *arguments, const char *database) {
  static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
  const size_t size = strlen(database) + 16;
  char *const name = calloc(size, 1);
  if (name == NULL) {
    return cli_out_of_memory();
  }
  cli_exit outcome = CLI_EXIT_DONE;
  for (size_t i = 0; i < sizeof endings / sizeof *endings && outcome == CLI_EXIT_DONE; i++) {
    (void)snprintf(name, size, "%s%s", database, endings[i]);
    if (arguments->output != NULL && cli_is_same_file(arguments->output, name)) {
      outcome = cli_usage_error(arguments->command, "--output: '%s' is the database%s",
                                arguments->output, i == 0 ? "" : "'s log");
    }
  }
  free(name);
  return outcome;
}

/* ---- databases that exist ---- */

static cli_exit show_database(const cli_arguments *arguments, const char *path) {
  const cli_exit checked = check_output(arguments, path);
  if (checked != CLI_EXIT_DONE) {
    return checked;
  }
  dsm_store *store = NULL;
  const dsm_status status = dsm_store_open_read(&store, path, arguments->diags);
  cli_print_findings(arguments);
  const cli_exit outcome =
      status == DSM_OK ? cli_put_points(arguments, store, path) : cli_exit_of(status);
  dsm_store_close(store);
  return outcome;
}

static cli_exit merge(const cli_arguments *arguments) {
  const cli_exit checked = check_no_run(arguments, "--merge");
  if (checked != CLI_EXIT_DONE) {
    return checked;
  }
  const char *const target = arguments->operands[0];
  const dsm_status status = dsm_store_merge(target, (const char *const *)arguments->operands + 1,
                                            arguments->operand_count - 1, arguments->diags);
  if (status != DSM_OK) {
    return cli_tell(arguments, status);
  }
  return show_database(arguments, target);
}

/* ---- running ---- */

/* The database of a question about a pair, or of a specification: "STEM.sqlite"; where that belongs
 * to another sweep, "STEM.2.sqlite" and so on. */
static void name_database(const cli_arguments *arguments, const dsm_sweep *sweep, const char *stem,
                          char *path, size_t size) {
  enum { MOST_NUMBER = 1000 };
  const dsm_shard shard = arguments->sweep.shard;
  char part[64] = "";
  if (cli_is_given(arguments, "shard")) {
    (void)snprintf(part, sizeof part, ".%zu-of-%zu", shard.index + 1, shard.count);
  }
  (void)snprintf(path, size, "%s%s.sqlite", stem, part);
  int number = 1;
  while (number < MOST_NUMBER && dsm_store_is_of_other(path, sweep)) {
    (void)snprintf(path, size, "%s.%d%s.sqlite", stem, ++number, part);
  }
  if (number > 1) {
    cli_note(arguments, "%s%s.sqlite belongs to another sweep: the results of this one go to %s",
             stem, part, path);
  }
}

/* Where the results go; malloc'ed, NULL if out of memory. */
static char *database_path(const cli_arguments *arguments, const dsm_sweep *sweep,
                           const char *stem) {
  const char *const given = arguments->sweep.database;
  const size_t size = strlen(given == NULL ? stem : given) + 100;
  char *const path = calloc(size, 1);
  if (path != NULL && given != NULL) {
    (void)snprintf(path, size, "%s", given);
  } else if (path != NULL) {
    name_database(arguments, sweep, stem, path, size);
  }
  return path;
}

static void note_progress(void *context, const dsm_sweep_progress *at) {
  cli_progress_note(context, at);
}

/* Evaluates what the store lacks. After an interruption, says how far it came. */
static cli_exit run(const cli_arguments *arguments, const dsm_sweep *sweep, dsm_store *store,
                    const char *path) {
  cli_progress shown;
  cli_progress_begin(&shown, arguments, sweep);
  dsm_sweep_run_options options;
  dsm_sweep_run_options_init(&options);
  options.thread_count = arguments->options.thread_count;
  options.shard = arguments->sweep.shard;
  options.report = note_progress;
  options.is_stopped = cli_should_stop;
  options.context = &shown;
  dsm_sweep_progress at = {0};
  cli_interrupt_begin();
  const dsm_status status =
      arguments->program->run_sweep(store, sweep, &options, &at, arguments->diags);
  cli_interrupt_end();
  cli_progress_end(&shown, &at);
  cli_print_findings(arguments);
  if (status == DSM_OK && at.done < at.total) {
    cli_note(arguments,
             "interrupted: %zu of %zu point%s recorded in %s; the same command goes on from there",
             at.done, at.total, at.total == 1 ? " is" : "s are", path);
    return CLI_EXIT_INTERRUPTED;
  }
  return cli_exit_of(status);
}

/* Ranks that each run the sweep collide: says how one runs on all. Launchers tell of ranks. */
static void name_mpi(const cli_arguments *arguments) {
  static const struct {
    const char *variable;
    size_t least;
  } said[] = {
      {"OMPI_COMM_WORLD_SIZE", 2}, {"PMI_SIZE", 2}, {"SLURM_STEP_NUM_TASKS", 2}, {"PMIX_RANK", 1}};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    const char *const value = getenv(said[i].variable);
    size_t count;
    if (value != NULL && cli_parse_size(value, said[i].least, SIZE_MAX, &count)) {
      (void)cli_refuse(arguments->diags, DSM_ERROR_IO, NULL, NULL,
                       "several ranks of a job run this sweep (%s=%zu), each by itself: 'dsm-mpi "
                       "sweep' runs one on all; cmake -DDSM_MPI=ON builds it, with an MPI for C",
                       said[i].variable, count);
      return;
    }
  }
}

static cli_exit run_into(const cli_arguments *arguments, const dsm_sweep *sweep, const char *path) {
  dsm_store *store = NULL;
  dsm_status status = dsm_store_open(&store, path, sweep, arguments->diags);
  if (status == DSM_OK) {
    status = cli_check_objectives(arguments, store);
  } else if (status == DSM_ERROR_IO && !arguments->program->is_for_sweeps) {
    name_mpi(arguments);
  }
  cli_exit outcome = cli_tell(arguments, status);
  if (outcome == CLI_EXIT_DONE) {
    outcome = check_output(arguments, path);
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = run(arguments, sweep, store, path);
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = cli_put_points(arguments, store, path);
  }
  dsm_store_close(store);
  return outcome;
}

static cli_exit run_sweep(const cli_arguments *arguments) {
  dsm_sweep *sweep;
  char *stem;
  const dsm_status status = cli_make_sweep(&sweep, &stem, arguments, arguments->diags);
  cli_exit outcome = cli_tell(arguments, status);
  if (status == DSM_OK && stem == NULL && arguments->sweep.database == NULL) {
    outcome = cli_usage_error(arguments->command,
                              "standard input has no name for the database: --database is needed");
  } else if (status == DSM_OK) {
    char *const path = database_path(arguments, sweep, stem);
    outcome = path == NULL ? cli_out_of_memory() : run_into(arguments, sweep, path);
    free(path);
  }
  free(stem);
  dsm_sweep_free(sweep);
  return outcome;
}

cli_exit cli_run_sweep(const cli_arguments *arguments) {
  cli_exit outcome = check_options(arguments);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  const char *const first = arguments->operands[0];
  if (arguments->sweep.is_merge) {
    outcome = merge(arguments);
  } else if (arguments->operand_count == 1 && dsm_store_is_database(first)) {
    outcome = check_no_run(arguments, "a database");
    outcome = outcome == CLI_EXIT_DONE ? show_database(arguments, first) : outcome;
  } else {
    outcome = run_sweep(arguments);
  }
  return outcome;
}
