/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elasticity_data.c: how much each parameter matters (format "dsm-elasticity/1", CSV, and a table).
 */
#include <math.h>
#include <string.h>

#include "model/names.h"
#include "plan/plan_internal.h"
#include "report/data/csv.h"
#include "report/data/records.h"
#include "report/parameter_list.h"
#include "report/table/number_style.h"
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
  dsm__listed_parameter listed;
  unsigned better; /* beyond its words: of flags and words */
  dsm__rows slopes;
  dsm__rows variations;
} parameter_row;

DSM__OWN_RECORD(
    parameter_record, parameter_row, false, "A parameter.",
    DSM__FIELD(
        TEXT, parameter_row, of.path, "path", DSM__COLUMN,
        .help = "Such as array.startup_cycles; those of the workloads begin with `workload.`."),
    DSM__FIELD(VALUE, parameter_row, listed.value, "value", DSM__COLUMN,
               .help = "As it is; null where the networks have different ones."),
    DSM__FIELD(TEXT, parameter_row, of.unit, "unit", DSM__COLUMN, .help = "Of the value."),
    DSM__FIELD(WORD, parameter_row, better, "better", DSM__COLUMN | DSM__OPTIONAL,
               .words = &betters,
               .help = "Which direction small steps try; absent for flags and words."),
    DSM__FIELD(VALUE, parameter_row, listed.fallback, "default", DSM__COLUMN | DSM__OPTIONAL,
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

/* Which parameters a table of effects is of: of hardware free ones, or all; given ones. */
enum { FIRST, GIVEN, OF_SOFTWARE, GROUP_COUNT };

typedef struct item_row {
  const char *system;
  unsigned mapping;
  dsm_explore_options options;
  dsm__rows networks;
  dsm__rows parameters;

  /* said to people alone */
  bool is_twice;
  bool has_all; /* optimizations */
  dsm__rows effects[GROUP_COUNT];
  const char *little; /* paths of parameters that change the time by less than is seen */
  const char *without;
  dsm__rows reasons; /* why not, line by line */
  dsm__rows list;
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
    rows[p] = (parameter_row){
        .of = *parameter,
        .listed = {parameter->path, dsm__setting_value(&parameter->setting, DSM__VALUE_NULL),
                   parameter->unit, dsm__setting_value(&parameter->fallback, DSM__VALUE_NONE),
                   parameter->source},
        .better = better_of(parameter),
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

/* ---- for people: what changes a step's time ---- */

/* A change that a network sees; of numbers of which both half and twice are tried, these. */
typedef struct effect_row {
  const char *parameter; /* "" below the first row of it */
  const char *value;
  const char *network;
  const char *elasticity;
  const char *halved;
  const char *doubled;
  const char *tried;
  const char *time;
} effect_row;

DSM__OWN_RECORD(effect_record, effect_row, true, "What a change of a parameter does to a network.",
                DSM__SAID(TEXT, effect_row, parameter), DSM__SAID(TEXT, effect_row, value),
                DSM__SAID(TEXT, effect_row, network), DSM__SAID(TEXT, effect_row, elasticity),
                DSM__SAID(TEXT, effect_row, halved), DSM__SAID(TEXT, effect_row, doubled),
                DSM__SAID(TEXT, effect_row, tried), DSM__SAID(TEXT, effect_row, time));

/* Does a network see one of these variations? Smaller changes of a time are not seen in three
 * decimals. */
static bool has_row(const dsm_variation *variations, size_t count, size_t network) {
  static const double visible_change = 0.0005;
  bool is_any = false;
  for (size_t v = 0; v < count; v++) {
    const dsm_response *const response = &variations[v].responses[network];
    is_any =
        is_any || (response->why_not == NULL && fabs(response->time_ratio - 1) >= visible_change);
  }
  return is_any;
}

static const char *setting_text(dsm__page *page, const dsm_setting *setting) {
  const dsm__value value = dsm__setting_value(setting, DSM__VALUE_NONE);
  return dsm__listed_value(page, &value, "-");
}

static const char *ratio_text(dsm__page *page, const dsm_response *response) {
  return response->why_not != NULL
             ? "-"
             : dsm__page_text(page, "%s", dsm__figure_fixed(response->time_ratio, 3).text);
}

/* "+0.411"; a star before it if only one of half and twice is possible. */
static const char *slope_text(dsm__page *page, const dsm_slope *slope) {
  if (slope->basis == DSM_ELASTICITY_BASIS_NONE) {
    return "";
  }
  const bool is_half =
      slope->basis == DSM_ELASTICITY_BASIS_HALVED || slope->basis == DSM_ELASTICITY_BASIS_DOUBLED;
  return dsm__page_text(page, "%s%s%s", is_half ? "*" : "", slope->elasticity < 0 ? "-" : "+",
                        dsm__figure_fixed(fabs(slope->elasticity), 3).text);
}

static effect_row effect_of(dsm__page *page, const dsm_variation *variations, size_t network) {
  static const int digits = 6; /* a tenth more of a decimal number has few, but for rounding */
  const dsm_setting *const setting = &variations->setting;
  const char *const first = ratio_text(page, &variations->responses[network]);
  if (variations->kind == DSM_VARIATION_HALVED) {
    return (effect_row){.halved = first,
                        .doubled = ratio_text(page, &variations[1].responses[network])};
  }
  return (effect_row){
      .tried = setting->kind == DSM_SETTING_NUMBER
                   ? dsm__page_text(page, "%s", dsm__figure_short(setting->number, digits).text)
                   : setting_text(page, setting),
      .time = first};
}

/* Adds the rows of a parameter, of which halved and doubled share one. */
static void add_effects(dsm__page *page, const dsm_elasticity *of,
                        const dsm_varied_parameter *parameter, dsm__rows *to) {
  effect_row *const rows = to->items;
  const size_t first = to->count;
  size_t span = 1;
  for (size_t v = 0; v < parameter->variation_count; v += span) {
    const dsm_variation *const variations = &parameter->variations[v];
    span = variations->kind == DSM_VARIATION_HALVED ? 2 : 1;
    for (size_t w = 0; w < of->workload_count; w++) {
      if (has_row(variations, span, w)) {
        effect_row *const row = &rows[to->count];
        *row = effect_of(page, variations, w);
        row->network = of->workloads[w]->name;
        row->elasticity = slope_text(page, &parameter->slopes[w]);
        row->parameter = to->count == first ? parameter->path : "";
        row->value = to->count == first ? setting_text(page, &parameter->setting) : "";
        to->count++;
      }
    }
  }
}

/* ---- what cannot be varied ---- */

typedef struct reason_row {
  const char *text;
} reason_row;

DSM__OWN_RECORD(reason_record, reason_row, true, "Why something cannot be varied.",
                DSM__SAID(TEXT, reason_row, text));

/* The reason that all networks have for all of these variations; NULL if there is none. */
static const char *common_reason(const dsm_variation *variations, size_t count,
                                 size_t network_count) {
  const char *const first = variations[0].responses[0].why_not;
  for (size_t i = 0; i < count * network_count; i++) {
    const char *const why_not = variations[i / network_count].responses[i % network_count].why_not;
    if (why_not == NULL || first == NULL || strcmp(why_not, first) != 0) {
      return NULL;
    }
  }
  return first;
}

static void add_reason(dsm__rows *to, const char *text) {
  ((reason_row *)to->items)[to->count++].text = text;
}

/* One line for each reason, with the network where not all have the same. Was none possible? */
static bool add_reasons(dsm__page *page, const dsm_elasticity *of,
                        const dsm_varied_parameter *parameter, dsm__rows *to) {
  const size_t count = parameter->variation_count;
  const size_t networks = of->workload_count;
  const char *const of_all =
      count == 0 ? "there is no other word" : common_reason(parameter->variations, count, networks);
  if (of_all != NULL) {
    add_reason(to, dsm__page_text(page, "- %s: %s", parameter->path, of_all));
  }
  size_t left_out = 0;
  for (size_t v = 0; v < count; v++) {
    const dsm_variation *const variation = &parameter->variations[v];
    const char *const kind = variation->kind == DSM_VARIATION_OTHER
                                 ? setting_text(page, &variation->setting)
                                 : dsm_variation_kind_name(variation->kind);
    const char *const common = common_reason(variation, 1, networks);
    for (size_t w = 0; w < networks; w++) {
      const char *const why_not = variation->responses[w].why_not;
      left_out += why_not != NULL ? 1 : 0;
      if (why_not == NULL || of_all != NULL || (common != NULL && w > 0)) {
        continue;
      }
      add_reason(to, dsm__page_text(page, "- %s %s%s%s: %s", parameter->path, kind,
                                    common != NULL ? "" : ", ",
                                    common != NULL ? "" : of->workloads[w]->name, why_not));
    }
  }
  return left_out == count * networks;
}

/* ---- all of it ---- */

static void add_parameter(dsm__page *page, const dsm_elasticity *of,
                          const dsm_varied_parameter *parameter, item_row *row) {
  const bool is_second = row->is_twice && !parameter->is_free;
  dsm__rows *const effects = &row->effects[parameter->is_software ? OF_SOFTWARE
                                           : is_second            ? GIVEN
                                                                  : FIRST];
  const size_t before = effects->count;
  add_effects(page, of, parameter, effects);
  if (!add_reasons(page, of, parameter, &row->reasons) && effects->count == before) {
    const char **const list = parameter->influence > 0 ? &row->little : &row->without;
    *list = dsm__page_join(page, *list, ", ", "%s", parameter->path);
  }
}

static void fill_shown(dsm__page *page, const dsm_elasticity *of, item_row *row) {
  size_t most = of->parameter_count;
  for (size_t p = 0; p < of->parameter_count; p++) {
    most += of->parameters[p].variation_count * of->workload_count;
  }
  row->is_twice = of->choice == DSM_VARIATIONS_TWICE;
  row->has_all = of->options.optimizations == dsm_mode_optimizations(of->options.mode);
  row->little = "";
  row->without = "";
  row->reasons = dsm__rows_make(page, most, sizeof(reason_row));
  row->list = dsm__rows_make(page, row->parameters.count, sizeof(dsm__listed_parameter));
  for (int group = 0; group < GROUP_COUNT; group++) {
    row->effects[group] = dsm__rows_make(page, most, sizeof(effect_row));
    row->effects[group].count = 0;
  }
  row->reasons.count = 0;
  for (size_t p = 0; p < row->list.count; p++) {
    ((dsm__listed_parameter *)row->list.items)[p] =
        ((const parameter_row *)row->parameters.items)[p].listed;
    if (!page->out.failed) {
      add_parameter(page, of, &of->parameters[p], row);
    }
  }
}

#define EFFECTS(group, of_key)                                                                     \
  DSM__ROWS(item_row, effects[group], of_key, effect_record, "Likewise.")

DSM__OWN_RECORD(shown_record, item_row, false, "A system with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &item_record},
                DSM__SAID(FLAG, item_row, is_twice), DSM__SAID(FLAG, item_row, has_all),
                DSM__SAID(TEXT, item_row, little), DSM__SAID(TEXT, item_row, without),
                EFFECTS(FIRST, "first"), EFFECTS(GIVEN, "given"), EFFECTS(OF_SOFTWARE, "software"),
                DSM__ROWS(item_row, reasons, "reasons", reason_record, "Likewise."));

static dsm__text_style network_style(const void *of, const void *row) {
  (void)of;
  return dsm__style_of_utilization(((const response_row *)row)->of.utilization);
}

static const dsm__table_column network_columns[] = {
    {.title = "network", .value = "{workload}", .is_name = true},
    DSM__NUMBERS("minibatch", "{minibatch}"),
    DSM__NUMBERS("step (ms)", "{step_seconds:m5}"),
    DSM__COLUMN_OF("util %", "{utilization:%}", .is_right = true, .style = network_style),
};
static const dsm__row_table networks = {.list = "networks", DSM__COLUMNS(network_columns)};

static dsm__text_style slope_style(const void *of, const void *row) {
  (void)of;
  (void)row;
  return DSM__STYLE_HEADING;
}

#define EFFECT_COLUMNS                                                                             \
  {.title = "parameter", .value = "{parameter}", .is_name = true},                                 \
      DSM__COLUMN_OF("value", "{value}", .rank = 3),                                               \
      DSM__COLUMN_OF("network", "{network}", .is_name = true), {                                   \
    .title = "elast.", .value = "{elasticity}", .gap = 1, .is_right = true, .style = slope_style   \
  }
#define TIME_COLUMN                                                                                \
  { .title = "time", .value = "{time}", .gap = 1, .is_right = true }

/* With halves and doubles. */
static const dsm__table_column twice_columns[] = {
    EFFECT_COLUMNS,
    {.title = "halved", .value = "{halved}", .gap = 1, .is_right = true, .rank = 2},
    {.title = "doubled", .value = "{doubled}", .gap = 1, .is_right = true, .rank = 2},
    DSM__COLUMN_OF("other", "{tried}", .rank = 0),
    TIME_COLUMN,
};
static const dsm__table_column tenth_columns[] = {
    EFFECT_COLUMNS, DSM__COLUMN_OF("tried", "{tried}", .rank = 0), TIME_COLUMN};

#define TABLE_OF(of_list, columns)                                                                 \
  { .list = (of_list), DSM__COLUMNS(columns) }
static const dsm__row_table effects[] = {
    TABLE_OF("first", twice_columns), TABLE_OF("given", twice_columns),
    TABLE_OF("software", twice_columns), TABLE_OF("first", tenth_columns),
    TABLE_OF("software", tenth_columns)};

static const char of_software[] =
    "The same for assumptions about software and of the model, which cannot be bought";

static const dsm__fact legend[] = {
    {.text = "{is_twice?halved, doubled, |}time: the step's time over that with the parameter as "
             "it is, {mapping?with the plan's mapping|each with the best mapping}; networks "
             "without a row change by less than 0.05 %. elast.: {is_twice?the elasticity of the "
             "time, ln(doubled / halved) / ln 4; * only one side, because the other is not "
             "possible.|the elasticity of the time, ln(time) / ln(tried / value). Rows are ranked "
             "by it because steps differ: counts grow to a whole number, by at least one.}",
     .is_faint = true}};
static const dsm__fact without_facts[] = {
    DSM__FACT(NULL, "{little?No step changes by 0.05 % or more with: {little}.|}"),
    DSM__FACT(NULL, "{without?No step changes at all with: {without}.|}")};
static const dsm__fact reason_facts[] = {DSM__FACT(NULL, "Not possible:"),
                                         {.text = "{text}", .each = "reasons"}};
static const dsm__fact list_facts[] = {DSM__FACT(NULL, "All of them, in the same order:")};
static void put_list(dsm__page *page, const void *of) {
  dsm__parameter_list_put(page, &((const item_row *)of)->list);
}

#define IF_TWICE .when = {DSM__IF(item_row, is_twice)}
#define UNLESS_TWICE .when = {DSM__UNLESS(item_row, is_twice)}

#define EFFECTS_OF(index, of_heading, ...)                                                         \
  { .table = &effects[index], .heading = (of_heading), .is_optional = true, __VA_ARGS__ }

static const dsm__section sections[] = {
    {.table = &networks},
    EFFECTS_OF(0, "Free parameters, the one that matters most first", IF_TWICE),
    EFFECTS_OF(1, "Given parameters, likewise", IF_TWICE),
    EFFECTS_OF(3,
               "10 % more of each number, or less where less is better, in the order of "
               "elasticity",
               UNLESS_TWICE),
    EFFECTS_OF(2, of_software, IF_TWICE),
    EFFECTS_OF(4, of_software, UNLESS_TWICE),
    {DSM__FACTS(legend)},
    {DSM__FACTS(without_facts)},
    {DSM__FACTS(reason_facts), .when = {DSM__IF(item_row, reasons.count)}},
    {DSM__FACTS(list_facts), IF_TWICE},
    {.put = put_list, IF_TWICE},
};

static const dsm__layout layout = {
    .type = &shown_record,
    .heading = "{system}: what the time of a step depends on{mapping? while the mapping stays|}; "
               "{mode}, {has_all?all optimizations|{optimizations?{optimizations:,}|no "
               "optimizations}}",
    DSM__SECTIONS(sections)};

static void show(dsm__page *page, const dsm_answer *answer) {
  const dsm_elasticity *const *const items = answer->of;
  dsm__rows made;
  fill(page, answer, &made);
  item_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    fill_shown(page, items[i], &rows[i]);
    if (i > 0) {
      dsm__page_break(page);
    }
    dsm__layout_text(page, &layout, &rows[i]);
  }
}

const dsm_answer_kind dsm_answer_elasticity = {
    .record = &dsm__elasticity_record, .fill = fill, .put_rows = put_rows, .views = {show}};
