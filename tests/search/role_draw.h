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

/** Of so many layers: a block of attention, layers of experts, or convolutions with branches. */
dsm_workload *role_draw_network(uint64_t *state, size_t count, bool has_attention,
                                bool has_experts);

/** With so many axes of one to three chips. */
dsm_system *role_draw_system(uint64_t *state, unsigned axis_count);

#endif
