/* SPDX-License-Identifier: GPL-3.0-or-later */
/* remat_data.c: schedules that compute again, and pipelines of them: their documents (formats
 * "dsm-remat/1" and "dsm-pipeline/1", and CSV), and texts. */
#include "dsm/remat.h"

#include <math.h>
#include <string.h>

#include "chain/chain.h"
#include "chain/stages_record.h"
#include "report/answer.h"
#include "report/data/records.h"
#include "report/table/describe_table.h"
#include "report/table/number_style.h"

/* ---- a schedule ---- */

typedef struct step_row {
  dsm_remat_action action;
  const char *stage;
  const char *option; /* NULL: none */
  double held_bytes;
} step_row;

#define BYTES(struct_type, member, key, flags, about)                                              \
  DSM__REAL(struct_type, member, key, flags, "bytes", about)
#define SECONDS(struct_type, member, key, flags, about)                                            \
  DSM__REAL(struct_type, member, key, flags, "seconds", about)

DSM__OWN_RECORD(
    step_record, step_row, true, "A step of the schedule.",
    DSM__FIELD(WORD, step_row, action, "action", DSM__COLUMN | DSM__CHOSEN,
               .words = &dsm__remat_action_words,
               .help = "What is done: forward saving nothing with its input kept or dropped, "
                       "forward saving what an option saves, or backward."),
    DSM__FIELD(TEXT, step_row, stage, "stage", DSM__COLUMN | DSM__CHOSEN, .help = "Its name."),
    DSM__FIELD(TEXT, step_row, option, "option", DSM__COLUMN | DSM__OPTIONAL | DSM__CHOSEN,
               .help = "Of the stage; absent where nothing is saved."),
    BYTES(step_row, held_bytes, "held_bytes", DSM__COLUMN, "What is held when it is done."));

DSM__OWN_RECORD(point_record, dsm_remat_point, true, "A budget, and the least time that it allows.",
                BYTES(dsm_remat_point, bytes, "budget_bytes", DSM__COLUMN | DSM__ASKED,
                      "Of the schedule's peak."),
                SECONDS(dsm_remat_point, seconds, "seconds", DSM__COLUMN | DSM__LESS,
                        "Of a step."));

typedef struct document {
  dsm_remat_result of;
  const char *name;
  uint64_t minibatch;
  double overhead;
  dsm__rows steps;
  dsm__rows uses; /* said to people alone, as the rest is */
  size_t stage_count;
} document;

DSM__OWN_ANSWER(
    remat_record, document, "dsm-remat/1", "The fastest schedule of a chain within a budget",
    "dsm remat", DSM__FIELD(TEXT, document, name, "name", DSM__ASKED, .help = "Of the chain."),
    DSM__SAMPLES(document, minibatch, "minibatch", DSM__ASKED, "Samples of a step."),
    BYTES(document, of.budget_bytes, "budget_bytes", DSM__ASKED,
          "What all but the chain's input, parameters, gradients and optimizer state may take."),
    BYTES(document, of.unit_bytes, "unit_bytes", 0,
          "That sizes were rounded up to; 0: the answer needed none."),
    SECONDS(document, of.run.seconds, "seconds", DSM__LESS, "Of a step."),
    DSM__REAL(document, overhead, "overhead", DSM__LESS, "ratio",
              "Of the time over that of keeping everything, less 1."),
    BYTES(document, of.run.peak_bytes, "peak_bytes", DSM__LESS, "Of the schedule, as simulated."),
    DSM__FIELD(COUNT, document, of.run.repeated, "repeated_forwards", DSM__FIGURE,
               .help = "Forward passes beside the first of each stage."),
    SECONDS(document, of.full.seconds, "full_seconds", DSM__FIGURE,
            "Of a step that keeps everything."),
    BYTES(document, of.full.peak_bytes, "full_bytes", DSM__FIGURE, "The budget which that needs."),
    BYTES(document, of.smallest_bytes, "smallest_bytes", DSM__FIGURE,
          "The smallest budget that any schedule fits in."),
    DSM__COMPARED_ROWS(document, steps, "steps", DSM__CHOSEN, step_record, "In order."),
    DSM__LISTED(document, of.points, of.point_count, "points", DSM__UNLESS_0 | DSM__FIGURE,
                point_record,
                "Times over budgets, with --pareto: by budget, each faster than the one "
                "before."));

static dsm__rows steps_of(dsm__page *page, const dsm_remat_result *result) {
  const dsm__rows made = dsm__rows_make(page, result->step_count, sizeof(step_row));
  step_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    const dsm_remat_step *const step = &result->steps[i];
    const dsm_remat_stage *const stage = &result->chain->stages[step->stage];
    const bool has_option = step->action == DSM_REMAT_SAVE || step->action == DSM_REMAT_BACKWARD;
    rows[i] = (step_row){.action = step->action,
                         .stage = stage->name,
                         .option = has_option ? stage->options[step->option].name : NULL,
                         .held_bytes = result->held_bytes[i]};
  }
  return made;
}

/* How a stage is run, or neighbours that are run alike. */
typedef struct use_row {
  const char *names;
  size_t count;
  const dsm_remat_option *option; /* with which it runs backward */
  uint64_t forwards;              /* passes */
} use_row;

DSM__OWN_RECORD(use_record, use_row, true, "How stages are run.", DSM__SAID(TEXT, use_row, names),
                DSM__SAID(COUNT, use_row, count), DSM__SAID(COUNT, use_row, forwards),
                DSM__FIELD(POINTER, use_row, option, "option", 0,
                           .type = &dsm__stage_option_record));

static bool is_alike(const use_row *a, const use_row *b) {
  return a->forwards == b->forwards && a->option->saved_bytes == b->option->saved_bytes &&
         strcmp(a->option->name, b->option->name) == 0;
}

static dsm__rows uses_of(dsm__page *page, const dsm_remat_result *result) {
  const dsm_remat_chain *const chain = result->chain;
  dsm__rows made = dsm__rows_make(page, chain->stage_count, sizeof(use_row));
  use_row *const rows = made.items;
  size_t used = 0;
  for (size_t i = 0; i < result->step_count && made.count > 0; i++) {
    const dsm_remat_step *const step = &result->steps[i];
    if (step->action == DSM_REMAT_BACKWARD) {
      rows[step->stage].option = &chain->stages[step->stage].options[step->option];
    } else {
      rows[step->stage].forwards++;
    }
  }
  for (size_t s = 0, first = 0; s < made.count; s++) {
    if (s + 1 == made.count || !is_alike(&rows[s], &rows[s + 1])) {
      rows[used] = rows[first];
      rows[used].names = dsm__stage_names(page, chain, first, s);
      rows[used++].count = s + 1 - first;
      first = s + 1;
    }
  }
  made.count = used;
  return made;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_remat_result *const result = answer->of;
  const double full = result->full.seconds;
  *(document *)to =
      (document){.of = *result,
                 .name = result->chain->name,
                 .minibatch = result->chain->minibatch,
                 .overhead = full > 0 ? result->run.seconds / full - 1 : 0,
                 .steps = steps_of(page, result),
                 .uses = result->point_count > 0 ? (dsm__rows){.count = 0} : uses_of(page, result),
                 .stage_count = result->chain->stage_count};
}

DSM__OWN_RECORD(shown_record, document, false, "A schedule with what is said of it to people.",
                DSM__PART(document, of, remat_record),
                DSM__ROWS(document, uses, "uses", use_record, NULL),
                DSM__SAID(COUNT, document, stage_count));

static const dsm__fact facts[] = {
    DSM__FACT("step", "{seconds:m4} ms, {seconds/full_seconds:>2} % more than {full_seconds:m4} ms "
                      "when everything is kept"),
    DSM__FACT("memory",
              "{peak_bytes} at the peak; keeping everything needs {full_bytes}, and every "
              "schedule at least {smallest_bytes}"),
    DSM__FACT("again", "{repeated_forwards} forward pass{repeated_forwards;es} of whole stages, "
                       "beside what options recompute"),
};

static const dsm__table_column use_columns[] = {
    {.title = "stages", .value = "{names}", .is_name = true, .comfort = 30},
    DSM__NUMBERS("count", "{count}"),
    DSM__NUMBERS("forward", "{forwards}x"),
    DSM__NUMBERS("saved", "{option.saved_bytes}"),
    DSM__COLUMN_OF("option", "{option.name}", .is_name = true, .comfort = 40),
};
static const dsm__row_table uses = {.list = "uses", DSM__COLUMNS(use_columns)};

static const dsm__table_column point_columns[] = {
    DSM__NUMBERS("budget", "{budget_bytes}"),
    DSM__NUMBERS("% of all", "{budget_bytes/full_bytes:%1}"),
    DSM__NUMBERS("ms", "{seconds:m4}"),
    DSM__NUMBERS("% more", "{seconds/full_seconds:>2}"),
};
static const dsm__row_table points = {
    .list = "points", DSM__COLUMNS(point_columns), .most = 20, .is_spread = true};

static const dsm__section sections[] = {
    {.id = "summary", .title = "Summary", DSM__FACTS(facts), .label_width = 9},
    {.id = "budgets",
     .title = "Budgets",
     .heading = "Times over budgets",
     .when = {DSM__IF(document, of.point_count)},
     .table = &points},
    {.id = "stages",
     .title = "How stages are run",
     .when = {DSM__UNLESS(document, of.point_count)},
     .table = &uses},
};

static const dsm__layout layout = {
    .type = &shown_record,
    .heading = "{name}: {stage_count} stage{stage_count;s} within {budget_bytes}",
    DSM__SECTIONS(sections)};

const dsm_answer_kind dsm_answer_remat = {.record = &remat_record,
                                          .fill = fill,
                                          .tables = {"points", "steps"},
                                          .layout = &layout,
                                          .judged = {.paths = {"seconds", "peak_bytes"}}};

/* ---- pipelines ---- */

typedef struct device_row {
  const char *first;
  dsm_remat_device of;
  const char *names; /* of its stages, said to people alone */
} device_row;

DSM__OWN_RECORD(device_record, device_row, true, "A device's part of the pipeline.",
                DSM__FIELD(TEXT, device_row, first, "first_stage", 0, .help = "Its first stage."),
                DSM__FIELD(COUNT, device_row, of.stage_count, "stages", 0, .min = 1,
                           .help = "How many it has."),
                DSM__FIELD(COUNT, device_row, of.stored, "stored_micro_batches", 0, .min = 1,
                           .help = "Whose activations it has at a time, at most."),
                SECONDS(device_row, of.busy_seconds, "busy_seconds", 0, "That it computes."),
                DSM__REAL(device_row, of.overhead, "overhead", 0, "ratio",
                          "Of that time over that of keeping everything, less 1."),
                BYTES(device_row, of.peak_bytes, "peak_bytes", 0, "Of all its micro-batches."));

typedef struct case_row {
  dsm_remat_pipeline_case of;
  double samples_per_second;
  dsm__rows devices;
  double overhead; /* the most of a device, as the peak is: said to people alone */
  double peak_bytes;
} case_row;

#define WHERE_FEASIBLE(member, key, flags, of_unit, about)                                         \
  DSM__FIELD(REAL, case_row, member, key, DSM__COLUMN | (flags), .unit = (of_unit),                \
             .stated_if = DSM__IF(case_row, of.is_feasible), .help = (about))

DSM__OWN_RECORD(
    case_record, case_row, false, "A way to run the pipeline.",
    DSM__FIELD(COUNT, case_row, of.micro_batches, "micro_batches", DSM__COLUMN, .min = 1,
               .help = "Of the minibatch."),
    DSM__FIELD(WORD, case_row, of.order, "order", DSM__COLUMN, .words = &dsm__remat_order_words,
               .help = "gpipe: all forward, then all backward in reverse order; 1f1b: backward as "
                       "soon as there is one."),
    DSM__FIELD(WORD, case_row, of.sharing, "sharing", DSM__COLUMN,
               .words = &dsm__remat_sharing_words,
               .help = "direct: each micro-batch has an equal part of a device's memory; global: "
                       "one chain of all."),
    DSM__FIELD(FLAG, case_row, of.is_feasible, "feasible", DSM__COLUMN | DSM__CHOSEN,
               .help = "It fits in the budget."),
    DSM__FIELD(REAL, case_row, of.smallest_bytes, "smallest_bytes", DSM__COLUMN, .unit = "bytes",
               .stated_if = DSM__UNLESS(case_row, of.is_feasible),
               .help = "The budget from which on it would fit."),
    WHERE_FEASIBLE(of.seconds, "seconds", DSM__LESS, "seconds", "Of a step."),
    WHERE_FEASIBLE(samples_per_second, "samples_per_second", DSM__MORE, "1/s",
                   "The minibatch over that."),
    WHERE_FEASIBLE(of.bubble, "bubble", DSM__LESS, "ratio",
                   "Part of the devices' time in which they wait."),
    DSM__FIELD(LIST, case_row, devices.items, "devices", 0,
               .count_offset = offsetof(case_row, devices.count), .type = &device_record,
               .stated_if = DSM__IF(case_row, of.is_feasible), .help = "In order."));

typedef struct pipeline_document {
  dsm_remat_pipeline of;
  const char *name;
  uint64_t minibatch;
  dsm__rows cases;
  size_t stage_count; /* said to people alone, as the rest is */
  case_row best;
} pipeline_document;

DSM__OWN_ANSWER(
    remat_pipeline_record, pipeline_document, "dsm-pipeline/1",
    "Pipelines of a chain whose devices compute again", "dsm remat --stages N",
    DSM__FIELD(TEXT, pipeline_document, name, "name", DSM__ASKED, .help = "Of the chain."),
    DSM__SAMPLES(pipeline_document, minibatch, "minibatch", DSM__ASKED, "Samples of a step."),
    DSM__FIELD(COUNT, pipeline_document, of.device_count, "devices", DSM__ASKED, .min = 1,
               .help = "Of the pipeline."),
    BYTES(pipeline_document, of.budget_bytes, "budget_bytes", DSM__ASKED, "Of each device."),
    DSM__FIELD(COUNT, pipeline_document, of.best, "best", DSM__CHOSEN,
               .help = "The fastest case, from 0."),
    DSM__COMPARED_ROWS(pipeline_document, cases, "cases", DSM__FIGURE, case_record,
                       "All that were tried, by micro-batches."));

static dsm__rows devices_of(dsm__page *page, const dsm_remat_pipeline *pipeline,
                            const dsm_remat_pipeline_case *from) {
  const dsm__rows made = dsm__rows_make(page, pipeline->device_count, sizeof(device_row));
  device_row *const rows = made.items;
  for (size_t d = 0; d < made.count; d++) {
    const dsm_remat_device *const device = &from->devices[d];
    rows[d] =
        (device_row){.first = pipeline->chain->stages[device->first_stage].name,
                     .of = *device,
                     .names = dsm__stage_names(page, pipeline->chain, device->first_stage,
                                               device->first_stage + device->stage_count - 1)};
  }
  return made;
}

static dsm__rows cases_of(dsm__page *page, const dsm_remat_pipeline *pipeline) {
  const dsm__rows made = dsm__rows_make(page, pipeline->case_count, sizeof(case_row));
  case_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    const dsm_remat_pipeline_case *const from = &pipeline->cases[i];
    const double samples = (double)pipeline->chain->minibatch;
    rows[i] = (case_row){.of = *from,
                         .samples_per_second = from->seconds > 0 ? samples / from->seconds : 0,
                         .devices = devices_of(page, pipeline, from)};
    for (size_t d = 0; d < pipeline->device_count; d++) {
      rows[i].overhead = fmax(rows[i].overhead, from->devices[d].overhead);
      rows[i].peak_bytes = fmax(rows[i].peak_bytes, from->devices[d].peak_bytes);
    }
  }
  return made;
}

static void fill_pipeline(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_remat_pipeline *const pipeline = answer->of;
  const dsm__rows cases = cases_of(page, pipeline);
  *(pipeline_document *)to = (pipeline_document){
      .of = *pipeline,
      .name = pipeline->chain->name,
      .minibatch = pipeline->chain->minibatch,
      .cases = cases,
      .stage_count = pipeline->chain->stage_count,
      .best = cases.count == 0 ? (case_row){.samples_per_second = 0}
                               : ((const case_row *)cases.items)[pipeline->best]};
}

DSM__OWN_RECORD(shown_case_record, case_row, false, "A case with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &case_record},
                DSM__FIELD(REAL, case_row, overhead, "overhead", 0,
                           .stated_if = DSM__IF(case_row, of.is_feasible)),
                DSM__FIELD(REAL, case_row, peak_bytes, "peak_bytes", 0, .unit = "bytes"));

DSM__OWN_RECORD(shown_device_record, device_row, false, "A device with the names of its stages.",
                {.kind = DSM__FIELD_PART, .type = &device_record},
                DSM__SAID(TEXT, device_row, names));

DSM__OWN_RECORD(shown_pipeline_record, pipeline_document, false,
                "Pipelines with what is said of them to people.",
                DSM__SAID(COUNT, pipeline_document, stage_count),
                DSM__FIELD(RECORD, pipeline_document, best, "best", 0, .type = &shown_case_record),
                DSM__ROWS(pipeline_document, best.devices, "best_devices", shown_device_record,
                          NULL),
                {.kind = DSM__FIELD_PART, .type = &remat_pipeline_record});

static const dsm__table_column case_columns[] = {
    DSM__NUMBERS("micro-batches", "{micro_batches}"),
    DSM__COLUMN_OF("order", "{order}", .rank = 0),
    DSM__COLUMN_OF("sharing", "{sharing}", .rank = 0),
    DSM__NUMBERS("ms", "{seconds:m4|does not fit}"),
    DSM__NUMBERS("waiting %", "{bubble:%1}"),
    DSM__NUMBERS("again %", "{overhead:%1}"),
    DSM__COLUMN_OF("peak", "{feasible?{peak_bytes}|from {smallest_bytes}}", .is_right = true,
                   .rank = 1),
};

static dsm__text_style case_style(const void *of, const void *row) {
  const pipeline_document *const pipeline = of;
  return !((const case_row *)row)->of.is_feasible ? DSM__STYLE_FAINT
         : (const case_row *)row == (const case_row *)pipeline->cases.items + pipeline->of.best
             ? DSM__STYLE_HEADING
             : DSM__STYLE_PLAIN;
}
static const dsm__row_table cases = {
    .list = "cases", .type = &shown_case_record, DSM__COLUMNS(case_columns), .style = case_style};

static const dsm__table_column device_columns[] = {
    DSM__NUMBERS("device", "{#0}"),
    DSM__COLUMN_OF("stages", "{names}", .is_name = true, .comfort = 30),
    DSM__NUMBERS("count", "{stages}"),
    DSM__NUMBERS("stored", "{stored_micro_batches}"),
    DSM__NUMBERS("busy ms", "{busy_seconds:m4}"),
    DSM__NUMBERS("again %", "{overhead:%1}"),
    DSM__NUMBERS("peak", "{peak_bytes}"),
};
static const dsm__row_table devices = {.list = "best_devices", DSM__COLUMNS(device_columns)};

static const dsm__section pipeline_sections[] = {
    {.id = "cases", .title = "Micro-batches", .table = &cases},
    {.id = "devices", .title = "Devices", .heading = "Devices of the fastest", .table = &devices},
};

static const dsm__layout pipeline_layout = {
    .type = &shown_pipeline_record,
    .heading = "{name}: {stage_count} stages on {devices} device{devices;s} within {budget_bytes} "
               "each: {best.seconds:m4} ms, {best.micro_batches} "
               "micro-batch{best.micro_batches;es}, {best.order}, {best.sharing}",
    DSM__SECTIONS(pipeline_sections)};

const dsm_answer_kind dsm_answer_remat_pipeline = {.record = &remat_pipeline_record,
                                                   .fill = fill_pipeline,
                                                   .tables = {"cases"},
                                                   .layout = &pipeline_layout};

/* ---- for the tables of formats ---- */

static const dsm__limit limits[] = {DSM__LIMIT(DSM_REMAT_MICRO_BATCHES_MAX)};

const dsm__companion dsm__companion_remat = {
    .kinds = {&dsm_answer_remat, &dsm_answer_remat_pipeline},
    .formats = {&remat_record, &remat_pipeline_record},
    DSM__LIMITS(limits)};
