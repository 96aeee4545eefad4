/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "sweep/team.h"

#include <stdatomic.h>
#include <time.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/parallel.h"
#include "sweep/evaluator.h"
#include "sweep/point_record.h"

#define THREADS_MAX (DSM__PARALLEL_MAX_THREADS - 1) /* one is the leader */
#define REST_MIN_NANOSECONDS 50000L
#define REST_MAX_NANOSECONDS 2000000L

/* A slot goes through these in turn. The leader moves it from done to shown to free to given, an
 * evaluator the rest of the way; who moves it owns all else in it. */
enum { SLOT_FREE = 0, SLOT_GIVEN, SLOT_TAKEN, SLOT_DONE, SLOT_SHOWN };

typedef struct slot {
  atomic_int state;
  size_t point;
  dsm_status status;
  dsm__text_buffer bytes;
} slot;

struct dsm__team {
  const dsm_sweep *sweep;
  slot *slots;
  size_t slot_count;
  atomic_bool is_over;
  atomic_size_t present; /* evaluators that have begun */
  dsm__team_lead *lead;
  void *context;
  dsm__evaluator *own; /* the leader's, if it has to work itself */
  long rest_nanoseconds;
};

static size_t clamp(size_t thread_count) {
  return thread_count == 0 ? 1 : thread_count > THREADS_MAX ? THREADS_MAX : thread_count;
}

size_t dsm__team_size(size_t thread_count) {
  return 2 * clamp(thread_count);
}

static void sleep_for(long nanoseconds) {
  (void)nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

static long longer(long nanoseconds) {
  return nanoseconds >= REST_MAX_NANOSECONDS / 2 ? REST_MAX_NANOSECONDS : 2 * nanoseconds;
}

/* ---- evaluators ---- */

static void evaluate(const dsm__team *team, slot *of, dsm__evaluator **evaluator) {
  dsm_point_result result;
  if (*evaluator == NULL) {
    *evaluator = dsm__evaluator_new(team->sweep);
  }
  of->bytes.length = 0; /* the memory is used again */
  of->status = *evaluator == NULL ? DSM_ERROR_OUT_OF_MEMORY
                                  : dsm__evaluate(*evaluator, of->point, &result, NULL);
  if (of->status == DSM_OK) {
    dsm__result_pack(&of->bytes, &result);
    of->status = of->bytes.failed ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
  }
}

/* Evaluates one of the given points; false if there is none. */
static bool work_once(dsm__team *team, dsm__evaluator **evaluator) {
  for (size_t i = 0; i < team->slot_count; i++) {
    slot *const of = &team->slots[i];
    int expected = SLOT_GIVEN;
    if (atomic_compare_exchange_strong(&of->state, &expected, SLOT_TAKEN)) {
      evaluate(team, of, evaluator);
      atomic_store(&of->state, SLOT_DONE);
      return true;
    }
  }
  return false;
}

static void work(dsm__team *team) {
  dsm__evaluator *evaluator = NULL;
  long rest = REST_MIN_NANOSECONDS;
  (void)atomic_fetch_add(&team->present, 1);
  while (!atomic_load(&team->is_over)) {
    if (work_once(team, &evaluator)) {
      rest = REST_MIN_NANOSECONDS;
    } else {
      sleep_for(rest);
      rest = longer(rest);
    }
  }
  dsm__evaluator_free(evaluator);
}

static void take_part(void *context, size_t task_index, size_t worker_index) {
  (void)task_index;
  dsm__team *const team = context;
  if (worker_index > 0) {
    work(team);
  } else if (!atomic_load(&team->is_over)) {
    team->lead(team->context, team);
    atomic_store(&team->is_over, true);
  }
}

/* ---- the leader ---- */

bool dsm__team_give(dsm__team *team, size_t point) {
  for (size_t i = 0; i < team->slot_count; i++) {
    slot *const of = &team->slots[i];
    if (atomic_load(&of->state) == SLOT_FREE) {
      of->point = point;
      atomic_store(&of->state, SLOT_GIVEN);
      return true;
    }
  }
  return false;
}

bool dsm__team_take(dsm__team *team, dsm__team_result *result) {
  for (size_t i = 0; i < team->slot_count; i++) {
    slot *const of = &team->slots[i];
    if (atomic_load(&of->state) == SLOT_DONE) {
      atomic_store(&of->state, SLOT_SHOWN);
      *result = (dsm__team_result){
          .point = of->point, .status = of->status, .bytes = &of->bytes, .slot = i};
      return true;
    }
  }
  return false;
}

void dsm__team_release(dsm__team *team, const dsm__team_result *result) {
  atomic_store(&team->slots[result->slot].state, SLOT_FREE);
}

void dsm__team_rest(dsm__team *team, bool was_busy) {
  team->rest_nanoseconds = was_busy ? REST_MIN_NANOSECONDS : longer(team->rest_nanoseconds);
  if (atomic_load(&team->present) > 0 || !work_once(team, &team->own)) {
    sleep_for(team->rest_nanoseconds);
  }
}

dsm_status dsm__team_run(const dsm_sweep *sweep, size_t thread_count, dsm__team_lead *lead,
                         void *context, dsm_diags *diags) {
  dsm__arena *const arena = dsm__arena_new();
  const size_t slot_count = dsm__team_size(thread_count);
  slot *const slots = arena == NULL ? NULL : dsm__arena_array(arena, slot_count, sizeof *slots);
  if (slots == NULL) {
    dsm__arena_free(arena);
    return dsm__out_of_memory(diags);
  }
  dsm__team team = {.sweep = sweep,
                    .slots = slots,
                    .slot_count = slot_count,
                    .lead = lead,
                    .context = context,
                    .rest_nanoseconds = REST_MIN_NANOSECONDS};
  for (size_t i = 0; i < slot_count; i++) {
    atomic_init(&slots[i].state, SLOT_FREE);
  }
  atomic_init(&team.is_over, false);
  atomic_init(&team.present, 0);
  const size_t everyone = clamp(thread_count) + 1;
  dsm__parallel_for(everyone, everyone, take_part, &team);
  dsm__evaluator_free(team.own);
  for (size_t i = 0; i < slot_count; i++) {
    dsm__text_fini(&slots[i].bytes);
  }
  dsm__arena_free(arena);
  return DSM_OK;
}
