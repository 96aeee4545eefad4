/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preload_level.h: a network with a given part of each scratchpad set aside for weights (section
 * 10), as a graph whose edges cost what that leaves, and what the weights on chip save.
 */
#ifndef DSM_SEARCH_PRELOAD_PRELOAD_LEVEL_H
#define DSM_SEARCH_PRELOAD_PRELOAD_LEVEL_H

#include "search/preload/residents.h"
#include "search/problem.h"

/** The room of a step, of each core. */
static inline double dsm__preload_room_of(const dsm__problem *problem, int step) {
  return dsm_preload_room_bytes(&problem->machine) / DSM__PRELOAD_STEPS * step;
}

/** What a mapping without preloading says that is kept where memory is short: a layer's
 * parallelism; or that it begins a group of so many layers; or that it is inside one (0). */
typedef struct dsm__preload_form {
  dsm_parallelism parallelism;
  bool is_grouped;
  size_t group_length;
} dsm__preload_form;

/** What an edge that is a layer says of its run, whatever the room. */
typedef struct dsm__preload_edge {
  dsm__resident_place place;
  double needed_bytes; /**< for what is held; least of all numbers where nothing is */
  bool is_placed;
} dsm__preload_edge;

/** A point of a run's hull. */
typedef struct dsm__preload_point {
  double bytes;
  double cycles;
} dsm__preload_point;

/** A run of a level's layers. */
typedef struct dsm__preload_run {
  const dsm__resident_run *of;
  size_t first_point; /**< of its hull, in the points */
  size_t chosen;      /**< which of these, at the last price of a byte */
  double priced;      /**< its cycles, and what its bytes cost */
} dsm__preload_run;

/** Lists that grow with the runs of a level, in its arena. */
typedef struct dsm__preload_runs {
  dsm__preload_run *items; /**< each once */
  size_t count;
  size_t capacity;
  DSM__LIST(dsm__preload_point) points;
  DSM__LIST(size_t) own; /**< of each resident: the run, + 1; 0: not there */
} dsm__preload_runs;

typedef struct dsm__preload_level {
  dsm__problem problem; /**< as the caller's, with the room set aside; in an arena of its own */
  dsm__found found;     /**< for this room */
  double room_bytes;    /**< W, of each core: what weights may take */
  bool is_relaxed;      /**< holding takes no room: only for bounds */
  dsm__network_graph network;
  dsm__preload_runs runs;         /**< of its layers */
  dsm__preload_edge *edges;       /**< of each edge */
  size_t *run_of;                 /**< of each edge: its run, or SIZE_MAX */
  bool *is_shut;                  /**< of each edge: what it holds does not fit */
  double *fixed_cycles;           /**< of each edge that is no layer */
  double *rest;                   /**< of each node, at the last price */
  const dsm__preload_form *forms; /**< of each layer; NULL: all */
} dsm__preload_level;

/** A layer of a mapping. */
typedef struct dsm__preload_step {
  size_t layer;
  size_t run;
  dsm__resident how;
} dsm__preload_step;

/** A path through a level's graph, and how its layers run. */
typedef struct dsm__preload_mapping {
  dsm__graph_path path;
  dsm__preload_step *steps; /**< of its layers outside groups, in order */
  size_t step_count;
  double fixed_cycles; /**< of relayouts and groups */
  double cycles;       /**< of all */
  double bytes;        /**< of each core, for weights */
} dsm__preload_mapping;

/** What a graph without the layers' cycles is made of. */
typedef struct dsm__preload_request {
  const dsm__problem *problem; /**< with choices */
  dsm__residents *residents;   /**< runs that are known, and become known */
  const dsm__factors *factors;
  double room_bytes;
  bool is_holding; /**< outputs may be held */
  bool is_relaxed;
  const uint64_t *worthwhile; /**< as in dsm__graph_request */
} dsm__preload_request;

/** How a layer on an edge out of a node is run, with something held around it. */
static inline dsm__resident_query dsm__resident_query_of(const dsm__layer_table *table,
                                                         const dsm__node_info *info, uint32_t tag,
                                                         const dsm__holding *holding) {
  return (dsm__resident_query){
      .table = table,
      .class_index = table->distinct.class_of[info->layer],
      .parallelism = (dsm_parallelism)info->forward,
      .factor_index = dsm__network_step_unpack(tag).factor_index,
      .holding = holding,
  };
}

/** Builds and scores a level; false if out of memory. To be freed with dsm__preload_level_fini in
 * either case. */
bool dsm__preload_level_init(dsm__preload_level *level, const dsm__preload_request *request);
void dsm__preload_level_fini(dsm__preload_level *level);

/**
 * Makes a level that is not relaxed one with another room, no smaller than that it was made with:
 * what does not fit is left out, and layers cost what is left to them. The graph stays, so that
 * states may be there that cannot be reached; groups stay as they are. False if out of memory.
 */
bool dsm__preload_level_resize(dsm__preload_level *level, dsm__residents *residents,
                               double room_bytes);

/** Gives a level all runs that are known, by their numbers there, and scores them; false if out of
 * memory. */
bool dsm__preload_level_number(dsm__preload_level *level, dsm__residents *residents);

/** A mapping with room for any path; false if out of memory. Lives as long as the level. */
bool dsm__preload_mapping_init(dsm__preload_mapping *mapping, const dsm__preload_level *level);

/** The answer of a relaxation: a byte of weights costs `price` cycles instead of being limited. */
typedef struct dsm__preload_bound {
  double cycles; /**< no mapping of the level is faster */
  double price;  /**< with which that is so */
  bool is_free;  /**< the fastest mapping needs no limit: a larger room does not help */
} dsm__preload_bound;

/**
 * Finds the price with the best bound. `below` and `above` become the mappings between which the
 * limit lies, at that price equally good: the first takes no more than the room, the second takes
 * more (or is the first too, where the limit does not bind).
 */
void dsm__preload_bound_find(dsm__preload_level *level, dsm__preload_mapping *below,
                             dsm__preload_mapping *above, dsm__preload_mapping *scratch,
                             dsm__preload_bound *bound);

/**
 * Where holding can pay, in a relaxed level: sets the bits (dsm__graph_request) of states through
 * which a mapping can be faster than `limit`, as far as the price of a bound tells. False if out of
 * memory.
 */
bool dsm__preload_worthwhile(dsm__preload_level *level, const dsm__preload_bound *bound,
                             double limit, uint64_t *worthwhile, bool *is_any);

/** Gives the room that a mapping leaves to the layers where it saves most, or gives out the whole
 * room anew, where that is better or the mapping takes too much. False if out of memory. */
bool dsm__preload_fill(dsm__preload_level *level, dsm__preload_mapping *mapping);

/** Finds the best mapping with a price on each byte of weights; its least sum stands in rest[0]. */
void dsm__preload_find_priced(dsm__preload_level *level, double price,
                              dsm__preload_mapping *mapping);

/** Sets what edges cost, and rest, with a price on each byte of weights. */
void dsm__preload_set_price(dsm__preload_level *level, double price);

/** Makes the steps of a mapping along its path, with no weights on chip. */
void dsm__preload_follow(const dsm__preload_level *level, dsm__preload_mapping *mapping);

/** Adds up a mapping's cycles and bytes, after a change of its steps. */
void dsm__preload_sum(dsm__preload_mapping *mapping);

/** Does a mapping fit the chip's memory (section 12)? */
bool dsm__preload_fits_memory(const dsm__preload_level *level, const dsm__preload_mapping *mapping);

#endif
