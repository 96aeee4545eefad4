/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage.c: an answer for a job: a plan, or what given or replayed factors come to. */
#include <math.h>
#include <string.h>

#include "base/diag_add.h"
#include "dsm/limits.h"
#include "supply/storage_internal.h"

void dsm_storage_options_init(dsm_storage_options *options) {
  *options = (dsm_storage_options){
      .replay = {.weights = {1, 1, 1}, .threshold = 3, .window = 20, .deviations = 2}};
}

DSM__ARENA_FREE(dsm_storage_result, dsm_storage_result_free);

/* What an answer is made of. */
typedef struct request {
  const dsm_storage_options *options;
  dsm_storage_result *result;
  uint64_t mini_epochs;
  dsm_diags *diags;
} request;

/* ---- options ---- */

static bool is_whole(double number) {
  return number <= floor(number);
}

static dsm_status check_repeats(const dsm_storage_options *options, dsm_diags *diags) {
  for (size_t i = 0; i < options->repeat_count; i++) {
    const double repeat = options->repeats[i];
    if (!(repeat >= 1) || repeat > DSM_REPEAT_MAX) {
      return dsm__refuse(diags, DSM_ERROR_USAGE, "repeat: expected 1 to %d, found %g",
                         DSM_REPEAT_MAX, repeat);
    }
    if (options->max_repeat > 0 && repeat > options->max_repeat) {
      return dsm__refuse(diags, DSM_ERROR_USAGE,
                         "repeat: expected at most the limit, %.17g, found %.17g",
                         options->max_repeat, repeat);
    }
    if (options->mode == DSM_MODE_INFERENCE && repeat > 1) {
      return dsm__refuse(diags, DSM_ERROR_USAGE,
                         "repeat: expected 1, since inference reads each sample once, found %g",
                         repeat);
    }
    if (options->wants_timeline && !is_whole(repeat)) {
      return dsm__refuse(diags, DSM_ERROR_USAGE,
                         "repeat: expected a whole number for a timeline, found %g", repeat);
    }
  }
  return DSM_OK;
}

static dsm_status check_times(const dsm_storage_options *options, dsm_diags *diags) {
  for (size_t i = 0; options->times != NULL && i < options->repeat_count; i++) {
    if (!dsm__is_storage_number(options->times[i])) {
      return dsm__refuse(diags, DSM_ERROR_USAGE, "times: expected %g to %g, found %g",
                         1 / DSM_STORAGE_NUMBER_MAX, DSM_STORAGE_NUMBER_MAX, options->times[i]);
    }
  }
  return DSM_OK;
}

static dsm_status check_options(const dsm_storage_options *options, dsm_diags *diags) {
  const bool is_replayed = options->replay.rule != DSM_REPEAT_RULE_NONE;
  if (is_replayed && (options->repeat_count > 0) == (options->trace != NULL)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "adaptive: expected a trace to replay, or what it came to");
  }
  if (is_replayed && options->mode == DSM_MODE_INFERENCE) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "adaptive: expected training: inference reads each sample once");
  }
  if (options->times != NULL && options->repeat_count == 0) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "times: expected repeating factors beside them");
  }
  if (options->max_repeat != 0 &&
      (!(options->max_repeat >= 1) || options->max_repeat > DSM_REPEAT_MAX)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "max_repeat: expected 1 to %d, found %g",
                       DSM_REPEAT_MAX, options->max_repeat);
  }
  const dsm_status status = check_repeats(options, diags);
  return status == DSM_OK ? check_times(options, diags) : status;
}

/* ---- mini-epochs ---- */

static dsm_status refuse_sample(const request *of) {
  const dsm_storage_job *const job = &of->result->job;
  return dsm__refuse(of->diags, DSM_ERROR_INFEASIBLE,
                     "expected at least %.17g bytes of fast storage, two samples, found %.17g: no "
                     "number of mini-epochs fits",
                     2 * job->sample_bytes, job->fast_bytes);
}

static dsm_status find_mini_epochs(request *of) {
  const dsm_storage_job *const job = &of->result->job;
  const dsm_storage_options *const options = of->options;
  const uint64_t least = dsm_storage_mini_epochs(job);
  const uint64_t most = options->max_mini_epochs;
  of->result->least_mini_epochs = least;
  of->mini_epochs = options->mini_epochs == 0 ? least : options->mini_epochs;
  if (least == 0) {
    return refuse_sample(of);
  }
  if (most > 0 && of->mini_epochs > most) {
    return dsm__refuse(of->diags, DSM_ERROR_INFEASIBLE,
                       "expected at most %.17g mini-epochs, found %.17g: they need %.17g bytes of "
                       "fast storage, twice the largest, and there are %.17g",
                       (double)most, (double)of->mini_epochs,
                       2 * ceil((double)job->samples / (double)most) * job->sample_bytes,
                       job->fast_bytes);
  }
  if (!dsm__mini_epochs_fit(job, of->mini_epochs)) {
    return of->mini_epochs > job->samples
               ? dsm__refuse(of->diags, DSM_ERROR_INFEASIBLE,
                             "expected at most %.17g mini-epochs, one a sample, found %.17g",
                             (double)job->samples, (double)of->mini_epochs)
               : dsm__refuse(
                     of->diags, DSM_ERROR_INFEASIBLE,
                     "expected at least %.17g mini-epochs, of which each takes at most half "
                     "of the fast tier, found %.17g",
                     (double)least, (double)of->mini_epochs);
  }
  return DSM_OK;
}

/* ---- factors ---- */

/* Numbers in the result's arena; NULL if out of memory. */
static const double *copy_of(const dsm_storage_result *result, const double *numbers,
                             size_t count) {
  double *const copy = dsm__arena_array(result->arena, count, sizeof *copy);
  if (copy != NULL) {
    memcpy(copy, numbers, count * sizeof *copy);
  }
  return copy;
}

/* A list, given or found by a replay before. */
static dsm_status take_list(request *of) {
  const dsm_storage_options *const options = of->options;
  dsm_storage_result *const result = of->result;
  if (result->rule == DSM_REPEAT_RULE_NONE &&
      (double)options->repeat_count != (double)of->mini_epochs) {
    return dsm__refuse(of->diags, DSM_ERROR_USAGE,
                       "repeat: expected one factor, or one for each of %.17g mini-epoch%s, found "
                       "%zu",
                       (double)of->mini_epochs, of->mini_epochs == 1 ? "" : "s",
                       options->repeat_count);
  }
  result->repeats = copy_of(result, options->repeats, options->repeat_count);
  result->times =
      options->times == NULL ? NULL : copy_of(result, options->times, options->repeat_count);
  if (result->repeats == NULL || (options->times != NULL && result->times == NULL)) {
    return dsm__out_of_memory(of->diags);
  }
  result->repeat_count = options->repeat_count;
  return DSM_OK;
}

static dsm_status take_trace(request *of) {
  dsm_storage_result *const result = of->result;
  const dsm_metric_trace *const trace = of->options->trace;
  dsm_replay_options replay = of->options->replay;
  if (replay.max_repeat == 0) {
    replay.max_repeat = (uint64_t)of->options->max_repeat;
  }
  double *const repeats = dsm__arena_array(result->arena, trace->row_count, sizeof *repeats);
  if (repeats == NULL) {
    return dsm__out_of_memory(of->diags);
  }
  result->repeats = repeats;
  return dsm_repeats_replay(repeats, &result->repeat_count, trace, &replay, of->diags);
}

/* Equation 6. Source: derived here: EB2 = min(EB1/rf, B2) never grows with rf, and samples/s never
 * fall, so that the largest factor reads least; mini-epochs change neither. Symbols: the largest
 * factor that is allowed, whole for a timeline; without a limit ceil(EB1/B2), but no more than any
 * factor may be. Limits: all fits, or inference: 1. */
static double planned_repeat(const request *of) {
  const dsm_storage_job *const job = &of->result->job;
  const double most = of->options->max_repeat;
  return of->mini_epochs == 1 || of->options->mode == DSM_MODE_INFERENCE ? 1
         : most > 0 ? of->options->wants_timeline ? floor(most) : most
                    : fmin(dsm_storage_stall_free_repeat(job), DSM_REPEAT_MAX);
}

static dsm_status settle_factors(request *of) {
  const dsm_storage_options *const options = of->options;
  dsm_storage_result *const result = of->result;
  dsm_status status = DSM_OK;
  double repeat = 0;
  const bool is_replayed = options->replay.rule != DSM_REPEAT_RULE_NONE;
  if (is_replayed && options->trace != NULL) {
    status = take_trace(of);
  } else if (is_replayed || options->repeat_count > 1 ||
             (options->repeat_count > 0 && options->times != NULL)) {
    status = take_list(of);
  } else {
    result->is_planned = options->repeat_count == 0;
    repeat = result->is_planned ? planned_repeat(of) : options->repeats[0];
  }
  if (status == DSM_OK && result->repeat_count > 0) {
    result->mean = dsm_storage_mean_of(&result->job, of->mini_epochs, result->repeats,
                                       options->times, result->repeat_count);
    repeat = result->mean.repeat;
  }
  if (status == DSM_OK) {
    result->state = dsm_storage_steady(&result->job, of->mini_epochs, repeat);
  }
  return status;
}

/* ---- timelines ---- */

static dsm_status make_timeline(request *of) {
  dsm_storage_result *const result = of->result;
  const bool is_list = result->repeat_count > 0;
  const uint64_t wanted = is_list ? result->repeat_count : of->mini_epochs;
  if (wanted > DSM_MINI_EPOCHS_MAX) {
    return dsm__refuse(of->diags, DSM_ERROR_USAGE,
                       "timeline: expected at most %d mini-epochs, found %.17g",
                       DSM_MINI_EPOCHS_MAX, (double)wanted);
  }
  const size_t count = (size_t)wanted;
  dsm_storage_event *const events = dsm__arena_array(result->arena, count, sizeof *events);
  double *const equal = dsm__arena_array(result->arena, is_list ? 1 : count, sizeof *equal);
  if (events == NULL || equal == NULL) {
    return dsm__out_of_memory(of->diags);
  }
  for (size_t i = 0; !is_list && i < count; i++) {
    equal[i] = result->state.repeat;
  }
  result->events = events;
  result->event_count = count;
  result->timeline_seconds = dsm_storage_timeline(events, &result->job, of->mini_epochs,
                                                  is_list ? result->repeats : equal, count);
  return DSM_OK;
}

/* ---- the request ---- */

static void make_roofs(request *of) {
  const dsm_storage_options *const options = of->options;
  dsm_storage_result *const result = of->result;
  const dsm_storage_job *const job = &result->job;
  result->has_roofs = dsm__is_storage_number(options->sample_flop) &&
                      dsm__is_storage_number(options->flop_per_second);
  if (result->has_roofs) {
    result->fast_roof = dsm_io_roof_of(options->sample_flop, job->sample_bytes,
                                       options->flop_per_second, job->fast_bytes_per_second);
    result->capacity_roof =
        dsm_io_roof_of(options->sample_flop, job->sample_bytes, options->flop_per_second,
                       job->capacity_bytes_per_second);
  }
}

static dsm_status serve(request *of) {
  dsm_storage_result *const result = of->result;
  dsm_status status = find_mini_epochs(of);
  if (status == DSM_OK) {
    status = settle_factors(of);
  }
  if (status == DSM_OK && of->options->wants_timeline) {
    status = make_timeline(of);
  }
  if (status == DSM_OK) {
    make_roofs(of);
    status = dsm__storage_points_make(result) ? DSM_OK : dsm__out_of_memory(of->diags);
  }
  return status;
}

dsm_status dsm_storage(dsm_storage_result **result, const dsm_storage_job *job,
                       const dsm_storage_options *options, dsm_diags *diags) {
  dsm_storage_options defaults;
  dsm_storage_options_init(&defaults);
  *result = NULL;
  request of = {.options = options == NULL ? &defaults : options, .diags = diags};
  dsm_status status = dsm_storage_job_check(job, diags);
  if (status == DSM_OK) {
    status = check_options(of.options, diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  of.result = DSM__ARENA_OWNER(dsm_storage_result);
  if (of.result == NULL) {
    return dsm__out_of_memory(diags);
  }
  of.result->job = *job;
  of.result->mode = of.options->mode;
  of.result->rule = of.options->replay.rule;
  of.result->max_repeat = of.options->max_repeat;
  status = serve(&of);
  if (status != DSM_OK) {
    dsm_storage_result_free(of.result);
    return status;
  }
  *result = of.result;
  return DSM_OK;
}
