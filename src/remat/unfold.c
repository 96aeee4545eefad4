/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unfold.c: the steps that the choices of windows come to. */
#include "base/growing_list.h"
#include "remat/solve.h"

/* What is still to be done: a window within a budget, or a step. */
typedef struct task {
  bool is_step;
  dsm_remat_step step;
  dsm__remat_window window;
  double budget;
} task;

typedef struct tasks {
  task *items;
  size_t count;
  size_t capacity;
  dsm__arena *arena;
} tasks;

static task step_task(dsm_remat_action action, size_t stage, size_t option) {
  return (task){.is_step = true, .step = {action, stage, option}};
}

static task window_task(size_t first, size_t last, double budget) {
  return (task){.window = {first, last}, .budget = budget};
}

/* The last task is done first: they are pushed in reverse order. */
static bool push(tasks *to, task one) {
  return DSM__LIST_PUSH_IN(to, to->arena, one);
}

static bool push_keep(tasks *to, const dsm_remat_chain *chain, const task *from, size_t option) {
  const size_t first = from->window.first;
  const double left = from->budget - chain->stages[first].options[option].saved_bytes;
  return push(to, step_task(DSM_REMAT_BACKWARD, first, option)) &&
         (first == from->window.last ||
          push(to, window_task(first + 1, from->window.last, left))) &&
         push(to, step_task(DSM_REMAT_SAVE, first, option));
}

static bool push_drop(tasks *to, const dsm_remat_chain *chain, const task *from, size_t middle) {
  const size_t first = from->window.first;
  const double left = from->budget - chain->stages[middle - 1].output_bytes;
  bool is_done = push(to, window_task(first, middle - 1, from->budget)) &&
                 push(to, window_task(middle, from->window.last, left));
  for (size_t at = middle; is_done && at > first; at--) {
    is_done =
        push(to, step_task(at - 1 == first ? DSM_REMAT_CHECKPOINT : DSM_REMAT_FORWARD, at - 1, 0));
  }
  return is_done;
}

static bool add_step(dsm__remat_steps *to, const dsm_remat_step *step, dsm__arena *arena) {
  return DSM__LIST_PUSH_IN(to, arena, *step);
}

bool dsm__remat_unfold(const dsm__remat_choices *choices, double budget, dsm__remat_steps *steps,
                       dsm__arena *arena) {
  const dsm_remat_chain *const chain = choices->chain;
  tasks todo = {.arena = dsm__arena_new()};
  bool is_done = push(&todo, window_task(0, chain->stage_count - 1, budget));
  while (is_done && todo.count > 0) {
    const task one = todo.items[--todo.count];
    if (one.is_step) {
      is_done = add_step(steps, &one.step, arena);
      continue;
    }
    const dsm__remat_choice choice = choices->choose(choices->context, one.window, one.budget);
    is_done = choice.middle == 0 ? push_keep(&todo, chain, &one, choice.option)
                                 : push_drop(&todo, chain, &one, choice.middle);
  }
  dsm__arena_free(todo.arena);
  return is_done;
}
