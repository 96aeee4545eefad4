/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record.h: a record is a table of fields. What a field is called, which values it may have and
 * what it means stands in one row; writing, reading, comparing, columns, packing and the
 * description of a format (`dsm describe --formats`, from which schemas and the tables of
 * docs/formats.md are made) all walk the table.
 */
#ifndef DSM_BASE_RECORD_H
#define DSM_BASE_RECORD_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/words.h"

/** What a field holds in memory, and in JSON. */
typedef enum dsm__field_kind {
  DSM__FIELD_OWN = 0,  /**< `write` writes it */
  DSM__FIELD_COUNT,    /**< uint64_t, or size_t */
  DSM__FIELD_REAL,     /**< double; one that is not finite is not stated */
  DSM__FIELD_FLAG,     /**< bool */
  DSM__FIELD_WORD,     /**< an enumeration; a value beyond its words is not stated */
  DSM__FIELD_WORD_SET, /**< unsigned, a bit a word: a list of words */
  DSM__FIELD_TEXT,     /**< const char *; NULL is not stated */
  DSM__FIELD_JSON,     /**< const char *, JSON text as it is; NULL is not stated */
  DSM__FIELD_COUNTS,   /**< a uint64_t for each word: an object on one line */
  DSM__FIELD_REALS,    /**< a double for each word: an object on one line of those that are not 0 */
  DSM__FIELD_COUNT_LIST, /**< const uint64_t *, as many as `count_offset` says; read are from `min`
                              to `max` numbers from `min` to `max` */
  DSM__FIELD_TEXT_LIST,  /**< const char *const *, likewise */
  DSM__FIELD_RECORD,     /**< a struct: an object */
  DSM__FIELD_POINTER,    /**< the same of a pointer to one; NULL is not stated */
  DSM__FIELD_PART,       /**< a struct whose fields stand among those of the record */
  DSM__FIELD_LIST,  /**< a pointer to structs, as many as `count_offset` says: a list of objects */
  DSM__FIELD_ITEMS, /**< the same of structs that lie in the record itself */
  DSM__FIELD_MEMBERS, /**< a struct for each word: an object with those of them that are stated */
  DSM__FIELD_VALUE,   /**< dsm__value: what it holds says what it is */
  DSM__FIELD_KIND_COUNT
} dsm__field_kind;

/* What a value of no kind of its own is: of a parameter, say. */
typedef enum dsm__value_kind {
  DSM__VALUE_NONE = 0, /**< it is not stated */
  DSM__VALUE_NULL,
  DSM__VALUE_NUMBER, /**< one that is not finite is null */
  DSM__VALUE_FLAG,   /**< `number` is 0 or 1 */
  DSM__VALUE_TEXT,
} dsm__value_kind;

typedef struct dsm__value {
  dsm__value_kind kind;
  double number;
  const char *text;
} dsm__value;

/* What is done with a field beside writing it. */
enum {
  DSM__FIELD_IS_REQUIRED =
      1 << 0,                  /**< where it is read it must be there, else it has the fallback */
  DSM__FIELD_IS_READ = 1 << 1, /**< part of the question that a document answers */
  DSM__FIELD_IS_NULLABLE = 1 << 2, /**< where not stated it is null, in place of being left out; of
                                      a number that is read null is infinite */
  DSM__FIELD_IS_DECISION = 1 << 3, /**< people may edit it; checks and diffs compare it */
  DSM__FIELD_IS_FIGURE = 1 << 4,   /**< a number that checks and diffs compare */
  DSM__FIELD_IS_COLUMN = 1 << 5,   /**< of tables: CSV, databases */
  DSM__FIELD_MORE_IS_BETTER = 1 << 6,
  DSM__FIELD_LESS_IS_BETTER = 1 << 7,
  DSM__FIELD_IS_ABOVE_MIN = 1 << 8, /**< a number above `min`; not `min` itself */
  DSM__FIELD_IS_TALL = 1 << 9,      /**< a list of texts with a line for each; a text of any lines,
                                         or none */
  DSM__FIELD_IS_OPTIONAL = 1 << 10, /**< a text, word or value that may be missing; said in
                                         descriptions alone */
  DSM__FIELD_OR_0 = 1 << 11,        /**< a number that may be 0, whatever `min` is */
  DSM__FIELD_UNLESS_0 = 1 << 12, /**< a number, flag, word or list that is stated above 0 alone */
  DSM__FIELD_UNLESS_1 = 1 << 13, /**< a number that is stated above 1 alone */
  /* What checks and diffs compare beside decisions, figures, and what is read. */
  DSM__FIELD_IS_ASKED = 1 << 14,  /**< a document answers it, but does not read it back */
  DSM__FIELD_IS_CHOSEN = 1 << 15, /**< decided, and nothing that people edit */
  DSM__FIELD_IS_ASIDE = 1 << 16,  /**< not compared, whatever else it is */
};

/** The `min` of a number that may be below 0. */
#define DSM__NO_MIN (-(double)INFINITY)

/** A condition on a member of a record, made by the macros below. */
typedef struct dsm__condition {
  dsm__field_kind of; /**< what the member is; OWN: there is no condition, TEXT: any pointer */
  enum { DSM__IS_ABOVE = 0, DSM__IS, DSM__IS_NOT } how;
  double value;  /**< of a pointer 1, and 0 where it is NULL */
  size_t offset; /**< of the member in the record */
} dsm__condition;

/** The member is above a value; it is one; it is another. */
#define DSM__IF_ABOVE(struct_type, member, than)                                                   \
  DSM__IF_MEMBER(struct_type, member, DSM__IS_ABOVE, than)
#define DSM__IF_IS(struct_type, member, what) DSM__IF_MEMBER(struct_type, member, DSM__IS, what)
#define DSM__IF_NOT(struct_type, member, what)                                                     \
  DSM__IF_MEMBER(struct_type, member, DSM__IS_NOT, what)
#define DSM__IF_MEMBER(struct_type, member, comparison, number)                                    \
  {                                                                                                \
    .of = _Generic(((struct_type *)NULL)->member, bool                                             \
                   : DSM__FIELD_FLAG, unsigned                                                     \
                   : DSM__FIELD_WORD, unsigned long                                                \
                   : DSM__FIELD_COUNT, unsigned long long                                          \
                   : DSM__FIELD_COUNT, double                                                      \
                   : DSM__FIELD_REAL, default                                                      \
                   : DSM__FIELD_TEXT),                                                             \
    .how = (comparison), .value = (number), .offset = offsetof(struct_type, member)                \
  }

/** A number is above 0, a flag is set, a pointer is not NULL; or not so. */
#define DSM__IF(struct_type, member) DSM__IF_ABOVE(struct_type, member, 0)
#define DSM__UNLESS(struct_type, member) DSM__IF_IS(struct_type, member, 0)

struct dsm__record_reader;
struct dsm__record_type;

/** A field of a record: a row of its table. */
typedef struct dsm__field {
  const char *key;
  dsm__field_kind kind;
  unsigned flags;
  size_t offset;       /**< in the record */
  size_t count_offset; /**< of lists: where the record has their length, a size_t */
  const dsm__words *words;
  const struct dsm__record_type *type; /**< of the structs in it */
  double min;
  double max;   /**< of numbers; of texts: bytes. 0: no limit of its own */
  double scale; /**< of a number that is read in another unit than the struct has: what one of it is
                     there, but not of the fallback; 0: 1 */
  double fallback;   /**< what it is where it is not there, and not required; of a word its value */
  size_t most_items; /**< of a list of texts, which has at least `min`; 0: DSM__TEXT_LIST_MAX; or of
                          ITEMS */
  const char *unit;
  const char *column;   /**< what it is called as a column, if not as its key */
  const char *help;     /**< what it means, for people: docs, schema */
  const char *expected; /**< what is said to be missing, where it is required */
  /** When it is there, if that is not always (or a flag says it). Of MEMBERS asked of each struct;
   * where a part is not, none of its fields is. */
  dsm__condition stated_if;
  bool (*is_stated)(const void *record); /**< the same, where it is no condition on one member */
  void (*write)(dsm__json_writer *writer, const void *record); /**< of OWN: the value */
  dsm__field_kind written_as; /**< of OWN: the kind that the value is of */
  /** When it is read, asked of what was read before it; NULL: always. */
  bool (*is_read)(const void *record);
  /** Of OWN that is read: the same back, as dsm__record_read does. */
  bool (*read)(const struct dsm__record_reader *reader, const dsm__json_node *node, void *record);
  /** What comparisons show of it where it is stated, if that is more than its text. */
  void (*put_compared)(const void *record, dsm__text_buffer *out);
} dsm__field;

/** A table of fields, in the order in which they are written. */
typedef struct dsm__record_type {
  const char *name; /**< for docs and schemas: "layer" */
  size_t size;      /**< of the struct, bytes */
  const dsm__field *fields;
  size_t field_count;
  bool is_inline;     /**< written on one line, as an object or a list of it */
  const char *help;   /**< what it is */
  const char *format; /**< of a document: its first member, such as "dsm-check/1"; else NULL */
  /** Of an answer what it is, and the command that writes it; else NULL. */
  const char *answer;
  const char *command;
} dsm__record_type;

/** A row of a table: a member of a struct, its key and flags; then what else is to be said, as
 * `.help = "..."`. */
#define DSM__FIELD(of_kind, struct_type, member, of_key, of_flags, ...)                            \
  {                                                                                                \
    .key = (of_key), .kind = DSM__FIELD_##of_kind, .flags = (of_flags),                            \
    .offset = offsetof(struct_type, member), __VA_ARGS__                                           \
  }

/** The row of a number. */
#define DSM__REAL(struct_type, member, of_key, of_flags, of_unit, about)                           \
  DSM__FIELD(REAL, struct_type, member, of_key, of_flags, .unit = (of_unit), .help = (about))

/** The row of what a function writes, as a value of a kind would be. */
#define DSM__OWN(of_key, of_flags, function, as_kind, ...)                                         \
  {                                                                                                \
    .key = (of_key), .kind = DSM__FIELD_OWN, .flags = (of_flags), .write = (function),             \
    .written_as = DSM__FIELD_##as_kind, __VA_ARGS__                                                \
  }

/** The row of a list of structs: a pointer, and its length. */
#define DSM__LISTED(struct_type, member, member_count, of_key, of_flags, of_type, about)           \
  DSM__FIELD(LIST, struct_type, member, of_key, of_flags,                                          \
             .count_offset = offsetof(struct_type, member_count), .type = &(of_type),              \
             .help = (about))

/** The row of a struct whose fields stand among those of the record. */
#define DSM__PART(struct_type, member, of_type)                                                    \
  { .kind = DSM__FIELD_PART, .offset = offsetof(struct_type, member), .type = &(of_type) }

/** The same of one that is there only under a condition. */
#define DSM__PART_IF(struct_type, member, of_type, ...)                                            \
  {                                                                                                \
    .kind = DSM__FIELD_PART, .offset = offsetof(struct_type, member), .type = &(of_type),          \
    .stated_if = __VA_ARGS__                                                                       \
  }

/** The row of the parts that companions add there (base/companion.h). */
#define DSM__ADDED_PARTS                                                                           \
  { .kind = DSM__FIELD_PART }

/** Defines a record's type from the rows of its table. Its name is without "dsm__" and "_record".
 */
#define DSM__RECORD(record_name, struct_type, is_on_one_line, about, ...)                          \
  DSM__RECORD_OF(, record_name, struct_type, is_on_one_line, NULL, about, NULL, NULL, __VA_ARGS__)

/** The same of a record that is told of to no other file. */
#define DSM__OWN_RECORD(record_name, struct_type, is_on_one_line, about, ...)                      \
  DSM__RECORD_OF(static, record_name, struct_type, is_on_one_line, NULL, about, NULL, NULL,        \
                 __VA_ARGS__)

/** The same of a whole document, which begins with the name of its format. */
#define DSM__DOCUMENT(record_name, struct_type, of_format, about, ...)                             \
  DSM__RECORD_OF(, record_name, struct_type, false, of_format, about, NULL, NULL, __VA_ARGS__)

/** The document of an answer, which a command writes. */
#define DSM__ANSWER(record_name, struct_type, of_format, about, by, ...)                           \
  DSM__RECORD_OF(, record_name, struct_type, false, of_format, DSM__WRITTEN_BY(about, by), about,  \
                 by, __VA_ARGS__)
#define DSM__WRITTEN_BY(about, by) about ", written by `" by " --format json`."

/** The same of one that is told of to no other file. */
#define DSM__OWN_ANSWER(record_name, struct_type, of_format, about, by, ...)                       \
  DSM__RECORD_OF(static, record_name, struct_type, false, of_format, DSM__WRITTEN_BY(about, by),   \
                 about, by, __VA_ARGS__)

#define DSM__RECORD_OF(storage, record_name, struct_type, is_on_one_line, of_format, about,        \
                       of_answer, of_command, ...)                                                 \
  static const dsm__field record_name##_fields[] = {__VA_ARGS__};                                  \
  storage const dsm__record_type record_name = {                                                   \
      .name = #record_name,                                                                        \
      .size = sizeof(struct_type),                                                                 \
      .fields = record_name##_fields,                                                              \
      .field_count = sizeof record_name##_fields / sizeof record_name##_fields[0],                 \
      .is_inline = (is_on_one_line),                                                               \
      .help = (about),                                                                             \
      .format = (of_format),                                                                       \
      .answer = (of_answer),                                                                       \
      .command = (of_command),                                                                     \
  }

/* ---- fields ---- */

/** Where a field is in a record. The pointer has the type that the kind says. */
static inline const void *dsm__field_in(const dsm__field *field, const void *record) {
  return (const unsigned char *)record + field->offset;
}

/** The struct of a field that is one, or a pointer to one. */
const void *dsm__field_struct(const dsm__field *field, const void *record);

/** Does its row say when a field is stated? */
bool dsm__field_is_conditional(const dsm__field *field);

/** What the row says of a record, of MEMBERS of one of them; true where it says nothing. */
bool dsm__field_condition_holds(const dsm__field *field, const void *record);

/** Is a field of a record stated? */
bool dsm__field_is_stated(const dsm__field *field, const void *record);

/** A value as a number: 1 for true, the number of a word, the length of a list, 1 for what is
 * there. */
double dsm__field_number(const dsm__field *field, const void *record);

/** Does a condition on a member of a record hold? One that says nothing does. */
bool dsm__record_meets(const dsm__condition *condition, const void *record);

/** Takes a field of a record, or of a part of it; `record` has the field, NULL where that is not
 * known. False ends the walk. */
typedef bool dsm__field_visitor(void *context, const dsm__field *field, const void *record);

/** Visits the fields of a record in order, those of parts in their place. `record` may be NULL:
 * then only the table is walked. False if a visitor ended it. */
bool dsm__record_each(const dsm__record_type *type, const void *record, dsm__field_visitor *visit,
                      void *context);

/** Most fields of a record with its parts. */
#define DSM__FIELDS_MAX 64

/** The fields of a table that are columns, in order; how many. */
size_t dsm__record_columns(const dsm__record_type *type,
                           const dsm__field *columns[DSM__FIELDS_MAX]);

/** What a field is called as a column. */
static inline const char *dsm__field_column(const dsm__field *field) {
  return field->column != NULL ? field->column : field->key;
}

/** The field with a key, and the record (a part of this one) that has it; NULL if there is none. */
const dsm__field *dsm__record_field(const dsm__record_type *type, const char *key,
                                    const void **record);

/** The key of the field at an offset of a record; NULL if there is none. */
const char *dsm__record_key_at(const dsm__record_type *type, size_t offset);

/** Appends a value as tables and messages show it: digits, words, "true", "in 2 ij 8" (parts of 1
 * are left out), "features 8 ij 1 mb 4", "fc1;fc2"; `nothing` for what is not stated or not
 * divided. Words are those of the renaming, which may be NULL. */
void dsm__field_put_text(const dsm__field *field, const dsm__renaming *renaming, const void *record,
                         const char *nothing, dsm__text_buffer *out);

/* ---- JSON ---- */

/** Writes a record as an object; or its format and fields into one that is open. */
void dsm__record_write(dsm__json_writer *writer, const dsm__record_type *type, const void *record);
void dsm__record_write_into(dsm__json_writer *writer, const dsm__record_type *type,
                            const void *record);

/** Most items of a list of texts. */
#define DSM__TEXT_LIST_MAX 12000

/** How records are read. */
typedef struct dsm__record_reader {
  dsm__arena *arena;         /**< for texts and lists */
  unsigned wanted;           /**< fields with one of these flags are read */
  unsigned unwanted_members; /**< of MEMBERS those that are not read, a bit a word */
  uint64_t most_parts; /**< largest part of COUNTS, and of counts in records without a `max` */
  const dsm__renaming *renaming; /**< of words; or NULL */
} dsm__record_reader;

/** Is the node an object with no other keys than the record's? Else that is reported. */
bool dsm__record_only(const dsm__json_node *node, const dsm__record_type *type);

/** Is the node a document of the record's format, with no other keys than the record's beside that?
 * Else that is reported. */
bool dsm__document_only(const dsm__json_node *node, const dsm__record_type *type);

/**
 * Reads the fields that are wanted, of a node that is an object (dsm__record_only), into a record:
 * flat ones, COUNTS, records, lists, ITEMS and MEMBERS with something wanted in them, and OWN ones
 * that say how; lists have from `min` to `max` items, and but for those of texts are for the caller
 * without a `max`. What is absent becomes its
 * fallback; what could not be read stays so. False if something was reported, or memory is out; but
 * parts of COUNTS that cannot be read become 0, and they and ITEMS are to be judged by who knows
 * what they are of.
 */
bool dsm__record_read(const dsm__record_reader *reader, const dsm__json_node *node,
                      const dsm__record_type *type, void *record);

/* ---- descriptions ---- */

/** What describes words, the keys of an object that has no table, and a record: their names, and
 * what rows of tables say. */
extern const dsm__record_type dsm__words_record;       /**< dsm__words */
extern const dsm__record_type dsm__object_type_record; /**< dsm__object_type */
extern const dsm__record_type dsm__type_record;        /**< dsm__record_type */

/** Records, in an arena. */
typedef struct dsm__record_types {
  dsm__record_type *items;
  size_t count;
  size_t capacity;
} dsm__record_types;

/** The record of a document, and those in it, each once; none if out of memory. */
dsm__record_types dsm__record_types_of(const dsm__record_type *document, dsm__arena *arena);

/* ---- bytes ---- */

/** Appends a record as bytes for another process of the same program: numbers, words, texts, and
 * records and lists of them; buffer->failed tells whether memory sufficed. */
void dsm__record_pack(dsm__text_buffer *buffer, const dsm__record_type *type, const void *record);

/** Bytes that are unpacked: those that are left, and what was wrong with those before. */
typedef struct dsm__packed {
  const unsigned char *at;
  size_t left;
  dsm__arena *arena; /**< for texts and lists */
  dsm_status status; /**< DSM_OK at first; then also DSM_ERROR_INVALID, DSM_ERROR_OUT_OF_MEMORY */
} dsm__packed;

/** Reads what dsm__record_pack wrote into a record that is all zero. */
void dsm__record_unpack(dsm__packed *in, const dsm__record_type *type, void *record);

#endif
