/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition_validate.c: an answer against every constraint, from the instance alone: nothing here
 * is shared with the programme that the solver was given or with pricing.
 *
 * Each constraint is written as in docs/partition.md, over what the answer states: rates, what is
 * stored, what is sent. "At most" is asked within 1e-6 of the limit, a margin that pricing never
 * uses, as it keeps every limit by its own arithmetic; so what fails is a mistake and no rounding.
 * Comparisons are written so that a number that is none fails them.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "partition/partition_validate.h"

/* Relative, of the limit. */
static const double tolerance = 1e-6;

static const dsm__place nowhere = {NULL, 0, 0, NULL};

typedef dsm__checker checker;

void dsm__complain(checker *c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dsm__diags_vadd(c->diags, DSM_SEVERITY_ERROR, nowhere, NULL, format, args);
  va_end(args);
  c->is_wrong = true;
}

/* Negated on purpose: a NAN is above every limit. */
bool dsm__is_above(double value, double limit, double scale) {
  return !(value <= limit + tolerance * scale);
}

static bool differs(double a, double b) {
  return !(fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b)));
}

static double rate(const checker *c, size_t task, size_t device) {
  return c->partition->rates[task * c->instance->device_count + device];
}

static double sent(const checker *c, size_t tensor, size_t device) {
  return c->partition->sent[tensor * c->instance->device_count + device];
}

static const char *task_name(const checker *c, size_t task) {
  return c->instance->tasks[task].name;
}

static const char *device_name(const checker *c, size_t device) {
  return c->instance->devices[device].name;
}

static bool is_latency(const checker *c) {
  return c->partition->options.objective == DSM_OBJECTIVE_LATENCY;
}

/* ---- (1), (3), (6): devices ---- */

static double seconds_on(const checker *c, size_t device) {
  double sum = 0;
  for (size_t i = 0; i < c->instance->task_count; i++) {
    const double x = rate(c, i, device);
    sum += x > 0 ? x * dsm_instance_seconds(c->instance, i, device) : 0;
  }
  return sum;
}

static double bytes_on(const checker *c, size_t device) {
  double sum = 0;
  for (size_t i = 0; i < c->instance->task_count; i++) {
    const uint32_t batch = c->instance->devices[device].batch;
    if (c->partition->is_stored[i * c->instance->device_count + device]) {
      sum += dsm_instance_weights_bytes(c->instance, i, device);
      sum += c->partition->options.does_count_activations
                 ? dsm_instance_activation_bytes(c->instance, i, device) * (batch > 1 ? batch : 1)
                 : 0;
    }
  }
  return sum;
}

static double bytes_from(const checker *c, size_t device) {
  double sum = 0;
  for (size_t t = 0; t < c->instance->tensor_count + c->instance->task_count; t++) {
    sum += sent(c, t, device);
  }
  return sum;
}

static void check_device(checker *c, size_t device) {
  const dsm_instance_device *const it = &c->instance->devices[device];
  const dsm_device_use *const use = &c->partition->uses[device];
  const double bytes = bytes_on(c, device);
  const bool has_routes = dsm__has_routes(c->partition);
  const double leaving = has_routes ? dsm__link_bytes(c->partition, device) : bytes_from(c, device);
  double busy = seconds_on(c, device);
  if (is_latency(c)) {
    busy /= c->partition->latency_seconds;
  }
  if (dsm__is_above(busy, 1, 1)) {
    dsm__complain(c, "constraint (1): device \"%s\" works %.9g of the time", it->name, busy);
  }
  if (dsm__is_above(bytes, it->memory_bytes, it->memory_bytes)) {
    dsm__complain(c, "constraint (3): device \"%s\" stores %.0f byte%s, its memory has %.0f",
                  it->name, ceil(bytes), dsm__plural(ceil(bytes)), floor(it->memory_bytes));
  }
  if (!is_latency(c) && !has_routes &&
      dsm__is_above(leaving, it->link_bytes_per_second, it->link_bytes_per_second)) {
    dsm__complain(
        c, "constraint (6): device \"%s\" sends %.9g byte%s per second, its link carries %.9g",
        it->name, leaving, dsm__plural(leaving), it->link_bytes_per_second);
  }
  if (dsm__is_above(fabs(use->time_fraction - busy), 0, 1) || differs(use->memory_bytes, bytes) ||
      differs(use->link_bytes_per_second, leaving)) {
    dsm__complain(c, "the stated use of device \"%s\" is not that of its tasks", it->name);
  }
}

/* ---- (2), (7): tasks ---- */

static void check_place(checker *c, size_t task, size_t device) {
  const double x = rate(c, task, device);
  const double seconds = dsm_instance_seconds(c->instance, task, device);
  const bool is_stored = c->partition->is_stored[task * c->instance->device_count + device];
  if (!(x >= 0) || !isfinite(x)) {
    dsm__complain(c, "task \"%s\" has the rate %g on device \"%s\"", task_name(c, task), x,
                  device_name(c, device));
    return;
  }
  if (x > 0 && (!is_stored || !isfinite(seconds))) {
    dsm__complain(c, "constraint (2): task \"%s\" runs on device \"%s\", which %s",
                  task_name(c, task), device_name(c, device),
                  is_stored ? "cannot run it" : "does not store it");
  }
  if (is_latency(c) && x != 0 && x != 1) {
    dsm__complain(c, "task \"%s\" of one request runs %g times on device \"%s\"",
                  task_name(c, task), x, device_name(c, device));
  }
}

/* A chain may run tasks more often than requests come: (7) as the paper has it. */
static bool may_exceed(const checker *c) {
  for (size_t i = 0; i < c->instance->task_count; i++) {
    if (c->instance->tasks[i].group != NULL) {
      return false;
    }
  }
  for (size_t t = 0; t < c->instance->tensor_count; t++) {
    const dsm_tensor *const it = &c->instance->tensors[t];
    if (it->consumer_count != 1) {
      return false;
    }
    for (size_t u = 0; u < t; u++) {
      if (c->instance->tensors[u].producer == it->producer ||
          c->instance->tensors[u].consumers[0] == it->consumers[0]) {
        return false;
      }
    }
  }
  return c->partition->options.objective == DSM_OBJECTIVE_THROUGHPUT;
}

static void check_task(checker *c, size_t task, bool is_equal) {
  const double rho = is_latency(c) ? 1 : c->partition->rho;
  const size_t copies_max = c->partition->options.copies_max;
  double sum = 0;
  size_t copies = 0;
  for (size_t j = 0; j < c->instance->device_count; j++) {
    check_place(c, task, j);
    sum += rate(c, task, j);
    copies += c->partition->is_stored[task * c->instance->device_count + j] ? 1 : 0;
  }
  if (copies_max > 0 && copies > copies_max) {
    dsm__complain(c,
                  "constraint (8): task \"%s\" is stored on %zu devices, at most %zu are allowed",
                  task_name(c, task), copies, copies_max);
  }
  if (dsm__is_above(rho, sum, rho) || (is_equal && dsm__is_above(sum, rho, rho))) {
    dsm__complain(
        c, "constraint (7): task \"%s\" runs %.9g times a second at %.9g requests per second",
        task_name(c, task), sum, rho);
  }
}

/* ---- (9), (10): stages and cuts ---- */

static bool is_on(const checker *c, size_t task, size_t device) {
  return c->partition->is_stored[task * c->instance->device_count + device];
}

static void check_stage(checker *c, size_t device) {
  size_t runs = 0;
  for (size_t i = 0; i < c->instance->task_count; i++) {
    if (is_on(c, i, device) && (i == 0 || !is_on(c, i - 1, device)) && ++runs == 2) {
      dsm__complain(
          c, "constraint (9): device \"%s\" is no one stage: its tasks begin anew with \"%s\"",
          device_name(c, device), task_name(c, i));
    }
  }
}

static void check_cuts(checker *c) {
  size_t cuts = 0;
  for (size_t t = 0; t < c->instance->tensor_count; t++) {
    const dsm_tensor *const it = &c->instance->tensors[t];
    for (size_t j = 0; j < c->instance->device_count; j++) {
      bool is_sent_here = false;
      for (size_t k = 0; k < it->consumer_count; k++) {
        is_sent_here =
            is_sent_here || (is_on(c, it->consumers[k], j) && !is_on(c, it->producer, j));
      }
      cuts += is_sent_here ? 1 : 0;
    }
  }
  if (cuts > c->partition->options.cuts_max) {
    dsm__complain(
        c, "constraint (10): requests move %zu tensor%s between devices, at most %zu are allowed",
        cuts, dsm__plural((double)cuts), c->partition->options.cuts_max);
  }
}

/* ---- (11): groups ---- */

static bool are_together(const checker *c, size_t task, size_t other) {
  const char *const a = c->instance->tasks[task].group;
  const char *const b = c->instance->tasks[other].group;
  return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* With the first of its group. */
static void check_group(checker *c, size_t task) {
  size_t first = 0;
  while (first < task && !are_together(c, task, first)) {
    first++;
  }
  for (size_t j = 0; j < c->instance->device_count && first < task; j++) {
    if (dsm__is_above(fabs(rate(c, task, j) - rate(c, first, j)), 0, c->scale)) {
      dsm__complain(
          c,
          "constraint (11): task \"%s\" runs %.9g times on device \"%s\", and \"%s\", with "
          "which it belongs together, %.9g times",
          task_name(c, task), rate(c, task, j), device_name(c, j), task_name(c, first),
          rate(c, first, j));
    }
  }
}

/* ---- (4), (5): tensors ---- */

static void check_result(checker *c, size_t task, bool leaves) {
  const size_t tensor = c->instance->tensor_count + task;
  const dsm_task *const it = &c->instance->tasks[task];
  const double stated = it->result_bytes > 0 ? it->result_bytes : it->output_bytes;
  for (size_t j = 0; j < c->instance->device_count; j++) {
    const double bytes = stated * dsm_instance_element_ratio(c->instance, j);
    const double least = leaves ? rate(c, task, j) * bytes : 0;
    if (!(sent(c, tensor, j) >= 0) || dsm__is_above(least, sent(c, tensor, j), c->scale * bytes)) {
      dsm__complain(c,
                    "constraint (4): %.9g byte%s of results of task \"%s\" leave device \"%s\", "
                    "expected %.9g",
                    sent(c, tensor, j), dsm__plural(sent(c, tensor, j)), task_name(c, task),
                    device_name(c, j), least);
    }
  }
}

/* For a tensor with several consumers three things: what each device sends of it is at least what
 * some consumer lacks, is at most a copy to each other device, and all that is received was sent,
 * in copies, as the bytes of one are those of the device that sends it. */
static void check_tensor(checker *c, size_t tensor) {
  const dsm_tensor *const it = &c->instance->tensors[tensor];
  double delivered = 0;
  double received = 0;
  for (size_t j = 0; j < c->instance->device_count; j++) {
    const double bytes = dsm_instance_tensor_bytes(c->instance, tensor, j);
    const double margin = c->scale * bytes;
    const double made = rate(c, it->producer, j);
    const double leaving = sent(c, tensor, j);
    double arriving = 0;
    double least = 0;
    for (size_t k = 0; k < it->consumer_count; k++) {
      least = fmax(least, made - rate(c, it->consumers[k], j));
      arriving = fmax(arriving, rate(c, it->consumers[k], j) - made);
    }
    if (!(leaving >= 0) || dsm__is_above(least * bytes, leaving, margin)) {
      dsm__complain(c,
                    "constraint (4): %.9g byte%s of the output of task \"%s\" leave device \"%s\", "
                    "expected %.9g",
                    leaving, dsm__plural(leaving), task_name(c, it->producer), device_name(c, j),
                    least * bytes);
    }
    const double most = made * bytes * (double)(c->instance->device_count - 1);
    if (it->consumer_count > 1 && dsm__is_above(leaving, most, margin)) {
      dsm__complain(
          c,
          "device \"%s\" sends %.9g byte%s of the output of task \"%s\", of which it makes "
          "no more than %.9g for all others",
          device_name(c, j), leaving, dsm__plural(leaving), task_name(c, it->producer), most);
    }
    delivered += it->bytes > 0 ? leaving / bytes * it->bytes : 0;
    received += arriving * it->bytes;
  }
  if (it->consumer_count > 1 && dsm__is_above(received, delivered, c->scale * it->bytes)) {
    dsm__complain(c, "of the output of task \"%s\" %.9g byte%s must be sent elsewhere, found %.9g",
                  task_name(c, it->producer), received, dsm__plural(received), delivered);
  }
}

static void check_tensors(checker *c) {
  for (size_t t = 0; t < c->instance->tensor_count; t++) {
    check_tensor(c, t);
  }
  for (size_t i = 0; i < c->instance->task_count; i++) {
    bool is_used = false;
    for (size_t t = 0; t < c->instance->tensor_count; t++) {
      is_used = is_used || c->instance->tensors[t].producer == i;
    }
    const bool has_results = !is_used || c->instance->tasks[i].result_bytes > 0;
    check_result(c, i, has_results && !c->partition->options.does_keep_results);
  }
}

/* ---- what the answer says of itself ---- */

/* Of all transfers, each with those of its batch. */
static double moving_seconds(const checker *c) {
  double sum = 0;
  if (dsm__has_routes(c->partition)) {
    return dsm__transfer_seconds(c->partition);
  }
  for (size_t j = 0; j < c->instance->device_count; j++) {
    const dsm_instance_device *const it = &c->instance->devices[j];
    sum += (it->batch > 1 ? it->batch : 1) * (bytes_from(c, j) / it->link_bytes_per_second);
  }
  return sum;
}

/* Of one request alone. */
static double request_seconds(const checker *c) {
  double sum = moving_seconds(c);
  for (size_t j = 0; j < c->instance->device_count; j++) {
    sum += seconds_on(c, j);
  }
  return sum;
}

/* (13). False: out of memory. */
static bool check_latency(checker *c) {
  const dsm_partition *const it = c->partition;
  const double limit = it->options.latency_limit_seconds;
  double seconds = 0; /* of the tasks of requests of a second */
  if (!dsm__check_batch_seconds(&seconds, it)) {
    return false;
  }
  const double mean = (seconds + moving_seconds(c)) / it->rho;
  if (differs(mean, it->mean_latency_seconds)) {
    dsm__complain(c, "a request takes %.9g s on average by the rates, %.9g s as stated", mean,
                  it->mean_latency_seconds);
  }
  if (dsm__is_above(mean, limit, limit)) {
    dsm__complain(c,
                  "constraint (13): a request takes %.9g s on average, at most %.9g s are allowed",
                  mean, limit);
  }
  return true;
}

static bool runs_anything(const checker *c, size_t device) {
  bool runs = false;
  for (size_t i = 0; i < c->instance->task_count; i++) {
    runs = runs || c->partition->rates[i * c->instance->device_count + device] > 0;
  }
  return runs;
}

/* (14) */
static void check_power(checker *c, size_t device) {
  if (c->partition->uses[device].is_off && runs_anything(c, device)) {
    dsm__complain(c, "constraint (14): device \"%s\" runs tasks and is turned off",
                  c->instance->devices[device].name);
  }
}

static double joules(const checker *c) {
  double watts = 0;
  for (size_t j = 0; j < c->instance->device_count; j++) {
    const dsm_instance_device *const it = &c->instance->devices[j];
    if (!c->partition->options.is_unused_off || runs_anything(c, j)) {
      watts += it->idle_watts + (it->busy_watts - it->idle_watts) * seconds_on(c, j);
    }
  }
  return watts / c->partition->options.required_rho;
}

/* The objective is counted once more from the rates, and has to lie on the right side of the bound,
 * and the bound of the relaxation. */
static void check_objective(checker *c) {
  const dsm_partition *const it = c->partition;
  double value = it->rho;
  double better = it->bound - it->objective;
  double beyond = it->bound - it->relaxation;
  if (it->options.objective != DSM_OBJECTIVE_THROUGHPUT) {
    value = is_latency(c) ? request_seconds(c) : joules(c);
    better = -better;
    beyond = -beyond;
  }
  if (!(value > 0) || !isfinite(value) || differs(value, it->objective)) {
    dsm__complain(c, "the objective is %.9g by the rates, %.9g as stated", value, it->objective);
  }
  if (it->options.objective == DSM_OBJECTIVE_ENERGY &&
      dsm__is_above(it->options.required_rho, it->rho, it->rho)) {
    dsm__complain(c, "the required %.9g requests per second are not met: %.9g",
                  it->options.required_rho, it->rho);
  }
  if (dsm__is_above(0, better, fabs(value))) {
    dsm__complain(c, "the answer %.9g is better than the bound %.9g", value, it->bound);
  }
  if (dsm__is_above(beyond, 0, fabs(value))) {
    dsm__complain(c, "the bound %.9g is weaker than the relaxation %.9g", it->bound,
                  it->relaxation);
  }
}

dsm_status dsm_partition_validate(const dsm_partition *partition, dsm_diags *diags) {
  checker c = {.partition = partition, .instance = partition->instance, .diags = diags};
  c.scale = is_latency(&c) ? 1 : partition->rho;
  const bool is_equal = !may_exceed(&c);
  for (size_t i = 0; i < c.instance->task_count; i++) {
    check_task(&c, i, is_equal);
  }
  for (size_t j = 0; j < c.instance->device_count; j++) {
    check_device(&c, j);
    check_power(&c, j);
  }
  check_tensors(&c);
  if (dsm__has_routes(partition)) {
    dsm__check_routes(&c);
  }
  for (size_t j = 0; j < c.instance->device_count && partition->options.is_staged; j++) {
    check_stage(&c, j);
  }
  if (partition->options.cuts_max > 0) {
    check_cuts(&c);
  }
  for (size_t i = 0; i < c.instance->task_count; i++) {
    check_group(&c, i);
  }
  if (partition->options.latency_limit_seconds > 0 && !check_latency(&c)) {
    return dsm__out_of_memory(diags);
  }
  check_objective(&c);
  return c.is_wrong ? DSM_ERROR_INVALID : DSM_OK;
}
