/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/comma_list.h"

#include <stdlib.h>
#include <string.h>

bool cli_list_split(cli_list *list, const char *text) {
  const size_t length = strlen(text);
  *list = (cli_list){.text = strdup(text), .items = calloc(length + 1, sizeof *list->items)};
  if (list->text == NULL || list->items == NULL) {
    return false;
  }
  list->items[list->count++] = list->text;
  for (size_t i = 0; i < length; i++) {
    if (list->text[i] == ',') {
      list->text[i] = '\0';
      list->items[list->count++] = list->text + i + 1;
    }
  }
  return true;
}

void cli_list_fini(const cli_list *list) {
  free(list->items);
  free(list->text);
}
