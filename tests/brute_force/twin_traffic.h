/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_TRAFFIC_H
#define DSM_TESTS_TWIN_TRAFFIC_H

/* The bytes of one invocation (section 5), whether they move or not. */

#include "twin_cost.h"

typedef struct {
  /* of a chip */
  double inp;
  double st;
  double raw;
  double ker;
  double fetched; /* share of the kernel that ker is: of experts those that are used */
  double save;
  double mask;
  double statistics; /* saved by a normalisation; also where there is none */
  double deferred;
  double added_cache; /* of keys and values, written */
  double forks;       /* errors of the input that later layers have left in memory */
  /* of a core */
  double s_in;
  double s_out;
  double kcore;
  double turned; /* padding of what turns: as that of inp */
  double added;  /* padding of what auxiliary operations move: as that of raw */
} twin_traffic;

twin_traffic twin_traffic_of(const twin_context *context, const twin_node *node, twin_layout layout,
                             const double split[TWIN_DIM_COUNT], const twin_condition *condition);

/* What a residual or a multiply reads in forward where nothing is held; 0 without one. */
double twin_shortcut_bytes(const twin_context *context, const twin_node *node,
                           const twin_traffic *bytes);

/* Of experts whose weights are fetched, the most. */
double twin_fetched_share(const twin_context *context, const twin_node *node, double mbc);

#endif
