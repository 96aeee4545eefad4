/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage_data.c: what storage delivers to a job, for programs (format "dsm-storage/1", and CSV).
 */
#include "dsm/storage.h"

#include <math.h>

#include "model/names.h"
#include "plan/plan_record.h"
#include "report/data/csv.h"
#include "report/data/records.h"
#include "storage/storage_internal.h"

#define RATE(struct_type, member, key, flags, about)                                               \
  DSM__REAL(struct_type, member, key, flags, "bytes/s", about)
#define SECONDS(struct_type, member, key, flags, about)                                            \
  DSM__REAL(struct_type, member, key, flags, "seconds", about)

DSM__OWN_RECORD(
    job_record, dsm_storage_job, false, "What the job asks of its storage, and what that has.",
    DSM__FIELD(COUNT, dsm_storage_job, samples, "samples", 0, .min = 1, .unit = "samples",
               .help = "Of the data set."),
    DSM__REAL(dsm_storage_job, sample_bytes, "sample_bytes", 0, "bytes", "Of one, on average."),
    DSM__REAL(dsm_storage_job, samples_per_second, "samples_per_second", 0, "1/s",
              "Samples that the chips could process if data were always there."),
    RATE(dsm_storage_job, demand_bytes_per_second, "demand_bytes_per_second", 0, "The same: D."),
    DSM__REAL(dsm_storage_job, fast_bytes, "fast_bytes", 0, "bytes", "Room in fast storage: EC1."),
    RATE(dsm_storage_job, fast_bytes_per_second, "fast_bytes_per_second", 0,
         "Bandwidth of fast storage: B1."),
    RATE(dsm_storage_job, capacity_bytes_per_second, "capacity_bytes_per_second", 0,
         "Bandwidth of the capacity tier: B2."));

DSM__OWN_RECORD(
    state_record, dsm_storage_state, false, "What the job reads in the long run.",
    DSM__FIELD(COUNT, dsm_storage_state, mini_epochs, "mini_epochs", 0, .min = 1,
               .help = "Parts of the data set, two of which are in fast storage; 1: all of it is."),
    DSM__REAL(dsm_storage_state, mini_epoch_bytes, "mini_epoch_bytes", 0, "bytes",
              "Of one, on average: S."),
    DSM__REAL(dsm_storage_state, repeat, "repeat", 0, "ratio",
              "Times that a mini-epoch is trained on: rf; of a list the mean."),
    DSM__REAL(dsm_storage_state, stall_free_repeat, "stall_free_repeat", DSM__LESS, "ratio",
              "The least whole factor without a stall."),
    RATE(dsm_storage_state, fast_bytes_per_second, "fast_bytes_per_second", 0,
         "Most that is read from fast storage: EB1."),
    RATE(dsm_storage_state, capacity_bytes_per_second, "capacity_bytes_per_second", DSM__LESS,
         "Read from the capacity tier on average: EB2."),
    RATE(dsm_storage_state, delivered_bytes_per_second, "delivered_bytes_per_second", DSM__MORE,
         "What the chips get."),
    SECONDS(dsm_storage_state, period_seconds, "period_seconds", DSM__LESS,
            "Of a mini-epoch; 0: all fits."),
    DSM__REAL(dsm_storage_state, stall_share, "stall_share", DSM__LESS, "ratio",
              DSM__STALL_SHARE_HELP("waiting_share")),
    DSM__REAL(dsm_storage_state, waiting_share, "waiting_share", DSM__LESS, "ratio",
              DSM__WAITING_SHARE_HELP),
    DSM__FIELD(WORD, dsm_storage_state, bound, "bound", 0, .words = &dsm__storage_bound_words,
               .help = "What samples_per_second are bound by: the chips, fast storage, the "
                       "capacity tier."),
    DSM__REAL(dsm_storage_state, samples_per_second, "samples_per_second", DSM__MORE, "1/s",
              "With storage."));

DSM__OWN_RECORD(mean_record, dsm_storage_mean, false,
                "What mini-epochs with factors of their own come to.",
                DSM__REAL(dsm_storage_mean, repeat, "repeat", 0, "ratio", "The mean factor."),
                RATE(dsm_storage_mean, capacity_bytes_per_second, "capacity_bytes_per_second",
                     DSM__LESS, "EB2, weighted with the times."),
                RATE(dsm_storage_mean, equal_capacity_bytes_per_second,
                     "equal_capacity_bytes_per_second", DSM__LESS, "EB2, all times being equal."),
                DSM__REAL(dsm_storage_mean, samples_per_second, "samples_per_second", DSM__MORE,
                          "1/s", "Weighted with the times."),
                DSM__REAL(dsm_storage_mean, waiting_share, "waiting_share", DSM__LESS, "ratio",
                          DSM__WAITING_SHARE_HELP),
                DSM__REAL(dsm_storage_mean, stall_share, "stall_share", DSM__LESS, "ratio",
                          DSM__STALL_SHARE_HELP("waiting_share")),
                SECONDS(dsm_storage_mean, seconds, "seconds", DSM__LESS,
                        "The sum of their own times."));

DSM__OWN_RECORD(point_record, dsm_storage_point, true, "A repeating factor, and what it comes to.",
                DSM__REAL(dsm_storage_point, repeat, "repeat", DSM__COLUMN, "ratio", "The factor."),
                RATE(dsm_storage_point, capacity_bytes_per_second, "capacity_bytes_per_second",
                     DSM__COLUMN | DSM__LESS, "EB2."),
                DSM__REAL(dsm_storage_point, samples_per_second, "samples_per_second",
                          DSM__COLUMN | DSM__MORE, "1/s", "With storage."),
                DSM__REAL(dsm_storage_point, stall_share, "stall_share", DSM__COLUMN | DSM__LESS,
                          "ratio", DSM__STALL_SHARE_HELP("waiting_share")),
                DSM__REAL(dsm_storage_point, waiting_share, "waiting_share",
                          DSM__COLUMN | DSM__LESS, "ratio", DSM__WAITING_SHARE_HELP));

typedef struct event_row {
  uint64_t index;
  dsm_storage_event of;
} event_row;

DSM__OWN_RECORD(
    event_record, event_row, true, "A mini-epoch of a timeline.",
    DSM__FIELD(COUNT, event_row, index, "mini_epoch", DSM__COLUMN, .help = "Its number, from 0."),
    DSM__FIELD(COUNT, event_row, of.samples, "samples", DSM__COLUMN, .help = "In it."),
    DSM__REAL(event_row, of.repeat, "repeat", DSM__COLUMN, "ratio", "Times it is trained on."),
    SECONDS(event_row, of.load_begin_seconds, "load_begin_seconds", DSM__COLUMN,
            "When it begins to be loaded."),
    SECONDS(event_row, of.load_end_seconds, "load_end_seconds", DSM__COLUMN, "When it is there."),
    SECONDS(event_row, of.train_begin_seconds, "train_begin_seconds", DSM__COLUMN,
            "When training on it begins."),
    SECONDS(event_row, of.train_end_seconds, "train_end_seconds", DSM__COLUMN,
            "When training on it ends."),
    SECONDS(event_row, of.stall_seconds, "stall_seconds", DSM__COLUMN | DSM__LESS,
            "Without training, before it; of the first the cold start."));

DSM__OWN_RECORD(roof_record, dsm_io_roof, false, "A network under the roof of a bandwidth.",
                DSM__REAL(dsm_io_roof, sample_flop, "sample_flop", 0, "FLOP",
                          "Of a sample, in all passes."),
                DSM__REAL(dsm_io_roof, sample_bytes, "sample_bytes", 0, "bytes", "Of a sample."),
                DSM__REAL(dsm_io_roof, intensity, "intensity", 0, "FLOP/byte",
                          "The one over the other."),
                DSM__REAL(dsm_io_roof, flop_per_second, "flop_per_second", 0, "FLOP/s",
                          "What the chips do at most."),
                RATE(dsm_io_roof, bytes_per_second, "bytes_per_second", 0, "Of the storage."),
                DSM__REAL(dsm_io_roof, ridge_intensity, "ridge_intensity", 0, "FLOP/byte",
                          "From which on the chips are the limit."),
                RATE(dsm_io_roof, needed_bytes_per_second, "needed_bytes_per_second", 0,
                     "What the chips need to do all they can."),
                DSM__REAL(dsm_io_roof, samples_per_second, "samples_per_second", DSM__MORE, "1/s",
                          "The lower of both roofs."));

typedef struct document {
  const char *name;
  dsm_storage_result of;
  double max_repeat;
  double timeline_seconds;
  dsm__rows repeats;
  dsm__rows events;
} document;

typedef struct repeat_row {
  uint64_t index;
  double repeat;
  double capacity_bytes_per_second;
  double time; /* NaN: not given */
} repeat_row;

DSM__OWN_RECORD(repeat_record, repeat_row, true, "A mini-epoch of a list.",
                DSM__FIELD(COUNT, repeat_row, index, "mini_epoch", DSM__COLUMN,
                           .help = "Its number, from 0."),
                DSM__REAL(repeat_row, repeat, "repeat", DSM__COLUMN, "ratio",
                          "Times it is trained on."),
                RATE(repeat_row, capacity_bytes_per_second, "capacity_bytes_per_second",
                     DSM__COLUMN, "EB2, of all mini-epochs with that factor."),
                DSM__REAL(repeat_row, time, "time", DSM__OPTIONAL, "ratio",
                          "Its weight, as --times has it; absent: the time that it takes."));

DSM__DOCUMENT(
    dsm__storage_record, document, "dsm-storage/1",
    "What storage delivers to a job, written by `dsm storage --format json`.",
    DSM__FIELD(TEXT, document, name, "name", 0, .help = "Of the workload and the system."),
    DSM__FIELD(WORD, document, of.mode, "mode", 0, .words = &dsm__mode_words,
               .help = "In inference each sample is read once."),
    DSM__FIELD(RECORD, document, of.job, "job", 0, .type = &job_record, .help = "What is asked."),
    DSM__FIELD(COUNT, document, of.least_mini_epochs, "least_mini_epochs", 0, .min = 1,
               .help = "That fit in fast storage two at a time, or 1 if all fits."),
    DSM__FIELD(FLAG, document, of.is_planned, "planned", 0,
               .help = "The factor was not given: it is the one that reads least within the limit, "
                       "without a limit the least one without a stall."),
    DSM__REAL(document, max_repeat, "max_repeat", DSM__OPTIONAL, "ratio",
              "Largest factor that is allowed; absent: no limit."),
    DSM__FIELD(WORD, document, of.rule, "rule", 0, .words = &dsm__repeat_rule_words,
               .help = "By which the factors were found from a trace."),
    DSM__FIELD(RECORD, document, of.state, "steady", 0, .type = &state_record,
               .help = "In the long run, with one factor; of a list with its mean."),
    DSM__FIELD(RECORD, document, of.mean, "mean", 0, .type = &mean_record,
               .stated_if = DSM__IF(document, repeats.count),
               .help = "Of a list of factors, given or found from a trace."),
    DSM__ROWS_IF_ANY(document, repeats, "repeats", repeat_record, "The list."),
    DSM__LISTED(document, of.points, of.point_count, "points", 0, point_record,
                "Factors from which to choose, each higher than the one before: none reads more "
                "than a lower one, none is slower."),
    DSM__REAL(document, timeline_seconds, "timeline_seconds", DSM__OPTIONAL | DSM__LESS, "seconds",
              "Until the last mini-epoch of the timeline ends."),
    DSM__ROWS_IF_ANY(document, events, "timeline", event_record,
                     "With --timeline: all mini-epochs, in order."),
    DSM__FIELD(RECORD, document, of.fast_roof, "fast_roof", 0, .type = &roof_record,
               .stated_if = DSM__IF(document, of.has_roofs),
               .help = "The network under the roof of fast storage."),
    DSM__FIELD(RECORD, document, of.capacity_roof, "capacity_roof", 0, .type = &roof_record,
               .stated_if = DSM__IF(document, of.has_roofs),
               .help = "And under that of the capacity tier."));

static dsm__rows repeats_of(dsm__page *page, const dsm_storage_result *result) {
  const dsm__rows made = dsm__rows_make(page, result->repeat_count, sizeof(repeat_row));
  repeat_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    const dsm_storage_state state =
        dsm_storage_steady(&result->job, result->state.mini_epochs, result->repeats[i]);
    rows[i] = (repeat_row){i, result->repeats[i], state.capacity_bytes_per_second,
                           result->times == NULL ? (double)NAN : result->times[i]};
  }
  return made;
}

static dsm__rows events_of(dsm__page *page, const dsm_storage_result *result) {
  const dsm__rows made = dsm__rows_make(page, result->event_count, sizeof(event_row));
  event_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    rows[i] = (event_row){i, result->events[i]};
  }
  return made;
}

char *dsm_report_storage_json(const dsm_storage_result *result, const char *name) {
  dsm__page page = dsm__data_begin();
  const double nothing = (double)NAN;
  const document made = {.name = name,
                         .of = *result,
                         .max_repeat = result->max_repeat > 0 ? result->max_repeat : nothing,
                         .timeline_seconds =
                             result->event_count > 0 ? result->timeline_seconds : nothing,
                         .repeats = repeats_of(&page, result),
                         .events = events_of(&page, result)};
  return dsm__data_json(&page, &dsm__storage_record, &made);
}

char *dsm_report_storage_csv(const dsm_storage_result *result, const char *name) {
  (void)name;
  dsm__page page = dsm__data_begin();
  if (result->event_count > 0) {
    const dsm__rows events = events_of(&page, result);
    return dsm__csv_of(&page, &event_record, &events);
  }
  if (result->repeat_count > 0) {
    const dsm__rows repeats = repeats_of(&page, result);
    return dsm__csv_of(&page, &repeat_record, &repeats);
  }
  const dsm__rows points = dsm__rows_make(&page, result->point_count, sizeof(dsm_storage_point));
  dsm_storage_point *const rows = points.items;
  for (size_t i = 0; i < points.count; i++) {
    rows[i] = result->points[i];
  }
  return dsm__csv_of(&page, &point_record, &points);
}
