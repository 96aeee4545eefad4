/* SPDX-License-Identifier: GPL-3.0-or-later */
/* description_json.c: what a JSON text describes, by its `format`. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>

#include "base/diag_add.h"
#include "base/json_read.h"
#include "dsm/file.h"
#include "plan/plan_internal.h"

static const dsm__word description_words[] = {
    [DSM_DESCRIPTION_WORKLOAD].key = "workload",
    [DSM_DESCRIPTION_SYSTEM].key = "system",
    [DSM_DESCRIPTION_PLAN].key = "plan",
    [DSM_DESCRIPTION_SWEEP].key = "sweep",
    [DSM_DESCRIPTION_SERVER].key = "server",
    [DSM_DESCRIPTION_PROFILE].key = "profile",
    [DSM_DESCRIPTION_STAGES].key = "stages",
    [DSM_DESCRIPTION_RL_WORKLOAD].key = "rl-workload",
    [DSM_DESCRIPTION_PIM_SYSTEM].key = "pim-system",
    [DSM_DESCRIPTION_PIM].key = "pim",
    [DSM_DESCRIPTION_TECHNOLOGY].key = "technology",
};
DSM__NAMED_WORDS(dsm__description_words, "kind of description", description_words,
                 DSM_DESCRIPTION_COUNT, dsm_description, dsm_description_name);

/* What each has as its `format`. */
static const dsm__word format_words[] = {
    [DSM_DESCRIPTION_WORKLOAD].key = "dsm-workload/1",
    [DSM_DESCRIPTION_SYSTEM].key = "dsm-system/1",
    [DSM_DESCRIPTION_PLAN].key = "dsm-plan/1",
    [DSM_DESCRIPTION_SWEEP].key = "dsm-sweep/1",
    [DSM_DESCRIPTION_SERVER].key = "dsm-server/1",
    [DSM_DESCRIPTION_PROFILE].key = "dsm-profile/1",
    [DSM_DESCRIPTION_STAGES].key = "dsm-stages/1",
    [DSM_DESCRIPTION_RL_WORKLOAD].key = "dsm-rl-workload/1",
    [DSM_DESCRIPTION_PIM_SYSTEM].key = "dsm-pim-system/1",
    [DSM_DESCRIPTION_PIM].key = "dsm-pim/1",
    [DSM_DESCRIPTION_TECHNOLOGY].key = "dsm-technology/1",
};
static const dsm__word minor_words[] = {[DSM_DESCRIPTION_PLAN].key = "dsm-plan/1.1"};
static const dsm__words minor_versions = {.items = minor_words, .count = DSM_DESCRIPTION_PLAN + 1};
static const dsm__words formats = {.what = "format",
                                   .items = format_words,
                                   .count = DSM_DESCRIPTION_COUNT,
                                   .also = &minor_versions};

bool dsm__is_planner_graph(const dsm__json_node *root) {
  const dsm__json_node nodes = dsm__json_member(root, "nodes");
  return !dsm__json_has(root, "format") &&
         (dsm__json_is_present(&nodes) || dsm__json_has(root, "maxFPGAs"));
}

/* The format of a document, if it has a known one. */
static bool find_format(dsm__json_doc *doc, dsm_description *description) {
  const dsm__json_node root = dsm__json_root(doc);
  const dsm__json_node format = dsm__json_member(&root, "format");
  size_t index = 0;
  if (!dsm__json_is_object(&root)) {
    dsm__json_object_only(&root, NULL, 0);
  } else if (dsm__is_planner_graph(&root)) {
    *description = DSM_DESCRIPTION_PROFILE;
    return true;
  } else if (dsm__json_enum(&format, &formats, &index)) {
    *description = (dsm_description)index;
    return true;
  }
  return false;
}

dsm_status dsm_description_detect(dsm_description *description, const char *text, size_t length,
                                  const char *file, dsm_diags *diags) {
  /* Silent at first: what else is wrong with a description is for its own reader to report. */
  for (int attempt = 0; attempt < 2; attempt++) {
    dsm__json_doc *doc = NULL;
    dsm_status status =
        dsm__json_doc_parse(&doc, text, length, file, NULL, 0, attempt == 0 ? NULL : diags);
    const bool is_found = status == DSM_OK && find_format(doc, description);
    if (status == DSM_OK && dsm__json_doc_is_out_of_memory(doc)) {
      status = DSM_ERROR_OUT_OF_MEMORY;
    }
    dsm__json_doc_free(doc);
    if (is_found && status == DSM_OK) {
      return DSM_OK;
    }
    if (attempt == 1) {
      return status == DSM_OK ? DSM_ERROR_INVALID : status;
    }
  }
  return DSM_ERROR_INVALID;
}

char *dsm_description_comment(const char *text, size_t length) {
  dsm__json_doc *doc = NULL;
  if (dsm__json_doc_parse(&doc, text, length, NULL, NULL, 0, NULL) != DSM_OK) {
    return NULL;
  }
  const char *const comment = dsm__json_doc_comment(doc);
  char *const copy = comment == NULL ? NULL : strdup(comment);
  dsm__json_doc_free(doc);
  return copy;
}
