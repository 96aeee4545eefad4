/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elasticity_table.c: how much each parameter matters, for people. */
#include <math.h>
#include <string.h>

#include "base/number_text.h"
#include "plan/plan_internal.h"
#include "report/answer.h"
#include "report/parameter_list.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

static const char *setting_text(dsm__page *page, const dsm_setting *setting) {
  const dsm__value value = dsm__setting_value(setting, DSM__VALUE_NONE);
  return dsm__listed_value(page, &value, "-");
}

/* ---- the networks ---- */

static const dsm__table_column network_columns[] = {
    {.title = "network", .is_name = true},
    {.title = "minibatch", .gap = 2, .is_right = true},
    {.title = "step (ms)", .gap = 2, .is_right = true},
    {.title = "util %", .gap = 2, .is_right = true},
};

static void put_networks(dsm__page *page, const dsm_elasticity *elasticity) {
  dsm__table table = DSM__TABLE(page, network_columns);
  for (size_t w = 0; w < elasticity->workload_count; w++) {
    const dsm_workload *const workload = elasticity->workloads[w];
    const dsm_response *const reference = &elasticity->references[w];
    DSM__TABLE_TEXTS(&table, workload->name, dsm__figure_count(workload->minibatch).text,
                     dsm__figure_digits(1e3 * reference->step_seconds, 5).text);
    dsm__table_add(&table, dsm__style_of_utilization(reference->utilization),
                   dsm__figure_percent(reference->utilization).text);
  }
  dsm__table_print(&table);
}

/* ---- what changes a step's time ---- */

/* With halves and doubles. */
static const dsm__table_column twice_columns[] = {
    {.title = "parameter", .is_name = true},
    {.title = "value", .gap = 2, .rank = 3},
    {.title = "network", .gap = 2, .is_name = true},
    {.title = "elast.", .gap = 1, .is_right = true},
    {.title = "halved", .gap = 1, .is_right = true, .rank = 2},
    {.title = "doubled", .gap = 1, .is_right = true, .rank = 2},
    {.title = "other", .gap = 2},
    {.title = "time", .gap = 1, .is_right = true},
};
static const dsm__table_column tenth_columns[] = {
    {.title = "parameter", .is_name = true},
    {.title = "value", .gap = 2, .rank = 3},
    {.title = "network", .gap = 2, .is_name = true},
    {.title = "elast.", .gap = 1, .is_right = true},
    {.title = "tried", .gap = 2},
    {.title = "time", .gap = 1, .is_right = true},
};

/* Smaller changes of a time are not seen in three decimals. */
static const double visible_change = 0.0005;

static bool is_changed(const dsm_response *response) {
  return response->why_not == NULL && fabs(response->time_ratio - 1) >= visible_change;
}

/* Does a network have a row for these variations? */
static bool has_row(const dsm_variation *variations, size_t count, size_t network) {
  bool is_any = false;
  for (size_t v = 0; v < count; v++) {
    is_any = is_any || is_changed(&variations[v].responses[network]);
  }
  return is_any;
}

/* How many of the variations from `first` on share a row: halved and doubled do. */
static size_t row_span(const dsm_varied_parameter *parameter, size_t first) {
  return parameter->variations[first].kind == DSM_VARIATION_HALVED ? 2 : 1;
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
  const char *const sign = slope->elasticity < 0 ? "-" : "+";
  const bool is_half =
      slope->basis == DSM_ELASTICITY_BASIS_HALVED || slope->basis == DSM_ELASTICITY_BASIS_DOUBLED;
  return dsm__page_text(page, "%s%s%s", is_half ? "*" : "", sign,
                        dsm__figure_fixed(fabs(slope->elasticity), 3).text);
}

/* What is neither halved nor doubled: a tenth better or worse than a decimal number has few digits,
 * but for rounding. */
static const char *tried_text(dsm__page *page, const dsm_setting *setting) {
  static const int digits = 6;
  return setting->kind == DSM_SETTING_NUMBER
             ? dsm__page_text(page, "%s", dsm__figure_short(setting->number, digits).text)
             : setting_text(page, setting);
}

static void add_effect(dsm__table *table, const dsm_varied_parameter *parameter,
                       const dsm_variation *variations, const char *network, size_t index) {
  dsm__page *const page = table->page;
  const char *const first = ratio_text(page, &variations[0].responses[index]);
  const bool is_scaled = variations[0].kind == DSM_VARIATION_HALVED;
  dsm__table_text(table, network);
  dsm__table_add(table, DSM__STYLE_HEADING, slope_text(page, &parameter->slopes[index]));
  if (table->columns == twice_columns) {
    DSM__TABLE_TEXTS(table, is_scaled ? first : "",
                     is_scaled ? ratio_text(page, &variations[1].responses[index]) : "");
  }
  DSM__TABLE_TEXTS(table, is_scaled ? "" : tried_text(page, &variations[0].setting),
                   is_scaled ? "" : first);
}

static void add_parameter(dsm__table *table, const dsm_elasticity *elasticity,
                          const dsm_varied_parameter *parameter) {
  bool is_first = true;
  size_t span = 1;
  for (size_t v = 0; v < parameter->variation_count; v += span) {
    const dsm_variation *const variations = &parameter->variations[v];
    span = row_span(parameter, v);
    for (size_t w = 0; w < elasticity->workload_count; w++) {
      if (!has_row(variations, span, w)) {
        continue;
      }
      DSM__TABLE_TEXTS(table, is_first ? parameter->path : "",
                       is_first ? setting_text(table->page, &parameter->setting) : "");
      add_effect(table, parameter, variations, elasticity->workloads[w]->name, w);
      is_first = false;
    }
  }
}

/* Which parameters a table is of. */
typedef enum parameter_group {
  GROUP_FREE = 0, /* of hardware */
  GROUP_GIVEN,
  GROUP_HARDWARE,
  GROUP_SOFTWARE
} parameter_group;

static bool is_of_group(const dsm_varied_parameter *parameter, parameter_group group) {
  const bool is_any = group == GROUP_HARDWARE || parameter->is_free == (group == GROUP_FREE);
  return group == GROUP_SOFTWARE ? parameter->is_software : !parameter->is_software && is_any;
}

static void put_effects(dsm__page *page, const dsm_elasticity *elasticity, parameter_group group,
                        const char *title) {
  dsm__table table = elasticity->choice == DSM_VARIATIONS_TWICE ? DSM__TABLE(page, twice_columns)
                                                                : DSM__TABLE(page, tenth_columns);
  for (size_t p = 0; p < elasticity->parameter_count; p++) {
    const dsm_varied_parameter *const parameter = &elasticity->parameters[p];
    if (is_of_group(parameter, group)) {
      add_parameter(&table, elasticity, parameter);
    }
  }
  if (table.cell_count > 0) {
    dsm__page_heading(page, "%s", title);
    dsm__table_print(&table);
  }
}

static const char *legend(dsm__page *page, const dsm_elasticity *elasticity) {
  const bool is_twice = elasticity->choice == DSM_VARIATIONS_TWICE;
  return dsm__page_text(
      page,
      "%stime: the step's time over that with the parameter as it is, %s; networks without a row "
      "change by less than 0.05 %%. elast.: %s",
      is_twice ? "halved, doubled, " : "",
      elasticity->is_mapping_kept ? "with the plan's mapping" : "each with the best mapping",
      is_twice ? "the elasticity of the time, ln(doubled / halved) / ln 4; * only one side, "
                 "because the other is not possible."
               : "the elasticity of the time, ln(time) / ln(tried / value). Rows are ranked by it "
                 "because steps differ: counts grow to a whole number, by at least one.");
}

static void put_tables(dsm__page *page, const dsm_elasticity *elasticity) {
  const bool is_twice = elasticity->choice == DSM_VARIATIONS_TWICE;
  if (is_twice) {
    put_effects(page, elasticity, GROUP_FREE, "Free parameters, the one that matters most first");
    put_effects(page, elasticity, GROUP_GIVEN, "Given parameters, likewise");
  } else {
    put_effects(
        page, elasticity, GROUP_HARDWARE,
        "10 % more of each number, or less where less is better, in the order of elasticity");
  }
  put_effects(page, elasticity, GROUP_SOFTWARE,
              "The same for assumptions about software and of the model, which cannot be bought");
  dsm__page_break(page);
  dsm__page_line(page, DSM__STYLE_FAINT, "%s", legend(page, elasticity));
}

/* ---- what changes nothing, and what cannot be varied ---- */

static bool is_explored(const dsm_varied_parameter *parameter, size_t network_count) {
  bool is_any = false;
  for (size_t v = 0; v < parameter->variation_count; v++) {
    for (size_t w = 0; w < network_count; w++) {
      is_any = is_any || parameter->variations[v].responses[w].why_not == NULL;
    }
  }
  return is_any;
}

static bool has_any_row(const dsm_varied_parameter *parameter, size_t network_count) {
  bool is_any = false;
  for (size_t w = 0; w < network_count; w++) {
    is_any = is_any || has_row(parameter->variations, parameter->variation_count, w);
  }
  return is_any;
}

/* Parameters without a row: those that change a little, or those that change nothing. */
static void put_without_row(dsm__page *page, const dsm_elasticity *elasticity, bool has_influence,
                            const char *label) {
  const char *list = "";
  for (size_t p = 0; p < elasticity->parameter_count; p++) {
    const dsm_varied_parameter *const parameter = &elasticity->parameters[p];
    if (is_explored(parameter, elasticity->workload_count) &&
        !has_any_row(parameter, elasticity->workload_count) &&
        (parameter->influence > 0) == has_influence) {
      list = dsm__page_join(page, list, ", ", "%s", parameter->path);
    }
  }
  if (list[0] != '\0') {
    dsm__page_line(page, DSM__STYLE_PLAIN, "%s: %s.", label, list);
  }
}

typedef struct reasons {
  dsm__page *page;
  bool is_any;
} reasons;

static void put_reason(reasons *list, const char *text) {
  if (!list->is_any) {
    dsm__page_break(list->page);
    dsm__page_line(list->page, DSM__STYLE_PLAIN, "Not possible:");
  }
  list->is_any = true;
  dsm__page_line(list->page, DSM__STYLE_PLAIN, "%s", text);
}

/* The reason that all networks have for all of these variations; NULL if there is none. */
static const char *common_reason(const dsm_variation *variations, size_t count,
                                 size_t network_count) {
  const char *const first = variations[0].responses[0].why_not;
  for (size_t v = 0; v < count; v++) {
    for (size_t w = 0; w < network_count; w++) {
      const char *const why_not = variations[v].responses[w].why_not;
      if (why_not == NULL || first == NULL || strcmp(why_not, first) != 0) {
        return NULL;
      }
    }
  }
  return first;
}

/* One line for each reason, with the network where not all have the same. */
static void put_reasons(reasons *list, const dsm_elasticity *elasticity, const char *path,
                        const dsm_variation *variation) {
  const char *const kind = variation->kind == DSM_VARIATION_OTHER
                               ? setting_text(list->page, &variation->setting)
                               : dsm_variation_kind_name(variation->kind);
  const char *const common = common_reason(variation, 1, elasticity->workload_count);
  if (common != NULL) {
    put_reason(list, dsm__page_text(list->page, "- %s %s: %s", path, kind, common));
    return;
  }
  for (size_t w = 0; w < elasticity->workload_count; w++) {
    const char *const why_not = variation->responses[w].why_not;
    if (why_not != NULL) {
      put_reason(list, dsm__page_text(list->page, "- %s %s, %s: %s", path, kind,
                                      elasticity->workloads[w]->name, why_not));
    }
  }
}

static void put_impossible(dsm__page *page, const dsm_elasticity *elasticity) {
  reasons list = {.page = page};
  for (size_t p = 0; p < elasticity->parameter_count; p++) {
    const dsm_varied_parameter *const parameter = &elasticity->parameters[p];
    const size_t count = parameter->variation_count;
    const char *const common =
        count == 0 ? "there is no other word"
                   : common_reason(parameter->variations, count, elasticity->workload_count);
    if (common != NULL) {
      put_reason(&list, dsm__page_text(page, "- %s: %s", parameter->path, common));
      continue;
    }
    for (size_t v = 0; v < count; v++) {
      put_reasons(&list, elasticity, parameter->path, &parameter->variations[v]);
    }
  }
}

/* ---- all of it ---- */

static void put_parameters(dsm__page *page, const dsm_elasticity *elasticity) {
  const size_t count = elasticity->parameter_count;
  const dsm__rows list = dsm__rows_make(page, count, sizeof(dsm__listed_parameter));
  dsm__listed_parameter *const rows = list.items;
  for (size_t p = 0; p < list.count; p++) {
    const dsm_varied_parameter *const parameter = &elasticity->parameters[p];
    rows[p] = (dsm__listed_parameter){
        .path = parameter->path,
        .value = dsm__setting_value(&parameter->setting, DSM__VALUE_NONE),
        .unit = parameter->unit,
        .fallback = dsm__setting_value(&parameter->fallback, DSM__VALUE_NONE),
        .source = parameter->source,
    };
  }
  dsm__page_break(page);
  dsm__page_line(page, DSM__STYLE_PLAIN, "All of them, in the same order:");
  dsm__page_break(page);
  dsm__parameter_list_put(page, &list);
}

static const char *optimizations_text(dsm__page *page, const dsm_explore_options *options) {
  if (options->optimizations == dsm_mode_optimizations(options->mode)) {
    return "all optimizations";
  }
  const dsm__words_text list =
      dsm__words_join(&dsm__optimization_words, options->optimizations, ", ");
  return list.text[0] == '\0' ? "no optimizations" : dsm__page_text(page, "%s", list.text);
}

static void put_elasticity(dsm__page *page, const dsm_elasticity *elasticity) {
  const dsm_explore_options *const options = &elasticity->options;
  dsm__page_line(page, DSM__STYLE_HEADING, "%s: what the time of a step depends on%s; %s, %s",
                 elasticity->system->name,
                 elasticity->is_mapping_kept ? " while the mapping stays" : "",
                 dsm_mode_name(options->mode), optimizations_text(page, options));
  dsm__page_break(page);
  put_networks(page, elasticity);
  put_tables(page, elasticity);
  dsm__page_break(page);
  put_without_row(page, elasticity, true, "No step changes by 0.05 % or more with");
  put_without_row(page, elasticity, false, "No step changes at all with");
  put_impossible(page, elasticity);
  if (elasticity->choice == DSM_VARIATIONS_TWICE) {
    put_parameters(page, elasticity);
  }
}

void dsm__show_elasticity(dsm__page *page, const dsm_answer *answer) {
  const dsm_elasticity *const *const items = answer->of;
  for (size_t i = 0; i < answer->count; i++) {
    if (i > 0) {
      dsm__page_break(page);
    }
    put_elasticity(page, items[i]);
  }
}
