/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/instance_internal.h"

#include <math.h>
#include <stdint.h>

#include "base/diag_add.h"
#include "base/words.h"
#include "model/equations.h"
#include "system/system_internal.h"

double dsm__layer_operations(const dsm_layer *layer, uint64_t batch) {
  const double per_sample = 2 * (double)layer->macs +
                            dsm__forward_ops(layer, DSM__TRANSCENDENTAL_PASSES, DSM_MODE_INFERENCE);
  return per_sample * (double)layer->timesteps * (double)batch;
}

static dsm_status roofline_times(double *seconds, size_t stride, const dsm__request *request,
                                 const dsm_device *device, dsm_diags *diags) {
  const dsm_roofline_device *const roofline = &device->roofline;
  (void)diags;
  for (size_t i = 0; i < request->workload->layer_count; i++) {
    const double compute =
        request->operations[i] / (roofline->peak_flops * roofline->efficiency_ratio);
    const double bytes = request->weights_bytes[i] * request->weight_ratio +
                         request->activation_bytes[i] * request->element_ratio;
    const double move = bytes / (roofline->memory_bytes_per_second * roofline->efficiency_ratio);
    seconds[i * stride] = fmax(compute, move);
  }
  return DSM_OK;
}

static dsm_status fpga_times(double *seconds, size_t stride, const dsm__request *request,
                             const dsm_device *device, dsm_diags *diags) {
  const dsm_fpga_device *const fpga = &device->fpga;
  (void)diags;
  const double multipliers = (double)fpga->multipliers * (double)fpga->instances;
  for (size_t i = 0; i < request->workload->layer_count; i++) {
    const dsm_layer *const layer = &request->workload->layers[i];
    const double macs = (double)layer->macs * (double)layer->timesteps * (double)request->batch;
    seconds[i * stride] =
        ceil(macs / multipliers) * fpga->initiation_interval_cycles / fpga->clock_hertz;
  }
  return DSM_OK;
}

/* Names of times that are no layer's, and layers without a time, are reported. */
static dsm_status given_times(double *seconds, size_t stride, const dsm__request *request,
                              const dsm_device *device, dsm_diags *diags) {
  const dsm_workload *const workload = request->workload;
  dsm_status status = DSM_OK;
  for (size_t i = 0; i < workload->layer_count; i++) {
    seconds[i * stride] = -1;
  }
  for (size_t t = 0; t < device->time_count; t++) {
    const dsm_given_time *const time = &device->times[t];
    const size_t layer = dsm__name_index_find(&request->names, time->task);
    if (layer == SIZE_MAX) {
      status = dsm__refuse(diags, DSM_ERROR_INVALID,
                           "device \"%s\": expected a time for a layer of %s, found one for \"%s\"",
                           device->name, workload->name, time->task);
    } else {
      seconds[layer * stride] = time->seconds;
    }
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (seconds[i * stride] < 0) {
      dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0},
                     "null says that it cannot run there",
                     "device \"%s\": expected a time for each layer of %s, found none for \"%s\"",
                     device->name, workload->name, workload->layers[i].name);
      status = DSM_ERROR_INVALID;
    }
  }
  return status;
}

dsm_status dsm__task_times(double *seconds, size_t stride, const dsm__request *request,
                           const dsm_device *device, dsm_diags *diags) {
  static dsm_status (*const rows[DSM_DEVICE_KIND_COUNT])(double *, size_t, const dsm__request *,
                                                         const dsm_device *, dsm_diags *) = {
      [DSM_DEVICE_CHIP] = dsm__chip_times,
      [DSM_DEVICE_ROOFLINE] = roofline_times,
      [DSM_DEVICE_FPGA] = fpga_times,
      [DSM_DEVICE_TIMES] = given_times,
  };
  return rows[device->kind](seconds, stride, request, device, diags);
}
