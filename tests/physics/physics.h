/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * physics.h: what must hold of every plan, whatever the network, the system and the refinements of
 * the model. docs/physics.md lists the properties, and where and why one does not hold.
 */
#ifndef DSM_TESTS_PHYSICS_H
#define DSM_TESTS_PHYSICS_H

#include <stdbool.h>
#include <stdint.h>

#include "dsm/dsm.h"

/** Which refinements of the model a system has. */
typedef enum physics_set {
  PHYSICS_DEFAULT = 0, /**< none */
  PHYSICS_REFINED,     /**< all that torus64_refined has */
  PHYSICS_ONE_KEY,     /**< one of them, by the seed */
  PHYSICS_SOME_KEYS,   /**< each with one chance in two */
  PHYSICS_AXES,        /**< none, but one to three axes of any links, and tiles in waves at times */
  PHYSICS_SET_COUNT
} physics_set;

/** A word or two for messages. */
const char *physics_set_name(physics_set set);

/** A random network on a random system. Plans of it borrow both. */
typedef struct physics_case {
  uint64_t seed;
  physics_set set;
  dsm_workload *workload;
  dsm_system system; /**< to be copied and altered at will; its names belong to `given` */
  dsm_system *given; /**< as it was read, without refinements */
  bool is_limited;   /**< the memory of a chip is less than what the fastest mapping needs */
  dsm_explore_options options;
} physics_case;

/** The same seed, set and mode make the same case. To be freed with physics_case_free. */
physics_case physics_case_make(uint64_t seed, physics_set set, dsm_mode mode);
void physics_case_free(physics_case *one);

/** The plan of a case on another system, or NULL where no mapping fits. To be freed. */
dsm_plan *physics_explore(const physics_case *one, const dsm_system *system);

/** What was tried and found. */
typedef struct physics_log {
  const char *property;
  bool is_verbose;     /**< tells what was excused, too */
  uint64_t plans;      /**< that the comparisons start from */
  uint64_t holding;    /**< of these, with outputs held on chip */
  uint64_t cutting;    /**< with DySM factors */
  uint64_t keeping;    /**< with weights kept over timesteps, or preloaded */
  uint64_t pipelining; /**< with pipelines */
  uint64_t limited;    /**< where the memory binds */
  uint64_t checked;    /**< comparisons made */
  uint64_t excluded;   /**< comparisons left out: docs/physics.md says why they may fail */
  uint64_t excused;    /**< of these, those that would have failed */
  uint64_t violations; /**< comparisons that failed */
} physics_log;

/** Counts a plan that comparisons start from. */
void physics_log_plan(physics_log *log, const physics_case *one, const dsm_plan *plan);

/** Counts a comparison and says so where it does not hold. `where` tells what was compared. */
void physics_expect(physics_log *log, const physics_case *one, const char *where, bool holds,
                    double found, double limit);
/** The same of a comparison that is known to fail at times. */
void physics_excuse(physics_log *log, const physics_case *one, const char *where, bool holds,
                    double found, double limit);

/** a <= b and a = b but for rounding, relatively. */
bool physics_at_most(double a, double b);
bool physics_is_close(double a, double b);

/**
 * Is a plan's pipeline one whose time need not follow that of its stages? With weights kept over
 * timesteps a faster steady invocation adds first - steady, also in a stage that does not set the
 * pace.
 */
bool physics_is_pipeline_loose(const physics_case *one, const dsm_plan *plan);

/** Does one more part of a loop in a core split add a partial sum in a pass (section 5)? */
bool physics_adds_sums(dsm_pass pass, dsm_dim dim);

/* The properties. Each explores what it needs. */
typedef void physics_property(physics_log *log, const physics_case *one);
physics_property physics_roofline;
physics_property physics_more_is_never_slower;
physics_property physics_weak_scaling;
physics_property physics_strong_scaling;
physics_property physics_alone;
physics_property physics_scaling;
physics_property physics_repeat;
physics_property physics_chain;
physics_property physics_conservation;
physics_property physics_options;
physics_property physics_asked_for;
physics_property physics_edits;
physics_property physics_bound;
physics_property physics_bound_bundled; /**< of a bundled pair instead, by the seed */
physics_property physics_bound_doubled; /**< with twice as much, where it need not hold */
physics_property physics_issue;
physics_property physics_fused;
physics_property physics_overlapped;

#endif
