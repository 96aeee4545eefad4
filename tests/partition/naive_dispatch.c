/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naive_dispatch.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "random_numbers.h"
#include "small_instance.h"

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

static void add_leg(naive_move *move, naive_kind kind, size_t index, double seconds, double fixed) {
  move->legs[move->leg_count++] = (naive_leg){.kind = kind,
                                              .index = index,
                                              .from = kind == NAIVE_PAIR ? move->from : 0,
                                              .seconds = seconds + fixed,
                                              .fixed = fixed};
}

static bool is_behind(const dsm_port *port, size_t device, size_t device_count) {
  return device < device_count && (port->devices >> device & 1) != 0;
}

/* How many ports of these are gone through upwards from `here`: all, or those within the first that
 * joins both. */
static size_t ports_up(const dsm_instance *it, size_t here, size_t there, size_t *ports) {
  size_t count = 0;
  for (size_t p = 0; p < it->port_count; p++) {
    if (is_behind(&it->ports[p], here, it->device_count)) {
      if (is_behind(&it->ports[p], there, it->device_count) && it->ports[p].is_direct) {
        break;
      }
      ports[count++] = p;
    }
  }
  return count;
}

static void add_legs(const dsm_instance *it, naive_move *move, double bytes) {
  const size_t outside = it->device_count;
  for (size_t q = 0; q < it->pair_count; q++) {
    const size_t low = move->from < move->to ? move->from : move->to;
    if (it->pairs[q].devices[0] == low && it->pairs[q].devices[1] == move->from + move->to - low) {
      add_leg(move, NAIVE_PAIR, q, bytes / it->pairs[q].bytes_per_second,
              it->pairs[q].transfer_seconds / dsm_instance_batch(it, move->from));
      return;
    }
  }
  if (move->from < outside) {
    add_leg(move, NAIVE_LINK, move->from, bytes / it->devices[move->from].link_bytes_per_second,
            it->devices[move->from].transfer_seconds / dsm_instance_batch(it, move->from));
  }
  size_t ports[2];
  const size_t up = ports_up(it, move->from, move->to, ports);
  for (size_t p = 0; p < up; p++) {
    add_leg(move, NAIVE_PORT_OUT, ports[p], bytes / it->ports[ports[p]].bytes_per_second, 0);
  }
  for (size_t p = ports_up(it, move->to, move->from, ports); p-- > 0;) {
    add_leg(move, NAIVE_PORT_IN, ports[p], bytes / it->ports[ports[p]].bytes_per_second, 0);
  }
  if (move->to < outside) {
    const dsm_instance_device *const to = &it->devices[move->to];
    const bool is_stated = to->incoming_bytes_per_second > 0;
    if (is_stated || move->from == outside) {
      add_leg(move, NAIVE_INTO, move->to,
              bytes / (is_stated ? to->incoming_bytes_per_second : to->link_bytes_per_second),
              move->from == outside ? to->transfer_seconds / dsm_instance_batch(it, move->to) : 0);
    }
  }
}

static double free_from(const naive_dispatch *naive, const naive_leg *leg) {
  double at = 0;
  for (size_t v = 0; v < naive->move_count; v++) {
    for (size_t l = 0; l < naive->moves[v].leg_count; l++) {
      const naive_leg *const other = &naive->moves[v].legs[l];
      if (other->kind == leg->kind && other->index == leg->index && other->from == leg->from) {
        at = larger(at, other->end);
      }
    }
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

/* Adds a move to the list, if it takes time; when it is over. On each leg it begins when that is
 * free, and no earlier than on the leg before, and ends no earlier than there. */
static double add_move(naive_dispatch *naive, double now, double bytes, naive_move move) {
  double begin = now;
  bool has_begun = false;
  move.end = now;
  if (bytes > 0) {
    add_legs(instance_of(naive), &move, bytes);
  }
  for (size_t l = 0; l < move.leg_count; l++) {
    naive_leg *const leg = &move.legs[l];
    if (leg->seconds > 0) {
      begin = larger(begin, free_from(naive, leg));
      move.begin = has_begun ? move.begin : begin;
      has_begun = true;
      move.end = larger(begin + leg->seconds, move.end);
      leg->end = move.end;
      begin += leg->fixed;
    }
  }
  if (has_begun) {
    naive->moves[naive->move_count++] = move;
  }
  return move.end;
}

/* Moves what a task needs to a device; when the last is there. */
static double add_inputs(naive_dispatch *naive, double now, size_t request, size_t task,
                         size_t device) {
  const dsm_instance *const instance = instance_of(naive);
  double ready = now;
  if (naive->partition->options.does_count_input && instance->devices[device].is_accelerator) {
    ready = add_move(naive, now, instance->tasks[task].input_bytes,
                     (naive_move){.request = request,
                                  .tensor = SIZE_MAX,
                                  .task = task,
                                  .from = instance->device_count,
                                  .to = device});
  }
  for (size_t t = 0; t < instance_of(naive)->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance_of(naive)->tensors[t];
    const size_t from = naive->tasks[request][tensor->producer].device;
    if (!consumes(tensor, task) || from == device) {
      continue;
    }
    const naive_move *const before = moved_before(naive, request, t, device);
    ready = larger(ready, before != NULL
                              ? before->end
                              : add_move(naive, now, tensor->bytes * small_elements(instance, from),
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
      if (task->is_given && task->device == device && task->begin < task->end &&
          task->begin < end && begin < task->end) {
        return false;
      }
    }
  }
  return true;
}

/* The earliest begin of an idle stretch, when the task is ready or when another one ends. */
static double idle_from(const naive_dispatch *naive, size_t device, double ready, double seconds) {
  const bool is_instant = !(seconds > 0);
  double best = is_instant || is_idle(naive, device, ready, ready + seconds) ? ready : HUGE_VAL;
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

/* The producer of the largest tensor that a task needs, the first of equal ones; NULL: none. */
static const dsm_tensor *largest_input(const dsm_instance *instance, size_t task) {
  const dsm_tensor *largest = NULL;
  for (size_t t = instance->tensor_count; t > 0; t--) {
    const dsm_tensor *const tensor = &instance->tensors[t - 1];
    largest = consumes(tensor, task) && (largest == NULL || tensor->bytes >= largest->bytes)
                  ? tensor
                  : largest;
  }
  return largest;
}

/* A matrix of the rates at which requests go from where the guide ran to where the task does. */
static void list_flows(const naive_dispatch *naive, size_t guide, size_t task,
                       double flows[RANDOM_DEVICES][RANDOM_DEVICES]) {
  const size_t count = instance_of(naive)->device_count;
  const double *const before = &naive->partition->rates[guide * count];
  const double *const after = &naive->partition->rates[task * count];
  double lacking[RANDOM_DEVICES];
  double sum = 0;
  for (size_t j = 0; j < count; j++) {
    lacking[j] = larger(after[j] - before[j], 0);
    sum += lacking[j];
  }
  for (size_t a = 0; a < count; a++) {
    const double leaving = larger(before[a] - after[a], 0);
    for (size_t j = 0; j < count; j++) {
      flows[a][j] = (a == j ? before[a] - leaving : 0) + leaving * (sum > 0 ? lacking[j] / sum : 0);
    }
  }
}

/* The same where the answer says what goes from each device to each, and the rest stays. */
static void list_moves(const naive_dispatch *naive, size_t tensor,
                       double flows[RANDOM_DEVICES][RANDOM_DEVICES]) {
  const size_t count = instance_of(naive)->device_count;
  const size_t guide = instance_of(naive)->tensors[tensor].producer;
  for (size_t a = 0; a < count; a++) {
    flows[a][a] = naive->partition->rates[guide * count + a];
    for (size_t j = 0; j < count; j++) {
      const double moved = naive->partition->moved[(tensor * count + a) * count + j] /
                           dsm_instance_tensor_bytes(instance_of(naive), tensor, a);
      flows[a][a] -= j == a ? 0 : moved;
      flows[a][j] = j == a ? flows[a][a] : moved;
    }
  }
  for (size_t a = 0; a < count; a++) {
    flows[a][a] = larger(flows[a][a], 0);
  }
}

/* The way that is most behind as one more request begins. */
static size_t next_way(const naive_dispatch *naive) {
  double sum = 0;
  double begun = 1;
  for (size_t k = 0; k < naive->partition->way_count; k++) {
    sum += naive->partition->ways[k].rate;
  }
  size_t gone[RANDOM_WAYS] = {0};
  for (size_t q = 0; q < naive->options.request_count; q++) {
    if (naive->is_in[q]) {
      gone[naive->way[q]]++;
      begun++;
    }
  }
  size_t best = 0;
  for (size_t k = 1; k < naive->partition->way_count; k++) {
    const double behind = begun * naive->partition->ways[k].rate / sum - (double)gone[k];
    const double most = begun * naive->partition->ways[best].rate / sum - (double)gone[best];
    best = behind > most + 1e-9 ? k : best;
  }
  return best;
}

/* Whether the rates want the task there: of the requests that are in the same case so far, where
 * one more is most behind. */
static size_t device_by_rates(const naive_dispatch *naive, size_t request, size_t task) {
  const dsm_instance *const instance = instance_of(naive);
  const dsm_tensor *const input = largest_input(instance, task);
  double flows[RANDOM_DEVICES][RANDOM_DEVICES] = {{0}};
  const double *due = &naive->partition->rates[task * instance->device_count];
  if (naive->partition->way_count > 0) {
    return naive->partition->ways[naive->way[request]].devices[task];
  }
  if (input != NULL) {
    if (naive->partition->moved != NULL && input->consumer_count == 1 && input->bytes > 0) {
      list_moves(naive, (size_t)(input - instance->tensors), flows);
    } else {
      list_flows(naive, input->producer, task, flows);
    }
    due = flows[naive->tasks[request][input->producer].device];
  }
  size_t given[RANDOM_DEVICES] = {0};
  size_t asked = 1;
  for (size_t q = 0; q < naive->options.request_count; q++) {
    const bool is_same = input == NULL || naive->tasks[q][input->producer].device ==
                                              naive->tasks[request][input->producer].device;
    if ((naive->tasks[q][task].is_given || naive->tasks[q][task].is_forming) && is_same) {
      given[naive->tasks[q][task].device]++;
      asked++;
    }
  }
  double sum = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    sum += due[j];
  }
  size_t best = RANDOM_DEVICES;
  for (size_t j = 0; j < instance->device_count; j++) {
    const double behind = (double)asked * due[j] / sum - (double)given[j];
    const double most =
        best == RANDOM_DEVICES ? -HUGE_VAL : (double)asked * due[best] / sum - (double)given[best];
    best = due[j] > 1e-12 * sum && behind > most + 1e-9 ? j : best;
  }
  return best;
}

static double whole_seconds(const naive_dispatch *naive, size_t task, size_t device) {
  const uint32_t batch = instance_of(naive)->devices[device].batch;
  return (batch > 1 ? batch : 1) * dsm_instance_seconds(instance_of(naive), task, device);
}

/* Requests of the task that wait on a device. */
static size_t count_forming(const naive_dispatch *naive, size_t task, size_t device) {
  size_t count = 0;
  for (size_t q = 0; q < naive->options.request_count; q++) {
    const naive_task *const it = &naive->tasks[q][task];
    count += it->is_forming && it->device == device ? 1 : 0;
  }
  return count;
}

/* The device on which a request of the same case waits: by the rates from where the guide ran. */
static size_t device_of_forming(const naive_dispatch *naive, size_t request, size_t task) {
  const bool is_by_rates = naive->options.rule == DSM_DISPATCH_RATES;
  const dsm_tensor *const input = is_by_rates ? largest_input(instance_of(naive), task) : NULL;
  for (size_t q = 0; q < naive->options.request_count; q++) {
    const bool is_same = input == NULL || naive->tasks[q][input->producer].device ==
                                              naive->tasks[request][input->producer].device;
    if (naive->tasks[q][task].is_forming && is_same) {
      return naive->tasks[q][task].device;
    }
  }
  return RANDOM_DEVICES;
}

/* Tries each device for real, and forgets the moves again. */
static size_t earliest_device(naive_dispatch *naive, double now, size_t request, size_t task) {
  const dsm_instance *const instance = instance_of(naive);
  const size_t move_count = naive->move_count;
  double first = HUGE_VAL;
  size_t best = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    const double seconds = whole_seconds(naive, task, j);
    if (!naive->partition->is_stored[task * instance->device_count + j] || isinf(seconds)) {
      continue;
    }
    const double ready = add_inputs(naive, now, request, task, j);
    naive->move_count = move_count;
    const double end = idle_from(naive, j, ready, seconds) + seconds;
    if (end < first) {
      first = end;
      best = j;
    }
  }
  return best;
}

/* All that wait for the task on a device begin. */
static void begin_batch(naive_dispatch *naive, double now, size_t task, size_t device) {
  const double seconds = whole_seconds(naive, task, device);
  const size_t members = count_forming(naive, task, device);
  double ready = now;
  for (size_t q = 0; q < naive->options.request_count; q++) {
    const naive_task *const it = &naive->tasks[q][task];
    ready = it->is_forming && it->device == device ? larger(ready, it->ready) : ready;
  }
  const double begin = idle_from(naive, device, ready, seconds);
  for (size_t q = 0; q < naive->options.request_count; q++) {
    naive_task *const it = &naive->tasks[q][task];
    if (it->is_forming && it->device == device) {
      it->is_forming = false;
      it->is_given = true;
      it->given = now;
      it->begin = begin;
      it->end = begin + seconds;
      it->members = members;
      it->number = naive->given_count++;
    }
  }
}

static void give(naive_dispatch *naive, double now, size_t request, size_t task) {
  const bool has_way = naive->options.rule == DSM_DISPATCH_RATES && naive->partition->way_count > 0;
  size_t device = has_way ? RANDOM_DEVICES : device_of_forming(naive, request, task);
  if (device == RANDOM_DEVICES) {
    device = naive->options.rule == DSM_DISPATCH_RATES ? device_by_rates(naive, request, task)
                                                       : earliest_device(naive, now, request, task);
  }
  naive->tasks[request][task] =
      (naive_task){.is_forming = true,
                   .device = device,
                   .joined = now,
                   .ready = add_inputs(naive, now, request, task, device)};
  if ((double)count_forming(naive, task, device) >=
      dsm_instance_batch(instance_of(naive), device)) {
    begin_batch(naive, now, task, device);
  }
}

/* Nothing else will happen: the oldest batch that waits begins; false: there is none. */
static bool begin_oldest(naive_dispatch *naive, double now) {
  const naive_task *oldest = NULL;
  size_t task = 0;
  for (size_t i = 0; i < instance_of(naive)->task_count; i++) {
    for (size_t j = 0; j < instance_of(naive)->device_count; j++) {
      for (size_t q = 0; q < naive->options.request_count; q++) {
        const naive_task *const it = &naive->tasks[q][i];
        if (it->is_forming && it->device == j && (oldest == NULL || it->joined < oldest->joined)) {
          oldest = it;
          task = i;
        }
      }
    }
  }
  if (oldest != NULL) {
    naive->partial_count++;
    begin_batch(naive, now, task, oldest->device);
  }
  return oldest != NULL;
}

static bool is_ready(const naive_dispatch *naive, size_t request, size_t task) {
  for (size_t t = 0; t < instance_of(naive)->tensor_count; t++) {
    const dsm_tensor *const tensor = &instance_of(naive)->tensors[t];
    if (consumes(tensor, task) && !naive->tasks[request][tensor->producer].is_over) {
      return false;
    }
  }
  return !naive->tasks[request][task].is_given && !naive->tasks[request][task].is_forming;
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
  const double stated = is_last(naive, task) ? it->output_bytes : it->result_bytes;
  const size_t from = naive->tasks[request][task].device;
  if (!naive->partition->options.does_keep_results) {
    (void)add_move(naive, now, stated * small_elements(instance_of(naive), from),
                   (naive_move){.request = request,
                                .tensor = instance_of(naive)->tensor_count + task,
                                .task = task,
                                .from = from,
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
  double before = 0;
  for (moment now = first_moment(naive); now.kind < 3 || begin_oldest(naive, before);
       now = first_moment(naive)) {
    before = now.kind < 3 ? now.at : before;
    if (now.kind == 3) {
      continue; /* what began is to come */
    }
    if (now.kind == 0) {
      task_over(naive, now.at, now.request, now.task);
    } else if (now.kind == 1) {
      result_out(naive, now.at, now.request, now.task);
    } else {
      naive->way[now.request] = next_way(naive);
      naive->is_in[now.request] = true;
      give_all(naive, now.at, now.request);
      if (options->window == 0) {
        plan_next(naive, now.at);
      }
    }
  }
}
