/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exceptions.h: smallest known cases in which a property does not hold, as docs/physics.md shows
 * them. */
#ifndef DSM_TESTS_PHYSICS_EXCEPTIONS_H
#define DSM_TESTS_PHYSICS_EXCEPTIONS_H

/** Asserts what the page says of each case. */
void physics_check_exceptions(void);

#endif
