/* SPDX-License-Identifier: GPL-3.0-or-later */
/* description.h: a kind of description as a row: how its documents become structs. */
#ifndef DSM_BASE_DESCRIPTION_H
#define DSM_BASE_DESCRIPTION_H

#include "base/json_read.h"
#include "dsm/file.h"

/** A kind of description. */
typedef struct dsm__description {
  dsm_description kind;
  const char *format;  /**< of its documents */
  void *(*make)(void); /**< an empty struct; NULL if out of memory */
  /** Reads all of a document into it; what is wrong is reported at the document. */
  void (*read)(void *made, const dsm__json_node *root);
  void (*discard)(void *made);           /**< `made` may be NULL */
  const char *(*name)(const void *made); /**< its own; NULL: it was not read */
} dsm__description;

/** Reads a text, with overrides, into a new struct. As other readers, *made is NULL on failure. */
DSM_NODISCARD dsm_status dsm__description_parse(void **made, const dsm__description *row,
                                                const dsm__json_input *input, dsm_diags *diags);

/** The row of a companion; NULL: none has it. */
const dsm__description *dsm__companion_description(dsm_description kind);

/* NOLINTBEGIN(bugprone-macro-parentheses): a type stands bare there. */

/** Defines a row for a `type` that has a name: what `make_one` makes, `read_one` fills and
 * `free_one` frees. Behind them what else it has. */
#define DSM__DESCRIPTION(row, of_kind, of_format, type, make_one, read_one, free_one)              \
  static void *row##_make(void) {                                                                  \
    return make_one();                                                                             \
  }                                                                                                \
  static void row##_read(void *made, const dsm__json_node *root) {                                 \
    read_one(made, root);                                                                          \
  }                                                                                                \
  static void row##_discard(void *made) {                                                          \
    free_one(made);                                                                                \
  }                                                                                                \
  static const char *row##_name(const void *made) {                                                \
    return ((const type *)made)->name;                                                             \
  }                                                                                                \
  const dsm__description row = {.kind = DSM_DESCRIPTION_##of_kind,                                 \
                                .format = (of_format),                                             \
                                .make = row##_make,                                                \
                                .read = row##_read,                                                \
                                .discard = row##_discard,                                          \
                                .name = row##_name}

/** Defines the public functions that read a text and a file, with overrides, by a row. */
#define DSM__DESCRIPTION_READERS(row, type, parse, load)                                           \
  dsm_status parse(type **result, const char *text, size_t length, const char *file,               \
                   const dsm_override *overrides, size_t override_count, dsm_diags *diags) {       \
    const dsm__json_input input = {text, length, file, overrides, override_count};                 \
    void *made = NULL;                                                                             \
    const dsm_status status = dsm__description_parse(&made, &(row), &input, diags);                \
    *result = made;                                                                                \
    return status;                                                                                 \
  }                                                                                                \
  DSM__LOADED_DOCUMENT(type, load, parse)
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
