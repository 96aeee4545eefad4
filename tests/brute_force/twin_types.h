/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_TYPES_H
#define DSM_TESTS_TWIN_TYPES_H

/* Section 2: types of elements by use. */

#include "twin_cost.h"
#include "twin_json.h"

/* The place of a type in the table by its word; TWIN_TYPE_COUNT: none, or "any". */
size_t twin_type_of(const char *word);

/* Bytes of an element with its part of a scale. */
double twin_type_bytes(size_t type);

/* Rates of all types, of a system's "pe". */
void twin_read_rates(double rates[TWIN_TYPE_COUNT], const cJSON *pe);

/* "types" of a workload or a layer. */
void twin_read_uses(size_t uses[TWIN_USE_COUNT], const cJSON *object);

/* So many bytes, or those of the type where one is stated. */
double twin_bytes_of_use(const size_t uses[TWIN_USE_COUNT], twin_use use, double bytes);

/* What all layers read in which type, once all bytes are known. */
void twin_derive_types(twin_workload *workload);

/* A layer with the bytes that a pass reads and writes; those of a pass that has them are the same.
 */
twin_node twin_as_read(const twin_context *context, const twin_node *node, twin_pass_kind pass);

/* Does a pass cast its input, or the error of its output, by an operation of its own? */
bool twin_casts_input(const twin_context *context, const twin_node *node, twin_pass_kind pass);
bool twin_casts_error(const twin_context *context, const twin_node *node, twin_pass_kind pass);

#endif
