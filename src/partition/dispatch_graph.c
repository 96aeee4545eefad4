/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dispatch_graph.c: lists that the engine asks again and again, made once.
 *
 * For each task its inputs, who follows it, and the devices that may get it, as ranges of one array
 * each. Entries are sorted by list and by number, so that equal ones are next to each other and
 * counted once: a task that reads a tensor twice waits for it once.
 */
#include "partition/dispatch_engine.h"

#include <math.h>
#include <stdlib.h>

#include "base/diag_add.h"
#include "base/order.h"

/* ---- lists ---- */

/* One number of a list. */
typedef struct entry {
  size_t list;
  size_t item;
} entry;

static int compare_entries(const void *left, const void *right) {
  const entry *const a = left;
  const entry *const b = right;
  return dsm__order_then(dsm__order_whole(a->list, b->list), dsm__order_whole(a->item, b->item));
}

/* Sorts entries into lists, equal ones once; false if out of memory. */
static bool lists_make(dsm__lists *lists, dsm__arena *arena, entry *entries, size_t count,
                       size_t list_count) {
  if (!DSM__RESERVE(arena, lists->first, list_count + 1) ||
      !DSM__RESERVE(arena, lists->items, count)) {
    return false;
  }
  if (count > 0) {
    qsort(entries, count, sizeof *entries, compare_entries);
  }
  size_t used = 0;
  size_t next = 0;
  for (size_t i = 0; i < list_count; i++) {
    lists->first[i] = used;
    for (; next < count && entries[next].list == i; next++) {
      if (used == lists->first[i] || lists->items[used - 1] != entries[next].item) {
        lists->items[used++] = entries[next].item;
      }
    }
  }
  lists->first[list_count] = used;
  return true;
}

/* ---- edges ---- */

static size_t count_edges(const dsm_instance *instance) {
  size_t count = 0;
  for (size_t t = 0; t < instance->tensor_count; t++) {
    count += instance->tensors[t].consumer_count;
  }
  return count;
}

/* Lists of a task, one entry for each consumer of each tensor. */
static bool make_edges(dsm__dispatch_graph *graph, dsm__arena *arena) {
  const dsm_instance *const instance = graph->instance;
  const size_t count = count_edges(instance);
  entry *const needs = dsm__arena_array(arena, count, sizeof *needs);
  entry *const follows = dsm__arena_array(arena, count, sizeof *follows);
  if (needs == NULL || follows == NULL) {
    return false;
  }
  size_t used = 0;
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance->tensors[t];
    for (size_t c = 0; c < tensor->consumer_count; c++) {
      needs[used] = (entry){.list = tensor->consumers[c], .item = t};
      follows[used] = (entry){.list = tensor->producer, .item = tensor->consumers[c]};
      used++;
    }
  }
  return lists_make(&graph->inputs, arena, needs, count, instance->task_count) &&
         lists_make(&graph->followers, arena, follows, count, instance->task_count);
}

static bool count_neighbours(dsm__dispatch_graph *graph, dsm__arena *arena) {
  const dsm_instance *const instance = graph->instance;
  if (!DSM__RESERVE(arena, graph->producer_counts, instance->task_count) ||
      !DSM__RESERVE(arena, graph->shared_numbers, instance->tensor_count)) {
    return false;
  }
  const dsm__lists *const followers = &graph->followers;
  for (size_t i = 0; i < instance->task_count; i++) {
    const bool is_last = followers->first[i] == followers->first[i + 1];
    graph->result_count += is_last || instance->tasks[i].result_bytes > 0 ? 1 : 0;
  }
  for (size_t f = 0; f < followers->first[instance->task_count]; f++) {
    graph->producer_counts[followers->items[f]]++;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    if (instance->tensors[t].consumer_count > 1) {
      graph->shared_numbers[t] = ++graph->shared_count;
    }
  }
  return true;
}

/* ---- candidates ---- */

static bool is_candidate(const dsm_partition *partition, dsm_dispatch_rule rule, size_t task,
                         size_t device) {
  const dsm_instance *const instance = partition->instance;
  const size_t at = task * instance->device_count + device;
  return rule == DSM_DISPATCH_RATES ? partition->rates != NULL && partition->rates[at] > 0
                                    : partition->is_stored[at] && isfinite(instance->seconds[at]);
}

static bool make_candidates(dsm__dispatch_graph *graph, dsm__arena *arena,
                            const dsm_partition *partition, dsm_dispatch_rule rule) {
  const dsm_instance *const instance = graph->instance;
  dsm__lists *const lists = &graph->candidates;
  if (!DSM__RESERVE(arena, lists->first, instance->task_count + 1) ||
      !DSM__RESERVE(arena, lists->items, instance->task_count * instance->device_count)) {
    return false;
  }
  size_t used = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    lists->first[i] = used;
    for (size_t j = 0; j < instance->device_count; j++) {
      if (is_candidate(partition, rule, i, j)) {
        lists->items[used++] = j;
      }
    }
  }
  lists->first[instance->task_count] = used;
  return true;
}

dsm_status dsm__dispatch_graph_make(dsm__dispatch_graph *graph, dsm__arena *arena,
                                    const dsm_partition *partition, dsm_dispatch_rule rule,
                                    dsm_diags *diags) {
  *graph = (dsm__dispatch_graph){.instance = partition->instance,
                                 .does_keep_results = partition->options.does_keep_results};
  if (!dsm__routes_make(&graph->routes, arena, partition->instance, &partition->options) ||
      !make_edges(graph, arena) || !count_neighbours(graph, arena) ||
      !make_candidates(graph, arena, partition, rule)) {
    return dsm__out_of_memory(diags);
  }
  const dsm__lists *const candidates = &graph->candidates;
  for (size_t i = 0; i < partition->instance->task_count; i++) {
    if (candidates->first[i] == candidates->first[i + 1]) {
      return dsm__refuse(diags, DSM_ERROR_INVALID,
                         rule == DSM_DISPATCH_RATES
                             ? "task \"%s\" runs on no device at a rate above 0"
                             : "task \"%s\" is stored on no device that can run it",
                         partition->instance->tasks[i].name);
    }
  }
  return DSM_OK;
}
