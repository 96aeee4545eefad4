/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "request_columns.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_simplex.h"
#include "enumerate.h"
#include "small_instance.h"

/* Seconds of a request on everything that is shared. */
typedef struct costs {
  double busy[4];
  double link[4];
  double into[4];
  double port[2][2];    /* out, in */
  double pair[2][4][4]; /* by number and direction */
  double latency;
} costs;

typedef struct transfer {
  double fixed;
  double longest;
} transfer;

static void use(double *seconds, transfer *it, double bytes, double rate, double fixed) {
  *seconds += fixed + bytes / rate;
  it->fixed += fixed;
  it->longest = fmax(it->longest, bytes / rate);
}

static bool is_in(const dsm_port *port, size_t device, size_t device_count) {
  return device < device_count && (port->devices >> device & 1) != 0;
}

/* Up from the sender, one port after the other, until both are inside and see each other. */
static void climb(costs *c, const dsm_instance *it, size_t from, size_t to, double bytes,
                  transfer *moved, int direction) {
  const size_t here = direction == 0 ? from : to;
  const size_t there = direction == 0 ? to : from;
  for (size_t p = 0; p < it->port_count; p++) {
    const dsm_port *const port = &it->ports[p];
    if (!is_in(port, here, it->device_count)) {
      continue;
    }
    if (is_in(port, there, it->device_count) && port->is_direct) {
      return;
    }
    use(&c->port[p][direction], moved, bytes, port->bytes_per_second, 0);
  }
}

/* `it->device_count` is the world outside. */
static void send(costs *c, const dsm_instance *it, size_t from, size_t to, double bytes) {
  transfer moved = {0, 0};
  if (from == to || bytes <= 0) {
    return;
  }
  for (size_t q = 0; q < it->pair_count; q++) {
    const dsm_device_pair *const pair = &it->pairs[q];
    if ((pair->devices[0] == from && pair->devices[1] == to) ||
        (pair->devices[1] == from && pair->devices[0] == to)) {
      use(&c->pair[q][from][to], &moved, bytes, pair->bytes_per_second, pair->transfer_seconds);
      c->latency += moved.fixed + moved.longest;
      return;
    }
  }
  if (from < it->device_count) {
    use(&c->link[from], &moved, bytes, it->devices[from].link_bytes_per_second,
        it->devices[from].transfer_seconds);
  }
  climb(c, it, from, to, bytes, &moved, 0);
  climb(c, it, from, to, bytes, &moved, 1);
  if (to < it->device_count) {
    const dsm_instance_device *const device = &it->devices[to];
    const bool is_stated = device->incoming_bytes_per_second > 0;
    if (from == it->device_count) {
      use(&c->into[to], &moved, bytes,
          is_stated ? device->incoming_bytes_per_second : device->link_bytes_per_second,
          device->transfer_seconds);
    } else if (is_stated) {
      use(&c->into[to], &moved, bytes, device->incoming_bytes_per_second, 0);
    }
  }
  c->latency += moved.fixed + moved.longest;
}

static bool is_last(const dsm_instance *it, size_t task) {
  for (size_t t = 0; t < it->tensor_count; t++) {
    if (it->tensors[t].producer == task) {
      return false;
    }
  }
  return true;
}

static costs costs_of(const dsm_instance *it, const dsm_partition_options *options,
                      const size_t *device) {
  costs made;
  memset(&made, 0, sizeof made);
  for (size_t i = 0; i < it->task_count; i++) {
    const size_t j = device[i];
    made.busy[j] += dsm_instance_seconds(it, i, j);
    made.latency += dsm_instance_seconds(it, i, j);
    const double others = it->tasks[i].result_bytes;
    if ((is_last(it, i) || others > 0) && !options->does_keep_results) {
      send(&made, it, j, it->device_count,
           (others > 0 ? others : it->tasks[i].output_bytes) * small_elements(it, j));
    }
    if (options->does_count_input && it->devices[j].is_accelerator) {
      send(&made, it, it->device_count, j, it->tasks[i].input_bytes);
    }
  }
  for (size_t t = 0; t < it->tensor_count; t++) {
    const dsm_tensor *const tensor = &it->tensors[t];
    for (size_t j = 0; j < it->device_count; j++) {
      bool is_needed = false;
      for (size_t k = 0; k < tensor->consumer_count; k++) {
        is_needed = is_needed || device[tensor->consumers[k]] == j;
      }
      if (is_needed) {
        const size_t from = device[tensor->producer];
        send(&made, it, from, j, tensor->bytes * small_elements(it, from));
      }
    }
  }
  return made;
}

static bool next_assignment(const dsm_instance *it, size_t *device) {
  size_t i = 0;
  for (; i < it->task_count && ++device[i] == it->device_count; i++) {
    device[i] = 0;
  }
  return i < it->task_count;
}

/* ---- mixtures ---- */

static bool is_stored(const dsm_instance *it, const unsigned *sets, const size_t *device) {
  for (size_t i = 0; i < it->task_count; i++) {
    if ((sets[device[i]] >> i & 1) == 0) {
      return false;
    }
  }
  return true;
}

/* All numbers of the costs but the latency are shares of something that has one second a second. */
enum { SHARES = sizeof(costs) / sizeof(double) - 1 };

static void write_columns(simplex *p, const dsm_instance *it, const dsm_partition_options *options,
                          const unsigned *sets) {
  size_t device[8] = {0};
  memset(p, 0, sizeof *p);
  p->row_count = SHARES;
  for (size_t r = 0; r < SHARES; r++) {
    p->limit[r] = 1;
  }
  do {
    if (!is_stored(it, sets, device)) {
      continue;
    }
    ck_assert_uint_lt(p->column_count, SIMPLEX_COLUMNS);
    const costs made = costs_of(it, options, device);
    double shares[SHARES + 1];
    memcpy(shares, &made, sizeof shares);
    for (size_t r = 0; r < SHARES; r++) {
      p->row[r][p->column_count] = shares[r];
    }
    if (options->latency_limit_seconds > 0) { /* on average */
      p->row[SHARES][p->column_count] = made.latency - options->latency_limit_seconds;
      p->row_count = SHARES + 1;
    }
    p->goal[p->column_count++] = 1;
  } while (next_assignment(it, device));
}

static double best_rate(const dsm_instance *it, const dsm_partition_options *options,
                        const unsigned *sets) {
  simplex *const p = malloc(sizeof *p);
  ck_assert_ptr_nonnull(p);
  write_columns(p, it, options, sets);
  const double rate = simplex_solve(p);
  free(p);
  return rate;
}

/* Minus joules; requests beyond the required rate are worth nothing, each below it a lot. */
static double best_joules(const dsm_instance *it, const dsm_partition_options *options,
                          const unsigned *sets) {
  static const double penalty = 1e5;
  simplex *const p = malloc(sizeof *p);
  ck_assert_ptr_nonnull(p);
  write_columns(p, it, options, sets);
  double watts = 0;
  for (size_t j = 0; j < it->device_count; j++) {
    watts += it->devices[j].idle_watts;
  }
  double goal[SIMPLEX_COLUMNS];
  for (size_t c = 0; c < p->column_count; c++) {
    goal[c] = 0;
    for (size_t j = 0; j < it->device_count; j++) {
      goal[c] += p->row[j][c] * (it->devices[j].busy_watts - it->devices[j].idle_watts);
    }
    p->goal[c] = penalty - goal[c];
    p->row[p->row_count][c] = 1;
  }
  p->limit[p->row_count++] = options->required_rho;
  (void)simplex_solve(p);
  double rate = 0;
  for (size_t c = 0; c < p->column_count; c++) {
    rate += p->x[c];
    watts += p->x[c] * goal[c];
  }
  free(p);
  return rate < options->required_rho * (1 - 1e-9) ? -HUGE_VAL : -watts / options->required_rho;
}

double request_columns_throughput(const dsm_instance *instance,
                                  const dsm_partition_options *options) {
  return enumerate_storages(instance, options, best_rate, 0);
}

double request_columns_energy(const dsm_instance *instance, const dsm_partition_options *options) {
  return -enumerate_storages(instance, options, best_joules, -HUGE_VAL);
}

double request_columns_latency(const dsm_instance *instance, const dsm_partition_options *options) {
  size_t device[8] = {0};
  double best = HUGE_VAL;
  do {
    double room[4];
    bool fits = true;
    for (size_t j = 0; j < instance->device_count; j++) {
      room[j] = instance->devices[j].memory_bytes;
    }
    for (size_t i = 0; i < instance->task_count; i++) {
      const size_t j = device[i];
      const double activations =
          options->does_count_activations ? instance->tasks[i].activation_bytes : 0;
      room[j] -= instance->tasks[i].weights_bytes * small_weights(instance, j) +
                 activations * small_elements(instance, j);
      fits = fits && room[j] >= 0;
    }
    const double latency = costs_of(instance, options, device).latency;
    best = fits ? fmin(best, latency) : best;
  } while (next_assignment(instance, device));
  return best;
}
