/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_degrees.c: the decisions in the field's words, on one line. */
#include "plan/degrees.h"
#include "report/table/number_style.h"
#include "report/table/plan_table.h"

/* "8 (gpu)", or where layers differ "mixed 1 to 8 (gpu)"; `more` stands behind the number. */
static const char *degree_text(dsm__page *page, const dsm__degree *of, const char *more) {
  const char *const least =
      of->least == of->most
          ? ""
          : dsm__page_text(page, "mixed %s to ", dsm__figure_count(of->least).text);
  const char *axes = "";
  for (size_t i = 0; i < of->axis_count; i++) {
    axes = dsm__page_text(page, "%s%s%s", axes, i == 0 ? " (" : ", ", of->axes[i]);
  }
  return dsm__page_text(page, "%s%s%s%s%s", least, dsm__figure_count(of->most).text, more, axes,
                        axes[0] == '\0' ? "" : ")");
}

const char *dsm__plan_degrees_line(dsm__page *page, const dsm_plan *plan) {
  static const char *const words[DSM__DEGREE_COUNT] = {"TP", "SP",         "CP", "DP",
                                                       "EP", "replicated", "PP", "ZeRO"};
  dsm__degrees degrees;
  if (!dsm__degrees_derive(&degrees, plan)) {
    return "";
  }
  const char *const runs =
      degrees.interleave == 1
          ? ""
          : dsm__page_text(page, " x %s", dsm__figure_count(degrees.interleave).text);
  const char *text = "";
  for (int kind = 0; kind < DSM__DEGREE_COUNT; kind++) {
    if (kind == DSM__DEGREE_REPLICATED && degrees.of[kind].most == 1) {
      continue;
    }
    const char *const more = kind == DSM__DEGREE_PIPELINE ? runs : "";
    text = dsm__page_join(page, text, ", ", "%s %s", words[kind],
                          degree_text(page, &degrees.of[kind], more));
  }
  return dsm__page_text(page, "%s, recompute %s, micro-batches %s x %s", text, degrees.recompute,
                        dsm__figure_count(degrees.micro_batches).text,
                        dsm__figure_count(degrees.micro_batch_samples).text);
}
