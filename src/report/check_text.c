/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/check_text.h"

#include <math.h>

#include "report/figures.h"

dsm__tone dsm__tone_of(const dsm_moved *moved, bool is_lower_better) {
  if (!moved->is_beyond) {
    return DSM__TONE_PLAIN;
  }
  return (moved->change < 0) == is_lower_better ? DSM__TONE_GOOD : DSM__TONE_BAD;
}

const char *dsm__change_text(dsm__page *page, const dsm_moved *moved) {
  if (!isfinite(moved->change)) {
    return "new";
  }
  if (!(fabs(moved->change) > 0)) {
    return "0 %";
  }
  const double percent = 100 * fabs(moved->change);
  const dsm__figure figure =
      percent < 0.01 ? dsm__figure_digits(percent, 2) : dsm__figure_fixed(percent, 2);
  return dsm__page_text(page, "%s%s %%", moved->change < 0 ? "-" : "+", figure.text);
}

const char *dsm__check_summary(dsm__page *page, const dsm_drift *drift) {
  const dsm_moved *const time = &drift->step_seconds;
  const dsm_moved *const utilization = &drift->utilization;
  return dsm__page_text(page, "%s on %s, %s, minibatch %s: step %s ms, utilization %s %%",
                        drift->workload, drift->system, dsm_mode_name(drift->mode),
                        dsm__figure_count(drift->minibatch_after).text,
                        dsm__figure_digits(1e3 * time->after, 5).text,
                        dsm__figure_fixed(100 * utilization->after, 1).text);
}

const char *dsm__check_message(dsm__page *page, const dsm_drift *drift) {
  const char *text = dsm__page_text(page, "step time %s, utilization %s, tolerance %s %%",
                                    dsm__change_text(page, &drift->step_seconds),
                                    dsm__change_text(page, &drift->utilization),
                                    dsm__figure_short(100 * drift->tolerance, 3).text);
  if (drift->layer_count > 0) {
    text = dsm__page_text(page, "%s; %zu layer%s on one side only", text, drift->layer_count,
                          drift->layer_count == 1 ? "" : "s");
  }
  if (drift->pass_count > 0) {
    text = dsm__page_text(page, "%s; %zu pass%s beyond it", text, drift->pass_count,
                          drift->pass_count == 1 ? "" : "es");
  }
  if (drift->decision_count > 0) {
    text = dsm__page_text(page, "%s; %zu decision%s changed", text, drift->decision_count,
                          drift->decision_count == 1 ? "" : "s");
  }
  return text;
}
