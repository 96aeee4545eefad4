/* SPDX-License-Identifier: GPL-3.0-or-later */
/* baselines.h: which files the operands of `dsm check` mean. */
#ifndef DSM_CLI_PARSE_BASELINES_H
#define DSM_CLI_PARSE_BASELINES_H

#include "cli/parse/arguments.h"

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
