/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comma_list.h: texts with commas between them. */
#ifndef DSM_CLI_PARSE_COMMA_LIST_H
#define DSM_CLI_PARSE_COMMA_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_list {
  char *text; /**< malloc'ed; the items are in it */
  const char **items;
  size_t count;
} cli_list;

/** Splits a text, which has an item at least; false if out of memory. To be freed with
 * cli_list_fini in either case. */
bool cli_list_split(cli_list *list, const char *text);

void cli_list_fini(const cli_list *list);

#endif
