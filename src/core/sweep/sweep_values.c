/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_values.c: from what is written to what it means. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "base/number_text.h"
#include "base/words.h"
#include "sweep/sweep_draft.h"

enum { SHOWN_MAX = 128 };

/* ---- as written ---- */

static const char *quoted(dsm__sweep_draft *draft, const char *text) {
  dsm__text_buffer buffer = {0};
  dsm__json_writer writer = {.out = &buffer};
  dsm__json_write_string(&writer, text);
  return dsm__draft_take(draft, &buffer);
}

/* Strings of a list joined by "+"; NULL if it is no list of strings. */
static const char *join_words(dsm__sweep_draft *draft, const dsm__json_node *list) {
  dsm__text_buffer joined = {0};
  dsm__json_node item = dsm__json_item(list, 0);
  dsm__text_puts(&joined, "");
  for (; dsm__json_is_present(&item); item = dsm__json_next(&item)) {
    const char *const word = dsm__json_text(&item);
    if (word == NULL) {
      dsm__text_fini(&joined);
      return NULL;
    }
    dsm__text_puts(&joined, item.index == 0 ? "" : "+");
    dsm__text_puts(&joined, word);
  }
  return dsm__draft_take(draft, &joined);
}

dsm__raw_value dsm__raw_from_node(dsm__sweep_draft *draft, const dsm__json_node *node) {
  const char *const text = dsm__json_text(node);
  dsm__text_buffer buffer = {0};
  dsm__json_compact(node, &buffer);
  dsm__raw_value raw = {.origin = dsm__origin_of(node),
                        .json = dsm__draft_take(draft, &buffer),
                        .text = text == NULL ? NULL : dsm__draft_text(draft, "%s", text),
                        .object = dsm__json_is_object(node) ? node : NULL};
  raw.words = dsm__json_is_list(node) ? join_words(draft, node) : raw.text;
  raw.is_number = dsm__json_is_number(node, &raw.number);
  return raw;
}

bool dsm__raw_from_text(dsm__sweep_draft *draft, const char *text, size_t length,
                        dsm__origin origin, dsm__raw_value *raw) {
  static const char nothing[] = "{}";
  const dsm_override change = {.path = "value",
                               .value = dsm__draft_text(draft, "%.*s", (int)length, text)};
  *raw = (dsm__raw_value){.origin = origin};
  if (length == 0) {
    return dsm__draft_error(draft, origin, "an empty text is \"\" in quotes",
                            "expected a value, found nothing");
  }
  dsm__json_doc *doc = NULL;
  dsm_diags *const diags = dsm_diags_new(1);
  dsm_status status = DSM_ERROR_OUT_OF_MEMORY;
  if (diags != NULL && !dsm__draft_is_stopped(draft)) {
    status = dsm__json_doc_parse(&doc, nothing, sizeof nothing - 1, NULL, &change, 1, diags);
  }
  if (status == DSM_OK) {
    const dsm__json_node root = dsm__json_root(doc);
    const dsm__json_node value = dsm__json_member(&root, change.path);
    *raw = dsm__raw_from_node(draft, &value);
    raw->object = NULL;
    raw->origin = origin;
    status = dsm__json_doc_finish(doc);
  }
  const dsm_diag *const found = dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0) : NULL;
  if (status == DSM_ERROR_INVALID && found != NULL) {
    dsm__draft_error(draft, origin, found->hint, "%s", found->message);
  } else if (status != DSM_OK) {
    (void)dsm__draft_out_of_memory(draft);
  }
  dsm__json_doc_free(doc);
  dsm_diags_free(diags);
  return status == DSM_OK;
}

dsm__raw_value dsm__raw_from_number(dsm__sweep_draft *draft, double number, dsm__origin origin) {
  char text[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(number, text);
  return (dsm__raw_value){.origin = origin,
                          .json = dsm__draft_text(draft, "%s", text),
                          .is_number = true,
                          .number = number};
}

/* ---- as meant ---- */

static bool complain_of_option(dsm__sweep_draft *draft, const dsm__raw_value *raw,
                               const dsm__sweep_option *option, const char *wrong) {
  if (option->words == NULL) {
    return dsm__draft_error(draft, raw->origin, NULL,
                            "expected a number from 0 to %.0f, found %.*s", option->most, SHOWN_MAX,
                            raw->json);
  }
  const char *keys[DSM__WORDS_MAX + 3] = {"all", "none", "everything"};
  const bool has_everything = option->everything != 0;
  const size_t first = (size_t)option->is_set + option->may_be_none + has_everything;
  const size_t count = first + dsm__words_keys(option->words, keys + first);
  char expected[1024];
  char hint[200] = "";
  if (option->is_set) {
    (void)snprintf(expected, sizeof expected, "%s or different ones of %s%s",
                   option->may_be_none ? "\"none\"" : "\"all\"",
                   has_everything ? "all, everything, " : "",
                   dsm__words_join(option->words, ~0U, ", ").text);
  } else {
    (void)snprintf(expected, sizeof expected, "\"%s\"",
                   dsm__words_join(option->words, ~0U, "\" or \"").text);
  }
  if (raw->words != NULL) {
    (void)dsm__nearest_hint(wrong, keys, count, hint, sizeof hint);
  }
  return dsm__draft_error(draft, raw->origin, hint, "expected %s, found %.*s", expected, SHOWN_MAX,
                          raw->json);
}

/* An empty list is "none", where that may be. */
static bool make_option(dsm__sweep_draft *draft, const dsm__raw_value *raw,
                        const dsm__sweep_option *option, dsm_axis_value *value) {
  dsm_explore_options options = {.optimizations = 0};
  char wrong[DSM__OPTION_WORD_SIZE] = "";
  const bool is_number = option->words == NULL;
  const char *const words = is_number        ? raw->is_number ? raw->json : NULL
                            : option->is_set ? raw->words
                                             : raw->text;
  const bool is_empty_list = raw->text == NULL && raw->words != NULL && raw->words[0] == '\0';
  if (!(is_empty_list && option->may_be_none) &&
      (words == NULL || !dsm__sweep_option_parse(option, words, &options, wrong))) {
    return complain_of_option(draft, raw, option, wrong);
  }
  const char *const text =
      dsm__draft_text(draft, "%s", dsm__sweep_option_text(option, &options).text);
  *value = (dsm_axis_value){.text = text,
                            .json = is_number ? text : quoted(draft, text),
                            .is_number = is_number,
                            .number = is_number ? raw->number : 0};
  return true;
}

dsm_axis_value dsm__value_of_input(dsm__sweep_draft *draft, dsm_description kind, size_t input) {
  const char *const name = draft->inputs[kind].items[input].name;
  return (dsm_axis_value){.text = name, .json = quoted(draft, name), .input = input};
}

static bool make_input(dsm__sweep_draft *draft, dsm_description kind, const dsm__raw_value *raw,
                       dsm_axis_value *value) {
  const bool is_option = raw->origin.node == NULL;
  if (raw->object == NULL && raw->text == NULL) {
    return dsm__draft_error(draft, raw->origin, NULL, "expected the name of a %s%s, found %.*s",
                            dsm_description_name(kind), is_option ? "" : ", or a whole one",
                            SHOWN_MAX, raw->json);
  }
  size_t input = 0;
  const char *const folder = is_option ? NULL : draft->folder;
  const bool is_good =
      raw->object != NULL ? dsm__input_by_object(draft, kind, raw->object, &input)
                          : dsm__input_by_name(draft, kind, raw->text, folder, raw->origin, &input);
  *value = is_good ? dsm__value_of_input(draft, kind, input) : (dsm_axis_value){0};
  return is_good;
}

bool dsm__value_make(dsm__sweep_draft *draft, dsm__path_kind kind, const dsm__raw_value *raw,
                     dsm_axis_value *value) {
  if (dsm__path_is_input(kind)) {
    return make_input(draft, dsm__path_description(kind), raw, value);
  }
  if (dsm__path_option(kind) != NULL) {
    return make_option(draft, raw, dsm__path_option(kind), value);
  }
  *value = (dsm_axis_value){.text = raw->text != NULL ? raw->text : raw->json,
                            .json = raw->json,
                            .is_number = raw->is_number,
                            .number = raw->is_number ? raw->number : 0};
  return true;
}
