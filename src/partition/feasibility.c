/* SPDX-License-Identifier: GPL-3.0-or-later */
/* feasibility.c: instances and options that no search can answer. */
#include "partition/instance_facts.h"

#include <math.h>

#include "base/diag_add.h"
#include "base/number_text.h"

/* The first device with a batch; device_count: there is none. */
static size_t first_batched(const dsm_instance *instance) {
  size_t j = 0;
  while (j < instance->device_count && !(dsm_instance_batch(instance, j) > 1) &&
         instance->devices[j].batch_size_count < 2) {
    j++;
  }
  return j;
}

dsm_status dsm__check_question(const dsm_instance *instance, const dsm_partition_options *options,
                               dsm_diags *diags) {
  dsm_status status = DSM_OK;
  if (!(options->time_limit_seconds > 0)) {
    status = dsm__refuse(diags, DSM_ERROR_USAGE, "expected a time limit above 0 seconds, found %g",
                         options->time_limit_seconds);
  }
  if (!(options->gap >= 0 && options->gap < 1)) {
    status = dsm__refuse(diags, DSM_ERROR_USAGE,
                         "expected a gap of 0 or more and below 1, found %g", options->gap);
  }
  if ((options->is_staged || options->cuts_max > 0) && options->copies_max > 1) {
    status = dsm__refuse(diags, DSM_ERROR_USAGE,
                         "stages, and a limit of cuts, are for tasks in one place each: expected 1 "
                         "copy of each task, or no limit of copies, found at most %zu",
                         options->copies_max);
  }
  const double limit = options->latency_limit_seconds;
  if (!(limit >= 0 && isfinite(limit))) {
    status = dsm__refuse(diags, DSM_ERROR_USAGE,
                         "expected a limit of latency above 0 seconds, or none, found %g", limit);
  }
  if (limit > 0 && options->objective == DSM_OBJECTIVE_LATENCY) {
    status = dsm__refuse(diags, DSM_ERROR_USAGE,
                         "a limit of latency is for the objectives throughput and energy: the "
                         "objective latency is the least there is");
  }
  const size_t batched = first_batched(instance);
  if (options->objective == DSM_OBJECTIVE_LATENCY && batched < instance->device_count) {
    status = dsm__refuse(diags, DSM_ERROR_USAGE,
                         "the objective latency is of one request alone, which fills no batch: "
                         "expected a batch of 1 for device \"%s\"",
                         instance->devices[batched].name);
  }
  if (options->objective != DSM_OBJECTIVE_ENERGY) {
    return status;
  }
  if (!(options->required_rho > 0 && isfinite(options->required_rho))) {
    status = dsm__refuse(diags, DSM_ERROR_USAGE,
                         "the objective energy needs a required rate above 0 requests per second, "
                         "found %g",
                         options->required_rho);
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    if (!instance->devices[j].has_power) {
      status =
          dsm__refuse(diags, DSM_ERROR_USAGE,
                      "the objective energy needs the power of every device, but \"%s\" gives none",
                      instance->devices[j].name);
    }
  }
  return status;
}

/*
 * Why a task has no place: where it comes nearest to fitting.
 *
 * Of the devices that can run the task at all the one with the most memory, in parts of what the
 * task needs there, is the nearest to holding it.
 */
static dsm_status report_homeless(const dsm_instance *instance,
                                  const dsm_partition_options *options, size_t task,
                                  dsm_diags *diags) {
  double need = 1;
  size_t nearest = instance->device_count;
  for (size_t j = 0; j < instance->device_count; j++) {
    const double own = dsm__task_need(instance, options, task, j);
    if (isfinite(dsm_instance_seconds(instance, task, j)) &&
        (nearest == instance->device_count || instance->devices[j].memory_bytes / own >
                                                  instance->devices[nearest].memory_bytes / need)) {
      nearest = j;
      need = own;
    }
  }
  if (nearest == instance->device_count) {
    return dsm__refuse(diags, DSM_ERROR_INFEASIBLE, "task \"%s\" can run on no device",
                       instance->tasks[task].name);
  }
  const dsm_instance_device *const device = &instance->devices[nearest];
  const double missing = ceil(need - device->memory_bytes);
  return dsm__refuse(
      diags, DSM_ERROR_INFEASIBLE,
      "task \"%s\" fits nowhere: it needs %.0f byte%s, and \"%s\", the largest device "
      "that can run it, has %.0f: %.0f byte%s missing",
      instance->tasks[task].name, ceil(need), dsm__plural(ceil(need)), device->name,
      floor(device->memory_bytes), missing, missing > 1 ? "s are" : " is");
}

/*
 * Two conditions that any answer meets: each task fits on some device that can run it, and all
 * together fit into all memories. They are told apart here, with bytes, as a programme that has no
 * answer says no more than that. What passes both can still be without answer, since tasks are
 * whole; that is for the search to find.
 */
dsm_status dsm__check_feasibility(const dsm_instance *instance,
                                  const dsm_partition_options *options, dsm_diags *diags) {
  dsm_status status = DSM_OK;
  double needed = 0;
  double room = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    bool has_place = false;
    for (size_t j = 0; j < instance->device_count; j++) {
      has_place = has_place || dsm__task_can_run(instance, options, i, j);
    }
    if (!has_place) {
      status = report_homeless(instance, options, i, diags);
    }
  }
  dsm__add_up_memory(instance, options, &needed, &room);
  const double missing = ceil(needed - room);
  if (status == DSM_OK && needed > room) {
    status =
        dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                    "the tasks do not fit together: they need %.0f byte%s, the devices have %.0f: "
                    "%.0f byte%s missing",
                    ceil(needed), dsm__plural(ceil(needed)), floor(room), missing,
                    missing > 1 ? "s are" : " is");
  }
  return status;
}
