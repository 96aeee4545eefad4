/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * system_internal.h: how a system is built from and written as JSON, and every parameter of it, as
 * rows of one table. Reading, writing, describing and checking notes all walk this table; a new
 * parameter is a field in system.h and a row here.
 */
#ifndef DSM_SYSTEM_SYSTEM_INTERNAL_H
#define DSM_SYSTEM_SYSTEM_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/description.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/number_text.h"
#include "base/words.h"
#include "dsm/system.h"

/** Element-passes of a sigmoid, tanh or exponential, where nothing else is stated. */
#define DSM__TRANSCENDENTAL_PASSES 4

typedef enum dsm__parameter_kind {
  DSM__PARAMETER_COUNT = 0, /**< uint64_t */
  DSM__PARAMETER_REAL,      /**< double */
  DSM__PARAMETER_FLAG,      /**< bool */
  DSM__PARAMETER_WORD       /**< an enumeration */
} dsm__parameter_kind;

/** What a parameter is of, beside hardware of which more is better. */
typedef enum dsm__parameter_nature {
  DSM__PARAMETER_COST = 1,     /**< of numbers: it costs time, room or bytes */
  DSM__PARAMETER_SOFTWARE = 2, /**< an assumption about what runs on the hardware, of which nothing
                                    can be bought: tiles, efficiencies, times of launches */
  DSM__PARAMETER_MIXED =
      4, /**< of reals: more may be slower as well as faster, often because 0
            says    that there is none; a search of designs enumerates its values */
} dsm__parameter_nature;

typedef struct dsm__parameter {
  const char *path; /**< below the root: "chip.memory.capacity_GB" */
  dsm__parameter_kind kind;
  size_t offset;           /**< of the field in dsm_system */
  const dsm__words *words; /**< of a flag or a word; NULL for numbers */
  bool is_required;        /**< false: `fallback` where absent */
  unsigned nature;         /**< a set of dsm__parameter_nature */
  double min;              /**< counts and reals: smallest legal value */
  double max;              /**< largest legal value */
  double fallback;         /**< of a flag 0 or 1, of a word its index */
  const char *unit;        /**< "flag" and "word" for those kinds */
  const char *source; /**< where the default comes from, or "assumption..."; NULL if required */
  unsigned axis;      /**< it is of: 1 the first; 0: of no axis */
  bool is_neutral;  /**< the default changes nothing: written and listed only where it is another */
  const char *help; /**< of neutral ones: what it means; docs and schema are made of it */
  bool (*is_used)(const dsm_system *system); /**< of neutral ones that work only with another
                                                parameter: does it say so? NULL: there is none */
} dsm__parameter;

/** Smallest and largest rate, frequency or capacity: no time or volume overflows with them. */
#define DSM__RATE_MIN 1e-9
#define DSM__RATE_MAX 1e12

extern const dsm__parameter dsm__parameters[];
extern const size_t dsm__parameter_count;

/** Paths of flags of earlier versions that are no choice any more: true is the rule. */
extern const char *const dsm__retired_flags[];
extern const size_t dsm__retired_flag_count;

/** Kinds of links along an axis. */
extern const dsm__words dsm__link_kinds;

/** What a parameter is in a system, as a number: of a flag 0 or 1, of a word its index. */
double dsm__parameter_number(const dsm__parameter *parameter, const dsm_system *system);

/** Sets it to such a number, whatever rules of a system that breaks. */
void dsm__parameter_set(const dsm__parameter *parameter, dsm_system *system, double number);

/** Such a number as it stands in a description: a word of static memory, or digits in `text`. */
const char *dsm__parameter_text(const dsm__parameter *parameter, double number,
                                char text[DSM__NUMBER_TEXT_SIZE]);

/** Is a parameter no part of the hardware: an assumption about software, or of the model? */
bool dsm__parameter_is_software(const dsm__parameter *parameter);

/** What more of a parameter does to the time of a step on such a system: 1: it is never slower; -1:
 * never faster; 0: now this, now that, as with all counts, flags and words, and with what tiles are
 * chosen by (docs/design.md). */
int dsm__parameter_way(const dsm__parameter *parameter, const dsm_system *system);

/** Is a parameter of the short form of two rings, which stands in place of a list of axes? */
bool dsm__parameter_is_of_short_form(const dsm__parameter *parameter);

/** Is a parameter part of the description of a system? Those of an axis only where it has the axis,
 * those of the short form only in that, and one whose default changes nothing only with another
 * value, where what it works with is switched on, or where the description has a note on it. */
bool dsm__parameter_is_stated(const dsm__parameter *parameter, const dsm_system *system);

/** What the paths of parameters of a technology begin with. */
#define DSM__TECHNOLOGY_PREFIX "technology."

/** Is a parameter one of what a chip is made of: of its technology? */
bool dsm__parameter_is_of_technology(const dsm__parameter *parameter);

/** Does a parameter change what a machine costs, and no time? */
bool dsm__parameter_is_of_cost(const dsm__parameter *parameter);

/** Most parameters that a system states. */
#define DSM__PARAMETERS_MAX 304

/** The parameters that are stated, in order. */
typedef struct dsm__stated_parameters {
  const dsm__parameter *items[DSM__PARAMETERS_MAX];
  size_t count;
} dsm__stated_parameters;

dsm__stated_parameters dsm__parameters_of(const dsm_system *system);

/** What a parameter is where a description does not say. */
typedef struct dsm__default {
  bool is_required; /**< it has to say */
  double value;
  const char *source; /**< NULL if required */
} dsm__default;

/** The table's; of parts of a chip of which only the peak rate is known, what stands for them. */
dsm__default dsm__parameter_default(const dsm__parameter *parameter, const dsm_system *system);

/** Is the value the default? Not if it is required. */
bool dsm__parameter_has_default(const dsm__parameter *parameter, const dsm_system *system);

/** "given": the description states the value, but not where it comes from. */
extern const char dsm__given[];

/**
 * Where a value comes from: the description's note; without one, "(default) " and the source of the
 * default if it is that; else "given", and for assumptions of the model, which cannot have
 * been measured, "assumption, ...". Belongs to the arena or the system; NULL if out of memory.
 */
const char *dsm__parameter_source(dsm__arena *arena, const dsm__parameter *parameter,
                                  const dsm_system *system);

/** Chips along each axis, as "8 x 4 chips". */
typedef struct dsm__chips_text {
  char text[24 * DSM_AXES_MAX + 8];
} dsm__chips_text;

/** `by`: what stands between two of them. */
dsm__chips_text dsm__chips_text_of(const dsm_system *system, const char *by);

/* The field of a parameter. The pointer has the type that the kind says. */
static inline const void *dsm__parameter_get(const dsm__parameter *parameter,
                                             const dsm_system *system) {
  return (const unsigned char *)system + parameter->offset;
}
static inline void *dsm__parameter_field(const dsm__parameter *parameter, dsm_system *system) {
  return (unsigned char *)system + parameter->offset;
}

/* ---- JSON ---- */

/**
 * Reads a system from a JSON node, which may be a whole document or a part of a plan. The system's
 * arena must exist; findings are the document's. `has_all`: it was written with all parameters, so
 * that what is there was not necessarily stated.
 */
void dsm__system_read(dsm_system *system, const dsm__json_node *node, bool has_all);

/** Which axis of the list is divided, 1 the first; 0: none. */
unsigned dsm__axes_divided(const dsm__json_node *axes);

/** Reads "system.axes", which is there, and writes it; what is left of a divided axis is the next
 * one. */
void dsm__axes_read(dsm_system *system, const dsm__json_node *axes);
void dsm__axes_write(const dsm_system *system, dsm__json_writer *writer);

/** Reads one parameter whose object is `object` and whose last path step is `key`. */
void dsm__parameter_read(const dsm__parameter *parameter, dsm_system *system,
                         const dsm__json_node *object, const char *key);

/** The keys of a system beside its parameters. */
extern const dsm__object_type dsm__system_object;

/** And those of a technology, in a file of its own or in a system. */
extern const dsm__object_type dsm__technology_object;

/** Writes the system as an object in the format "dsm-system/1", every parameter in full. */
void dsm__system_write(const dsm_system *system, dsm__json_writer *writer);

/** Writes a value of a parameter, as dsm__parameter_number gives it. */
void dsm__parameter_write(const dsm__parameter *parameter, double number, dsm__json_writer *writer);

extern const dsm__description dsm__system_description;
extern const dsm__description dsm__technology_description;

/** A new empty system with its arena; NULL if out of memory. */
dsm_system *dsm__system_new(void);

#endif
