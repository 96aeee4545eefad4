/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/plot_plan.h"

#include <inttypes.h>

#include "report/figure/plot_metrics.h"
#include "report/table/number_style.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static void (*const makers[])(dsm__plot_maker *maker, const dsm_plan *plan) = {
    [DSM_PLAN_FIGURE_LOSS] = dsm__plot_loss,     [DSM_PLAN_FIGURE_TIME] = dsm__plot_time,
    [DSM_PLAN_FIGURE_SPLITS] = dsm__plot_splits, [DSM_PLAN_FIGURE_ROOFLINE] = dsm__plot_roofline,
    [DSM_PLAN_FIGURE_MEMORY] = dsm__plot_memory,
};
_Static_assert(COUNT_OF(makers) == DSM_PLAN_FIGURE_COUNT, "each figure can be made");

dsm__plot_passes dsm__plot_passes_of(const dsm_plan *plan) {
  dsm__plot_passes passes = {.count = 0};
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    bool exists = false;
    for (size_t i = 0; i < plan->layer_count && !exists; i++) {
      exists = plan->layers[i].passes[p].exists;
    }
    if (exists) {
      passes.of[passes.count++] = (dsm_pass)p;
    }
  }
  return passes;
}

void dsm__plot_put_pass(dsm__text_buffer *data, size_t layer, dsm_pass pass) {
  dsm__text_printf(data, "%zu\t%s\t", layer + 1, dsm_pass_name(pass));
}

const char *dsm__plot_every(dsm__plot_maker *maker, const dsm_plan *plan, dsm_pass pass,
                            size_t first, size_t end) {
  size_t before = 0;
  size_t count = 0;
  for (int p = 0; p <= (int)pass; p++) {
    for (size_t i = 0; i < plan->layer_count; i++) {
      const bool exists = plan->layers[i].passes[p].exists;
      before += exists && (p < (int)pass || i < first) ? 1 : 0;
      count += exists && p == (int)pass && i >= first && i < end ? 1 : 0;
    }
  }
  /* There is a line in any case, which of(pass) may leave out. */
  return count == 0 ? " every ::0::0"
                    : dsm__plot_text(maker, " every ::%zu::%zu", before, before + count - 1);
}

void dsm__plot_define_of(dsm__plot_maker *maker) {
  dsm__text_puts(&maker->body, "of(pass) = strcol(2) eq pass ? column(1) : NaN\n");
}

/* ---- the parts of a time ---- */

size_t dsm__plot_part_entries(const dsm__used_parts *used,
                              dsm__legend_entry entries[DSM__PART_COUNT]) {
  size_t count = 0;
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    if (used->is_used[part]) {
      entries[count++] = (dsm__legend_entry){.color = dsm__color_of_part((dsm__time_part)part),
                                             .text = dsm__part_phrase((dsm__time_part)part)};
    }
  }
  return count;
}

void dsm__plot_name_parts(dsm__text_buffer *data) {
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    dsm__text_printf(data, "\t%s", dsm__part_phrase((dsm__time_part)part));
  }
}

void dsm__plot_put_parts(dsm__text_buffer *data, const dsm__time_parts *parts,
                         dsm__used_parts *used) {
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    dsm__plot_put_number(data, parts->cycles[part]);
    used->is_used[part] = used->is_used[part] || parts->cycles[part] > 0;
  }
}

void dsm__plot_define_parts(dsm__plot_maker *maker, const dsm__used_parts *used) {
  dsm__text_buffer *const body = &maker->body;
  dsm__text_puts(body, "colors = \"");
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    dsm__text_printf(body, "%s%s", part > 0 ? " " : "", dsm__color_of_part((dsm__time_part)part));
  }
  dsm__text_puts(body, "\"\nparts = \"");
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    if (used->is_used[part]) {
      dsm__text_printf(body, "%d ", part + DSM__PART_COLUMN);
    }
  }
  dsm__text_printf(body,
                   "\"\nhigh(k) = 100 * (sum [i=%d:int(k)] column(i)) / column(%d)\n"
                   "low(k) = high(k) - 100 * column(int(k)) / column(%d)\n"
                   "color(k) = word(colors,k-%d)\n",
                   DSM__PART_COLUMN, DSM__PART_COLUMN - 1, DSM__PART_COLUMN - 1,
                   DSM__PART_COLUMN - 1);
}

/* ---- the time of a step ---- */

double dsm__plot_ms_per_cycle(const dsm_plan *plan) {
  static const double ms_per_s = 1e3;
  static const double hertz_per_GHz = 1e9;
  return ms_per_s / (plan->system->core.frequency_GHz * hertz_per_GHz);
}

/* What runs between two places of the row above a panel, if that fits between them. */
static void put_way(dsm__plot_maker *maker, double left, double right, double bottom,
                    const char *text) {
  const double gap = 4;
  if (dsm__plot_text_width(text, DSM__SIZE_SMALL) + gap <= right - left) {
    dsm__plot_label(maker, (dsm__point){(left + right) / 2, bottom - DSM__WAYS_HEIGHT / 2},
                    (dsm__label_style){.size = DSM__SIZE_SMALL, .anchor = DSM__ANCHOR_CENTER},
                    text);
  }
}

void dsm__plot_ways(dsm__plot_maker *maker, const dsm__step_timeline *step, dsm__area area) {
  double turn = area.left + area.width;
  for (size_t i = 0; i < step->span_count; i++) {
    if (step->spans[i].pass != DSM_PASS_FORWARD) {
      turn = area.left + area.width * step->spans[i].begin_cycles / step->plan->result.step_cycles;
      dsm__plot_line(maker, (dsm__point){turn, area.top - DSM__WAYS_HEIGHT / 2},
                     (dsm__point){turn, area.top + area.height}, "#444444");
      break;
    }
  }
  put_way(maker, area.left, turn, area.top, "forward");
  put_way(maker, turn, area.left + area.width, area.top, "backward and weight update");
}

/* ---- heading ---- */

double dsm__plot_plan_heading(dsm__plot_maker *maker, const dsm_plan *plan, const char *what,
                              const char *also) {
  const dsm_system *const system = plan->system;
  const dsm_plan_result *const result = &plan->result;
  const char *const title =
      dsm__plot_text(maker, "%s on %s: %s", plan->workload->name, system->name, what);
  const char *const below = dsm__plot_text(
      maker,
      "%s, minibatch %s, %" PRIu64 " \xC3\x97 %" PRIu64 " chips; step %s ms, utilization %s %%"
      "%s%s",
      dsm_mode_name(plan->options.mode), dsm__figure_count(plan->workload->minibatch).text,
      system->system.chips_x, system->system.chips_y,
      dsm__figure_digits(1000 * result->step_seconds, 4).text,
      dsm__figure_fixed(100 * result->utilization, 1).text, also == NULL ? "" : "; ",
      also == NULL ? "" : also);
  return dsm__plot_heading(maker, title, below);
}

dsm_status dsm_plot_plan(dsm_plot **plot, const dsm_plan *plan, dsm_plan_figure figure,
                         dsm_diags *diags) {
  dsm__plot_maker maker;
  *plot = NULL;
  const dsm_status status = dsm__plot_begin(&maker, diags);
  if (status != DSM_OK) {
    return status;
  }
  makers[figure](&maker, plan);
  return dsm__plot_finish(&maker, plot, diags);
}
