/* SPDX-License-Identifier: GPL-3.0-or-later */
/* programme.c: columns and rows of the programme. Written twice by the same code: first only
 * counted, then stored. */
#include "partition/programme.h"

#include <math.h>

/* Rates this much below the floor are of interest too: a solver's rounding. */
static const double floor_slack = 1e-6;

typedef struct writer {
  dsm__programme *made;
  const dsm_instance *instance;
  const dsm_partition_options *options;
  dsm__programme_form form;
  bool is_latency;
  bool has_links; /* some link is limited */
  bool is_chain;
  bool *is_roomy; /* [j]: all that can run there fits (tight: nothing to decide) */
  bool *leaves;   /* [i] */
  size_t by_need[DSM__ORDER_TASKS_MAX]; /* the tasks that order equal devices */
  size_t order_count;
} writer;

double dsm__task_need(const dsm_instance *instance, const dsm_partition_options *options,
                      size_t task) {
  const dsm_task *const it = &instance->tasks[task];
  return it->weights_bytes + (options->does_count_activations ? it->activation_bytes : 0);
}

bool dsm__task_can_run(const dsm_instance *instance, const dsm_partition_options *options,
                       size_t task, size_t device) {
  return isfinite(dsm_instance_seconds(instance, task, device)) &&
         dsm__task_need(instance, options, task) <= instance->devices[device].memory_bytes;
}

bool dsm__leaves(const dsm_instance *instance, const dsm_partition_options *options, size_t task) {
  if (options->does_keep_results) {
    return false;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    if (instance->tensors[t].producer == task) {
      return false;
    }
  }
  return true;
}

bool dsm__is_chain(const dsm_instance *instance) {
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    if (it->consumer_count != 1) {
      return false;
    }
    for (size_t u = 0; u < t; u++) {
      if (instance->tensors[u].producer == it->producer ||
          instance->tensors[u].consumers[0] == it->consumers[0]) {
        return false;
      }
    }
  }
  return true;
}

bool dsm__devices_are_equal(const dsm_instance *instance, size_t a, size_t b) {
  const dsm_instance_device *const x = &instance->devices[a];
  const dsm_instance_device *const y = &instance->devices[b];
  bool is_equal = x->memory_bytes == y->memory_bytes &&
                  x->link_bytes_per_second == y->link_bytes_per_second &&
                  x->has_power == y->has_power && x->busy_watts == y->busy_watts &&
                  x->idle_watts == y->idle_watts;
  for (size_t i = 0; i < instance->task_count && is_equal; i++) {
    is_equal = dsm_instance_seconds(instance, i, a) == dsm_instance_seconds(instance, i, b);
  }
  return is_equal;
}

/* ---- writing ---- */

static size_t add_column(writer *w, dsm__column column) {
  dsm__programme *const made = w->made;
  if (made->columns != NULL) {
    made->columns[made->column_count] = column;
  }
  return made->column_count++;
}

static size_t begin_row(writer *w, dsm__row row) {
  dsm__programme *const made = w->made;
  if (made->rows != NULL) {
    made->rows[made->row_count] = row;
  }
  return made->row_count++;
}

/* Adds to the last row. */
static void add_entry(writer *w, size_t column, double value) {
  dsm__programme *const made = w->made;
  if (column == DSM__NO_COLUMN || value == 0) {
    return;
  }
  if (made->entries != NULL) {
    made->entries[made->entry_count] =
        (dsm__entry){.row = made->row_count - 1, .column = column, .value = value};
  }
  made->entry_count++;
}

static size_t at(const writer *w, size_t major, size_t device) {
  return major * w->instance->device_count + device;
}

/* p_ij in time units */
static double spent(const writer *w, size_t task, size_t device) {
  return dsm_instance_seconds(w->instance, task, device) / w->form.time_unit;
}

static double link_of(const writer *w, size_t device) {
  return w->instance->devices[device].link_bytes_per_second;
}

static double output_bytes(const writer *w, size_t tensor) {
  const dsm_instance *const instance = w->instance;
  return tensor < instance->tensor_count
             ? instance->tensors[tensor].bytes
             : instance->tasks[tensor - instance->tensor_count].output_bytes;
}

static size_t producer_of(const writer *w, size_t tensor) {
  const dsm_instance *const instance = w->instance;
  return tensor < instance->tensor_count ? instance->tensors[tensor].producer
                                         : tensor - instance->tensor_count;
}

/* Most that x_ij can be. */
static double rate_limit(const writer *w, size_t task, size_t device) {
  if (w->is_latency) {
    return 1;
  }
  const double alone = 1 / spent(w, task, device);
  double wanted = w->form.rho_limit * w->form.time_unit;
  if (w->options->objective == DSM_OBJECTIVE_ENERGY) {
    wanted = w->options->required_rho * w->form.time_unit;
  }
  return w->form.is_tight ? fmin(alone, wanted) : HUGE_VAL;
}

/* ---- columns ---- */

static void write_task_columns(writer *w, size_t task, size_t device) {
  const dsm_instance *const instance = w->instance;
  dsm__programme *const made = w->made;
  const size_t place = at(w, task, device);
  made->rate[place] = made->stored[place] = DSM__NO_COLUMN;
  const double seconds = dsm_instance_seconds(instance, task, device);
  if (!isfinite(seconds) ||
      (w->form.is_tight && !dsm__task_can_run(instance, w->options, task, device))) {
    return;
  }
  double cost = 0;
  if (w->is_latency) {
    cost = spent(w, task, device);
  } else if (w->options->objective == DSM_OBJECTIVE_ENERGY) {
    const dsm_instance_device *const it = &instance->devices[device];
    cost = (it->busy_watts - it->idle_watts) * spent(w, task, device) / made->goal_unit;
  }
  made->rate[place] = add_column(w, (dsm__column){.kind = DSM__COLUMN_RATE,
                                                  .major = task,
                                                  .device = device,
                                                  .upper = rate_limit(w, task, device),
                                                  .cost = cost,
                                                  .is_integer = w->is_latency});
  const bool is_free =
      w->form.is_tight && (w->is_roomy[device] || dsm__task_need(instance, w->options, task) == 0);
  if (!w->is_latency && !is_free) {
    made->stored[place] = add_column(w, (dsm__column){.kind = DSM__COLUMN_STORED,
                                                      .major = task,
                                                      .device = device,
                                                      .upper = 1,
                                                      .is_integer = true});
  }
}

/* A tensor with several consumers takes part if sending can cost anything. */
static bool is_shared(const writer *w, size_t tensor) {
  return tensor < w->instance->tensor_count && w->instance->tensors[tensor].consumer_count > 1 &&
         w->has_links && w->instance->device_count > 1 && output_bytes(w, tensor) > 0;
}

static bool is_needed_on(const writer *w, size_t tensor, size_t device) {
  const dsm_tensor *const it = &w->instance->tensors[tensor];
  for (size_t k = 0; k < it->consumer_count; k++) {
    if (w->made->rate[at(w, it->consumers[k], device)] != DSM__NO_COLUMN) {
      return true;
    }
  }
  return false;
}

static void write_tensor_columns(writer *w, size_t tensor, size_t device) {
  dsm__programme *const made = w->made;
  const size_t place = at(w, tensor, device);
  made->sent[place] = made->received[place] = DSM__NO_COLUMN;
  const bool is_result = tensor >= w->instance->tensor_count;
  const size_t producer = producer_of(w, tensor);
  if (output_bytes(w, tensor) == 0 || (is_result && !w->leaves[producer])) {
    return;
  }
  const bool is_multiple = is_shared(w, tensor);
  const double link = link_of(w, device);
  if (made->rate[at(w, producer, device)] != DSM__NO_COLUMN &&
      (is_multiple || isfinite(link) || !w->form.is_tight)) {
    const double cost = w->is_latency ? output_bytes(w, tensor) / link / w->form.time_unit : 0;
    made->sent[place] = add_column(w, (dsm__column){.kind = DSM__COLUMN_SENT,
                                                    .major = tensor,
                                                    .device = device,
                                                    .upper = HUGE_VAL,
                                                    .cost = isfinite(link) ? cost : 0});
  }
  if (is_multiple && is_needed_on(w, tensor, device)) {
    made->received[place] = add_column(
        w, (dsm__column){
               .kind = DSM__COLUMN_RECEIVED, .major = tensor, .device = device, .upper = HUGE_VAL});
  }
}

static void write_columns(writer *w) {
  const dsm_instance *const instance = w->instance;
  dsm__programme *const made = w->made;
  made->rho = DSM__NO_COLUMN;
  if (w->options->objective == DSM_OBJECTIVE_THROUGHPUT) {
    const double most = w->form.is_tight ? w->form.rho_limit * w->form.time_unit : HUGE_VAL;
    const double least = w->form.rho_floor * w->form.time_unit * (1 - floor_slack);
    made->rho = add_column(
        w, (dsm__column){.kind = DSM__COLUMN_RHO, .lower = least, .upper = most, .cost = 1});
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    for (size_t j = 0; j < instance->device_count; j++) {
      write_task_columns(w, i, j);
    }
  }
  for (size_t t = 0; t < instance->tensor_count + instance->task_count; t++) {
    for (size_t j = 0; j < instance->device_count; j++) {
      write_tensor_columns(w, t, j);
    }
  }
}

/* ---- rows ---- */

static void write_time_row(writer *w, size_t device) {
  begin_row(w, (dsm__row){.kind = DSM__ROW_TIME, .device = device, .lower = -HUGE_VAL, .upper = 1});
  for (size_t i = 0; i < w->instance->task_count; i++) {
    const size_t column = w->made->rate[at(w, i, device)];
    if (column != DSM__NO_COLUMN) {
      add_entry(w, column, spent(w, i, device));
    }
  }
}

static void write_stored_row(writer *w, size_t task, size_t device) {
  const size_t place = at(w, task, device);
  const size_t stored = w->made->stored[place];
  if (stored == DSM__NO_COLUMN) {
    return;
  }
  begin_row(w, (dsm__row){.kind = DSM__ROW_STORED,
                          .major = task,
                          .device = device,
                          .lower = -HUGE_VAL,
                          .upper = 0});
  const double scale = w->form.is_tight ? 1 : spent(w, task, device);
  add_entry(w, w->made->rate[place], scale);
  add_entry(w, stored, w->form.is_tight ? -rate_limit(w, task, device) : -1);
}

static void write_memory_row(writer *w, size_t device) {
  const double memory = w->instance->devices[device].memory_bytes;
  if (!isfinite(memory) || (w->form.is_tight && w->is_roomy[device])) {
    return;
  }
  const double unit = memory > 0 ? memory : 1;
  begin_row(w, (dsm__row){.kind = DSM__ROW_MEMORY,
                          .device = device,
                          .lower = -HUGE_VAL,
                          .upper = memory / unit});
  for (size_t i = 0; i < w->instance->task_count; i++) {
    const size_t place = at(w, i, device);
    add_entry(w, w->is_latency ? w->made->rate[place] : w->made->stored[place],
              dsm__task_need(w->instance, w->options, i) / unit);
  }
}

/* (4), and for a tensor with several consumers what the device receives of it. */
static void write_excess_rows(writer *w, size_t tensor, size_t device) {
  const dsm__programme *const made = w->made;
  const bool is_result = tensor >= w->instance->tensor_count;
  const dsm_tensor *const it = is_result ? NULL : &w->instance->tensors[tensor];
  const size_t rate = made->rate[at(w, producer_of(w, tensor), device)];
  const size_t sent = made->sent[at(w, tensor, device)];
  const size_t received = made->received[at(w, tensor, device)];
  for (size_t k = 0; k < (is_result ? 1 : it->consumer_count); k++) {
    const size_t needed = is_result ? DSM__NO_COLUMN : made->rate[at(w, it->consumers[k], device)];
    dsm__row row = {.kind = DSM__ROW_EXCESS,
                    .major = tensor,
                    .device = device,
                    .consumer = k,
                    .upper = HUGE_VAL};
    if (sent != DSM__NO_COLUMN) {
      begin_row(w, row);
      add_entry(w, sent, 1);
      add_entry(w, rate, -1);
      add_entry(w, needed, 1);
    }
    if (received != DSM__NO_COLUMN && needed != DSM__NO_COLUMN) {
      row.kind = DSM__ROW_RECEIPT;
      begin_row(w, row);
      add_entry(w, received, 1);
      add_entry(w, needed, -1);
      add_entry(w, rate, 1);
    }
  }
}

/* What is received was sent, by devices that have it. */
static void write_delivery_rows(writer *w, size_t tensor) {
  const dsm__programme *const made = w->made;
  const size_t device_count = w->instance->device_count;
  begin_row(w, (dsm__row){.kind = DSM__ROW_DELIVERY, .major = tensor, .upper = HUGE_VAL});
  for (size_t j = 0; j < device_count; j++) {
    add_entry(w, made->sent[at(w, tensor, j)], 1);
  }
  for (size_t j = 0; j < device_count; j++) {
    add_entry(w, made->received[at(w, tensor, j)], -1);
  }
  for (size_t j = 0; j < device_count; j++) {
    const size_t sent = made->sent[at(w, tensor, j)];
    if (sent != DSM__NO_COLUMN) {
      begin_row(w, (dsm__row){.kind = DSM__ROW_COPIES,
                              .major = tensor,
                              .device = j,
                              .lower = -HUGE_VAL,
                              .upper = 0});
      add_entry(w, sent, 1);
      add_entry(w, made->rate[at(w, producer_of(w, tensor), j)], -(double)(device_count - 1));
    }
  }
}

static void write_link_row(writer *w, size_t device) {
  const double link = link_of(w, device);
  if (!isfinite(link) || w->is_latency) {
    return;
  }
  const double capacity = link * w->form.time_unit; /* bytes in a time unit */
  begin_row(w, (dsm__row){.kind = DSM__ROW_LINK, .device = device, .lower = -HUGE_VAL, .upper = 1});
  for (size_t t = 0; t < w->instance->tensor_count + w->instance->task_count; t++) {
    add_entry(w, w->made->sent[at(w, t, device)], output_bytes(w, t) / capacity);
  }
}

static void write_rate_row(writer *w, size_t task) {
  const dsm__programme *const made = w->made;
  const dsm_objective_kind objective = w->options->objective;
  double least = 0;
  if (objective == DSM_OBJECTIVE_LATENCY) {
    least = 1;
  } else if (objective == DSM_OBJECTIVE_ENERGY) {
    least = w->options->required_rho * w->form.time_unit;
  }
  const bool is_equal = objective != DSM_OBJECTIVE_THROUGHPUT || w->form.is_tight || !w->is_chain;
  begin_row(w, (dsm__row){.kind = DSM__ROW_RATE,
                          .major = task,
                          .lower = least,
                          .upper = is_equal ? least : HUGE_VAL});
  for (size_t j = 0; j < w->instance->device_count; j++) {
    add_entry(w, made->rate[at(w, task, j)], 1);
  }
  add_entry(w, made->rho, -1);
}

/* ---- what only tightens ---- */

/* How many of the devices that cannot run a task at the least rate alone it takes to reach it, the
 * fastest first; 0: all of them cannot. */
static size_t count_helpers(const writer *w, size_t task, double least) {
  const size_t device_count = w->instance->device_count;
  double reached = 0;
  double last = HUGE_VAL;
  size_t last_device = device_count;
  for (size_t count = 1; count <= device_count; count++) {
    /* the next slower one: by rate, then by number */
    size_t next = device_count;
    for (size_t j = 0; j < device_count; j++) {
      const double rate =
          w->made->rate[at(w, task, j)] == DSM__NO_COLUMN ? 0 : 1 / spent(w, task, j);
      const bool is_after = rate < last || (rate == last && j > last_device);
      if (rate > 0 && rate < least && is_after &&
          (next == device_count || rate > 1 / spent(w, task, next))) {
        next = j;
      }
    }
    if (next == device_count) {
      return 0;
    }
    last = 1 / spent(w, task, next);
    last_device = next;
    reached += last;
    if (reached >= least) {
      return count;
    }
  }
  return 0;
}

/* A task is stored somewhere, if that is to be decided at all: on a device that can run it at the
 * least rate that is of interest, or on enough of the others. */
static void write_placed_row(writer *w, size_t task) {
  const dsm__programme *const made = w->made;
  for (size_t j = 0; j < w->instance->device_count; j++) {
    const size_t place = at(w, task, j);
    if (made->rate[place] != DSM__NO_COLUMN && made->stored[place] == DSM__NO_COLUMN) {
      return;
    }
  }
  const bool is_energy = w->options->objective == DSM_OBJECTIVE_ENERGY;
  const double floor = is_energy ? w->options->required_rho : w->form.rho_floor;
  const double least = floor * w->form.time_unit * (1 - floor_slack);
  const size_t helpers = count_helpers(w, task, least);
  begin_row(w, (dsm__row){.kind = DSM__ROW_PLACED, .major = task, .lower = 1, .upper = HUGE_VAL});
  for (size_t j = 0; j < w->instance->device_count; j++) {
    const size_t place = at(w, task, j);
    if (made->stored[place] == DSM__NO_COLUMN) {
      continue;
    }
    const bool is_enough = 1 / spent(w, task, j) >= least;
    const double others = helpers == 0 ? 0 : 1 / (double)helpers;
    add_entry(w, made->stored[place], is_enough ? 1 : others);
  }
}

/* Of two equal devices the first stores the lexicographically greater set of the tasks that order:
 * any answer becomes such a one by renaming equal devices. */
static void write_order_row(writer *w, size_t device) {
  const dsm__programme *const made = w->made;
  size_t next = device + 1;
  while (next < w->instance->device_count && !dsm__devices_are_equal(w->instance, device, next)) {
    next++;
  }
  if (next == w->instance->device_count || (!w->is_latency && w->is_roomy[device])) {
    return;
  }
  begin_row(w, (dsm__row){.kind = DSM__ROW_ORDER, .device = device, .upper = HUGE_VAL});
  for (size_t k = 0; k < w->order_count; k++) {
    const double weight = ldexp(1, (int)(w->order_count - 1 - k));
    const size_t *const columns = w->is_latency ? made->rate : made->stored;
    add_entry(w, columns[at(w, w->by_need[k], device)], weight);
    add_entry(w, columns[at(w, w->by_need[k], next)], -weight);
  }
}

static void write_goal_row(writer *w) {
  dsm__programme *const made = w->made;
  made->goal_row = DSM__NO_COLUMN;
  if (made->is_maximised) {
    return;
  }
  const dsm__row row = {.kind = DSM__ROW_GOAL, .lower = -HUGE_VAL, .upper = HUGE_VAL};
  made->goal_row = begin_row(w, row);
  for (size_t c = 0; c < made->column_count; c++) {
    add_entry(w, c, made->columns == NULL ? 1 : made->columns[c].cost);
  }
}

static void write_rows(writer *w) {
  const dsm_instance *const instance = w->instance;
  const size_t tensor_count = instance->tensor_count + instance->task_count;
  for (size_t j = 0; j < instance->device_count && !w->is_latency; j++) {
    write_time_row(w, j);
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    for (size_t j = 0; j < instance->device_count; j++) {
      write_stored_row(w, i, j);
    }
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    write_memory_row(w, j);
  }
  for (size_t t = 0; t < tensor_count; t++) {
    for (size_t j = 0; j < instance->device_count; j++) {
      write_excess_rows(w, t, j);
    }
    if (is_shared(w, t)) {
      write_delivery_rows(w, t);
    }
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    write_link_row(w, j);
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    write_rate_row(w, i);
  }
  if (w->form.is_tight) {
    for (size_t i = 0; i < instance->task_count && !w->is_latency; i++) {
      write_placed_row(w, i);
    }
    for (size_t j = 0; j < instance->device_count; j++) {
      write_order_row(w, j);
    }
    write_goal_row(w);
  }
}

/* ---- all of it ---- */

size_t dsm__order_tasks(const dsm_instance *instance, const dsm_partition_options *options,
                        size_t tasks[DSM__ORDER_TASKS_MAX]) {
  size_t count = 0;
  while (count < DSM__ORDER_TASKS_MAX && count < instance->task_count) {
    size_t best = instance->task_count;
    for (size_t i = 0; i < instance->task_count; i++) {
      bool is_taken = false;
      for (size_t k = 0; k < count; k++) {
        is_taken = is_taken || tasks[k] == i;
      }
      if (!is_taken &&
          (best == instance->task_count ||
           dsm__task_need(instance, options, i) > dsm__task_need(instance, options, best))) {
        best = i;
      }
    }
    tasks[count++] = best;
  }
  return count;
}

static void survey(writer *w) {
  const dsm_instance *const instance = w->instance;
  for (size_t j = 0; j < instance->device_count; j++) {
    double need = 0;
    for (size_t i = 0; i < instance->task_count; i++) {
      need += dsm__task_can_run(instance, w->options, i, j)
                  ? dsm__task_need(instance, w->options, i)
                  : 0;
    }
    w->is_roomy[j] = need <= instance->devices[j].memory_bytes;
    w->has_links = w->has_links || isfinite(link_of(w, j));
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    w->leaves[i] = !w->options->does_keep_results;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    w->leaves[instance->tensors[t].producer] = false;
  }
  w->is_chain = dsm__is_chain(instance);
  w->order_count = dsm__order_tasks(instance, w->options, w->by_need);
}

static void set_units(writer *w) {
  const dsm_instance *const instance = w->instance;
  dsm__programme *const made = w->made;
  const dsm_objective_kind objective = w->options->objective;
  made->is_maximised = objective == DSM_OBJECTIVE_THROUGHPUT;
  made->time_unit = w->form.time_unit;
  made->goal_unit = w->is_latency ? w->form.time_unit : 1 / w->form.time_unit;
  if (objective == DSM_OBJECTIVE_ENERGY) {
    /* watts over requests per second */
    double most = 0;
    for (size_t j = 0; j < instance->device_count; j++) {
      made->goal_offset += instance->devices[j].idle_watts;
      most = fmax(most, instance->devices[j].busy_watts);
    }
    made->goal_unit = w->form.is_tight && most > 0 ? most : 1;
  }
}

static bool reserve(writer *w, dsm__arena *arena) {
  const size_t task_count = w->instance->task_count;
  const size_t device_count = w->instance->device_count;
  const size_t places = task_count * device_count;
  const size_t tensors = (w->instance->tensor_count + task_count) * device_count;
  dsm__programme *const made = w->made;
  made->rate = dsm__arena_array(arena, places, sizeof *made->rate);
  made->stored = dsm__arena_array(arena, places, sizeof *made->stored);
  made->sent = dsm__arena_array(arena, tensors, sizeof *made->sent);
  made->received = dsm__arena_array(arena, tensors, sizeof *made->received);
  w->is_roomy = dsm__arena_array(arena, device_count, sizeof *w->is_roomy);
  w->leaves = dsm__arena_array(arena, task_count, sizeof *w->leaves);
  return made->rate != NULL && made->stored != NULL && made->sent != NULL &&
         made->received != NULL && w->is_roomy != NULL && w->leaves != NULL;
}

bool dsm__programme_build(dsm__programme *programme, dsm__arena *arena,
                          const dsm_instance *instance, const dsm_partition_options *options,
                          dsm__programme_form form) {
  *programme = (dsm__programme){.instance = instance, .goal_row = DSM__NO_COLUMN};
  writer w = {.made = programme,
              .instance = instance,
              .options = options,
              .form = form,
              .is_latency = options->objective == DSM_OBJECTIVE_LATENCY};
  if (!reserve(&w, arena)) {
    return false;
  }
  survey(&w);
  set_units(&w);
  write_columns(&w);
  write_rows(&w);
  dsm__column *const columns =
      dsm__arena_array(arena, programme->column_count, sizeof *programme->columns);
  dsm__row *const rows = dsm__arena_array(arena, programme->row_count, sizeof *programme->rows);
  dsm__entry *const entries =
      dsm__arena_array(arena, programme->entry_count, sizeof *programme->entries);
  if (columns == NULL || rows == NULL || entries == NULL) {
    return false;
  }
  programme->column_count = programme->row_count = programme->entry_count = 0;
  programme->columns = columns;
  programme->rows = rows;
  programme->entries = entries;
  write_columns(&w);
  write_rows(&w);
  return true;
}
