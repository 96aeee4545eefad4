/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * status.h: what every fallible function of libdsm returns.
 *
 * A status says which kind of thing went wrong, so that a caller can choose a reaction (the
 * program chooses its exit code by it). What exactly went wrong, and where, is in the diagnostics
 * that the function also fills (diag.h).
 */
#ifndef DSM_STATUS_H
#define DSM_STATUS_H

/** Marks the functions that libdsm exports; all others are hidden. */
#if defined(__GNUC__)
#define DSM_API __attribute__((visibility("default")))
#else
#define DSM_API
#endif

/** The caller must look at the returned value. */
#if defined(__GNUC__)
#define DSM_NODISCARD __attribute__((warn_unused_result))
/** Arguments are checked against a printf format. */
#define DSM_PRINTF(format_index, first_index)                                                      \
  __attribute__((format(printf, format_index, first_index)))
#else
#define DSM_NODISCARD
/** Arguments are checked against a printf format. */
#define DSM_PRINTF(format_index, first_index)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of outcome. Zero is success. */
typedef enum dsm_status {
  DSM_OK = 0,
  DSM_ERROR_USAGE,         /**< options contradict each other or name something unknown */
  DSM_ERROR_INVALID,       /**< an input breaks a rule of its format or of the model */
  DSM_ERROR_INFEASIBLE,    /**< valid input, but no mapping satisfies a constraint */
  DSM_ERROR_OUT_OF_MEMORY, /**< an allocation failed */
  DSM_ERROR_IO,            /**< a file could not be read or written */
  DSM_STATUS_COUNT
} dsm_status;

/** A short lower-case name of a status, such as "out of memory". Never NULL. */
DSM_API const char *dsm_status_name(dsm_status status);

/** The version of the library, such as "0.1.0". Never NULL. */
DSM_API const char *dsm_version(void);

#ifdef __cplusplus
}
#endif

#endif
