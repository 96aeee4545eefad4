/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_changes.c: whether a text still says what follows from the rest of it. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/json_read.h"

bool dsm__is_close(double one, double other) {
  static const double relative_tolerance = 1e-9; /* of two implementations of a model */
  return fabs(one - other) <= relative_tolerance * fmax(fabs(one), fabs(other));
}

/* Always false. */
DSM_PRINTF(2, 3)
static bool note(const dsm__json_node *node, const char *format, ...) {
  va_list args;
  va_start(args, format);
  dsm__json_vfinding(node, DSM_SEVERITY_NOTE, "\"dsm score FILE -o NEW\" writes it as predicted",
                     format, args);
  va_end(args);
  return false;
}

/* Words, flags, and values of which each side has another kind. */
static bool is_same_text(const dsm__json_node *found, const dsm__json_node *due) {
  dsm__text_buffer is = {0};
  dsm__text_buffer should = {0};
  bool is_same = true;
  dsm__json_compact(found, &is);
  dsm__json_compact(due, &should);
  if (is.failed || should.failed) {
    dsm__json_set_out_of_memory(found->doc);
  } else if (strcmp(is.text, should.text) != 0) {
    is_same = note(found, "%.200s is recorded, now it is %.200s", is.text, should.text);
  }
  dsm__text_fini(&is);
  dsm__text_fini(&should);
  return is_same;
}

static bool is_unchanged(const dsm__json_node *found, const dsm__json_node *due);

static bool are_same_items(const dsm__json_node *found, const dsm__json_node *due) {
  dsm__json_node item = dsm__json_item(found, 0);
  dsm__json_node other = dsm__json_item(due, 0);
  bool is_same = true;
  while (is_same && dsm__json_is_present(&item) && dsm__json_is_present(&other)) {
    is_same = is_unchanged(&item, &other);
    item = dsm__json_next(&item);
    other = dsm__json_next(&other);
  }
  if (is_same && dsm__json_is_present(&item) != dsm__json_is_present(&other)) {
    is_same =
        note(found, "now the list has %s items", dsm__json_is_present(&item) ? "fewer" : "more");
  }
  return is_same;
}

/* Is a value, which is present, that of another document, but for rounding? Else the first
 * difference is noted. Members that only `due` has are not missed. */
static bool is_unchanged(const dsm__json_node *found, const dsm__json_node *due) {
  double is = 0;
  double should = 0;
  if (!dsm__json_is_present(due)) {
    return note(found, "now nothing is recorded here");
  }
  if (dsm__json_is_object(found) && dsm__json_is_object(due)) {
    DSM__JSON_EACH(each, found) {
      const dsm__json_node other = dsm__json_member(due, dsm__json_key(&each));
      if (!is_unchanged(&each, &other)) {
        return false;
      }
    }
    return true;
  }
  if (dsm__json_is_list(found) && dsm__json_is_list(due)) {
    return are_same_items(found, due);
  }
  if (!dsm__json_is_number(found, &is) || !dsm__json_is_number(due, &should)) {
    return is_same_text(found, due);
  }
  return dsm__is_close(is, should) || note(found, "%.12g is recorded, now it is %.12g", is, should);
}

static void compare(const dsm__json_node *root, const dsm__json_node *due_root,
                    const char *const *paths, size_t count) {
  bool is_same = true;
  for (size_t i = 0; is_same && i < count; i++) {
    dsm__json_node outers[2];
    const dsm__json_node found = dsm__json_at(root, paths[i], &outers[0]);
    const dsm__json_node due = dsm__json_at(due_root, paths[i], &outers[1]);
    double is = 0;
    double should = 0;
    if (i == 0) {
      is_same = dsm__json_is_number(&found, &is) && dsm__json_is_number(&due, &should) &&
                dsm__is_close(is, should);
    } else if (dsm__json_is_present(&found)) {
      is_same = is_unchanged(&found, &due);
    }
  }
}

dsm_status dsm__json_compare_text(const dsm__json_input *recorded, char *predicted,
                                  const char *const *paths, size_t count, dsm_diags *diags) {
  dsm__json_doc *doc = NULL;
  dsm__json_doc *due = NULL;
  dsm_status status = predicted == NULL ? dsm__out_of_memory(diags)
                                        : dsm__json_doc_parse(&due, predicted, strlen(predicted),
                                                              NULL, NULL, 0, diags);
  if (status == DSM_OK) {
    status =
        dsm__json_doc_parse(&doc, recorded->text, recorded->length, recorded->file, NULL, 0, diags);
  }
  if (status == DSM_OK) {
    const dsm__json_node root = dsm__json_root(doc);
    const dsm__json_node due_root = dsm__json_root(due);
    compare(&root, &due_root, paths, count);
    status = dsm__json_doc_finish(doc);
  }
  dsm__json_doc_free(doc);
  dsm__json_doc_free(due);
  free(predicted);
  return status;
}
