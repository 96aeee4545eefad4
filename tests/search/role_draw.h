/* SPDX-License-Identifier: GPL-3.0-or-later */
/* role_draw.h: random small networks and systems for tests of roles. */
#ifndef DSM_TESTS_SEARCH_ROLE_DRAW_H
#define DSM_TESTS_SEARCH_ROLE_DRAW_H

#include <check.h>
#include <stdio.h>

#include "dsm/dsm.h"

enum { TEXT_MAX = 4096 };

/** The layers of a network, written one after the other. */
typedef struct writer {
  char text[TEXT_MAX];
  size_t length;
} writer;

#define WRITE(w, ...)                                                                              \
  do {                                                                                             \
    (w)->length +=                                                                                 \
        (size_t)snprintf((w)->text + (w)->length, sizeof(w)->text - (w)->length, __VA_ARGS__);     \
    ck_assert_uint_lt((w)->length, sizeof(w)->text);                                               \
  } while (false)

/** What is special of a network. */
typedef enum special { NOTHING, TIED, ATTENTION, EXPERTS } special;

/** Of so many layers: with tied layers, a block of attention, layers of experts, or convolutions
 * with branches. */
dsm_workload *role_draw_network(uint64_t *state, size_t count, special has);

/** With so many axes of one to three chips. */
dsm_system *role_draw_system(uint64_t *state, unsigned axis_count);

/** A network on a system, in a mode. */
typedef struct role_drawn {
  dsm_workload *workload;
  dsm_system *system;
  dsm_mode mode;
} role_drawn;

/** Of one axis up to 7 layers, of two 5, of three 3. Every fourth has experts, every fourth tied
 * layers. */
role_drawn role_draw(uint64_t seed);
void role_drawn_free(role_drawn *d);

/** What such a network may be searched with. */
#define ALL_ROLES                                                                                  \
  (DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR) | \
   DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL) | DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_EXPERT))

#endif
