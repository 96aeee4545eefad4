/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * companion.h: what companions of the core bring: descriptions, answers, and what the tables of
 * formats say of them. The core names none: which there are is a list in src/CMakeLists.txt.
 */
#ifndef DSM_BASE_COMPANION_H
#define DSM_BASE_COMPANION_H

#include "base/description.h"
#include "base/record.h"
#include "dsm/limits.h"

struct dsm_answer_kind;
struct dsm_described;
struct dsm__item_row;
struct dsm__machine;
struct dsm__page;

/** A limit of limits.h, by its name. */
typedef struct dsm__limit {
  const char *name;
  uint64_t value;
} dsm__limit;

#define DSM__LIMIT(name)                                                                           \
  { #name, name }

/** A part that it adds to a record of the core, where that has DSM__ADDED_PARTS. */
typedef struct dsm__added_part {
  const dsm__record_type *to;
  dsm__field part;
} dsm__added_part;

#define DSM__OBJECTS_MAX 8

/** A format that is read: the record of its document or of a part of it, the keys of its other
 * objects. */
typedef struct dsm__input_format {
  const char *name;
  const dsm__record_type *record;
  const dsm__object_type *objects[DSM__OBJECTS_MAX];
} dsm__input_format;

/** The members `inputs` and `input_count`, and so on, of an array. */
#define DSM__INPUTS(array) .inputs = (array), .input_count = DSM__COUNT_OF(array)
#define DSM__LIMITS(array) .limits = (array), .limit_count = DSM__COUNT_OF(array)
#define DSM__WORD_LISTS(array) .words = (array), .word_count = DSM__COUNT_OF(array)

#define DSM__COMPANION_KINDS_MAX 2
#define DSM__COMPANION_FORMATS_MAX 4
#define DSM__COMPANION_DESCRIPTIONS_MAX 2

/** A companion. */
typedef struct dsm__companion {
  /** Answers whose documents are told apart by their formats, NULL behind the last. */
  const struct dsm_answer_kind *kinds[DSM__COMPANION_KINDS_MAX + 1];
  /** Formats of its results, NULL behind the last. */
  const dsm__record_type *formats[DSM__COMPANION_FORMATS_MAX + 1];
  /** Kinds of descriptions that it knows, NULL behind the last. */
  const dsm__description *descriptions[DSM__COMPANION_DESCRIPTIONS_MAX + 1];
  /** Fills the row of a description (report/data/describe_record.h), and its sizes
   * (report/data/list.h), if it is one that the companion alone knows; NULL: it knows none. */
  void (*describe)(struct dsm__page *page, struct dsm__item_row *row);
  void (*list)(dsm__value *sizes, const struct dsm_described *what);
  const dsm__added_part *parts;
  size_t part_count;
  /** What sweeps vary in place of a network on a system (sweep/machine_kind.h); NULL: nothing. */
  const struct dsm__machine *machine;
  const dsm__input_format *inputs;
  size_t input_count;
  const dsm__limit *limits;
  size_t limit_count;
  const dsm__words *const *words; /**< that neither records nor parameters have */
  size_t word_count;
} dsm__companion;

/** All of them, NULL behind the last; made from the list. */
extern const dsm__companion *const dsm__companions[];

#endif
