/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/option_words.h"

#include <stdbool.h>
#include <string.h>

#include "base/json_text.h"

const char *dsm__override_text(const char *json, const char *text) {
  dsm__json_flaw flaw;
  const bool is_string = json[0] == '"';
  const bool is_plain = is_string && text[0] != '\0' && strchr("\"[{", text[0]) == NULL &&
                        !dsm__json_text_check(text, strlen(text), &flaw);
  return is_plain ? text : json;
}
