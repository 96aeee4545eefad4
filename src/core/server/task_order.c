/* SPDX-License-Identifier: GPL-3.0-or-later */
/* task_order.c: an order in which tasks can run. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/instance_internal.h"

/* A walk from tasks to those that they need. */
typedef struct walk {
  const size_t *starts;    /* of each task, and one more: where its needs begin */
  const size_t *producers; /* needs of all tasks */
  size_t *next;            /* of each task: its first need that is not visited */
  size_t *path;            /* from the task where the walk began to where it is */
  size_t depth;
  bool *is_entered;
  bool *is_done;
} walk;

/* The end of the walk's path, from a task on it. */
static dsm__circle end_of_path(const walk *w, size_t task) {
  size_t first = w->depth - 1;
  while (w->path[first] != task) {
    first--;
  }
  return (dsm__circle){&w->path[first], w->depth - first};
}

/* Visits a task after all that it needs; a circle on the walk's own path, or none. */
static dsm__circle visit(walk *w, size_t task, size_t *order, size_t *count) {
  const dsm__circle none = {NULL, 0};
  if (w->is_entered[task]) {
    return none;
  }
  w->path[0] = task;
  w->depth = 1;
  w->is_entered[task] = true;
  while (w->depth > 0) {
    const size_t at = w->path[w->depth - 1];
    if (w->next[at] == w->starts[at + 1]) {
      w->is_done[at] = true;
      order[(*count)++] = at;
      w->depth--;
      continue;
    }
    const size_t need = w->producers[w->next[at]++];
    if (!w->is_entered[need]) {
      w->is_entered[need] = true;
      w->path[w->depth++] = need;
    } else if (!w->is_done[need]) {
      return end_of_path(w, need);
    }
  }
  return none;
}

/* The needs of each task, smallest first where the uses are so sorted. */
static void gather(size_t *starts, size_t *producers, size_t task_count, const dsm__use *uses,
                   size_t use_count) {
  for (size_t u = 0; u < use_count; u++) {
    starts[uses[u].consumer + 1]++;
  }
  for (size_t i = 0; i < task_count; i++) {
    starts[i + 1] += starts[i];
  }
  /* Fills from the front, then moves the starts back. */
  for (size_t u = 0; u < use_count; u++) {
    producers[starts[uses[u].consumer]++] = uses[u].producer;
  }
  for (size_t i = task_count; i > 0; i--) {
    starts[i] = starts[i - 1];
  }
  starts[0] = 0;
}

/* An order in which tasks can run: as they stand, but those that a task needs before it; or why
 * there is none. False if out of memory. */
static bool order_tasks(size_t *order, dsm__circle *circle, size_t task_count, const dsm__use *uses,
                        size_t use_count, dsm__arena *arena) {
  size_t *const starts = dsm__arena_array(arena, task_count + 1, sizeof *starts);
  size_t *const producers = dsm__arena_array(arena, use_count, sizeof *producers);
  walk w = {
      .starts = starts,
      .producers = producers,
      .next = dsm__arena_array(arena, task_count, sizeof *w.next),
      .path = dsm__arena_array(arena, task_count, sizeof *w.path),
      .is_entered = dsm__arena_array(arena, task_count, sizeof *w.is_entered),
      .is_done = dsm__arena_array(arena, task_count, sizeof *w.is_done),
  };
  if (starts == NULL || producers == NULL || w.next == NULL || w.path == NULL ||
      w.is_entered == NULL || w.is_done == NULL) {
    return false;
  }
  gather(starts, producers, task_count, uses, use_count);
  memcpy(w.next, starts, task_count * sizeof starts[0]);
  size_t count = 0;
  *circle = (dsm__circle){NULL, 0};
  for (size_t i = 0; i < task_count && circle->count == 0; i++) {
    *circle = visit(&w, i, order, &count);
  }
  return true;
}

const char *dsm__circle_text(const dsm__circle *circle, const dsm_task *tasks, dsm__arena *arena) {
  enum { NAMED_MAX = 3 }; /* a message has room for no more long names */
  const size_t named = circle->count < NAMED_MAX ? circle->count : NAMED_MAX;
  const char *text = dsm__arena_printf(arena, "\"%s\" needs", tasks[circle->tasks[0]].name);
  for (size_t i = 1; text != NULL && i < named; i++) {
    text = dsm__arena_printf(arena, "%s \"%s\", which needs", text, tasks[circle->tasks[i]].name);
  }
  if (text != NULL && named < circle->count) {
    const size_t others = circle->count - named;
    text = dsm__arena_printf(arena, "%s, through %zu more task%s,", text, others,
                             others == 1 ? "" : "s");
  }
  return text == NULL ? NULL
                      : dsm__arena_printf(arena, "%s \"%s\"", text, tasks[circle->tasks[0]].name);
}

static bool arrange_tables(dsm_instance *instance, const size_t *order) {
  const size_t devices = instance->device_count;
  dsm_batch_table *tables = NULL;
  if (!DSM__RESERVE(instance->arena, tables, instance->task_count * devices)) {
    return false;
  }
  for (size_t k = 0; k < instance->task_count * devices; k++) {
    tables[k] = instance->tables[order[k / devices] * devices + k % devices];
  }
  instance->tables = tables;
  return true;
}

bool dsm__instance_arrange(dsm_instance *instance, dsm__use *uses, size_t use_count,
                           dsm__circle *circle) {
  const size_t count = instance->task_count;
  const size_t devices = instance->device_count;
  size_t *const order = dsm__arena_array(instance->arena, count, sizeof *order);
  size_t *const rank = dsm__arena_array(instance->arena, count, sizeof *rank);
  double *seconds = NULL;
  dsm_task *const tasks = dsm__instance_tasks(instance, count, &seconds);
  *circle = (dsm__circle){NULL, 0};
  if (order == NULL || rank == NULL || tasks == NULL ||
      !order_tasks(order, circle, count, uses, use_count, instance->arena)) {
    return false;
  }
  if (circle->count > 0) {
    return true;
  }
  for (size_t i = 0; i < count; i++) {
    rank[order[i]] = i;
    tasks[i] = instance->tasks[order[i]];
    memcpy(&seconds[i * devices], &instance->seconds[order[i] * devices],
           devices * sizeof seconds[0]);
  }
  for (size_t u = 0; u < use_count; u++) {
    uses[u].producer = rank[uses[u].producer];
    uses[u].consumer = rank[uses[u].consumer];
  }
  if (instance->tables != NULL && !arrange_tables(instance, order)) {
    return false;
  }
  instance->tasks = tasks;
  instance->seconds = seconds;
  return dsm__instance_set_tensors(instance, uses, use_count);
}
