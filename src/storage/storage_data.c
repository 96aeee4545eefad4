/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage_data.c: what storage delivers to a job: its document (format "dsm-storage/1", and CSV), a
 * text and a page. */
#include "dsm/storage.h"

#include <assert.h>
#include <math.h>

#include "base/diag_add.h"
#include "dsm/limits.h"
#include "model/names.h"
#include "plan/plan_record.h"
#include "report/answer.h"
#include "report/data/records.h"
#include "report/figure/plot_storage.h"
#include "report/table/storage_text.h"
#include "supply/storage_internal.h"

#define RATE(struct_type, member, key, flags, about)                                               \
  DSM__REAL(struct_type, member, key, flags, "bytes/s", about)
/* What was asked, and is read back: a number, a number of samples or parts, a factor. */
#define READ (DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED)
#define ASKED(struct_type, member, key, of_unit, about)                                            \
  DSM__FIELD(REAL, struct_type, member, key, READ, .min = 1 / DSM_STORAGE_NUMBER_MAX,              \
             .max = DSM_STORAGE_NUMBER_MAX, .unit = (of_unit), .help = (about))
#define ASKED_COUNT(struct_type, member, key, of_unit, about)                                      \
  DSM__FIELD(COUNT, struct_type, member, key, READ, .min = 1, .max = DSM_PRODUCT_MAX,              \
             .unit = (of_unit), .help = (about))
#define FACTOR(struct_type, member, key, flags, about)                                             \
  DSM__FIELD(REAL, struct_type, member, key, DSM__FIELD_IS_READ | (flags), .min = 1,               \
             .max = DSM_REPEAT_MAX, .unit = "ratio", .help = (about))
#define SECONDS(struct_type, member, key, flags, about)                                            \
  DSM__REAL(struct_type, member, key, flags, "seconds", about)

DSM__OWN_RECORD(
    job_record, dsm_storage_job, false, "What the job asks of its storage, and what that has.",
    ASKED_COUNT(dsm_storage_job, samples, "samples", "samples", "Of the data set."),
    ASKED(dsm_storage_job, sample_bytes, "sample_bytes", "bytes", "Of one, on average."),
    ASKED(dsm_storage_job, samples_per_second, "samples_per_second", "1/s",
          "Samples that the chips could process if data were always there."),
    ASKED(dsm_storage_job, demand_bytes_per_second, "demand_bytes_per_second", "bytes/s",
          "The same: D."),
    ASKED(dsm_storage_job, fast_bytes, "fast_bytes", "bytes", "Room in fast storage: EC1."),
    ASKED(dsm_storage_job, fast_bytes_per_second, "fast_bytes_per_second", "bytes/s",
          "Bandwidth of fast storage: B1."),
    ASKED(dsm_storage_job, capacity_bytes_per_second, "capacity_bytes_per_second", "bytes/s",
          "Bandwidth of the capacity tier: B2."));

DSM__OWN_RECORD(
    state_record, dsm_storage_state, false, "What the job reads in the long run.",
    ASKED_COUNT(dsm_storage_state, mini_epochs, "mini_epochs", NULL,
                "Parts of the data set, two of which are in fast storage; 1: all of it is."),
    DSM__REAL(dsm_storage_state, mini_epoch_bytes, "mini_epoch_bytes", DSM__FIGURE, "bytes",
              "Of one, on average: S."),
    FACTOR(dsm_storage_state, repeat, "repeat", DSM__CHOSEN,
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
    DSM__FIELD(WORD, dsm_storage_state, bound, "bound", DSM__CHOSEN,
               .words = &dsm__storage_bound_words,
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

DSM__OWN_RECORD(
    roof_record, dsm_io_roof, false, "A network under the roof of a bandwidth.",
    ASKED(dsm_io_roof, sample_flop, "sample_flop", "FLOP", "Of a sample, in all passes."),
    DSM__REAL(dsm_io_roof, sample_bytes, "sample_bytes", 0, "bytes", "Of a sample."),
    DSM__REAL(dsm_io_roof, intensity, "intensity", 0, "FLOP/byte", "The one over the other."),
    ASKED(dsm_io_roof, flop_per_second, "flop_per_second", "FLOP/s", "What the chips do at most."),
    RATE(dsm_io_roof, bytes_per_second, "bytes_per_second", 0, "Of the storage."),
    DSM__REAL(dsm_io_roof, ridge_intensity, "ridge_intensity", 0, "FLOP/byte",
              "From which on the chips are the limit."),
    RATE(dsm_io_roof, needed_bytes_per_second, "needed_bytes_per_second", 0,
         "What the chips need to do all they can."),
    DSM__REAL(dsm_io_roof, samples_per_second, "samples_per_second", DSM__MORE, "1/s",
              "The lower of both roofs."));

/* With what is said of it to people alone behind the lists. */
typedef struct document {
  dsm_storage_result of;
  double timeline_seconds;
  dsm__rows repeats;
  dsm__rows events;
  const char *chosen;  /* how the factor was; "" if it was given */
  const char *waiting; /* for what the chips wait */
  bool is_fast_slow;   /* fast storage is slower than the chips */
  double fast_waiting; /* share of the time of training, for it */
  double cold_seconds;
  double stall_seconds;
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
                FACTOR(repeat_row, repeat, "repeat", DSM__COLUMN | DSM__FIELD_IS_REQUIRED,
                       "Times it is trained on."),
                RATE(repeat_row, capacity_bytes_per_second, "capacity_bytes_per_second",
                     DSM__COLUMN, "EB2, of all mini-epochs with that factor."),
                DSM__FIELD(REAL, repeat_row, time, "time", DSM__OPTIONAL | DSM__FIELD_IS_READ,
                           .min = 1 / DSM_STORAGE_NUMBER_MAX, .max = DSM_STORAGE_NUMBER_MAX,
                           .fallback = (double)NAN, .unit = "ratio",
                           .help = "Its weight, as --times has it; absent: the time that it "
                                   "takes."));

DSM__OWN_ANSWER(
    storage_record, document, "dsm-storage/1", "What storage delivers to a job", "dsm storage",
    DSM__FIELD(TEXT, document, of.name, "name", READ, .max = DSM_TEXT_BYTES_MAX,
               .help = "Of the workload and the system."),
    DSM__FIELD(WORD, document, of.mode, "mode", READ, .words = &dsm__mode_words,
               .help = "In inference each sample is read once."),
    DSM__FIELD(RECORD, document, of.job, "job", READ, .type = &job_record,
               .expected = "what is asked of storage", .help = "What is asked."),
    DSM__FIELD(COUNT, document, of.least_mini_epochs, "least_mini_epochs", DSM__FIGURE, .min = 1,
               .help = "That fit in fast storage two at a time, or 1 if all fits."),
    DSM__FIELD(FLAG, document, of.is_planned, "planned", READ,
               .help = "The factor was not given: it is the one that reads least within the limit, "
                       "without a limit the least one without a stall."),
    FACTOR(document, of.max_repeat, "max_repeat", DSM__UNLESS_0,
           "Largest factor that is allowed; absent: no limit."),
    DSM__FIELD(WORD, document, of.rule, "rule", READ, .words = &dsm__repeat_rule_words,
               .help = "By which the factors were found from a trace."),
    DSM__FIELD(RECORD, document, of.state, "steady", READ, .type = &state_record,
               .expected = "the mini-epochs and their factor",
               .help = "In the long run, with one factor; of a list with its mean."),
    DSM__FIELD(RECORD, document, of.mean, "mean", 0, .type = &mean_record,
               .stated_if = DSM__IF(document, repeats.count),
               .help = "Of a list of factors, given or found from a trace."),
    DSM__FIELD(LIST, document, repeats.items, "repeats", DSM__FIELD_IS_READ | DSM__UNLESS_0,
               .count_offset = offsetof(document, repeats.count), .type = &repeat_record, .min = 1,
               .max = DSM_TRACE_ROWS_MAX, .help = "The list."),
    DSM__LISTED(document, of.points, of.point_count, "points", 0, point_record,
                "Factors from which to choose, each higher than the one before: none reads more "
                "than a lower one, none is slower."),
    DSM__REAL(document, timeline_seconds, "timeline_seconds", DSM__OPTIONAL | DSM__LESS, "seconds",
              "Until the last mini-epoch of the timeline ends."),
    DSM__ROWS_IF_ANY(document, events, "timeline", event_record,
                     "With --timeline: all mini-epochs, in order."),
    DSM__FIELD(RECORD, document, of.fast_roof, "fast_roof", DSM__FIELD_IS_READ,
               .type = &roof_record, .stated_if = DSM__IF(document, of.has_roofs),
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

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_storage_result *const result = answer->of;
  const dsm_storage_job *const job = &result->job;
  document made = {
      .of = *result,
      .timeline_seconds = result->event_count > 0 ? result->timeline_seconds : (double)NAN,
      .repeats = repeats_of(page, result),
      .events = events_of(page, result),
      .chosen = !result->is_planned || result->mode == DSM_MODE_INFERENCE ? ""
                : result->max_repeat > 0 ? " (the most that are allowed)"
                                         : " (planned)",
      .waiting = result->repeat_count > 0 ? dsm__mean_waiting_text(page, job, &result->mean)
                                          : dsm__waiting_text(page, &result->state),
      .is_fast_slow = dsm__fast_is_slow(job),
      .fast_waiting = 1 - job->fast_bytes_per_second / job->demand_bytes_per_second};
  for (size_t i = 0; i < result->event_count; i++) {
    *(i == 0 ? &made.cold_seconds : &made.stall_seconds) += result->events[i].stall_seconds;
  }
  *(document *)to = made;
}

/* ---- for people ---- */

DSM__OWN_RECORD(shown_record, document, false, "An answer with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &storage_record},
                DSM__SAID(TEXT, document, chosen), DSM__SAID(TEXT, document, waiting),
                DSM__SAID(FLAG, document, is_fast_slow), DSM__SAID(REAL, document, fast_waiting),
                DSM__SAID(REAL, document, cold_seconds), DSM__SAID(REAL, document, stall_seconds));

#define IS_CUT DSM__IF_ABOVE(document, of.state.mini_epochs, 1)
#define IS_WHOLE DSM__IF_IS(document, of.state.mini_epochs, 1)
#define IS_LIST DSM__IF(document, of.repeat_count)
#define IS_ONE_FACTOR DSM__UNLESS(document, of.repeat_count)
#define HAS_ROOFS DSM__IF(document, of.has_roofs)

static const dsm__fact facts[] = {
    DSM__FACT("data set", "{job.samples*job.sample_bytes}: {job.samples} sample{job.samples;s} of "
                          "{job.sample_bytes}"),
    DSM__FACT("storage", "{job.fast_bytes} at {job.fast_bytes_per_second}, from a capacity tier at "
                         "{job.capacity_bytes_per_second}"),
    DSM__FACT("demand", "{job.demand_bytes_per_second}: {job.samples_per_second} samples/s"),
    DSM__FACT_IF("mini-epochs", "1: the whole data set fits in fast storage and is read once",
                 IS_WHOLE),
    DSM__FACT_IF("mini-epochs",
                 "{steady.mini_epochs} of {steady.mini_epoch_bytes}, two at a time in fast "
                 "storage{least_mini_epochs<steady.mini_epochs?; {least_mini_epochs} would do|}",
                 IS_CUT),
    DSM__FACT_IF("enough", "none: inference reads each sample once", IS_CUT,
                 DSM__IF_IS(document, of.mode, DSM_MODE_INFERENCE)),
    DSM__FACT_IF("enough",
                 "trained on {steady.stall_free_repeat} time{steady.stall_free_repeat;s} each, the "
                 "chips {is_fast_slow?wait for fast storage alone|do not wait}",
                 IS_CUT, DSM__IF_NOT(document, of.mode, DSM_MODE_INFERENCE)),
    DSM__FACT_IF("repeat",
                 "{steady.repeat} time{steady.repeat;s}{chosen}: a mini-epoch every "
                 "{steady.period_seconds:5} s",
                 IS_ONE_FACTOR, IS_CUT),
    DSM__FACT_IF("reads",
                 "{steady.delivered_bytes_per_second} from fast storage, "
                 "{steady.capacity_bytes_per_second} from the capacity tier",
                 IS_ONE_FACTOR),
    DSM__FACT_IF("throughput",
                 "{steady.samples_per_second} samples/s, "
                 "{steady.samples_per_second/job.samples_per_second:%} % of the demand; {waiting}",
                 IS_ONE_FACTOR),
    DSM__FACT_IF("repeat",
                 "{repeats} {steady.mini_epochs<2?run|mini-epoch}{repeats;s}, {mean.repeat} "
                 "time{mean.repeat;s} on average{rule? (by {rule})|}",
                 IS_LIST),
    DSM__FACT_IF("reads",
                 "{mean.capacity_bytes_per_second} from the capacity tier; "
                 "{mean.equal_capacity_bytes_per_second} if their times were equal",
                 IS_LIST),
    DSM__FACT_IF("throughput",
                 "{mean.samples_per_second} samples/s, "
                 "{mean.samples_per_second/job.samples_per_second:%} % of the demand; {waiting}",
                 IS_LIST),
    DSM__FACT_IF("intensity",
                 "{fast_roof.intensity} FLOP/B: {fast_roof.sample_flop} a sample; "
                 "{fast_roof.flop_per_second} need {fast_roof.needed_bytes_per_second} of reading",
                 HAS_ROOFS),
    DSM__FACT_IF("fast roof",
                 "{fast_roof.samples_per_second} samples/s: bound by "
                 "{fast_roof.intensity<fast_roof.ridge_intensity?reading|the chips} (they meet at "
                 "{fast_roof.ridge_intensity} FLOP/B)",
                 HAS_ROOFS),
    DSM__FACT_IF("capacity roof",
                 "{capacity_roof.samples_per_second} samples/s: bound by "
                 "{capacity_roof.intensity<capacity_roof.ridge_intensity?reading|the chips} "
                 "(they meet at {capacity_roof.ridge_intensity} FLOP/B)",
                 HAS_ROOFS),
};

static const dsm__table_column point_columns[] = {
    DSM__NUMBERS("repeat", "{repeat}"),
    DSM__NUMBERS("capacity tier", "{capacity_bytes_per_second}"),
    DSM__NUMBERS("samples/s", "{samples_per_second}"),
    DSM__NUMBERS("waiting %", "{waiting_share:%}"),
};
static const dsm__row_table points = {.list = "points", DSM__COLUMNS(point_columns)};

static const dsm__table_column event_columns[] = {
    DSM__NUMBERS("mini-epoch", "{mini_epoch}"),
    DSM__NUMBERS("samples", "{samples}"),
    DSM__NUMBERS("repeat", "{repeat}"),
    DSM__NUMBERS("load from", "{load_begin_seconds:5}"),
    DSM__NUMBERS("to s", "{load_end_seconds:5}"),
    DSM__NUMBERS("train from", "{train_begin_seconds:5}"),
    DSM__NUMBERS("to s", "{train_end_seconds:5}"),
    DSM__NUMBERS("stall s", "{stall_seconds:5}"),
};
static const dsm__row_table events = {.list = "timeline", DSM__COLUMNS(event_columns), .most = 20};

#define DRAWN(plot)                                                                                \
  static void draw_##plot(dsm__plot_maker *maker, const void *of) {                                \
    dsm__plot_stored_##plot(maker, &(dsm__stored){.result = of});                                  \
  }
DRAWN(factors)
DRAWN(mini_epochs)
DRAWN(roofline)

static const dsm__section sections[] = {
    {.id = "summary", .title = "Summary", DSM__FACTS(facts)},
    {.id = "storage",
     .title = "Over the repeating factor",
     .draw = draw_factors,
     .label = "Samples a second, and what is read from the capacity tier, over the times that each "
              "mini-epoch is trained on. The table of factors has the numbers.",
     .caption = "The square is the answer; the upright line is where the capacity tier is fast "
                "enough."},
    {.heading = "Over the repeating factor",
     .medium = DSM__TEXT_ONLY,
     .when = {IS_CUT, DSM__UNLESS(document, of.event_count)},
     .table = &points},
    {.id = "factors",
     .title = "Factors from which to choose",
     .heading = "What each factor reads and how fast it is",
     .medium = DSM__PAGE_ONLY,
     .table = &points},
    {.heading = "Timeline: {timeline_seconds:5} s, of which {cold_seconds:5} s cold start and "
                "{stall_seconds:5} s stalls{is_fast_slow?; training waits {fast_waiting:%} % of "
                "its time for fast storage|}",
     .medium = DSM__TEXT_ONLY,
     .when = {DSM__IF(document, of.event_count)},
     .table = &events},
    {.id = "mini-epochs",
     .title = "Mini-epochs over time",
     .draw = draw_mini_epochs,
     .label = "A row of bars for the loading of mini-epochs, and one for the training on them.",
     .caption = "Point at a bar for its mini-epoch and time."},
    {.id = "roofline",
     .title = "The roof of reading",
     .when = {HAS_ROOFS},
     .draw = draw_roofline,
     .label = "FLOP/s of the system over FLOP for each byte of the data set, under the roofs of "
              "both tiers, with the network.",
     .caption = "Point at the network for its rate where each sample is read once."},
};

static const dsm__layout layout = {.type = &shown_record,
                                   .heading = "{name}",
                                   .title = "{name}",
                                   .subtitle = "what storage delivers",
                                   .series = 2,
                                   .has_leaders = true,
                                   DSM__SECTIONS(sections)};

/* ---- read: what was asked, which may have been edited; it is answered anew ---- */

/* What was asked. */
typedef struct asked {
  document read;
  dsm_storage_options options;
  dsm__arena *arena;    /* of name and lists */
  bool is_planned_anew; /* a factor that was planned is, and is not taken as it stands */
} asked;

/* The list of factors; those with times have all of them. */
static void list_factors(asked *of, const dsm__json_node *root) {
  const dsm__json_node list = dsm__json_member(root, "repeats");
  const repeat_row *const rows = of->read.repeats.items;
  const size_t count = of->read.repeats.count;
  double *const repeats = dsm__arena_array(of->arena, count, sizeof *repeats);
  double *const times = dsm__arena_array(of->arena, count, sizeof *times);
  if (dsm__json_lacks_memory(root->doc, repeats == NULL || times == NULL)) {
    return;
  }
  const bool has_times = isfinite(rows[0].time);
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    const dsm__json_node time = dsm__json_member(&item, "time");
    repeats[i] = rows[i].repeat;
    times[i] = rows[i].time;
    if (has_times && !isfinite(rows[i].time)) {
      (void)dsm__json_require(&time, "a number, as the first has");
    }
  }
  of->options.repeats = repeats;
  of->options.repeat_count = count;
  of->options.times = has_times ? times : NULL;
}

static void read_all(void *made, const dsm__json_node *root) {
  asked *const of = made;
  const dsm__record_reader reader = {.arena = of->arena, .wanted = DSM__FIELD_IS_READ};
  const dsm_storage_result *const read = &of->read.of;
  if (!dsm__document_only(root, &storage_record) ||
      !dsm__record_read(&reader, root, &storage_record, &of->read)) {
    return;
  }
  of->options.mode = read->mode;
  of->options.replay.rule = read->rule;
  of->options.wants_timeline = dsm__json_has(root, "timeline");
  of->options.mini_epochs = read->state.mini_epochs;
  of->options.max_repeat = read->max_repeat;
  of->options.sample_flop = read->fast_roof.sample_flop;
  of->options.flop_per_second = read->fast_roof.flop_per_second;
  of->options.repeats = &read->state.repeat;
  of->options.repeat_count = of->is_planned_anew && read->is_planned ? 0 : 1;
  if (of->read.repeats.count > 0) {
    list_factors(of, root);
  } else if (!(read->state.repeat > 0)) {
    const dsm__json_node steady = dsm__json_member(root, "steady");
    const dsm__json_node repeat = dsm__json_member(&steady, "repeat");
    (void)dsm__json_require(&repeat, "a number from 1 to 1000000");
  }
}

/* What of it is no question is a fault of the file. */
static dsm_status refuse(const char *file, dsm_status status, const dsm_diags *found,
                         dsm_diags *diags) {
  if (dsm_diags_count(found) > 0) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = file}, NULL, "%s",
                   dsm_diags_get(found, 0)->message);
  }
  return status == DSM_ERROR_USAGE ? DSM_ERROR_INVALID : status;
}

/* The name goes into the result, which outlives what was read. */
static dsm_status answer_anew(dsm_storage_result **made, const asked *of, const char *file,
                              dsm_diags *diags) {
  dsm_diags *const found = dsm_diags_new(1);
  dsm_status status = found == NULL ? dsm__out_of_memory(diags)
                                    : dsm_storage(made, &of->read.of.job, &of->options, found);
  if (status != DSM_OK) {
    status = refuse(file, status, found, diags);
  } else {
    assert(*made != NULL);
    (*made)->is_planned = of->read.of.is_planned;
    (*made)->name = dsm__arena_strdup((*made)->arena, of->read.of.name);
    status = (*made)->name == NULL ? dsm__out_of_memory(diags) : DSM_OK;
  }
  dsm_diags_free(found);
  return status;
}

static dsm_status read_storage(dsm_storage_result **made, const dsm__json_input *from,
                               bool is_planned_anew, dsm_diags *diags) {
  asked of = {.arena = dsm__arena_new(), .is_planned_anew = is_planned_anew};
  dsm_storage_options_init(&of.options);
  dsm_status status = dsm__json_doc_read(from, diags, read_all, of.arena == NULL ? NULL : &of);
  if (status == DSM_OK) {
    status = answer_anew(made, &of, from->file, diags);
  }
  dsm__arena_free(of.arena);
  return status;
}

DSM__READ_BY(dsm_storage_result, dsm_storage_result_free, read_storage(&made, from, false, diags));
DSM__MADE_BY(ask, dsm_storage_result, dsm_storage_result_free,
             read_storage(&made, from, true, diags));

static bool has_roofs(const void *of) {
  return ((const dsm_storage_result *)of)->has_roofs;
}

const dsm_answer_kind dsm_answer_storage = {
    .record = &storage_record,
    .fill = fill,
    .tables = {"timeline", "repeats", "points"},
    .layout = &layout,
    .figures = {{.word = "storage", .draw = draw_factors},
                {.word = "mini_epochs", .draw = draw_mini_epochs},
                {"io_roofline", draw_roofline, has_roofs, "a network with FLOP"}},
    .read = read,
    .discard = discard,
    .ask = ask,
    .judged = {.paths = {"mean.samples_per_second", "steady.samples_per_second",
                         "steady.capacity_bytes_per_second"}}};

const dsm__companion dsm__companion_storage = {.kinds = {&dsm_answer_storage},
                                               .formats = {&storage_record}};
