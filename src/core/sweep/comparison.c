/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/comparison.h"

#include <string.h>

#include "base/growing_list.h"
#include "sweep/sweep_draft.h"

/* Longer ones first, so that the text's first match is the whole of it. */
static const struct {
  const char *text;
  unsigned orders;
} comparisons[] = {
    {"!=", DSM__ORDER_DIFFERENT},
    {"<=", DSM__ORDER_LESS | DSM__ORDER_EQUAL},
    {">=", DSM__ORDER_MORE | DSM__ORDER_EQUAL},
    {"=", DSM__ORDER_EQUAL},
    {"<", DSM__ORDER_LESS},
    {">", DSM__ORDER_MORE},
};

bool dsm__comparison_find(const char *text, dsm__comparison *found) {
  size_t at = strlen(text);
  for (size_t i = 0; i < 4; i++) {
    const size_t part = dsm__part_length(text, "=!<>"[i]);
    at = part < at ? part : at;
  }
  for (size_t c = 0; c < sizeof comparisons / sizeof *comparisons; c++) {
    if (strncmp(text + at, comparisons[c].text, strlen(comparisons[c].text)) == 0) {
      *found = (dsm__comparison){at, comparisons[c].text, comparisons[c].orders};
      return true;
    }
  }
  return false;
}

bool dsm__comparison_holds(unsigned orders, int order) {
  const unsigned found = order < 0    ? DSM__ORDER_LESS
                         : order == 0 ? DSM__ORDER_EQUAL
                                      : DSM__ORDER_MORE;
  return (orders & found) != 0;
}

size_t dsm__path_find(dsm__path_at *path_at, const void *of, size_t count, const char *name) {
  const size_t own = strlen(name);
  size_t found = count;
  size_t ends = 0;
  for (size_t c = 0; c < count; c++) {
    const char *const path = path_at(of, c);
    const size_t length = strlen(path);
    if (own > 0 && own <= length && strcmp(path + length - own, name) == 0) {
      if (own == length) {
        return c;
      }
      const bool is_end = path[length - own - 1] == '.';
      found = is_end ? c : found;
      ends += is_end;
    }
  }
  return ends == 1 ? found : count;
}
