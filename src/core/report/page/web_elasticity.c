/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_elasticity.c: what a tenth better of each number of the system does to the plan's step. */
#include <math.h>

#include "base/number_text.h"
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

static const dsm__table_column columns[] = {
    {.title = "parameter"},
    {.title = "value", .is_right = true},
    {.title = "tried", .is_right = true},
    {.title = "unit"},
    {.title = "step", .is_right = true},
    {.title = "elasticity", .is_right = true},
};

static void add_row(dsm__table *table, const dsm_varied_parameter *parameter) {
  static const int digits = 6; /* a tenth more of a decimal number has few, but for rounding */
  dsm__page *const page = table->page;
  const double change = response_of(parameter)->time_ratio - 1;
  const double elasticity = parameter->slopes[0].elasticity;
  char value[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(parameter->setting.number, value);
  DSM__TABLE_TEXTS(table, parameter->path, value,
                   dsm__figure_short(parameter->variations[0].setting.number, digits).text,
                   parameter->unit);
  dsm__table_number(table, DSM__STYLE_PLAIN,
                    dsm__page_text(page, "%s %%", signed_text(page, 100 * change, 2)), change);
  dsm__table_number(table, DSM__STYLE_PLAIN, signed_text(page, elasticity, 3), elasticity);
}

/* Of hardware, or of software, if there are any. */
static void put_table(dsm__page *page, const dsm_elasticity *elasticity, bool is_software) {
  dsm__table table = DSM__TABLE(page, columns);
  for (size_t p = 0; p < elasticity->parameter_count; p++) {
    const dsm_varied_parameter *const parameter = &elasticity->parameters[p];
    if (is_seen(parameter) && parameter->is_software == is_software) {
      add_row(&table, parameter);
    }
  }
  if (table.cell_count > 0) {
    dsm__web_table(page, is_software ? "elasticities-software" : "elasticities",
                   is_software ? "The same for assumptions about software and of the model, which "
                                 "cannot be bought."
                               : "The largest elasticity first: steps differ, because counts grow "
                                 "to a whole number, so only elasticities compare.",
                   &table);
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

void dsm__web_elasticity(dsm__page *page, const void *of) {
  const dsm_plan_page *const subject = of;
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
