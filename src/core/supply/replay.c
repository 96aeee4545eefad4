/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay.c: repeating factors that a rule makes of the metrics of a training run. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/diag_add.h"
#include "dsm/limits.h"
#include "supply/storage_internal.h"

static const dsm__word rule_words[] = {
    [DSM_REPEAT_RULE_NONE].key = "none",
    [DSM_REPEAT_RULE_SCORE].key = "score",
    [DSM_REPEAT_RULE_BOLLINGER].key = "bollinger",
};
DSM__NAMED_WORDS(dsm__repeat_rule_words, "rule of repeating factors", rule_words,
                 DSM_REPEAT_RULE_COUNT, dsm_repeat_rule, dsm_repeat_rule_name);

static dsm_status check_weights(const dsm_replay_options *options, dsm_diags *diags) {
  double sum = 0;
  for (int m = 0; m < DSM_METRIC_COUNT; m++) {
    const double weight = options->weights[m];
    if (!isfinite(weight) || weight < 0) {
      return dsm__refuse(diags, DSM_ERROR_USAGE, "weights: expected 0 or more for %s, found %g",
                         dsm_metric_name((dsm_metric)m), weight);
    }
    sum += weight;
  }
  return sum > 0 ? DSM_OK
                 : dsm__refuse(diags, DSM_ERROR_USAGE, "weights: expected one above 0, found none");
}

/* A score is at most sqrt(N - 1) deviations below the mean of N scores that it is one of. */
static dsm_status check_band(const dsm_replay_options *options, dsm_diags *diags) {
  if (options->window < 2 || options->window > DSM_WINDOW_MAX) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "window: expected 2 to %d scores, found %.17g",
                       DSM_WINDOW_MAX, (double)options->window);
  }
  const double least = sqrt((double)options->window - 1);
  if (!(options->deviations > 0) || !(options->deviations < least)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "deviations: expected more than 0 and less than %.5g, beyond which no score "
                       "of a window of %.17g can be, found %g",
                       least, (double)options->window, options->deviations);
  }
  return DSM_OK;
}

static dsm_status check_options(const dsm_replay_options *options, dsm_diags *diags) {
  const dsm_status status = check_weights(options, diags);
  if (status != DSM_OK) {
    return status;
  }
  switch (options->rule) {
  case DSM_REPEAT_RULE_SCORE:
    return options->threshold >= 1
               ? DSM_OK
               : dsm__refuse(diags, DSM_ERROR_USAGE, "threshold: expected at least 1, found 0");
  case DSM_REPEAT_RULE_BOLLINGER:
    return check_band(options, diags);
  case DSM_REPEAT_RULE_NONE:
  case DSM_REPEAT_RULE_COUNT:
    break;
  }
  return dsm__refuse(diags, DSM_ERROR_USAGE,
                     "adaptive: expected a rule, score or bollinger, found none");
}

double dsm__score(const double metrics[DSM_METRIC_COUNT], const double weights[DSM_METRIC_COUNT]) {
  double score = 0;
  for (size_t m = 0; m < DSM_METRIC_COUNT; m++) {
    score += weights[m] * metrics[m];
  }
  return score;
}

/* The score of each row, in the arena. */
static dsm_status scores_of(const double **scores, const dsm_metric_trace *trace,
                            const dsm_replay_options *options, dsm__arena *arena,
                            dsm_diags *diags) {
  double *const sums =
      arena == NULL ? NULL : dsm__arena_array(arena, trace->row_count, sizeof *sums);
  *scores = sums;
  if (sums == NULL) {
    return dsm__out_of_memory(diags);
  }
  for (size_t row = 0; row < trace->row_count; row++) {
    sums[row] = dsm__score(&trace->values[row * DSM_METRIC_COUNT], options->weights);
    if (!isfinite(sums[row])) {
      return dsm__refuse(
          diags, DSM_ERROR_INVALID,
          "row %zu of the trace: expected metrics whose weighted sum is at most %.3g, "
          "found a larger one",
          row + 1, DBL_MAX);
    }
  }
  return DSM_OK;
}

/* What a rule remembers from repeat to repeat. */
typedef struct memory {
  double best;   /* score: of all repeats so far */
  uint64_t wait; /* score: repeats of this mini-epoch without a better one */
} memory;

/* Equation 8, score. Source: Xu et al., Fig. 6. Symbols: score < best: best = score, wait = 0; else
 * wait += 1, and the end is at wait >= threshold. Limits: falling scores never end a mini-epoch. */
static bool ends_by_score(memory *so_far, double score, uint64_t threshold) {
  if (score < so_far->best) {
    so_far->best = score;
    so_far->wait = 0;
    return false;
  }
  so_far->wait++;
  return so_far->wait >= threshold;
}

/* The power of 2 that makes all scores at most 1/2 in size, so that none of their differences
 * overflows; exact, but for what is lost beside the largest. */
static double scale_of(const double *scores, size_t count) {
  static const int least = -1000; /* beyond that the power would be too large for a number */
  double most = 0;
  int exponent = 0;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, fabs(scores[i]));
  }
  (void)frexp(most, &exponent);
  return ldexp(1, -(exponent > least ? exponent : least) - 1);
}

/* Equation 8, bollinger. Source: Xu et al., section III-C, 2. Symbols: score < mean - K *
 * deviation, both of the last N scores, this one among them, the deviation that of the population;
 * computed of what the scores are above this one, in units of the largest of that, so that squares
 * neither overflow nor vanish. Limits: fewer than N scores, or equal ones: never. */
static bool ends_by_band(const double *scores, size_t row, size_t window, double deviations) {
  if (row + 1 < window) {
    return false;
  }
  const double *const last = scores + row + 1 - window;
  const double scale = scale_of(last, window);
  const double score = scale * scores[row];
  double widest = 0;
  double mean = 0;
  double squares = 0;
  for (size_t i = 0; i < window; i++) {
    widest = fmax(widest, fabs(scale * last[i] - score));
  }
  if (!(widest > 0)) {
    return false;
  }
  for (size_t i = 0; i < window; i++) {
    mean += (scale * last[i] - score) / widest;
  }
  mean /= (double)window;
  for (size_t i = 0; i < window; i++) {
    const double away = (scale * last[i] - score) / widest - mean;
    squares += away * away;
  }
  return mean > deviations * sqrt(squares / (double)window);
}

/* Fills the factors; how many. */
static size_t replay(double *repeats, const double *scores, size_t row_count,
                     const dsm_replay_options *options) {
  memory so_far = {.best = HUGE_VAL};
  size_t count = 0;
  uint64_t repeat = 0;
  for (size_t row = 0; row < row_count; row++) {
    repeat++;
    const bool is_over =
        options->rule == DSM_REPEAT_RULE_SCORE
            ? ends_by_score(&so_far, scores[row], options->threshold)
            : ends_by_band(scores, row, (size_t)options->window, options->deviations);
    if (is_over || repeat == options->max_repeat || row + 1 == row_count) {
      repeats[count++] = (double)repeat;
      repeat = 0;
      so_far.wait = 0;
    }
  }
  return count;
}

dsm_status dsm_repeats_replay(double *repeats, size_t *count, const dsm_metric_trace *trace,
                              const dsm_replay_options *options, dsm_diags *diags) {
  *count = 0;
  dsm_status status = check_options(options, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__arena *const arena = dsm__arena_new();
  const double *scores = NULL;
  status = scores_of(&scores, trace, options, arena, diags);
  if (status == DSM_OK) {
    assert(scores != NULL);
    *count = replay(repeats, scores, trace->row_count, options);
  }
  dsm__arena_free(arena);
  return status;
}
