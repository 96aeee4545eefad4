/* SPDX-License-Identifier: GPL-3.0-or-later */
/* number.h: counts on the command line. */
#ifndef DSM_CLI_NUMBER_H
#define DSM_CLI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** Reads a whole decimal token (digits only) in min..max; false, *value untouched, if it is not. */
static inline bool cli_parse_size(const char *text, size_t min, size_t max, size_t *value) {
  size_t result = 0;
  size_t at = 0;
  for (; text[at] >= '0' && text[at] <= '9'; at++) {
    const size_t digit = (size_t)(text[at] - '0');
    if (result > (SIZE_MAX - digit) / 10)
      return false;
    result = 10 * result + digit;
  }
  if (at == 0 || text[at] != '\0' || result < min || result > max)
    return false;
  *value = result;
  return true;
}

/** Reads a decimal number such as 12, 0.5 or 1e6 in min..max; false, *value untouched, if it is not
 * one. */
static inline bool cli_parse_number(const char *text, double min, double max, double *value) {
  char *end;
  const bool begins_well = (text[0] >= '0' && text[0] <= '9') || text[0] == '.';
  if (!begins_well || text[strspn(text, "0123456789.eE+-")] != '\0') {
    return false;
  }
  const double result = strtod(text, &end);
  if (*end != '\0' || !(result >= min && result <= max)) {
    return false;
  }
  *value = result;
  return true;
}

#endif
