/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search/layer_table.h"

#include "base/parallel.h"
#include "plan/plan_internal.h"
#include "search/layer_search.h"

/* What the tasks share; each writes its own entry and uses its worker's totals. */
typedef struct job {
  dsm__layer_table *table;
  const dsm_workload *workload;
  const dsm_machine *machine;
  const dsm_explore_options *options;
  double *totals; /* splits.count numbers a worker */
} job;

static double update_cycles(const job *j, const dsm_layer *layer, dsm_parallelism parallelism) {
  const dsm_update_traffic traffic =
      dsm_update_traffic_derive(layer, j->machine, dsm_precision_of(j->workload), parallelism);
  return dsm_group_cycles(j->machine, &traffic.sum_of_gradients) +
         dsm_group_cycles(j->machine, &traffic.broadcast_weights) +
         dsm_group_cycles(j->machine, &traffic.weight_update);
}

static void fill_entry(const job *j, const dsm_layer *layer, dsm_parallelism parallelism,
                       double *totals, dsm__layer_entry *entry) {
  const dsm_precision precision = dsm_precision_of(j->workload);
  entry->is_allowed = true;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass pass = (dsm_pass)p;
    if (!dsm_pass_exists(layer, j->options->mode, pass)) {
      continue;
    }
    const dsm_pass_work work = dsm_pass_work_derive(layer, j->machine, precision, j->options->mode,
                                                    pass, parallelism, j->workload->minibatch);
    const dsm__best_split best = dsm__best_split_find(&work, &j->table->splits, totals);
    entry->splits[pass] = best.split;
    entry->cycles += best.cost.total * (double)dsm_invocation_count(layer, pass);
    entry->evaluations += best.evaluations;
    if (pass == DSM_PASS_UPDATE) {
      entry->cycles += update_cycles(j, layer, parallelism);
    }
  }
}

static void run_task(void *context, size_t task_index, size_t worker_index) {
  const job *const j = context;
  const size_t class_index = task_index / DSM_PARALLELISM_COUNT;
  const dsm_parallelism parallelism = (dsm_parallelism)(task_index % DSM_PARALLELISM_COUNT);
  const dsm_layer *const layer =
      &j->workload->layers[j->table->distinct.representative[class_index]];
  const dsm_parallelism_set allowed = dsm__allowed_parallelisms(layer, j->options);
  if ((allowed & DSM_PARALLELISM_BIT(parallelism)) != 0) {
    fill_entry(j, layer, parallelism, &j->totals[worker_index * j->table->splits.count],
               &j->table->entries[class_index][parallelism]);
  }
}

bool dsm__layer_table_fill(dsm__layer_table *table, const dsm_workload *workload,
                           const dsm_machine *machine, const dsm_explore_options *options,
                           dsm__arena *arena) {
  if (!dsm__distinct_find(&table->distinct, workload, arena) ||
      !dsm__core_splits_enumerate(&table->splits, machine->system->chip.cores, arena)) {
    return false;
  }
  size_t workers = options->thread_count == 0 ? 1 : options->thread_count;
  const size_t tasks = table->distinct.count * DSM_PARALLELISM_COUNT;
  workers = workers > DSM__PARALLEL_MAX_THREADS ? DSM__PARALLEL_MAX_THREADS : workers;
  workers = workers > tasks ? tasks : workers;
  table->entries = dsm__arena_array(arena, table->distinct.count, sizeof table->entries[0]);
  double *const totals = dsm__arena_array(arena, workers * table->splits.count, sizeof totals[0]);
  if (table->entries == NULL || totals == NULL) {
    return false;
  }
  job j = {table, workload, machine, options, totals};
  dsm__parallel_for(workers, tasks, run_task, &j);
  return true;
}
