/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programme.c: columns and rows of the programme. Written twice by the same code: first only
 * counted, then stored.
 *
 * Two forms of one programme (docs/partition.md, the programme, and how it is solved). The plain
 * form is the paper's, written out by the equations: its relaxation is reported, and it is what is
 * exported. The tight form has the same optimum and a relaxation closer to it: (2) has the least
 * factor that no answer of interest needs to exceed, places where nothing is to be decided have no
 * s_ij, and rows are added that some optimum always meets (programme_tight.c).
 *
 * Numbers are near one: times are counted in requests at a known rate, memory and links in parts of
 * the device's. GLPK's tolerances are made for such.
 */
#include "partition/programme.h"

#include <math.h>

#include "partition/programme_writer.h"

static double link_of(const dsm__writer *w, size_t device) {
  return w->instance->devices[device].link_bytes_per_second;
}

/*
 * Most that x_ij can be.
 *
 * No x_ij has to be above rho: cut all of them off at rho, and the sum over the devices of a task
 * still is at least rho while no row has more to carry. So a bound of rho is one of every rate, and
 * the smaller of it and what the device can do alone is the factor of (2): the smaller the factor,
 * the less a part of a stored task is worth in the relaxation.
 */
static double rate_limit(const dsm__writer *w, size_t task, size_t device) {
  if (w->is_latency) {
    return 1;
  }
  const double alone = 1 / dsm__spent(w, task, device);
  double wanted = w->form.rho_limit * w->form.time_unit;
  if (w->options->objective == DSM_OBJECTIVE_ENERGY) {
    wanted = w->options->required_rho * w->form.time_unit;
  }
  return w->form.is_tight ? fmin(alone, wanted) : HUGE_VAL;
}

/* The factor of (2) for x_ij as it is. */
static double most_often(const dsm__writer *w, size_t task, size_t device) {
  return w->form.is_tight ? rate_limit(w, task, device) : w->speed_limit * w->form.time_unit;
}

/* ---- columns ---- */

/* A device with room for everything stores everything, at no cost: there is nothing to decide, and
 * a rate without an s_ij is bounded by its column alone. The same goes for a task without
 * parameters. Where copies are limited, that is what is to be decided. */
static void write_task_columns(dsm__writer *w, size_t task, size_t device) {
  const dsm_instance *const instance = w->instance;
  dsm__programme *const made = w->made;
  const size_t place = dsm__place_of(w, task, device);
  made->rate[place] = made->stored[place] = DSM__NO_COLUMN;
  const double seconds = dsm_instance_seconds(instance, task, device);
  if (!isfinite(seconds) ||
      (w->form.is_tight && !dsm__task_can_run(instance, w->options, task, device))) {
    return;
  }
  double cost = 0;
  if (w->is_latency) {
    cost = dsm__batch_spent(w, task, device) + dsm__input_cost(w, task, device);
  } else if (w->options->objective == DSM_OBJECTIVE_ENERGY) {
    const dsm_instance_device *const it = &instance->devices[device];
    cost = (it->busy_watts - it->idle_watts) * dsm__spent(w, task, device) / made->goal_unit;
  }
  made->rate[place] = dsm__write_column(w, (dsm__column){.kind = DSM__COLUMN_RATE,
                                                         .major = task,
                                                         .device = device,
                                                         .upper = rate_limit(w, task, device),
                                                         .cost = cost,
                                                         .is_integer = w->is_latency});
  const bool is_free =
      w->form.is_tight && !w->has_few_copies &&
      (w->is_roomy[device] || dsm__task_need(instance, w->options, task, device) == 0);
  if (!w->is_latency && !is_free) {
    made->stored[place] = dsm__write_column(w, (dsm__column){.kind = DSM__COLUMN_STORED,
                                                             .major = task,
                                                             .device = device,
                                                             .upper = 1,
                                                             .is_integer = true});
  }
}

/* A tensor with several consumers takes part if sending can cost anything. */
static bool is_shared(const dsm__writer *w, size_t tensor) {
  return tensor < w->instance->tensor_count && w->instance->tensors[tensor].consumer_count > 1 &&
         w->has_links && w->instance->device_count > 1 &&
         dsm__output_bytes(w->instance, tensor, 0) > 0;
}

static bool is_needed_on(const dsm__writer *w, size_t tensor, size_t device) {
  const dsm_tensor *const it = &w->instance->tensors[tensor];
  for (size_t k = 0; k < it->consumer_count; k++) {
    if (w->made->rate[dsm__place_of(w, it->consumers[k], device)] != DSM__NO_COLUMN) {
      return true;
    }
  }
  return false;
}

static void write_tensor_columns(dsm__writer *w, size_t tensor, size_t device) {
  dsm__programme *const made = w->made;
  const size_t place = dsm__place_of(w, tensor, device);
  made->sent[place] = made->received[place] = DSM__NO_COLUMN;
  const bool is_result = tensor >= w->instance->tensor_count;
  const size_t producer = dsm__producer_of(w->instance, tensor);
  if (dsm__output_bytes(w->instance, tensor, device) == 0 || (is_result && !w->leaves[producer])) {
    return;
  }
  const bool is_multiple = is_shared(w, tensor);
  const bool is_limited = isfinite(link_of(w, device)) || !w->routes.is_plain;
  if (made->rate[dsm__place_of(w, producer, device)] != DSM__NO_COLUMN &&
      (is_multiple || is_limited || !w->form.is_tight)) {
    const double cost = w->is_latency ? dsm__sending_cost(w, tensor, device) : 0;
    made->sent[place] = dsm__write_column(w, (dsm__column){.kind = DSM__COLUMN_SENT,
                                                           .major = tensor,
                                                           .device = device,
                                                           .upper = HUGE_VAL,
                                                           .cost = cost});
    dsm__write_moved_columns(w, tensor, device);
  }
  if (is_multiple && is_needed_on(w, tensor, device)) {
    made->received[place] = dsm__write_column(
        w, (dsm__column){
               .kind = DSM__COLUMN_RECEIVED, .major = tensor, .device = device, .upper = HUGE_VAL});
  }
}

static void write_columns(dsm__writer *w) {
  const dsm_instance *const instance = w->instance;
  dsm__programme *const made = w->made;
  made->rho = DSM__NO_COLUMN;
  if (w->options->objective == DSM_OBJECTIVE_THROUGHPUT) {
    const double most = w->form.is_tight ? w->form.rho_limit * w->form.time_unit : HUGE_VAL;
    made->rho = dsm__write_column(
        w, (dsm__column){
               .kind = DSM__COLUMN_RHO, .lower = dsm__least_rate(w), .upper = most, .cost = 1});
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
  dsm__write_placing_columns(w);
  dsm__write_on_columns(w);
  dsm__write_latency_columns(w);
}

/* ---- rows ---- */

static void write_time_row(dsm__writer *w, size_t device) {
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_TIME,
                               .device = device,
                               .lower = -HUGE_VAL,
                               .upper = w->made->on[device] == DSM__NO_COLUMN ? 1 : 0});
  for (size_t i = 0; i < w->instance->task_count; i++) {
    const size_t column = w->made->rate[dsm__place_of(w, i, device)];
    if (column != DSM__NO_COLUMN) {
      dsm__write_entry(w, column, dsm__spent(w, i, device));
    }
  }
  dsm__write_entry(w, w->made->on[device], -1);
}

/* (2). A task that takes no time runs at most as often as any request can come: rates above rho do
 * not have to be. */
static void write_stored_row(dsm__writer *w, size_t task, size_t device) {
  const size_t place = dsm__place_of(w, task, device);
  const size_t stored = w->made->stored[place];
  if (stored == DSM__NO_COLUMN) {
    return;
  }
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_STORED,
                               .major = task,
                               .device = device,
                               .lower = -HUGE_VAL,
                               .upper = 0});
  const double spent = dsm__spent(w, task, device);
  const bool is_plain = !w->form.is_tight && spent > 0;
  dsm__write_entry(w, w->made->rate[place], is_plain ? spent : 1);
  dsm__write_entry(w, stored, is_plain ? -1 : -most_often(w, task, device));
}

static void write_memory_row(dsm__writer *w, size_t device) {
  const double memory = w->instance->devices[device].memory_bytes;
  if (!isfinite(memory) || (w->form.is_tight && w->is_roomy[device])) {
    return;
  }
  const double unit = memory > 0 ? memory : 1;
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_MEMORY,
                               .device = device,
                               .lower = -HUGE_VAL,
                               .upper = memory / unit});
  for (size_t i = 0; i < w->instance->task_count; i++) {
    const size_t place = dsm__place_of(w, i, device);
    dsm__write_entry(w, w->is_latency ? w->made->rate[place] : w->made->stored[place],
                     dsm__task_need(w->instance, w->options, i, device) / unit);
  }
}

/*
 * (4), and for a tensor with several consumers what the device receives of it.
 *
 * Each consumer has a row of its own, because what a device makes and a consumer does not use there
 * has to be sent for that consumer, whatever the others do. The largest of them is what is sent,
 * since one copy serves all consumers on a device.
 */
static void write_excess_rows(dsm__writer *w, size_t tensor, size_t device) {
  const dsm__programme *const made = w->made;
  const bool is_result = tensor >= w->instance->tensor_count;
  const dsm_tensor *const it = is_result ? NULL : &w->instance->tensors[tensor];
  const size_t rate = made->rate[dsm__place_of(w, dsm__producer_of(w->instance, tensor), device)];
  const size_t sent = made->sent[dsm__place_of(w, tensor, device)];
  const size_t received = made->received[dsm__place_of(w, tensor, device)];
  for (size_t k = 0; k < (is_result ? 1 : it->consumer_count); k++) {
    const size_t needed =
        is_result ? DSM__NO_COLUMN : made->rate[dsm__place_of(w, it->consumers[k], device)];
    dsm__row row = {.kind = DSM__ROW_EXCESS,
                    .major = tensor,
                    .device = device,
                    .consumer = k,
                    .upper = HUGE_VAL};
    if (sent != DSM__NO_COLUMN) {
      dsm__begin_row(w, row);
      dsm__write_entry(w, sent, 1);
      dsm__write_entry(w, rate, -1);
      dsm__write_entry(w, needed, 1);
    }
    if (received != DSM__NO_COLUMN && needed != DSM__NO_COLUMN) {
      row.kind = DSM__ROW_RECEIPT;
      dsm__begin_row(w, row);
      dsm__write_entry(w, received, 1);
      dsm__write_entry(w, needed, -1);
      dsm__write_entry(w, rate, 1);
    }
  }
}

/*
 * What is received was sent, by devices that have it.
 *
 * Without these rows a device could make a tensor that nobody takes from it and send nothing, while
 * others receive what nobody sent: (4) looks at each device by itself. That all copies together are
 * no fewer than what is received, and none sends more than a copy of what it makes to each other
 * device, ties both ends.
 */
static void write_delivery_rows(dsm__writer *w, size_t tensor) {
  const dsm__programme *const made = w->made;
  const size_t device_count = w->instance->device_count;
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_DELIVERY, .major = tensor, .upper = HUGE_VAL});
  for (size_t j = 0; j < device_count; j++) {
    dsm__write_entry(w, made->sent[dsm__place_of(w, tensor, j)], 1);
  }
  for (size_t j = 0; j < device_count; j++) {
    dsm__write_entry(w, made->received[dsm__place_of(w, tensor, j)], -1);
  }
  for (size_t j = 0; j < device_count; j++) {
    const size_t sent = made->sent[dsm__place_of(w, tensor, j)];
    if (sent != DSM__NO_COLUMN) {
      dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_COPIES,
                                   .major = tensor,
                                   .device = j,
                                   .lower = -HUGE_VAL,
                                   .upper = 0});
      dsm__write_entry(w, sent, 1);
      dsm__write_entry(w, made->rate[dsm__place_of(w, dsm__producer_of(w->instance, tensor), j)],
                       -(double)(device_count - 1));
    }
  }
}

/* In the tight form the rate holds with equality on chains too, which cuts off no optimum
 * (docs/partition.md, rulings) and leaves the tree less to look at. */
static void write_rate_row(dsm__writer *w, size_t task) {
  const dsm__programme *const made = w->made;
  const dsm_objective_kind objective = w->options->objective;
  double least = 0;
  if (objective == DSM_OBJECTIVE_LATENCY) {
    least = 1;
  } else if (objective == DSM_OBJECTIVE_ENERGY) {
    least = w->options->required_rho * w->form.time_unit;
  }
  const bool is_equal = objective != DSM_OBJECTIVE_THROUGHPUT || w->form.is_tight || !w->is_chain ||
                        w->routes.has_targets;
  dsm__begin_row(w, (dsm__row){.kind = DSM__ROW_RATE,
                               .major = task,
                               .lower = least,
                               .upper = is_equal ? least : HUGE_VAL});
  for (size_t j = 0; j < w->instance->device_count; j++) {
    dsm__write_entry(w, made->rate[dsm__place_of(w, task, j)], 1);
  }
  dsm__write_entry(w, made->rho, -1);
}

static void write_rows(dsm__writer *w) {
  const dsm_instance *const instance = w->instance;
  const size_t tensor_count = instance->tensor_count + instance->task_count;
  for (size_t j = 0; j < instance->device_count && !w->is_latency; j++) {
    write_time_row(w, j);
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    for (size_t j = 0; j < instance->device_count; j++) {
      write_stored_row(w, i, j);
      dsm__write_on_row(w, i, j, most_often(w, i, j));
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
    dsm__write_moved_rows(w, t);
  }
  if (!w->is_latency) {
    dsm__write_carrier_rows(w);
  }
  dsm__write_latency_rows(w);
  for (size_t i = 0; i < instance->task_count; i++) {
    write_rate_row(w, i);
  }
  dsm__write_placing_rows(w);
  if (w->form.is_tight) {
    dsm__write_tight_rows(w);
  }
}

/* ---- all of it ---- */

static double speed_limit(const dsm__writer *w) {
  return w->options->objective == DSM_OBJECTIVE_ENERGY ? w->options->required_rho
                                                       : dsm__speed_limit(w->instance, w->options);
}

static void survey(dsm__writer *w) {
  const dsm_instance *const instance = w->instance;
  bool has_instant = false;
  w->has_links = !w->routes.is_plain;
  for (size_t j = 0; j < instance->device_count; j++) {
    double need = 0;
    for (size_t i = 0; i < instance->task_count; i++) {
      has_instant = has_instant || dsm_instance_seconds(instance, i, j) == 0;
      need += dsm__task_can_run(instance, w->options, i, j)
                  ? dsm__task_need(instance, w->options, i, j)
                  : 0;
    }
    w->is_roomy[j] = need <= instance->devices[j].memory_bytes;
    w->has_links = w->has_links || isfinite(link_of(w, j));
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    w->leaves[i] = !w->options->does_keep_results;
  }
  for (size_t t = 0; t < instance->tensor_count; t++) {
    const size_t producer = instance->tensors[t].producer;
    w->leaves[producer] = w->leaves[producer] && instance->tasks[producer].result_bytes > 0;
  }
  w->is_chain = dsm__is_chain(instance);
  w->speed_limit = has_instant ? speed_limit(w) : HUGE_VAL;
  w->has_few_copies =
      !w->is_latency && dsm__copies_max(instance, w->options) < instance->device_count;
  w->order_count = dsm__order_tasks(instance, w->options, w->by_need);
}

static void set_units(dsm__writer *w) {
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
      made->goal_offset += dsm__can_turn_off(w->options) ? 0 : instance->devices[j].idle_watts;
      most = fmax(most, instance->devices[j].busy_watts);
    }
    made->goal_unit = w->form.is_tight && most > 0 ? most : 1;
  }
}

static bool reserve(dsm__writer *w, dsm__arena *arena) {
  const size_t task_count = w->instance->task_count;
  const size_t device_count = w->instance->device_count;
  const size_t places = task_count * device_count;
  const size_t tensors = (w->instance->tensor_count + task_count) * device_count;
  dsm__programme *const made = w->made;
  return DSM__RESERVE(arena, made->rate, places) && DSM__RESERVE(arena, made->stored, places) &&
         DSM__RESERVE(arena, made->on, device_count) && DSM__RESERVE(arena, made->sent, tensors) &&
         DSM__RESERVE(arena, made->received, tensors) &&
         (!w->routes.has_targets ||
          DSM__RESERVE(arena, made->moved,
                       w->instance->tensor_count * device_count * device_count)) &&
         DSM__RESERVE(arena, w->begins, places) && DSM__RESERVE(arena, w->cuts, tensors) &&
         DSM__RESERVE(arena, w->is_roomy, device_count) &&
         DSM__RESERVE(arena, w->leaves, task_count);
}

bool dsm__programme_build(dsm__programme *programme, dsm__arena *arena,
                          const dsm_instance *instance, const dsm_partition_options *options,
                          dsm__programme_form form) {
  *programme = (dsm__programme){.instance = instance, .goal_row = DSM__NO_COLUMN};
  dsm__writer w = {.made = programme,
                   .instance = instance,
                   .options = options,
                   .form = form,
                   .is_latency = options->objective == DSM_OBJECTIVE_LATENCY};
  if (!dsm__routes_make(&w.routes, arena, instance, options) || !reserve(&w, arena)) {
    return false;
  }
  survey(&w);
  dsm__survey_batches(&w);
  if (!dsm__reserve_groups(&w, arena)) {
    return false;
  }
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
