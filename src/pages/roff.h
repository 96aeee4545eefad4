/* SPDX-License-Identifier: GPL-3.0-or-later */
/* roff.h: a man page of a command, in the macros of man(7), from the tables of the command line. */
#ifndef DSM_PAGES_ROFF_H
#define DSM_PAGES_ROFF_H

#include <stdio.h>

#include "cli/rows/command.h"

/** What a page is about. */
typedef struct pages_subject {
  const char *name;           /**< of the page, such as dsm-explore */
  const char *call;           /**< what a command line begins with, such as dsm explore */
  const cli_command *command; /**< its row */
} pages_subject;

/** Writes the page. `date` and `version` stand in its head and foot. */
void pages_write(FILE *out, const pages_subject *subject, const char *date, const char *version);

#endif
