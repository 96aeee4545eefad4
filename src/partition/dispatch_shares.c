/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dispatch_shares.c: requests go the ways that the answer's rates describe.
 *
 * On a chain the rates can be split into ways through the devices: of what device a makes for the
 * next task, as much stays as both tasks run there, and the rest goes where the next task runs more
 * often than the one before. The guide of a task is the task before it. Of the requests whose guide
 * ran on a, each device is due a part, and the next one goes where what was given lags furthest
 * behind what is due. So no count is ever off by more than a constant, and devices and links are
 * used as the answer says.
 *
 * Where transfers are limited by more than the links out of devices, the answer says itself what
 * goes from a to where.
 *
 * In a graph the answer has ways of whole requests, each with its rate, and the next request goes
 * the one that is furthest behind. Where there are none, a task's guide is the task that makes the
 * largest of its inputs; where the others are made follows from guides of their own.
 */
#include <math.h>

#include "base/diag_add.h"
#include "partition/dispatch_engine.h"

typedef dsm__dispatch_shares shares;

dsm_status dsm__dispatch_shares_make(shares *made, dsm__arena *arena,
                                     const dsm_partition *partition, dsm_diags *diags) {
  const dsm_instance *const instance = partition->instance;
  *made = (shares){.partition = partition, .arena = arena};
  if (partition->way_count > 0 && !DSM__RESERVE(arena, made->gone, partition->way_count)) {
    return dsm__out_of_memory(diags);
  }
  for (size_t k = 0; k < partition->way_count; k++) {
    made->way_rate += partition->ways[k].rate;
  }
  double *largest = NULL;
  if (!DSM__RESERVE(arena, largest, instance->task_count) ||
      !DSM__RESERVE(arena, made->guides, instance->task_count) ||
      !DSM__RESERVE(arena, made->guide_tensors, instance->task_count) ||
      !DSM__RESERVE(arena, made->given, instance->task_count * instance->device_count)) {
    return dsm__out_of_memory(diags);
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    made->guides[i] = instance->task_count;
    largest[i] = -1;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance->tensors[t];
    for (size_t c = 0; c < tensor->consumer_count; c++) {
      const size_t consumer = tensor->consumers[c];
      if (tensor->bytes > largest[consumer]) {
        largest[consumer] = tensor->bytes;
        made->guides[consumer] = tensor->producer;
        made->guide_tensors[consumer] = t;
      }
    }
  }
  return DSM_OK;
}

/*
 * Of the rate at which a task follows a guide that ran on one device, the part that goes to
 * another: with g and x the rates of guide and task, min(g_a, x_a) stays on a, and of what leaves
 * it, g_a - min(g_a, x_a), each device gets its part of all that is lacking, x_j - min(g_j, x_j).
 */
typedef struct flow {
  const double *guide; /* rates of the guide; NULL: none, the task's own rates are due */
  const double *task;
  double lacking;
  const double *moved; /* bytes per second [from * device_count + to]; NULL: this rule */
  double bytes;        /* of these, of a request */
  size_t device_count;
} flow;

static flow flow_of(const shares *it, size_t task, size_t from) {
  const dsm_instance *const instance = it->partition->instance;
  const double *const rates = it->partition->rates;
  const size_t guide = it->guides[task];
  const size_t device_count = instance->device_count;
  flow made = {.task = &rates[task * device_count], .device_count = device_count};
  if (guide == instance->task_count) {
    return made;
  }
  const size_t tensor = it->guide_tensors[task];
  made.bytes = dsm_instance_tensor_bytes(instance, tensor, from);
  if (it->partition->moved != NULL && instance->tensors[tensor].consumer_count == 1 &&
      made.bytes > 0) {
    made.moved = &it->partition->moved[tensor * device_count * device_count];
  }
  made.guide = &rates[guide * instance->device_count];
  for (size_t j = 0; j < instance->device_count; j++) {
    made.lacking += fmax(made.task[j] - made.guide[j], 0);
  }
  return made;
}

/* The same where the answer says what goes from each device to each: what does not leave stays. */
static double due_as_moved(const flow *of, size_t from, size_t to) {
  const double *const row = &of->moved[from * of->device_count];
  double leaves = 0;
  for (size_t j = 0; j < of->device_count; j++) {
    leaves += row[j] / of->bytes;
  }
  const double rate = to == from ? of->guide[from] - leaves : row[to] / of->bytes;
  return fmax(rate, 0) / of->guide[from];
}

/* The part of the guide's requests on a device, 0 to 1, that is due to another; without a guide a
 * rate. */
static double due(const flow *of, size_t from, size_t to) {
  if (of->guide == NULL) {
    return of->task[to];
  }
  if (of->moved != NULL) {
    return due_as_moved(of, from, to);
  }
  const double stays = fmin(of->guide[from], of->task[from]);
  const double leaves = of->guide[from] - stays;
  const double lacks = fmax(of->task[to] - of->guide[to], 0);
  const double gets = of->lacking > 0 ? leaves * (lacks / of->lacking) : 0;
  return ((to == from ? stays : 0) + gets) / of->guide[from];
}

static double sum_of_dues(const flow *of, size_t from, size_t device_count) {
  double sum = 0;
  for (size_t j = 0; j < device_count; j++) {
    sum += due(of, from, j);
  }
  return sum;
}

uint32_t dsm__dispatch_shares_begin(shares *it) {
  uint32_t next = 0;
  double most = -HUGE_VAL;
  it->begun++;
  for (uint32_t k = 0; k < it->partition->way_count; k++) {
    const double part = it->partition->ways[k].rate / it->way_rate;
    const double behind = (double)it->begun * part - (double)it->gone[k];
    if (behind > most) {
      most = behind;
      next = k;
    }
  }
  if (it->gone != NULL) {
    it->gone[next]++;
  }
  return next;
}

bool dsm__dispatch_shares_take(shares *it, const uint8_t *placement, size_t way, size_t task,
                               size_t *device) {
  const dsm_instance *const instance = it->partition->instance;
  const size_t device_count = instance->device_count;
  if (it->gone != NULL) {
    *device = it->partition->ways[way].devices[task];
    return true;
  }
  const bool is_given = *device < device_count;
  const bool is_guided = it->guides[task] < instance->task_count;
  const size_t from = is_guided ? placement[it->guides[task]] : 0;
  flow of = flow_of(it, task, from);
  uint32_t **const given = &it->given[task * device_count + from];
  if (*given == NULL) {
    *given = dsm__arena_array(it->arena, device_count + 1, sizeof **given);
    if (*given == NULL) {
      return false;
    }
  }
  double whole = sum_of_dues(&of, from, device_count);
  if (!(whole > 0)) { /* rates that do not add up to the same for each task */
    of.guide = NULL;
    whole = sum_of_dues(&of, from, device_count);
  }
  const double asked = ++(*given)[device_count];
  double most = -HUGE_VAL;
  for (size_t j = 0; j < device_count && !is_given; j++) {
    const double part = due(&of, from, j);
    const double behind = asked * (part / whole) - (*given)[j];
    if (part > 0 && behind > most) {
      most = behind;
      *device = j;
    }
  }
  (*given)[*device]++;
  return true;
}
