/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steady.c: what a job reads in the long run, with one repeating factor or a list of them. */
#include <math.h>

#include "supply/storage_internal.h"

static const dsm__word bound_words[] = {
    [DSM_STORAGE_BOUND_CHIPS].key = "chips",
    [DSM_STORAGE_BOUND_FAST].key = "fast",
    [DSM_STORAGE_BOUND_CAPACITY].key = "capacity",
};
DSM__NAMED_WORDS(dsm__storage_bound_words, "bound of samples a second", bound_words,
                 DSM_STORAGE_BOUND_COUNT, dsm_storage_bound, dsm_storage_bound_name);

double dsm__fast_rate(const dsm_storage_job *job) {
  return fmin(job->fast_bytes_per_second, job->demand_bytes_per_second);
}

double dsm__mini_epoch_bytes(const dsm_storage_job *job, uint64_t mini_epochs) {
  return (double)job->samples * job->sample_bytes / (double)mini_epochs;
}

/* Equation 3. Source: Xu et al., section III-A: stalls are gone where rf is higher than EB1/B2.
 * Symbols: ceil(EB1/B2). Limits: B2 >= EB1, or all fits: 1. */
double dsm_storage_stall_free_repeat(const dsm_storage_job *job) {
  return dsm_storage_fits(job)
             ? 1
             : dsm__ceil_ratio(dsm__fast_rate(job), job->capacity_bytes_per_second);
}

/* Fast storage or the chips, where the capacity tier is fast enough. */
static dsm_storage_bound fast_bound(const dsm_storage_job *job) {
  return dsm__is_below(job->fast_bytes_per_second, job->demand_bytes_per_second)
             ? DSM_STORAGE_BOUND_FAST
             : DSM_STORAGE_BOUND_CHIPS;
}

/* Source: equation 3: what rf * EB2 lacks of D. Symbols: 1 - min(D, B1, rf * B2)/D. Limits: B1 at
 * least D: the stall share; D infinite: 1. */
static double waiting_share(const dsm_storage_job *job, double delivered) {
  return dsm__is_below(delivered, job->demand_bytes_per_second)
             ? 1 - delivered / job->demand_bytes_per_second
             : 0;
}

/* Equation 1: read once, then from the fast tier alone. */
static dsm_storage_state resident_state(const dsm_storage_job *job, double repeat) {
  const double fast = dsm__fast_rate(job);
  return (dsm_storage_state){.mini_epochs = 1,
                             .repeat = repeat,
                             .mini_epoch_bytes = dsm__mini_epoch_bytes(job, 1),
                             .fast_bytes_per_second = fast,
                             .delivered_bytes_per_second = fast,
                             .waiting_share = waiting_share(job, fast),
                             .bound = fast_bound(job),
                             .samples_per_second =
                                 job->samples_per_second * fast / job->demand_bytes_per_second,
                             .stall_free_repeat = 1};
}

/* Equation 3. Source: derived here, of Xu et al., section III-A: a mini-epoch lasts as long as it
 * is trained on, or as the next one is loaded. Symbols: period = max(rf * S/EB1, S/B2), EB2 =
 * S/period = min(EB1/rf, B2), samples/s = peak * rf * EB2/D. Limits: B2 infinite: period = rf *
 * S/EB1 and no stall; rf = 1, B2 < EB1: the rate of B2. */
dsm_storage_state dsm_storage_steady(const dsm_storage_job *job, uint64_t mini_epochs,
                                     double repeat) {
  if (mini_epochs == 1) {
    return resident_state(job, repeat);
  }
  const double fast = dsm__fast_rate(job);
  const double bytes = dsm__mini_epoch_bytes(job, mini_epochs);
  const double busy = repeat * bytes / fast;
  const double period = fmax(busy, bytes / job->capacity_bytes_per_second);
  const double slow = fmin(fast / repeat, job->capacity_bytes_per_second);
  return (dsm_storage_state){
      .mini_epochs = mini_epochs,
      .repeat = repeat,
      .mini_epoch_bytes = bytes,
      .fast_bytes_per_second = fast,
      .capacity_bytes_per_second = slow,
      .delivered_bytes_per_second = repeat * slow,
      .period_seconds = period,
      .stall_share = 1 - busy / period,
      .waiting_share = waiting_share(job, repeat * slow),
      .bound = dsm__is_below(repeat * job->capacity_bytes_per_second, fast)
                   ? DSM_STORAGE_BOUND_CAPACITY
                   : fast_bound(job),
      .samples_per_second = job->samples_per_second * repeat * slow / job->demand_bytes_per_second,
      .stall_free_repeat = dsm__ceil_ratio(fast, job->capacity_bytes_per_second)};
}

/* Equation 4. Source: Xu et al., equation 1, with the lesser of the two bandwidths where it prints
 * the greater one: bytes are conserved, and its own 30.4 GB/s are 3.8 TB/s / 128. Symbols: EB2 =
 * sum(t_i * min(EB1/rf_i, B2)) / sum(t_i), t_i = S * max(rf_i/EB1, 1/B2); samples/s = sum(t_i *
 * peak * rf_i * EB2_i / D) / sum(t_i), which is peak * sum(rf_i) * S / (D * sum(t_i)) of these t_i.
 * Limits: equal factors: equation 3; no stall, own times: EB1 / mean(rf). */
dsm_storage_mean dsm_storage_mean_of(const dsm_storage_job *job, uint64_t mini_epochs,
                                     const double *repeats, const double *times, size_t count) {
  dsm_storage_mean mean = {0};
  const double bytes = dsm__mini_epoch_bytes(job, mini_epochs);
  const double fast = dsm__fast_rate(job);
  double weights = 0;
  for (size_t i = 0; i < count; i++) {
    const dsm_storage_state one = dsm_storage_steady(job, mini_epochs, repeats[i]);
    const double own = mini_epochs == 1 ? repeats[i] * bytes / fast : one.period_seconds;
    const double weight = times == NULL ? own : times[i];
    weights += weight;
    mean.seconds += own;
    mean.repeat += repeats[i];
    mean.capacity_bytes_per_second += weight * one.capacity_bytes_per_second;
    mean.equal_capacity_bytes_per_second += one.capacity_bytes_per_second;
    mean.samples_per_second += weight * one.samples_per_second;
    mean.stall_share += weight * one.stall_share;
    mean.waiting_share += weight * one.waiting_share;
  }
  mean.repeat /= (double)count;
  mean.capacity_bytes_per_second /= weights;
  mean.equal_capacity_bytes_per_second /= (double)count;
  mean.samples_per_second /= weights;
  mean.waiting_share /= weights;
  mean.stall_share /= weights;
  return mean;
}

/* Equation 5. Source: derived here, of Xu et al., section III-B: mini-epoch i+1 is loaded from the
 * start of mini-epoch i on. Symbols: load 0 first; load i+1 starts at max(start of training i, end
 * of load i) and takes S/B2; training i+1 starts at max(end of training i, end of load i+1) and
 * takes rf * S/EB1. Limits: one mini-epoch: S/B2 + rf * S/EB1; many equal ones: a period each. */
double dsm_storage_timeline(dsm_storage_event *events, const dsm_storage_job *job,
                            uint64_t mini_epochs, const double *repeats, size_t count) {
  const double fast = dsm__fast_rate(job);
  double end = 0;
  for (size_t i = 0; i < count; i++) {
    const dsm_storage_event *const before = i == 0 ? NULL : &events[i - 1];
    const uint64_t samples = dsm_storage_mini_epoch_samples(job, mini_epochs, i);
    const double bytes = (double)samples * job->sample_bytes;
    const bool is_there = mini_epochs == 1 && i > 0; /* it stays in the fast tier */
    const double load = is_there ? 0 : bytes / job->capacity_bytes_per_second;
    const double begin =
        before == NULL ? 0 : fmax(before->train_begin_seconds, before->load_end_seconds);
    const double start = fmax(end, begin + load);
    events[i] = (dsm_storage_event){.samples = samples,
                                    .repeat = repeats[i],
                                    .load_begin_seconds = begin,
                                    .load_end_seconds = begin + load,
                                    .train_begin_seconds = start,
                                    .train_end_seconds = start + repeats[i] * bytes / fast,
                                    .stall_seconds = start - end};
    end = events[i].train_end_seconds;
  }
  return end;
}
