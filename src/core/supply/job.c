/* SPDX-License-Identifier: GPL-3.0-or-later */
/* job.c: what a job asks of its storage, and into how many mini-epochs its data set falls. */
#include <math.h>

#include "base/diag_add.h"
#include "base/units.h"
#include "dsm/limits.h"
#include "supply/storage_internal.h"

bool dsm_storage_is_stated(const dsm_workload *workload, const dsm_system *system) {
  return workload->dataset.samples > 0 && system->storage.fast.capacity_GB > 0;
}

dsm_storage_job dsm_storage_job_of(const dsm_workload *workload, const dsm_system *system,
                                   double samples_per_second) {
  const dsm_storage_tiers *const tiers = &system->storage;
  return (dsm_storage_job){
      .samples = workload->dataset.samples,
      .sample_bytes = workload->dataset.sample_bytes,
      .samples_per_second = samples_per_second,
      .demand_bytes_per_second = samples_per_second * workload->dataset.sample_bytes,
      .fast_bytes = dsm__bytes_of_GB(tiers->fast.capacity_GB),
      .fast_bytes_per_second = dsm__bytes_of_GB(tiers->fast.bandwidth_GBps),
      .capacity_bytes_per_second = dsm__bytes_of_GB(tiers->capacity.bandwidth_GBps),
  };
}

/* Sums and products of a few of them are finite, and not 0. */
bool dsm__is_storage_number(double value) {
  return value >= 1 / DSM_STORAGE_NUMBER_MAX && value <= DSM_STORAGE_NUMBER_MAX;
}

dsm_status dsm_storage_job_check(const dsm_storage_job *job, dsm_diags *diags) {
  const struct {
    const char *what;
    double value;
  } numbers[] = {
      {"samples", (double)job->samples},
      {"bytes of a sample", job->sample_bytes},
      {"samples a second", job->samples_per_second},
      {"bytes a second of demand", job->demand_bytes_per_second},
      {"bytes of the fast tier", job->fast_bytes},
      {"bytes a second of the fast tier", job->fast_bytes_per_second},
      {"bytes a second of the capacity tier", job->capacity_bytes_per_second},
  };
  for (size_t i = 0; i < DSM__COUNT_OF(numbers); i++) {
    if (!dsm__is_storage_number(numbers[i].value)) {
      return dsm__refuse(diags, DSM_ERROR_INVALID, "expected %s of %g to %g, found %.17g",
                         numbers[i].what, 1 / DSM_STORAGE_NUMBER_MAX, DSM_STORAGE_NUMBER_MAX,
                         numbers[i].value);
    }
  }
  if (job->samples > DSM_PRODUCT_MAX) {
    return dsm__refuse(diags, DSM_ERROR_INVALID, "expected at most 2^53 samples, found %.17g",
                       (double)job->samples);
  }
  return DSM_OK;
}

/* Quotients that are whole on paper are so here, too. */
static const double rounding = 1e-12;

bool dsm__is_below(double a, double b) {
  return a < b - rounding * b;
}

double dsm__ceil_ratio(double a, double b) {
  const double ratio = a / b;
  return fmax(1, ceil(ratio - rounding * ratio));
}

static double floor_ratio(double a, double b) {
  const double ratio = a / b;
  return floor(ratio + rounding * ratio);
}

/* Equation 1. Source: Xu et al., section III-A: mini-epochs are for data sets above EC1.
 * Symbols: total = samples * sample_bytes. Limits: EC1 infinite: true. */
bool dsm_storage_fits(const dsm_storage_job *job) {
  return (double)job->samples <= floor_ratio(job->fast_bytes, job->sample_bytes);
}

/* Equation 2. Source: Xu et al., section III-A: each smaller than 0.5 * EC1. Symbols: nm =
 * ceil(samples / floor(EC1/2 / sample_bytes)), which is ceil(total / (EC1/2)) of parts of a sample:
 * the largest mini-epoch has to fit. Limits: all fits: 1. */
uint64_t dsm_storage_mini_epochs(const dsm_storage_job *job) {
  const double most = floor_ratio(job->fast_bytes / 2, job->sample_bytes);
  return dsm_storage_fits(job) ? 1 : most < 1 ? 0 : (uint64_t)ceil((double)job->samples / most);
}

/* Symbols: floor(samples / nm), and one more of the first samples mod nm. Limits: nm = 1: all. */
uint64_t dsm_storage_mini_epoch_samples(const dsm_storage_job *job, uint64_t mini_epochs,
                                        uint64_t index) {
  return job->samples / mini_epochs + (index % mini_epochs < job->samples % mini_epochs ? 1 : 0);
}

bool dsm__mini_epochs_fit(const dsm_storage_job *job, uint64_t mini_epochs) {
  if (mini_epochs == 1) {
    return dsm_storage_fits(job);
  }
  const double largest = (double)dsm_storage_mini_epoch_samples(job, mini_epochs, 0);
  return mini_epochs <= job->samples &&
         largest <= floor_ratio(job->fast_bytes / 2, job->sample_bytes);
}
