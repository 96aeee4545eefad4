/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_data.c: partitions: the document (format "dsm-partition/1", and CSV), and a text. */
#include <math.h>

#include "partition/batch_mean.h"
#include "partition/instance_facts.h"
#include "report/answer.h"
#include "report/data/csv.h"
#include "report/data/partition_links.h"
#include "report/data/partition_record.h"
#include "report/data/partition_rows.h"
#include "report/table/number_style.h"
#include "report/table/partition_placement.h"

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
  DSM__FIELD(REAL, struct_type, member, key, DSM__COLUMN | REQUIRED, .unit = "ratio",              \
             .help = (about))

/* ---- the tables ---- */

/* What of a device can be used up. */
enum { BIND_TIME, BIND_MEMORY, BIND_LINK, BIND_COUNT };
static const dsm__word bind_words[] = {
    [BIND_TIME].key = "time", [BIND_MEMORY].key = "memory", [BIND_LINK].key = "link"};
static DSM__WORDS(binds, "what binds a device", bind_words, BIND_COUNT);

DSM__OWN_RECORD(
    device_record, dsm__device_row, false, "A device.",
    DSM__FIELD(TEXT, dsm__device_row, device.name, "name", DSM__COLUMN | REQUIRED,
               .max = DSM_NAME_BYTES_MAX, .expected = "the device's name", .column = "device",
               .help = "Its name."),
    DSM__FIELD(FLAG, dsm__device_row, device.is_accelerator, "accelerator", REQUIRED,
               .help = "Else a host."),
    DSM__FIELD(COUNT, dsm__device_row, batch, "batch", DSM__COLUMN | DSM__UNLESS_1 | READ,
               .fallback = 1, .column = "device_batch", .min = 1, .max = DSM_DEVICE_BATCH_MAX,
               .help = "Requests that it runs together; absent for one."),
    DSM__FIELD(FLAG, dsm__device_row, use.is_off, "off", DSM__UNLESS_0 | READ,
               .help = "It is turned off, as it runs nothing; absent: it is not."),
    DSM__REAL(dsm__device_row, device.element_bytes, "element_bytes", DSM__UNLESS_0 | READ, "bytes",
              "Of an element of what it makes; absent: as the sizes of tasks have it."),
    DSM__FIELD(REAL, dsm__device_row, device.weight_bytes, "weight_bytes", DSM__UNLESS_0 | READ,
               .unit = "bytes", .help = "Of a parameter that it stores; absent: likewise."),
    FRACTION(dsm__device_row, use.time_fraction, "time_fraction",
             "How much of the time it computes."),
    REAL(dsm__device_row, use.memory_bytes, "memory_bytes", REQUIRED, "bytes",
         "Of the parameters that are stored there."),
    REAL(dsm__device_row, device.memory_bytes, "memory_capacity_bytes", REQUIRED, "bytes",
         "null: unlimited."),
    FRACTION(dsm__device_row, use.memory_fraction, "memory_fraction",
             "0 where memory is unlimited."),
    DSM__FIELD(REAL, dsm__device_row, use.link_bytes_per_second, "link_bytes", 0, .unit = "bytes",
               .stated_if = DSM__IF(dsm__device_row, is_one_request),
               .help = "Of the objective latency: of the one request."),
    DSM__FIELD(REAL, dsm__device_row, use.link_bytes_per_second, "link_bytes_per_second", 0,
               .unit = "bytes/s", .stated_if = DSM__UNLESS(dsm__device_row, is_one_request),
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

DSM__OWN_RECORD(placement_record, dsm__placement_row, true, "A device that stores its parameters.",
                DSM__FIELD(TEXT, dsm__placement_row, device, "device", DSM__COLUMN | REQUIRED,
                           .max = DSM_NAME_BYTES_MAX, .expected = "the device that runs the task",
                           .help = "Its name."),
                REAL(dsm__placement_row, rate, "rate", DSM__COLUMN | REQUIRED, "1/s",
                     "How often it runs there, per second; of the objective latency 1 or 0."),
                REAL(dsm__placement_row, seconds, "seconds", DSM__COLUMN | REQUIRED, "seconds",
                     "Its processing time there, of a batch the part of one request; null: it "
                     "cannot run there."));

DSM__OWN_RECORD(
    task_record, dsm__task_row, false, "A task.",
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
           placement_record, "the device that runs the task",
           "The devices that store its parameters."));

DSM__OWN_RECORD(tensor_record, dsm__tensor_row, true, "What a task makes for others.",
                DSM__FIELD(TEXT, dsm__tensor_row, task, "task", REQUIRED, .max = DSM_NAME_BYTES_MAX,
                           .expected = "the task that makes it", .help = "That makes it."),
                DSM__REAL(dsm__tensor_row, bytes, "bytes", REQUIRED, "bytes", "Of a request."),
                DSM__FIELD(TEXT_LIST, dsm__tensor_row, users, "used_by", REQUIRED, .min = 1,
                           .max = DSM_NAME_BYTES_MAX, .expected = "the tasks that need it",
                           .count_offset = offsetof(dsm__tensor_row, user_count),
                           .help = "Tasks that need it."));

static bool has_one_place(const dsm_partition *partition) {
  return partition->options.copies_max == 1;
}

static bool is_graph(const void *partition) {
  const dsm_partition *const of = &((const dsm__partition_document *)partition)->of;
  return of->is_bound || of->simulated_rho > 0;
}

DSM__DOCUMENT(
    dsm__partition_record, dsm__partition_document, "dsm-partition/1",
    "Which device runs which task of an inference request, and how often, written by `dsm "
    "partition --format json`. A value that is infinite is null.",
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
    DSM__FIELD(WORD, dsm__partition_document, of.status, "status", DSM__COLUMN | REQUIRED,
               .words = &dsm__solution_status_words,
               .help = "optimal: within the gap that was asked for; limited: the time limit, an "
                       "interruption, or the accuracy of the solver came first."),
    DSM__FIELD(
        FLAG, dsm__partition_document, of.is_heuristic, "heuristic", REQUIRED,
        .help = "The answer is that of the starting heuristic: the solver found no better one."),
    REAL(dsm__partition_document, of.rho, "rho", DSM__COLUMN | DSM__MORE | REQUIRED, "1/s",
         "Requests per second."),
    REAL(dsm__partition_document, of.rho, "requests_per_second", DSM__MORE, "1/s",
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
    REAL(dsm__partition_document, of.objective, "objective_value", REQUIRED, NULL,
         "Of what was asked for: requests per second, seconds or joules."),
    SIGNED(dsm__partition_document, of.bound, "bound", DSM__COLUMN | REQUIRED, NULL,
           "Proven: no solution is better."),
    SIGNED(dsm__partition_document, of.relaxation, "relaxation", REQUIRED, NULL,
           "Optimum of the linear relaxation; null where it was not solved."),
    REAL(dsm__partition_document, of.gap, "gap", DSM__COLUMN | DSM__LESS | REQUIRED, "ratio",
         "abs(bound - objective_value) / abs(objective_value)."),
    REAL(dsm__partition_document, of.solver_seconds, "solver_seconds", 0, "seconds",
         "By the clock; of an optimal answer the only number that differs from run to run."),
    DSM__FIELD(RECORD, dsm__partition_document, of.options, "options", REQUIRED,
               .expected = "what was asked for", .type = &dsm__partition_options_record,
               .help = "What was asked for."),
    LISTED(dsm__partition_document, devices.items, devices.count, "devices", DSM_DEVICES_MAX,
           device_record, "a list of devices", "In the order of the server."),
    LISTED(dsm__partition_document, tasks.items, tasks.count, "tasks", DSM_TASKS_MAX, task_record,
           "a list of tasks", "In order."),
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

/* ---- what they hold ---- */

static unsigned binds_of(const dsm_device_use *use) {
  return (use->is_time_binding ? 1U << BIND_TIME : 0) |
         (use->is_memory_binding ? 1U << BIND_MEMORY : 0) |
         (use->is_link_binding ? 1U << BIND_LINK : 0);
}

static dsm__rows devices_of(dsm__page *page, const dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  const dsm__rows made = dsm__rows_make(page, instance->device_count, sizeof(dsm__device_row));
  dsm__device_row *const rows = made.items;
  for (size_t j = 0; j < made.count; j++) {
    rows[j] = (dsm__device_row){
        .device = instance->devices[j],
        .batch = instance->devices[j].batch,
        .use = partition->uses[j],
        .is_one_request = partition->options.objective == DSM_OBJECTIVE_LATENCY,
        .binds = binds_of(&partition->uses[j]),
    };
  }
  return made;
}

static dsm__rows placements_of(dsm__page *page, const dsm_partition *partition, size_t task) {
  const dsm_instance *const instance = partition->instance;
  dsm__rows made = dsm__rows_make(page, instance->device_count, sizeof(dsm__placement_row));
  dsm__placement_row *const rows = made.items;
  const size_t most = made.count;
  made.count = 0;
  for (size_t j = 0; j < most; j++) {
    const size_t at = task * instance->device_count + j;
    if (partition->is_stored[at]) {
      rows[made.count++] = (dsm__placement_row){j, instance->devices[j].name, partition->rates[at],
                                                instance->seconds[at]};
    }
  }
  return made;
}

static dsm__rows tasks_of(dsm__page *page, const dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  const dsm__rows made = dsm__rows_make(page, instance->task_count, sizeof(dsm__task_row));
  dsm__task_row *const rows = made.items;
  for (size_t i = 0; i < made.count; i++) {
    const dsm_task *const task = &instance->tasks[i];
    rows[i] = (dsm__task_row){
        .name = task->name,
        .group = task->group,
        .weights_bytes = task->weights_bytes,
        .activation_bytes = task->activation_bytes,
        .output_bytes = task->output_bytes,
        .result_bytes = has_one_place(partition) ? task->result_bytes : 0,
        .input_bytes = partition->options.does_count_input ? task->input_bytes : 0,
        .has_activations = has_one_place(partition) && partition->options.does_count_activations,
        .placements = placements_of(page, partition, i),
    };
  }
  return made;
}

static dsm__rows tensors_of(dsm__page *page, const dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  const size_t count = has_one_place(partition) ? instance->tensor_count : 0;
  const dsm__rows made = dsm__rows_make(page, count, sizeof(dsm__tensor_row));
  dsm__tensor_row *const rows = made.items;
  for (size_t t = 0; t < made.count; t++) {
    const dsm_tensor *const tensor = &instance->tensors[t];
    const dsm__rows users = dsm__rows_make(page, tensor->consumer_count, sizeof(const char *));
    const char **const names = users.items;
    for (size_t k = 0; k < users.count; k++) {
      names[k] = instance->tasks[tensor->consumers[k]].name;
    }
    rows[t] = (dsm__tensor_row){instance->tasks[tensor->producer].name, tensor->bytes, names,
                                users.count};
  }
  return made;
}

static const char *value_text(dsm__page *page, const dsm_partition *partition, double value) {
  if (!isfinite(value)) {
    return "unknown";
  }
  const dsm_objective_kind objective = partition->options.objective;
  return dsm__page_text(
      page, "%s %s",
      dsm__figure_digits(objective == DSM_OBJECTIVE_LATENCY ? 1e3 * value : value, 4).text,
      objective == DSM_OBJECTIVE_LATENCY  ? "ms"
      : objective == DSM_OBJECTIVE_ENERGY ? "J"
                                          : "requests/s");
}

/* Without seconds: the same input gives the same table. */
static const char *status_text(dsm__page *page, const dsm_partition *partition) {
  const char *found = "optimal within the gap";
  if (partition->status != DSM_SOLUTION_OPTIMAL) {
    found = partition->was_stopped ? "not proven: interrupted"
            : partition->solver_seconds < partition->options.time_limit_seconds
                ? "not proven: the solver's numbers are not exact enough for the gap"
                : "the time limit came before the proof";
    if (partition->statistics.column_count == 0) {
      found = "not proven: too large for the solver within the time limit";
    }
  }
  return partition->is_heuristic
             ? dsm__page_text(page, "%s; the answer is that of the heuristic at the start", found)
             : found;
}

static const char *off_text(dsm__page *page, const dsm_partition *partition) {
  const char *names = "";
  for (size_t j = 0; j < partition->instance->device_count; j++) {
    if (partition->uses[j].is_off) {
      names = dsm__page_join(page, names, ", ", "%s", partition->instance->devices[j].name);
    }
  }
  return names[0] == '\0' ? "none" : names;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_dispatch *const simulation = dsm__simulation_of(answer);
  const dsm_partition *const partition = dsm__partition_of(answer);
  const dsm_instance *const instance = partition->instance;
  const dsm__device_names names = dsm__instance_device_names(instance);
  dsm__partition_document *const made = to;
  *made = (dsm__partition_document){
      .instance = partition->instance->name,
      .batch = partition->instance->batch,
      .samples_per_second = (double)partition->instance->batch * partition->rho,
      .element_bytes = partition->instance->element_bytes,
      .weight_bytes = partition->instance->weight_bytes,
      .of = *partition,
      .devices = devices_of(page, partition),
      .tasks = tasks_of(page, partition),
      .tensors = tensors_of(page, partition),
      .baselines = dsm__partition_baseline_rows(page, partition),
      .carriers = dsm__partition_carriers(page, partition),
      .ports = dsm__rows_of(
          page, dsm__port_rows(page->arena, &names, instance->ports, instance->port_count),
          instance->port_count),
      .pairs = dsm__rows_of(
          page, dsm__pair_rows(page->arena, &names, instance->pairs, instance->pair_count),
          instance->pair_count),
      .ways = dsm__partition_ways(page, partition),
      .is_simulated = simulation != NULL,
      .has_batches = dsm__has_batches(instance),
      .bound_text = value_text(page, partition, partition->bound),
      .relaxation_text = value_text(page, partition, partition->relaxation),
      .solver = status_text(page, partition),
      .off = off_text(page, partition)};
  if (simulation != NULL) {
    made->is_above_bound = partition->options.objective == DSM_OBJECTIVE_THROUGHPUT &&
                           simulation->throughput > partition->bound;
    made->is_below_answer =
        simulation->p50_latency_seconds < partition->latency_seconds - partition->waiting_seconds;
    made->simulation = dsm__dispatch_row_of(page, simulation);
  }
}

dsm__rows dsm__partition_documents(dsm__page *page, const dsm_front *front) {
  const dsm__rows made = dsm__rows_make(page, front->point_count, sizeof(dsm__partition_document));
  dsm__partition_document *const rows = made.items;
  for (size_t k = 0; k < made.count; k++) {
    fill(page, &DSM_ANSWER(partition, front->points[k].partition), &rows[k]);
  }
  return made;
}

/* ---- CSV: a row a task and device that holds it ---- */

/* What the simulation says of a device stands beside what it says of all. */
typedef struct simulated {
  dsm__dispatch_device_row simulation;
} simulated;

DSM__OWN_RECORD(simulated_record, simulated, false, "A device in the simulation.",
                DSM__FIELD(RECORD, simulated, simulation, "simulation", DSM__COLUMN,
                           .type = &dsm__dispatch_device_record, .help = "A runtime at work."));

static void put_columns(dsm__csv *csv) {
  static const char *const answer[] = {"instance",        "objective", "status", "rho",
                                       "latency_seconds", "bound",     "gap"};
  static const char *const use[] = {"time_fraction", "memory_fraction", "link_fraction"};
  for (size_t i = 0; i < DSM__COUNT_OF(answer); i++) {
    dsm__csv_column(csv, &dsm__partition_record, answer[i]);
  }
  dsm__csv_column(csv, &task_record, "task");
  dsm__csv_columns(csv, &placement_record);
  dsm__csv_columns(csv, &task_record);
  for (size_t i = 0; i < DSM__COUNT_OF(use); i++) {
    dsm__csv_column(csv, &device_record, use[i]);
  }
  dsm__csv_column(csv, &dsm__partition_record, "simulation");
  dsm__csv_columns(csv, &simulated_record);
  dsm__csv_columns(csv, &device_record); /* what came later stands behind what was there */
  dsm__csv_columns(csv, &dsm__partition_record);
}

static void put_task(dsm__csv *csv, const dsm__partition_document *made,
                     const dsm__task_row *task) {
  const dsm__placement_row *const placements = task->placements.items;
  const dsm__device_row *const devices = made->devices.items;
  const dsm__dispatch_device_row *const simulation = made->simulation.devices.items;
  for (size_t i = 0; i < task->placements.count && devices != NULL; i++) {
    const size_t j = placements[i].device_index;
    simulated device = {.simulation.name = NULL};
    if (simulation != NULL) {
      device.simulation = simulation[j];
    }
    DSM__CSV_ROW(csv, {&dsm__partition_record, made}, {&task_record, task},
                 {&placement_record, &placements[i]}, {&device_record, &devices[j]},
                 {&simulated_record, simulation == NULL ? NULL : &device});
  }
}

static void put_csv(dsm__page *page, const dsm_answer *answer) {
  dsm__partition_document made;
  fill(page, answer, &made);
  const dsm__task_row *const tasks = made.tasks.items;
  dsm__csv csv = dsm__csv_begin(page);
  put_columns(&csv);
  for (size_t i = 0; i < made.tasks.count; i++) {
    put_task(&csv, &made, &tasks[i]);
  }
  dsm__csv_finish(&csv);
}

/* ---- for people ---- */

DSM__OWN_RECORD(shown_record, dsm__partition_document, false,
                "A partition with what is said of it to people.",
                {.kind = DSM__FIELD_PART, .type = &dsm__partition_record},
                DSM__SAID(FLAG, dsm__partition_document, has_batches),
                DSM__SAID(TEXT, dsm__partition_document, bound_text),
                DSM__SAID(TEXT, dsm__partition_document, relaxation_text),
                DSM__SAID(TEXT, dsm__partition_document, solver),
                DSM__SAID(TEXT, dsm__partition_document, off));

static const dsm__fact facts[] = {
    DSM__FACT("throughput", "{rho:4} requests/s{rho_is_bound?, a bound, as the network is not a "
                            "chain|}"),
    DSM__FACT_IF("samples", "{samples_per_second:4} samples/s, {batch} a request",
                 DSM__IF_ABOVE(dsm__partition_document, batch, 1)),
    DSM__FACT_IF("whole", "at most {whole_rho:4} requests/s if each request runs as a whole",
                 DSM__IF(dsm__partition_document, of.whole_rho)),
    DSM__FACT_IF("simulated", "{simulated_rho:4} requests/s",
                 DSM__IF(dsm__partition_document, of.simulated_rho)),
    DSM__FACT("latency", "{latency_seconds:m4} ms{waiting_seconds?, of it {waiting_seconds:m4} ms "
                         "until batches are full, on average|}"),
    DSM__FACT_IF("mean",
                 "{mean_latency_seconds:m4} ms a request, {mean_latency_is_bound?a bound, as "
                 "the network is not a chain;  |}at most "
                 "{options.latency_limit_seconds:m4} ms allowed",
                 DSM__IF(dsm__partition_document, of.options.latency_limit_seconds)),
    DSM__FACT_IF("energy", "{joules_per_request:4} J a request",
                 DSM__IF(dsm__partition_document, of.joules_per_request)),
    DSM__FACT("bound", "{bound_text}, gap {gap:%3 %|unknown}; linear relaxation {relaxation_text}"),
    DSM__FACT("solver", "{solver}"),
    DSM__FACT_IF("copies",
                 "at most {options.copies} of each task{options.stages?, each device a "
                 "stage|}",
                 DSM__IF(dsm__partition_document, of.options.copies_max)),
    DSM__FACT_IF("cuts", "at most {options.cuts}",
                 DSM__IF(dsm__partition_document, of.options.cuts_max)),
    DSM__FACT_IF("off", "{off}", DSM__IF(dsm__partition_document, of.options.is_unused_off)),
    {.label = "precision",
     .each = "devices",
     .text = "{name}: bytes an element {element_bytes:~4}, a parameter {weight_bytes:~4}",
     .when = {DSM__IF(dsm__device_row, device.element_bytes)}},
    {.label = "precision",
     .each = "devices",
     .text = "{name}: bytes a parameter {weight_bytes:~4}",
     .when = {DSM__UNLESS(dsm__device_row, device.element_bytes),
              DSM__IF(dsm__device_row, device.weight_bytes)}},
};

static dsm__text_style use_style(const void *of, const void *row) {
  (void)of;
  return dsm__style_of_utilization(((const dsm__device_row *)row)->use.time_fraction);
}

static const dsm__table_column device_columns[] = {
    {.title = "device", .value = "{name}", .is_name = true},
    DSM__COLUMN_OF("batch", "{has_batches?{batch|1}|}", .is_right = true, .is_optional = true),
    DSM__COLUMN_OF("time %", "{time_fraction:%}", .is_right = true, .style = use_style),
    DSM__COLUMN_OF("memory", "{memory_bytes}", .is_right = true, .rank = 2),
    DSM__NUMBERS("memory %", "{memory_fraction:%}"),
    DSM__COLUMN_OF("link", "{link_bytes}{link_bytes_per_second}", .is_right = true, .rank = 1),
    DSM__NUMBERS("link %", "{link_fraction:%}"),
    DSM__COLUMN_OF("binds", "{binds:,}", .rank = 0),
};
static const dsm__row_table devices = {.list = "devices", DSM__COLUMNS(device_columns)};

static const char *carrier_name(dsm__page *page, const void *of, const void *row) {
  const dsm_instance *const instance = ((const dsm__partition_document *)of)->of.instance;
  const dsm_carrier_use *const use = row; /* a row begins with it */
  switch (use->kind) {
  case DSM_CARRIER_LINK:
    return instance->devices[use->index].name;
  case DSM_CARRIER_INCOMING:
    return dsm__page_text(page, "into %s", instance->devices[use->index].name);
  case DSM_CARRIER_PORT_OUT:
    return dsm__page_text(page, "%s out", instance->ports[use->index].name);
  case DSM_CARRIER_PORT_IN:
    return dsm__page_text(page, "%s in", instance->ports[use->index].name);
  case DSM_CARRIER_PAIR:
    return dsm__page_text(page, "%s to %s", instance->devices[use->index].name,
                          instance->devices[use->target].name);
  case DSM_CARRIER_KIND_COUNT:
    break;
  }
  return "";
}

static const dsm__table_column carrier_columns[] = {
    {.title = "carrier", .make = carrier_name, .is_name = true},
    DSM__COLUMN_OF("bandwidth", "{capacity_bytes_per_second|unlimited}", .is_right = true,
                   .rank = 1),
    DSM__COLUMN_OF("carries", "{bytes}{bytes_per_second}", .is_right = true, .rank = 2),
    DSM__NUMBERS("time %", "{time_fraction:%}"),
    DSM__COLUMN_OF("binds", "{binds?yes|}", .rank = 0),
};
static const dsm__row_table carriers = {.list = "carriers", DSM__COLUMNS(carrier_columns)};

static const char *baseline_name(dsm__page *page, const void *of, const void *row) {
  static const char *const names[DSM_BASELINE_KIND_COUNT] = {
      "all of it on each accelerator", "all of it on each device", "all of it on the best device"};
  (void)page;
  (void)of;
  return names[((const dsm__baseline_row *)row)->of.kind];
}

static const dsm__table_column baseline_columns[] = {
    {.title = "without partitioning", .make = baseline_name},
    DSM__COLUMN_OF("devices", "{devices}", .is_right = true, .rank = 2),
    DSM__NUMBERS("requests/s", "{rho:4|impossible}"),
    DSM__COLUMN_OF("latency ms", "{latency_seconds:m4|-}", .is_right = true, .rank = 1),
    DSM__NUMBERS("gain", "{gain:3 x|-}"),
};

static dsm__text_style baseline_style(const void *of, const void *row) {
  const dsm__baseline_row *const baseline = row;
  (void)of;
  return !baseline->of.is_feasible ? DSM__STYLE_FAINT
         : baseline->gain > 1      ? DSM__STYLE_GOOD
                                   : DSM__STYLE_PLAIN;
}
static const dsm__row_table baselines = {
    .list = "baselines", DSM__COLUMNS(baseline_columns), .style = baseline_style};

#define SIMULATED DSM__IF(dsm__partition_document, is_simulated)

static const dsm__fact simulated_facts[] = {
    DSM__FACT("throughput", "{simulation.throughput:4} requests/s in the steady half"),
    DSM__FACT("latency", "mean {simulation.latency.mean_seconds:m4} ms, p50 "
                         "{simulation.latency.p50_seconds:m4} ms, p95 "
                         "{simulation.latency.p95_seconds:m4} ms, p99 "
                         "{simulation.latency.p99_seconds:m4} ms"),
    DSM__FACT_IF("waiting",
                 "mean {simulation.waiting_seconds:m4} ms until batches were full; "
                 "{simulation.partial_batches} batch{simulation.partial_batches;es} "
                 "began before",
                 DSM__IF(dsm__partition_document, simulation.of.mean_waiting_seconds)),
    /* What looks as if it were better than can be. */
    DSM__FACT_IF("",
                 "the throughput is above the bound because it counts requests that were under "
                 "way when the half began; of those that entered in it there are "
                 "{simulation.throughput_within:4} requests/s",
                 DSM__IF(dsm__partition_document, is_above_bound)),
    DSM__FACT_IF("",
                 "latencies are below that of the answer, where tasks run one after another: "
                 "here branches run at the same time on several devices",
                 DSM__IF(dsm__partition_document, is_below_answer)),
};

static dsm__text_style simulated_style(const void *of, const void *row) {
  (void)of;
  return dsm__style_of_utilization(((const dsm__dispatch_device_row *)row)->of.time_fraction);
}

static const dsm__table_column simulated_columns[] = {
    {.title = "device", .value = "{name}", .is_name = true},
    DSM__COLUMN_OF("time %", "{time_fraction:%}", .is_right = true, .style = simulated_style),
    DSM__NUMBERS("link %", "{link_fraction:%}"),
    DSM__NUMBERS("mean queue", "{mean_queue:.2}"),
    DSM__NUMBERS("most", "{most_queued}"),
};
static const dsm__row_table simulated_devices = {.list = "simulation.devices",
                                                 DSM__COLUMNS(simulated_columns)};

static void fill_placement(dsm__table *table, const void *of) {
  dsm__put_placement(table, &((const dsm__partition_document *)of)->of);
}
static const dsm__row_table placement = {.columns = dsm__placement_columns,
                                         .column_count = DSM__PLACEMENT_COLUMNS,
                                         .fill = fill_placement};

static const dsm__section sections[] = {
    {.id = "summary", .title = "Summary", DSM__FACTS(facts), .label_width = 14},
    {.id = "placement",
     .title = "Placement",
     .heading = "Placement, with shares of the requests",
     .table = &placement},
    {.id = "devices",
     .title = "Devices",
     .heading = "Devices, and what limits them",
     .table = &devices},
    {.id = "carriers",
     .title = "Links",
     .heading = "Ports, pairs and links into devices",
     .when = {DSM__IF(dsm__partition_document, of.carrier_count)},
     .table = &carriers},
    {.id = "baselines", .title = "Without partitioning", .table = &baselines},
    {.id = "simulation",
     .title = "Simulation",
     .heading = "Simulation of {simulation.requests} request{simulation.requests;s}"
                "{simulation.window?, {simulation.window} at a time| that arrive at "
                "{simulation.rate:~4} a second, seed {simulation.seed:=}}, dispatch "
                "{simulation.rule}",
     .when = {SIMULATED}},
    {DSM__FACTS(simulated_facts), .when = {SIMULATED}, .label_width = 14},
    {.when = {SIMULATED}, .table = &simulated_devices},
};

static const dsm__layout layout = {
    .type = &shown_record,
    .heading = "{instance}: best {objective} on {devices} device{devices;s}",
    DSM__SECTIONS(sections)};

DSM__READ_BY(dsm_partition, dsm_partition_free,
             dsm__json_doc_read(from, diags, dsm__partition_read,
                                made = DSM__ARENA_OWNER(dsm_partition)));

const dsm_answer_kind dsm_answer_partition = {.record = &dsm__partition_record,
                                              .fill = fill,
                                              .layout = &layout,
                                              .views = {[DSM_FORM_CSV] = put_csv},
                                              .read = read,
                                              .discard = discard};

const dsm_answer_kind dsm_answer_dispatch = {
    .record = &dsm__partition_record,
    .fill = fill,
    .layout = &layout,
    .views = {[DSM_FORM_CSV] = put_csv, [DSM_FORM_TRACE] = dsm__put_dispatch_trace}};
