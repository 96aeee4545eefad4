/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage_table.c: what storage delivers to a job, for people. */
#include "dsm/storage.h"

#include "base/number_text.h"
#include "report/answer.h"
#include "report/table/number_style.h"
#include "report/table/storage_text.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

enum { LABEL_WIDTH = 15, EVENTS_SHOWN = 20 };

static const char *rate_text(dsm__page *page, double bytes_per_second) {
  return dsm__page_text(page, "%s", dsm__figure_scaled(bytes_per_second, "B/s").text);
}

static const char *bytes_text(dsm__page *page, double bytes) {
  return dsm__page_text(page, "%s", dsm__figure_scaled(bytes, "B").text);
}

static const char *samples_text(dsm__page *page, double samples_per_second) {
  return dsm__page_text(page, "%s", dsm__figure_digits(samples_per_second, 4).text);
}

static const char *repeat_text(dsm__page *page, double repeat) {
  return dsm__page_text(page, "%s", dsm__figure_short(repeat, 6).text);
}

static const char *seconds_text(dsm__page *page, double seconds) {
  return dsm__page_text(page, "%s", dsm__figure_digits(seconds, 5).text);
}

/* ---- the answer ---- */

static void put_job(dsm__page *page, const dsm_storage_job *job) {
  dsm__page_labelled(page, LABEL_WIDTH, "data set", "%s: %s sample%s of %s",
                     bytes_text(page, (double)job->samples * job->sample_bytes),
                     dsm__figure_count(job->samples).text, dsm__plural((double)job->samples),
                     bytes_text(page, job->sample_bytes));
  dsm__page_labelled(page, LABEL_WIDTH, "storage", "%s at %s, from a capacity tier at %s",
                     bytes_text(page, job->fast_bytes), rate_text(page, job->fast_bytes_per_second),
                     rate_text(page, job->capacity_bytes_per_second));
  dsm__page_labelled(page, LABEL_WIDTH, "demand", "%s: %s samples/s",
                     rate_text(page, job->demand_bytes_per_second),
                     samples_text(page, job->samples_per_second));
}

static void put_mini_epochs(dsm__page *page, const dsm_storage_result *result) {
  const dsm_storage_state *const state = &result->state;
  if (state->mini_epochs == 1) {
    dsm__page_labelled(page, LABEL_WIDTH, "mini-epochs",
                       "1: the whole data set fits in fast storage and is read once");
    return;
  }
  dsm__page_labelled(page, LABEL_WIDTH, "mini-epochs", "%s of %s, two at a time in fast storage%s",
                     dsm__figure_count(state->mini_epochs).text,
                     bytes_text(page, state->mini_epoch_bytes),
                     result->least_mini_epochs == state->mini_epochs
                         ? ""
                         : dsm__page_text(page, "; %s would do",
                                          dsm__figure_count(result->least_mini_epochs).text));
  if (result->mode == DSM_MODE_INFERENCE) {
    dsm__page_labelled(page, LABEL_WIDTH, "enough", "none: inference reads each sample once");
    return;
  }
  dsm__page_labelled(page, LABEL_WIDTH, "enough", "trained on %s each, the chips %s",
                     dsm__times_text(page, state->stall_free_repeat),
                     dsm__fast_is_slow(&result->job) ? "wait for fast storage alone"
                                                     : "do not wait");
}

/* What was given or planned; a list has a table of its own. */
static void put_state(dsm__page *page, const dsm_storage_result *result) {
  const dsm_storage_state *const state = &result->state;
  const char *const which = !result->is_planned || result->mode == DSM_MODE_INFERENCE ? ""
                            : result->max_repeat > 0 ? " (the most that are allowed)"
                                                     : " (planned)";
  if (state->mini_epochs > 1) {
    dsm__page_labelled(page, LABEL_WIDTH, "repeat", "%s%s: a mini-epoch every %s s",
                       dsm__times_text(page, state->repeat), which,
                       seconds_text(page, state->period_seconds));
  }
  dsm__page_labelled(page, LABEL_WIDTH, "reads", "%s from fast storage, %s from the capacity tier",
                     rate_text(page, state->delivered_bytes_per_second),
                     rate_text(page, state->capacity_bytes_per_second));
  dsm__page_labelled(
      page, LABEL_WIDTH, "throughput", "%s samples/s, %s %% of the demand; %s",
      samples_text(page, state->samples_per_second),
      dsm__figure_percent(state->samples_per_second / result->job.samples_per_second).text,
      dsm__waiting_text(page, state));
}

static void put_mean(dsm__page *page, const dsm_storage_result *result) {
  const dsm_storage_mean *const mean = &result->mean;
  const bool is_resident = result->state.mini_epochs == 1;
  dsm__page_labelled(page, LABEL_WIDTH, "repeat", "%s %s%s, %s on average%s",
                     dsm__figure_count(result->repeat_count).text,
                     is_resident ? "run" : "mini-epoch", dsm__plural((double)result->repeat_count),
                     dsm__times_text(page, mean->repeat),
                     result->rule == DSM_REPEAT_RULE_NONE
                         ? ""
                         : dsm__page_text(page, " (by %s)", dsm_repeat_rule_name(result->rule)));
  dsm__page_labelled(page, LABEL_WIDTH, "reads",
                     "%s from the capacity tier; %s if their times were equal",
                     rate_text(page, mean->capacity_bytes_per_second),
                     rate_text(page, mean->equal_capacity_bytes_per_second));
  dsm__page_labelled(
      page, LABEL_WIDTH, "throughput", "%s samples/s, %s %% of the demand; %s",
      samples_text(page, mean->samples_per_second),
      dsm__figure_percent(mean->samples_per_second / result->job.samples_per_second).text,
      dsm__mean_waiting_text(page, &result->job, mean));
}

static void put_roof(dsm__page *page, const dsm_io_roof *roof, const char *of) {
  const bool is_below = roof->intensity < roof->ridge_intensity;
  dsm__page_labelled(page, LABEL_WIDTH, of, "%s samples/s: bound by %s (they meet at %s FLOP/B)",
                     samples_text(page, roof->samples_per_second),
                     is_below ? "reading" : "the chips",
                     dsm__figure_digits(roof->ridge_intensity, 4).text);
}

/* Reading each sample once: what neither fast storage nor repeating can mend. */
static void put_roofs(dsm__page *page, const dsm_storage_result *result) {
  if (!result->has_roofs) {
    return;
  }
  const dsm_io_roof *const roof = &result->fast_roof;
  dsm__page_labelled(page, LABEL_WIDTH, "intensity",
                     "%s FLOP/B: %s a sample; %s need %s of reading",
                     dsm__figure_digits(roof->intensity, 4).text,
                     dsm__figure_scaled(roof->sample_flop, "FLOP").text,
                     dsm__figure_scaled(roof->flop_per_second, "FLOP/s").text,
                     rate_text(page, roof->needed_bytes_per_second));
  put_roof(page, roof, "fast roof");
  put_roof(page, &result->capacity_roof, "capacity roof");
}

/* ---- tables ---- */

static const dsm__table_column point_columns[] = {
    {.title = "repeat", .is_right = true},
    {.title = "capacity tier", .gap = 2, .is_right = true},
    {.title = "samples/s", .gap = 2, .is_right = true},
    {.title = "waiting %", .gap = 2, .is_right = true},
};

static void put_points(dsm__page *page, const dsm_storage_result *result) {
  dsm__table table = DSM__TABLE(page, point_columns);
  for (size_t i = 0; i < result->point_count; i++) {
    const dsm_storage_point *const point = &result->points[i];
    DSM__TABLE_TEXTS(&table, repeat_text(page, point->repeat),
                     rate_text(page, point->capacity_bytes_per_second),
                     samples_text(page, point->samples_per_second),
                     dsm__figure_percent(point->waiting_share).text);
  }
  dsm__page_heading(page, "Over the repeating factor");
  dsm__table_print(&table);
}

static const dsm__table_column event_columns[] = {
    {.title = "mini-epoch", .is_right = true},
    {.title = "samples", .gap = 2, .is_right = true},
    {.title = "repeat", .gap = 2, .is_right = true},
    {.title = "load from", .gap = 2, .is_right = true},
    {.title = "to s", .gap = 2, .is_right = true},
    {.title = "train from", .gap = 2, .is_right = true},
    {.title = "to s", .gap = 2, .is_right = true},
    {.title = "stall s", .gap = 2, .is_right = true},
};

static void put_timeline(dsm__page *page, const dsm_storage_result *result) {
  const dsm_storage_job *const job = &result->job;
  const size_t shown = result->event_count < EVENTS_SHOWN ? result->event_count : EVENTS_SHOWN;
  dsm__table table = DSM__TABLE(page, event_columns);
  double stalls = 0;
  for (size_t i = 1; i < result->event_count; i++) {
    stalls += result->events[i].stall_seconds;
  }
  for (size_t i = 0; i < shown; i++) {
    const dsm_storage_event *const event = &result->events[i];
    DSM__TABLE_TEXTS(
        &table, dsm__page_text(page, "%zu", i), dsm__figure_count(event->samples).text,
        repeat_text(page, event->repeat), seconds_text(page, event->load_begin_seconds),
        seconds_text(page, event->load_end_seconds), seconds_text(page, event->train_begin_seconds),
        seconds_text(page, event->train_end_seconds), seconds_text(page, event->stall_seconds));
  }
  dsm__page_heading(
      page, "Timeline: %s s, of which %s s cold start and %s s stalls%s%s",
      seconds_text(page, result->timeline_seconds),
      seconds_text(page, result->events[0].stall_seconds), seconds_text(page, stalls),
      dsm__fast_is_slow(job)
          ? dsm__page_text(
                page, "; training waits %s %% of its time for fast storage",
                dsm__figure_percent(1 - job->fast_bytes_per_second / job->demand_bytes_per_second)
                    .text)
          : "",
      shown < result->event_count
          ? dsm__page_text(page, " (%zu of %zu: CSV and JSON have all)", shown, result->event_count)
          : "");
  dsm__table_print(&table);
}

void dsm__show_storage(dsm__page *page, const dsm_answer *answer) {
  const dsm_storage_result *const result = answer->of;
  dsm__page_line(page, DSM__STYLE_HEADING, "%s", result->name);
  dsm__page_break(page);
  put_job(page, &result->job);
  put_mini_epochs(page, result);
  if (result->repeat_count > 0) {
    put_mean(page, result);
  } else {
    put_state(page, result);
  }
  put_roofs(page, result);
  if (result->event_count > 0) {
    put_timeline(page, result);
  } else if (result->state.mini_epochs > 1) {
    put_points(page, result);
  }
}
