/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_stages.c: any bytes as a chain of stages; what is read is solved, simulated and written. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { SOLVED_STAGES_MAX = 40, SLOTS = 50, DEVICES = 2, MICRO_BATCHES_MAX = 8 };

/* Sums of sizes that are no whole numbers are rounded. */
static const double rounded = 1 + 1e-9;

static void check_result(const dsm_remat_chain *chain, double part) {
  dsm_remat_options options;
  dsm_remat_result *full = NULL;
  dsm_remat_result *result = NULL;
  dsm_remat_options_init(&options);
  options.slots = SLOTS;
  dsm_remat_chain unbounded = *chain;
  unbounded.budget_bytes = 0;
  FUZZ_CHECK(dsm_remat(&full, &unbounded, &options, NULL) == DSM_OK);
  options.budget_bytes =
      full->smallest_bytes + part * (full->full.peak_bytes - full->smallest_bytes);
  options.wants_front = true;
  const dsm_status status = dsm_remat(&result, chain, &options, NULL);
  FUZZ_CHECK(status == DSM_OK || (status == DSM_ERROR_INFEASIBLE && options.budget_bytes == 0));
  if (status == DSM_OK) {
    dsm_remat_run run;
    FUZZ_CHECK(result->run.peak_bytes <= result->budget_bytes * rounded);
    FUZZ_CHECK(result->run.seconds * rounded >= full->full.seconds);
    FUZZ_CHECK(dsm_remat_simulate(&run, NULL, chain, result->steps, result->step_count, NULL) ==
               DSM_OK);
    FUZZ_CHECK(result->point_count >= 1);
  }
  dsm_remat_result_free(result);
  dsm_remat_result_free(full);
}

static void check_pipeline(const dsm_remat_chain *chain) {
  dsm_remat_pipeline_options options = {.devices = DEVICES, .micro_batches = chain->minibatch};
  dsm_remat_options_init(&options.remat);
  options.remat.slots = SLOTS;
  options.remat.budget_bytes = 1e6;
  dsm_remat_pipeline *pipeline = NULL;
  const dsm_status status = dsm_remat_pipeline_make(&pipeline, chain, &options, NULL);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  FUZZ_CHECK((status == DSM_OK) == (pipeline != NULL));
  dsm_remat_pipeline_free(pipeline);
}

static void check_written(const dsm_remat_chain *chain) {
  char *const text = dsm_remat_chain_print(chain);
  dsm_remat_chain *again = NULL;
  FUZZ_CHECK(text != NULL);
  FUZZ_CHECK(dsm_remat_chain_parse(&again, text, strlen(text), "s.json", NULL, 0, NULL) == DSM_OK);
  FUZZ_CHECK(again->stage_count == chain->stage_count);
  dsm_remat_chain_free(again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_remat_chain *chain = NULL;
  const dsm_status status = dsm_remat_chain_parse(&chain, text, size, "s.json", NULL, 0, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (chain != NULL));
  fuzz_check_diags(diags, status, fuzz_line_count(text, size));
  if (chain != NULL) {
    dsm_description description = DSM_DESCRIPTION_COUNT;
    FUZZ_CHECK(dsm_description_detect(&description, text, size, "s.json", NULL) == DSM_OK);
    FUZZ_CHECK(description == DSM_DESCRIPTION_STAGES);
    if (chain->stage_count <= SOLVED_STAGES_MAX) {
      check_result(chain, 0);
      check_result(chain, 0.5);
      check_written(chain);
    }
    if (chain->stage_count >= DEVICES && chain->stage_count <= SOLVED_STAGES_MAX &&
        chain->minibatch <= MICRO_BATCHES_MAX) {
      check_pipeline(chain);
    }
  }
  dsm_remat_chain_free(chain);
  free(text);
  return 0;
}
