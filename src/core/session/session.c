/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session.c: a network on a system, with options by name. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/growing_list.h"
#include "base/record.h"
#include "dsm/dsm.h"
#include "report/data/records.h"
#include "sweep/axis_path.h"

enum { FINDINGS_MAX = 100, LINE_BYTES = 2048, TABLE_WIDTH = 120 };

/* The options that are changes of what is loaded. */
static const char minibatch_option[] = "minibatch";
static const char set_option[] = "set";

typedef struct changes {
  DSM__LIST(dsm_override) list;
} changes;

struct dsm_session {
  dsm__arena *arena; /* of the session itself, and of texts of options */
  dsm_diags *diags;
  dsm_explore_options options;
  changes of_workload;
  changes of_system;
  DSM__LIST(const char *) recorded; /* all of them as PATH=VALUE, for the plan */
  dsm_workload *workload;
  dsm_system *system;
  dsm_plan *plan;
  char line[LINE_BYTES]; /* of the finding that was asked for last */
};

dsm_session *dsm_session_new(void) {
  dsm__arena *const arena = dsm__arena_new();
  dsm_session *const session = arena == NULL ? NULL : dsm__arena_array(arena, 1, sizeof *session);
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  if (session == NULL || diags == NULL) {
    dsm_diags_free(diags);
    dsm__arena_free(arena);
    return NULL;
  }
  session->arena = arena;
  session->diags = diags;
  dsm_explore_options_init(&session->options);
  return session;
}

static void clear(dsm_session *session) {
  dsm_plan_free(session->plan);
  dsm_system_free(session->system);
  dsm_workload_free(session->workload);
  session->plan = NULL;
  session->system = NULL;
  session->workload = NULL;
}

void dsm_session_free(dsm_session *session) {
  if (session != NULL) {
    clear(session);
    dsm_diags_free(session->diags);
    dsm__arena_free(session->arena);
  }
}

/* ---- options ---- */

const char *dsm_session_option(size_t index) {
  size_t count = 0;
  while (count < index && dsm_search_option_get(count) != NULL) {
    count++;
  }
  const dsm_search_option *const option = dsm_search_option_get(count);
  return option != NULL       ? option->name
         : index == count     ? minibatch_option
         : index == count + 1 ? set_option
                              : NULL;
}

/* Adds what is to be said of an input, "workload.minibatch=4". */
static dsm_status add_change(dsm_session *session, const char *text) {
  static const char before[] = "set ";
  const size_t length = strcspn(text, "=");
  const char *const copy = dsm__arena_strdup(session->arena, text);
  const char *const origin = dsm__arena_printf(session->arena, "%s%.*s", before, (int)length, text);
  dsm__path_kind kind = DSM__PATH_WORKLOAD;
  if (copy == NULL || origin == NULL) {
    return dsm__out_of_memory(session->diags);
  }
  const char *const path = origin + sizeof before - 1;
  if (text[length] == '\0' || !dsm__path_parse(path, &kind) || !dsm__path_is_value(kind)) {
    return dsm__refuse(session->diags, DSM_ERROR_USAGE,
                       "set: expected workload.PATH=VALUE or system.PATH=VALUE, found '%.200s'",
                       text);
  }
  changes *const to =
      kind == DSM__PATH_WORKLOAD_VALUE ? &session->of_workload : &session->of_system;
  if (!DSM__LIST_RESERVE_IN(&to->list, 1, session->arena) ||
      !DSM__LIST_RESERVE_IN(&session->recorded, 1, session->arena)) {
    return dsm__out_of_memory(session->diags);
  }
  to->list.items[to->list.count++] = (dsm_override){
      .path = dsm__path_below(path, kind), .value = copy + length + 1, .origin = origin};
  session->recorded.items[session->recorded.count++] = copy;
  return DSM_OK;
}

static dsm_status set_minibatch(dsm_session *session, const char *value) {
  const char *const text = dsm__arena_printf(session->arena, "workload.minibatch=%s", value);
  return text == NULL ? dsm__out_of_memory(session->diags) : add_change(session, text);
}

static dsm_status refuse_option(dsm_session *session, const char *option) {
  enum { OPTIONS_MAX = 32 };
  const char *names[OPTIONS_MAX];
  size_t count = 0;
  for (; count < OPTIONS_MAX && dsm_session_option(count) != NULL; count++) {
    names[count] = dsm_session_option(count);
  }
  const char *const nearest = dsm_suggest(option, names, count);
  return dsm__refuse(session->diags, DSM_ERROR_USAGE, "unknown option '%.100s'%s%s%s", option,
                     nearest == NULL ? "" : " (did you mean '", nearest == NULL ? "" : nearest,
                     nearest == NULL ? "" : "'?)");
}

dsm_status dsm_session_set(dsm_session *session, const char *option, const char *value) {
  const dsm_search_option *const of_search = dsm_search_option_find(option);
  dsm_diags_clear(session->diags);
  return of_search != NULL
             ? dsm_search_option_set(&session->options, of_search, value, session->diags)
         : strcmp(option, minibatch_option) == 0 ? set_minibatch(session, value)
         : strcmp(option, set_option) == 0       ? add_change(session, value)
                                                 : refuse_option(session, option);
}

/* ---- what it is asked ---- */

dsm_status dsm_session_load(dsm_session *session, const char *workload_file,
                            const char *system_file) {
  const changes *const of_workload = &session->of_workload;
  const changes *const of_system = &session->of_system;
  clear(session);
  dsm_diags_clear(session->diags);
  const dsm_status workload =
      dsm_workload_load(&session->workload, workload_file, of_workload->list.items,
                        of_workload->list.count, session->diags);
  const dsm_status system = dsm_system_load(&session->system, system_file, of_system->list.items,
                                            of_system->list.count, session->diags);
  return workload != DSM_OK ? workload : system;
}

dsm_status dsm_session_load_plan(dsm_session *session, const char *plan_file) {
  clear(session);
  dsm_diags_clear(session->diags);
  return dsm_plan_load(&session->plan, plan_file, NULL, session->diags);
}

/* All optimizations are those of the mode and the system. */
static dsm_explore_options settled(const dsm_session *session) {
  dsm_explore_options options = session->options;
  options.optimizations &= dsm_mode_possible_optimizations(options.mode);
  if (dsm__has_all(session->options.optimizations)) {
    options.optimizations |= dsm_system_optimizations(session->system, options.mode);
  }
  options.overrides = session->recorded.items;
  options.override_count = session->recorded.count;
  return options;
}

dsm_status dsm_session_explore(dsm_session *session) {
  dsm_diags_clear(session->diags);
  if (session->workload == NULL || session->system == NULL) {
    return dsm__refuse(session->diags, DSM_ERROR_USAGE, "no workload and system are loaded");
  }
  const dsm_explore_options options = settled(session);
  dsm_plan_free(session->plan);
  session->plan = NULL;
  return dsm_explore(&session->plan, session->workload, session->system, &options, session->diags);
}

/* ---- what it answers ---- */

const dsm_plan *dsm_session_plan(const dsm_session *session) {
  return session->plan;
}

bool dsm_session_number(const dsm_session *session, const char *key, double *value) {
  const dsm__field *const field = dsm__record_field(&dsm__figures_record, key, NULL);
  if (session->plan == NULL || field == NULL) {
    return false;
  }
  *value = *(const double *)dsm__field_in(field, &session->plan->result);
  return true;
}

char *dsm_session_print(const dsm_session *session, const char *form) {
  static const char *const forms[] = {[DSM_FORM_TABLE] = "table",
                                      [DSM_FORM_JSON] = "json",
                                      [DSM_FORM_CSV] = "csv",
                                      [DSM_FORM_TRACE] = "trace"};
  const dsm_table_style style = {.width = TABLE_WIDTH};
  for (size_t i = 0; session->plan != NULL && i < DSM__COUNT_OF(forms); i++) {
    if (forms[i] != NULL && strcmp(forms[i], form) == 0) {
      return dsm_answer_print(DSM_ANSWER(plan, session->plan), (dsm_form)i, &style);
    }
  }
  return NULL;
}

dsm_status dsm_session_save(dsm_session *session, const char *file) {
  dsm_diags_clear(session->diags);
  return session->plan == NULL ? dsm__refuse(session->diags, DSM_ERROR_USAGE, "there is no plan")
                               : dsm_plan_save(session->plan, file, session->diags);
}

const char *dsm_session_finding(dsm_session *session, size_t index) {
  if (index >= dsm_diags_count(session->diags)) {
    return NULL;
  }
  (void)dsm_diag_render(dsm_diags_get(session->diags, index), false, session->line, LINE_BYTES);
  return session->line;
}

void dsm_text_free(char *text) {
  free(text);
}
