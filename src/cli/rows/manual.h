/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manual.h: what help and man pages say beside the tables of commands and options: exit codes,
 * environment, files.
 */
#ifndef DSM_CLI_ROWS_MANUAL_H
#define DSM_CLI_ROWS_MANUAL_H

#include "cli/rows/command.h"

/** A paragraph with a head: an exit code, a variable of the environment, a folder. */
typedef struct cli_manual_item {
  const char *head;
  const char *brief;  /**< a few words, for the help; NULL: not there */
  const char *detail; /**< what a man page says */
  unsigned commands;  /**< bits of the commands that it concerns */
} cli_manual_item;

typedef struct cli_manual_list {
  const char *title; /**< of the section */
  const cli_manual_item *items;
  size_t count;
} cli_manual_list;

extern const cli_manual_list cli_exit_codes;
extern const cli_manual_list cli_environment;
extern const cli_manual_list cli_files;

/** The program `dsm-mpi`, whose only command is `sweep`, as a row for its man page. */
extern const cli_command cli_mpi_program;

#endif
