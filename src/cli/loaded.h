/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loaded.h: a description of any kind, for the commands that take files of every kind. */
#ifndef DSM_CLI_LOADED_H
#define DSM_CLI_LOADED_H

#include "cli/arguments.h"
#include "dsm/dsm.h"

/** Exactly one of workload, system, plan and sweep is not NULL if status is DSM_OK, else none is.
 */
typedef struct cli_loaded {
  char *path; /**< as found; NULL if it was not */
  dsm_status status;
  bool is_detected; /**< kind is known */
  dsm_description kind;
  dsm_workload *workload;
  dsm_system *system;
  dsm_plan *plan;
  dsm_sweep *sweep;
  dsm_server *server;
  dsm_instance *profile;
} cli_loaded;

/** Finds, reads and parses a description, after applying the overrides of its kind. To be freed
 * with cli_loaded_fini in any case. */
cli_loaded cli_load_any(const cli_arguments *arguments, const char *name, dsm_diags *diags);

void cli_loaded_fini(cli_loaded *loaded);

#endif
