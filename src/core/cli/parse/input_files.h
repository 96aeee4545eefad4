/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input_files.h: descriptions that the command line names, of a known kind or of any. */
#ifndef DSM_CLI_PARSE_INPUT_FILES_H
#define DSM_CLI_PARSE_INPUT_FILES_H

#include "cli/parse/arguments.h"
#include "dsm/dsm.h"

/** Exactly one of workload, system, plan, sweep, server, technology, profile, chain and other is
 * not NULL if status is DSM_OK, else none is. */
typedef struct cli_input_file {
  char *path; /**< as found; NULL if it was not */
  char *text; /**< what it says; NULL if it could not be read */
  size_t length;
  dsm_status status;
  bool is_detected; /**< kind is known */
  dsm_description kind;
  dsm_workload *workload;
  dsm_system *system;
  dsm_plan *plan;
  dsm_sweep *sweep;
  dsm_server *server;
  dsm_technology *technology;
  dsm_instance *profile;
  dsm_remat_chain *chain;
  void *other;     /**< what a companion alone knows, of `kind` */
  double recorded; /**< what the text says of a plan: cycles of its step, or seconds; 0: nothing */
} cli_input_file;

/** Finds, reads and parses a description of a kind, or of any (DSM_DESCRIPTION_COUNT), after
 * applying the overrides of its kind. To be freed with cli_input_file_fini in any case. */
cli_input_file cli_load(const cli_arguments *arguments, const char *name, dsm_description kind,
                        dsm_diags *diags);

/** As an answer says what it holds, if it was loaded. */
dsm_described cli_described(const cli_input_file *loaded, const char *file);

void cli_input_file_fini(cli_input_file *loaded);

/* ---- sweeps ---- */

/** Makes the sweep of a specification's text, which was read from `path`. `request` may be NULL.
 * Statuses as of dsm_sweep_make. */
DSM_NODISCARD dsm_status cli_parse_sweep(dsm_sweep **sweep, const cli_arguments *arguments,
                                         const char *text, size_t length, const char *path,
                                         const dsm_sweep_request *request, dsm_diags *diags);

/** Makes the sweep that the operands SPEC, or WORKLOAD SYSTEM, and the options ask for. *stem,
 * malloc'ed, is what its files are called after; NULL if standard input is involved. */
DSM_NODISCARD dsm_status cli_make_sweep(dsm_sweep **sweep, char **stem,
                                        const cli_arguments *arguments, dsm_diags *diags);

/* ---- baselines: the operands of check ---- */

/** Most findings that are kept of a baseline. */
#define CLI_BASELINE_FINDINGS_MAX 20

typedef struct cli_baseline {
  char *file;        /**< as shown and read; a folder if it holds no baseline */
  dsm_status status; /**< DSM_OK: there is such a file */
  dsm_diags *diags;  /**< what was found */
} cli_baseline;

typedef struct cli_baselines {
  cli_baseline *items;
  size_t count;
} cli_baselines;

/**
 * Lists the baselines of all operands: a folder stands for all its *.json by name, bytewise. What
 * cannot be found is an item with its reason. False if out of memory. To be freed with
 * cli_baselines_fini in any case.
 */
bool cli_baselines_list(cli_baselines *baselines, const cli_arguments *arguments);

/** The baseline that is this file, by whatever name; NULL: none is. */
const cli_baseline *cli_baselines_find(const cli_baselines *baselines, const char *file);

void cli_baselines_fini(cli_baselines *baselines);

#endif
