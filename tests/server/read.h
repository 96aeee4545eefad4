/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * read.h: inputs written as text. In all text here a single quote stands for a double one, so that
 * JSON in C stays readable: "{'name': 'gpu', ...}". What must be good fails the test otherwise.
 */
#ifndef DSM_TESTS_SERVER_READ_H
#define DSM_TESTS_SERVER_READ_H

#include "dsm/dsm.h"

/** A server named "test" of these devices, joined by commas. */
dsm_server *read_server(const char *devices);
/** A workload named "net" of these layers, two bytes an element. */
dsm_workload *read_network(const char *layers);
/** A profile or planner graph, its tasks joined into at most so many (0: not). */
dsm_instance *read_profile(const char *text, size_t task_count);

/** What making an instance gave; NULL if it was refused. */
dsm_instance *make_instance(const char *layers, const char *devices, uint64_t batch,
                            size_t task_count);

/** Fails unless making is refused with that status, and the first finding has that text in it. */
void expect_refused(const char *layers, const char *devices, dsm_instance_options options,
                    dsm_status status, const char *text);

/** Fails unless tensor t of an instance is of this producer, size and consumers. */
void expect_tensor(const dsm_instance *instance, size_t t, size_t producer, double bytes,
                   const size_t *consumers, size_t consumer_count);

/** Fails unless two numbers agree within 1e-12 of the second. */
void expect_number(double found, double expected);

/** The text of a file below the source folder, malloc'ed. */
char *read_source_file(const char *folder, const char *name, size_t *length);

#endif
