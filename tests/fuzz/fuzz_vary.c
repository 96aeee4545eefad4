/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_vary.c: lines of a command line as axes ("v" and the text), conditions ("e") and values for
 * all points (others). */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "fuzz_shelf.h"

enum { LINES_MAX = 8 };

/* Texts of one kind of option. */
typedef struct texts {
  const char *items[LINES_MAX];
  size_t count;
} texts;

/* Cuts the text into lines, by their first letter. No folder is named: it could be a real one. */
static void split_lines(char *text, texts *varies, texts *excludes, texts *sets) {
  size_t count = 0;
  for (char *line = text; line != NULL && count < LINES_MAX; count++) {
    char *const end = strchr(line, '\n');
    if (end != NULL) {
      *end = '\0';
    }
    texts *const to = line[0] == 'v' ? varies : line[0] == 'e' ? excludes : sets;
    const bool is_marked = line[0] == 'v' || line[0] == 'e';
    if (strchr(line, '/') == NULL) {
      to->items[to->count++] = is_marked ? line + 1 : line;
    }
    line = end == NULL ? NULL : end + 1;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const workloads[] = {"w"};
  static const char *const systems[] = {"s"};
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  texts varies = {.count = 0};
  texts excludes = {.count = 0};
  texts sets = {.count = 0};
  split_lines(text, &varies, &excludes, &sets);
  const dsm_sweep_request request = {.workloads = workloads,
                                     .workload_count = 1,
                                     .systems = systems,
                                     .system_count = 1,
                                     .varies = varies.items,
                                     .vary_count = varies.count,
                                     .excludes = excludes.items,
                                     .exclude_count = excludes.count,
                                     .sets = sets.items,
                                     .set_count = sets.count};
  dsm_diags *const diags = fuzz_diags();
  dsm_sweep *sweep = NULL;
  const dsm_status status =
      dsm_sweep_make(&sweep, NULL, 0, NULL, NULL, &request, &fuzz_shelf, diags);
  fuzz_check_diags(diags, status, FUZZ_SHELF_LINES);
  FUZZ_CHECK((status == DSM_OK) == (sweep != NULL));
  if (sweep != NULL) {
    fuzz_check_sweep(sweep);
  }
  dsm_sweep_free(sweep);
  free(text);
  return 0;
}
