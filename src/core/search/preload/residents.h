/* SPDX-License-Identifier: GPL-3.0-or-later */
/* residents.h: how fast layers run with a part of their weights on chip, and which of these runs
 * cost the same (section 10). */
#ifndef DSM_SEARCH_PRELOAD_RESIDENTS_H
#define DSM_SEARCH_PRELOAD_RESIDENTS_H

#include "base/growing_list.h"
#include "search/layer_table.h"

typedef struct dsm__resident_kinds dsm__resident_kinds;

/** None yet; NULL if out of memory. */
dsm__resident_kinds *dsm__resident_kinds_new(void);
void dsm__resident_kinds_free(dsm__resident_kinds *kinds);

/** A forward pass of a layer of a class, as it is run. */
typedef struct dsm__kind_query {
  const dsm__layer_table *table;
  const dsm__layer_setting *setting;
  size_t class_index;
  dsm_parallelism parallelism;
  unsigned factor_index;
  double most_preloaded_bytes; /**< that will be asked for: at least that of the setting */
} dsm__kind_query;

/** A run's kind, and what is held beside it: with what room for weights is set aside, that decides
 * what it costs. */
typedef struct dsm__resident_place {
  size_t kind;
  double held_bytes;
} dsm__resident_place;

/**
 * The number of all runs that cost the same; numbers are given from 0 on, each the first time it
 * occurs. SIZE_MAX if out of memory. Tables have to be of the same search. Sets *place, with which
 * the same can be asked for another room.
 */
size_t dsm__resident_kinds_find(dsm__resident_kinds *kinds, const dsm__kind_query *query,
                                dsm__resident_place *place);

/** The number of a run with so much set aside for weights, where that is known; else SIZE_MAX. */
size_t dsm__resident_kinds_known(const dsm__resident_kinds *kinds, const dsm_machine *machine,
                                 const dsm__resident_place *place, double preloaded_bytes);

/** One way to run a layer. */
typedef struct dsm__resident {
  double bytes;        /**< of each core's scratchpad, or of the shared memory, for its weights */
  double cycles;       /**< of the layer in a step */
  double fraction;     /**< of the weights, 0 .. 1 */
  size_t split;        /**< index of the core split; of the first invocations */
  bool is_kernel_kept; /**< steady invocations follow the first */
} dsm__resident;

/** How a run's time falls with the bytes of its weights on chip, with one core split: ever faster.
 */
typedef struct dsm__resident_fall {
  dsm__resident needed; /**< where it ends: no more helps, or not as much as before */
  double from_bytes;    /**< where it begins: with nothing on chip, or where another one ends */
  double from_cycles;
} dsm__resident_fall;

/**
 * A layer with a certain parallelism and factor, and with certain tensors held around it. With a
 * given core split its time falls with the fraction on chip, ever faster, until weights are fetched
 * in the shadow of something else (dsm_resident_fraction_needed), and not further; or until all
 * weights are on chip, where it may drop, because the loops need no longer be tiled. So the two
 * ends of that fall span everything from below, and of all splits' ends the lower convex hull does:
 * in between nothing is faster. With a shared memory a split has up to three such falls, one after
 * the other (dsm_resident_breaks), whose ends do the same.
 */
typedef struct dsm__resident_run {
  dsm__layer_setting setting;
  dsm_parallelism parallelism;
  dsm__parts_limit candidates; /**< of the core splits */
  bool can_keep_kernel;        /**< over timesteps */
  dsm_loops steady_split;
  double steady_cycles;      /**< of all steady invocations */
  dsm__resident *ends;       /**< by bytes, from 0 on; each faster than the one before */
  size_t end_count;          /**< 1 or more */
  dsm__resident *hull;       /**< those of them on the hull */
  size_t hull_count;         /**< 1 or more */
  dsm__resident_fall *falls; /**< along which a part of what is needed can be faster than all ends
                                  with as few bytes; in the order of the splits */
  size_t fall_count;
} dsm__resident_run;

/** Runs of the forward pass, each scored once, with whatever room they are asked for. */
typedef struct dsm__residents {
  DSM__LIST(dsm__resident_run *) runs; /**< by number; stay where they are */
  size_t scored;                       /**< the first so many are */
  uint64_t evaluations;
  const dsm__search_inputs *inputs; /* of the whole search: outlive the levels */
  const dsm__core_splits *splits;
  dsm__resident_kinds *kinds;
  dsm__arena *arena;    /* of the runs */
  dsm__arena **workers; /* of each worker: its runs' ends, and its scratch */
  size_t worker_count;
} dsm__residents;

/** No runs yet; false if out of memory. Borrows the table and its inputs. To be freed with
 * dsm__residents_fini in either case. */
bool dsm__residents_init(dsm__residents *residents, const dsm__layer_table *table);
void dsm__residents_fini(dsm__residents *residents);

/** A layer of a class under a holding, as it is run. */
typedef struct dsm__resident_query {
  const dsm__layer_table *table; /**< its inputs say what room is set aside */
  size_t class_index;
  dsm_parallelism parallelism;
  unsigned factor_index;
  const dsm__holding *holding;
} dsm__resident_query;

/** The number of a run; runs that cost the same have one. SIZE_MAX if out of memory. Sets *place,
 * which says the same with any part of the scratchpad set aside. */
size_t dsm__residents_add(dsm__residents *residents, const dsm__resident_query *query,
                          dsm__resident_place *place);

/** The number of a run with another part set aside, if it is known; else SIZE_MAX. */
size_t dsm__residents_known(const dsm__residents *residents, const dsm__resident_place *place,
                            double preloaded_bytes);

/** Scores all that are new, on up to options->thread_count threads; false if out of memory. */
bool dsm__residents_score(dsm__residents *residents);

/** The fewest cycles that a run's hull allows for a number of bytes. */
double dsm__resident_promise(const dsm__resident_run *run, double bytes);

/** The fewest that its ends and falls allow: no less, and no more than dsm__resident_within. */
double dsm__resident_least(const dsm__resident_run *run, double bytes);

/** The fastest way to run a layer whose weights take at most `bytes` of each core; of equals one
 * that takes fewest. Adds what was scored to *evaluations. */
dsm__resident dsm__resident_within(const dsm__resident_run *run, const dsm__core_splits *splits,
                                   double bytes, uint64_t *evaluations);

#endif
