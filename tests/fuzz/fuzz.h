/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz.h: what the fuzz targets share.
 *
 * A target is one function, LLVMFuzzerTestOneInput, in a file fuzz_<target>.c. It reads no file,
 * keeps no state and never exits; a property that does not hold aborts with a message, which
 * libFuzzer, AFL++ and the replay of the corpus all report.
 */
#ifndef DSM_TESTS_FUZZ_FUZZ_H
#define DSM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "dsm/dsm.h"

/** The target. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Ends the program with a message unless the property holds. */
#define FUZZ_CHECK(property)                                                                       \
  do {                                                                                             \
    if (!(property)) {                                                                             \
      fuzz_fail(#property, __FILE__, __LINE__);                                                    \
    }                                                                                              \
  } while (0)

#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void fuzz_fail(const char *property, const char *file, int line);

/** No target looks at longer inputs. */
#define FUZZ_BYTES_MAX ((size_t)32768)

/** A copy of the data with a NUL behind it, to be freed. */
char *fuzz_copy(const uint8_t *data, size_t size);

/** Room for findings, of which some inputs have more. */
dsm_diags *fuzz_diags(void);

/**
 * Checks what holds of all findings: none without DSM_ERROR_*, at least one error with it, texts
 * that end, are UTF-8 and do not steer a terminal, places inside the text of `line_count` lines,
 * and a rendering that agrees with its own length. Then frees the list.
 */
void fuzz_check_diags(dsm_diags *diags, dsm_status status, size_t line_count);

/** Lines of a text: one more than its line breaks. */
size_t fuzz_line_count(const char *text, size_t length);

/** Checks that a text is there and is UTF-8, and frees it. */
void fuzz_check_text(char *text);
/** The same of a text for people: nothing in it steers a terminal. */
void fuzz_check_table(char *text);

/** Both as JSON text, to be freed. */
char *fuzz_print_workload(const dsm_workload *workload);
char *fuzz_print_system(const dsm_system *system);

/** Checks what holds of every workload: derived quantities within limits, an acyclic graph,
 * printing and reading back that change nothing. */
void fuzz_check_workload(const dsm_workload *workload);

/** Checks what holds of every system: finite figures, printing and reading back. */
void fuzz_check_system(const dsm_system *system);

/** Checks what holds of every plan: dsm_plan_validate, finite figures, step not below the bound,
 * utilization within 0 .. 1, printing and reading back. */
void fuzz_check_plan(const dsm_plan *plan);

/** Is a workload on a system explored within milliseconds? */
bool fuzz_is_small(const dsm_workload *workload, const dsm_system *system);

/** A small valid description of each kind. */
extern const char fuzz_workload_text[];
extern const char fuzz_system_text[];

#endif
