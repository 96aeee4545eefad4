/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storage_read.c: answers of storage, read from the format "dsm-storage/1".
 *
 * What was asked is read, which may have been edited; it is answered anew.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/json_read.h"
#include "dsm/file.h"
#include "dsm/limits.h"
#include "dsm/report.h"
#include "model/names.h"
#include "report/data/records.h"
#include "storage/storage_internal.h"

static const char format[] = "dsm-storage/1";

/* What was asked. */
typedef struct asked {
  dsm_storage_job job;
  dsm_storage_options options;
  const char *name;
  double repeat; /* where there is no list */
  bool is_planned;
  dsm__arena *arena; /* of name and lists */
} asked;

static void read_number(const dsm__json_node *parent, const char *key, double *value) {
  static const dsm__json_range range = {1 / DSM_STORAGE_NUMBER_MAX, DSM_STORAGE_NUMBER_MAX, false};
  const dsm__json_node node = dsm__json_member(parent, key);
  (void)dsm__json_double(&node, range, value);
}

static void read_factor(const dsm__json_node *parent, const char *key, double *value) {
  static const dsm__json_range range = {1, DSM_REPEAT_MAX, false};
  const dsm__json_node node = dsm__json_member(parent, key);
  (void)dsm__json_double(&node, range, value);
}

static void read_job(asked *of, const dsm__json_node *root) {
  dsm_storage_job *const job = &of->job;
  const dsm__json_node node = dsm__json_member(root, "job");
  const dsm__json_node samples = dsm__json_member(&node, "samples");
  if (!dsm__json_require(&node, "what is asked of storage")) {
    return;
  }
  (void)dsm__json_u64(&samples, 1, DSM_PRODUCT_MAX, &job->samples);
  read_number(&node, "sample_bytes", &job->sample_bytes);
  read_number(&node, "samples_per_second", &job->samples_per_second);
  read_number(&node, "demand_bytes_per_second", &job->demand_bytes_per_second);
  read_number(&node, "fast_bytes", &job->fast_bytes);
  read_number(&node, "fast_bytes_per_second", &job->fast_bytes_per_second);
  read_number(&node, "capacity_bytes_per_second", &job->capacity_bytes_per_second);
}

/* The list of factors; those with times have all of them. */
static void read_list(asked *of, const dsm__json_node *list) {
  size_t count = 0;
  if (!dsm__json_array(list, 1, DSM_TRACE_ROWS_MAX, &count)) {
    return;
  }
  double *const repeats = dsm__arena_array(of->arena, count, sizeof *repeats);
  double *const times = dsm__arena_array(of->arena, count, sizeof *times);
  if (repeats == NULL || times == NULL) {
    dsm__json_set_out_of_memory(list->doc);
    return;
  }
  dsm__json_node item = dsm__json_item(list, 0);
  const bool has_times = dsm__json_has(&item, "time");
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    read_factor(&item, "repeat", &repeats[i]);
    if (has_times) {
      read_number(&item, "time", &times[i]);
    }
  }
  of->options.repeats = repeats;
  of->options.repeat_count = count;
  of->options.times = has_times ? times : NULL;
}

static void read_factors(asked *of, const dsm__json_node *root) {
  const dsm__json_node steady = dsm__json_member(root, "steady");
  const dsm__json_node mini_epochs = dsm__json_member(&steady, "mini_epochs");
  const dsm__json_node list = dsm__json_member(root, "repeats");
  if (!dsm__json_require(&steady, "the mini-epochs and their factor")) {
    return;
  }
  (void)dsm__json_u64(&mini_epochs, 1, DSM_PRODUCT_MAX, &of->options.mini_epochs);
  if (dsm__json_has(root, "max_repeat")) {
    read_factor(root, "max_repeat", &of->options.max_repeat);
  }
  if (dsm__json_is_present(&list)) {
    read_list(of, &list);
  } else {
    read_factor(&steady, "repeat", &of->repeat);
    of->options.repeats = &of->repeat;
    of->options.repeat_count = 1;
  }
}

static void read_word(const dsm__json_node *root, const char *key, const dsm__words *words,
                      unsigned *value) {
  const dsm__json_node node = dsm__json_member(root, key);
  size_t found = 0;
  if (dsm__json_enum(&node, words, &found)) {
    *value = (unsigned)found;
  }
}

static void read_all(void *made, const dsm__json_node *root) {
  asked *const of = made;
  const dsm__json_node name = dsm__json_member(root, "name");
  const dsm__json_node planned = dsm__json_member(root, "planned");
  const dsm__json_node roof = dsm__json_member(root, "fast_roof");
  unsigned mode = 0;
  unsigned rule = 0;
  if (!dsm__document_only(root, &dsm__storage_record)) {
    return;
  }
  (void)dsm__json_name(&name, DSM_TEXT_BYTES_MAX, of->arena, &of->name);
  (void)dsm__json_bool(&planned, &of->is_planned);
  read_word(root, "mode", &dsm__mode_words, &mode);
  read_word(root, "rule", &dsm__repeat_rule_words, &rule);
  of->options.mode = (dsm_mode)mode;
  of->options.replay.rule = (dsm_repeat_rule)rule;
  of->options.wants_timeline = dsm__json_has(root, "timeline");
  read_job(of, root);
  read_factors(of, root);
  if (dsm__json_is_present(&roof)) {
    read_number(&roof, "sample_flop", &of->options.sample_flop);
    read_number(&roof, "flop_per_second", &of->options.flop_per_second);
  }
}

/* What of it is no question is a fault of the file. */
static dsm_status refuse(const char *file, dsm_status status, const dsm_diags *found,
                         dsm_diags *diags) {
  if (dsm_diags_count(found) > 0) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = file}, NULL, "%s",
                   dsm_diags_get(found, 0)->message);
  }
  return status == DSM_ERROR_USAGE ? DSM_ERROR_INVALID : status;
}

/* The name goes into the result, which outlives what was read. */
static dsm_status answer(dsm_storage_result **result, const asked *of, const char *file,
                         dsm_diags *diags) {
  dsm_storage_result *made = NULL;
  dsm_diags *const found = dsm_diags_new(1);
  dsm_status status =
      found == NULL ? dsm__out_of_memory(diags) : dsm_storage(&made, &of->job, &of->options, found);
  if (status != DSM_OK) {
    status = refuse(file, status, found, diags);
  } else {
    assert(made != NULL);
    made->is_planned = of->is_planned;
    made->name = dsm__arena_strdup(made->arena, of->name);
    status = made->name == NULL ? dsm__out_of_memory(diags) : DSM_OK;
  }
  dsm_diags_free(found);
  if (status != DSM_OK) {
    dsm_storage_result_free(made);
    return status;
  }
  *result = made;
  return DSM_OK;
}

dsm_status dsm_storage_parse(dsm_storage_result **result, const char *text, size_t length,
                             const char *file, dsm_diags *diags) {
  const dsm__json_input input = {.text = text, .length = length, .file = file};
  asked of = {.name = "", .arena = dsm__arena_new()};
  *result = NULL;
  if (of.arena == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm_storage_options_init(&of.options);
  dsm_status status = dsm__json_doc_read(&input, diags, read_all, &of);
  if (status == DSM_OK) {
    status = answer(result, &of, file, diags);
  }
  dsm__arena_free(of.arena);
  return status;
}

dsm_status dsm_storage_load(dsm_storage_result **result, const char *path, dsm_diags *diags) {
  char *text = NULL;
  size_t length = 0;
  *result = NULL;
  dsm_status status = dsm_file_read(&text, &length, path, diags);
  if (status == DSM_OK) {
    status = dsm_storage_parse(result, text, length, path, diags);
  }
  free(text);
  return status;
}

bool dsm_storage_is_printed(const char *text, size_t length) {
  return dsm__is_document(text, length, format);
}
