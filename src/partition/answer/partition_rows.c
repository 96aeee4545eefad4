/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_rows.c: parts of a partition's document: what was asked for, the simple ways beside it,
 * and the ways of whole requests, for who sends requests to devices. */
#include "partition/answer/partition_rows.h"

#include "dsm/partition.h"
#include "partition/instance_facts.h"

/* ---- what was asked for ---- */

enum { READ = DSM__FIELD_IS_READ, REQUIRED = DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED };

DSM__RECORD(
    dsm__partition_options_record, dsm_partition_options, false, "What was asked for.",
    DSM__FIELD(REAL, dsm_partition_options, required_rho, "required_rho", 0, .unit = "1/s",
               .stated_if = DSM__IF_IS(dsm_partition_options, objective, DSM_OBJECTIVE_ENERGY),
               .help = "Of the objective energy."),
    DSM__REAL(dsm_partition_options, latency_limit_seconds, "latency_limit_seconds",
              DSM__UNLESS_0 | READ, "seconds", "Of a request on average; absent: any time."),
    DSM__FIELD(REAL, dsm_partition_options, time_limit_seconds, "time_limit_seconds",
               DSM__NULLABLE | REQUIRED, .unit = "seconds",
               .expected = "a number, or null where it is infinite", .help = "Of the solver."),
    DSM__FIELD(REAL, dsm_partition_options, gap, "gap", DSM__NULLABLE | REQUIRED, .unit = "ratio",
               .expected = "a number, or null where it is infinite",
               .help = "At which the solver might stop, relative."),
    DSM__FIELD(FLAG, dsm_partition_options, does_count_activations, "count_activations", REQUIRED,
               .help = "Activations need memory too."),
    DSM__FIELD(COUNT, dsm_partition_options, copies_max, "copies", DSM__UNLESS_0 | READ, .min = 1,
               .max = DSM_DEVICES_MAX,
               .help = "A task is stored on at most so many devices; absent: on any "
                       "number."),
    DSM__FIELD(FLAG, dsm_partition_options, is_staged, "stages", DSM__UNLESS_0 | READ,
               .help = "The tasks of a device follow one another; absent: they need "
                       "not."),
    DSM__FIELD(COUNT, dsm_partition_options, cuts_max, "cuts", DSM__UNLESS_0 | READ, .min = 1,
               .max = DSM_TASKS_MAX * DSM_DEVICES_MAX,
               .help = "A request moves at most so many tensors, one to several "
                       "devices counted for each; absent: any number."),
    DSM__FIELD(FLAG, dsm_partition_options, does_keep_results, "keep_results", REQUIRED,
               .help = "Results stay on the device that makes them."),
    DSM__FIELD(FLAG, dsm_partition_options, does_count_input, "count_input", DSM__UNLESS_0 | READ,
               .help = "The request's input comes over links; absent: it costs "
                       "nothing."),
    DSM__FIELD(FLAG, dsm_partition_options, is_unused_off, "unused_off", DSM__UNLESS_0 | READ,
               .help = "Devices that run nothing are turned off; absent: all draw their idle "
                       "power."));

/* ---- simple ways ---- */

DSM__RECORD(
    dsm__baseline_record, dsm__baseline_row, false, "A simple way to use the same devices.",
    DSM__FIELD(WORD, dsm__baseline_row, of.kind, "name", 0, .words = &dsm__baseline_kind_words,
               .help = "Which."),
    DSM__FIELD(FLAG, dsm__baseline_row, of.is_feasible, "feasible", 0,
               .help = "A device holds and runs the whole network."),
    DSM__FIELD(COUNT, dsm__baseline_row, of.device_count, "devices", 0, .max = DSM_DEVICES_MAX,
               .help = "How many take part."),
    DSM__FIELD(REAL, dsm__baseline_row, of.rho, "rho", DSM__MORE, .unit = "1/s",
               .stated_if = DSM__IF(dsm__baseline_row, of.is_feasible),
               .help = "Requests per second; absent where not feasible."),
    DSM__FIELD(REAL, dsm__baseline_row, of.latency_seconds, "latency_seconds", DSM__LESS,
               .unit = "seconds", .stated_if = DSM__IF(dsm__baseline_row, of.is_feasible),
               .help = "Of a request on the fastest of its devices; absent where not feasible."),
    DSM__FIELD(REAL, dsm__baseline_row, gain, "gain", DSM__UNLESS_0, .unit = "ratio",
               .help = "How many times more requests per second the partition does, or for the "
                       "objective latency how many times sooner it is done; absent for energy, and "
                       "where not feasible."));

/* Requests per second over the baseline's, for the objective latency the baseline's latency over
 * the partition's; 0 where there is nothing to compare: no such baseline, or energy, which
 * baselines do not have. */
static double gain_of(const dsm_partition *partition, const dsm_partition_baseline *baseline) {
  if (!baseline->is_feasible) {
    return 0;
  }
  switch (partition->options.objective) {
  case DSM_OBJECTIVE_THROUGHPUT:
    return baseline->rho > 0 ? partition->rho / baseline->rho : 0;
  case DSM_OBJECTIVE_LATENCY:
    return partition->latency_seconds > 0 ? baseline->latency_seconds / partition->latency_seconds
                                          : 0;
  case DSM_OBJECTIVE_ENERGY:
  case DSM_OBJECTIVE_KIND_COUNT:
    break;
  }
  return 0;
}

dsm__rows dsm__partition_baseline_rows(dsm__page *page, const dsm_partition *partition) {
  const dsm__rows made = dsm__rows_make(page, DSM_BASELINE_KIND_COUNT, sizeof(dsm__baseline_row));
  dsm__baseline_row *const rows = made.items;
  for (size_t k = 0; k < made.count; k++) {
    const dsm_partition_baseline *const baseline = &partition->baselines[k];
    rows[k] = (dsm__baseline_row){*baseline, gain_of(partition, baseline)};
  }
  return made;
}

/* ---- ways of requests ---- */

typedef struct way_row {
  double rate;
  const char *const *devices;
  size_t task_count;
} way_row;

DSM__RECORD(dsm__way_record, way_row, true, "A way of requests.",
            DSM__REAL(way_row, rate, "rate", 0, "1/s", "Requests per second that go it."),
            DSM__FIELD(TEXT_LIST, way_row, devices, "devices", 0,
                       .count_offset = offsetof(way_row, task_count),
                       .help = "That run the tasks, in the order of tasks."));

dsm__rows dsm__partition_ways(dsm__page *page, const dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  const dsm__rows made = dsm__rows_make(page, partition->way_count, sizeof(way_row));
  way_row *const rows = made.items;
  for (size_t k = 0; k < made.count; k++) {
    const dsm_request_way *const way = &partition->ways[k];
    const dsm__rows names = dsm__rows_make(page, instance->task_count, sizeof(const char *));
    const char **const devices = names.items;
    for (size_t i = 0; i < names.count; i++) {
      devices[i] = instance->devices[way->devices[i]].name;
    }
    rows[k] = (way_row){way->rate, devices, names.count};
  }
  return made;
}
