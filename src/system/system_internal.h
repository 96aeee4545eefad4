/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system_internal.h: how a system is built from and written as JSON. */
#ifndef DSM_SYSTEM_SYSTEM_INTERNAL_H
#define DSM_SYSTEM_SYSTEM_INTERNAL_H

#include "base/json_read.h"
#include "base/json_write.h"
#include "dsm/system.h"
#include "system/parameters.h"

/**
 * Reads a system from a JSON node, which may be a whole document or a part of a plan. The system's
 * arena must exist; findings are the document's. `has_all`: it was written with all parameters, so
 * that what is there was not necessarily stated.
 */
void dsm__system_read(dsm_system *system, const dsm__json_node *node, bool has_all);

/** Writes the system as an object in the format "dsm-system/1", every parameter in full. */
void dsm__system_write(const dsm_system *system, dsm__json_writer *writer);

/** Writes a value of a parameter, as dsm__parameter_number gives it. */
void dsm__parameter_write(const dsm__parameter *parameter, double number, dsm__json_writer *writer);

/** A new empty system with its arena; NULL if out of memory. */
dsm_system *dsm__system_new(void);

#endif
