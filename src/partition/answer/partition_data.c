/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_data.c: partitions: the document (format "dsm-partition/1", and CSV), and a text. */
#include <math.h>

#include "partition/answer/partition_record.h"
#include "partition/answer/partition_rows.h"
#include "partition/batch_mean.h"
#include "partition/instance_facts.h"
#include "report/answer.h"
#include "report/data/csv.h"
#include "report/data/partition_links.h"
#include "report/table/number_style.h"

/* ---- what they hold ---- */

static bool has_one_place(const dsm_partition *partition) {
  return partition->options.copies_max == 1;
}

static unsigned binds_of(const dsm_device_use *use) {
  return (use->is_time_binding ? 1U << DSM__BIND_TIME : 0) |
         (use->is_memory_binding ? 1U << DSM__BIND_MEMORY : 0) |
         (use->is_link_binding ? 1U << DSM__BIND_LINK : 0);
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
  const bool is_simulated = answer->kind == &dsm_answer_dispatch;
  const dsm_dispatch *const simulation = is_simulated ? answer->of : NULL;
  const dsm_partition *const partition = is_simulated ? simulation->partition : answer->of;
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
  dsm__csv_column(csv, &dsm__task_record, "task");
  dsm__csv_columns(csv, &dsm__placement_record);
  dsm__csv_columns(csv, &dsm__task_record);
  for (size_t i = 0; i < DSM__COUNT_OF(use); i++) {
    dsm__csv_column(csv, &dsm__device_record, use[i]);
  }
  dsm__csv_column(csv, &dsm__partition_record, "simulation");
  dsm__csv_columns(csv, &simulated_record);
  dsm__csv_columns(csv, &dsm__device_record); /* what came later stands behind what was there */
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
    DSM__CSV_ROW(csv, {&dsm__partition_record, made}, {&dsm__task_record, task},
                 {&dsm__placement_record, &placements[i]}, {&dsm__device_record, &devices[j]},
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

DSM__READ_BY(dsm_partition, dsm_partition_free,
             dsm__json_doc_read(from, diags, dsm__partition_read,
                                made = DSM__ARENA_OWNER(dsm_partition)));

const dsm_answer_kind dsm_answer_partition = {
    .record = &dsm__partition_record,
    .fill = fill,
    .layout = &dsm__partition_layout,
    .views = {[DSM_FORM_CSV] = put_csv},
    .read = read,
    .discard = discard,
    .judged = {.paths = {"rho", "latency_seconds", "joules_per_request"}, .by = "objective"}};

const dsm_answer_kind dsm_answer_dispatch = {
    .record = &dsm__partition_record,
    .fill = fill,
    .layout = &dsm__partition_layout,
    .views = {[DSM_FORM_CSV] = put_csv, [DSM_FORM_TRACE] = dsm__put_dispatch_trace}};
