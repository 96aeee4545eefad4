/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_inputs.c: the workloads and systems of a sweep: found, checked, and kept in one form. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/utf8.h"
#include "sweep/machine_kind.h"
#include "sweep/option_words.h"
#include "sweep/sweep_draft.h"

_Static_assert(sizeof(dsm_digest) == DSM__DIGEST_SIZE, "a digest is a SHA-256 in hexadecimal");

/* ---- names ---- */

bool dsm__is_name(const char *text, size_t most) {
  const size_t length = strlen(text);
  for (size_t at = 0; at < length;) {
    const unsigned char *const c = (const unsigned char *)text + at;
    const size_t size = dsm__utf8_length(text + at, length - at);
    const bool is_control = c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
    if (size == 0 || is_control) {
      return false;
    }
    at += size;
  }
  return length > 0 && length <= most;
}

const char *dsm__stem(dsm__sweep_draft *draft, const char *file) {
  static const char suffix[] = ".json";
  const char *const slash = strrchr(file, '/');
  const char *const base = slash == NULL ? file : slash + 1;
  size_t length = strlen(base);
  if (length >= sizeof suffix && strcmp(base + length - (sizeof suffix - 1), suffix) == 0) {
    length -= sizeof suffix - 1;
  }
  return dsm__draft_text(draft, "%.*s", (int)length, base);
}

/* ---- the list ---- */

/* The input of that name, or count. */
static size_t find_input(const dsm__input_list *list, const char *name) {
  size_t i = 0;
  while (i < list->count && strcmp(list->items[i].name, name) != 0) {
    i++;
  }
  return i;
}

/* Adds an input, or finds the same one. Two that differ may not have one name. */
static bool add_input(dsm__sweep_draft *draft, dsm_description kind, dsm_sweep_input fresh,
                      dsm__origin origin, size_t *input) {
  dsm__input_list *const list = &draft->inputs[kind];
  if (!dsm__is_name(fresh.name, DSM_NAME_BYTES_MAX)) {
    return dsm__draft_error(
        draft, origin, NULL,
        "expected a name of 1 to %d bytes in UTF-8 without control characters, found "
        "\"%.200s\"",
        DSM_NAME_BYTES_MAX, fresh.name);
  }
  dsm__digest_text(fresh.text, fresh.length, fresh.digest);
  *input = find_input(list, fresh.name);
  if (*input < list->count) {
    const dsm_sweep_input *const old = &list->items[*input];
    if (strcmp(old->digest, fresh.digest) != 0) {
      return dsm__draft_error(
          draft, origin, "columns and conditions know them by name",
          "expected %ss with different names, found two that differ and are called "
          "%s: %s and %s",
          dsm_description_name(kind), fresh.name, old->file, fresh.file);
    }
    return true;
  }
  if (list->count == DSM_SWEEP_VALUES_MAX) {
    return dsm__draft_error(draft, origin, NULL, "expected at most %d %ss, found more",
                            DSM_SWEEP_VALUES_MAX, dsm_description_name(kind));
  }
  if (!DSM__LIST_PUSH_IN(list, draft->arena, fresh)) {
    return dsm__draft_out_of_memory(draft);
  }
  return true;
}

/* The canonical text of a value. */
static const char *text_of(dsm__sweep_draft *draft, const dsm__json_node *node, size_t *length) {
  dsm__text_buffer buffer = {0};
  dsm__json_compact(node, &buffer);
  *length = buffer.length;
  return dsm__draft_take(draft, &buffer);
}

bool dsm__input_read(dsm__sweep_draft *draft, dsm_description kind, const dsm__json_node *node,
                     const char **name) {
  const dsm__json_node format = dsm__json_member(node, "format");
  const dsm__description *const row = dsm__machine_of_format(dsm__json_text(&format))->inputs[kind];
  void *const made = row->make();
  if (made == NULL) {
    return dsm__draft_out_of_memory(draft);
  }
  row->read(made, node);
  const char *const own = dsm__json_doc_is_out_of_memory(node->doc) ? NULL : row->name(made);
  *name = own == NULL ? "" : dsm__draft_text(draft, "%s", own);
  row->discard(made);
  return !dsm__draft_is_stopped(draft);
}

/* ---- inputs in files ---- */

/* Adds what a file holds. What comes from standard input has no name but its own. */
static bool add_file(dsm__sweep_draft *draft, dsm_description kind, const char *name,
                     const char *file, const char *text, size_t length, dsm__origin origin,
                     size_t *input) {
  const char *own_name = NULL;
  dsm__json_doc *doc = NULL;
  dsm_sweep_input fresh = {.file = dsm__draft_text(draft, "%s", file)};
  if (dsm__draft_is_stopped(draft)) {
    return false;
  }
  dsm_status status = dsm__json_doc_parse(&doc, text, length, file, NULL, 0, draft->diags);
  if (status == DSM_OK) {
    const dsm__json_node root = dsm__json_root(doc);
    const bool is_read = dsm__input_read(draft, kind, &root, &own_name);
    status = is_read ? dsm__json_doc_finish(doc) : DSM_ERROR_OUT_OF_MEMORY;
    fresh.text = status == DSM_OK ? text_of(draft, &root, &fresh.length) : NULL;
  }
  dsm__json_doc_free(doc);
  dsm__draft_note(draft, status);
  if (status != DSM_OK) {
    return false;
  }
  fresh.name = strcmp(name, "-") == 0 ? own_name : dsm__stem(draft, name);
  return !dsm__draft_is_stopped(draft) && add_input(draft, kind, fresh, origin, input);
}

bool dsm__input_by_name(dsm__sweep_draft *draft, dsm_description kind, const char *name,
                        const char *folder, dsm__origin origin, size_t *input) {
  const dsm__input_list *const list = &draft->inputs[kind];
  *input = find_input(list, name);
  if (*input < list->count) {
    return true;
  }
  if (dsm__draft_is_stopped(draft)) {
    return false;
  }
  if (draft->source == NULL) {
    return dsm__draft_error(
        draft, origin, NULL,
        "expected the %s in full where no files are read, found only its name, %.128s",
        dsm_description_name(kind), name);
  }
  char *text = NULL;
  char *file = NULL;
  size_t length = 0;
  const dsm_status status = draft->source->read(draft->source->context, name, folder, kind, &text,
                                                &length, &file, draft->diags);
  dsm__draft_note(draft, status);
  const bool is_good =
      status == DSM_OK && add_file(draft, kind, name, file, text, length, origin, input);
  free(text);
  free(file);
  return is_good;
}

/* ---- inputs in the specification ---- */

DSM__OBJECT(dsm__sweep_input_object, "input", {.name = "name"}, {.name = "description"});

bool dsm__input_by_object(dsm__sweep_draft *draft, dsm_description kind,
                          const dsm__json_node *object, size_t *input) {
  const dsm__json_node description = dsm__json_member(object, "description");
  const dsm__json_node name_node = dsm__json_member(object, "name");
  const bool is_named = dsm__json_is_present(&description);
  const char *stated = "";
  const char *own_name = "";
  bool is_good = !is_named || dsm__object_only(object, &dsm__sweep_input_object, 0);
  if (is_named) {
    is_good = dsm__json_name(&name_node, DSM_NAME_BYTES_MAX, draft->arena, &stated) && is_good;
  }
  const size_t errors_before = dsm__json_doc_error_count(draft->doc);
  is_good = dsm__input_read(draft, kind, is_named ? &description : object, &own_name) && is_good &&
            dsm__json_doc_error_count(draft->doc) == errors_before && !dsm__draft_is_stopped(draft);
  if (!is_good) {
    return false;
  }
  dsm_sweep_input fresh = {.name = is_named ? stated : own_name,
                           .file = dsm__json_doc_file(draft->doc)};
  fresh.file = dsm__draft_text(draft, "%s", fresh.file == NULL ? "" : fresh.file);
  fresh.text = text_of(draft, is_named ? &description : object, &fresh.length);
  assert(fresh.name != NULL); /* descriptions that could be read have one */
  return !dsm__draft_is_stopped(draft) &&
         add_input(draft, kind, fresh, dsm__origin_of(object), input);
}
