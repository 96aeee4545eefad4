/* SPDX-License-Identifier: GPL-3.0-or-later */
/* number.h: counts on the command line. */
#ifndef DSM_CLI_PARSE_NUMBER_H
#define DSM_CLI_PARSE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
