/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot_storage.c: what storage delivers, to a plan or to whatever was asked for: over the repeating
 * factor, over time, and under the roof of reading. */
#include "report/figure/plot_storage.h"

#include <math.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "report/table/number_style.h"
#include "supply/storage_internal.h"

static const double left_margin = 92;
static const double right_margin = 34;
static const double panel_gap = 16;
static const double axis_height = 38;

static dsm__area area_of(const dsm__plot_maker *maker, double top, double height) {
  return (dsm__area){left_margin, top, maker->width - left_margin - right_margin, height};
}

/* In a report it is the note alone. */
static void put_heading(dsm__plot_maker *maker, const dsm__stored *of, const char *what,
                        const char *also) {
  const dsm_storage_job *const job = &of->result->job;
  if (of->plan != NULL) {
    dsm__plot_plan_heading(maker, of->plan, what, also);
    return;
  }
  maker->note = also == NULL ? NULL : dsm__plot_text(maker, "Shown: %s", also);
  dsm__plot_heading(maker, dsm__plot_text(maker, "%s: %s", of->result->name, what),
                    dsm__plot_text(maker,
                                   "%s samples/s are %s; fast storage %s, capacity tier %s%s%s",
                                   dsm__figure_digits(job->samples_per_second, 4).text,
                                   dsm__figure_scaled(job->demand_bytes_per_second, "B/s").text,
                                   dsm__figure_scaled(job->fast_bytes_per_second, "B/s").text,
                                   dsm__figure_scaled(job->capacity_bytes_per_second, "B/s").text,
                                   also == NULL ? "" : "; ", also == NULL ? "" : also));
}

/* ---- over the repeating factor ---- */

enum { STEPS_A_DOUBLING = 4 };

/* What is drawn below each other. */
typedef struct factor_panel {
  dsm__point *curve;
  const char *color;
  const char *text;
  const char *unit;
  double most;
  double own; /* of the answer; of a list its mean */
} factor_panel;

/* What the answer's own factor is. */
static const char *own_text(dsm__plot_maker *maker, const dsm__stored *of) {
  const dsm_storage_result *const result = of->result;
  const double repeat = result->state.repeat;
  return dsm__plot_text(maker, "%s%s time%s", result->repeat_count > 0 ? "on average " : "",
                        dsm__figure_short(repeat, 4).text, dsm__plural(repeat));
}

static dsm_storage_state state_with(const dsm__stored *of, double repeat) {
  return dsm_storage_steady(&of->result->job, of->result->state.mini_epochs, repeat);
}

/* Fills the curves of two panels, whose number of points it returns: factors in equal steps of
 * their logarithm, and the ones at which the curves bend. */
static size_t find_curves(dsm__plot_maker *maker, const dsm__stored *of, double most,
                          factor_panel panels[2]) {
  const size_t room = 3 + (size_t)(STEPS_A_DOUBLING * log2(most));
  const double bend =
      of->result->state.fast_bytes_per_second / of->result->job.capacity_bytes_per_second;
  size_t count = 0;
  double before = 0;
  if (!DSM__RESERVE(maker->arena, panels[0].curve, room) ||
      !DSM__RESERVE(maker->arena, panels[1].curve, room)) {
    maker->body.failed = true;
    return 0;
  }
  for (int step = 0; before < most; step++) {
    const double next = fmin(most, pow(2, (double)step / STEPS_A_DOUBLING));
    const double repeats[] = {bend, next};
    const bool bends = before < bend && bend < next && bend > 1;
    for (size_t i = bends ? 0 : 1; i < DSM__COUNT_OF(repeats); i++) {
      const dsm_storage_state state = state_with(of, repeats[i]);
      panels[0].curve[count] = (dsm__point){repeats[i], state.samples_per_second};
      panels[1].curve[count++] = (dsm__point){repeats[i], state.capacity_bytes_per_second};
    }
    before = next;
  }
  return count;
}

static void put_factor_panel(dsm__plot_maker *maker, const dsm__stored *of,
                             const factor_panel *shown, size_t count, dsm__area area,
                             dsm__panel_axis x, bool is_last) {
  static const double side = 7;
  const dsm__panel_axis y =
      dsm__axis_round((dsm__panel_axis){.low = 0, .high = 1.05 * shown->most});
  const double free = of->result->state.stall_free_repeat;
  dsm__plot_panel(maker, area, x, y);
  dsm__plot_x_axis(
      maker, area, x,
      (dsm__axis_text){.title = is_last ? "times that a mini-epoch is trained on" : NULL,
                       .has_no_numbers = !is_last});
  dsm__plot_y_axis(maker, area, y, (dsm__axis_text){.unit = shown->unit});
  const dsm__point foot = dsm__plot_place(maker, free, y.low);
  dsm__plot_line(maker, foot, (dsm__point){foot.x, area.top}, DSM__COLOR_LEADER);
  const dsm__point at = dsm__plot_place(maker, of->result->state.repeat, shown->own);
  dsm__plot_box(
      maker, (dsm__area){at.x - side / 2, at.y - side / 2, side, side}, DSM__COLOR_STRONG,
      dsm__plot_text(maker, "%s: %s", own_text(maker, of),
                     dsm__figure_scaled(shown->own, shown->unit == NULL ? "" : shown->unit).text));
  dsm__mark_curve(maker, shown->curve, count, &(dsm__look){.color = shown->color, .width = 1.5},
                  shown->text);
  dsm__plot_panel_end(maker);
}

/* What the upright line is. */
static const char *line_text(dsm__plot_maker *maker, const dsm__stored *of) {
  const dsm_storage_job *const job = &of->result->job;
  const double free = of->result->state.stall_free_repeat;
  const bool is_slow = dsm__is_below(job->fast_bytes_per_second, job->demand_bytes_per_second);
  return of->result->mode == DSM_MODE_INFERENCE
             ? "what training could do; inference reads each sample once"
             : dsm__plot_text(maker, "%s from %s time%s on",
                              is_slow ? "waiting for fast storage alone" : "no waiting",
                              dsm__figure_fixed(free, 0).text, dsm__plural(free));
}

void dsm__plot_stored_factors(dsm__plot_maker *maker, const dsm__stored *of) {
  static const double height = 150;
  const dsm_storage_result *const result = of->result;
  const bool is_list = result->repeat_count > 0;
  const double free = result->state.stall_free_repeat;
  const double most = exp2(ceil(log2(4 * fmax(free, result->state.repeat))));
  const dsm__panel_axis x = {.low = 1, .high = most, .is_log = true};
  const dsm_storage_state once = state_with(of, 1);
  const dsm_storage_state last = state_with(of, most);
  factor_panel panels[] = {
      {NULL, dsm__color_of_series(0), "samples a second", NULL, last.samples_per_second,
       is_list ? result->mean.samples_per_second : result->state.samples_per_second},
      {NULL, dsm__color_of_series(1), "read from the capacity tier", "B/s",
       fmax(once.capacity_bytes_per_second, 1),
       is_list ? result->mean.capacity_bytes_per_second : result->state.capacity_bytes_per_second},
  };
  const dsm__legend_entry legend[] = {
      {panels[0].color, panels[0].text},
      {panels[1].color, panels[1].text},
      {DSM__COLOR_LEADER, line_text(maker, of)},
      {DSM__COLOR_STRONG, own_text(maker, of)},
  };
  const size_t count = find_curves(maker, of, most, panels);
  const double top = dsm__plot_legend(maker, legend, DSM__COUNT_OF(legend)) + 10;
  maker->height = ceil(top + 2 * height + panel_gap + axis_height + 4);
  put_heading(maker, of, "reading over the repeating factor", NULL);
  for (size_t p = 0; p < DSM__COUNT_OF(panels); p++) {
    put_factor_panel(maker, of, &panels[p], count,
                     area_of(maker, top + (double)p * (height + panel_gap), height), x,
                     p + 1 == DSM__COUNT_OF(panels));
  }
}

/* ---- mini-epochs over time ---- */

enum { EVENTS_SHOWN = 24 };

/* A bar of a row, with what it is. */
static void put_bar(dsm__plot_maker *maker, dsm__area row, double begin, double end,
                    const char *color, const char *about) {
  const double left = dsm__plot_place(maker, begin, 0).x;
  const double right = dsm__plot_place(maker, end, 0).x;
  if (end > begin) {
    dsm__plot_box(maker, (dsm__area){left, row.top, fmax(right - left - 0.5, 0.5), row.height},
                  color, about);
  }
}

static void put_rows(dsm__plot_maker *maker, const dsm_storage_event *events, size_t count,
                     dsm__area area) {
  static const char *const names[] = {"load", "train"};
  const double pitch = area.height / 2;
  for (size_t r = 0; r < 2; r++) {
    const dsm__area row = {area.left, area.top + (double)r * pitch + 8, area.width, pitch - 16};
    dsm__plot_label(maker, (dsm__point){area.left - 8, row.top + row.height / 2},
                    (dsm__label_style){.size = DSM__SIZE_TEXT, .anchor = DSM__ANCHOR_RIGHT},
                    names[r]);
    for (size_t i = 0; i < count; i++) {
      const dsm_storage_event *const event = &events[i];
      const double begin = r == 0 ? event->load_begin_seconds : event->train_begin_seconds;
      const double end = r == 0 ? event->load_end_seconds : event->train_end_seconds;
      put_bar(maker, row, begin, end, dsm__color_of_series(r == 0 ? 1 : 0),
              dsm__plot_text(maker, "mini-epoch %zu: %s, %s s", i, names[r],
                             dsm__figure_short(end - begin, 4).text));
    }
  }
}

void dsm__plot_stored_mini_epochs(dsm__plot_maker *maker, const dsm__stored *of) {
  static const double height = 120;
  const dsm_storage_result *const result = of->result;
  const bool is_list = result->repeat_count > 0;
  const uint64_t all = is_list ? result->repeat_count : result->state.mini_epochs;
  const size_t count = all < EVENTS_SHOWN ? (size_t)all : EVENTS_SHOWN;
  dsm_storage_event events[EVENTS_SHOWN];
  double repeats[EVENTS_SHOWN] = {0};
  for (size_t i = 0; i < count; i++) {
    repeats[i] = is_list ? result->repeats[i] : result->state.repeat;
  }
  const double end =
      dsm_storage_timeline(events, &result->job, result->state.mini_epochs, repeats, count);
  const dsm__panel_axis x = {.low = 0, .high = end};
  const dsm__legend_entry legend[] = {
      {dsm__color_of_series(1), "loaded from the capacity tier"},
      {dsm__color_of_series(0), dsm__plot_text(maker, "trained on, %s", own_text(maker, of))},
  };
  const double top = dsm__plot_legend(maker, legend, DSM__COUNT_OF(legend)) + 10;
  const dsm__area area = area_of(maker, top, height);
  maker->height = ceil(top + height + axis_height + 4);
  put_heading(maker, of, "mini-epochs over time",
              count < all ? dsm__plot_text(maker, "the first %zu of %s mini-epochs", count,
                                           dsm__figure_count(all).text)
                          : NULL);
  dsm__plot_panel(maker, area, x, (dsm__panel_axis){.low = 0, .high = 1});
  dsm__plot_x_axis(maker, area, x, (dsm__axis_text){.title = "seconds"});
  put_rows(maker, events, count, area);
  dsm__plot_panel_end(maker);
}

/* ---- under the roof of reading ---- */

/* What can be had where a tier is read, up to the peak. */
static void put_roof(dsm__plot_maker *maker, dsm__panel_axis x, const double ridges[2],
                     const dsm_io_roof *roof, const dsm__legend_entry *entry) {
  const double places[] = {x.low, ridges[0], ridges[1], x.high};
  dsm__point curve[DSM__COUNT_OF(places)];
  for (size_t i = 0; i < DSM__COUNT_OF(places); i++) {
    curve[i] =
        (dsm__point){places[i], fmin(roof->flop_per_second, places[i] * roof->bytes_per_second)};
  }
  dsm__mark_curve(maker, curve, DSM__COUNT_OF(places),
                  &(dsm__look){.color = entry->color, .width = 1.5}, entry->text);
}

/* The network at its intensity, where a tier bounds it. */
static void put_network(dsm__plot_maker *maker, const dsm_io_roof *roof, const char *tier) {
  static const double side = 7;
  const double flops = roof->samples_per_second * roof->sample_flop;
  const dsm__point at = dsm__plot_place(maker, roof->intensity, flops);
  dsm__plot_box(maker, (dsm__area){at.x - side / 2, at.y - side / 2, side, side}, DSM__COLOR_STRONG,
                dsm__plot_text(maker, "from the %s tier: %s samples/s, %s", tier,
                               dsm__figure_digits(roof->samples_per_second, 4).text,
                               dsm__figure_scaled(flops, "FLOP/s").text));
}

void dsm__plot_stored_roofline(dsm__plot_maker *maker, const dsm__stored *of) {
  static const double height = 280;
  const dsm_storage_job *const job = &of->result->job;
  const dsm_io_roof fast = of->result->fast_roof;
  const dsm_io_roof capacity = of->result->capacity_roof;
  const double peak = fast.flop_per_second;
  const double ridges[] = {fmin(fast.ridge_intensity, capacity.ridge_intensity),
                           fmax(fast.ridge_intensity, capacity.ridge_intensity)};
  const dsm__panel_axis x =
      dsm__axis_round((dsm__panel_axis){.low = fmin(ridges[0], fast.intensity) / 10,
                                        .high = 10 * fmax(ridges[1], fast.intensity),
                                        .is_log = true});
  const double slower = fmin(job->fast_bytes_per_second, job->capacity_bytes_per_second);
  const dsm__panel_axis y = dsm__axis_round(
      (dsm__panel_axis){.low = fmin(x.low * slower, peak / 10), .high = 2 * peak, .is_log = true});
  const dsm__legend_entry legend[] = {
      {dsm__color_of_series(0),
       dsm__plot_text(maker, "read from fast storage, %s",
                      dsm__figure_scaled(job->fast_bytes_per_second, "B/s").text)},
      {dsm__color_of_series(1),
       dsm__plot_text(maker, "from the capacity tier, %s",
                      dsm__figure_scaled(job->capacity_bytes_per_second, "B/s").text)},
      {DSM__COLOR_STRONG,
       dsm__plot_text(maker, "the network: %s FLOP for each byte; %s need %s",
                      dsm__figure_digits(fast.intensity, 4).text,
                      dsm__figure_scaled(peak, "FLOP/s").text,
                      dsm__figure_scaled(fast.needed_bytes_per_second, "B/s").text)},
  };
  const double top = dsm__plot_legend(maker, legend, DSM__COUNT_OF(legend)) + 10;
  const dsm__area area = area_of(maker, top, height);
  maker->height = ceil(top + height + axis_height + 4);
  put_heading(maker, of, "the network under the roof of reading", NULL);
  dsm__plot_panel(maker, area, x, y);
  dsm__plot_x_axis(maker, area, x, (dsm__axis_text){.title = "FLOP for each byte of the data set"});
  dsm__plot_y_axis(maker, area, y, (dsm__axis_text){.unit = "FLOP/s"});
  put_network(maker, &fast, "fast");
  put_network(maker, &capacity, "capacity");
  put_roof(maker, x, ridges, &fast, &legend[0]);
  put_roof(maker, x, ridges, &capacity, &legend[1]);
  dsm__plot_panel_end(maker);
}

/* ---- of plans, and by themselves ---- */

/* The answer that a plan has in it, drawn. */
static void plot_plan(dsm__plot_maker *maker, const dsm_plan *plan, dsm__stored_plot *make) {
  const dsm_plan_storage *const storage = &plan->result.storage;
  dsm_storage_options options;
  dsm_storage_result *result = NULL;
  dsm_storage_options_init(&options);
  options.mode = plan->options.mode;
  options.mini_epochs = storage->state.mini_epochs;
  options.repeats = &storage->state.repeat;
  options.repeat_count = 1;
  options.sample_flop = fmax(dsm_sample_flop(plan->workload, plan->options.mode), 1);
  options.flop_per_second = dsm_workload_peak_flops(plan->workload, plan->system);
  if (dsm_storage(&result, &storage->job, &options, NULL) == DSM_OK) {
    make(maker, &(dsm__stored){.result = result, .plan = plan});
  } else {
    maker->body.failed = true;
  }
  dsm_storage_result_free(result);
}

void dsm__plot_supply(dsm__plot_maker *maker, const dsm_plan *plan) {
  plot_plan(maker, plan, dsm__plot_stored_factors);
}

void dsm__plot_mini_epochs(dsm__plot_maker *maker, const dsm_plan *plan) {
  plot_plan(maker, plan, dsm__plot_stored_mini_epochs);
}

void dsm__plot_io_roofline(dsm__plot_maker *maker, const dsm_plan *plan) {
  plot_plan(maker, plan, dsm__plot_stored_roofline);
}
