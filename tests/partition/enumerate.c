/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "enumerate.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_simplex.h"
#include "small_instance.h"

enum { SETS_MAX = 256 };

/* Joules that a lost request is worth: more than any can cost. */
static const double penalty = 1e5;

typedef struct enumeration {
  const dsm_instance *instance;
  const dsm_partition_options *options;
  unsigned sets[4][SETS_MAX]; /* [device]: sets of tasks that fit and cannot be enlarged */
  size_t set_count[4];
  simplex programme;
} enumeration;

static double need(const enumeration *e, size_t task, size_t device) {
  const dsm_task *const it = &e->instance->tasks[task];
  const double activations = it->activation_bytes * small_elements(e->instance, device) *
                             dsm_instance_batch(e->instance, device);
  return it->weights_bytes * small_weights(e->instance, device) +
         (e->options->does_count_activations ? activations : 0);
}

static double room_after(const enumeration *e, size_t device, unsigned set) {
  double room = e->instance->devices[device].memory_bytes;
  for (size_t i = 0; i < e->instance->task_count; i++) {
    room -= (set >> i & 1) != 0 ? need(e, i, device) : 0;
  }
  return room;
}

static unsigned runnable(const enumeration *e, size_t device) {
  unsigned set = 0;
  for (size_t i = 0; i < e->instance->task_count; i++) {
    set |= isfinite(dsm_instance_seconds(e->instance, i, device)) ? 1U << i : 0;
  }
  return set;
}

/* What is stored without need costs nothing, so only sets that cannot be enlarged matter; unless
 * copies are counted. */
static void list_sets(enumeration *e, size_t device) {
  const unsigned able = runnable(e, device);
  for (unsigned set = 0; set < 1U << e->instance->task_count; set++) {
    if ((set & ~able) != 0 || room_after(e, device, set) < 0) {
      continue;
    }
    bool is_largest = true;
    for (size_t i = 0; i < e->instance->task_count && e->options->copies_max == 0; i++) {
      const unsigned more = set | 1U << i;
      is_largest =
          is_largest && (more == set || (more & ~able) != 0 || room_after(e, device, more) < 0);
    }
    if (is_largest) {
      ck_assert_uint_lt(e->set_count[device], SETS_MAX);
      e->sets[device][e->set_count[device]++] = set;
    }
  }
}

/* ---- the linear programme of a storage ---- */

/* Columns: rho, x_ij, then of each tensor and device what is sent and what is received. */
static size_t x_of(const enumeration *e, size_t task, size_t device) {
  return 1 + task * e->instance->device_count + device;
}

static size_t sent_of(const enumeration *e, size_t tensor, size_t device) {
  return x_of(e, e->instance->task_count, 0) + tensor * e->instance->device_count + device;
}

static size_t received_of(const enumeration *e, size_t tensor, size_t device) {
  return sent_of(e, e->instance->tensor_count, 0) + tensor * e->instance->device_count + device;
}

static double *new_row(enumeration *e, double limit) {
  simplex *const p = &e->programme;
  ck_assert_uint_lt(p->row_count, SIMPLEX_ROWS);
  p->limit[p->row_count] = limit;
  return p->row[p->row_count++];
}

/* Bytes that leave the server. */
static double results_of(const enumeration *e, size_t task) {
  const dsm_task *const it = &e->instance->tasks[task];
  for (size_t t = 0; t < e->instance->tensor_count; t++) {
    if (e->instance->tensors[t].producer == task) {
      return e->options->does_keep_results ? 0 : it->result_bytes;
    }
  }
  return e->options->does_keep_results ? 0 : it->output_bytes;
}

static bool is_chain(const enumeration *e) {
  unsigned seen = 0;
  for (size_t t = 0; t < e->instance->tensor_count; t++) {
    const dsm_tensor *const it = &e->instance->tensors[t];
    const unsigned bit = 1U << it->consumers[0];
    if (it->consumer_count != 1 || (seen & bit) != 0) {
      return false;
    }
    seen |= bit;
  }
  return true;
}

static void write_device(enumeration *e, size_t j, unsigned set) {
  const dsm_instance *const it = e->instance;
  double *const busy = new_row(e, 1);
  for (size_t i = 0; i < it->task_count; i++) {
    if ((set >> i & 1) != 0) {
      busy[x_of(e, i, j)] = dsm_instance_seconds(it, i, j);
    } else {
      new_row(e, 0)[x_of(e, i, j)] = 1;
    }
  }
  if (isinf(it->devices[j].link_bytes_per_second)) {
    return;
  }
  double *const link = new_row(e, it->devices[j].link_bytes_per_second);
  for (size_t t = 0; t < it->tensor_count; t++) {
    link[sent_of(e, t, j)] = it->tensors[t].bytes * small_elements(it, j);
  }
  for (size_t i = 0; i < it->task_count; i++) {
    link[x_of(e, i, j)] = results_of(e, i) * small_elements(it, j);
  }
}

static void write_tensor(enumeration *e, size_t t) {
  const dsm_tensor *const it = &e->instance->tensors[t];
  const size_t device_count = e->instance->device_count;
  for (size_t j = 0; j < device_count; j++) {
    for (size_t k = 0; k < it->consumer_count; k++) {
      double *const excess = new_row(e, 0);
      excess[x_of(e, it->producer, j)] = 1;
      excess[x_of(e, it->consumers[k], j)] = -1;
      excess[sent_of(e, t, j)] = -1;
      if (it->consumer_count > 1) {
        double *const receipt = new_row(e, 0);
        receipt[x_of(e, it->consumers[k], j)] = 1;
        receipt[x_of(e, it->producer, j)] = -1;
        receipt[received_of(e, t, j)] = -1;
      }
    }
    if (it->consumer_count > 1) {
      double *const most = new_row(e, 0);
      most[sent_of(e, t, j)] = 1;
      most[x_of(e, it->producer, j)] = -(double)(device_count - 1);
    }
  }
  if (it->consumer_count > 1) {
    double *const delivery = new_row(e, 0);
    for (size_t j = 0; j < device_count; j++) {
      delivery[received_of(e, t, j)] = 1;
      delivery[sent_of(e, t, j)] = -1;
    }
  }
}

/* (7): on a chain as the paper has it, at least rho. */
static void write_task(enumeration *e, size_t i, bool is_equal) {
  double *const least = new_row(e, 0);
  double *const most = is_equal ? new_row(e, 0) : NULL;
  least[0] = 1;
  if (most != NULL) {
    most[0] = -1;
  }
  for (size_t j = 0; j < e->instance->device_count; j++) {
    least[x_of(e, i, j)] = -1;
    if (most != NULL) {
      most[x_of(e, i, j)] = 1;
    }
  }
}

static bool are_together(const dsm_instance *it, size_t a, size_t b) {
  return it->tasks[a].group != NULL && it->tasks[b].group != NULL &&
         strcmp(it->tasks[a].group, it->tasks[b].group) == 0;
}

/* As often, on each device. */
static void write_group(enumeration *e, size_t a, size_t b) {
  for (size_t j = 0; j < e->instance->device_count; j++) {
    double *const least = new_row(e, 0);
    double *const most = new_row(e, 0);
    least[x_of(e, a, j)] = most[x_of(e, b, j)] = -1;
    least[x_of(e, b, j)] = most[x_of(e, a, j)] = 1;
  }
}

/* All requests of a second together take no longer than as many limits, each with those of its
 * batch; what they wait for batches is not in it. */
static void write_limit(enumeration *e) {
  const dsm_instance *const it = e->instance;
  double *const seconds = new_row(e, 0);
  seconds[0] = -e->options->latency_limit_seconds;
  for (size_t j = 0; j < it->device_count; j++) {
    const double batch = dsm_instance_batch(it, j);
    const double link = it->devices[j].link_bytes_per_second / batch;
    for (size_t i = 0; i < it->task_count; i++) {
      const double spent = batch * dsm_instance_seconds(it, i, j);
      seconds[x_of(e, i, j)] = isfinite(spent) ? spent + results_of(e, i) / link : 0;
    }
    for (size_t t = 0; t < it->tensor_count; t++) {
      seconds[sent_of(e, t, j)] = it->tensors[t].bytes / link;
    }
  }
}

static void write_storage(enumeration *e, const size_t *choice) {
  const dsm_instance *const it = e->instance;
  memset(&e->programme, 0, sizeof e->programme);
  e->programme.column_count = received_of(e, it->tensor_count, 0);
  ck_assert_uint_le(e->programme.column_count, SIMPLEX_COLUMNS);
  bool is_equal = e->options->objective != DSM_OBJECTIVE_THROUGHPUT || !is_chain(e);
  for (size_t i = 0; i < it->task_count; i++) {
    is_equal = is_equal || it->tasks[i].group != NULL;
  }
  for (size_t i = 0; i < it->task_count; i++) {
    write_task(e, i, is_equal);
  }
  for (size_t a = 0; a < it->task_count; a++) {
    for (size_t b = 0; b < a; b++) {
      if (are_together(it, a, b)) {
        write_group(e, a, b);
      }
    }
  }
  for (size_t t = 0; t < it->tensor_count; t++) {
    write_tensor(e, t);
  }
  for (size_t j = 0; j < it->device_count; j++) {
    write_device(e, j, e->sets[j][choice[j]]);
  }
  if (e->options->latency_limit_seconds > 0) {
    write_limit(e);
  }
}

static double best_throughput(enumeration *e) {
  e->programme.goal[0] = 1;
  return simplex_solve(&e->programme);
}

/* Minus joules with these devices on; minus infinity where the rate is out of reach. */
static double best_energy_on(enumeration *e, unsigned on) {
  const dsm_instance *const it = e->instance;
  const double required = e->options->required_rho;
  e->programme.goal[0] = penalty;
  new_row(e, required)[0] = 1;
  double watts = 0;
  double *const off = new_row(e, 0);
  for (size_t j = 0; j < it->device_count; j++) {
    const dsm_instance_device *const device = &it->devices[j];
    const bool is_on = (on >> j & 1) != 0;
    watts += is_on ? device->idle_watts : 0;
    for (size_t i = 0; i < it->task_count; i++) {
      off[x_of(e, i, j)] = is_on ? 0 : 1;
      const double seconds = dsm_instance_seconds(it, i, j);
      e->programme.goal[x_of(e, i, j)] =
          isfinite(seconds) ? -seconds * (device->busy_watts - device->idle_watts) : 0;
    }
  }
  double goal[SIMPLEX_COLUMNS];
  memcpy(goal, e->programme.goal, sizeof goal);
  (void)simplex_solve(&e->programme);
  if (e->programme.x[0] < required * (1 - 1e-9)) {
    return -HUGE_VAL;
  }
  for (size_t c = 1; c < e->programme.column_count; c++) {
    watts -= goal[c] * e->programme.x[c];
  }
  return -watts / required;
}

/* Every set of devices, where those outside can be turned off. */
static double best_energy(enumeration *e) {
  const unsigned all = (1U << e->instance->device_count) - 1;
  if (!e->options->is_unused_off) {
    return best_energy_on(e, all);
  }
  const simplex whole = e->programme;
  double best = -HUGE_VAL;
  for (unsigned on = 1; on <= all; on++) {
    e->programme = whole;
    best = fmax(best, best_energy_on(e, on));
  }
  return best;
}

/* ---- all storages ---- */

/* Of one place for each task: whether the tasks of each device follow one another. */
static bool is_staged(const dsm_instance *it, const size_t *device) {
  for (size_t first = 0; first < it->task_count; first++) {
    for (size_t last = first + 1; last < it->task_count; last++) {
      for (size_t between = first; between < last && device[first] == device[last]; between++) {
        if (device[between] != device[first]) {
          return false;
        }
      }
    }
  }
  return true;
}

/* How often a tensor goes to another device. */
static size_t count_cuts(const dsm_instance *it, const size_t *device) {
  size_t cuts = 0;
  for (size_t t = 0; t < it->tensor_count; t++) {
    unsigned targets = 0;
    for (size_t k = 0; k < it->tensors[t].consumer_count; k++) {
      targets |= 1U << device[it->tensors[t].consumers[k]];
    }
    targets &= ~(1U << device[it->tensors[t].producer]);
    for (; targets != 0; targets &= targets - 1) {
      cuts++;
    }
  }
  return cuts;
}

static bool has_form(const enumeration *e, const size_t *device) {
  const dsm_partition_options *const options = e->options;
  for (size_t a = 0; a < e->instance->task_count; a++) {
    for (size_t b = 0; b < a; b++) {
      if (are_together(e->instance, a, b) && device[a] != device[b]) {
        return false;
      }
    }
  }
  return (!options->is_staged || is_staged(e->instance, device)) &&
         (options->cuts_max == 0 || count_cuts(e->instance, device) <= options->cuts_max);
}

/* Each task is stored, and not more often than it may be. */
static bool is_allowed(const enumeration *e, const size_t *choice) {
  size_t device[32] = {0};
  for (size_t i = 0; i < e->instance->task_count; i++) {
    size_t copies = 0;
    for (size_t j = 0; j < e->instance->device_count; j++) {
      const bool is_here = (e->sets[j][choice[j]] >> i & 1) != 0;
      copies += is_here ? 1 : 0;
      device[i] = is_here ? j : device[i];
    }
    if (copies == 0 || (e->options->copies_max > 0 && copies > e->options->copies_max)) {
      return false;
    }
  }
  return e->options->copies_max != 1 || has_form(e, device);
}

typedef double storage_value(const dsm_instance *, const dsm_partition_options *,
                             const unsigned *sets);

/* By a programme that is written here, or by a stranger's value. */
static double best_of_all(const dsm_instance *instance, const dsm_partition_options *options,
                          double (*best_of)(enumeration *), storage_value *value_of, double none) {
  enumeration *const e = calloc(1, sizeof *e);
  ck_assert_ptr_nonnull(e);
  e->instance = instance;
  e->options = options;
  for (size_t j = 0; j < instance->device_count; j++) {
    list_sets(e, j);
  }
  double best = none;
  size_t choice[4] = {0};
  size_t j = 0;
  while (j < instance->device_count) {
    if (is_allowed(e, choice) && value_of != NULL) {
      unsigned sets[4] = {0};
      for (size_t k = 0; k < instance->device_count; k++) {
        sets[k] = e->sets[k][choice[k]];
      }
      best = fmax(best, value_of(instance, options, sets));
    } else if (is_allowed(e, choice)) {
      write_storage(e, choice);
      best = fmax(best, best_of(e));
    }
    for (j = 0; j < instance->device_count && ++choice[j] == e->set_count[j]; j++) {
      choice[j] = 0;
    }
  }
  free(e);
  return best;
}

double enumerate_storages(const dsm_instance *instance, const dsm_partition_options *options,
                          storage_value *value_of, double none) {
  return best_of_all(instance, options, NULL, value_of, none);
}

double enumerate_throughput(const dsm_instance *instance, const dsm_partition_options *options) {
  return best_of_all(instance, options, best_throughput, NULL, 0);
}

double enumerate_energy(const dsm_instance *instance, const dsm_partition_options *options) {
  return -best_of_all(instance, options, best_energy, NULL, -HUGE_VAL);
}

/* ---- latency ---- */

static double request_seconds(const enumeration *e, const size_t *device) {
  const dsm_instance *const it = e->instance;
  double room[4];
  double sum = 0;
  for (size_t j = 0; j < it->device_count; j++) {
    room[j] = it->devices[j].memory_bytes;
  }
  for (size_t i = 0; i < it->task_count; i++) {
    const double link =
        it->devices[device[i]].link_bytes_per_second / small_elements(it, device[i]);
    room[device[i]] -= need(e, i, device[i]);
    if (room[device[i]] < 0) {
      return HUGE_VAL;
    }
    sum += dsm_instance_seconds(it, i, device[i]);
    sum += results_of(e, i) / link;
  }
  for (size_t t = 0; t < it->tensor_count; t++) {
    const dsm_tensor *const tensor = &it->tensors[t];
    const size_t from = device[tensor->producer];
    unsigned targets = 0;
    for (size_t k = 0; k < tensor->consumer_count; k++) {
      targets |= 1U << device[tensor->consumers[k]];
    }
    for (size_t j = 0; j < it->device_count; j++) {
      if (j != from && (targets >> j & 1) != 0) {
        sum += tensor->bytes * small_elements(it, from) / it->devices[from].link_bytes_per_second;
      }
    }
  }
  return sum;
}

double enumerate_latency(const dsm_instance *instance, const dsm_partition_options *options) {
  enumeration *const e = calloc(1, sizeof *e);
  ck_assert_ptr_nonnull(e);
  e->instance = instance;
  e->options = options;
  size_t device[16] = {0};
  double best = HUGE_VAL;
  size_t i = 0;
  while (i < instance->task_count) {
    best = has_form(e, device) ? fmin(best, request_seconds(e, device)) : best;
    for (i = 0; i < instance->task_count && ++device[i] == instance->device_count; i++) {
      device[i] = 0;
    }
  }
  free(e);
  return best;
}
