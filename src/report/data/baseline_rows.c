/* SPDX-License-Identifier: GPL-3.0-or-later */
/* baseline_rows.c: the simple ways beside a partition, as rows of its document. */
#include "report/data/baseline_rows.h"

#include "partition/instance_facts.h"
#include "report/table/partition_gain.h"

typedef struct baseline_row {
  dsm_partition_baseline of;
  double gain;
} baseline_row;

DSM__RECORD(
    dsm__baseline_record, baseline_row, false, "A simple way to use the same devices.",
    DSM__FIELD(WORD, baseline_row, of.kind, "name", 0, .words = &dsm__baseline_kind_words,
               .help = "Which."),
    DSM__FIELD(FLAG, baseline_row, of.is_feasible, "feasible", 0,
               .help = "A device holds and runs the whole network."),
    DSM__FIELD(COUNT, baseline_row, of.device_count, "devices", 0, .max = DSM_DEVICES_MAX,
               .help = "How many take part."),
    DSM__FIELD(REAL, baseline_row, of.rho, "rho", DSM__MORE, .unit = "1/s",
               .stated_if = DSM__IF(baseline_row, of.is_feasible),
               .help = "Requests per second; absent where not feasible."),
    DSM__FIELD(REAL, baseline_row, of.latency_seconds, "latency_seconds", DSM__LESS,
               .unit = "seconds", .stated_if = DSM__IF(baseline_row, of.is_feasible),
               .help = "Of a request on the fastest of its devices; absent where not feasible."),
    DSM__FIELD(REAL, baseline_row, gain, "gain", DSM__UNLESS_0, .unit = "ratio",
               .help = "How many times more requests per second the partition does, or for the "
                       "objective latency how many times sooner it is done; absent for energy, and "
                       "where not feasible."));

dsm__rows dsm__partition_baseline_rows(dsm__page *page, const dsm_partition *partition) {
  const dsm__rows made = dsm__rows_make(page, DSM_BASELINE_KIND_COUNT, sizeof(baseline_row));
  baseline_row *const rows = made.items;
  for (size_t k = 0; k < made.count; k++) {
    const dsm_partition_baseline *const baseline = &partition->baselines[k];
    rows[k] = (baseline_row){*baseline, dsm__partition_gain(partition, baseline)};
  }
  return made;
}
