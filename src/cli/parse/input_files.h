/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input_files.h: descriptions that the command line names, of a known kind or of any. */
#ifndef DSM_CLI_PARSE_INPUT_FILES_H
#define DSM_CLI_PARSE_INPUT_FILES_H

#include "cli/parse/arguments.h"
#include "dsm/dsm.h"

/** Exactly one of workload, system, plan and sweep is not NULL if status is DSM_OK, else none is.
 */
typedef struct cli_loaded {
  char *path; /**< as found; NULL if it was not */
  char *text; /**< what it says; NULL if it could not be read */
  size_t length;
  dsm_status status;
  bool is_detected; /**< kind is known */
  dsm_description kind;
  dsm_workload *workload;
  dsm_system *system;
  dsm_plan *plan;
  double recorded_step_cycles; /**< what the text says of the plan's step; 0: nothing */
  dsm_sweep *sweep;
  dsm_server *server;
  dsm_instance *profile;
} cli_loaded;

/** Finds, reads and parses a description, after applying the overrides of its kind. To be freed
 * with cli_loaded_fini in any case. */
cli_loaded cli_load_any(const cli_arguments *arguments, const char *name, dsm_diags *diags);

void cli_loaded_fini(cli_loaded *loaded);

/* Find, read and parse a description of a known kind, after applying the overrides of that kind. On
 * failure the pointer stays as it is. */
DSM_NODISCARD dsm_status cli_load_workload(dsm_workload **workload, const cli_arguments *arguments,
                                           const char *name, dsm_diags *diags);
DSM_NODISCARD dsm_status cli_load_system(dsm_system **system, const cli_arguments *arguments,
                                         const char *name, dsm_diags *diags);
DSM_NODISCARD dsm_status cli_load_server(dsm_server **server, const cli_arguments *arguments,
                                         const char *name, dsm_diags *diags);

#endif
