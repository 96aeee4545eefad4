/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_draft.h: a sweep while it is made: what the specification and the command line say, where
 * they say it, and what has been wrong so far. Everything that stays is in the sweep's arena.
 */
#ifndef DSM_SWEEP_SWEEP_DRAFT_H
#define DSM_SWEEP_SWEEP_DRAFT_H

#include "base/growing_list.h"
#include "base/json_read.h"
#include "dsm/limits.h"
#include "dsm/sweep.h"
#include "sweep/axis_path.h"

/** Where something is said: a value of the specification, or an option of the command line. */
typedef struct dsm__origin {
  const dsm__json_node *node; /**< NULL: the option */
  const char *option;         /**< in place of a file name, such as "--vary workload.minibatch" */
} dsm__origin;

/** The paths of an axis. */
typedef struct dsm__axis_paths {
  const char *items[DSM_SWEEP_AXES_MAX];
  dsm__path_kind kinds[DSM_SWEEP_AXES_MAX];
  dsm__origin origins[DSM_SWEEP_AXES_MAX];
  size_t count;
} dsm__axis_paths;

typedef struct dsm__axis_draft {
  dsm__origin origin;
  dsm__axis_paths paths;
  dsm_axis_value *values; /**< row by row */
  size_t value_count;     /**< whole rows */
  size_t capacity;        /**< rows */
  bool is_spread;         /**< it has numbers that were computed */
} dsm__axis_draft;

/** A path of a value for all points, or of an axis. */
typedef struct dsm__said_path {
  dsm__path_kind kind;
  const char *path;
  const char *json; /**< a value to go on with; NULL: the axis has none */
  dsm__origin origin;
  bool is_set;       /**< its value is that of all points */
  const char *text;  /**< then as an override says it */
  const char *place; /**< in the input at hand */
} dsm__said_path;

typedef struct dsm__said_paths {
  dsm__said_path *items;
  size_t count;
  size_t capacity;
} dsm__said_paths;

typedef struct dsm__condition_draft {
  const char *text;
  dsm__origin origin;
} dsm__condition_draft;

/** PATH=VALUES of the command line, its paths taken apart. */
typedef struct dsm__vary {
  const char *option; /**< "--vary PATH" */
  dsm__axis_paths paths;
  const char *values;
  bool is_used;
} dsm__vary;

/** The inputs of a kind (DSM_DESCRIPTION_WORKLOAD or DSM_DESCRIPTION_SYSTEM). */
typedef struct dsm__input_list {
  dsm_sweep_input *items;
  size_t count;
  size_t capacity;
} dsm__input_list;

typedef struct dsm__sweep_draft {
  dsm__arena *arena;
  dsm_diags *diags;
  const char *folder; /**< of the specification; NULL: none */
  const dsm_sweep_request *request;
  const dsm_sweep_source *source;

  dsm__json_doc *doc; /**< the specification; NULL: none */
  dsm__json_node root;
  dsm__json_node workloads_node;
  dsm__json_node systems_node;
  dsm__json_node options_node;
  dsm__json_node optimize_node;
  dsm__json_node set_node;
  dsm__json_node axes_node;
  dsm__json_node exclude_node;

  const char *name;
  const char *source_text;
  dsm_record record;
  bool is_open;
  dsm__input_list inputs[2]; /**< by dsm_description */
  dsm__axis_draft axes[DSM_SWEEP_AXES_MAX];
  size_t axis_count;
  dsm__vary *varies;
  size_t vary_count;
  dsm__said_paths sets;
  dsm__condition_draft *conditions;
  size_t condition_count;
  dsm_explore_options options;
  bool is_stated[DSM__SWEEP_OPTION_COUNT]; /**< for all points: an axis may not vary it too */

  bool is_usage_wrong;
  bool is_invalid;
  bool is_io_wrong;
  bool is_out_of_memory;
} dsm__sweep_draft;

/* ---- what is wrong (sweep_draft.c) ---- */

/** Returns false. */
bool dsm__draft_error(dsm__sweep_draft *draft, dsm__origin origin, const char *hint,
                      const char *format, ...) DSM_PRINTF(4, 5);

/** Of a text that is no path of an axis; returns false. */
bool dsm__draft_no_path(dsm__sweep_draft *draft, dsm__origin origin, const char *path);

/** What is probably not meant, but is no error. */
void dsm__draft_warning(dsm__sweep_draft *draft, dsm__origin origin, const char *hint,
                        const char *format, ...) DSM_PRINTF(4, 5);

/** Notes the status of a function that has reported already. */
void dsm__draft_note(dsm__sweep_draft *draft, dsm_status status);

/** Is memory out? Then nothing more should be read. */
bool dsm__draft_is_stopped(const dsm__sweep_draft *draft);

/** Reports that memory is out; always false. */
bool dsm__draft_out_of_memory(dsm__sweep_draft *draft);

/* ---- memory: out of it, that is noted, and nothing else is reported any more ---- */

/** A text in the arena; "" out of memory. */
const char *dsm__draft_text(dsm__sweep_draft *draft, const char *format, ...) DSM_PRINTF(2, 3);

/** Moves a buffer's text into the draft's arena and frees the buffer; "" out of memory. */
const char *dsm__draft_take(dsm__sweep_draft *draft, dsm__text_buffer *buffer);

/** dsm__arena_array of the draft's arena; NULL out of memory. */
void *dsm__draft_array(dsm__sweep_draft *draft, size_t count, size_t size);

/** DSM_OK, or the status that all that was wrong so far makes. */
dsm_status dsm__draft_status(const dsm__sweep_draft *draft);

/** The origin of a node; the node must live as long as findings about it. */
static inline dsm__origin dsm__origin_of(const dsm__json_node *node) {
  return (dsm__origin){.node = node};
}

/* ---- values (sweep_values.c) ---- */

/** A value as it is written, before its path tells what it means. */
typedef struct dsm__raw_value {
  dsm__origin origin;
  const char *json;  /**< canonical */
  const char *text;  /**< what a string holds; NULL: it is no string */
  const char *words; /**< of a string, or of a list of strings: joined by "+"; NULL: other values */
  bool is_number;
  double number;
  const dsm__json_node *object; /**< an object of the specification; NULL: anything else */
} dsm__raw_value;

/** A value of the specification. */
dsm__raw_value dsm__raw_from_node(dsm__sweep_draft *draft, const dsm__json_node *node);

/** text[0 .. length) of the command line, as the value of an override is: JSON, or a string. */
bool dsm__raw_from_text(dsm__sweep_draft *draft, const char *text, size_t length,
                        dsm__origin origin, dsm__raw_value *raw);

/** A number that was computed. */
dsm__raw_value dsm__raw_from_number(dsm__sweep_draft *draft, double number, dsm__origin origin);

/** What a raw value means for a path. Names of inputs are read as files. False after a report. */
bool dsm__value_make(dsm__sweep_draft *draft, dsm__path_kind kind, const dsm__raw_value *raw,
                     dsm_axis_value *value);

/** The value that names an input. */
dsm_axis_value dsm__value_of_input(dsm__sweep_draft *draft, dsm_description kind, size_t input);

/* ---- axes (sweep_axes.c) ---- */

/** A new axis; NULL, reported, if there are too many, or if memory is out. */
dsm__axis_draft *dsm__axis_add(dsm__sweep_draft *draft, const dsm__axis_paths *paths,
                               dsm__origin origin);

/** Adds a path to those of an axis. False after a report: it is none. */
bool dsm__axis_add_path(dsm__sweep_draft *draft, dsm__axis_paths *paths, const char *path,
                        dsm__origin origin);

/** Adds a row to an axis: a value for each path. False after a report. */
bool dsm__axis_add_row(dsm__sweep_draft *draft, dsm__axis_draft *axis, const dsm__raw_value *raws);

/** A range of numbers; is_geometric tells what `step` is. */
typedef struct dsm__range {
  double from;
  double to;
  double step;
  bool is_geometric;
  bool is_spread; /**< it has so many numbers, whatever the step that makes them so many */
  double count;   /**< then */
} dsm__range;

/** Adds the values of a range. */
bool dsm__axis_add_range(dsm__sweep_draft *draft, dsm__axis_draft *axis, dsm__range range,
                         dsm__origin origin);

/** Adds all descriptions of a folder; `base` is the folder that it is relative to, or NULL. */
bool dsm__axis_add_folder(dsm__sweep_draft *draft, dsm__axis_draft *axis, const char *folder,
                          const char *base, dsm__origin origin);

/** Of an open sweep: each axis has the value of the system as it is too, numbers in order, and
 * whole where they count (sweep_open.c). */
void dsm__axes_complete(dsm__sweep_draft *draft);

/** No path twice, also in `set` and `options`; no value twice. */
void dsm__axes_check(dsm__sweep_draft *draft);

/* ---- inputs (sweep_inputs.c) ---- */

/** The input that a name means: one that is there already under that name, or else what the source
 * reads; `folder` as the source takes it. */
bool dsm__input_by_name(dsm__sweep_draft *draft, dsm_description kind, const char *name,
                        const char *folder, dsm__origin origin, size_t *input);

/** Reads a description, which reports all that is wrong with it. *name is its own name, in the
 * arena; what it has is meaningful only if nothing was. False if memory is out. */
bool dsm__input_read(dsm__sweep_draft *draft, dsm_description kind, const dsm__json_node *node,
                     const char **name);

/** The input that stands in the specification. */
bool dsm__input_by_object(dsm__sweep_draft *draft, dsm_description kind,
                          const dsm__json_node *object, size_t *input);

/** File name without folder and ".json". */
const char *dsm__stem(dsm__sweep_draft *draft, const char *file);

/** Is it a name: UTF-8, 1 .. most bytes, no control characters? */
bool dsm__is_name(const char *text, size_t most);

/* ---- parts of the whole ---- */

/** Reads the specification into the draft (sweep_json.c). */
void dsm__sweep_read(dsm__sweep_draft *draft);

/** Adds or replaces a value for all points, whose path may be none: then that is reported. */
void dsm__set_add(dsm__sweep_draft *draft, const char *path, const dsm__raw_value *raw);

/** Takes --vary texts apart, before the specification is read (sweep_vary.c). */
void dsm__varies_parse(dsm__sweep_draft *draft);

/** Adds the axis of a --vary. */
void dsm__vary_read(dsm__sweep_draft *draft, dsm__vary *vary);

/** Length of the part of text up to a separator that is outside of quotes and brackets. */
size_t dsm__part_length(const char *text, char separator);

/** Lists the paths of kinds whose bits 1 << kind are set, in the order in which values are put in:
 * those for all points, then those of axes (value_paths.c). None if memory is out. */
dsm__said_paths dsm__paths_collect(dsm__sweep_draft *draft, unsigned kinds);

/** Each path of a value must be known in an input (value_paths.c). */
void dsm__paths_check(dsm__sweep_draft *draft);

/** No two paths may lead to the same value of an input, nor may a whole come after its part
 * (value_paths.c). Equal and nested spellings are the business of dsm__axes_check. */
void dsm__same_values_check(dsm__sweep_draft *draft);

/** Is the path that of a whole which has the other as a part, as they are written? */
bool dsm__is_whole_of(const char *path, const char *other);

/** Numbers the points; needs columns (sweep_product.c). */
void dsm__product_make(dsm__sweep_draft *draft, dsm_sweep *sweep);

/** The specification that needs no files (sweep_json_write.c). */
const char *dsm__sweep_resolve(dsm__sweep_draft *draft, const dsm_sweep *sweep);

/** Has an axis a path of this kind? */
bool dsm__draft_varies(const dsm__sweep_draft *draft, dsm__path_kind kind);

#endif
