/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/plot_plan.h"

void dsm__plot_splits(dsm__plot_maker *maker, const dsm_plan *plan) {
  maker->height = 100;
  (void)dsm__plot_plan_heading(maker, plan, "");
  dsm__plot_empty_panel(maker);
}
