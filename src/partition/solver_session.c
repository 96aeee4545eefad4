/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver_session.c: the only place where the library jumps. GLPK reports a broken invariant or a
 * failed allocation by a hook that must not return (it would abort the process), and offers nothing
 * else than to leave the hook by a jump and to free the environment (its manual, section on
 * glp_error_hook).
 *
 * The search runs on a thread of its own, since GLPK keeps its environment there: whatever the jump
 * leaves behind is freed with the environment, and nothing of it can be seen by a program that uses
 * GLPK itself. Between the hook and the place that it jumps to there is only GLPK's code and that
 * of the search, which owns nothing but what is in its arena or in the environment. So nothing is
 * lost by not returning.
 */
#include "partition/solver.h"

#include <glpk.h>
#include <setjmp.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/parallel.h"

enum { SAID_BYTES = 200 };

typedef struct session {
  dsm__solver_body *body;
  void *context;
  dsm_status status;
  bool is_refused;        /* there is an environment already, which is not ours to free */
  bool lacks_environment; /* no memory for one */
  bool has_failed;        /* GLPK gave up */
  jmp_buf escape;
  char said[SAID_BYTES]; /* the last line that GLPK printed before the one with the place */
  char last[SAID_BYTES];
} session;

static const dsm__place nowhere = {NULL, 0, 0, NULL};

/* Keeps the last two lines that GLPK wanted to print: an error is a message and its place. */
static int swallow(void *info, const char *text) {
  session *const it = info;
  (void)memcpy(it->said, it->last, sizeof it->said);
  size_t length = strcspn(text, "\n");
  length = length < sizeof it->last - 1 ? length : sizeof it->last - 1;
  (void)memcpy(it->last, text, length);
  it->last[length] = '\0';
  return 1;
}

static void escape(void *info) {
  session *const it = info;
  longjmp(it->escape, 1);
}

static void run_here(void *context, size_t task_index, size_t worker_index) {
  (void)task_index;
  (void)worker_index;
  session *const it = context;
  const int made = glp_init_env();
  if (made != 0) {
    it->lacks_environment = made == 2;
    it->is_refused = made != 2;
    return;
  }
  glp_term_hook(swallow, it);
  glp_error_hook(escape, it);
  if (setjmp(it->escape) == 0) {
    it->status = it->body(it->context);
  } else {
    it->has_failed = true;
  }
  (void)glp_free_env();
}

/* What happened, for a person. NULL: nothing. */
static const char *describe(const session *it) {
  if (it->is_refused) {
    return "no environment of its own could be made";
  }
  if (it->has_failed) {
    return it->said;
  }
  return it->lacks_environment ? "no memory" : NULL;
}

static bool is_short_of_memory(const session *it) {
  return it->lacks_environment || (it->has_failed && (strstr(it->said, "memory") != NULL ||
                                                      strstr(it->said, "malloc") != NULL));
}

static void warn(bool is_memory, const char *trouble, dsm_diags *diags) {
  if (is_memory) {
    dsm__diags_add(diags, DSM_SEVERITY_WARNING, nowhere, NULL,
                   "memory ran out in the solver GLPK: the best answer found before is taken, "
                   "which may be worse than with enough memory");
    return;
  }
  dsm__diags_add(diags, DSM_SEVERITY_WARNING, nowhere, NULL,
                 "the solver GLPK gave up: %s; the best answer found before is taken", trouble);
}

dsm_status dsm__solver_session(dsm__solver_body *body, dsm__has_answer *has_answer, void *context,
                               dsm_diags *diags) {
  session it = {.body = body, .context = context, .status = DSM_OK};
  dsm__run_apart(run_here, &it);
  const char *const trouble = describe(&it);
  if (trouble == NULL) {
    return it.status == DSM_ERROR_OUT_OF_MEMORY ? dsm__out_of_memory(diags) : it.status;
  }
  const bool is_memory = is_short_of_memory(&it);
  if (has_answer != NULL && has_answer(context)) {
    warn(is_memory, trouble, diags);
    return DSM_OK;
  }
  if (is_memory) {
    return dsm__out_of_memory(diags);
  }
  return dsm__refuse(diags, DSM_ERROR_IO, "the solver GLPK %s: %s",
                     it.is_refused ? "cannot be used" : "gave up", trouble);
}
