/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blocks.h: a network that repeats a block. */
#ifndef DSM_TESTS_REPORT_BLOCKS_H
#define DSM_TESTS_REPORT_BLOCKS_H

#include "subjects.h"

/** Layers of a block, and those around all blocks. */
enum { BLOCK_LAYERS = 8, LAYERS_AROUND = 2 };

/** The plan of a transformer's encoder of so many blocks, encoder.0 to encoder.N-1: query, key and
 * value, score and context, out, ff1 and ff2, with an fc before them and one behind; explored in
 * training. */
subject encoder_subject(size_t blocks, const char *system);

#endif
