/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design.c: the best design, and what it says of the question. */
#include "dsm/design.h"

#include "base/diag_add.h"
#include "design/design_internal.h"
#include "design/design_words.h"

static const dsm__word way_words[] = {
    [DSM_WAY_NEITHER].key = "neither",
    [DSM_WAY_NEVER_SLOWER].key = "never_slower",
    [DSM_WAY_NEVER_FASTER].key = "never_faster",
};
DSM__NAMED_WORDS(dsm__way_words, "way of a parameter", way_words, DSM_WAY_COUNT, dsm_way,
                 dsm_way_name);

dsm_status dsm_design_find(dsm_design **design, const dsm_design_request *request,
                           dsm_diags *diags) {
  *design = NULL;
  dsm_design *const made = DSM__ARENA_OWNER(dsm_design);
  if (made == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm__question question;
  dsm__answers answers = {.question = &question};
  dsm__search search = {
      .question = &question, .request = request, .answers = &answers, .arena = dsm__arena_new()};
  dsm_status status = dsm__question_init(&question, request, diags);
  if (status == DSM_OK && search.arena == NULL) {
    status = dsm__out_of_memory(diags);
  }
  if (status == DSM_OK) {
    status = dsm__answers_init(&answers, &question, request, diags);
  }
  if (status == DSM_OK) {
    status = dsm__search_run(&search, diags);
  }
  if (status == DSM_OK && question.pareto != NULL && search.best != SIZE_MAX) {
    status = dsm__front_find(&search, diags);
  }
  if (status == DSM_OK) {
    status = dsm__design_make(made, &search, request, diags);
  }
  dsm__answers_fini(&answers);
  dsm__question_fini(&question);
  dsm__arena_free(search.arena);
  if (status == DSM_OK) {
    *design = made;
  } else {
    dsm_design_free(made);
  }
  return status;
}

DSM__ARENA_FREE(dsm_design, dsm_design_free);
