/* SPDX-License-Identifier: GPL-3.0-or-later */
/* status_line.h: how far a long run is, on standard error: a line that is written again and again
 * on a terminal; elsewhere, with --verbose, a line now and then. No colour, and nothing with
 * --quiet. */
#ifndef DSM_CLI_RUN_STATUS_LINE_H
#define DSM_CLI_RUN_STATUS_LINE_H

#include "cli/parse/arguments.h"

enum { CLI_STATUS_SIZE = 512 };

/** A text that grows; it is cut where it is full. */
typedef struct cli_status_text {
  char text[CLI_STATUS_SIZE];
  size_t length;
} cli_status_text;

typedef struct cli_status_line {
  const cli_arguments *arguments;
  bool is_line;       /**< standard error is a terminal and may be written to */
  size_t line_length; /**< of the line that stands there now */
  double start_seconds;
  double shown_seconds; /**< when it was last shown */
} cli_status_line;

void cli_status_begin(cli_status_line *line, const cli_arguments *arguments);

/** Seconds since the begin. */
double cli_status_elapsed(const cli_status_line *line);

/** Whether something is to be shown now; then it is the next one's turn later. */
bool cli_status_is_due(cli_status_line *line);

void cli_status_show(cli_status_line *line, const cli_status_text *text);

/** Takes the line away. To be called before anything else is written to standard error. */
void cli_status_end(cli_status_line *line);

void cli_status_add(cli_status_text *to, const char *format, ...) DSM_PRINTF(2, 3);

/** As short as makes sense: "42 s", "3 min 20 s", "2 h 5 min". */
void cli_status_add_duration(cli_status_text *to, double seconds);

#endif
