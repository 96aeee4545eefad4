/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result_pack.h: results of points as bytes, to send them from one process of a run to another.
 * Both must be the same program on machines of the same kind: the bytes carry no version. */
#ifndef DSM_SWEEP_RESULT_PACK_H
#define DSM_SWEEP_RESULT_PACK_H

#include "base/arena.h"
#include "base/text_buffer.h"
#include "dsm/sweep.h"

/** Appends a result's bytes; buffer->failed tells whether memory sufficed. */
void dsm__result_pack(dsm__text_buffer *buffer, const dsm_point_result *result);

/** Reads a result from the bytes of one, strings and layers into the arena. DSM_ERROR_INVALID,
 * without a finding, if they are not the bytes of a result; DSM_ERROR_OUT_OF_MEMORY. */
DSM_NODISCARD dsm_status dsm__result_unpack(dsm_point_result *result, const void *bytes,
                                            size_t length, dsm__arena *arena);

#endif
