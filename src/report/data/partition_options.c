/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_options.c: what a partition was asked for, as a table. */
#include "report/data/partition_options.h"

#include "dsm/partition.h"

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
