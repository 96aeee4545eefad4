/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chains.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "random_numbers.h"

static void begin(own_chain *own, size_t stage_count) {
  memset(own, 0, sizeof *own);
  own->chain = (dsm_remat_chain){.name = "chain",
                                 .minibatch = 1,
                                 .link_bytes_per_second = HUGE_VAL,
                                 .stages = own->stages,
                                 .stage_count = stage_count};
  for (size_t s = 0; s < stage_count; s++) {
    own->stages[s].name = "stage";
    own->stages[s].options = own->options[s];
  }
}

void chain_of_equal(own_chain *own, size_t stage_count) {
  begin(own, stage_count);
  for (size_t s = 0; s < stage_count; s++) {
    own->options[s][0] = (dsm_remat_option){"all", 1, 2, 3, 0, 0};
    own->stages[s] = (dsm_remat_stage){"stage", 1, 1, 1, 0, true, own->options[s], 1};
  }
}

static double draw(uint64_t *state, uint64_t most) {
  return (double)random_below(state, most + 1);
}

void chain_of_random(own_chain *own, uint64_t *state, size_t stage_count, size_t option_max) {
  begin(own, stage_count);
  own->chain.input_bytes = draw(state, 4);
  own->chain.input_error_bytes = random_below(state, 3) == 0 ? draw(state, 3) : 0;
  for (size_t s = 0; s < stage_count; s++) {
    dsm_remat_stage *const stage = &own->stages[s];
    stage->output_bytes = draw(state, 5);
    stage->error_bytes = random_below(state, 2) == 0 ? stage->output_bytes : draw(state, 4);
    stage->forward_seconds = 1 + draw(state, 9);
    stage->temporary_bytes = draw(state, 2);
    stage->is_recomputable = random_below(state, 6) != 0;
    stage->option_count = 1 + (size_t)random_below(state, option_max);
    for (size_t k = 0; k < stage->option_count; k++) {
      own->options[s][k] = (dsm_remat_option){.name = "option",
                                              .forward_seconds = 1 + draw(state, 9),
                                              .backward_seconds = 1 + draw(state, 19),
                                              .saved_bytes = stage->output_bytes + draw(state, 9),
                                              .forward_temporary_bytes = draw(state, 3),
                                              .backward_temporary_bytes = draw(state, 3)};
    }
  }
}

dsm_remat_result *solved(const dsm_remat_chain *chain, double budget, size_t slots) {
  dsm_remat_options options;
  dsm_remat_options_init(&options);
  options.budget_bytes = budget;
  options.slots = slots;
  dsm_remat_result *result = NULL;
  ck_assert_int_eq(dsm_remat(&result, chain, &options, NULL), DSM_OK);
  ck_assert_double_le(result->run.peak_bytes, result->budget_bytes * (1 + 1e-12));
  return result;
}
