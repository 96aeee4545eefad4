/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * team.h: evaluators on threads of their own, led by the calling thread, which gives them points
 * and takes their results. The leader never waits for an evaluator, so it can serve other processes
 * meanwhile; and no evaluator waits for the leader as long as it finds another point given.
 */
#ifndef DSM_SWEEP_TEAM_H
#define DSM_SWEEP_TEAM_H

#include "base/text_buffer.h"
#include "dsm/sweep.h"

typedef struct dsm__team dsm__team;

/** Points that a team of that many threads holds at once: twice as many as it works on. */
size_t dsm__team_size(size_t thread_count);

/** What the calling thread does; the team ends when it returns. */
typedef void dsm__team_lead(void *context, dsm__team *team);

/** Runs a leader beside `thread_count` evaluators of the sweep (clamped to 1 .. 255).
 * DSM_ERROR_OUT_OF_MEMORY: the leader was not called. */
DSM_NODISCARD dsm_status dsm__team_run(const dsm_sweep *sweep, size_t thread_count,
                                       dsm__team_lead *lead, void *context, dsm_diags *diags);

/** A point that is evaluated. */
typedef struct dsm__team_result {
  size_t point;
  dsm_status status;             /**< DSM_OK, or why there are no bytes */
  const dsm__text_buffer *bytes; /**< the result, packed (point_record.h) */
  size_t slot;                   /**< private */
} dsm__team_result;

/** For the leader: gives a point; false if the team holds as many as it can. */
bool dsm__team_give(dsm__team *team, size_t point);

/** For the leader: a result that is there; false if none is. It is to be released before the team
 * can hold another point in its place. */
bool dsm__team_take(dsm__team *team, dsm__team_result *result);
void dsm__team_release(dsm__team *team, const dsm__team_result *result);

/** For the leader when there is nothing to do: sleeps for a moment, a longer one each time until
 * `was_busy`. Without a thread beside it, the leader evaluates a point itself. */
void dsm__team_rest(dsm__team *team, bool was_busy);

#endif
