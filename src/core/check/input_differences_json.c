/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input_differences_json.c: what was asked of two plans, compared as JSON in which every value
 * stands, defaults too. */
#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "check/differences.h"
#include "check/drift.h"
#include "model/names.h"
#include "plan/fixed_options.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

enum { NOTES_MAX = 128 };

/* Whether a description states a default or leaves it out is no difference: the value is the same.
 * Only notes of people are compared. */
static void write_system(const dsm_system *system, dsm__json_writer *writer) {
  const char *paths[NOTES_MAX];
  const char *texts[NOTES_MAX];
  dsm_system noted = *system;
  noted.note_paths = paths;
  noted.note_texts = texts;
  noted.note_count = 0;
  for (size_t i = 0; i < system->note_count && i < NOTES_MAX; i++) {
    if (strcmp(system->note_texts[i], dsm__given) != 0) {
      paths[noted.note_count] = system->note_paths[i];
      texts[noted.note_count++] = system->note_texts[i];
    }
  }
  dsm__system_write(&noted, writer);
}

static void write_question(const dsm_plan *plan, dsm__json_writer *writer) {
  dsm__json_begin_object(writer, false);
  dsm__json_write_key(writer, "workload");
  dsm__workload_write_full(plan->workload, writer);
  dsm__json_write_key(writer, "system");
  write_system(plan->system, writer);
  dsm__json_put_object(writer, "options", false);
  dsm__json_put_string(writer, "mode", dsm_mode_name(plan->options.mode));
  dsm__json_write_key(writer, "optimize");
  dsm__json_write_word_set(writer, &dsm__optimization_words, plan->options.optimizations);
  dsm__json_write_key(writer, "parallelism");
  dsm__json_write_word_set(writer, &dsm__parallelism_words, plan->options.parallelisms);
  if (dsm__has_named_roles(&plan->options)) {
    static const char *const axes[DSM_AXES_MAX] = {"x", "y", "z"};
    dsm__json_put_object(writer, "roles", false);
    for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
      dsm__json_write_key(writer, axes[a]);
      dsm__json_write_word_set(writer, &dsm__role_words, plan->options.roles[a]);
    }
    dsm__json_end_object(writer);
  }
  dsm__fixed_option fixed[DSM__FIXED_OPTIONS_MAX];
  const size_t fixed_count = dsm__fixed_options(&plan->options, fixed);
  for (size_t i = 0; i < fixed_count; i++) {
    if (fixed[i].word != NULL) {
      dsm__json_put_string(writer, fixed[i].key, fixed[i].word);
    } else {
      dsm__json_put_double(writer, fixed[i].key, fixed[i].number);
    }
  }
  dsm__json_put_amount(writer, "gap", plan->options.gap);
  dsm__json_put_amount(writer, "time_limit_seconds", plan->options.time_limit_seconds);
  dsm__json_end_object(writer);
  dsm__json_end_object(writer);
}

/* NULL if out of memory. */
static dsm__json_doc *question_of(const dsm_plan *plan) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm__json_doc *doc = NULL;
  write_question(plan, &writer);
  if (!text.failed &&
      dsm__json_doc_parse(&doc, text.text, text.length, NULL, NULL, 0, NULL) != DSM_OK) {
    doc = NULL;
  }
  dsm__text_fini(&text);
  return doc;
}

bool dsm__input_differences(const dsm_plan *a, const dsm_plan *b, dsm__arena *arena,
                            const dsm_input_difference **list, size_t *count) {
  dsm__json_doc *const a_doc = question_of(a);
  dsm__json_doc *const b_doc = a_doc == NULL ? NULL : question_of(b);
  dsm__differences found = {.arena = arena, .has_failed = b_doc == NULL};
  if (b_doc != NULL) {
    const dsm__json_node a_root = dsm__json_root(a_doc);
    const dsm__json_node b_root = dsm__json_root(b_doc);
    dsm__find_differences(&found, NULL, &a_root, &b_root);
    found.has_failed = found.has_failed || dsm__json_doc_is_out_of_memory(a_doc) ||
                       dsm__json_doc_is_out_of_memory(b_doc);
  }
  dsm__json_doc_free(a_doc);
  dsm__json_doc_free(b_doc);
  *list = found.inputs.items;
  *count = found.inputs.count;
  return !found.has_failed;
}
