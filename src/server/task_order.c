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

/* Visits a task after all that it needs; a task on the walk's own path, or SIZE_MAX. */
static size_t visit(walk *w, size_t task, size_t *order, size_t *count) {
  if (w->is_entered[task]) {
    return SIZE_MAX;
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
      return need;
    }
  }
  return SIZE_MAX;
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

bool dsm__task_order(size_t *order, size_t *cyclic, size_t task_count, const dsm__use *uses,
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
  *cyclic = SIZE_MAX;
  for (size_t i = 0; i < task_count && *cyclic == SIZE_MAX; i++) {
    *cyclic = visit(&w, i, order, &count);
  }
  return true;
}

bool dsm__instance_arrange(dsm_instance *instance, dsm__use *uses, size_t use_count,
                           size_t *cyclic) {
  const size_t count = instance->task_count;
  const size_t devices = instance->device_count;
  size_t *const order = dsm__arena_array(instance->arena, count, sizeof *order);
  size_t *const rank = dsm__arena_array(instance->arena, count, sizeof *rank);
  double *seconds = NULL;
  dsm_task *const tasks = dsm__instance_tasks(instance, count, &seconds);
  *cyclic = SIZE_MAX;
  if (order == NULL || rank == NULL || tasks == NULL ||
      !dsm__task_order(order, cyclic, count, uses, use_count, instance->arena)) {
    return false;
  }
  if (*cyclic != SIZE_MAX) {
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
  instance->tasks = tasks;
  instance->seconds = seconds;
  return dsm__instance_set_tensors(instance, uses, use_count);
}
