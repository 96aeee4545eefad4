/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/figure/plot_plan.h"

#include <inttypes.h>
#include <math.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "report/folded_name.h"
#include "report/largest.h"
#include "report/table/number_style.h"
#include "system/system_internal.h"

static void (*const makers[])(dsm__plot_maker *maker, const dsm_plan *plan) = {
    [DSM_PLAN_FIGURE_LOSS] = dsm__plot_loss,
    [DSM_PLAN_FIGURE_TIME] = dsm__plot_time,
    [DSM_PLAN_FIGURE_SPLITS] = dsm__plot_splits,
    [DSM_PLAN_FIGURE_ROOFLINE] = dsm__plot_roofline,
    [DSM_PLAN_FIGURE_MEMORY] = dsm__plot_memory,
    [DSM_PLAN_FIGURE_STORAGE] = dsm__plot_supply,
    [DSM_PLAN_FIGURE_MINI_EPOCHS] = dsm__plot_mini_epochs,
    [DSM_PLAN_FIGURE_IO_ROOFLINE] = dsm__plot_io_roofline,
};
_Static_assert(DSM__COUNT_OF(makers) == DSM_PLAN_FIGURE_COUNT, "each figure can be made");

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

/* ---- layers ---- */

/* What the layers of a row take, of all passes, and what of it is no useful work. */
static double cycles_of(const dsm_plan *plan, const dsm__fold_row *of, bool is_lost) {
  double cycles = 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass_plan *const pass = &plan->layers[of->first].passes[p];
    if (pass->exists) {
      cycles += (double)of->count * (pass->cycles.total - (is_lost ? pass->ideal_cycles : 0));
    }
  }
  return cycles;
}

/* Of each row: does a figure show it? A report shows the `most` that lose most. NULL if out of
 * memory. */
static const bool *choose(dsm__plot_maker *maker, const dsm_plan *plan, const dsm__folding *folding,
                          size_t most) {
  double *lost;
  if (!DSM__RESERVE(maker->arena, lost, folding->row_count)) {
    return NULL;
  }
  for (size_t row = 0; row < folding->row_count; row++) {
    lost[row] = cycles_of(plan, &folding->rows[row], true);
  }
  return dsm__largest(lost, folding->row_count, maker->is_in_page ? most : 0, maker->arena);
}

/* What a report leaves out; NULL: nothing. */
static const char *left_out_text(dsm__plot_maker *maker, const dsm_plan *plan,
                                 const dsm__folding *folding, const bool *is_shown) {
  size_t layers = 0;
  double cycles = 0;
  for (size_t row = 0; row < folding->row_count; row++) {
    layers += is_shown[row] ? 0 : folding->rows[row].count;
    cycles += is_shown[row] ? 0 : cycles_of(plan, &folding->rows[row], false);
  }
  if (layers == 0) {
    return NULL;
  }
  return dsm__plot_text(
      maker,
      "Shown are the %zu layers that lose most time, in order of execution; the other %s of %s "
      "take %s %% of the step.",
      plan->layer_count - layers, dsm__figure_count(layers).text,
      dsm__figure_count(plan->layer_count).text,
      dsm__figure_fixed(100 * dsm__share(cycles, dsm__step_cycles(plan)), 1).text);
}

/* "conv1", "24 x encoder.0..23.qkv". */
static const char *row_name(dsm__plot_maker *maker, const dsm_plan *plan,
                            const dsm__folding *folding, size_t row) {
  const size_t count = folding->rows[row].count;
  const char *const name = dsm__fold_row_name(maker->arena, plan, folding, row);
  return name == NULL || count == 1 ? name : dsm__plot_text(maker, "%zu \xC3\x97 %s", count, name);
}

/* Fills the layers of the rows that are shown. */
static bool list_layers(dsm__plot_maker *maker, const dsm_plan *plan, const dsm__folding *folding,
                        const bool *is_shown, dsm__plot_layers *layers) {
  size_t *items;
  size_t *counts;
  const char **names;
  bool is_ready = DSM__RESERVE(maker->arena, items, folding->row_count) &&
                  DSM__RESERVE(maker->arena, counts, folding->row_count) &&
                  DSM__RESERVE(maker->arena, names, folding->row_count);
  for (size_t row = 0; is_ready && row < folding->row_count; row++) {
    if (is_shown[row]) {
      items[layers->count] = folding->rows[row].first;
      counts[layers->count] = folding->rows[row].count;
      names[layers->count] = row_name(maker, plan, folding, row);
      is_ready = names[layers->count++] != NULL;
    }
  }
  if (is_ready) {
    layers->items = items;
    layers->counts = counts;
    layers->names = dsm__plot_fit_all(maker, names, layers->count, DSM__SIZE_SMALL, HUGE_VAL);
  }
  return is_ready;
}

dsm__plot_layers dsm__plot_layers_of(dsm__plot_maker *maker, const dsm_plan *plan, bool is_folded,
                                     size_t most) {
  dsm__folding folding;
  dsm__plot_layers layers = {.count = 0};
  const bool *const is_shown =
      dsm__fold_plan(&folding, plan, !is_folded || maker->is_unfolded, maker->arena)
          ? choose(maker, plan, &folding, most)
          : NULL;
  if (is_shown == NULL || !list_layers(maker, plan, &folding, is_shown, &layers)) {
    maker->body.failed = true;
    return (dsm__plot_layers){.count = 0};
  }
  layers.note = left_out_text(maker, plan, &folding, is_shown);
  return layers;
}

/* ---- the parts of a time ---- */

void dsm__parts_use(dsm__parts_used *used, const dsm__time_parts *parts) {
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    used->is_used[part] = used->is_used[part] || parts->cycles[part] > 0;
  }
}

void dsm__parts_put(dsm__plot_maker *maker, dsm__panel_axis x, const dsm__time_parts *parts,
                    double total, const char *about) {
  const double scale = 100 / total;
  double low = 0;
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    const double percent = scale * parts->cycles[part];
    if (percent > 0) {
      dsm__mark_box(maker, x, (dsm__panel_axis){.low = low, .high = low + percent},
                    dsm__color_of_part((dsm__time_part)part),
                    dsm__plot_text(maker, "%s: %s, %s %%", about,
                                   dsm__part_phrase((dsm__time_part)part),
                                   dsm__figure_fixed(percent, 1).text));
      low += percent;
    }
  }
}

double dsm__parts_legend(dsm__plot_maker *maker, const dsm__parts_used *used,
                         const dsm__legend_entry *last) {
  dsm__legend_entry entries[DSM__PART_COUNT + 1];
  size_t count = 0;
  for (int part = 0; part < DSM__PART_COUNT; part++) {
    if (used->is_used[part]) {
      entries[count++] = (dsm__legend_entry){.color = dsm__color_of_part((dsm__time_part)part),
                                             .text = dsm__part_phrase((dsm__time_part)part)};
    }
  }
  if (last != NULL) {
    entries[count++] = *last;
  }
  return dsm__plot_legend(maker, entries, count);
}

/* ---- the time of a step ---- */

double dsm__plot_ms_per_cycle(const dsm_plan *plan) {
  return DSM__MS_PER_SECOND / dsm__hertz(plan->system->core.frequency_GHz);
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
                     (dsm__point){turn, area.top + area.height}, DSM__COLOR_STRONG);
      break;
    }
  }
  put_way(maker, area.left, turn, area.top, "forward");
  put_way(maker, turn, area.left + area.width, area.top, "backward and weight update");
}

const char *dsm__plot_column_text(dsm__plot_maker *maker, const dsm__step_timeline *step,
                                  const dsm__step_column *column) {
  const dsm__step_span *const first = &step->spans[column->first];
  const dsm__step_span *const last = first + (column->count - 1);
  const dsm__figure ms = dsm__figure_digits(column->cycles * dsm__plot_ms_per_cycle(step->plan), 4);
  const char *const begin =
      dsm__plot_text(maker, "%s %s", dsm__step_name(step, first), dsm_pass_name(first->pass));
  return column->count == 1 ? dsm__plot_text(maker, "%s, %s ms", begin, ms.text)
                            : dsm__plot_text(maker, "%s to %s %s (%zu passes), %s ms", begin,
                                             dsm__step_name(step, last), dsm_pass_name(last->pass),
                                             column->pass_count, ms.text);
}

const char *dsm__plot_joined_text(dsm__plot_maker *maker, size_t joined) {
  return joined == 0
             ? NULL
             : dsm__plot_text(maker, "%s short passes are joined", dsm__figure_count(joined).text);
}

/* ---- heading ---- */

void dsm__plot_plan_heading(dsm__plot_maker *maker, const dsm_plan *plan, const char *what,
                            const char *also) {
  maker->note = also;
  const dsm_system *const system = plan->system;
  const dsm_plan_result *const result = &plan->result;
  const char *const title =
      dsm__plot_text(maker, "%s on %s: %s", plan->workload->name, system->name, what);
  const char *const below = dsm__plot_text(maker,
                                           "%s, minibatch %s, %s; step %s ms, utilization %s %%"
                                           "%s%s",
                                           dsm_mode_name(plan->options.mode),
                                           dsm__figure_count(plan->workload->minibatch).text,
                                           dsm__chips_text_of(system, " \xC3\x97 ").text,
                                           dsm__figure_digits(1000 * result->step_seconds, 4).text,
                                           dsm__figure_fixed(100 * result->utilization, 1).text,
                                           also == NULL ? "" : "; ", also == NULL ? "" : also);
  dsm__plot_heading(maker, title, below);
}

dsm_status dsm_plot_plan(dsm_plot **plot, const dsm_plan *plan, dsm_plan_figure figure,
                         bool is_unfolded, dsm_diags *diags) {
  dsm__plot_maker maker;
  *plot = NULL;
  if (figure >= DSM_PLAN_FIGURE_STORAGE &&
      !(plan->result.storage.job.demand_bytes_per_second > 0)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a workload with a \"dataset\" on a system with \"storage\" for "
                       "figure %s, found %s on %s",
                       dsm_plan_figure_name(figure), plan->workload->name, plan->system->name);
  }
  const dsm_status status = dsm__plot_begin(&maker, diags);
  if (status != DSM_OK) {
    return status;
  }
  maker.is_unfolded = is_unfolded;
  makers[figure](&maker, plan);
  return dsm__plot_finish(&maker, plot, diags);
}
