/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_data.c: plans of cores in memory, for people: a plan is its own document. */
#include "pim/kernel.h"
#include "pim/pim_record.h"
#include "pim/pim_views.h"
#include "report/data/records.h"
#include "report/page/web.h"

/* A plan, with what is said of it beside its format. */
typedef struct document {
  dsm_pim_plan of; /* first, as a plan is drawn */
  double core_memory_bytes;
  double base_seconds; /* of the first row of the curve that is feasible */
  uint64_t working;    /* of the cores that were chosen */
  uint64_t idle;
} document;

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_pim_plan *const plan = answer->of;
  const uint64_t cores = plan->cost.choice.cores;
  const uint64_t most = dsm_pim_working_cores(plan->workload, cores);
  size_t first = 0;
  (void)page;
  while (first + 1 < plan->curve_count && !plan->curve[first].is_feasible) {
    first++;
  }
  *(document *)to =
      (document){.of = *plan,
                 .core_memory_bytes = dsm__pim_core_memory_bytes(plan->system),
                 .base_seconds = plan->curve_count == 0 ? 0 : plan->curve[first].seconds,
                 .working = most,
                 .idle = most < cores ? cores - most : 0};
}

DSM__OWN_RECORD(
    shown_record, document, false, "A plan with what is said of it to people.",
    DSM__FIELD(POINTER, document, of.workload, "workload", 0, .type = &dsm__rl_workload_record),
    DSM__FIELD(POINTER, document, of.system, "system", 0, .type = &dsm__pim_system_record),
    DSM__PART(document, of, dsm__pim_plan_record), DSM__SAID(REAL, document, core_memory_bytes),
    DSM__SAID(REAL, document, base_seconds), DSM__SAID(COUNT, document, working),
    DSM__SAID(COUNT, document, idle));

/* ---- the best choice ---- */

#define CHOICE                                                                                     \
  "{result.cores} of {system.cores} cores, {result.tasklets} tasklet{result.tasklets;s}, "         \
  "{result.transfers} transfers"

static const dsm__table_column part_columns[] = {
    {.title = "where the time goes", .is_name = true, .comfort = 30},
    DSM__NUMBERS("s", NULL),
    DSM__NUMBERS("%", NULL),
};
#define PART(name, key) name, "{result." key ":4.}", "{result." key "/result.seconds:%1}"
static const char *const part_cells[] = {
    PART("kernel", "kernel_seconds"), PART("host to cores", "host_to_cores_seconds"),
    PART("cores to host", "cores_to_host_seconds"), PART("between cores", "between_cores_seconds")};
static const dsm__row_table parts = {DSM__COLUMNS(part_columns), .cells = part_cells,
                                     .cell_count = DSM__COUNT_OF(part_cells)};

static const dsm__fact reasons[] = {
    DSM__FACT("rate",
              "{result.updates_per_second:.0} updates a second: {result.utilization:%1} % of "
              "what all {system.cores} cores could do"),
    DSM__FACT("update", "{update.instructions} instructions, {update.cycles} cycles with "
                        "{result.tasklets} tasklet{result.tasklets;s}: {update.compute_cycles} of "
                        "dispatch, {update.dma_cycles:3} of memory"),
    DSM__FACT("roofline",
              "{roofline.operations_per_second:op/s}, "
              "{roofline.operations_per_second/roofline.roof_operations_per_second:%1} % "
              "of the roof: {roofline.roof_operations_per_second:op/s} of these cores, "
              "bound by {roofline.bound}, at {roofline.intensity:3} instructions a byte "
              "and {roofline.bandwidth_bytes_per_second}"),
    DSM__FACT("memory", "{result.core_bytes} of {core_memory_bytes:B} on each core; the data set "
                        "needs {fewest_cores} core{fewest_cores;s} at least"),
    DSM__FACT_IF("idle",
                 "{idle} of the {result.cores} cores: there is one "
                 "{workload.agents?agent|transition} for each of {working}",
                 DSM__IF(document, idle)),
};

/* ---- curves ---- */

static const dsm__table_column curve_columns[] = {
    DSM__NUMBERS("cores", "{cores}"),
    DSM__COLUMN_OF("transfers", "{feasible?{transfers}|do not fit}", .rank = 0),
    DSM__NUMBERS("s", "{seconds:4.}"),
    DSM__NUMBERS("kernel", "{kernel_seconds:4.}"),
    DSM__COLUMN_OF("to cores", "{host_to_cores_seconds:4.}", .is_right = true, .rank = 1),
    DSM__COLUMN_OF("to host", "{cores_to_host_seconds:4.}", .is_right = true, .rank = 2),
    DSM__COLUMN_OF("between", "{between_cores_seconds:4.}", .is_right = true, .rank = 1),
    DSM__NUMBERS("speed-up", "{base_seconds/seconds:4}"),
    DSM__COLUMN_OF("J", "{joules:4}", .is_right = true, .rank = 3),
};

static dsm__text_style core_style(const void *of, const void *row) {
  const dsm_pim_cost *const cost = row;
  return !cost->is_feasible                                                   ? DSM__STYLE_FAINT
         : cost->choice.cores == ((const document *)of)->of.cost.choice.cores ? DSM__STYLE_GOOD
                                                                              : DSM__STYLE_PLAIN;
}
static const dsm__row_table curve = {
    .list = "over_cores", DSM__COLUMNS(curve_columns), .style = core_style};

static const dsm__table_column tasklet_columns[] = {
    DSM__NUMBERS("tasklets", "{tasklets}"),
    DSM__NUMBERS("cycles an update", "{cycles}"),
    DSM__NUMBERS("kernel s", "{kernel_seconds:4.}"),
    DSM__NUMBERS("s", "{seconds:4.}"),
};

static dsm__text_style tasklet_style(const void *of, const void *row) {
  const dsm_pim_cost *const cost = row;
  return cost->choice.tasklets == ((const document *)of)->of.cost.choice.tasklets
             ? DSM__STYLE_GOOD
             : DSM__STYLE_PLAIN;
}

/* Powers of two, the knee, the best and the last: between them nothing happens. */
static bool is_tasklet_shown(const void *of, const void *row) {
  const dsm_pim_plan *const plan = &((const document *)of)->of;
  const uint64_t tasklets = ((const dsm_pim_cost *)row)->choice.tasklets;
  return plan->options.tasklet_count > 0 || (tasklets & (tasklets - 1)) == 0 ||
         tasklets == plan->knee_tasklets || tasklets == plan->cost.choice.tasklets ||
         row == &plan->tasklet_curve[plan->tasklet_curve_count - 1];
}
static const dsm__row_table tasklets = {.list = "over_tasklets",
                                        DSM__COLUMNS(tasklet_columns),
                                        .style = tasklet_style,
                                        .is_shown = is_tasklet_shown};

#define KNEE                                                                                       \
  "With {knee_tasklets} tasklets an update takes less than 1 % more than with any number."
static const dsm__fact knee[] = {DSM__FACT(NULL, KNEE)};

/* ---- inputs, and commands ---- */

static void put_json(dsm__page *page, const char *title, const char *id,
                     const dsm__record_type *type, const void *record) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__record_write(&writer, type, record);
  page->out.failed = page->out.failed || text.failed;
  dsm__web_paragraph(page, NULL, title);
  dsm__web_code(page, id, text.failed ? "" : text.text);
  dsm__text_fini(&text);
}

static void put_inputs(dsm__page *page, const void *of) {
  const dsm_pim_plan *const plan = of;
  put_json(page, "The workload:", "workload", &dsm__rl_workload_record, plan->workload);
  put_json(page, "The system:", "system", &dsm__pim_system_record, plan->system);
}

static void put_commands(dsm__page *page, const void *of) {
  (void)of;
  dsm__web_paragraph(page, NULL,
                     "The plan contains its workload and system, so that they can be asked again, "
                     "or changed. PLAN is its file:");
  dsm__web_code(page, "commands-pim",
                "jq .workload PLAN > workload.json\njq .system PLAN > system.json\n"
                "dsm pim workload.json system.json\ndsm check PLAN\n");
}

/* ---- all of it ---- */

#define HAS_CORES DSM__IF_ABOVE(document, of.curve_count, 1)
#define HAS_TASKLETS DSM__IF_ABOVE(document, of.tasklet_curve_count, 1)

static const dsm__section sections[] = {
    {.id = "summary", .title = "Summary", .medium = DSM__PAGE_ONLY, DSM__FACTS(reasons)},
    {.id = "breakdown",
     .title = "Where the time goes",
     .draw = dsm__plot_pim_breakdown,
     .label = "The seconds of the training over cores, and the shares of its parts. The table of "
              "cores has the numbers.",
     .caption = "Point at a part for its time and share."},
    {.medium = DSM__TEXT_ONLY, .table = &parts},
    {.medium = DSM__TEXT_ONLY, DSM__FACTS(reasons)},
    {.medium = DSM__TEXT_ONLY, .when = {HAS_CORES}, .table = &curve},
    {.medium = DSM__TEXT_ONLY, .when = {HAS_TASKLETS}, .table = &tasklets},
    {.medium = DSM__TEXT_ONLY, .when = {HAS_TASKLETS}, DSM__FACTS(knee)},
    {.id = "tasklets",
     .title = "How many tasklets",
     .draw = dsm__plot_pim_tasklets,
     .label = "Cycles of an update over tasklets of a core.",
     .caption = KNEE},
    {.id = "cores",
     .title = "How many cores",
     .heading = "Seconds over cores, with the best of all else",
     .medium = DSM__PAGE_ONLY,
     .table = &curve},
    {.id = "inputs", .title = "Inputs", .medium = DSM__PAGE_ONLY, .put = put_inputs},
    {.id = "reproduce", .title = "Make it again", .medium = DSM__PAGE_ONLY, .put = put_commands},
};

static const dsm__layout layout = {.type = &shown_record,
                                   .heading = "{workload.name} on {system.name}: " CHOICE
                                              ": {result.seconds:4} s, {result.joules}",
                                   .is_plain = true,
                                   .title = "{workload.name} on {system.name}",
                                   .subtitle = CHOICE ": {result.seconds:4} s, {result.joules}",
                                   .series = DSM__PIM_PARTS,
                                   DSM__SECTIONS(sections)};

DSM__READ_BY(dsm_pim_plan, dsm_pim_plan_free,
             dsm_pim_plan_parse(&made, &answer->recorded, from->text, from->length, from->file,
                                diags));

/* Chosen anew. */
static dsm_status choose(dsm_pim_plan **made, const dsm__json_input *from, dsm_diags *diags) {
  dsm_pim_plan *question = NULL;
  dsm_status status = dsm_pim_question_parse(&question, from->text, from->length, from->file,
                                             from->overrides, from->override_count, diags);
  if (status == DSM_OK) {
    status = dsm_pim(made, question->workload, question->system, &question->options, diags);
  }
  if (status == DSM_OK) {
    (*made)->own_workload = question->own_workload;
    (*made)->own_system = question->own_system;
    question->own_workload = NULL;
    question->own_system = NULL;
  }
  dsm_pim_plan_free(question);
  return status;
}

DSM__MADE_BY(ask, dsm_pim_plan, dsm_pim_plan_free, choose(&made, from, diags));

const dsm_answer_kind dsm_answer_pim = {
    .record = &dsm__pim_plan_record,
    .fill = fill,
    .tables = {"over_cores"},
    .layout = &layout,
    .views = {[DSM_FORM_TRACE] = dsm__put_pim_trace},
    .read = read,
    .discard = discard,
    .ask = ask,
    .figures = {{.word = "breakdown", .draw = dsm__plot_pim_breakdown},
                {.word = "tasklets", .draw = dsm__plot_pim_tasklets}},
    .judged = {.paths = {"result.seconds", "result.utilization"}}};
