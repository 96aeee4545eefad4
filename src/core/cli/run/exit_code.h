/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exit_code.h: what the program tells its caller. Of several outcomes the largest counts. */
#ifndef DSM_CLI_RUN_EXIT_CODE_H
#define DSM_CLI_RUN_EXIT_CODE_H

#include "dsm/status.h"

typedef enum cli_exit {
  CLI_EXIT_DONE = 0,
  CLI_EXIT_REGRESSION = 1, /**< `check` found one */
  CLI_EXIT_USAGE = 2,
  CLI_EXIT_INVALID = 3,    /**< an input */
  CLI_EXIT_INFEASIBLE = 4, /**< valid, but no mapping satisfies a constraint */
  CLI_EXIT_OUTSIDE = 5,    /**< a file, memory or a solver failed */
  CLI_EXIT_INTERRUPTED = 130,
  CLI_EXIT_UNREAD = 141 /**< whoever read standard output has gone; as a shell reports SIGPIPE */
} cli_exit;

static inline cli_exit cli_exit_of(dsm_status status) {
  switch (status) {
  case DSM_OK:
    return CLI_EXIT_DONE;
  case DSM_ERROR_USAGE:
    return CLI_EXIT_USAGE;
  case DSM_ERROR_INVALID:
    return CLI_EXIT_INVALID;
  case DSM_ERROR_INFEASIBLE:
    return CLI_EXIT_INFEASIBLE;
  case DSM_ERROR_OUT_OF_MEMORY:
  case DSM_ERROR_IO:
  case DSM_STATUS_COUNT:
    break;
  }
  return CLI_EXIT_OUTSIDE;
}

static inline cli_exit cli_exit_max(cli_exit a, cli_exit b) {
  return a > b ? a : b;
}

#endif
