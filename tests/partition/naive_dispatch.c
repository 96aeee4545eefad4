/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naive_dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_numbers.h"

static double larger(double a, double b) {
  return a > b ? a : b;
}

static const dsm_instance *instance_of(const naive_dispatch *naive) {
  return naive->partition->instance;
}

static bool consumes(const dsm_tensor *tensor, size_t task) {
  for (size_t c = 0; c < tensor->consumer_count; c++) {
    if (tensor->consumers[c] == task) {
      return true;
    }
  }
  return false;
}

static bool is_last(const naive_dispatch *naive, size_t task) {
  for (size_t t = 0; t < instance_of(naive)->tensor_count; t++) {
    if (instance_of(naive)->tensors[t].producer == task) {
      return false;
    }
  }
  return true;
}

static bool has_results(const naive_dispatch *naive, size_t task) {
  return is_last(naive, task) || instance_of(naive)->tasks[task].result_bytes > 0;
}

/* ---- links ---- */

static double link_free(const naive_dispatch *naive, size_t device) {
  double at = 0;
  for (size_t v = 0; v < naive->move_count; v++) {
    at = naive->moves[v].from == device ? larger(at, naive->moves[v].end) : at;
  }
  return at;
}

static const naive_move *moved_before(const naive_dispatch *naive, size_t request, size_t tensor,
                                      size_t to) {
  for (size_t v = 0; v < naive->move_count; v++) {
    const naive_move *const move = &naive->moves[v];
    if (move->request == request && move->tensor == tensor && move->to == to) {
      return move;
    }
  }
  return NULL;
}

/* Adds a move to the list, if it takes time; when it is over. */
static double add_move(naive_dispatch *naive, double now, double bytes, naive_move move) {
  const double rate = instance_of(naive)->devices[move.from].link_bytes_per_second;
  if (!(bytes > 0) || isinf(rate)) {
    return now;
  }
  move.begin = larger(now, link_free(naive, move.from));
  move.end = move.begin + bytes / rate;
  naive->moves[naive->move_count++] = move;
  return move.end;
}

/* Moves what a task needs to a device; when the last is there. */
static double add_inputs(naive_dispatch *naive, double now, size_t request, size_t task,
                         size_t device) {
  double ready = now;
  for (size_t t = 0; t < instance_of(naive)->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance_of(naive)->tensors[t];
    const size_t from = naive->tasks[request][tensor->producer].device;
    if (!consumes(tensor, task) || from == device) {
      continue;
    }
    const naive_move *const before = moved_before(naive, request, t, device);
    ready = larger(ready, before != NULL ? before->end
                                         : add_move(naive, now, tensor->bytes,
                                                    (naive_move){.request = request,
                                                                 .tensor = t,
                                                                 .task = tensor->producer,
                                                                 .from = from,
                                                                 .to = device}));
  }
  return ready;
}

/* ---- tasks ---- */

/* Whether nothing that was given to a device runs there in between. */
static bool is_idle(const naive_dispatch *naive, size_t device, double begin, double end) {
  for (size_t q = 0; q < naive->options.request_count; q++) {
    for (size_t i = 0; i < instance_of(naive)->task_count; i++) {
      const naive_task *const task = &naive->tasks[q][i];
      if (task->is_given && task->device == device && task->begin < end && begin < task->end) {
        return false;
      }
    }
  }
  return true;
}

/* The earliest begin of an idle stretch, when the task is ready or when another one ends. */
static double idle_from(const naive_dispatch *naive, size_t device, double ready, double seconds) {
  double best = is_idle(naive, device, ready, ready + seconds) ? ready : HUGE_VAL;
  for (size_t q = 0; q < naive->options.request_count && best > ready; q++) {
    for (size_t i = 0; i < instance_of(naive)->task_count; i++) {
      const naive_task *const task = &naive->tasks[q][i];
      if (task->is_given && task->device == device && task->end >= ready && task->end < best &&
          is_idle(naive, device, task->end, task->end + seconds)) {
        best = task->end;
      }
    }
  }
  return best;
}

/* Tries each device for real, and forgets the moves again. */
static void give(naive_dispatch *naive, double now, size_t request, size_t task) {
  const dsm_instance *const instance = instance_of(naive);
  naive_task best = {.end = HUGE_VAL};
  const size_t move_count = naive->move_count;
  for (size_t j = 0; j < instance->device_count; j++) {
    const double seconds = dsm_instance_seconds(instance, task, j);
    if (!naive->partition->is_stored[task * instance->device_count + j] || isinf(seconds)) {
      continue;
    }
    const double ready = add_inputs(naive, now, request, task, j);
    naive->move_count = move_count;
    const double begin = idle_from(naive, j, ready, seconds);
    if (begin + seconds < best.end) {
      best = (naive_task){
          .is_given = true, .device = j, .given = now, .begin = begin, .end = begin + seconds};
    }
  }
  (void)add_inputs(naive, now, request, task, best.device);
  best.number = naive->given_count++;
  naive->tasks[request][task] = best;
}

static bool is_ready(const naive_dispatch *naive, size_t request, size_t task) {
  for (size_t t = 0; t < instance_of(naive)->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance_of(naive)->tensors[t];
    if (consumes(tensor, task) && !naive->tasks[request][tensor->producer].is_over) {
      return false;
    }
  }
  return !naive->tasks[request][task].is_given;
}

static void give_all(naive_dispatch *naive, double now, size_t request) {
  for (size_t i = 0; i < instance_of(naive)->task_count; i++) {
    if (is_ready(naive, request, i)) {
      give(naive, now, request, i);
    }
  }
}

/* ---- requests ---- */

static void plan_next(naive_dispatch *naive, double now) {
  size_t q = 0;
  while (q < naive->options.request_count && naive->is_planned[q]) {
    q++;
  }
  if (q == naive->options.request_count) {
    return;
  }
  naive->is_planned[q] = true;
  naive->entered[q] = now;
  if (naive->options.window == 0) {
    const double u = ((double)(random_next(&naive->random) >> 11) + 1) / 9007199254740992.0;
    naive->entered[q] = now + -log(u) / naive->options.rate;
  }
}

static void result_out(naive_dispatch *naive, double now, size_t request, size_t task) {
  naive->is_out[request][task] = true;
  for (size_t i = 0; i < instance_of(naive)->task_count; i++) {
    if (has_results(naive, i) && !naive->is_out[request][i]) {
      return;
    }
  }
  naive->is_done[request] = true;
  naive->left[request] = now;
  if (naive->options.window > 0) {
    plan_next(naive, now);
  }
}

static void task_over(naive_dispatch *naive, double now, size_t request, size_t task) {
  naive->tasks[request][task].is_over = true;
  give_all(naive, now, request);
  if (!has_results(naive, task)) {
    return;
  }
  const dsm_task *const it = &instance_of(naive)->tasks[task];
  const size_t count = naive->move_count;
  if (!naive->partition->options.does_keep_results) {
    (void)add_move(naive, now, is_last(naive, task) ? it->output_bytes : it->result_bytes,
                   (naive_move){.request = request,
                                .tensor = instance_of(naive)->tensor_count + task,
                                .task = task,
                                .from = naive->tasks[request][task].device,
                                .to = instance_of(naive)->device_count});
  }
  if (naive->move_count == count) {
    result_out(naive, now, request, task);
  }
}

/* ---- time ---- */

typedef struct moment {
  double at;
  int kind; /* 0: a task ends, 1: a result is out, 2: a request enters, 3: nothing */
  size_t request;
  size_t task;
} moment;

static void consider(moment *first, moment other) {
  if (other.at < first->at || (!(other.at > first->at) && other.kind < first->kind)) {
    *first = other; /* requests and tasks are looked at in order */
  }
}

static moment first_moment(const naive_dispatch *naive) {
  moment first = {.at = HUGE_VAL, .kind = 3};
  for (size_t q = 0; q < naive->options.request_count; q++) {
    for (size_t i = 0; i < instance_of(naive)->task_count; i++) {
      const naive_task *const task = &naive->tasks[q][i];
      if (task->is_given && !task->is_over) {
        consider(&first, (moment){task->end, 0, q, i});
      }
      const naive_move *const move = moved_before(naive, q, instance_of(naive)->tensor_count + i,
                                                  instance_of(naive)->device_count);
      if (move != NULL && !naive->is_out[q][i]) {
        consider(&first, (moment){move->end, 1, q, i});
      }
    }
    if (naive->is_planned[q] && !naive->is_in[q]) {
      consider(&first, (moment){naive->entered[q], 2, q, 0});
    }
  }
  return first;
}

void naive_dispatch_run(naive_dispatch *naive, const dsm_partition *partition,
                        const dsm_dispatch_options *options) {
  memset(naive, 0, sizeof *naive);
  naive->partition = partition;
  naive->options = *options;
  naive->random = options->seed;
  for (size_t q = 0; q < (options->window > 0 ? options->window : 1); q++) {
    plan_next(naive, 0);
  }
  for (moment now = first_moment(naive); now.kind < 3; now = first_moment(naive)) {
    if (now.kind == 0) {
      task_over(naive, now.at, now.request, now.task);
    } else if (now.kind == 1) {
      result_out(naive, now.at, now.request, now.task);
    } else {
      naive->is_in[now.request] = true;
      give_all(naive, now.at, now.request);
      if (options->window == 0) {
        plan_next(naive, now.at);
      }
    }
  }
}
