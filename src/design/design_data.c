/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_data.c: the best design: its document (format "dsm-design/1", and CSV), a text and a
 * page. */
#include <math.h>
#include <string.h>

#include "base/companion.h"
#include "base/text_buffer.h"
#include "design/design_words.h"
#include "design/plot_design.h"
#include "dsm/limits.h"
#include "report/answer.h"
#include "report/data/records.h"

#define SECONDS(struct_type, member, key, flags, about)                                            \
  DSM__REAL(struct_type, member, key, flags, "seconds", about)
/* Of what a column is of, which may be below 0. */
#define ANY(struct_type, member, of_key, of_flags, about)                                          \
  DSM__FIELD(REAL, struct_type, member, of_key, of_flags, .min = DSM__NO_MIN, .help = (about))
#define NAME(struct_type, member, key, flags, about)                                               \
  DSM__FIELD(TEXT, struct_type, member, key, flags, .help = (about))

DSM__OWN_RECORD(parameter_record, dsm_design_parameter, true, "A parameter that is varied.",
                NAME(dsm_design_parameter, path, "path", DSM__ASKED,
                     "Below the root of the system."),
                NAME(dsm_design_parameter, value, "value", DSM__CHOSEN, "Of the best design."),
                NAME(dsm_design_parameter, own, "own", 0, "Of the system as it is."),
                NAME(dsm_design_parameter, least, "least", 0, "Of the values."),
                NAME(dsm_design_parameter, most, "most", 0, "Of the values."),
                DSM__FIELD(COUNT, dsm_design_parameter, value_count, "values", 0, .min = 1,
                           .max = DSM_SWEEP_VALUES_MAX, .help = "That were allowed."),
                NAME(dsm_design_parameter, unit, "unit", 0, "Of the values."),
                DSM__FIELD(WORD, dsm_design_parameter, way, "way", 0, .words = &dsm__way_words,
                           .help = "What more of it does to the time of a step."),
                DSM__FIELD(FLAG, dsm_design_parameter, is_at_limit, "at_limit", 0,
                           .help = "It has the best value that was allowed."),
                DSM__REAL(dsm_design_parameter, gain, "gain", 0, "ratio",
                          "What its next better value alone saves, budgets aside."));

DSM__OWN_RECORD(budget_record, dsm_design_budget, true, "A budget.",
                NAME(dsm_design_budget, text, "budget", DSM__ASKED, "As it was asked for."),
                ANY(dsm_design_budget, limit, "limit", 0, "The number in it."),
                ANY(dsm_design_budget, value, "value", 0,
                    "Of the best design; of several networks the largest."),
                ANY(dsm_design_budget, least, "least", 0, "No design has less."),
                DSM__FIELD(FLAG, dsm_design_budget, is_binding, "binding", 0,
                           .help = "It keeps a parameter from a value that would gain something."),
                ANY(dsm_design_budget, price, "price", 0,
                    "What a unit more saves, by designs beside the best one."));

DSM__OWN_RECORD(network_record, dsm_design_network, true, "A network of the suite.",
                NAME(dsm_design_network, name, "network", DSM__ASKED, "Its name."),
                DSM__REAL(dsm_design_network, weight, "weight", 0, "ratio", "Of all weights."),
                SECONDS(dsm_design_network, step_seconds, "step_seconds", DSM__LESS,
                        "Of a step on the best design."),
                SECONDS(dsm_design_network, own_seconds, "own_seconds", DSM__UNLESS_0,
                        "On the system as it is; absent: it cannot run there."),
                DSM__REAL(dsm_design_network, gap, "gap", 0, "ratio",
                          "Of the step over its own bound on that design, less 1."),
                ANY(dsm_design_network, value, "value", 0, "Of what is minimised."));

/* A design, with its values as one text. */
typedef struct choice_row {
  uint64_t rank;
  double value;
  double share;
  const char *design;
  const char *changes; /* from the best one, said to people alone */
} choice_row;

DSM__OWN_RECORD(choice_record, choice_row, true, "A design that was explored.",
                DSM__FIELD(COUNT, choice_row, rank, "rank", DSM__COLUMN, .min = 1,
                           .max = DSM_DESIGN_LISTED, .help = "1 is the best."),
                ANY(choice_row, value, "value", DSM__COLUMN | DSM__LESS, "Of what is minimised."),
                DSM__REAL(choice_row, share, "worse", DSM__COLUMN, "ratio",
                          "By how much, over the best."),
                DSM__FIELD(TEXT, choice_row, design, "design", DSM__COLUMN,
                           .help = "PATH=VALUE of each parameter, with blanks between."));

DSM__OWN_RECORD(shown_choice_record, choice_row, true, "A design with what is said of it.",
                {.kind = DSM__FIELD_PART, .type = &choice_record},
                DSM__SAID(TEXT, choice_row, changes));

/* A step of the front, likewise. */
typedef struct step_row {
  double most; /* infinite: any */
  double spent;
  double value;
  double bound;
  double gap;
  const char *design;
  const char *changes;
} step_row;

static bool has_limit(const void *of) {
  return ((const step_row *)of)->most < HUGE_VAL;
}

DSM__OWN_RECORD(step_record, step_row, true, "A step of the front.",
                ANY(step_row, spent, "spent", DSM__ASKED,
                    "Of the column of the front, by the best design within most."),
                DSM__FIELD(REAL, step_row, most, "most", 0, .min = DSM__NO_MIN,
                           .is_stated = has_limit,
                           .help = "Of the column that was allowed; absent: any."),
                ANY(step_row, value, "value", DSM__LESS, "Of what is minimised."),
                ANY(step_row, bound, "bound", 0, "No design within most has less."),
                DSM__REAL(step_row, gap, "gap", 0, "ratio", "Of the value over the bound, less 1."),
                DSM__FIELD(TEXT, step_row, design, "design", 0,
                           .help = "PATH=VALUE of each parameter, with blanks between."));

DSM__OWN_RECORD(shown_step_record, step_row, true, "A step with what is said of it.",
                {.kind = DSM__FIELD_PART, .type = &step_record},
                DSM__SAID(TEXT, step_row, changes));

typedef struct document {
  dsm_design of; /* first, as a design is drawn */
  bool has_prices;
  const char *suite;
  dsm__rows choices;
  dsm__rows front;
} document;

DSM__OWN_ANSWER(
    design_record, document, "dsm-design/1", "The best system for a budget", "dsm design",
    NAME(document, suite, "suite", DSM__ASKED, "Networks, as they were asked for."),
    NAME(document, of.system, "system", DSM__ASKED, "That is varied."),
    NAME(document, of.minimize, "minimize", DSM__ASKED, "A column or an expression."),
    ANY(document, of.value, "value", DSM__LESS,
        "Of what is minimised; of several networks the weighted geometric mean."),
    ANY(document, of.bound, "bound", 0, "No design has less."),
    DSM__REAL(document, of.gap, "gap", 0, "ratio", "Of the value over the bound, less 1."),
    ANY(document, of.own_value, "own_value", DSM__UNLESS_0,
        "Of the system as it is; absent: it cannot run."),
    DSM__FIELD(FLAG, document, of.is_own_within, "own_within", 0,
               .help = "The system as it is keeps the budgets."),
    DSM__FIELD(COUNT, document, of.designs, "designs", 0, .help = "That there are."),
    DSM__FIELD(COUNT, document, of.explorations, "explorations", 0,
               .help = "Of a network on a design."),
    DSM__FIELD(COUNT, document, of.boxes, "boxes", 0, .help = "Of designs that were looked at."),
    DSM__FIELD(FLAG, document, of.is_stopped, "stopped", 0,
               .help = "A limit ended the search before the gap was met."),
    DSM__LISTED(document, of.parameters, of.parameter_count, "parameters", DSM__CHOSEN,
                parameter_record, "In the order of --vary."),
    DSM__LISTED(document, of.budgets, of.budget_count, "budgets", DSM__UNLESS_0, budget_record,
                "As they were asked for."),
    DSM__LISTED(document, of.networks, of.network_count, "networks", 0, network_record,
                "Of the suite."),
    DSM__ROWS(document, choices, "choices", choice_record,
              "The best designs of those explored, of equally good ones one."),
    DSM__FIELD(TEXT, document, of.pareto, "pareto", DSM__UNLESS_0,
               .help = "The column of the front."),
    DSM__LISTED(document, front.items, front.count, "front", DSM__UNLESS_0, step_record,
                "The best design for less and less of that column."));

static const char *suite_of(dsm__page *page, const dsm_design *design) {
  dsm__text_buffer text = {0};
  for (size_t n = 0; n < design->network_count; n++) {
    dsm__text_printf(&text, "%s%s", n == 0 ? "" : ",", design->networks[n].name);
  }
  const char *const made =
      dsm__page_text(page, "%s", text.text == NULL || text.failed ? "" : text.text);
  dsm__text_fini(&text);
  return made;
}

/* Of all parameters, or, by the ends of their paths, of those that are not as another choice has
 * them. */
static const char *values_of(dsm__page *page, const dsm_design *design, const char *const *values,
                             const char *const *beside) {
  dsm__text_buffer text = {0};
  for (size_t d = 0; d < design->parameter_count; d++) {
    const char *const path = design->parameters[d].path;
    if (beside == NULL || strcmp(values[d], beside[d]) != 0) {
      dsm__text_printf(&text, "%s%s=%s", text.length == 0 ? "" : " ",
                       beside == NULL ? path : strrchr(path, '.') + 1, values[d]);
    }
  }
  const char *const made =
      dsm__page_text(page, "%s", text.text == NULL || text.failed ? "" : text.text);
  dsm__text_fini(&text);
  return made;
}

static dsm__rows front_of(dsm__page *page, const dsm_design *design) {
  const dsm__rows made = dsm__rows_make(page, design->front_count, sizeof(step_row));
  step_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    const dsm_design_step *const step = &design->front[i];
    rows[i] = (step_row){
        .most = step->most,
        .spent = step->spent,
        .value = step->value,
        .bound = step->bound,
        .gap = step->bound > 0 ? step->value / step->bound - 1 : 0,
        .design = values_of(page, design, step->values, NULL),
        .changes = i == 0 ? "" : values_of(page, design, step->values, design->front[0].values)};
  }
  return made;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_design *const design = answer->of;
  const dsm__rows made = dsm__rows_make(page, design->choice_count, sizeof(choice_row));
  choice_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    const dsm_design_choice *const choice = &design->choices[i];
    rows[i] =
        (choice_row){.rank = i + 1,
                     .value = choice->value,
                     .share = choice->share,
                     .design = values_of(page, design, choice->values, NULL),
                     .changes = values_of(page, design, choice->values, design->choices[0].values)};
  }
  *(document *)to = (document){.of = *design,
                               .has_prices = dsm__design_has_prices(design),
                               .suite = suite_of(page, design),
                               .choices = made,
                               .front = front_of(page, design)};
}

/* ---- for people ---- */

DSM__OWN_RECORD(shown_record, document, false, "An answer with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &design_record},
                DSM__LISTED(document, choices.items, choices.count, "shown", 0, shown_choice_record,
                            NULL),
                DSM__LISTED(document, front.items, front.count, "steps", 0, shown_step_record,
                            NULL));

static const dsm__fact facts[] = {
    DSM__FACT("best", "{minimize} {value:5}, proven within {gap:%2} %: no design has less than "
                      "{bound:5}"),
    DSM__FACT_IF("as it is", "{system} has {own_value:5}{own_within?|, but breaks a budget}",
                 DSM__IF(document, of.own_value)),
    DSM__FACT("search", "{explorations} exploration{explorations;s} for {designs} designs"
                        "{stopped?; a limit ended it|}"),
};

static const dsm__table_column parameter_columns[] = {
    {.title = "parameter", .value = "{path}", .is_name = true, .comfort = 40},
    DSM__NUMBERS("value", "{value}"),
    DSM__NUMBERS("was", "{own}"),
    DSM__NUMBERS("from", "{least}"),
    DSM__NUMBERS("to", "{most}"),
    DSM__COLUMN_OF("unit", "{unit}", .is_name = true),
    DSM__NUMBERS("one more gains %", "{gain:%2}"),
    DSM__COLUMN_OF("limit", "{at_limit?reached|}", .is_name = true),
};
static const dsm__row_table parameters = {.list = "parameters", DSM__COLUMNS(parameter_columns)};

static const dsm__table_column budget_columns[] = {
    {.title = "budget", .value = "{budget}", .is_name = true, .comfort = 40},
    DSM__NUMBERS("spent", "{value:~5}"),
    DSM__NUMBERS("least", "{least:~5}"),
    DSM__NUMBERS("a unit more saves", "{price:~4}"),
    DSM__COLUMN_OF("it binds", "{binding?yes|}", .is_name = true),
};
static const dsm__row_table budgets = {.list = "budgets", DSM__COLUMNS(budget_columns)};

static const dsm__table_column network_columns[] = {
    {.title = "network", .value = "{network}", .is_name = true, .comfort = 30},
    DSM__NUMBERS("weight", "{weight:~3}"),
    DSM__NUMBERS("step ms", "{step_seconds:m4}"),
    DSM__NUMBERS("was ms", "{own_seconds:m4}"),
    DSM__NUMBERS("gap %", "{gap:%2}"),
};
static const dsm__row_table networks = {.list = "networks", DSM__COLUMNS(network_columns)};

static const dsm__table_column choice_columns[] = {
    DSM__NUMBERS("", "{rank}"),
    DSM__NUMBERS("worse %", "{worse:%2}"),
    DSM__COLUMN_OF("what differs", "{changes}", .is_name = true, .comfort = 60),
};
static const dsm__row_table choices = {.list = "shown", DSM__COLUMNS(choice_columns)};

static const dsm__table_column step_columns[] = {
    DSM__NUMBERS("spent", "{spent:~5}"),
    DSM__NUMBERS("value", "{value:~5}"),
    DSM__NUMBERS("no less than", "{bound:~5}"),
    DSM__NUMBERS("gap %", "{gap:%2}"),
    DSM__COLUMN_OF("what differs from the best", "{changes}", .is_name = true, .comfort = 60),
};
static const dsm__row_table steps = {.list = "steps", DSM__COLUMNS(step_columns)};

static const dsm__section sections[] = {
    {.id = "summary", .title = "Summary", DSM__FACTS(facts), .label_width = 9},
    {.id = "parameters", .title = "The best design", .table = &parameters},
    {.id = "budgets",
     .title = "Budgets",
     .when = {DSM__IF(document, of.budget_count)},
     .table = &budgets},
    {.id = "prices",
     .title = "What more buys",
     .when = {DSM__IF(document, has_prices)},
     .draw = dsm__plot_design_prices,
     .label = "Shares of what is minimised that the next value of each parameter and 1 % more of "
              "each budget save.",
     .caption = "From designs beside the best one that were explored."},
    {.id = "networks", .title = "Networks", .table = &networks},
    {.id = "choices",
     .title = "The best designs that differ",
     .heading = "The best designs that differ",
     .table = &choices},
    {.id = "front",
     .title = "The front",
     .when = {DSM__IF(document, front.count)},
     .draw = dsm__plot_design_front,
     .label = "What is minimised over the column of the front, and the line that no design is "
              "below. The table has the numbers.",
     .caption = "Each search proves how low the best design within its limit can be."},
    {.id = "steps",
     .heading = "{minimize} over {pareto}: the best for less and less",
     .when = {DSM__IF(document, front.count)},
     .table = &steps},
};

static const dsm__layout layout = {.type = &shown_record,
                                   .heading = "{suite} on designs of {system}",
                                   .title = "{suite} on designs of {system}",
                                   .series = 8,
                                   .subtitle = "the best one for a budget",
                                   DSM__SECTIONS(sections)};

const dsm_answer_kind dsm_answer_design = {.record = &design_record,
                                           .fill = fill,
                                           .tables = {"choices"},
                                           .layout = &layout,
                                           .judged = {.paths = {"value"}}};

static const dsm__limit limits[] = {DSM__LIMIT(DSM_DESIGN_PARAMETERS_MAX),
                                    DSM__LIMIT(DSM_DESIGN_LISTED)};

const dsm__companion dsm__companion_design = {
    .kinds = {&dsm_answer_design}, .formats = {&design_record}, DSM__LIMITS(limits)};
