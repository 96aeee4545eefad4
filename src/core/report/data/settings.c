/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/settings.h"

#include <string.h>

#include "base/arena.h"
#include "base/number_text.h"

const dsm__setting_refusal *dsm__settings_refuse(const dsm__settings *of, const double *facts) {
  for (size_t r = 0; r < of->refusal_count; r++) {
    const dsm__setting_refusal *const row = &of->refusals[r];
    if (facts[row->of] >= row->least && facts[row->of] <= row->most) {
      return row;
    }
  }
  return NULL;
}

/* The text of a setting's value; NULL: it is left out. */
static const char *text_of(const dsm__setting *row, const double *facts,
                           char number[DSM__NUMBER_TEXT_SIZE]) {
  const double value = facts[row->of];
  bool has_words = false;
  for (size_t w = 0; w < DSM__COUNT_OF(row->words); w++) {
    has_words = has_words || row->words[w] != NULL;
  }
  if (has_words) {
    const size_t word = (size_t)value;
    return word < DSM__COUNT_OF(row->words) ? row->words[word] : NULL;
  }
  if (value <= row->above && (row->is_flag || row->above > 0)) {
    return NULL;
  }
  (void)dsm__double_to_text(value, number);
  return row->is_flag ? "" : number;
}

/* Before the first setting of a section, and behind the last. */
static void turn_section(dsm__text_buffer *out, dsm__settings_form how, const char *from,
                         const char *to) {
  const bool is_same = from == to || (from != NULL && to != NULL && strcmp(from, to) == 0);
  if (!is_same && how == DSM__SETTINGS_TOML && to != NULL) {
    dsm__text_printf(out, "%s[%s]\n", from == NULL ? "" : "\n", to);
  } else if (!is_same && how == DSM__SETTINGS_YAML && to != NULL) {
    dsm__text_printf(out, "%s:\n", to);
  } else if (how == DSM__SETTINGS_JSON) {
    dsm__text_puts(out, !is_same && from != NULL ? "\n  }" : "");
    dsm__text_puts(out, out->length > 2 ? ",\n" : "");
    if (!is_same && to != NULL) {
      dsm__text_printf(out, "  \"%s\": {\n", to);
    }
  }
}

void dsm__settings_write(dsm__text_buffer *out, const dsm__settings *of, const double *facts) {
  const char *section = NULL;
  dsm__text_puts(out, of->form == DSM__SETTINGS_JSON ? "{\n" : "");
  for (size_t r = 0; r < of->row_count; r++) {
    const dsm__setting *const row = &of->rows[r];
    char number[DSM__NUMBER_TEXT_SIZE];
    const char *const text = text_of(row, facts, number);
    if (text == NULL) {
      continue;
    }
    turn_section(out, of->form, section, row->section);
    section = row->section;
    if (of->form == DSM__SETTINGS_ARGUMENTS) {
      dsm__text_printf(out, "%s%s%s\n", row->key, text[0] == '\0' ? "" : " ", text);
    } else if (of->form == DSM__SETTINGS_TOML) {
      dsm__text_printf(out, "%s = %s\n", row->key, text);
    } else if (of->form == DSM__SETTINGS_YAML) {
      dsm__text_printf(out, "%s%s: %s\n", section == NULL ? "" : "  ", row->key, text);
    } else {
      dsm__text_printf(out, "%s\"%s\": %s", section == NULL ? "  " : "    ", row->key, text);
    }
  }
  if (of->form == DSM__SETTINGS_JSON) {
    dsm__text_puts(out, section == NULL ? "\n}\n" : "\n  }\n}\n");
  }
}
