/* SPDX-License-Identifier: GPL-3.0-or-later */
/* remat_table.c: schedules that compute again, and pipelines of them, for people. */
#include "dsm/remat.h"

#include <string.h>

#include "report/answer.h"
#include "report/table/describe_table.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

enum { LABEL_WIDTH = 9, POINTS_SHOWN = 20 };

static const char *bytes_text(dsm__page *page, double bytes) {
  return dsm__page_text(page, "%s", dsm__figure_scaled(bytes, "B").text);
}

static const char *time_text(dsm__page *page, double seconds) {
  return dsm__page_text(page, "%s", dsm__figure_digits(1e3 * seconds, 4).text);
}

/* "6.43": how much more it is, in per cent. */
static const char *more_text(dsm__page *page, double value, double base) {
  const double percent = base > 0 ? 100 * (value / base - 1) : 0;
  return dsm__page_text(page, "%s", dsm__figure_fixed(percent > 0 ? percent : 0, 2).text);
}

/* ---- what is done with each stage ---- */

/* How a stage is run. */
typedef struct stage_use {
  size_t option;   /* with which it runs backward */
  size_t forwards; /* passes */
} stage_use;

static stage_use *uses_of(dsm__page *page, const dsm_remat_result *result) {
  stage_use *const uses = dsm__arena_array(page->arena, result->chain->stage_count, sizeof *uses);
  for (size_t i = 0; uses != NULL && i < result->step_count; i++) {
    const dsm_remat_step *const step = &result->steps[i];
    if (step->action == DSM_REMAT_BACKWARD) {
      uses[step->stage].option = step->option;
    } else {
      uses[step->stage].forwards++;
    }
  }
  page->out.failed = page->out.failed || uses == NULL;
  return uses;
}

/* Are two neighbours shown as one? */
static bool is_alike(const dsm_remat_chain *chain, const stage_use *uses, size_t a, size_t b) {
  const dsm_remat_option *const one = &chain->stages[a].options[uses[a].option];
  const dsm_remat_option *const other = &chain->stages[b].options[uses[b].option];
  return uses[a].forwards == uses[b].forwards && one->saved_bytes == other->saved_bytes &&
         strcmp(one->name, other->name) == 0;
}

static const dsm__table_column use_columns[] = {
    {.title = "stages", .is_name = true, .comfort = 30},
    {.title = "count", .gap = 2, .is_right = true},
    {.title = "forward", .gap = 2, .is_right = true},
    {.title = "saved", .gap = 2, .is_right = true},
    {.title = "option", .gap = 2, .is_name = true, .comfort = 40},
};

static const char *names_of(dsm__page *page, const dsm_remat_chain *chain, size_t first,
                            size_t last) {
  return first == last ? chain->stages[first].name
                       : dsm__page_text(page, "%s .. %s", chain->stages[first].name,
                                        chain->stages[last].name);
}

static void put_uses(dsm__page *page, const dsm_remat_result *result) {
  const dsm_remat_chain *const chain = result->chain;
  const stage_use *const uses = uses_of(page, result);
  if (uses == NULL) {
    return;
  }
  dsm__table table = DSM__TABLE(page, use_columns);
  size_t first = 0;
  for (size_t s = 0; s < chain->stage_count; s++) {
    if (s + 1 == chain->stage_count || !is_alike(chain, uses, s, s + 1)) {
      const dsm_remat_option *const option = &chain->stages[first].options[uses[first].option];
      DSM__TABLE_TEXTS(&table, names_of(page, chain, first, s),
                       dsm__page_text(page, "%zu", s + 1 - first),
                       dsm__page_text(page, "%zux", uses[first].forwards),
                       bytes_text(page, option->saved_bytes), option->name);
      first = s + 1;
    }
  }
  dsm__page_break(page);
  dsm__table_print(&table);
}

/* ---- over all budgets ---- */

static const dsm__table_column point_columns[] = {
    {.title = "budget", .is_right = true},
    {.title = "% of all", .gap = 2, .is_right = true},
    {.title = "ms", .gap = 2, .is_right = true},
    {.title = "% more", .gap = 2, .is_right = true},
};

static void put_points(dsm__page *page, const dsm_remat_result *result) {
  const size_t count = result->point_count;
  const size_t shown = count < POINTS_SHOWN ? count : POINTS_SHOWN;
  dsm__table table = DSM__TABLE(page, point_columns);
  for (size_t i = 0; i < shown; i++) {
    const size_t at = shown == 1 ? 0 : i * (count - 1) / (shown - 1);
    const dsm_remat_point *const point = &result->points[at];
    const double part = result->full.peak_bytes > 0 ? point->bytes / result->full.peak_bytes : 1;
    DSM__TABLE_TEXTS(&table, bytes_text(page, point->bytes), dsm__figure_fixed(100 * part, 1).text,
                     time_text(page, point->seconds),
                     more_text(page, point->seconds, result->full.seconds));
  }
  dsm__page_heading(page, "Times over budgets%s",
                    shown < count
                        ? dsm__page_text(page, " (%zu of %zu: CSV and JSON have all)", shown, count)
                        : "");
  dsm__table_print(&table);
}

/* ---- a schedule ---- */

void dsm__show_remat(dsm__page *page, const dsm_answer *answer) {
  const dsm_remat_result *const result = answer->of;
  const dsm_remat_chain *const chain = result->chain;
  dsm__page_line(page, DSM__STYLE_HEADING, "%s: %zu stage%s within %s", chain->name,
                 chain->stage_count, chain->stage_count == 1 ? "" : "s",
                 bytes_text(page, result->budget_bytes));
  dsm__page_break(page);
  dsm__page_labelled(page, LABEL_WIDTH, "step",
                     "%s ms, %s %% more than %s ms when everything is kept",
                     time_text(page, result->run.seconds),
                     more_text(page, result->run.seconds, result->full.seconds),
                     time_text(page, result->full.seconds));
  dsm__page_labelled(page, LABEL_WIDTH, "memory",
                     "%s at the peak; keeping everything needs %s, and every schedule at least %s",
                     bytes_text(page, result->run.peak_bytes),
                     bytes_text(page, result->full.peak_bytes),
                     bytes_text(page, result->smallest_bytes));
  dsm__page_labelled(page, LABEL_WIDTH, "again",
                     "%zu forward pass%s of whole stages, beside what options recompute",
                     result->run.repeated, result->run.repeated == 1 ? "" : "es");
  if (result->point_count > 0) {
    put_points(page, result);
  } else {
    put_uses(page, result);
  }
}

/* ---- pipelines ---- */

static const dsm__table_column case_columns[] = {
    {.title = "micro-batches", .is_right = true},
    {.title = "order", .gap = 2},
    {.title = "sharing", .gap = 2},
    {.title = "ms", .gap = 2, .is_right = true},
    {.title = "waiting %", .gap = 2, .is_right = true},
    {.title = "again %", .gap = 2, .is_right = true},
    {.title = "peak", .gap = 2, .is_right = true, .rank = 1},
};

static void put_cases(dsm__page *page, const dsm_remat_pipeline *of) {
  dsm__table table = DSM__TABLE(page, case_columns);
  for (size_t i = 0; i < of->case_count; i++) {
    const dsm_remat_pipeline_case *const one = &of->cases[i];
    const dsm__text_style style = i == of->best ? DSM__STYLE_HEADING : DSM__STYLE_PLAIN;
    double overhead = 0;
    double peak = 0;
    for (size_t d = 0; d < of->device_count; d++) {
      const dsm_remat_device *const device = &one->devices[d];
      overhead = device->overhead > overhead ? device->overhead : overhead;
      peak = device->peak_bytes > peak ? device->peak_bytes : peak;
    }
    DSM__TABLE_STYLED(&table, style, dsm__figure_count(one->micro_batches).text,
                      dsm_remat_order_name(one->order), dsm_remat_sharing_name(one->sharing));
    if (one->is_feasible) {
      DSM__TABLE_STYLED(&table, style, time_text(page, one->seconds),
                        dsm__figure_fixed(100 * (one->bubble > 0 ? one->bubble : 0), 1).text,
                        dsm__figure_fixed(100 * overhead, 1).text, bytes_text(page, peak));
    } else {
      DSM__TABLE_STYLED(&table, DSM__STYLE_FAINT, "does not fit", "", "",
                        dsm__page_text(page, "from %s", bytes_text(page, one->smallest_bytes)));
    }
  }
  dsm__page_break(page);
  dsm__table_print(&table);
}

static const dsm__table_column device_columns[] = {
    {.title = "device", .is_right = true},
    {.title = "stages", .gap = 2, .is_name = true, .comfort = 30},
    {.title = "count", .gap = 2, .is_right = true},
    {.title = "stored", .gap = 2, .is_right = true},
    {.title = "busy ms", .gap = 2, .is_right = true},
    {.title = "again %", .gap = 2, .is_right = true},
    {.title = "peak", .gap = 2, .is_right = true},
};

static void put_devices(dsm__page *page, const dsm_remat_pipeline *of) {
  dsm__table table = DSM__TABLE(page, device_columns);
  for (size_t d = 0; d < of->device_count; d++) {
    const dsm_remat_device *const device = &of->cases[of->best].devices[d];
    const size_t last = device->first_stage + device->stage_count - 1;
    DSM__TABLE_TEXTS(&table, dsm__page_text(page, "%zu", d),
                     names_of(page, of->chain, device->first_stage, last),
                     dsm__page_text(page, "%zu", device->stage_count),
                     dsm__figure_count(device->stored).text, time_text(page, device->busy_seconds),
                     dsm__figure_fixed(100 * (device->overhead > 0 ? device->overhead : 0), 1).text,
                     bytes_text(page, device->peak_bytes));
  }
  dsm__page_heading(page, "Devices of the fastest");
  dsm__table_print(&table);
}

void dsm__show_remat_pipeline(dsm__page *page, const dsm_answer *answer) {
  const dsm_remat_pipeline *const pipeline = answer->of;
  const dsm_remat_pipeline_case *const best = &pipeline->cases[pipeline->best];
  dsm__page_line(page, DSM__STYLE_HEADING,
                 "%s: %zu stages on %zu device%s within %s each: %s ms, %s micro-batch%s, %s, %s",
                 pipeline->chain->name, pipeline->chain->stage_count, pipeline->device_count,
                 pipeline->device_count == 1 ? "" : "s", bytes_text(page, pipeline->budget_bytes),
                 time_text(page, best->seconds), dsm__figure_count(best->micro_batches).text,
                 best->micro_batches == 1 ? "" : "es", dsm_remat_order_name(best->order),
                 dsm_remat_sharing_name(best->sharing));
  put_cases(page, pipeline);
  put_devices(page, pipeline);
}

/* ---- a chain ---- */

static const dsm__table_column stage_columns[] = {
    {.title = "stages", .is_name = true, .comfort = 30},
    {.title = "count", .gap = 2, .is_right = true},
    {.title = "forward ms", .gap = 2, .is_right = true},
    {.title = "backward ms", .gap = 2, .is_right = true},
    {.title = "saved", .gap = 2, .is_right = true},
    {.title = "output", .gap = 2, .is_right = true},
    {.title = "options", .gap = 2, .is_right = true, .rank = 1},
};

void dsm__describe_chain(dsm__page *page, const dsm_remat_chain *chain) {
  dsm__page_line(page, DSM__STYLE_PLAIN,
                 "%zu stage%s, minibatch %s, %s ms when nothing is recomputed", chain->stage_count,
                 chain->stage_count == 1 ? "" : "s", dsm__figure_count(chain->minibatch).text,
                 time_text(page, dsm_remat_chain_seconds(chain)));
  dsm__describe_source(page, chain->source);
  dsm__table table = DSM__TABLE(page, stage_columns);
  size_t first = 0;
  for (size_t s = 0; s < chain->stage_count; s++) {
    const dsm_remat_stage *const stage = &chain->stages[s];
    if (s + 1 == chain->stage_count || stage[1].options != stage->options) {
      DSM__TABLE_TEXTS(
          &table, names_of(page, chain, first, s), dsm__page_text(page, "%zu", s + 1 - first),
          time_text(page, stage->options[0].forward_seconds),
          time_text(page, stage->options[0].backward_seconds),
          bytes_text(page, stage->options[0].saved_bytes), bytes_text(page, stage->output_bytes),
          dsm__page_text(page, "%zu", stage->option_count));
      first = s + 1;
    }
  }
  dsm__table_print(&table);
}
