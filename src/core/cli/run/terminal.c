/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* TIOCGWINSZ is in no POSIX that is old enough */

#include "cli/run/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/parse/option_values.h"
#include "cli/run/program.h"

#define WIDTH_DEFAULT 100
#define WIDTH_MIN 40
#define WIDTH_MAX 1000

static bool is_empty(const char *text) {
  return text == NULL || text[0] == '\0';
}

/* mpirun gives rank 0 a terminal as standard output, also where its own is a file. */
bool cli_is_terminal(const cli_arguments *arguments, FILE *stream) {
  return stream != NULL && isatty(fileno(stream)) &&
         (arguments->program->has_terminal || stream != stdout);
}

bool cli_has_color(const cli_arguments *arguments, FILE *stream) {
  switch (arguments->color) {
  case CLI_COLOR_ALWAYS:
    return true;
  case CLI_COLOR_NEVER:
    return false;
  case CLI_COLOR_AUTO:
    break;
  }
  const char *const term = getenv("TERM");
  const bool is_dumb = term != NULL && strcmp(term, "dumb") == 0;
  return cli_is_terminal(arguments, stream) && is_empty(getenv("NO_COLOR")) && !is_dumb;
}

static size_t clamp_width(size_t width) {
  return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
}

static size_t width_of(const cli_arguments *arguments, FILE *stream) {
  const char *const columns = getenv("COLUMNS");
  size_t width;
  if (columns != NULL && cli_parse_size(columns, 1, SIZE_MAX, &width)) {
    return clamp_width(width);
  }
  struct winsize window;
  if (cli_is_terminal(arguments, stream) && ioctl(fileno(stream), TIOCGWINSZ, &window) == 0 &&
      window.ws_col > 0) {
    return clamp_width(window.ws_col);
  }
  return WIDTH_DEFAULT;
}

dsm_table_style cli_table_style(const cli_arguments *arguments, FILE *stream) {
  return (dsm_table_style){.width = width_of(arguments, stream),
                           .color = cli_has_color(arguments, stream),
                           .is_unfolded = arguments->is_unfolded,
                           .is_summary = arguments->is_summary,
                           .row_limit = arguments->top};
}

double cli_seconds_now(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
