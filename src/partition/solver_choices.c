/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver_choices.c: what is decided: the list of choices, and the room for what is known of each.
 *
 * A task is stored on a device or not, for latency runs there or not; a device is on or not. What
 * the programme leaves no column for is no choice.
 */
#include "partition/instance_facts.h"
#include "partition/solver_search.h"

dsm_status dsm__search_list_choices(dsm__search *search) {
  const dsm__programme *const programme = &search->programme;
  const dsm_instance *const instance = search->instance;
  const bool is_latency = search->options->objective == DSM_OBJECTIVE_LATENCY;
  const size_t *const columns = is_latency ? programme->rate : programme->stored;
  const size_t places = instance->task_count * instance->device_count;
  const size_t most = places + instance->device_count;
  dsm__arena *const arena = search->arena;
  if (!DSM__RESERVE(arena, search->choices, most) ||
      !DSM__RESERVE(arena, search->values, programme->column_count + 1) ||
      !DSM__RESERVE(arena, search->is_chosen, most) || !DSM__RESERVE(arena, search->trial, most) ||
      !DSM__RESERVE(arena, search->wishes, most) ||
      !DSM__RESERVE(arena, search->used, instance->device_count) ||
      !DSM__RESERVE(arena, search->keys, instance->task_count) ||
      !DSM__RESERVE(arena, search->is_freed, instance->task_count + 1)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  for (size_t k = 0; k < places; k++) {
    if (columns[k] != DSM__NO_COLUMN) {
      const size_t task = k / instance->device_count;
      search->choices[search->choice_count++] = (dsm__choice){
          .task = task,
          .device = k % instance->device_count,
          .column = (int)columns[k] + 1,
          .rate = (int)programme->rate[k] + 1,
          .need = dsm__task_need(instance, search->options, task, k % instance->device_count)};
    }
  }
  for (size_t j = 0; j < instance->device_count; j++) {
    if (programme->on[j] != DSM__NO_COLUMN) {
      const int column = (int)programme->on[j] + 1;
      search->choices[search->choice_count++] = (dsm__choice){
          .task = instance->task_count, .device = j, .column = column, .rate = column};
    }
  }
  search->is_freed[instance->task_count] = true;
  return DSM_OK;
}
