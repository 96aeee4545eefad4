/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_elasticity.c: what a tenth better of each number of the system does to the plan's step. */
#include <math.h>

#include "base/number_text.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/table/number_style.h"

/* Smaller elasticities are not seen in three decimals. */
static const double least_elasticity = 0.0005;

static const dsm_response *response_of(const dsm_varied_parameter *parameter) {
  return &parameter->variations[0].responses[0];
}

static bool is_seen(const dsm_varied_parameter *parameter) {
  return parameter->influence >= least_elasticity;
}

/* ---- what changes the step ---- */

static const char *signed_text(dsm__page *page, double number, int decimals) {
  return dsm__page_text(page, "%s%s", number < 0 ? "-" : "+",
                        dsm__figure_fixed(fabs(number), decimals).text);
}

static void put_row(dsm__page *page, const dsm_varied_parameter *parameter) {
  static const int digits = 6; /* a tenth more of a decimal number has few, but for rounding */
  const double change = response_of(parameter)->time_ratio - 1;
  const double elasticity = parameter->slopes[0].elasticity;
  char value[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(parameter->setting.number, value);
  dsm__html_begin(&page->out, "tr", NULL);
  dsm__html_begin(&page->out, "th", "scope", "row", NULL);
  dsm__html_element(&page->out, "code", parameter->path, NULL);
  dsm__html_end(&page->out, "th");
  dsm__html_element(&page->out, "td", value, "class", "number", NULL);
  dsm__html_element(&page->out, "td",
                    dsm__figure_short(parameter->variations[0].setting.number, digits).text,
                    "class", "number", NULL);
  dsm__html_element(&page->out, "td", parameter->unit, NULL);
  dsm__web_number(page, change, dsm__page_text(page, "%s %%", signed_text(page, 100 * change, 2)));
  dsm__web_number(page, elasticity, signed_text(page, elasticity, 3));
  dsm__html_end(&page->out, "tr");
}

/* Of hardware, or of software, if there are any. */
static void put_table(dsm__page *page, const dsm_elasticity *elasticity, bool is_software) {
  static const dsm__web_title titles[] = {{"parameter", false}, {"value", true},
                                          {"tried", true},      {"unit", false},
                                          {"step", true},       {"elasticity", true}};
  bool is_begun = false;
  for (size_t p = 0; p < elasticity->parameter_count; p++) {
    const dsm_varied_parameter *const parameter = &elasticity->parameters[p];
    if (!is_seen(parameter) || parameter->is_software != is_software) {
      continue;
    }
    if (!is_begun) {
      dsm__web_table_begin(
          page, is_software ? "elasticities-software" : "elasticities",
          is_software ? "Elasticities of software" : "Elasticities",
          is_software
              ? "The same for assumptions about software and of the model, which cannot be bought."
              : "The largest elasticity first: steps differ, because counts grow to a whole "
                "number, so only elasticities compare.",
          titles, DSM__COUNT_OF(titles));
    }
    is_begun = true;
    put_row(page, parameter);
  }
  if (is_begun) {
    dsm__web_table_end(page);
  }
}

/* ---- what does not ---- */

static void put_others(dsm__page *page, const dsm_elasticity *elasticity, bool is_possible,
                       const char *label) {
  const char *list = "";
  for (size_t p = 0; p < elasticity->parameter_count; p++) {
    const dsm_varied_parameter *const parameter = &elasticity->parameters[p];
    if (!is_seen(parameter) && (response_of(parameter)->why_not == NULL) == is_possible) {
      list = dsm__page_text(page, "%s%s%s", list, list[0] == '\0' ? "" : ", ", parameter->path);
    }
  }
  if (list[0] != '\0') {
    dsm__web_paragraph(page, "note", dsm__page_text(page, "%s: %s.", label, list));
  }
}

void dsm__web_elasticity(dsm__page *page, const dsm_plan_page *subject) {
  const dsm_elasticity *const elasticity = subject->elasticity;
  dsm__web_paragraph(
      page, NULL,
      "The step time with a tenth more of each number of the system, or a tenth less of what costs "
      "time, room or bytes, with the mapping of this plan. An elasticity of -0.5 means that 1 % "
      "more makes the step about 0.5 % shorter. dsm explore --sensitivity maps the network again "
      "each time: then no step gets longer, and more cores or chips, which this mapping may not be "
      "able to use, have an effect.");
  put_table(page, elasticity, false);
  put_table(page, elasticity, true);
  put_others(page, elasticity, true, "Little or no effect with this mapping");
  put_others(page, elasticity, false, "Not possible with this mapping");
}
