/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_data.c: plans of cores in memory, for programs (format "dsm-pim/1", and CSV). */
#include "dsm/pim.h"

#include "pim/pim_record.h"
#include "report/data/csv.h"
#include "report/data/records.h"

char *dsm_report_pim_json(const dsm_pim_plan *plan) {
  return dsm_pim_plan_print(plan);
}

char *dsm_report_pim_csv(const dsm_pim_plan *plan) {
  dsm__page page = dsm__data_begin();
  dsm__csv csv = dsm__csv_begin(&page);
  dsm__csv_columns(&csv, &dsm__pim_cost_record);
  for (size_t i = 0; i < plan->curve_count; i++) {
    DSM__CSV_ROW(&csv, {&dsm__pim_cost_record, &plan->curve[i]});
  }
  return dsm__csv_finish(&csv);
}
