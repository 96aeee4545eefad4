/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * sweep.h: many explorations, one for each point of a design space.
 *
 * A sweep is the product of its axes minus the combinations that conditions exclude. It is made
 * from a specification (format "dsm-sweep/1", docs/formats.md), from what a command line says, or
 * from both; it then holds all its inputs, so that points can be evaluated in any order, by any
 * number of threads, processes and machines, always with the same results. Results go to a store
 * (sweep_store.h).
 */
#ifndef DSM_SWEEP_H
#define DSM_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/file.h"
#include "dsm/pim.h"
#include "dsm/plan.h"
#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Hexadecimal SHA-256, NUL-terminated. */
typedef char dsm_digest[65];

/** How much of a point is recorded; each level includes those before it. */
typedef enum dsm_record {
  DSM_RECORD_POINTS = 0, /**< a row a point */
  DSM_RECORD_LAYERS,     /**< and a row a layer and pass; the default */
  DSM_RECORD_PLANS,      /**< and the plan itself, as JSON */
  DSM_RECORD_COUNT
} dsm_record;

/** Finds and reads the files that a specification names: the library knows no search paths. */
typedef struct dsm_sweep_source {
  /** Reads the description of that name. `folder` is where a relative name is looked for first: the
   * folder of the specification, NULL for names of the command line and for files of a folder,
   * whose names have it in them. *text and *file (which file
   * it was) are malloc'ed and belong to the caller. Statuses as of dsm_file_read. */
  dsm_status (*read)(void *context, const char *name, const char *folder, dsm_description kind,
                     char **text, size_t *length, char **file, dsm_diags *diags);
  void *context;
} dsm_sweep_source;

/** What a command line says of a sweep, in addition to a specification or instead of it. */
typedef struct dsm_sweep_request {
  const char *const *workloads; /**< names; these replace those of the specification */
  size_t workload_count;
  const char *const *systems; /**< names; these replace those of the specification */
  size_t system_count;
  const char *const *varies; /**< PATH=VALUES (docs/formats.md): an axis, in place of the one with
                                  the same paths, or after the others */
  size_t vary_count;
  const char *const *excludes; /**< conditions (docs/formats.md), beside those of the specification
                                */
  size_t exclude_count;
  const char *const *sets; /**< PATH=VALUE for all points, after those of the specification */
  size_t set_count;
  const dsm_mode *mode;                      /**< NULL: the specification's, else training */
  const dsm_optimization_set *optimizations; /**< NULL: the specification's, else all, which is
                                                  DSM_OPTIMIZATION_ALL in any mode, or
                                                  DSM_OPTIMIZATION_EVERYTHING. Beside all each
                                                  must have a meaning in the mode of some point */
  const dsm_parallelism_set *parallelisms;   /**< NULL: the specification's, else all */
  const dsm_role_set *roles;     /**< beside parallelisms, of each of DSM_AXES_MAX axes as in
                                      dsm_explore_options; NULL: all */
  const dsm_aim *aim;            /**< NULL: the specification's, else time */
  const double *power_cap_watts; /**< likewise, else none; up to 1e6 */
  const dsm_record *record;      /**< NULL: the specification's, else layers */
  bool is_open;                  /**< the points are not listed: they are all of the product, up to
                                      DSM_SWEEP_OPEN_MAX, of which some may be evaluated. Each axis of a value of the
                                      system then has what the system has too, and numbers in order */
  const double *gap;             /**< of each point's exploration; NULL: the
                                      specification's, else 0 */
  const double *time_limit_seconds; /**< likewise; else none */
} dsm_sweep_request;

/** A workload or system of a sweep. */
typedef struct dsm_sweep_input {
  const char *name; /**< what the column `workload` or `system` shows, unique among its kind: as the
                         specification or the command line names it, without folder and ".json";
                         of one that stands in the specification its own name */
  const char *file; /**< which file it was */
  const char *text; /**< JSON, written anew without spaces, keys in bytewise order: the same for
                         equal contents */
  size_t length;    /**< bytes of text */
  dsm_digest digest; /**< of text */
} dsm_sweep_input;

/** A value of one path of an axis. */
typedef struct dsm_axis_value {
  const char *text; /**< as columns show it: bare words, JSON for lists and objects, optimizations
                         joined by "+" */
  const char *json; /**< as JSON */
  bool is_number;
  double number; /**< 0 unless is_number */
  size_t input;  /**< paths "workload" and "system": index of the input */
} dsm_axis_value;

/** One path, or several that vary together. */
typedef struct dsm_axis {
  const char *const *paths; /**< "workload", "system" (which one); "workload.PATH", "system.PATH" (a
                                 value in it, as of --set); "options.mode", "options.optimize",
                                 "options.parallelism" */
  size_t path_count;
  const dsm_axis_value *values; /**< of value v and path p: values[v * path_count + p] */
  size_t value_count;
} dsm_axis;

/** A path that varies: where its values are. */
typedef struct dsm_sweep_column {
  const char *path;
  size_t axis; /**< index of its axis */
  size_t slot; /**< index among the axis's paths */
} dsm_sweep_column;

/** Immutable once made. */
typedef struct dsm_sweep {
  const char *name;   /**< the specification's, or "WORKLOAD-SYSTEM" */
  const char *source; /**< where it comes from; NULL: not stated */
  const dsm_sweep_input *workloads;
  size_t workload_count;
  const dsm_sweep_input *systems;
  size_t system_count;
  const char *const *sets; /**< PATH=VALUE for all points */
  size_t set_count;
  dsm_explore_options options; /**< of points whose axes do not say otherwise; thread_count 1. Of
                                    the optimizations those of the point's mode count */
  bool has_all_optimizations;  /**< all of each point's system, in place of those of options */
  const dsm_axis *axes;        /**< that of `workload`, that of `system` (unless an axis of the
                                    specification has those paths), then in the order written; the
                                    last varies fastest */
  size_t axis_count;
  const dsm_sweep_column *columns; /**< `workload`, `system`, then all other paths in order */
  size_t column_count;
  bool is_open;             /**< points are not listed: each is its index in the whole product */
  const uint64_t *products; /**< of each point: its index in the whole product, ascending; NULL of
                                 an open one */
  size_t point_count;       /**< 1 .. DSM_SWEEP_POINTS_MAX, of an open one DSM_SWEEP_OPEN_MAX */
  dsm_record record;
  const char *resolved; /**< specification (JSON) that needs no files (nor a source): inputs stand
                             in it in full. dsm_sweep_make of it makes the same sweep, but for the
                             `file` of its inputs */
  dsm_digest digest;    /**< of resolved: equal digests mean equal points in equal order */

  struct dsm__arena *arena; /**< private */
} dsm_sweep;

/**
 * Makes a sweep from a specification (text of the file named `file`, of which `folder` is the
 * folder; all NULL: none), a request (NULL: nothing) and the files they name (`source` NULL: they
 * may name none). Folders are read from the file system. Every input must be
 * valid as it is, and every path must be known in at least one input. What is wrong only with some
 * points, such as a value out of range, is not an error here, but the result of these points; that
 * no point is valid is an error.
 * *sweep then belongs to the caller.
 * DSM_ERROR_USAGE: the request is at fault; DSM_ERROR_INVALID: the specification or an input;
 * DSM_ERROR_IO; DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_sweep_make(dsm_sweep **sweep, const char *text, size_t length,
                                                const char *file, const char *folder,
                                                const dsm_sweep_request *request,
                                                const dsm_sweep_source *source, dsm_diags *diags);
/** Frees a sweep; NULL is fine. */
DSM_API void dsm_sweep_free(dsm_sweep *sweep);

/** The value of a column (below column_count) at a point (below point_count). Borrowed. */
DSM_API const dsm_axis_value *dsm_sweep_value(const dsm_sweep *sweep, size_t point, size_t column);

/** A part of a sweep for one of several jobs: points p with p % count == index. */
typedef struct dsm_shard {
  size_t index; /**< below count */
  size_t count; /**< 1: all points */
} dsm_shard;

/** Reads K/N, 1 <= K <= N <= DSM_SWEEP_POINTS_MAX, as {K - 1, N}; false if it is none. */
DSM_API DSM_NODISCARD bool dsm_shard_parse(const char *text, dsm_shard *shard);

/** How a point ended. */
typedef enum dsm_point_status {
  DSM_POINT_OK = 0,
  DSM_POINT_INFEASIBLE, /**< no mapping satisfies a constraint */
  DSM_POINT_INVALID,    /**< its values break a rule */
  DSM_POINT_STATUS_COUNT
} dsm_point_status;

/** A layer and pass of a point's plan; the names are the plan's. */
typedef struct dsm_point_layer {
  size_t layer; /**< its place in order of execution, from 0 */
  const char *name;
  dsm_pass pass;
  dsm_pass_decisions pass_decisions;
  dsm_layer_decisions decisions;
  dsm_bound bound;
  dsm_cycles cycles;
  double utilization;
} dsm_point_layer;

/** What a point's plan decides of the step, and of how many layers what keeps less. */
typedef struct dsm_point_step {
  uint64_t micro_batches;
  uint64_t stages;
  uint64_t interleave;        /**< runs of layers of a stage */
  uint64_t recomputed_layers; /**< whose forward pass runs again */
  uint64_t sharded_layers;    /**< whose optimizer state, gradients or weights chips share out */
} dsm_point_step;

/** What a point's exploration found. */
typedef struct dsm_point_result {
  size_t point;
  dsm_point_status status;
  const char *reason; /**< why not, as a finding says it; NULL if DSM_POINT_OK, unless the time
                         limit ended the search */
  /* All below is zero or NULL unless DSM_POINT_OK. */
  dsm_mode mode;
  uint64_t minibatch;
  dsm_optimization_set optimizations;
  dsm_parallelism_set parallelisms;
  dsm_plan_result result;
  dsm_point_step step;
  dsm_pim_cost pim;      /**< on cores in memory; else not feasible */
  const char *decisions; /**< in short, such as "data 12, model_x_data_y 4; dysm 3; on chip 5" */
  const dsm_point_layer *layers; /**< from DSM_RECORD_LAYERS on */
  size_t layer_count;
  const char *plan; /**< JSON; DSM_RECORD_PLANS */
} dsm_point_result;

/** The words of the formats: "points", "layers", "plans"; "ok", "infeasible", "invalid". Never
 * NULL. */
DSM_API const char *dsm_record_name(dsm_record record);
/** The word of the formats. Never NULL. */
DSM_API const char *dsm_point_status_name(dsm_point_status status);

#ifdef __cplusplus
}
#endif

#endif
