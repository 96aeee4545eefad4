/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/instance.h"

#include <stdlib.h>

#include "base/order.h"
#include "server/instance_internal.h"

void dsm_instance_options_init(dsm_instance_options *options) {
  *options = (dsm_instance_options){.batch = 1, .task_count = 0};
}

DSM__ARENA_FREE(dsm_instance, dsm_instance_free);

dsm_instance *dsm__instance_new(void) {
  return DSM__ARENA_OWNER(dsm_instance);
}

dsm_task *dsm__instance_tasks(dsm_instance *instance, size_t task_count, double **seconds) {
  dsm_task *const tasks = dsm__arena_array(instance->arena, task_count, sizeof *tasks);
  *seconds =
      dsm__arena_array(instance->arena, task_count * instance->device_count, sizeof **seconds);
  return *seconds == NULL ? NULL : tasks;
}

DSM__ORDER_OF(compare_uses, dsm__use,
              dsm__order_then(dsm__order_then(dsm__order_whole(a->producer, b->producer),
                                              dsm__order_whole(a->tensor, b->tensor)),
                              dsm__order_whole(a->consumer, b->consumer)));

bool dsm__instance_set_tensors(dsm_instance *instance, dsm__use *uses, size_t use_count) {
  dsm_tensor *const tensors = dsm__arena_array(instance->arena, use_count, sizeof *tensors);
  size_t *const consumers = dsm__arena_array(instance->arena, use_count, sizeof *consumers);
  if (tensors == NULL || consumers == NULL) {
    return false;
  }
  dsm__sort(uses, use_count, sizeof uses[0], compare_uses);
  size_t tensor_count = 0;
  size_t consumer_count = 0;
  const dsm__use *before = NULL; /* the last that was kept */
  for (size_t u = 0; u < use_count; u++) {
    const dsm__use *const use = &uses[u];
    if (use->consumer == use->producer) {
      continue;
    }
    const bool is_same_tensor =
        before != NULL && before->producer == use->producer && before->tensor == use->tensor;
    if (is_same_tensor && before->consumer == use->consumer) {
      continue;
    }
    if (!is_same_tensor) {
      tensors[tensor_count++] = (dsm_tensor){
          .producer = use->producer, .bytes = use->bytes, .consumers = &consumers[consumer_count]};
    }
    consumers[consumer_count++] = use->consumer;
    tensors[tensor_count - 1].consumer_count++;
    before = use;
  }
  instance->tensors = tensors;
  instance->tensor_count = tensor_count;
  return true;
}
