/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_inputs.c: what the prediction rests on: the model's assumptions, the workload, the system. */
#include <string.h>

#include "report/data/describe_record.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/parameter_list.h"
#include "report/table/describe_table.h"
#include "system/system_internal.h"
#include "workload/byte_parameters.h"

/* Of the rows of declared layers. */
enum { DECLARED_MAX = 1000 };

/* Parameters of the system whose paths begin so are assumptions of the model. */
static const char model_prefix[] = "model.";

static bool is_of_model(const dsm__listed_parameter *parameter) {
  return strncmp(parameter->path, model_prefix, sizeof model_prefix - 1) == 0;
}

static void put_cell(dsm__page *page, const char *class, const char *text) {
  dsm__html_element(&page->out, "td", text, "class", class, NULL);
}

/* ---- parameters ---- */

static void begin_parameters(dsm__page *page, const char *id, const char *caption) {
  static const dsm__web_title titles[] = {
      {"parameter", false}, {"value", true}, {"unit", false}, {"default", true}, {"source", false}};
  dsm__web_table_begin(page, id, caption, caption, titles, DSM__COUNT_OF(titles));
}

/* A value that is not the default stands out. */
static void put_parameter(dsm__page *page, const dsm__listed_parameter *parameter) {
  const char *const value = dsm__listed_value(page, &parameter->value, "-");
  const char *const fallback = dsm__listed_value(page, &parameter->fallback, value);
  dsm__html_begin(&page->out, "tr", NULL);
  dsm__html_begin(&page->out, "th", "scope", "row", NULL);
  dsm__html_element(&page->out, "code", parameter->path, NULL);
  dsm__html_end(&page->out, "th");
  put_cell(page, strcmp(fallback, value) != 0 ? "number changed" : "number", value);
  put_cell(page, "name", parameter->unit);
  put_cell(page, "number", dsm__listed_value(page, &parameter->fallback, "required"));
  put_cell(page, "source", parameter->source);
  dsm__html_end(&page->out, "tr");
}

static void put_system_parameters(dsm__page *page, const dsm_system *system, bool of_model) {
  const dsm__rows parameters = dsm__parameter_list_of(page, system);
  const dsm__listed_parameter *const rows = parameters.items;
  for (size_t i = 0; i < parameters.count; i++) {
    if (is_of_model(&rows[i]) == of_model) {
      put_parameter(page, &rows[i]);
    }
  }
}

static void put_byte_parameters(dsm__page *page, const dsm_workload *workload) {
  for (size_t i = 0; i < DSM__BYTE_PARAMETER_COUNT; i++) {
    const dsm__byte_parameter *const parameter = &dsm__byte_parameters[i];
    const dsm__listed_parameter listed = {
        .path = parameter->key,
        .value = {DSM__VALUE_NUMBER, dsm__byte_parameter_get(parameter, workload), NULL},
        .unit = parameter->unit,
        .fallback = {DSM__VALUE_NUMBER, parameter->fallback, NULL},
        .source = dsm__byte_parameter_is_assumed(parameter, workload)
                      ? dsm__page_text(page, "(default) %s", parameter->source)
                      : dsm__given,
    };
    put_parameter(page, &listed);
  }
}

void dsm__web_assumptions(dsm__page *page, const void *of) {
  const dsm_plan_page *const subject = of;
  dsm__web_paragraph(page, NULL,
                     "All figures are predictions by the equations of the model (docs/model.md of "
                     "dsm). These are its free parameters, each a key of the system's or the "
                     "workload's description. Values other than the default are marked.");
  begin_parameters(page, "model-parameters", "Assumptions of the model");
  put_system_parameters(page, subject->plan->system, true);
  dsm__web_table_end(page);
  begin_parameters(page, "byte-parameters", "Bytes of numbers, of the workload");
  put_byte_parameters(page, subject->plan->workload);
  dsm__web_table_end(page);
}

/* ---- the workload ---- */

static void put_declared_layers(dsm__page *page, const dsm_workload *workload) {
  const size_t count = workload->spec_count;
  const dsm__table table = dsm__describe_layers(page, workload, DECLARED_MAX);
  dsm__web_table(page, "declared",
                 count <= DECLARED_MAX
                     ? "Layers as declared"
                     : dsm__page_text(page,
                                      "The first %d of %zu layers as declared; dsm describe shows "
                                      "all",
                                      DECLARED_MAX, count),
                 &table);
}

static void put_source(dsm__page *page, const char *source) {
  if (source != NULL) {
    dsm__web_paragraph(page, "note", dsm__page_text(page, "Source: %s", source));
  }
}

/* Large, and looked at rarely: shown on demand. */
static void begin_details(dsm__page *page, const char *summary) {
  dsm__html_begin(&page->out, "details", NULL);
  dsm__html_element(&page->out, "summary", summary, NULL);
}

static void put_workload(dsm__page *page, const dsm_workload *workload, const dsm__shown *inputs) {
  dsm__html_element(&page->out, "h3", dsm__page_text(page, "Workload: %s", workload->name), NULL);
  dsm__web_paragraph(
      page, NULL,
      dsm__value_text(page, inputs,
                      "{layer_count:=} layer{layer_count;s}, minibatch {minibatch}; {all_weights} "
                      "weight{all_weights;s} in {stored_bytes}, {totals.parameters} "
                      "parameter{totals.parameters;s}, {totals.macs_forward_per_sample} "
                      "MAC{totals.macs_forward_per_sample;s} a sample forward{optimizer?; updated "
                      "by {optimizer}|}."));
  put_source(page, workload->source);
  begin_details(page, dsm__page_text(page, "Layers of %s", workload->name));
  put_declared_layers(page, workload);
  dsm__html_end(&page->out, "details");
}

/* ---- the system and the question ---- */

static void put_system(dsm__page *page, const dsm_system *system, const dsm__shown *inputs) {
  dsm__html_element(&page->out, "h3", dsm__page_text(page, "System: %s", system->name), NULL);
  dsm__web_paragraph(
      page, NULL,
      dsm__value_text(page, inputs,
                      "{chips} chip{chips;s}, {cores} core{cores;s}, {macs_per_cycle:.0} "
                      "MAC{macs_per_cycle;s}; peak {peak_flops}; machine balance "
                      "{machine_balance:~4} FLOP per byte of memory{elements}."));
  const char *const axes = dsm__value_text(page, inputs, "{axes_text?Axes: {axes_text}.|}");
  if (axes[0] != '\0') {
    dsm__web_paragraph(page, NULL, axes);
  }
  put_source(page, system->source);
  begin_parameters(page, "system-parameters", "Parameters of the system");
  put_system_parameters(page, system, false);
  dsm__web_table_end(page);
}

static void put_overrides(dsm__page *page, const dsm_explore_options *options) {
  if (options->override_count == 0) {
    return;
  }
  dsm__html_element(&page->out, "h3", "Changes to the descriptions", NULL);
  dsm__web_paragraph(page, NULL, "Set on the command line; the values on this page include them:");
  dsm__html_begin(&page->out, "ul", "id", "overrides", NULL);
  for (size_t i = 0; i < options->override_count; i++) {
    dsm__html_begin(&page->out, "li", NULL);
    dsm__html_element(&page->out, "code", options->overrides[i], NULL);
    dsm__html_end(&page->out, "li");
  }
  dsm__html_end(&page->out, "ul");
}

void dsm__web_inputs(dsm__page *page, const void *of) {
  const dsm_plan *const plan = ((const dsm_plan_page *)of)->plan;
  const dsm_described inputs = {.workload = plan->workload, .system = plan->system};
  const dsm__item_row row = dsm__item_of(page, &inputs);
  const dsm__shown shown = {.type = dsm__item_layout.type, .record = &row};
  put_overrides(page, &plan->options);
  put_workload(page, plan->workload, &shown);
  put_system(page, plan->system, &shown);
}
