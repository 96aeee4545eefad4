/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_allocations.c: every allocation of functions of the library fails once, and then all from it
 * on: of those that the program does not call (check_complete.py), and of the store of sweeps,
 * which promises more. test_commands.c lets the program fail.
 *
 * For N = 1, 2, ... the call is made with allocation N failing, until it makes fewer than N. Each
 * time: the status says out of memory, one finding says so, outputs are NULL, nothing leaks, and no
 * file is changed. A call that does without the failed allocation must give the same as without
 * faults.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "how_many.h"
#include "injected.h"
#include "subject.h"

enum { ALLOCATIONS_MAX = 100000, SHOWN_PER_CASE = 3 };

/* From this one on an allocation fails in one of the four ways only, or a part of them: SQLite
 * makes thousands, and sanitizers take their time. */
enum { FULL_COUNT = HOW_MANY(1200, 60, 10), WAYS = HOW_MANY(4, 16, 32) };

/* How a case is tried. */
typedef struct trial {
  const faulty_case *each;
  dsm_diags *diags; /* NULL: without findings */
  injected_kind mode;
  uint64_t expected_digest;
  uint64_t expected_findings;
  size_t shown_count;
  size_t failure_count;
} trial;

static void fail(trial *t, size_t number, const char *wrong) {
  static const char *const mode_names[] = {
      [INJECTED_ONCE] = "alone",
      [INJECTED_FROM] = "and all after it",
  };
  t->failure_count++;
  if (t->shown_count++ < SHOWN_PER_CASE) {
    fprintf(stderr, "%s, allocation %zu failing %s, %s findings: broken promise: %s\n",
            t->each->name, number, mode_names[t->mode], t->diags == NULL ? "without" : "with",
            wrong);
  }
}

static uint64_t digest_findings(const dsm_diags *diags) {
  uint64_t digest = DIGEST_START;
  char text[2048];
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    (void)dsm_diag_render(dsm_diags_get(diags, i), false, text, sizeof text);
    digest = digest_text(digest, text);
  }
  return digest;
}

static size_t count_out_of_memory(const dsm_diags *diags) {
  size_t count = 0;
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    count += strcmp(dsm_diags_get(diags, i)->message, "out of memory") == 0;
  }
  return count;
}

static void check_outcome(trial *t, const attempt *made, size_t number, bool was_hit) {
  if (made->wrong != NULL) {
    fail(t, number, made->wrong);
  }
  if (made->status == DSM_ERROR_OUT_OF_MEMORY) {
    if (!was_hit) {
      fail(t, number, "out of memory only if an allocation failed");
    }
    /* A function that takes no findings leaves them empty. */
    if (dsm_diags_count(t->diags) > 0 && count_out_of_memory(t->diags) != 1) {
      fail(t, number, "one finding says out of memory");
    }
  } else if (made->status != t->each->expected) {
    fail(t, number, "the status is out of memory");
  } else if (made->digest != t->expected_digest) {
    fail(t, number, "what succeeds in spite of a fault is whole");
  } else if (digest_findings(t->diags) != t->expected_findings) {
    fail(t, number, "findings are the same in spite of a fault");
  }
}

/* One call; false once it made fewer than `number` allocations. */
static bool try_once(trial *t, const subject *s, size_t number) {
  dsm_diags_clear(t->diags);
  const long live_before = injected_live_count();
  injected_arm(t->mode, number);
  const attempt made = t->each->call(s, t->diags);
  const size_t seen = injected_disarm();
  const bool was_hit = number > 0 && seen >= number;
  check_outcome(t, &made, number, was_hit);
  if (injected_live_count() != live_before) {
    fail(t, number, "nothing leaks");
  }
  const char *const left = t->each->after == NULL ? NULL : t->each->after(s, made.status);
  if (left != NULL) {
    fail(t, number, left);
  }
  return was_hit;
}

/* Learns what the call does without faults. */
static void learn(trial *t, const subject *s) {
  const attempt made = t->each->call(s, t->diags);
  t->expected_digest = made.digest;
  t->expected_findings = digest_findings(t->diags);
  if (made.status != t->each->expected) {
    fail(t, 0, "without faults the status is the expected one");
  }
  if (t->each->after != NULL) {
    (void)t->each->after(s, made.status);
  }
}

/* The next number that is tried in this way. */
static size_t next_of_way(size_t number, size_t way) {
  number++;
  return number + (way + WAYS - number % WAYS) % WAYS;
}

static size_t run_case(const faulty_case *each, const subject *s, dsm_diags *diags) {
  size_t failure_count = 0;
  size_t most = 0;
  for (int mode = 0; mode < 2; mode++) {
    for (int has_diags = 0; has_diags < 2; has_diags++) {
      trial t = {.each = each, .mode = (injected_kind)mode, .diags = has_diags != 0 ? diags : NULL};
      dsm_diags_clear(t.diags);
      learn(&t, s);
      const size_t way = (size_t)(2 * mode + has_diags);
      size_t number = 0;
      while (number < ALLOCATIONS_MAX && (try_once(&t, s, number) || number == 0)) {
        number = number < FULL_COUNT ? number + 1 : next_of_way(number, way);
      }
      most = number > most ? number : most;
      failure_count += t.failure_count;
    }
  }
  printf("%-36s %6zu allocations%s\n", each->name, most == 0 ? 0 : most - 1,
         failure_count > 0 ? "  FAILED" : "");
  return failure_count;
}

static size_t run_cases(const faulty_case *cases, size_t count, const subject *s,
                        dsm_diags *diags) {
  size_t failure_count = 0;
  for (size_t i = 0; i < count; i++) {
    failure_count += run_case(&cases[i], s, diags);
  }
  return failure_count;
}

/* Where no thread can be started the calling one does all the work. */
static size_t check_refused_threads(const subject *s) {
  char *texts[2] = {NULL, NULL};
  size_t thread_counts[2] = {0, 0};
  dsm_explore_options options = s->training;
  options.thread_count = 4;
  for (int i = 0; i < 2; i++) {
    const size_t before = injected_thread_count();
    dsm_plan *plan = NULL;
    injected_refuse_threads(i == 1);
    if (dsm_explore(&plan, s->residual, s->long_system, &options, NULL) == DSM_OK) {
      texts[i] = dsm_plan_print(plan);
    }
    injected_refuse_threads(false);
    thread_counts[i] = injected_thread_count() - before;
    dsm_plan_free(plan);
  }
  const bool is_good = texts[0] != NULL && texts[1] != NULL && strcmp(texts[0], texts[1]) == 0 &&
                       thread_counts[0] > 0 && thread_counts[1] > 0;
  if (!is_good) {
    fprintf(stderr, "refused threads (%zu of %zu asked for): another plan, or none\n",
            thread_counts[1], thread_counts[0]);
  }
  free(texts[0]);
  free(texts[1]);
  return is_good ? 0 : 1;
}

int main(void) {
  injected_init();
  const long live_before = injected_live_count();
  subject s;
  subject_init(&s);
  dsm_diags *const diags = dsm_diags_new(20);
  size_t failure_count = check_refused_threads(&s);
  failure_count += run_cases(load_cases, load_case_count, &s, diags);
  failure_count += run_cases(session_cases, session_case_count, &s, diags);
  failure_count += run_cases(sweep_eval_cases, sweep_eval_case_count, &s, diags);
  failure_count += run_cases(sweep_store_cases, sweep_store_case_count, &s, diags);
  failure_count += run_cases(sweep_team_cases, sweep_team_case_count, &s, diags);
  dsm_diags_free(diags);
  subject_fini(&s);
  if (injected_live_count() != live_before) {
    fprintf(stderr, "%ld allocations are left at the end\n", injected_live_count() - live_before);
    failure_count++;
  }
  printf("%zu broken promises\n", failure_count);
  return failure_count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
