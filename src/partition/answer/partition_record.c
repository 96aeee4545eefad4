/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_record.c: the document of a partition (format "dsm-partition/1"). */
#include "partition/answer/partition_record.h"

#include "partition/answer/partition_rows.h"
#include "partition/instance_facts.h"
#include "report/data/partition_links.h"

enum { READ = DSM__FIELD_IS_READ, REQUIRED = DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED };

/* A number that is infinite is null. */
#define REAL(struct_type, member, key, flag, of_unit, about)                                       \
  DSM__FIELD(REAL, struct_type, member, key, DSM__NULLABLE | (flag), .unit = (of_unit),            \
             .expected = "a number, or null where it is infinite", .help = (about))
/* The same of one that may be below 0. */
#define SIGNED(struct_type, member, key, flag, of_unit, about)                                     \
  DSM__FIELD(REAL, struct_type, member, key, DSM__NULLABLE | (flag), .min = DSM__NO_MIN,           \
             .expected = "a number, or null where it is infinite", .unit = (of_unit),              \
             .help = (about))

/* A list that is read. */
#define LISTED(struct_type, member, member_count, key, most, of_type, what, about)                 \
  DSM__FIELD(LIST, struct_type, member, key, REQUIRED,                                             \
             .count_offset = offsetof(struct_type, member_count), .type = &(of_type), .min = 1,    \
             .max = (most), .expected = (what), .help = (about))

/* A share of what a device has. */
#define FRACTION(struct_type, member, key, about)                                                  \
  DSM__FIELD(REAL, struct_type, member, key, DSM__COLUMN | DSM__FIGURE | REQUIRED,                 \
             .unit = "ratio", .help = (about))

/* ---- the tables ---- */

static const dsm__word bind_words[] = {[DSM__BIND_TIME].key = "time",
                                       [DSM__BIND_MEMORY].key = "memory",
                                       [DSM__BIND_LINK].key = "link"};
static DSM__WORDS(binds, "what binds a device", bind_words, DSM__BIND_COUNT);

DSM__RECORD(
    dsm__device_record, dsm__device_row, false, "A device.",
    DSM__FIELD(TEXT, dsm__device_row, device.name, "name", DSM__COLUMN | REQUIRED,
               .max = DSM_NAME_BYTES_MAX, .expected = "the device's name", .column = "device",
               .help = "Its name."),
    DSM__FIELD(FLAG, dsm__device_row, device.is_accelerator, "accelerator", REQUIRED,
               .help = "Else a host."),
    DSM__FIELD(COUNT, dsm__device_row, batch, "batch",
               DSM__COLUMN | DSM__UNLESS_1 | DSM__CHOSEN | READ, .fallback = 1,
               .column = "device_batch", .min = 1, .max = DSM_DEVICE_BATCH_MAX,
               .help = "Requests that it runs together; absent for one."),
    DSM__FIELD(FLAG, dsm__device_row, use.is_off, "off", DSM__UNLESS_0 | DSM__CHOSEN | READ,
               .help = "It is turned off, as it runs nothing; absent: it is not."),
    DSM__REAL(dsm__device_row, device.element_bytes, "element_bytes", DSM__UNLESS_0 | READ, "bytes",
              "Of an element of what it makes; absent: as the sizes of tasks have it."),
    DSM__FIELD(REAL, dsm__device_row, device.weight_bytes, "weight_bytes", DSM__UNLESS_0 | READ,
               .unit = "bytes", .help = "Of a parameter that it stores; absent: likewise."),
    FRACTION(dsm__device_row, use.time_fraction, "time_fraction",
             "How much of the time it computes."),
    REAL(dsm__device_row, use.memory_bytes, "memory_bytes", DSM__FIGURE | REQUIRED, "bytes",
         "Of the parameters that are stored there."),
    REAL(dsm__device_row, device.memory_bytes, "memory_capacity_bytes", REQUIRED, "bytes",
         "null: unlimited."),
    FRACTION(dsm__device_row, use.memory_fraction, "memory_fraction",
             "0 where memory is unlimited."),
    DSM__FIELD(REAL, dsm__device_row, use.link_bytes_per_second, "link_bytes", DSM__FIGURE,
               .unit = "bytes", .stated_if = DSM__IF(dsm__device_row, is_one_request),
               .help = "Of the objective latency: of the one request."),
    DSM__FIELD(REAL, dsm__device_row, use.link_bytes_per_second, "link_bytes_per_second",
               DSM__FIGURE, .unit = "bytes/s",
               .stated_if = DSM__UNLESS(dsm__device_row, is_one_request),
               .help = "Of all but the objective latency."),
    REAL(dsm__device_row, device.link_bytes_per_second, "link_capacity_bytes_per_second", REQUIRED,
         "bytes/s", "null: unlimited."),
    FRACTION(dsm__device_row, use.link_fraction, "link_fraction", "0 where the link is unlimited."),
    DSM__REAL(dsm__device_row, device.incoming_bytes_per_second,
              "incoming_capacity_bytes_per_second", DSM__UNLESS_0 | READ, "bytes/s",
              "Absent where the way in is unlimited."),
    DSM__FIELD(REAL, dsm__device_row, device.transfer_seconds, "transfer_seconds",
               DSM__UNLESS_0 | READ, .unit = "seconds",
               .help = "Fixed cost of a transfer over its link; absent: none."),
    DSM__FIELD(WORD_SET, dsm__device_row, binds, "binds", 0, .words = &binds,
               .help = "What is used up of time, memory and link."));

DSM__RECORD(dsm__placement_record, dsm__placement_row, true, "A device that stores its parameters.",
            DSM__FIELD(TEXT, dsm__placement_row, device, "device",
                       DSM__COLUMN | DSM__CHOSEN | REQUIRED, .max = DSM_NAME_BYTES_MAX,
                       .expected = "the device that runs the task", .help = "Its name."),
            REAL(dsm__placement_row, rate, "rate", DSM__COLUMN | DSM__FIGURE | REQUIRED, "1/s",
                 "How often it runs there, per second; of the objective latency 1 or 0."),
            REAL(dsm__placement_row, seconds, "seconds", DSM__COLUMN | REQUIRED, "seconds",
                 "Its processing time there, of a batch the part of one request; null: it "
                 "cannot run there."));

DSM__RECORD(
    dsm__task_record, dsm__task_row, false, "A task.",
    DSM__FIELD(TEXT, dsm__task_row, name, "name", DSM__COLUMN | REQUIRED, .max = DSM_NAME_BYTES_MAX,
               .expected = "the task's name", .column = "task", .help = "Its name."),
    REAL(dsm__task_row, weights_bytes, "weights_bytes", DSM__COLUMN | REQUIRED, "bytes",
         "Of its parameters."),
    DSM__FIELD(TEXT, dsm__task_row, group, "group", DSM__OPTIONAL | READ, .max = DSM_NAME_BYTES_MAX,
               .help = "Tasks of the same group run on the same devices, equally often; absent: it "
                       "is in none."),
    DSM__FIELD(REAL, dsm__task_row, activation_bytes, "activation_bytes", 0, .unit = "bytes",
               .stated_if = DSM__IF(dsm__task_row, has_activations),
               .help = "Most that is live while it runs; absent where tasks may be in several "
                       "places, or activations need no memory."),
    REAL(dsm__task_row, output_bytes, "output_bytes", DSM__COLUMN | REQUIRED, "bytes",
         "Of what it puts out."),
    DSM__FIELD(REAL, dsm__task_row, result_bytes, "result_bytes", DSM__UNLESS_0 | READ,
               .unit = "bytes",
               .help = "Of joined layers with consumers: of outputs that leave the server all the "
                       "same; absent where there are none, or tasks may be in several places."),
    DSM__FIELD(REAL, dsm__task_row, input_bytes, "input_bytes", DSM__UNLESS_0 | READ,
               .unit = "bytes",
               .help = "Of the request's input, what it reads; absent where that is nothing, or "
                       "costs nothing."),
    LISTED(dsm__task_row, placements.items, placements.count, "placements", DSM_DEVICES_MAX,
           dsm__placement_record, "the device that runs the task",
           "The devices that store its parameters."));

DSM__OWN_RECORD(tensor_record, dsm__tensor_row, true, "What a task makes for others.",
                DSM__FIELD(TEXT, dsm__tensor_row, task, "task", REQUIRED, .max = DSM_NAME_BYTES_MAX,
                           .expected = "the task that makes it", .help = "That makes it."),
                DSM__REAL(dsm__tensor_row, bytes, "bytes", REQUIRED, "bytes", "Of a request."),
                DSM__FIELD(TEXT_LIST, dsm__tensor_row, users, "used_by", REQUIRED, .min = 1,
                           .max = DSM_NAME_BYTES_MAX, .expected = "the tasks that need it",
                           .count_offset = offsetof(dsm__tensor_row, user_count),
                           .help = "Tasks that need it."));

static bool is_graph(const void *partition) {
  const dsm_partition *const of = &((const dsm__partition_document *)partition)->of;
  return of->is_bound || of->simulated_rho > 0;
}

DSM__ANSWER(
    dsm__partition_record, dsm__partition_document, "dsm-partition/1",
    "Which device runs which task of an inference request, and how often", "dsm partition",
    DSM__FIELD(TEXT, dsm__partition_document, instance, "instance", DSM__COLUMN | REQUIRED,
               .max = DSM_NAME_BYTES_MAX, .expected = "the name of the problem",
               .help = "Name of the problem."),
    DSM__FIELD(COUNT, dsm__partition_document, batch, "batch", DSM__UNLESS_1 | READ, .min = 1,
               .max = DSM_DIMENSION_MAX,
               .help = "Samples of a request; absent for one, and where a profile has the times."),
    DSM__FIELD(REAL, dsm__partition_document, element_bytes, "element_bytes", DSM__UNLESS_0 | READ,
               .unit = "bytes",
               .help = "That sizes of activations and outputs are stated for; absent where no "
                       "device has its own."),
    DSM__FIELD(REAL, dsm__partition_document, weight_bytes, "weight_bytes", DSM__UNLESS_0 | READ,
               .unit = "bytes", .help = "That sizes of parameters are stated for; likewise."),
    DSM__FIELD(WORD, dsm__partition_document, of.options.objective, "objective",
               DSM__COLUMN | REQUIRED, .words = &dsm__objective_words, .help = "What is best."),
    DSM__FIELD(WORD, dsm__partition_document, of.status, "status",
               DSM__COLUMN | DSM__CHOSEN | REQUIRED, .words = &dsm__solution_status_words,
               .help = "optimal: within the gap that was asked for; limited: the time limit, an "
                       "interruption, or the accuracy of the solver came first."),
    DSM__FIELD(
        FLAG, dsm__partition_document, of.is_heuristic, "heuristic", DSM__ASIDE | REQUIRED,
        .help = "The answer is that of the starting heuristic: the solver found no better one."),
    REAL(dsm__partition_document, of.rho, "rho", DSM__COLUMN | DSM__MORE | REQUIRED, "1/s",
         "Requests per second."),
    REAL(dsm__partition_document, of.rho, "requests_per_second", DSM__MORE | DSM__ASIDE, "1/s",
         "The same as rho."),
    DSM__FIELD(REAL, dsm__partition_document, samples_per_second, "samples_per_second", DSM__MORE,
               .unit = "1/s", .stated_if = DSM__IF_ABOVE(dsm__partition_document, batch, 1),
               .help = "Of requests of several samples."),
    DSM__FIELD(FLAG, dsm__partition_document, of.is_bound, "rho_is_bound", 0, .is_stated = is_graph,
               .help = "No whole requests are known that reach rho; absent where the tensors form "
                       "a chain, and for other objectives than throughput."),
    DSM__REAL(dsm__partition_document, of.whole_rho, "whole_rho",
              DSM__ABOVE | DSM__MORE | DSM__UNLESS_0, "1/s",
              "The most that requests reach of which each runs every task on one device; "
              "beside rho_is_bound, absent where that takes too long to say."),
    DSM__REAL(dsm__partition_document, of.simulated_rho, "simulated_rho",
              DSM__ABOVE | DSM__MORE | DSM__UNLESS_0, "1/s",
              "What a simulation by the rates reaches; beside rho_is_bound."),
    REAL(dsm__partition_document, of.latency_seconds, "latency_seconds",
         DSM__COLUMN | DSM__LESS | REQUIRED, "seconds",
         "Of one request; for other objectives than latency along the most used placement."),
    DSM__FIELD(REAL, dsm__partition_document, of.mean_latency_seconds, "mean_latency_seconds",
               DSM__COLUMN | DSM__LESS, .unit = "seconds",
               .stated_if = DSM__IF(dsm__partition_document, of.options.latency_limit_seconds),
               .help = "Of all requests, with what they wait for batches and without waiting for "
                       "devices; absent where any time is allowed."),
    DSM__FIELD(FLAG, dsm__partition_document, of.is_mean_bound, "mean_latency_is_bound", 0,
               .stated_if = DSM__IF(dsm__partition_document, of.options.latency_limit_seconds),
               .help = "No requests are known that take so little: the network is no chain, and "
                       "tasks are in several places."),
    DSM__FIELD(REAL, dsm__partition_document, of.waiting_seconds, "waiting_seconds",
               DSM__COLUMN | DSM__LESS | DSM__UNLESS_0 | READ, .unit = "seconds",
               .help = "Of latency_seconds, on average: until the batches of devices are full; "
                       "absent where none waits."),
    DSM__REAL(dsm__partition_document, of.joules_per_request, "joules_per_request",
              DSM__LESS | DSM__UNLESS_0 | READ, "joules",
              "Absent where not all devices that are used give their power."),
    REAL(dsm__partition_document, of.objective, "objective_value", DSM__FIGURE | REQUIRED, NULL,
         "Of what was asked for: requests per second, seconds or joules."),
    SIGNED(dsm__partition_document, of.bound, "bound", DSM__COLUMN | DSM__FIGURE | REQUIRED, NULL,
           "Proven: no solution is better."),
    SIGNED(dsm__partition_document, of.relaxation, "relaxation", DSM__ASIDE | REQUIRED, NULL,
           "Optimum of the linear relaxation; null where it was not solved."),
    REAL(dsm__partition_document, of.gap, "gap", DSM__COLUMN | DSM__LESS | DSM__ASIDE | REQUIRED,
         "ratio", "abs(bound - objective_value) / abs(objective_value)."),
    REAL(dsm__partition_document, of.solver_seconds, "solver_seconds", 0, "seconds",
         "By the clock; of an optimal answer the only number that differs from run to run."),
    DSM__FIELD(RECORD, dsm__partition_document, of.options, "options", REQUIRED,
               .expected = "what was asked for", .type = &dsm__partition_options_record,
               .help = "What was asked for."),
    LISTED(dsm__partition_document, devices.items, devices.count, "devices", DSM_DEVICES_MAX,
           dsm__device_record, "a list of devices", "In the order of the server."),
    LISTED(dsm__partition_document, tasks.items, tasks.count, "tasks", DSM_TASKS_MAX,
           dsm__task_record, "a list of tasks", "In order."),
    DSM__FIELD(LIST, dsm__partition_document, tensors.items, "tensors", READ,
               .max = DSM_TASKS_MAX * DSM_DEVICES_MAX,
               .count_offset = offsetof(dsm__partition_document, tensors.count),
               .type = &tensor_record,
               .stated_if = DSM__IF_IS(dsm__partition_document, of.options.copies_max, 1),
               .help = "What tasks make for others, by the task that makes it; absent where tasks "
                       "may be in several places."),
    DSM__ROWS(dsm__partition_document, baselines, "baselines", dsm__baseline_record,
              "Simple ways to use the same devices."),
    DSM__FIELD(LIST, dsm__partition_document, carriers.items, "carriers", 0,
               .count_offset = offsetof(dsm__partition_document, carriers.count),
               .type = &dsm__carrier_record,
               .stated_if = DSM__IF(dsm__partition_document, of.carrier_count),
               .help = "Ports, pairs and ways into devices; absent where there are none."),
    DSM__ROWS_IF_ANY(dsm__partition_document, ways, "ways", dsm__way_record,
                     "How often requests go which way through the devices; they reach whole_rho "
                     "where that is known. Absent where nothing moves, and on chains, where "
                     "rates say it."),
    DSM__ROWS_IF_ANY(dsm__partition_document, ports, "ports", dsm__port_record,
                     "What several devices share, inner ones first; absent where there are none."),
    DSM__ROWS_IF_ANY(dsm__partition_document, pairs, "pairs", dsm__pair_record,
                     "What two devices have for themselves; absent where there are none."),
    DSM__FIELD(RECORD, dsm__partition_document, simulation, "simulation", DSM__COLUMN,
               .type = &dsm__dispatch_record,
               .stated_if = DSM__IF(dsm__partition_document, is_simulated),
               .help = "A runtime at work on it: a dsm-dispatch/1; absent without --simulate."));
