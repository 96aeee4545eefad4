/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instance_join.c: consecutive tasks as one. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "server/instance_internal.h"

/* Cuts numbers into parts that each take as much as a limit to their sums lets them; returns how
 * many they are. `starts` may be NULL. */
static size_t fill_parts(size_t *starts, double limit, const double *work, size_t count) {
  size_t parts = 0;
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += work[i];
    if (i == 0 || sum > limit) {
      if (starts != NULL) {
        starts[parts] = i;
      }
      parts++;
      sum = work[i];
    }
  }
  return parts;
}

/* The least limit with which `most` parts suffice: halves the doubles between two bounds. */
static double least_limit(const double *work, size_t count, size_t most) {
  double low = 0;
  double high = 0;
  for (size_t i = 0; i < count; i++) {
    low = fmax(low, work[i]);
    high += work[i];
  }
  if (fill_parts(NULL, low, work, count) <= most) {
    return low;
  }
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) {
      return high;
    }
    if (fill_parts(NULL, middle, work, count) <= most) {
      high = middle;
    } else {
      low = middle;
    }
  }
}

static double work_between(const double *work, size_t first, size_t end) {
  double sum = 0;
  for (size_t i = first; i < end; i++) {
    sum += work[i];
  }
  return sum;
}

/* Where to cut a part so that the larger half is least; of equal cuts the first. */
static size_t best_cut(const double *work, size_t first, size_t end) {
  const double all = work_between(work, first, end);
  double least = HUGE_VAL;
  double before = 0;
  size_t best = first + 1;
  for (size_t i = first + 1; i < end; i++) {
    before += work[i - 1];
    const double larger = fmax(before, all - before);
    if (larger < least) {
      least = larger;
      best = i;
    }
  }
  return best;
}

/* Cuts the part with most work, of those with several numbers; of equal ones the first. */
static void cut_one(size_t *starts, size_t parts, const double *work, size_t count) {
  double most = -1;
  size_t cut = 0;
  for (size_t p = 0; p < parts; p++) {
    const size_t end = p + 1 < parts ? starts[p + 1] : count;
    const double sum = work_between(work, starts[p], end);
    if (end - starts[p] > 1 && sum > most) {
      most = sum;
      cut = p;
    }
  }
  const size_t at = best_cut(work, starts[cut], cut + 1 < parts ? starts[cut + 1] : count);
  for (size_t p = parts; p > cut + 1; p--) {
    starts[p] = starts[p - 1];
  }
  starts[cut + 1] = at;
}

/* Cuts a run of numbers into `most` parts, or one each where there are fewer, so that the largest
 * sum of a part is least: as few parts as that takes, each as full as can be from the front, of
 * which then the largest are cut at their middle. starts[p] is the first number of part p. Returns
 * the number of parts. */
static size_t balance(size_t *starts, const double *work, size_t count, size_t most) {
  size_t parts = fill_parts(starts, least_limit(work, count, most), work, count);
  for (; parts < most && parts < count; parts++) {
    cut_one(starts, parts, work, count);
  }
  return parts;
}

/* Tasks and the parts that they are joined into. */
typedef struct joining {
  const dsm_instance *from;
  const size_t *starts; /* of each part, and one more */
  size_t part_count;
  size_t *part_of;   /* of each task */
  size_t *last_user; /* of each task: the last that uses what it makes; itself: none does */
  double *live;      /* of each task: bytes that it does not use, but that its part needs later */
} joining;

/* A tensor lives in a part over tasks `first` to before `end`; who uses it counts it himself. */
static void add_life(joining *j, size_t first, size_t end, double bytes) {
  j->live[first] += bytes;
  j->live[end] -= bytes;
}

/* The life of a tensor in the part that makes it, or in one that uses it. The consumers from
 * number `first` on that are in that part are passed over; returns the next. */
static size_t add_lives_in(joining *j, const dsm_tensor *tensor, size_t first, size_t part,
                           bool is_maker) {
  size_t next = first;
  size_t from = is_maker ? tensor->producer + 1 : j->starts[part];
  for (; next < tensor->consumer_count && j->part_of[tensor->consumers[next]] == part; next++) {
    const size_t user = tensor->consumers[next];
    add_life(j, from, user, tensor->bytes);
    from = user + 1;
  }
  if (is_maker && next < tensor->consumer_count) {
    add_life(j, from, j->starts[part + 1], tensor->bytes);
  }
  return next;
}

static void find_live(joining *j) {
  for (size_t t = 0; t < j->from->tensor_count; t++) {
    const dsm_tensor *const tensor = &j->from->tensors[t];
    size_t next = add_lives_in(j, tensor, 0, j->part_of[tensor->producer], true);
    while (next < tensor->consumer_count) {
      next = add_lives_in(j, tensor, next, j->part_of[tensor->consumers[next]], false);
    }
  }
  for (size_t i = 1; i < j->from->task_count; i++) {
    j->live[i] += j->live[i - 1];
  }
}

/* What none of all tasks uses leaves the server wherever its part runs, also if other outputs of
 * the part are used (docs/partition.md, large networks). */
static bool join_task(const joining *j, size_t part, dsm__arena *arena, dsm_task *task) {
  const size_t first = j->starts[part];
  const size_t last = j->starts[part + 1] - 1;
  const dsm_task *const tasks = j->from->tasks;
  double results = 0;
  bool is_used = false;
  *task = (dsm_task){.name = tasks[first].name};
  for (size_t i = first; i <= last; i++) {
    task->weights_bytes += tasks[i].weights_bytes;
    task->input_bytes += tasks[i].input_bytes;
    task->activation_bytes = fmax(task->activation_bytes, tasks[i].activation_bytes + j->live[i]);
    results += j->last_user[i] == i ? tasks[i].output_bytes : tasks[i].result_bytes;
    is_used = is_used || j->last_user[i] > last;
  }
  task->output_bytes = is_used || !(results > 0) ? tasks[last].output_bytes : results;
  task->result_bytes = is_used ? results : 0;
  if (first < last) {
    task->name = dsm__arena_printf(arena, "%s..%s", tasks[first].name, tasks[last].name);
  }
  return task->name != NULL;
}

static void join_times(const joining *j, size_t part, double *seconds) {
  const size_t devices = j->from->device_count;
  for (size_t i = j->starts[part]; i < j->starts[part + 1]; i++) {
    for (size_t d = 0; d < devices; d++) {
      seconds[part * devices + d] += dsm_instance_seconds(j->from, i, d);
    }
  }
}

static bool join_tables(const joining *j, dsm_instance *instance) {
  const size_t devices = j->from->device_count;
  dsm_batch_table *tables = NULL;
  if (j->from->tables == NULL) {
    return true;
  }
  if (!DSM__RESERVE(instance->arena, tables, j->part_count * devices)) {
    return false;
  }
  for (size_t p = 0; p < j->part_count; p++) {
    for (size_t d = 0; d < devices; d++) {
      const dsm__batch_cells cells = {d, j->starts[p], j->starts[p + 1]};
      if (!dsm__join_tables(&tables[p * devices + d], instance->arena, j->from, &cells)) {
        return false;
      }
    }
  }
  instance->tables = tables;
  return true;
}

static bool join_tensors(const joining *j, dsm_instance *instance) {
  size_t use_count = 0;
  for (size_t t = 0; t < j->from->tensor_count; t++) {
    use_count += j->from->tensors[t].consumer_count;
  }
  dsm__use *const uses = dsm__arena_array(instance->arena, use_count, sizeof *uses);
  if (uses == NULL) {
    return false;
  }
  use_count = 0;
  for (size_t t = 0; t < j->from->tensor_count; t++) {
    const dsm_tensor *const tensor = &j->from->tensors[t];
    for (size_t c = 0; c < tensor->consumer_count; c++) {
      uses[use_count++] = (dsm__use){j->part_of[tensor->producer], t,
                                     j->part_of[tensor->consumers[c]], tensor->bytes};
    }
  }
  return dsm__instance_set_tensors(instance, uses, use_count);
}

/* Of the tasks of a part, and of their groups, one group is made. */
static bool join_groups(const joining *j, dsm__arena *arena, dsm_task *parts) {
  const size_t count = j->from->task_count;
  const char **const groups = dsm__arena_array(arena, count, sizeof *groups);
  for (size_t i = 0; groups != NULL && i < count; i++) {
    groups[i] = j->from->tasks[i].group;
  }
  for (size_t p = 0; groups != NULL && p < j->part_count; p++) {
    const char *first = NULL;
    for (size_t i = j->starts[p]; i < j->starts[p + 1]; i++) {
      const char *const other = groups[i];
      first = first == NULL ? other : first;
      for (size_t k = 0; other != NULL && strcmp(other, first) != 0 && k < count; k++) {
        groups[k] = groups[k] != NULL && strcmp(groups[k], other) == 0 ? first : groups[k];
      }
    }
  }
  for (size_t i = 0; groups != NULL && i < count; i++) {
    dsm_task *const part = &parts[j->part_of[i]];
    part->group = groups[i] != NULL ? groups[i] : part->group;
  }
  return groups != NULL;
}

static bool join_parts(joining *j, dsm_instance *instance) {
  dsm__arena *const arena = instance->arena;
  const dsm_instance *const from = j->from;
  double *seconds = NULL;
  dsm_task *const tasks = dsm__instance_tasks(instance, j->part_count, &seconds);
  j->live = dsm__arena_array(arena, from->task_count + 1, sizeof *j->live);
  j->last_user = dsm__arena_array(arena, from->task_count, sizeof *j->last_user);
  if (j->last_user == NULL || tasks == NULL || j->live == NULL) {
    return false;
  }
  for (size_t i = 0; i < from->task_count; i++) {
    j->last_user[i] = i;
  }
  for (size_t t = 0; t < from->tensor_count; t++) {
    const dsm_tensor *const tensor = &from->tensors[t];
    const size_t last = tensor->consumers[tensor->consumer_count - 1];
    if (last > j->last_user[tensor->producer]) {
      j->last_user[tensor->producer] = last;
    }
  }
  find_live(j);
  for (size_t p = 0; p < j->part_count; p++) {
    if (!join_task(j, p, arena, &tasks[p])) {
      return false;
    }
    join_times(j, p, seconds);
  }
  if (!join_groups(j, arena, tasks) || !join_tables(j, instance)) {
    return false;
  }
  instance->tasks = tasks;
  instance->task_count = j->part_count;
  instance->seconds = seconds;
  return join_tensors(j, instance);
}

/* The least time of each task over the devices; of one that can run nowhere nothing. */
static const double *least_times(const dsm_instance *instance) {
  double *const work = dsm__arena_array(instance->arena, instance->task_count, sizeof *work);
  for (size_t i = 0; work != NULL && i < instance->task_count; i++) {
    double least = HUGE_VAL;
    for (size_t d = 0; d < instance->device_count; d++) {
      least = fmin(least, dsm_instance_seconds(instance, i, d));
    }
    work[i] = isfinite(least) ? least : 0;
  }
  return work;
}

/* What a device takes for any task it takes once for a batch. */
static bool add_to_tables(dsm_instance *instance, const double *per_task_seconds) {
  const size_t count = instance->task_count * instance->device_count;
  dsm_batch_table *tables = NULL;
  bool is_done = DSM__RESERVE(instance->arena, tables, count);
  for (size_t i = 0; i < count && is_done; i++) {
    dsm_batch_time *times = NULL;
    tables[i].count = instance->tables[i].count;
    is_done = DSM__RESERVE(instance->arena, times, tables[i].count);
    for (size_t k = 0; k < tables[i].count && is_done; k++) {
      times[k] = instance->tables[i].times[k];
      times[k].seconds += per_task_seconds[i % instance->device_count];
    }
    tables[i].times = times;
  }
  instance->tables = tables;
  return is_done;
}

static bool add_per_task(dsm_instance *instance, const double *per_task_seconds) {
  double *seconds = NULL;
  if (dsm__instance_tasks(instance, instance->task_count, &seconds) == NULL) {
    return false;
  }
  for (size_t i = 0; i < instance->task_count * instance->device_count; i++) {
    const size_t device = i % instance->device_count;
    seconds[i] =
        instance->seconds[i] + per_task_seconds[device] / dsm_instance_batch(instance, device);
  }
  instance->seconds = seconds;
  return instance->tables == NULL || add_to_tables(instance, per_task_seconds);
}

bool dsm__instance_join_at(dsm_instance *instance, size_t *starts, size_t part_count) {
  const size_t count = instance->task_count;
  const dsm_instance from = *instance;
  joining j = {.from = &from,
               .starts = starts,
               .part_count = part_count,
               .part_of = dsm__arena_array(instance->arena, count, sizeof *j.part_of)};
  if (j.part_of == NULL) {
    return false;
  }
  starts[part_count] = count;
  for (size_t p = 0; p < part_count; p++) {
    for (size_t i = starts[p]; i < starts[p + 1]; i++) {
      j.part_of[i] = p;
    }
  }
  return join_parts(&j, instance);
}

bool dsm__instance_join(dsm_instance *instance, size_t most, const double *work,
                        const double *per_task_seconds) {
  const size_t count = instance->task_count;
  if (most != 0 && most < count) {
    const double *const weights = work != NULL ? work : least_times(instance);
    size_t *const starts = dsm__arena_array(instance->arena, most + 1, sizeof *starts);
    if (weights == NULL || starts == NULL ||
        !dsm__instance_join_at(instance, starts, balance(starts, weights, count, most))) {
      return false;
    }
  }
  return per_task_seconds == NULL || add_per_task(instance, per_task_seconds);
}
