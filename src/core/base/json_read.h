/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_read.h: typed, strict reading of a JSON document over cJSON.
 *
 * A document is parsed once; nodes are small values that live on the reader's stack and know their
 * parent, so that a finding can name the path (`$.layers[3].stride`), line and column. Readers of a
 * value report at most one finding and return whether the value is good; callers go on, so that all
 * problems of a file are reported. Absent members are nodes too (`is_present` false).
 */
#ifndef DSM_BASE_JSON_READ_H
#define DSM_BASE_JSON_READ_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/text_buffer.h"
#include "base/words.h"
#include "dsm/diag.h"
#include "dsm/file.h"
#include "dsm/override.h"

struct cJSON;
typedef struct dsm__json_doc dsm__json_doc;

typedef struct dsm__json_node {
  dsm__json_doc *doc;
  const struct cJSON *item;            /**< NULL if absent */
  const struct dsm__json_node *parent; /**< NULL for the root */
  const char *key;                     /**< member name; NULL for list items and the root */
  size_t index;                        /**< item index */
} dsm__json_node;

/**
 * Parses text (copied) named `file` for findings, then applies the overrides in order. Afterwards
 * *doc is to be freed with dsm__json_doc_free. DSM_ERROR_INVALID for a flaw of the text or an
 * override whose path leads through a value that is no object or list, or to an item that does not
 * exist (an absent object member is created; whether it is known is the reader's business). Where
 * names contain dots the longest that fits is taken; an index goes before a name of that length.
 * Also DSM_ERROR_OUT_OF_MEMORY. On failure *doc is NULL.
 *
 * The key "//" of any object is a comment, a string or a list of strings, and the key "$schema" of
 * the root, a string, is for editors: readers never see them. Nor do they see the "base" of a
 * description that may have one: its values are in the document then, before any override
 * (json_base.c). DSM_ERROR_INVALID where it cannot be read.
 *
 * Duplicate keys are found here too, in every object. They are counted as errors but do not fail
 * the parsing, so that the rest is read and reported; the first of a key is what is read.
 */
DSM_NODISCARD dsm_status dsm__json_doc_parse(dsm__json_doc **doc, const char *text, size_t length,
                                             const char *file, const dsm_override *overrides,
                                             size_t override_count, dsm_diags *diags);

/** A document of a file that is no JSON: it has no text and no values, only findings, whose places
 * are labelled nodes. NULL if out of memory. `diags` may be NULL. */
dsm__json_doc *dsm__json_doc_bare(const char *file, dsm_diags *diags);

/** A place in a bare document, with what findings call it (copied); empty: the file itself. Its
 * members and items are absent, and findings at them name the place. */
dsm__json_node dsm__json_labelled(dsm__json_doc *doc, const char *label);

void dsm__json_doc_free(dsm__json_doc *doc);

/** Stands before each step of a place. */
#define DSM__JSON_PLACE_SEPARATOR '\x1f'

/** Appends where the path of an override leads in the document as it is: each key or index behind a
 * separator. Paths to the same value have equal places, however they are spelt; that of a part
 * begins with that of the whole and a separator. What does not exist is named as the path names it.
 */
void dsm__json_doc_resolve(dsm__json_doc *doc, const char *path, dsm__text_buffer *place);

/** Takes the name of a child, and whether it is an object, or a list of objects or lists. */
typedef void dsm__json_child_visitor(void *context, const char *name, bool is_container);

/** Visits the members of the object, or the items of the list (by name, else by index), that the
 * path of an override leads to in the document as it is; an empty path leads to the root. False if
 * it leads to neither. */
bool dsm__json_doc_children(dsm__json_doc *doc, const char *path, dsm__json_child_visitor *visit,
                            void *context);

/** From now on findings say whose they are, where a node stands for several; NULL: they do not.
 * Borrowed. */
void dsm__json_doc_set_subject(dsm__json_doc *doc, const char *subject);

/** The name of the text in findings; NULL: none. Borrowed from the document. */
const char *dsm__json_doc_file(const dsm__json_doc *doc);

/** The comment of the root: its text, or the first of its texts; NULL: none. Borrowed. */
const char *dsm__json_doc_comment(const dsm__json_doc *doc);

/** The names of the bases that the document stands on, the nearest first; NULL: it has none. Then
 * *own lists the paths of the values that it states itself. Borrowed. */
const char *dsm__json_doc_base(const dsm__json_doc *doc, const char **own);

/** How many errors have been reported on this document so far (also where diags is NULL). */
size_t dsm__json_doc_error_count(const dsm__json_doc *doc);

/**
 * To be called once, after all reading: puts the findings of this document into file order and
 * tells how it went: DSM_ERROR_OUT_OF_MEMORY, DSM_ERROR_INVALID if there was an error, or DSM_OK.
 */
DSM_NODISCARD dsm_status dsm__json_doc_finish(dsm__json_doc *doc);

dsm__json_node dsm__json_root(dsm__json_doc *doc);

/** A member of an object node (absent if the node is absent, no object, or has no such member). */
dsm__json_node dsm__json_member(const dsm__json_node *object, const char *key);

/** A member, or one of an object in it, "cycles.total": then *outer becomes that object. */
dsm__json_node dsm__json_at(const dsm__json_node *object, const char *path, dsm__json_node *outer);

/** Item `index` of an array node; absent beyond the end. O(1) amortised when walked in order. */
dsm__json_node dsm__json_item(const dsm__json_node *array, size_t index);

/** The item after `item` in its array (same parent pointer), absent at the end. O(1). */
dsm__json_node dsm__json_next(const dsm__json_node *item);

static inline bool dsm__json_is_present(const dsm__json_node *node) {
  return node->item != NULL;
}

/** Is an object's member present? */
static inline bool dsm__json_has(const dsm__json_node *object, const char *key) {
  return dsm__json_member(object, key).item != NULL;
}
bool dsm__json_is_null(const dsm__json_node *node);
bool dsm__json_is_string(const dsm__json_node *node);
bool dsm__json_is_object(const dsm__json_node *node);
bool dsm__json_is_list(const dsm__json_node *node);
/** Is it a number? Then *number is its value. */
bool dsm__json_is_number(const dsm__json_node *node, double *number);

/** What a string holds, borrowed from the document; NULL if the node is no string. */
const char *dsm__json_text(const dsm__json_node *node);

/** Appends a present value as JSON without spaces, the keys of objects in bytewise order: equal
 * values give equal texts. */
void dsm__json_compact(const dsm__json_node *node, dsm__text_buffer *out);

/** Could two numbers be of two implementations of a model? */
bool dsm__is_close(double one, double other);

/** Reports an error at the node (or, if it is absent, at its parent, with the node's path). Nothing
 * if there has been one at this node before. */
void dsm__json_error(const dsm__json_node *node, const char *hint, const char *format, ...)
    DSM_PRINTF(3, 4);

/** Reports a warning at the node, any number of times; it is no error of the document. */
void dsm__json_warning(const dsm__json_node *node, const char *hint, const char *format, ...)
    DSM_PRINTF(3, 4);

/** The same of a note. */
void dsm__json_note(const dsm__json_node *node, const char *hint, const char *format, ...)
    DSM_PRINTF(3, 4);

/** Reports a finding at the node, as dsm__json_error or dsm__json_warning do; a note is no error
 * either. */
void dsm__json_vfinding(const dsm__json_node *node, dsm_severity severity, const char *hint,
                        const char *format, va_list args) DSM_PRINTF(4, 0);

/** A short description of what a node holds, for messages: `string "abc"`, `number 3.5`, `an
 * object`... */
const char *dsm__json_found(const dsm__json_node *node, char *buffer, size_t size);

/**
 * Reports "missing key" if absent; if its parent is absent too, or no object (or list), the finding
 * is about that one. `expected` is added to the message and may be NULL. Returns presence. All
 * readers below do the same with what they expect.
 */
bool dsm__json_require(const dsm__json_node *node, const char *expected);

/** Checks that the node is an object whose keys are all among `known` (NULL entries are skipped);
 * each unknown key is reported with the nearest known one. False if it is no object. */
bool dsm__json_object_only(const dsm__json_node *node, const char *const *known,
                           size_t known_count);

/** A key of an object. */
typedef struct dsm__object_key {
  const char *name;
  unsigned kinds; /**< the kinds of the object that have it, a bit each; 0: all */
} dsm__object_key;

/** The keys that an object of a format may have: its reader knows no others. */
typedef struct dsm__object_type {
  const char *name; /**< "layer" */
  const dsm__object_key *keys;
  size_t count;
  const dsm__words *kinds; /**< of an object of several kinds, which differ in their keys */
  const char *where;       /**< before the word of a kind, in findings: "a layer of type" */
} dsm__object_type;

/** Most keys of an object. */
#define DSM__OBJECT_KEYS_MAX 48

/** Defines an object of one kind from the rows of its keys. */
#define DSM__OBJECT(object_name, what, ...)                                                        \
  static const dsm__object_key object_name##_keys[] = {__VA_ARGS__};                               \
  const dsm__object_type object_name = {                                                           \
      .name = (what), .keys = object_name##_keys, .count = DSM__COUNT_OF(object_name##_keys)}

/** Is the node an object, and are all of its keys those of such an object? Else that is reported.
 * Of an object of one kind it is 0. */
bool dsm__object_only(const dsm__json_node *node, const dsm__object_type *type, size_t kind);

/** A kind that is not known. */
#define DSM__ANY_KIND SIZE_MAX

/** The same of the keys of all kinds; those of this one, or all, are listed where one resembles
 * none. */
bool dsm__object_only_any(const dsm__json_node *node, const dsm__object_type *type, size_t kind);

/** Reports the keys of an object that others have, but not one of this kind. */
void dsm__object_misplaced(const dsm__json_node *node, const dsm__object_type *type, size_t kind);

/** A key that an override made and that no reader knows. */
typedef struct dsm__json_unknown {
  const char *key;          /**< NULL: there is none */
  const char *hint;         /**< what was probably meant, or what is known; may be empty */
  const char *const *known; /**< the keys that its object may have */
  size_t known_count;
} dsm__json_unknown;

/** The first such key that dsm__json_object_only has reported. Borrowed from the document. */
dsm__json_unknown dsm__json_doc_unknown_override(const dsm__json_doc *doc);

/** Reports a key that is known, but not in an object of this sort: `where` is "a layer of type fc".
 */
void dsm__json_misplaced(const dsm__json_node *member, const char *where);

/** Has an override made a key that was reported as misplaced? */
bool dsm__json_doc_has_misplaced_override(const dsm__json_doc *doc);

/** Checks for an array of min..max items and gives the count. */
bool dsm__json_array(const dsm__json_node *node, size_t min, size_t max, size_t *count);

/** A whole number in min..max (max <= 2^53). */
bool dsm__json_u64(const dsm__json_node *node, uint64_t min, uint64_t max, uint64_t *value);

/** A range of real numbers. */
typedef struct dsm__json_range {
  double min;
  double max;
  bool is_min_excluded;
} dsm__json_range;

bool dsm__json_double(const dsm__json_node *node, dsm__json_range range, double *value);
/** 0, or a number in a range above 0. */
bool dsm__json_double_or_zero(const dsm__json_node *node, dsm__json_range range, double *value);
bool dsm__json_bool(const dsm__json_node *node, bool *value);

/** A string of min..max bytes, copied into the arena. False, and reported, also when out of memory.
 */
bool dsm__json_string(const dsm__json_node *node, size_t min, size_t max, dsm__arena *arena,
                      const char **value);

/** A string that is the key of a word, exactly; gives its value. */
bool dsm__json_enum(const dsm__json_node *node, const dsm__words *words, size_t *value);

/** A list of at least `min_length` different keys of words; *set gets bit 1 << value of each good
 * one. False if a finding was reported. */
bool dsm__json_word_set(const dsm__json_node *node, const dsm__words *words, size_t min_length,
                        unsigned *set);

/** First member of an object, for those with free keys (absent if none); go on with dsm__json_next.
 */
dsm__json_node dsm__json_first_member(const dsm__json_node *object);

/** First member of an object or item of a list (absent if there is none). */
dsm__json_node dsm__json_first(const dsm__json_node *container);

/** A loop over all members or items of a node. */
#define DSM__JSON_EACH(one, container)                                                             \
  for (dsm__json_node one = dsm__json_first(container); dsm__json_is_present(&one);                \
       one = dsm__json_next(&one))

/** The name of a member. Borrowed from the document. */
const char *dsm__json_key(const dsm__json_node *member);

/** Is the document out of memory? Then findings may be incomplete and reading must stop. */
bool dsm__json_doc_is_out_of_memory(const dsm__json_doc *doc);

/** A caller's own allocation failed while it read: marks the document as out of memory. */
void dsm__json_set_out_of_memory(dsm__json_doc *doc);

/** The same if so; returns whether it is. */
static inline bool dsm__json_lacks_memory(dsm__json_doc *doc, bool is_so) {
  if (is_so) {
    dsm__json_set_out_of_memory(doc);
  }
  return is_so;
}

/** The same where the finding exists already: nothing more is said about memory. */
void dsm__json_note_out_of_memory(dsm__json_doc *doc);

/**
 * Reads the `format` of a description: true if it is `expected`, or if it is absent (reported). A
 * description of another format is one finding, and nothing else of it should be read.
 */
bool dsm__json_format(const dsm__json_node *object, const char *expected);

/** The same of a format that has several versions. */
bool dsm__json_format_of(const dsm__json_node *object, const dsm__words *versions);

/** A name: a string of 1..max bytes without control characters, copied into the arena. */
bool dsm__json_name(const dsm__json_node *node, size_t max, dsm__arena *arena, const char **value);

/** Would a finding be kept? If not, what it costs to word it can be saved. */
bool dsm__json_doc_keeps_findings(const dsm__json_doc *doc);

/* ---- members of an object, read at once (json_members.c) ---- */

/** The member "name", which must be there; NULL stays where it is wrong. */
bool dsm__json_read_name(const dsm__json_node *object, const char *expected, dsm__arena *arena,
                         const char **name);

/** The member "source", where it is there. */
void dsm__json_read_source(const dsm__json_node *object, dsm__arena *arena, const char **source);

/** Members that must be there. */
bool dsm__json_required_double(const dsm__json_node *object, const char *key, const char *expected,
                               dsm__json_range range, double *value);
bool dsm__json_required_double_or_zero(const dsm__json_node *object, const char *key,
                                       const char *expected, dsm__json_range range, double *value);
bool dsm__json_required_u64(const dsm__json_node *object, const char *key, const char *expected,
                            uint64_t min, uint64_t max, uint64_t *value);

/** Members that may be absent, or else are the fallback. */
void dsm__json_optional_double(const dsm__json_node *object, const char *key, dsm__json_range range,
                               double fallback, double *value);
void dsm__json_optional_u64(const dsm__json_node *object, const char *key, uint64_t min,
                            uint64_t max, uint64_t fallback, uint64_t *value);
void dsm__json_optional_bool(const dsm__json_node *object, const char *key, bool fallback,
                             bool *value);

/** A text of a document, and what is overridden in it. */
typedef struct dsm__json_input {
  const char *text;
  size_t length;
  const char *file; /**< for findings */
  const dsm_override *overrides;
  size_t override_count;
} dsm__json_input;

/** Notes the first value at one of the paths (dsm__json_at) that is not, but for rounding, that of
 * what is predicted now. `predicted` is freed here; NULL: DSM_ERROR_OUT_OF_MEMORY. What is not
 * recorded is not missed; where the number at the first path is another, nothing is noted.
 * DSM_ERROR_INVALID: `recorded` is no JSON. */
DSM_NODISCARD dsm_status dsm__json_compare_text(const dsm__json_input *recorded, char *predicted,
                                                const char *const *paths, size_t count,
                                                dsm_diags *diags);

/** Reads a whole document into what was made for it; NULL: memory was out. As
 * dsm__json_doc_finish, or dsm__json_doc_parse. */
DSM_NODISCARD dsm_status dsm__json_doc_read(const dsm__json_input *input, dsm_diags *diags,
                                            void (*read)(void *made, const dsm__json_node *root),
                                            void *made);

/** Defines the public function that reads a file as `parse` reads its text. */
#define DSM__LOADED_DOCUMENT(type, load, parse)                                                    \
  dsm_status load(type **result, const char *path, const dsm_override *overrides,                  \
                  size_t override_count, dsm_diags *diags) {                                       \
    *result = NULL;                                                                                \
    char *text = NULL;                                                                             \
    size_t length = 0;                                                                             \
    dsm_status status = dsm_file_read(&text, &length, path, diags);                                \
    if (status == DSM_OK) {                                                                        \
      status = parse(result, text, length, path, overrides, override_count, diags);                \
    }                                                                                              \
    free(text);                                                                                    \
    return status;                                                                                 \
  }                                                                                                \
  _Static_assert(sizeof(type) > 0, "it is known")

#endif
