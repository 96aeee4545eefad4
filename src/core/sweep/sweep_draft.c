/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/sweep_draft.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/diag_add.h"

DSM_PRINTF(5, 0)
static void report(dsm__sweep_draft *draft, dsm_severity severity, dsm__origin origin,
                   const char *hint, const char *format, va_list args) {
  char message[1024]; /* more than a finding keeps */
  if (dsm__draft_is_stopped(draft)) {
    return;
  }
  (void)vsnprintf(message, sizeof message, format, args);
  if (origin.node == NULL) {
    const dsm__place place = {.file = origin.option};
    dsm__diags_add(draft->diags, severity, place, hint, "%s", message);
  } else if (severity == DSM_SEVERITY_ERROR) {
    dsm__json_error(origin.node, hint, "%s", message);
  } else {
    dsm__json_warning(origin.node, hint, "%s", message);
  }
}

bool dsm__draft_error(dsm__sweep_draft *draft, dsm__origin origin, const char *hint,
                      const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(draft, DSM_SEVERITY_ERROR, origin, hint, format, args);
  va_end(args);
  *(origin.node != NULL ? &draft->is_invalid : &draft->is_usage_wrong) = true;
  return false;
}

bool dsm__draft_no_path(dsm__sweep_draft *draft, dsm__origin origin, const char *path) {
  char hint[DSM__PATH_HINT_SIZE];
  dsm__path_hint(path, hint);
  return dsm__draft_error(draft, origin, hint,
                          "expected workload, system, workload.PATH, system.PATH or an option such "
                          "as options.mode, found \"%.128s\"",
                          path);
}

void dsm__draft_warning(dsm__sweep_draft *draft, dsm__origin origin, const char *hint,
                        const char *format, ...) {
  va_list args;
  va_start(args, format);
  report(draft, DSM_SEVERITY_WARNING, origin, hint, format, args);
  va_end(args);
}

bool dsm__draft_is_stopped(const dsm__sweep_draft *draft) {
  return draft->is_out_of_memory ||
         (draft->doc != NULL && dsm__json_doc_is_out_of_memory(draft->doc));
}

/* Notes that memory is out, and has been reported. */
static void stop(dsm__sweep_draft *draft) {
  draft->is_out_of_memory = true;
  if (draft->doc != NULL) {
    dsm__json_note_out_of_memory(draft->doc);
  }
}

void dsm__draft_note(dsm__sweep_draft *draft, dsm_status status) {
  if (status == DSM_ERROR_OUT_OF_MEMORY) {
    stop(draft);
  }
  draft->is_io_wrong = draft->is_io_wrong || status == DSM_ERROR_IO;
  draft->is_usage_wrong = draft->is_usage_wrong || status == DSM_ERROR_USAGE;
  draft->is_invalid =
      draft->is_invalid || status == DSM_ERROR_INVALID || status == DSM_ERROR_INFEASIBLE;
}

bool dsm__draft_out_of_memory(dsm__sweep_draft *draft) {
  if (!dsm__draft_is_stopped(draft)) {
    (void)dsm__out_of_memory(draft->diags);
  }
  stop(draft);
  return false;
}

dsm_status dsm__draft_status(const dsm__sweep_draft *draft) {
  const bool has_doc = draft->doc != NULL;
  if (dsm__draft_is_stopped(draft)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  if (draft->is_io_wrong) {
    return DSM_ERROR_IO;
  }
  if (draft->is_invalid || (has_doc && dsm__json_doc_error_count(draft->doc) > 0)) {
    return DSM_ERROR_INVALID;
  }
  return draft->is_usage_wrong ? DSM_ERROR_USAGE : DSM_OK;
}

/* ---- memory ---- */

static const char *made(dsm__sweep_draft *draft, const char *text) {
  if (text == NULL) {
    (void)dsm__draft_out_of_memory(draft);
  }
  return text == NULL ? "" : text;
}

const char *dsm__draft_text(dsm__sweep_draft *draft, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const char *const text = dsm__arena_vprintf(draft->arena, format, args);
  va_end(args);
  return made(draft, text);
}

const char *dsm__draft_take(dsm__sweep_draft *draft, dsm__text_buffer *buffer) {
  const char *const copy = buffer->failed || buffer->text == NULL
                               ? NULL
                               : dsm__arena_strndup(draft->arena, buffer->text, buffer->length);
  dsm__text_fini(buffer);
  return made(draft, copy);
}

void *dsm__draft_array(dsm__sweep_draft *draft, size_t count, size_t size) {
  void *const array = dsm__arena_array(draft->arena, count, size);
  if (array == NULL) {
    (void)dsm__draft_out_of_memory(draft);
  }
  return array;
}
