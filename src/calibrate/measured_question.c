/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibrate/measured_question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "dsm/limits.h"
#include "sweep/option_words.h"

/* The columns that a question is made of. */
static const dsm__column asked[] = {
    DSM__COLUMN_WORKLOAD, DSM__COLUMN_MINIBATCH, DSM__COLUMN_MODE, DSM__COLUMN_PARALLELISM,
    DSM__COLUMN_OPTIMIZE, DSM__COLUMN_OVERRIDES, DSM__COLUMN_PLAN};

/* Those of them that a plan says itself. */
static const dsm__column said_by_plan[] = {DSM__COLUMN_WORKLOAD, DSM__COLUMN_MINIBATCH,
                                           DSM__COLUMN_MODE, DSM__COLUMN_PARALLELISM,
                                           DSM__COLUMN_OPTIMIZE};

const char *dsm__question_key(const dsm__cells *cells, dsm__arena *arena) {
  const char *key = "";
  for (size_t c = 0; c < DSM__COUNT_OF(asked) && key != NULL; c++) {
    key = dsm__arena_printf(arena, "%s\n%zu:%s", key, strlen(cells->texts[asked[c]]),
                            cells->texts[asked[c]]);
  }
  return key;
}

/* ---- options ---- */

static dsm_status read_option(dsm__question *question, const dsm__cells *cells, dsm__column column,
                              int option, dsm_diags *diags) {
  const dsm__sweep_option *const of = &dsm__sweep_options[option];
  const char *const text = cells->texts[column];
  char wrong[DSM__OPTION_WORD_SIZE];
  return text[0] == '\0' || dsm__sweep_option_parse(of, text, &question->options, wrong)
             ? DSM_OK
             : dsm__cell_refuse_word(cells, column, of->words, wrong, diags);
}

/* Words joined by "+", each that of a parallelism by the names of the system's axes; 0 if they are
 * not. */
static unsigned find_own_parallelisms(const dsm_system *system, const char *text) {
  unsigned set = 0;
  for (const char *at = text; at != NULL;) {
    dsm_axes_word word;
    dsm_parallelism parallelism;
    const size_t length = strcspn(at, "+");
    (void)snprintf(word.text, sizeof word.text, "%.*s", (int)length, at);
    if (length >= sizeof word.text ||
        !dsm_system_parallelism_parse(system, word.text, &parallelism) ||
        dsm_parallelism_has_roles(parallelism) || (set & DSM_PARALLELISM_BIT(parallelism)) != 0) {
      return 0;
    }
    set |= DSM_PARALLELISM_BIT(parallelism);
    at = at[length] == '\0' ? NULL : at + length + 1;
  }
  return set;
}

static dsm_status read_parallelism(dsm__question *question, const dsm_system *system,
                                   const dsm__cells *cells, dsm_diags *diags) {
  const unsigned own = find_own_parallelisms(system, cells->texts[DSM__COLUMN_PARALLELISM]);
  if (own != 0) {
    question->options.parallelisms = own;
    return DSM_OK;
  }
  return read_option(question, cells, DSM__COLUMN_PARALLELISM, DSM__OPTION_PARALLELISM, diags);
}

static dsm_status read_options(dsm__question *question, const dsm_system *system,
                               const dsm__cells *cells, dsm_diags *diags) {
  dsm_explore_options *const options = &question->options;
  dsm_explore_options_init(options);
  options->optimizations = DSM_OPTIMIZATION_ALL;
  dsm_status status = read_option(question, cells, DSM__COLUMN_MODE, DSM__OPTION_MODE, diags);
  if (status == DSM_OK) {
    status = read_option(question, cells, DSM__COLUMN_OPTIMIZE, DSM__OPTION_OPTIMIZE, diags);
  }
  if (status == DSM_OK) {
    status = read_parallelism(question, system, cells, diags);
  }
  const bool has_all = dsm__has_all(options->optimizations);
  options->optimizations &= dsm_mode_possible_optimizations(options->mode);
  options->optimizations |= has_all ? dsm_system_optimizations(system, options->mode) : 0;
  return status;
}

/* ---- overrides ---- */

/* Those of a network or of a system, and where they come from. */
typedef struct overrides {
  DSM__LIST(dsm_override) of[2]; /* by dsm_description */
  const char *origin;
  dsm__arena *arena;
} overrides;

static dsm_status take_override(overrides *to, const dsm__cells *cells, char *text,
                                dsm_diags *diags) {
  static const char *const roots[] = {"workload.", "system."};
  char *const equals = strchr(text, '=');
  for (size_t r = 0; equals != NULL && r < DSM__COUNT_OF(roots); r++) {
    const size_t length = strlen(roots[r]);
    if (strncmp(text, roots[r], length) == 0 && equals > text + length) {
      if (!DSM__LIST_RESERVE_IN(&to->of[r], 1, to->arena)) {
        return dsm__out_of_memory(diags);
      }
      *equals = '\0';
      to->of[r].items[to->of[r].count++] =
          (dsm_override){.path = text + length, .value = equals + 1, .origin = to->origin};
      return DSM_OK;
    }
  }
  return dsm__cell_refuse(cells, diags, NULL,
                          "overrides: expected workload.PATH=VALUE or system.PATH=VALUE, joined by "
                          "\";\", found \"%s\"",
                          text);
}

static dsm_status read_overrides(overrides *to, const dsm__cells *cells, dsm_diags *diags) {
  char *text = dsm__arena_strdup(to->arena, cells->texts[DSM__COLUMN_OVERRIDES]);
  to->origin = dsm__arena_printf(to->arena, "%s:%zu: overrides", cells->file, cells->line);
  if (text == NULL || to->origin == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm_status status = DSM_OK;
  while (text != NULL && text[0] != '\0' && status == DSM_OK) {
    char *const end = strchr(text, ';');
    if (end != NULL) {
      *end = '\0';
    }
    status = take_override(to, cells, text, diags);
    text = end == NULL ? NULL : end + 1;
  }
  return status;
}

/* ---- networks, plans and systems ---- */

/* What is read of a file; `text` and `file` are malloc'ed. */
typedef struct read_text {
  char *text;
  size_t length;
  char *file;
} read_text;

/* Reads a file that a cell names; what goes wrong is said of the row. */
static dsm_status read_named(read_text *to, const dsm__measurements *read, const dsm__cells *cells,
                             dsm__column column, dsm_diags *diags) {
  const dsm_calibration_request *const request = read->request;
  const dsm_description kind =
      column == DSM__COLUMN_PLAN ? DSM_DESCRIPTION_PLAN : DSM_DESCRIPTION_WORKLOAD;
  dsm_diags *const found = dsm_diags_new(1);
  const dsm_status status =
      found == NULL
          ? DSM_ERROR_OUT_OF_MEMORY
          : request->source->read(request->source->context, cells->texts[column], request->folder,
                                  kind, &to->text, &to->length, &to->file, found);
  if (status != DSM_OK && dsm_diags_count(found) > 0) {
    const dsm_diag *const why = dsm_diags_get(found, 0);
    (void)dsm__cell_refuse(cells, diags, why->hint, "%s%s%s", why->file,
                           why->file[0] == '\0' ? "" : ": ", why->message);
  } else if (status == DSM_ERROR_OUT_OF_MEMORY) {
    (void)dsm__out_of_memory(diags);
  }
  dsm_diags_free(found);
  return status;
}

static void read_text_fini(const read_text *text) {
  free(text->text);
  free(text->file);
}

static dsm_status read_minibatch(overrides *to, const dsm__cells *cells, dsm_diags *diags) {
  const char *const text = cells->texts[DSM__COLUMN_MINIBATCH];
  uint64_t number = 0;
  if (text[0] == '\0') {
    return DSM_OK;
  }
  if (!dsm__text_to_u64(text, 1, DSM_DIMENSION_MAX, &number)) {
    return dsm__cell_refuse(cells, diags, NULL,
                            "minibatch: expected a whole number from 1 to %d, found \"%s\"",
                            DSM_DIMENSION_MAX, text);
  }
  if (!DSM__LIST_RESERVE_IN(&to->of[DSM_DESCRIPTION_WORKLOAD], 1, to->arena)) {
    return dsm__out_of_memory(diags);
  }
  to->of[DSM_DESCRIPTION_WORKLOAD].items[to->of[DSM_DESCRIPTION_WORKLOAD].count++] =
      (dsm_override){.path = "minibatch", .value = text, .origin = to->origin};
  return DSM_OK;
}

static dsm_status make_of_workload(dsm__question *question, const dsm__measurements *read,
                                   const dsm__cells *cells, overrides *with, dsm_diags *diags) {
  if (cells->texts[DSM__COLUMN_WORKLOAD][0] == '\0') {
    return dsm__cell_refuse(cells, diags, NULL, "workload: expected a name, found nothing");
  }
  dsm_status status = read_minibatch(with, cells, diags);
  if (status == DSM_OK) {
    status = read_options(question, read->request->system, cells, diags);
  }
  read_text found = {0};
  if (status == DSM_OK) {
    status = read_named(&found, read, cells, DSM__COLUMN_WORKLOAD, diags);
  }
  if (status == DSM_OK) {
    status = dsm_workload_parse(&question->workload, found.text, found.length, found.file,
                                with->of[DSM_DESCRIPTION_WORKLOAD].items,
                                with->of[DSM_DESCRIPTION_WORKLOAD].count, diags);
  }
  read_text_fini(&found);
  return status;
}

static dsm_status make_of_plan(dsm__question *question, const dsm__measurements *read,
                               const dsm__cells *cells, const overrides *with, dsm_diags *diags) {
  bool is_alone = with->of[DSM_DESCRIPTION_WORKLOAD].count == 0;
  for (size_t c = 0; c < DSM__COUNT_OF(said_by_plan); c++) {
    is_alone = is_alone && cells->texts[said_by_plan[c]][0] == '\0';
  }
  if (!is_alone) {
    return dsm__cell_refuse(cells, diags, NULL,
                            "plan: expected a plan without workload, minibatch and options, which "
                            "it has itself");
  }
  read_text found = {0};
  dsm_status status = read_named(&found, read, cells, DSM__COLUMN_PLAN, diags);
  if (status == DSM_OK) {
    status = dsm_plan_parse(&question->plan, found.text, found.length, found.file, NULL, diags);
  }
  if (status == DSM_OK) {
    question->options = question->plan->options;
  }
  read_text_fini(&found);
  return status;
}

static dsm_status make_system(dsm__question *question, const dsm__measurements *read,
                              const overrides *with, dsm_diags *diags) {
  const dsm__text_buffer *const text = &read->system_text;
  const size_t count = with->of[DSM_DESCRIPTION_SYSTEM].count;
  return count == 0 ? DSM_OK
                    : dsm_system_parse(&question->own_system, text->text, text->length, "system",
                                       with->of[DSM_DESCRIPTION_SYSTEM].items, count, diags);
}

dsm_status dsm__question_make(dsm__question *question, const dsm__measurements *read,
                              const dsm__cells *cells, dsm_diags *diags) {
  overrides with = {.arena = read->arena};
  dsm_status status = read_overrides(&with, cells, diags);
  if (status == DSM_OK) {
    status = cells->texts[DSM__COLUMN_PLAN][0] != '\0'
                 ? make_of_plan(question, read, cells, &with, diags)
                 : make_of_workload(question, read, cells, &with, diags);
  }
  if (status != DSM_ERROR_OUT_OF_MEMORY) {
    const dsm_status system_status = make_system(question, read, &with, diags);
    status = status == DSM_OK ? system_status : status;
  }
  if (status != DSM_OK) { /* rows that ask the same find nothing, and say nothing again */
    dsm_workload_free(question->workload);
    dsm_plan_free(question->plan);
    question->workload = NULL;
    question->plan = NULL;
  }
  return status;
}
