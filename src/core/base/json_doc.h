/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_doc.h: the inside of a JSON document, for the files json_*.c. */
#ifndef DSM_BASE_JSON_DOC_H
#define DSM_BASE_JSON_DOC_H

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdint.h>

#include "base/diag_add.h"
#include "base/growing_list.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "base/map.h"

/** A value that came from an override or from the base, not from the file. */
typedef struct dsm__json_overridden {
  const cJSON *item;
  const char *origin; /**< of the override, or the base's file; never NULL */
  const char *text;   /**< the override's JSON text; NULL for what has none of its own */
  size_t length;
} dsm__json_overridden;

/** A node that has had its finding: a present one, or the absent child of one. Without padding. */
typedef struct dsm__json_mark {
  const cJSON *item;
  uint64_t child; /**< 0, or the hash of the absent child's key or index */
} dsm__json_mark;

/** Where the last item was found in a list, so that the next one is found at once. */
typedef struct dsm__json_cursor {
  const cJSON *array;
  const cJSON *item;
  size_t index;
} dsm__json_cursor;

struct dsm__json_doc {
  dsm__arena *arena;
  const char *text; /* in the arena, NUL-terminated */
  size_t length;
  const char *file; /* in the arena; may be NULL */
  cJSON *root;
  const cJSON *comment; /* of the root object; NULL: it has none */
  cJSON *replaced;      /* a list that keeps comments, and values replaced by overrides, alive: no
                           address comes twice */
  DSM__LIST(dsm__json_overridden) overridden; /* in order of time, in the arena */
  const char *base;                           /* in the arena; NULL: it names none */
  const char *own; /* of a document with a base: the values that it states itself */
  bool has_misplaced_override;
  dsm__json_unknown unknown; /* the first unknown key that an override made */
  dsm_diags *diags;          /* may be NULL */
  size_t first_finding;
  size_t error_count;
  size_t searched_bytes; /* of the text, for places of findings */
  bool is_out_of_memory;
  struct dsm__json_parameters *parameters; /* of what is being read; NULL: it has none */
  const char *subject;                     /* of findings; NULL: none */
  DSM__LIST(dsm__json_mark) marks;
  dsm__map mark_index;                               /* of the marks */
  dsm__json_cursor cursors[DSM__JSON_MAX_DEPTH + 1]; /* one for each depth of nested lists */
};

/** What stands in place of a file name in findings about an override. */
static inline const char *dsm__json_origin(const dsm_override *override) {
  return override->origin == NULL ? "--set" : override->origin;
}

/** Parses text that dsm__json_text_check accepted and that has a NUL behind it. NULL if out of
 * memory, which is then noted. */
cJSON *dsm__json_doc_tree(dsm__json_doc *doc, const char *text, size_t length);

/** Reports the duplicate keys of the node and of everything in it. */
void dsm__json_doc_check_keys(const dsm__json_node *node);

/** Takes the comments, the values of the keys "//", out of the node, whose value is `item`, and of
 * everything in it, and the root's "$schema", which is for editors; reports those that are none. */
void dsm__json_doc_take_comments(const dsm__json_node *node, cJSON *item);

/** What an item of a list, or a member of an object, is called; NULL if it has no name. A block of
 * layers is called by the name that stands before those of its layers. */
const char *dsm__json_name_of(const cJSON *container, const cJSON *child);

/** A child, its place in a list, and how much of a path names it. */
typedef struct dsm__json_match {
  cJSON *child;
  size_t index;
  size_t length;
} dsm__json_match;

/** The child that the path goes on to. Names may contain dots: the longest that fits wins, of equal
 * ones the first; an index wins over a name of the same length. */
dsm__json_match dsm__json_find_child(const cJSON *container, const char *path);

/** What a document that names a base does not state comes from there (json_base.c); this one is the
 * `depth`-th that is read, from 0. False after a report. */
bool dsm__json_doc_take_base(dsm__json_doc *doc, unsigned depth);

/** Members at the top that name a description of another kind, or have one as their base, become
 * objects with its values. False after a report. */
bool dsm__json_doc_take_parts(dsm__json_doc *doc, unsigned depth);

/** dsm__json_doc_parse of a document that is the base of `depth` others. */
DSM_NODISCARD dsm_status dsm__json_doc_parse_at(dsm__json_doc **doc, const dsm__json_input *input,
                                                unsigned depth, dsm_diags *diags);

/** Applies overrides in order. False if one cannot be applied: then that was reported and counted;
 * the others have been tried. */
bool dsm__json_doc_override(dsm__json_doc *doc, const dsm_override *overrides, size_t count);

/** The node of a child `item` of a present node; `index` is its place in a list. */
dsm__json_node dsm__json_child(const dsm__json_node *parent, const cJSON *item, size_t index);

/** Writes the node's path, such as $.layers[3].stride, cut if it does not fit. */
void dsm__json_path(const dsm__json_node *node, char *path, size_t size);

/** The place of a present node (or of its nearest present ancestor); the path is not set. */
dsm__place dsm__json_place(const dsm__json_node *node);

/** A present number as it is written, or else as dsm writes it. */
void dsm__json_number_text(const dsm__json_node *node, char *text, size_t size);

/** Writes a string in quotes behind `before`, shortened. */
void dsm__json_quote(char *buffer, size_t size, const char *before, const char *text);

/** Did the node's value come from an override? */
bool dsm__json_is_overridden(const dsm__json_node *node);

/** An unknown key was reported: remembers it if an override made it. `known` is copied. */
void dsm__json_note_unknown(const dsm__json_node *member, const char *hint,
                            const char *const *known, size_t known_count);

#endif
