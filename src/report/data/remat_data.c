/* SPDX-License-Identifier: GPL-3.0-or-later */
/* remat_data.c: schedules that compute again, and pipelines of them, for programs (formats
 * "dsm-remat/1" and "dsm-pipeline/1", and CSV). */
#include "dsm/remat.h"

#include "remat/chain.h"
#include "report/data/records.h"

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
    DSM__FIELD(WORD, step_row, action, "action", DSM__COLUMN, .words = &dsm__remat_action_words,
               .help = "What is done: forward saving nothing with its input kept or dropped, "
                       "forward saving what an option saves, or backward."),
    DSM__FIELD(TEXT, step_row, stage, "stage", DSM__COLUMN, .help = "Its name."),
    DSM__FIELD(TEXT, step_row, option, "option", DSM__COLUMN | DSM__OPTIONAL,
               .help = "Of the stage; absent where nothing is saved."),
    BYTES(step_row, held_bytes, "held_bytes", DSM__COLUMN, "What is held when it is done."));

DSM__OWN_RECORD(point_record, dsm_remat_point, true, "A budget, and the least time that it allows.",
                BYTES(dsm_remat_point, bytes, "budget_bytes", DSM__COLUMN,
                      "Of the schedule's peak."),
                SECONDS(dsm_remat_point, seconds, "seconds", DSM__COLUMN | DSM__LESS,
                        "Of a step."));

typedef struct document {
  dsm_remat_result of;
  const char *name;
  uint64_t minibatch;
  double overhead;
  dsm__rows steps;
} document;

DSM__DOCUMENT(
    dsm__remat_record, document, "dsm-remat/1",
    "The fastest schedule of a chain within a budget, written by `dsm remat --format json`.",
    DSM__FIELD(TEXT, document, name, "name", 0, .help = "Of the chain."),
    DSM__SAMPLES(document, minibatch, "minibatch", 0, "Samples of a step."),
    BYTES(document, of.budget_bytes, "budget_bytes", 0,
          "What all but the chain's input, parameters, gradients and optimizer state may take."),
    BYTES(document, of.unit_bytes, "unit_bytes", 0,
          "That sizes were rounded up to; 0: the answer needed none."),
    SECONDS(document, of.run.seconds, "seconds", DSM__LESS, "Of a step."),
    DSM__REAL(document, overhead, "overhead", DSM__LESS, "ratio",
              "Of the time over that of keeping everything, less 1."),
    BYTES(document, of.run.peak_bytes, "peak_bytes", 0, "Of the schedule, as simulated."),
    DSM__FIELD(COUNT, document, of.run.repeated, "repeated_forwards", 0,
               .help = "Forward passes beside the first of each stage."),
    SECONDS(document, of.full.seconds, "full_seconds", 0, "Of a step that keeps everything."),
    BYTES(document, of.full.peak_bytes, "full_bytes", 0, "The budget which that needs."),
    BYTES(document, of.smallest_bytes, "smallest_bytes", 0,
          "The smallest budget that any schedule fits in."),
    DSM__ROWS(document, steps, "steps", step_record, "In order."),
    DSM__LISTED(document, of.points, of.point_count, "points", DSM__UNLESS_0, point_record,
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

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_remat_result *const result = answer->of;
  const double full = result->full.seconds;
  *(document *)to = (document){.of = *result,
                               .name = result->chain->name,
                               .minibatch = result->chain->minibatch,
                               .overhead = full > 0 ? result->run.seconds / full - 1 : 0,
                               .steps = steps_of(page, result)};
}

const dsm_answer_kind dsm_answer_remat = {.record = &dsm__remat_record,
                                          .fill = fill,
                                          .tables = {"points", "steps"},
                                          .views = {dsm__show_remat}};

/* ---- pipelines ---- */

typedef struct device_row {
  const char *first;
  dsm_remat_device of;
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
    DSM__FIELD(FLAG, case_row, of.is_feasible, "feasible", DSM__COLUMN,
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
} pipeline_document;

DSM__DOCUMENT(dsm__remat_pipeline_record, pipeline_document, "dsm-pipeline/1",
              "Pipelines of a chain whose devices compute again, written by `dsm remat --stages N "
              "--format json`.",
              DSM__FIELD(TEXT, pipeline_document, name, "name", 0, .help = "Of the chain."),
              DSM__SAMPLES(pipeline_document, minibatch, "minibatch", 0, "Samples of a step."),
              DSM__FIELD(COUNT, pipeline_document, of.device_count, "devices", 0, .min = 1,
                         .help = "Of the pipeline."),
              BYTES(pipeline_document, of.budget_bytes, "budget_bytes", 0, "Of each device."),
              DSM__FIELD(COUNT, pipeline_document, of.best, "best", 0,
                         .help = "The fastest case, from 0."),
              DSM__ROWS(pipeline_document, cases, "cases", case_record,
                        "All that were tried, by micro-batches."));

static dsm__rows devices_of(dsm__page *page, const dsm_remat_pipeline *pipeline,
                            const dsm_remat_pipeline_case *from) {
  const dsm__rows made = dsm__rows_make(page, pipeline->device_count, sizeof(device_row));
  device_row *const rows = made.items;
  for (size_t d = 0; d < made.count; d++) {
    rows[d] = (device_row){.first = pipeline->chain->stages[from->devices[d].first_stage].name,
                           .of = from->devices[d]};
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
  }
  return made;
}

static void fill_pipeline(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_remat_pipeline *const pipeline = answer->of;
  *(pipeline_document *)to = (pipeline_document){.of = *pipeline,
                                                 .name = pipeline->chain->name,
                                                 .minibatch = pipeline->chain->minibatch,
                                                 .cases = cases_of(page, pipeline)};
}

const dsm_answer_kind dsm_answer_remat_pipeline = {.record = &dsm__remat_pipeline_record,
                                                   .fill = fill_pipeline,
                                                   .tables = {"cases"},
                                                   .views = {dsm__show_remat_pipeline}};
