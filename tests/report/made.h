/* SPDX-License-Identifier: GPL-3.0-or-later */
/* made.h: a plan made by hand, with every decision that a plan can hold. */
#ifndef DSM_TESTS_REPORT_MADE_H
#define DSM_TESTS_REPORT_MADE_H

#include "dsm/dsm.h"

/** Its layers. */
enum {
  MADE_HELD = 0, /**< conv: output held, two spatial minibatches, an update split otherwise */
  MADE_BETWEEN,  /**< conv: only runs while something is held */
  MADE_STAGE_1,  /**< lstm: first of a pipeline, kernel kept with another split */
  MADE_STAGE_2,  /**< lstm: second of it, kernel kept with the same split, gradient not kept */
  MADE_PRODUCT,  /**< matmul: operand kept */
  MADE_LOADED,   /**< fc: a quarter of its weights preloaded */
  MADE_COUNT
};

/** The plan: 1000 cycles a step, on the system, which it borrows. Static memory, made anew. */
dsm_plan *made_plan(const dsm_system *system);

/** The same without any decision but parallelisms and core splits. */
dsm_plan *made_plain_plan(const dsm_system *system);

#endif
