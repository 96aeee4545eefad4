/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_data.c: two plans side by side, for programs (format "dsm-diff/1", and CSV). */
#include <math.h>

#include "model/names.h"
#include "report/data/csv.h"
#include "report/data/records.h"
#include "report/diff_figures.h"
#include "report/loss.h"

/* ---- figures ---- */

/* A figure on both sides; `share` is not finite where it is none of the step's time. */
typedef struct figure {
  dsm_moved moved;
  double difference;
  double share;
} figure;

#define SHARE(struct_type, member)                                                                 \
  DSM__FIELD(REAL, struct_type, member, "share", DSM__COLUMN | DSM__NULLABLE, .min = DSM__NO_MIN,  \
             .unit = "ratio", .help = "Of the difference of step_seconds; null if that is 0.")

DSM__OWN_RECORD(figure_record, figure, true, "A figure on both sides.",
                DSM__FIELD(REAL, figure, moved.before, "a", DSM__COLUMN, .help = "In A."),
                DSM__FIELD(REAL, figure, moved.after, "b", DSM__COLUMN, .help = "In B."),
                DSM__FIELD(REAL, figure, difference, "difference", DSM__COLUMN, .min = DSM__NO_MIN,
                           .help = "b - a"),
                DSM__FIELD(REAL, figure, moved.change, "change", DSM__COLUMN | DSM__NULLABLE,
                           .min = -1, .unit = "ratio",
                           .help = "(b - a) / a; null if a is 0 and b is not."));

DSM__OWN_RECORD(part_record, figure, true, "A part of the step's time.",
                DSM__PART(figure, moved, figure_record), SHARE(figure, share));

/* Overhead only where one of the plans has some. */
static bool is_part_stated(const void *part) {
  return !isnan(((const figure *)part)->moved.before);
}

typedef struct results {
  figure of[DSM__DIFF_RESULTS]; /* as of dsm__diff_results */
} results;

#define RESULT(index, key)                                                                         \
  DSM__FIELD(RECORD, results, of[index], key, 0, .type = &figure_record, .help = "As in plans.")

DSM__OWN_RECORD(cycles_record, results, false, "As in plans.", RESULT(5, "primary"),
                RESULT(6, "overlapped"), RESULT(7, "overlapped_visible"), RESULT(8, "auxiliary"),
                RESULT(9, "non_overlapped"));

DSM__OWN_RECORD(memory_record, results, false, "As in plans.", RESULT(10, "weights_bytes"),
                RESULT(11, "activations_bytes"), RESULT(12, "gradients_bytes"),
                RESULT(13, "errors_bytes"), RESULT(14, "optimizer_bytes"),
                RESULT(15, "total_bytes"), RESULT(16, "capacity_bytes"));

static bool is_result_stated(const results *of, size_t index) {
  return index < DSM__DIFF_ENERGY || of->of[index].moved.before > 0 ||
         of->of[index].moved.after > 0;
}

static bool has_energy(const void *of) {
  return is_result_stated(of, DSM__DIFF_ENERGY);
}

DSM__OWN_RECORD(energy_record, results, false, "As in plans.", RESULT(17, "step_joules"),
                RESULT(18, "chip_watts"), RESULT(19, "step_dollars"));

DSM__OWN_RECORD(
    result_record, results, false, "What plans have below `result`, but for the bound.",
    RESULT(0, "step_seconds"), RESULT(1, "step_cycles"), RESULT(2, "samples_per_second"),
    RESULT(3, "utilization"), RESULT(4, "ideal_cycles"),
    {.key = "cycles", .kind = DSM__FIELD_RECORD, .type = &cycles_record, .help = "As in plans."},
    {.key = "memory", .kind = DSM__FIELD_RECORD, .type = &memory_record, .help = "As in plans."},
    {.key = "energy",
     .kind = DSM__FIELD_RECORD,
     .type = &energy_record,
     .is_stated = has_energy,
     .help = "As in plans; if the system of either names a technology."});

/* ---- what else differs ---- */

typedef struct plan_row {
  const char *file;
  const char *format; /* of a document that is no plan */
  const char *workload;
  const char *system;
  dsm_mode mode;
  uint64_t minibatch;
} plan_row;

DSM__OWN_RECORD(question_record, plan_row, true, "What a plan is of.",
                DSM__FIELD(TEXT, plan_row, workload, "workload", 0, .help = "Its name."),
                DSM__FIELD(TEXT, plan_row, system, "system", 0, .help = "Its name."),
                DSM__FIELD(WORD, plan_row, mode, "mode", 0, .words = &dsm__mode_words,
                           .help = "What a step is."),
                DSM__SAMPLES(plan_row, minibatch, "minibatch", 0, "Samples of a step."));

DSM__OWN_RECORD(plan_record, plan_row, true, "One of the plans, or of the documents.",
                DSM__FIELD(TEXT, plan_row, file, "file", 0,
                           .help = "As on the command line: a file, or DATABASE:POINT."),
                DSM__FIELD(TEXT, plan_row, format, "document", DSM__OPTIONAL,
                           .help = "Its format; absent of plans, which alone have the rest."),
                {.kind = DSM__FIELD_PART,
                 .type = &question_record,
                 .stated_if = DSM__IF(plan_row, workload)});

DSM__INPUT_RECORD(
    "As --set takes it; options as a sweep varies them; of other documents than plans "
    "as there.",
    "a", "b");
typedef struct figure_row {
  const char *path;
  const char *unit;
  figure of;
} figure_row;

DSM__OWN_RECORD(figure_row_record, figure_row, true, "A figure that differs.",
                DSM__FIELD(TEXT, figure_row, path, "path", 0,
                           .help = "Its keys, and names or indices of items of lists, joined by "
                                   "dots."),
                DSM__FIELD(TEXT, figure_row, unit, "unit", DSM__OPTIONAL,
                           .help = "Absent: it has none."),
                DSM__PART(figure_row, of, figure_record));

DSM__DECISION_RECORD("A decision that differs.", "name", "a", "In words, as dsm check has them.",
                     "b");

/* Which side alone has something. */
enum { SIDE_A, SIDE_B, SIDE_COUNT };
static const dsm__word side_words[] = {[SIDE_A].key = "a", [SIDE_B].key = "b"};
static DSM__WORDS(sides, "side of a difference", side_words, SIDE_COUNT);

typedef struct layer_row {
  const char *layer;
  unsigned only_in;
} layer_row;

DSM__OWN_RECORD(layer_record, layer_row, true, "A layer that only one of them has.",
                DSM__FIELD(TEXT, layer_row, layer, "layer", 0, .help = "Its name."),
                DSM__FIELD(WORD, layer_row, only_in, "only_in", 0, .words = &sides,
                           .help = "Which one."));

typedef struct pass_row {
  const char *layer;
  dsm_pass pass;
  unsigned only_in; /* SIDE_COUNT: both have it */
  figure seconds;
  figure cycles;
  figure utilization;
} pass_row;

#define FIGURE(struct_type, member, flag, of_unit, about)                                          \
  DSM__FIELD(RECORD, struct_type, member, #member, flag, .type = &figure_record,                   \
             .unit = (of_unit), .help = (about))

DSM__OWN_RECORD(pass_record, pass_row, false, "A pass that differs.",
                DSM__FIELD(TEXT, pass_row, layer, "layer", 0, .help = "Name of its layer."),
                DSM__FIELD(WORD, pass_row, pass, "pass", 0, .words = &dsm__pass_words,
                           .help = "Which."),
                DSM__FIELD(WORD, pass_row, only_in, "only_in", DSM__OPTIONAL, .words = &sides,
                           .help = "Absent: both have it."),
                FIGURE(pass_row, seconds, DSM__LESS, "seconds", "Of the step."),
                FIGURE(pass_row, cycles, DSM__LESS, "cycles", "Of the step."),
                FIGURE(pass_row, utilization, DSM__MORE, "ratio", "0 to 1."),
                SHARE(pass_row, seconds.share));

/* ---- the document ---- */

typedef struct document {
  plan_row a;
  plan_row b;
  bool is_different;
  const dsm_input_difference *inputs;
  size_t input_count;
  const dsm_decision_drift *decisions;
  size_t decision_count;
  const dsm_input_difference *chosen; /* in place of decisions, of other documents than plans */
  size_t chosen_count;
  const dsm_diff *diff; /* of plans, who alone have the rest but figures; NULL: of others */
  dsm__rows layers;
  results result;
  figure parts[DSM__DIFF_PARTS];
  dsm__rows passes;
  dsm__rows figures;
} document;

#define OF_PLANS .stated_if = DSM__IF(document, diff)

DSM__OWN_RECORD(
    times_record, document, false, "Where the time of two plans goes.",
    DSM__FIELD(MEMBERS, document, parts, "parts_seconds", DSM__OPTIONAL, .type = &part_record,
               .words = &dsm__diff_part_words, .is_stated = is_part_stated, .unit = "seconds",
               .help =
                   "Where the time of the step goes: of each part of a time its two sides and its "
                   "share. The parts of a side add up to its step_seconds."));

DSM__ANSWER(
    dsm__diff_record, document, "dsm-diff/1",
    "Two plans, or two documents of another format, side by side", "dsm diff",
    DSM__FIELD(RECORD, document, a, "a", 0, .type = &plan_record, .help = "The first."),
    DSM__FIELD(RECORD, document, b, "b", 0, .type = &plan_record, .help = "The second."),
    DSM__FIELD(FLAG, document, is_different, "different", 0, .help = "Is there any difference?"),
    DSM__LISTED(document, inputs, input_count, "inputs", 0, input_record,
                "Every value of workload, system and options that differs."),
    DSM__FIELD(LIST, document, layers.items, "layers", 0,
               .count_offset = offsetof(document, layers.count), .type = &layer_record, OF_PLANS,
               .help = "Of plans: layers that only one of them has."),
    DSM__FIELD(
        LIST, document, decisions, "decisions", 0,
        .count_offset = offsetof(document, decision_count), .type = &decision_record, OF_PLANS,
        .help =
            "Of plans: decisions that differ, of layers and passes that both have, in the order of "
            "execution of A."),
    DSM__FIELD(
        RECORD, document, result, "result", 0, .type = &result_record, OF_PLANS,
        .help = "What plans have below `result`, but for the bound; each figure with two sides."),
    {.kind = DSM__FIELD_PART, .type = &times_record, OF_PLANS},
    DSM__FIELD(LIST, document, passes.items, "passes", 0,
               .count_offset = offsetof(document, passes.count), .type = &pass_record, OF_PLANS,
               .help = "Of plans: passes whose time or utilization differs by more than rounding "
                       "(one part in 10^9), "
                       "the largest difference of time first."),
    DSM__FIELD(LIST, document, chosen, "chosen", 0,
               .count_offset = offsetof(document, chosen_count), .type = &input_record,
               .stated_if = DSM__UNLESS(document, diff),
               .help = "Of other documents than plans: what was decided and differs."),
    DSM__FIELD(LIST, document, figures.items, "figures", 0,
               .count_offset = offsetof(document, figures.count), .type = &figure_row_record,
               .stated_if = DSM__UNLESS(document, diff),
               .help = "Of other documents than plans: figures that differ, and those that tell "
                       "which is better."));

/* ---- what it holds ---- */

/* SIDE_COUNT: both have it. */
static unsigned only_in(dsm_presence presence) {
  return presence == DSM_PRESENCE_BOTH      ? SIDE_COUNT
         : presence == DSM_PRESENCE_MISSING ? SIDE_A
                                            : SIDE_B;
}

static figure figure_of(const dsm_moved *moved) {
  return (figure){*moved, dsm__diff_of(moved), (double)NAN};
}

/* That of a part of the step's time. */
static figure part_of(const dsm_diff *diff, const dsm_moved *moved, double share) {
  figure part = figure_of(moved);
  part.share = fabs(diff->difference_seconds) > 0 ? share : (double)NAN;
  return part;
}

static plan_row row_of(const dsm_plan *plan, const char *file) {
  return (plan_row){.file = file,
                    .workload = plan->workload->name,
                    .system = plan->system->name,
                    .mode = plan->options.mode,
                    .minibatch = plan->workload->minibatch};
}

static void fill_figures(document *made, const dsm_diff *diff) {
  dsm__diff_figure of_result[DSM__DIFF_RESULTS];
  dsm__diff_figure parts[DSM__DIFF_PARTS];
  dsm__diff_results(diff, of_result);
  dsm__diff_parts(diff, parts);
  for (size_t i = 0; i < DSM__DIFF_RESULTS; i++) {
    made->result.of[i] = figure_of(&of_result[i].moved);
  }
  for (size_t i = 0; i < DSM__DIFF_PARTS; i++) {
    const bool is_optional =
        i >= DSM__PART_OVERHEAD || i == DSM__PART_GROUPS + DSM_GROUP_TIED_WEIGHTS - 1;
    const bool is_shown = !is_optional || parts[i].moved.before > 0 || parts[i].moved.after > 0;
    made->parts[i] = part_of(diff, &parts[i].moved, dsm__diff_share(diff, &parts[i].moved));
    made->parts[i].moved.before = is_shown ? made->parts[i].moved.before : (double)NAN;
  }
}

static void fill_rows(dsm__page *page, document *made, const dsm_diff *diff) {
  made->layers = dsm__rows_make(page, diff->layer_count, sizeof(layer_row));
  made->passes = dsm__rows_make(page, diff->pass_count, sizeof(pass_row));
  layer_row *const layers = made->layers.items;
  pass_row *const passes = made->passes.items;
  for (size_t i = 0; i < made->layers.count; i++) {
    layers[i] = (layer_row){diff->layers[i].layer, only_in(diff->layers[i].presence)};
  }
  for (size_t i = 0; i < made->passes.count; i++) {
    const dsm_pass_difference *const pass = &diff->passes[i];
    passes[i] = (pass_row){.layer = pass->layer,
                           .pass = pass->pass,
                           .only_in = only_in(pass->presence),
                           .seconds = part_of(diff, &pass->seconds, pass->share),
                           .cycles = figure_of(&pass->cycles),
                           .utilization = figure_of(&pass->utilization)};
  }
}

/* Of documents that are no plans. */
static void fill_comparison(dsm__page *page, document *made, const dsm_diffed *of) {
  const dsm_comparison *const from = of->comparison;
  made->a = (plan_row){.file = of->a_file, .format = from->format};
  made->b = (plan_row){.file = of->b_file, .format = from->format};
  made->is_different = from->verdict != DSM_VERDICT_OK;
  made->inputs = from->inputs;
  made->input_count = from->input_count;
  made->chosen = from->decisions;
  made->chosen_count = from->decision_count;
  made->figures = dsm__rows_make(page, from->figure_count, sizeof(figure_row));
  figure_row *const rows = made->figures.items;
  for (size_t i = 0; i < made->figures.count; i++) {
    const dsm_figure_drift *const each = &from->figures[i];
    rows[i] = (figure_row){each->path, each->unit, figure_of(&each->moved)};
  }
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_diffed *const of = answer->of;
  const dsm_diff *const diff = of->diff;
  document *const made = to;
  *made = (document){.diff = diff};
  if (diff == NULL) {
    fill_comparison(page, made, of);
    return;
  }
  *made = (document){.a = row_of(diff->a, of->a_file),
                     .b = row_of(diff->b, of->b_file),
                     .diff = diff,
                     .is_different = diff->is_different,
                     .inputs = diff->inputs,
                     .input_count = diff->input_count,
                     .decisions = diff->decisions,
                     .decision_count = diff->decision_count};
  fill_figures(made, diff);
  fill_rows(page, made, diff);
}

/* ---- CSV: a row a value, layer, decision or figure ---- */

typedef struct section {
  const char *name;
} section;

DSM__OWN_RECORD(section_record, section, false, "What a row is about.",
                DSM__FIELD(TEXT, section, name, "section", DSM__COLUMN, .help = "Its kind."));

/* `what`: layer, pass and name, or also both sides in words; else the figure says how. */
static void put_row(dsm__csv *csv, const char *name, dsm_decision_drift what, const figure *moved) {
  const section of = {name};
  DSM__CSV_ROW(csv, {&section_record, &of}, {&decision_record, &what}, {&part_record, moved});
}

static void put_value_rows(dsm__csv *csv, const char *name, const dsm_input_difference *values,
                           size_t count) {
  const section of = {name};
  for (size_t i = 0; i < count; i++) {
    DSM__CSV_ROW(csv, {&section_record, &of}, {&input_record, &values[i]});
  }
}

static void put_layer_rows(dsm__csv *csv, const dsm_diff *diff) {
  for (size_t i = 0; i < diff->layer_count; i++) {
    const dsm_layer_drift *const layer = &diff->layers[i];
    put_row(csv, "layer", dsm__presence_row(layer->layer, DSM_PASS_COUNT, layer->presence), NULL);
  }
}

static void put_decision_rows(dsm__csv *csv, const document *made) {
  for (size_t i = 0; i < made->decision_count; i++) {
    put_row(csv, "decision", made->decisions[i], NULL);
  }
}

static void put_figure_rows(dsm__csv *csv, const document *made) {
  const figure_row *const rows = made->figures.items;
  for (size_t i = 0; i < made->figures.count; i++) {
    const dsm_decision_drift what = {.pass = DSM_PASS_COUNT, .decision = rows[i].path};
    put_row(csv, "figure", what, &rows[i].of);
  }
}

static void put_step_rows(dsm__csv *csv, const document *made) {
  dsm__diff_figure of_result[DSM__DIFF_RESULTS];
  dsm_decision_drift what = {.pass = DSM_PASS_COUNT};
  dsm__diff_results(made->diff, of_result);
  for (size_t i = 0; i < DSM__DIFF_RESULTS; i++) {
    what.decision = of_result[i].name;
    if (is_result_stated(&made->result, i)) {
      put_row(csv, "result", what, &made->result.of[i]);
    }
  }
  for (size_t i = 0; i < DSM__DIFF_PARTS; i++) {
    what.decision = dsm__word_key(&dsm__diff_part_words, i);
    if (is_part_stated(&made->parts[i])) {
      put_row(csv, "parts_seconds", what, &made->parts[i]);
    }
  }
}

static void put_pass_rows(dsm__csv *csv, const document *made) {
  const pass_row *const passes = made->passes.items;
  for (size_t i = 0; i < made->passes.count; i++) {
    dsm_decision_drift what = {
        .layer = passes[i].layer, .pass = passes[i].pass, .decision = "seconds"};
    put_row(csv, "pass", what, &passes[i].seconds);
    what.decision = "cycles";
    put_row(csv, "pass", what, &passes[i].cycles);
    what.decision = "utilization";
    put_row(csv, "pass", what, &passes[i].utilization);
  }
}

static void put_rows(dsm__csv *csv, const void *of) {
  const document *const made = of;
  dsm__csv_columns(csv, &section_record);
  dsm__csv_columns(csv, &decision_record);
  dsm__csv_columns(csv, &part_record);
  put_value_rows(csv, "input", made->inputs, made->input_count);
  if (made->diff != NULL) {
    put_layer_rows(csv, made->diff);
  }
  put_decision_rows(csv, made);
  put_value_rows(csv, "decision", made->chosen, made->chosen_count);
  if (made->diff != NULL) {
    put_step_rows(csv, made);
  }
  put_pass_rows(csv, made);
  put_figure_rows(csv, made);
}

const dsm_answer_kind dsm_answer_diff = {
    .record = &dsm__diff_record, .fill = fill, .put_rows = put_rows, .views = {dsm__show_diff}};
