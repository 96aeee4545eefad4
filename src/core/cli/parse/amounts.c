/* SPDX-License-Identifier: GPL-3.0-or-later */
/* amounts.c: numbers with a unit, such as a time, 20ms. */
#include <string.h>

#include "cli/parse/option_values.h"
#include "cli/parse/paths.h"

const cli_unit *cli_read_amount(const char *text, const cli_unit *units, double most,
                                double *amount) {
  while (!cli_ends_in(text, units->name)) {
    units++;
  }
  char number[64];
  const size_t length = strlen(text) - strlen(units->name);
  if (length >= sizeof number) {
    return NULL;
  }
  memcpy(number, text, length);
  number[length] = '\0';
  /* most of it in its own unit; of a part of something as many as of a unit of 1 */
  const double worth = units->worth > 0 ? units->worth : 1;
  const bool is_good = dsm_number_parse(number, 0, most / worth, amount) && *amount > 0;
  return is_good ? units : NULL;
}
