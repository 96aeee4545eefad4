/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver_session.h: GLPK behind a wall. A session has an environment of its own on a thread of its
 * own, so that nothing else that uses GLPK in the process is touched; what GLPK prints is
 * swallowed; where GLPK would abort the process (a broken invariant, no memory) the session ends
 * there; and all that GLPK has allocated is freed at its end, also then.
 */
#ifndef DSM_PARTITION_SOLVER_SESSION_H
#define DSM_PARTITION_SOLVER_SESSION_H

#include "dsm/diag.h"

/** What is done with GLPK. It must own nothing but GLPK's objects and an arena's: it may be left at
 * any call of GLPK. */
typedef dsm_status dsm__solver_body(void *context);

/** Whether what is there by now is worth having. */
typedef bool dsm__has_answer(const void *context);

/** Calls body(context) in a session. DSM_ERROR_IO with a finding if GLPK gave up or cannot be used,
 * DSM_ERROR_OUT_OF_MEMORY, or what body says. If GLPK gave up (also for lack of memory) but
 * has_answer (may be NULL) says that there is an answer: DSM_OK with a warning. */
dsm_status dsm__solver_session(dsm__solver_body *body, dsm__has_answer *has_answer, void *context,
                               dsm_diags *diags);

#endif
