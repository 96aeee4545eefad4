/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/sweep_view.h"

#include "cli/run/complain.h"

/* The values of the axes at a point, those of more than one value. */
static void add_point(cli_status_text *to, const dsm_sweep *sweep, size_t point) {
  cli_status_add(to, " at point %zu", point);
  const char *separator = ": ";
  for (size_t c = 0; c < sweep->column_count; c++) {
    if (sweep->axes[sweep->columns[c].axis].value_count > 1) {
      cli_status_add(to, "%s%s", separator, dsm_sweep_value(sweep, point, c)->text);
      separator = ", ";
    }
  }
}

static void describe(cli_status_text *to, const cli_progress *progress,
                     const dsm_sweep_progress *at) {
  const double elapsed = cli_status_elapsed(&progress->line);
  const size_t now = at->done - at->earlier;
  cli_status_add(to, "%zu/%zu point%s", at->done, at->total, at->total == 1 ? "" : "s");
  if (now > 0 && elapsed > 0) {
    const double rate = (double)now / elapsed;
    cli_status_add(to, rate < 10 ? ", %.2f/s, " : ", %.0f/s, ", rate);
    cli_status_add_duration(to, (double)(at->total - at->done) / rate);
    cli_status_add(to, " left");
  }
  if (progress->best_step_seconds > 0) {
    cli_status_add(to, ", best step %.5g ms", 1e3 * progress->best_step_seconds);
    add_point(to, progress->sweep, progress->best_point);
  }
}

void cli_progress_begin(cli_progress *progress, const cli_arguments *arguments,
                        const dsm_sweep *sweep) {
  *progress = (cli_progress){.sweep = sweep};
  cli_status_begin(&progress->line, arguments);
}

void cli_progress_note(cli_progress *progress, const dsm_sweep_progress *at) {
  const dsm_point_result *const latest = at->latest;
  if (latest != NULL && latest->status == DSM_POINT_OK &&
      (progress->best_step_seconds <= 0 ||
       latest->result.step_seconds < progress->best_step_seconds)) {
    progress->best_step_seconds = latest->result.step_seconds;
    progress->best_point = latest->point;
  }
  if (cli_status_is_due(&progress->line)) {
    cli_status_text text = {.length = 0};
    describe(&text, progress, at);
    cli_status_show(&progress->line, &text);
  }
}

void cli_progress_end(cli_progress *progress, const dsm_sweep_progress *at) {
  const double elapsed = cli_status_elapsed(&progress->line);
  cli_status_end(&progress->line);
  if (progress->line.arguments->is_verbose) {
    const size_t now = at->done - at->earlier;
    cli_say(progress->line.arguments, "%zu point%s in %.3f s (%.1f/s), %zu recorded earlier", now,
            now == 1 ? "" : "s", elapsed, elapsed > 0 ? (double)now / elapsed : 0, at->earlier);
  }
}
