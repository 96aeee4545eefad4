/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/run/status_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/complain.h"
#include "cli/run/terminal.h"

#define LINE_INTERVAL_SECONDS 0.1
#define LOG_INTERVAL_SECONDS 30

void cli_status_add(cli_status_text *to, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(to->text + to->length, sizeof to->text - to->length, format, args);
  va_end(args);
  if (length > 0) {
    to->length += (size_t)length;
  }
  if (to->length >= sizeof to->text) {
    to->length = sizeof to->text - 1;
  }
}

void cli_status_add_duration(cli_status_text *to, double seconds) {
  const double most = 1e9; /* more is beyond counting */
  const unsigned long whole = (unsigned long)(seconds < most ? seconds + 0.5 : most);
  if (whole < 60) {
    cli_status_add(to, "%lu s", whole);
  } else if (whole < 3600) {
    cli_status_add(to, "%lu min %lu s", whole / 60, whole % 60);
  } else {
    cli_status_add(to, "%lu h %lu min", whole / 3600, whole / 60 % 60);
  }
}

/* Makes visible what steers a terminal in a text of UTF-8, and cuts it to a number of columns. */
static void fit(cli_status_text *text, size_t width) {
  char visible[CLI_STATUS_SIZE];
  dsm_text_make_visible(visible, sizeof visible, text->text);
  memcpy(text->text, visible, sizeof visible);
  text->length = strlen(visible);
  size_t columns = 0;
  for (size_t i = 0; i < text->length; i++) {
    const unsigned char byte = (unsigned char)text->text[i];
    columns += (byte & 0xC0U) == 0x80U ? 0 : 1;
    if (columns > width) {
      text->length = i;
      text->text[i] = '\0';
    }
  }
}

/* Writes over the line that stands there. */
static void rewrite(cli_status_line *line, const cli_status_text *text) {
  const size_t rest = line->line_length > text->length ? line->line_length - text->length : 0;
  (void)fprintf(stderr, "\r%s%*s%s", text->text, (int)rest, "", text->length == 0 ? "\r" : "");
  (void)fflush(stderr);
  line->line_length = text->length;
}

void cli_status_begin(cli_status_line *line, const cli_arguments *arguments) {
  *line = (cli_status_line){.arguments = arguments,
                            .is_line = !arguments->is_quiet && isatty(STDERR_FILENO) == 1,
                            .start_seconds = cli_seconds_now()};
  line->shown_seconds = line->start_seconds;
}

double cli_status_elapsed(const cli_status_line *line) {
  return cli_seconds_now() - line->start_seconds;
}

bool cli_status_is_due(cli_status_line *line) {
  const double interval = line->is_line ? LINE_INTERVAL_SECONDS : LOG_INTERVAL_SECONDS;
  const double now = cli_seconds_now();
  const bool is_due =
      (line->is_line || line->arguments->is_verbose) && now - line->shown_seconds >= interval;
  line->shown_seconds = is_due ? now : line->shown_seconds;
  return is_due;
}

void cli_status_show(cli_status_line *line, const cli_status_text *text) {
  if (!line->is_line) {
    cli_say(line->arguments, "%s", text->text);
    return;
  }
  cli_status_text fitted = *text;
  fit(&fitted, cli_table_style(line->arguments, stderr).width - 1);
  rewrite(line, &fitted);
}

void cli_status_end(cli_status_line *line) {
  if (line->line_length > 0) {
    rewrite(line, &(cli_status_text){.length = 0});
  }
}
