/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_partition.c: any bytes as a partition with each task in one place; what is read keeps its
 * constraints, and is written as stages or refused. And as a front of partitions, which is drawn.
 */
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "dsm/export.h"
#include "dsm/plot.h"
#include "fuzz.h"

static void check_stages(const dsm_partition *partition) {
  dsm_export *made = NULL;
  const dsm_status status = dsm_export_partition(&made, partition, NULL);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INFEASIBLE);
  FUZZ_CHECK((status == DSM_OK) == (made != NULL));
  FUZZ_CHECK(made == NULL || made->files[0].length == strlen(made->files[0].text));
  dsm_export_free(made);
}

static void check_front(const char *text, size_t size) {
  dsm_front *front = NULL;
  dsm_plot *plot = NULL;
  const dsm_status status = parsed_as(&dsm_answer_front, &front, text, size, "f.json", NULL);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (front != NULL));
  FUZZ_CHECK(front == NULL || dsm_answer_kind_of(text, size) == &dsm_answer_front);
  FUZZ_CHECK(front == NULL || dsm_plot_answer(&plot, DSM_ANSWER(front, front), 0, NULL) == DSM_OK);
  FUZZ_CHECK(front == NULL || strlen(plot->marks) > 0);
  dsm_plot_free(plot);
  dsm_front_free(front);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_partition *partition = NULL;
  const dsm_status status =
      parsed_as(&dsm_answer_partition, &partition, text, size, "p.json", diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (partition != NULL));
  fuzz_check_diags(diags, status, fuzz_line_count(text, size));
  if (partition != NULL) {
    check_stages(partition);
  }
  dsm_partition_free(partition);
  check_front(text, size);
  free(text);
  return 0;
}
