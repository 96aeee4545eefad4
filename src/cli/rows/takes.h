/* SPDX-License-Identifier: GPL-3.0-or-later */
/* takes.h: what an operand, or the argument of an option, may be; for what lists or completes it.
 */
#ifndef DSM_CLI_ROWS_TAKES_H
#define DSM_CLI_ROWS_TAKES_H

/** Bits, of which several may be set. Words of an option are in its row, and need none. */
enum {
  CLI_TAKES_TEXT = 1 << 0,     /**< anything, such as a number: there is nothing to list */
  CLI_TAKES_WORKLOAD = 1 << 1, /**< a description of that kind: a file, or a name to look up */
  CLI_TAKES_SYSTEM = 1 << 2,
  CLI_TAKES_SERVER = 1 << 3,
  CLI_TAKES_SWEEP = 1 << 4,
  CLI_TAKES_PLAN = 1 << 5,
  CLI_TAKES_PROFILE = 1 << 6,
  CLI_TAKES_DATABASE = 1 << 7, /**< of a sweep */
  CLI_TAKES_FILE = 1 << 8,     /**< any file */
  CLI_TAKES_FOLDER = 1 << 9,
  CLI_TAKES_COMMAND = 1 << 10, /**< the name of a command of dsm */
  CLI_TAKES_LAYER = 1 << 11,   /**< the name of a layer of the first operand */
  CLI_TAKES_PATH = 1 << 12,    /**< a path of --set, and what follows its = */
  CLI_TAKES_AXIS = 1 << 13     /**< the same, or another path of an axis of a sweep */
};

/** Any description. */
#define CLI_TAKES_ANY_DESCRIPTION                                                                  \
  (CLI_TAKES_WORKLOAD | CLI_TAKES_SYSTEM | CLI_TAKES_SERVER | CLI_TAKES_SWEEP | CLI_TAKES_PLAN |   \
   CLI_TAKES_PROFILE)

#endif
