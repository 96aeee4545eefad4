/* SPDX-License-Identifier: GPL-3.0-or-later */
/* how_many.h: how much of a long test is tried. Preset `long` tries all; the plain build a part,
 * so that all tests pass in minutes; the other builds look at the same code with less. */
#ifndef DSM_TESTS_HOW_MANY_H
#define DSM_TESTS_HOW_MANY_H

#if defined DSM_IS_LONG
#define HOW_MANY(all, part, few) (all)
#elif defined DSM_IS_BRIEF
#define HOW_MANY(all, part, few) (few)
#else
#define HOW_MANY(all, part, few) (part)
#endif

#endif
