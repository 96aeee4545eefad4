/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elasticity_data.c: how much each parameter matters, for programs (format "dsm-elasticity/1", and
 * CSV). */
#include "model/names.h"
#include "plan/plan_internal.h"
#include "report/data/csv.h"
#include "report/data/records.h"
#include "report/parameter_list.h"
#include "sweep/slope.h"

/* ---- the tables ---- */

#define TIME(member, flag, of_unit, about)                                                         \
  DSM__FIELD(REAL, dsm_response, member, #member, DSM__ABOVE | DSM__COLUMN | (flag),               \
             .unit = (of_unit), .help = (about))

DSM__OWN_RECORD(times_record, dsm_response, true, "A step.",
                TIME(step_cycles, DSM__LESS, "cycles", "Of a step."),
                TIME(step_seconds, DSM__LESS, "seconds", "The same."),
                TIME(utilization, DSM__MORE, "ratio", "Ideal over step, at most 1."));

/* A network, and how it responds: to nothing, or to a variation. */
typedef struct response_row {
  const char *workload;
  uint64_t minibatch;
  dsm_response of;
} response_row;

DSM__OWN_RECORD(question_record, response_row, true, "What is asked of a network.",
                DSM__FIELD(TEXT, response_row, workload, "workload", DSM__COLUMN,
                           .help = "Name of the network."),
                DSM__SAMPLES(response_row, minibatch, "minibatch", DSM__COLUMN,
                             "Samples of a step."));

DSM__OWN_RECORD(network_record, response_row, true, "A network with all parameters as they are.",
                {.kind = DSM__FIELD_PART, .type = &question_record},
                DSM__PART(response_row, of, times_record));

DSM__OWN_RECORD(variation_response_record, dsm_response, true, "How a network responds.",
                DSM__FIELD(REAL, dsm_response, time_ratio, "time_ratio",
                           DSM__ABOVE | DSM__COLUMN | DSM__LESS, .unit = "ratio",
                           .stated_if = DSM__UNLESS(dsm_response, why_not),
                           .help = "Over the time with the parameter as it is."),
                {.kind = DSM__FIELD_PART,
                 .type = &times_record,
                 .stated_if = DSM__UNLESS(dsm_response, why_not)},
                DSM__FIELD(TEXT, dsm_response, why_not, "why_not", DSM__COLUMN | DSM__OPTIONAL,
                           .help = "Why there is no time."));

DSM__OWN_RECORD(response_record, response_row, true, "How a network responds.",
                DSM__FIELD(TEXT, response_row, workload, "workload", 0,
                           .help = "Name of the network."),
                DSM__PART(response_row, of, variation_response_record));

typedef struct slope_row {
  const char *workload;
  dsm_elasticity_basis basis;
  double elasticity;
} slope_row;

DSM__OWN_RECORD(
    slope_record, slope_row, true, "The elasticity of a network's time.",
    DSM__FIELD(TEXT, slope_row, workload, "workload", 0, .help = "Name of the network."),
    DSM__FIELD(WORD, slope_row, basis, "basis", DSM__COLUMN, .words = &dsm__elasticity_basis_words,
               .help = "Variations that it is taken over."),
    DSM__FIELD(REAL, slope_row, elasticity, "elasticity", DSM__COLUMN, .min = DSM__NO_MIN,
               .stated_if = DSM__IF_NOT(slope_row, basis, DSM_ELASTICITY_BASIS_NONE),
               .help = "d ln seconds / d ln value; absent without a basis."));

typedef struct variation_row {
  dsm_variation_kind kind;
  dsm__value value;
  double factor; /* 0: of another flag or word */
  dsm__rows responses;
} variation_row;

DSM__OWN_RECORD(
    variation_record, variation_row, false, "A change of the parameter.",
    DSM__FIELD(WORD, variation_row, kind, "kind", DSM__COLUMN, .words = &dsm__variation_kind_words,
               .column = "variations.kind",
               .help = "raised: a tenth more; lowered: a tenth less; other: another flag or word."),
    DSM__FIELD(VALUE, variation_row, value, "value", DSM__COLUMN, .column = "variations.value",
               .help = "Null where there is none, or the networks have different ones."),
    DSM__FIELD(REAL, variation_row, factor, "factor", DSM__COLUMN | DSM__ABOVE | DSM__UNLESS_0,
               .help = "Value over that as it is; absent for another flag or word."),
    DSM__ROWS(variation_row, responses, "responses", response_record, "One for each network."));

/* Which direction helps a number. */
enum { BETTER_MORE, BETTER_LESS, BETTER_COUNT };
static const dsm__word better_words[] = {[BETTER_MORE].key = "more", [BETTER_LESS].key = "less"};
static DSM__WORDS(betters, "direction to the better", better_words, BETTER_COUNT);

typedef struct parameter_row {
  dsm_varied_parameter of;
  dsm__value value;
  unsigned better; /* beyond its words: of flags and words */
  dsm__value fallback;
  dsm__rows slopes;
  dsm__rows variations;
} parameter_row;

DSM__OWN_RECORD(
    parameter_record, parameter_row, false, "A parameter.",
    DSM__FIELD(
        TEXT, parameter_row, of.path, "path", DSM__COLUMN,
        .help = "Such as array.startup_cycles; those of the workloads begin with `workload.`."),
    DSM__FIELD(VALUE, parameter_row, value, "value", DSM__COLUMN,
               .help = "As it is; null where the networks have different ones."),
    DSM__FIELD(TEXT, parameter_row, of.unit, "unit", DSM__COLUMN, .help = "Of the value."),
    DSM__FIELD(WORD, parameter_row, better, "better", DSM__COLUMN | DSM__OPTIONAL,
               .words = &betters,
               .help = "Which direction small steps try; absent for flags and words."),
    DSM__FIELD(VALUE, parameter_row, fallback, "default", DSM__COLUMN | DSM__OPTIONAL,
               .help = "Absent if the parameter is required."),
    DSM__FIELD(TEXT, parameter_row, of.source, "source", DSM__COLUMN,
               .help = "Where the value comes from, as in dsm-describe/1."),
    DSM__FIELD(
        FLAG, parameter_row, of.is_free, "is_free", DSM__COLUMN,
        .help =
            "The source begins with \"assumption\" or \"derived\", perhaps after \"(default)\", or "
            "the parameter is of the model; else a measured, published or given value."),
    DSM__FIELD(FLAG, parameter_row, of.is_software, "is_software", DSM__COLUMN,
               .help = "An assumption about what runs on the hardware, or of the model: tiles, "
                       "efficiencies, times of launches; nothing of it can be bought."),
    DSM__FIELD(
        REAL, parameter_row, of.influence, "influence", DSM__COLUMN,
        .help = "The largest one-sided elasticity by size, over all variations and networks."),
    DSM__ROWS(parameter_row, slopes, "elasticities", slope_record, "One for each network."),
    DSM__ROWS(parameter_row, variations, "variations", variation_record, "Each change of it."));

/* What variations are predicted with. */
enum { MAPPING_EXPLORED, MAPPING_KEPT, MAPPING_COUNT };
static const dsm__word mapping_words[] = {
    [MAPPING_EXPLORED].key = "explored", [MAPPING_KEPT].key = "kept"};
static DSM__WORDS(mappings, "mapping of variations", mapping_words, MAPPING_COUNT);

typedef struct item_row {
  const char *system;
  unsigned mapping;
  dsm_explore_options options;
  dsm__rows networks;
  dsm__rows parameters;
} item_row;

DSM__OWN_RECORD(
    item_record, item_row, false, "A system.",
    DSM__FIELD(TEXT, item_row, system, "system", DSM__COLUMN, .help = "Name of the system."),
    DSM__FIELD(WORD, item_row, mapping, "mapping", DSM__COLUMN, .words = &mappings,
               .help = "explored: the best one for each variation; kept: that of the plan."),
    DSM__FIELD(WORD, item_row, options.mode, "mode", DSM__COLUMN, .words = &dsm__mode_words,
               .help = "What a step is."),
    DSM__FIELD(WORD_SET, item_row, options.optimizations, "optimizations", 0,
               .words = &dsm__optimization_words, .help = "That the searches might use."),
    DSM__FIELD(WORD_SET, item_row, options.parallelisms, "parallelisms", 0,
               .words = &dsm__parallelism_words, .help = "That the searches might use."),
    DSM__ROWS(item_row, networks, "networks", network_record, "With all parameters as they are."),
    DSM__ROWS(
        item_row, parameters, "parameters", parameter_record,
        "By influence, the largest first, then in the order of the formats; those of software "
        "behind all others, of --elasticity free ones of hardware before given ones."));

DSM__ANSWER(dsm__elasticity_record, dsm__rows, "dsm-elasticity/1",
            "How much each parameter of systems matters", "dsm explore --elasticity",
            DSM__LISTED(dsm__rows, items, count, "items", 0, item_record,
                        "One for each system, in the order of the command line."));

/* ---- what they hold ---- */

dsm__value dsm__setting_value(const dsm_setting *setting, dsm__value_kind none) {
  static const dsm__value_kind kinds[DSM_SETTING_KIND_COUNT] = {
      [DSM_SETTING_NUMBER] = DSM__VALUE_NUMBER,
      [DSM_SETTING_FLAG] = DSM__VALUE_FLAG,
      [DSM_SETTING_WORD] = DSM__VALUE_TEXT,
  };
  const dsm__value_kind kind = kinds[setting->kind];
  return (dsm__value){kind == DSM__VALUE_NONE ? none : kind, setting->number, setting->word};
}

/* Of a number, which may differ between networks; BETTER_COUNT for flags and words. */
static unsigned better_of(const dsm_varied_parameter *parameter) {
  const dsm_setting_kind kind = parameter->setting.kind;
  if (kind == DSM_SETTING_FLAG || kind == DSM_SETTING_WORD) {
    return BETTER_COUNT;
  }
  return parameter->is_lower_better ? BETTER_LESS : BETTER_MORE;
}

/* How each network responds. */
static dsm__rows responses_of(dsm__page *page, const dsm_elasticity *of,
                              const dsm_response *responses) {
  const dsm__rows made = dsm__rows_make(page, of->workload_count, sizeof(response_row));
  response_row *const rows = made.items;
  for (size_t w = 0; w < made.count; w++) {
    rows[w] = (response_row){of->workloads[w]->name, of->workloads[w]->minibatch, responses[w]};
  }
  return made;
}

static dsm__rows slopes_of(dsm__page *page, const dsm_elasticity *of, const dsm_slope *slopes) {
  const dsm__rows made = dsm__rows_make(page, of->workload_count, sizeof(slope_row));
  slope_row *const rows = made.items;
  for (size_t w = 0; w < made.count; w++) {
    rows[w] = (slope_row){of->workloads[w]->name, slopes[w].basis, slopes[w].elasticity};
  }
  return made;
}

static dsm__rows variations_of(dsm__page *page, const dsm_elasticity *of,
                               const dsm_varied_parameter *parameter) {
  const dsm__rows made = dsm__rows_make(page, parameter->variation_count, sizeof(variation_row));
  variation_row *const rows = made.items;
  for (size_t v = 0; v < made.count; v++) {
    const dsm_variation *const variation = &parameter->variations[v];
    rows[v] = (variation_row){
        .kind = variation->kind,
        .value = dsm__setting_value(&variation->setting, DSM__VALUE_NULL),
        .factor = variation->kind == DSM_VARIATION_OTHER ? 0 : variation->factor,
        .responses = responses_of(page, of, variation->responses),
    };
  }
  return made;
}

static dsm__rows parameters_of(dsm__page *page, const dsm_elasticity *of) {
  const dsm__rows made = dsm__rows_make(page, of->parameter_count, sizeof(parameter_row));
  parameter_row *const rows = made.items;
  for (size_t p = 0; p < made.count; p++) {
    const dsm_varied_parameter *const parameter = &of->parameters[p];
    rows[p] = (parameter_row){.of = *parameter,
                              .value = dsm__setting_value(&parameter->setting, DSM__VALUE_NULL),
                              .better = better_of(parameter),
                              .fallback = dsm__setting_value(&parameter->fallback, DSM__VALUE_NONE),
                              .slopes = slopes_of(page, of, parameter->slopes),
                              .variations = variations_of(page, of, parameter)};
  }
  return made;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_elasticity *const *const items = answer->of;
  const dsm__rows made = dsm__rows_make(page, answer->count, sizeof(item_row));
  item_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    rows[i] = (item_row){.system = items[i]->system->name,
                         .mapping = items[i]->is_mapping_kept ? MAPPING_KEPT : MAPPING_EXPLORED,
                         .options = items[i]->options,
                         .networks = responses_of(page, items[i], items[i]->references),
                         .parameters = parameters_of(page, items[i])};
  }
  *(dsm__rows *)to = made;
}

/* ---- CSV: a row a parameter, variation and network ---- */

/* `variation` NULL: the parameter is not varied. */
static void put_variation(dsm__csv *csv, const item_row *item, const parameter_row *parameter,
                          const variation_row *variation) {
  const response_row *const networks = item->networks.items;
  const slope_row *const slopes = parameter->slopes.items;
  for (size_t w = 0; w < item->networks.count && w < parameter->slopes.count; w++) {
    const response_row *const responses = variation == NULL ? NULL : variation->responses.items;
    DSM__CSV_ROW(csv, {&item_record, item}, {&parameter_record, parameter},
                 {&slope_record, &slopes[w]}, {&variation_record, variation},
                 {&response_record, responses == NULL ? NULL : &responses[w]},
                 {&question_record, &networks[w]});
  }
}

static void put_item(dsm__csv *csv, const item_row *item) {
  const parameter_row *const parameters = item->parameters.items;
  for (size_t p = 0; p < item->parameters.count; p++) {
    const variation_row *const variations = parameters[p].variations.items;
    for (size_t v = 0; v < parameters[p].variations.count; v++) {
      put_variation(csv, item, &parameters[p], &variations[v]);
    }
    if (parameters[p].of.variation_count == 0) {
      put_variation(csv, item, &parameters[p], NULL);
    }
  }
}

static void put_rows(dsm__csv *csv, const void *document) {
  const dsm__rows *const made = document;
  const item_row *const rows = made->items;
  dsm__csv_column(csv, &item_record, "system");
  dsm__csv_column(csv, &question_record, "workload");
  dsm__csv_columns(csv, &item_record);
  dsm__csv_columns(csv, &question_record);
  dsm__csv_columns(csv, &parameter_record);
  dsm__csv_columns(csv, &slope_record);
  dsm__csv_columns(csv, &variation_record);
  dsm__csv_columns(csv, &response_record);
  for (size_t i = 0; i < made->count; i++) {
    put_item(csv, &rows[i]);
  }
}

const dsm_answer_kind dsm_answer_elasticity = {.record = &dsm__elasticity_record,
                                               .fill = fill,
                                               .put_rows = put_rows,
                                               .views = {dsm__show_elasticity}};
