/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/run/sweep_view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/complain.h"
#include "cli/run/terminal.h"

#define LINE_SIZE 512
#define LINE_INTERVAL_SECONDS 0.1
#define LOG_INTERVAL_SECONDS 30

/* A text that grows; it is cut where it is full. */
typedef struct line {
  char text[LINE_SIZE];
  size_t length;
} line;

DSM_PRINTF(2, 3) static void add(line *to, const char *format, ...) {
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

/* As short as makes sense: "42 s", "3 min 20 s", "2 h 5 min". */
static void add_duration(line *to, double seconds) {
  const double most = 1e9; /* more is beyond counting */
  const unsigned long whole = (unsigned long)(seconds < most ? seconds + 0.5 : most);
  if (whole < 60) {
    add(to, "%lu s", whole);
  } else if (whole < 3600) {
    add(to, "%lu min %lu s", whole / 60, whole % 60);
  } else {
    add(to, "%lu h %lu min", whole / 3600, whole / 60 % 60);
  }
}

/* The values of the axes at a point, those of more than one value. */
static void add_point(line *to, const dsm_sweep *sweep, size_t point) {
  add(to, " at point %zu", point);
  const char *separator = ": ";
  for (size_t c = 0; c < sweep->column_count; c++) {
    if (sweep->axes[sweep->columns[c].axis].value_count > 1) {
      add(to, "%s%s", separator, dsm_sweep_value(sweep, point, c)->text);
      separator = ", ";
    }
  }
}

static void describe(line *to, const cli_progress *progress, const dsm_sweep_progress *at) {
  const double elapsed = cli_seconds_now() - progress->start_seconds;
  const size_t now = at->done - at->earlier;
  add(to, "%zu/%zu point%s", at->done, at->total, at->total == 1 ? "" : "s");
  if (now > 0 && elapsed > 0) {
    const double rate = (double)now / elapsed;
    add(to, rate < 10 ? ", %.2f/s, " : ", %.0f/s, ", rate);
    add_duration(to, (double)(at->total - at->done) / rate);
    add(to, " left");
  }
  if (progress->best_step_seconds > 0) {
    add(to, ", best step %.5g ms", 1e3 * progress->best_step_seconds);
    add_point(to, progress->sweep, progress->best_point);
  }
}

/* Makes visible what steers a terminal in a text of UTF-8, and cuts it to a number of columns. */
static void fit(line *text, size_t width) {
  char visible[LINE_SIZE];
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
static void rewrite(cli_progress *progress, const line *text) {
  const size_t rest =
      progress->line_length > text->length ? progress->line_length - text->length : 0;
  (void)fprintf(stderr, "\r%s%*s%s", text->text, (int)rest, "", text->length == 0 ? "\r" : "");
  (void)fflush(stderr);
  progress->line_length = text->length;
}

static void show(cli_progress *progress, const dsm_sweep_progress *at) {
  line text = {.length = 0};
  describe(&text, progress, at);
  if (progress->is_line) {
    fit(&text, cli_table_style(progress->arguments, stderr).width - 1);
    rewrite(progress, &text);
  } else {
    cli_say(progress->arguments, "%s", text.text);
  }
}

void cli_progress_begin(cli_progress *progress, const cli_arguments *arguments,
                        const dsm_sweep *sweep) {
  *progress = (cli_progress){.arguments = arguments,
                             .sweep = sweep,
                             .is_line = !arguments->is_quiet && isatty(STDERR_FILENO) == 1,
                             .start_seconds = cli_seconds_now()};
  progress->shown_seconds = progress->start_seconds;
}

void cli_progress_note(cli_progress *progress, const dsm_sweep_progress *at) {
  const dsm_point_result *const latest = at->latest;
  if (latest != NULL && latest->status == DSM_POINT_OK &&
      (progress->best_step_seconds <= 0 ||
       latest->result.step_seconds < progress->best_step_seconds)) {
    progress->best_step_seconds = latest->result.step_seconds;
    progress->best_point = latest->point;
  }
  const double interval = progress->is_line ? LINE_INTERVAL_SECONDS : LOG_INTERVAL_SECONDS;
  const double now = cli_seconds_now();
  if ((progress->is_line || progress->arguments->is_verbose) &&
      now - progress->shown_seconds >= interval) {
    progress->shown_seconds = now;
    show(progress, at);
  }
}

void cli_progress_end(cli_progress *progress, const dsm_sweep_progress *at) {
  const double elapsed = cli_seconds_now() - progress->start_seconds;
  if (progress->line_length > 0) {
    rewrite(progress, &(line){.length = 0});
  }
  if (progress->arguments->is_verbose) {
    const size_t now = at->done - at->earlier;
    cli_say(progress->arguments, "%zu point%s in %.3f s (%.1f/s), %zu recorded earlier", now,
            now == 1 ? "" : "s", elapsed, elapsed > 0 ? (double)now / elapsed : 0, at->earlier);
  }
}
