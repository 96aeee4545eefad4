/* SPDX-License-Identifier: GPL-3.0-or-later */
/* named_inputs.h: files that another file names: those of sweeps and of measurements. */
#ifndef DSM_CLI_PARSE_NAMED_INPUTS_H
#define DSM_CLI_PARSE_NAMED_INPUTS_H

#include "cli/parse/arguments.h"
#include "dsm/dsm.h"

/** What reads them. */
typedef struct cli_named_inputs {
  const cli_arguments *arguments;
  bool is_stdin_read;
} cli_named_inputs;

/** dsm_file_read, but standard input only once. */
DSM_NODISCARD dsm_status cli_read_once(cli_named_inputs *in, const char *path, char **text,
                                       size_t *length, dsm_diags *diags);

/** A dsm_sweep_source's function, of some cli_named_inputs. */
DSM_NODISCARD dsm_status cli_read_named(void *context, const char *name, const char *folder,
                                        dsm_description kind, char **text, size_t *length,
                                        char **file, dsm_diags *diags);

/** Kinds that an input of a kind may be: a workload is one for whichever machine it is. */
unsigned cli_kinds_alike(dsm_description kind);

/** The folder that a file lies in; malloc'ed, NULL if out of memory. */
char *cli_folder_of(const char *path);

#endif
