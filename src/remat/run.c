/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.c: a schedule, run step by step over a memory.
 *
 * It knows what a step needs, makes and frees, and nothing of how schedules are found: that a
 * schedule holds within its budget is what it says, not what the search believes.
 */
#include "base/diag_add.h"
#include "chain/chain.h"

/* What is there of a stage. */
typedef struct holding {
  bool has_output; /* by itself, as a checkpoint */
  bool has_run;    /* forward, ever */
  size_t saved;    /* option whose tensors are there, + 1; 0: none */
} holding;

typedef struct memory {
  const dsm_remat_chain *chain;
  holding *stages;
  double held_bytes;
  size_t backwards; /* stages whose backward pass has run, from the last on */
  dsm_remat_run *run;
} memory;

static bool has_input(const memory *of, size_t stage) {
  return stage == 0 || of->stages[stage - 1].has_output || of->stages[stage - 1].saved > 0;
}

/* While a step runs there is this beside what is held. */
static void raise_peak(const memory *of, double more_bytes) {
  const double bytes = of->held_bytes + more_bytes;
  of->run->peak_bytes = bytes > of->run->peak_bytes ? bytes : of->run->peak_bytes;
}

static void drop_checkpoint(memory *of, size_t stage) {
  if (stage > 0 && of->stages[stage - 1].has_output) {
    of->stages[stage - 1].has_output = false;
    of->held_bytes -= of->chain->stages[stage - 1].output_bytes;
  }
}

/* Runs a stage forward; what is wrong, or NULL. */
static const char *run_forward(memory *of, const dsm_remat_step *step) {
  const dsm_remat_stage *const stage = &of->chain->stages[step->stage];
  holding *const here = &of->stages[step->stage];
  if (!has_input(of, step->stage)) {
    return "its input is not there";
  }
  if (here->has_output || here->saved > 0) {
    return "its output is there already";
  }
  if (here->has_run && !stage->is_recomputable) {
    return "it may not run twice";
  }
  of->run->repeated += here->has_run ? 1 : 0;
  here->has_run = true;
  if (step->action == DSM_REMAT_SAVE) {
    const dsm_remat_option *const option = &stage->options[step->option];
    raise_peak(of, option->saved_bytes + option->forward_temporary_bytes);
    here->saved = step->option + 1;
    of->held_bytes += option->saved_bytes;
    of->run->seconds += option->forward_seconds;
    return NULL;
  }
  raise_peak(of, stage->output_bytes + stage->temporary_bytes);
  here->has_output = true;
  of->held_bytes += stage->output_bytes;
  of->run->seconds += stage->forward_seconds;
  if (step->action == DSM_REMAT_FORWARD) {
    drop_checkpoint(of, step->stage);
  }
  return NULL;
}

static const char *run_backward(memory *of, const dsm_remat_step *step) {
  const dsm_remat_stage *const stage = &of->chain->stages[step->stage];
  const dsm_remat_option *const option = &stage->options[step->option];
  holding *const here = &of->stages[step->stage];
  const double error_before = dsm__remat_error_before(of->chain, step->stage);
  const bool is_last = step->stage + 1 == of->chain->stage_count;
  if (here->saved != step->option + 1) {
    return "what its option saves is not there";
  }
  if (!has_input(of, step->stage)) {
    return "its input is not there";
  }
  if (step->stage + 1 + of->backwards != of->chain->stage_count) {
    return "the gradient of its output is not there";
  }
  /* The error of the chain's output is made here. */
  of->held_bytes += is_last ? stage->error_bytes : 0;
  raise_peak(of, error_before + option->backward_temporary_bytes);
  of->held_bytes += error_before - stage->error_bytes - option->saved_bytes;
  here->saved = 0;
  drop_checkpoint(of, step->stage);
  of->run->seconds += option->backward_seconds;
  of->backwards++;
  return NULL;
}

static const char *run_step(memory *of, const dsm_remat_step *step) {
  if (step->stage >= of->chain->stage_count || (unsigned)step->action >= DSM_REMAT_ACTION_COUNT ||
      step->option >= of->chain->stages[step->stage].option_count) {
    return "there is no such stage, action or option";
  }
  return step->action == DSM_REMAT_BACKWARD ? run_backward(of, step) : run_forward(of, step);
}

static dsm_status run_all(memory *of, double *held_bytes, const dsm_remat_step *steps,
                          size_t step_count, dsm_diags *diags) {
  for (size_t i = 0; i < step_count; i++) {
    const char *const wrong = run_step(of, &steps[i]);
    if (wrong != NULL) {
      const dsm_remat_action action = steps[i].action;
      return dsm__refuse(diags, DSM_ERROR_INVALID, "step %zu of the schedule, %s of stage %zu: %s",
                         i + 1,
                         (unsigned)action < DSM_REMAT_ACTION_COUNT ? dsm_remat_action_name(action)
                                                                   : "unknown action",
                         steps[i].stage + 1, wrong);
    }
    if (held_bytes != NULL) {
      held_bytes[i] = of->held_bytes;
    }
  }
  if (of->backwards != of->chain->stage_count) {
    return dsm__refuse(diags, DSM_ERROR_INVALID,
                       "expected a schedule with the backward passes of %zu stages, found %zu",
                       of->chain->stage_count, of->backwards);
  }
  return DSM_OK;
}

dsm_status dsm_remat_simulate(dsm_remat_run *run, double *held_bytes, const dsm_remat_chain *chain,
                              const dsm_remat_step *steps, size_t step_count, dsm_diags *diags) {
  *run = (dsm_remat_run){0};
  dsm_status status = dsm__remat_chain_check(chain, diags);
  if (status != DSM_OK) {
    return status;
  }
  dsm__arena *const arena = dsm__arena_new();
  memory of = {.chain = chain, .run = run};
  status = DSM__RESERVE(arena, of.stages, chain->stage_count)
               ? run_all(&of, held_bytes, steps, step_count, diags)
               : dsm__out_of_memory(diags);
  dsm__arena_free(arena);
  return status;
}
