/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_kind.h: what the points of a sweep are on, as a row: a network on a system, which is
 * explored, or what a companion chooses for. */
#ifndef DSM_SWEEP_MACHINE_KIND_H
#define DSM_SWEEP_MACHINE_KIND_H

#include "base/description.h"
#include "base/record.h"
#include "base/text_buffer.h"
#include "dsm/sweep_store.h"

typedef struct dsm__machine {
  /** By dsm_description: what reads a workload, and a system. */
  const dsm__description *inputs[2];
  /** Why each does not go with one of another machine; of a network NULL. */
  const char *mismatches[2];
  /** Columns that points on it have more: a part that is added to dsm__point_record. */
  const dsm__record_type *part;
  /** Chooses for inputs that are valid; NULL: these are explored. */
  dsm_status (*choose)(void **plan, const void *workload, const void *system, dsm_diags *diags);
  /** Puts what was chosen into the columns of a point, and appends its decisions in short. */
  void (*describe)(const void *plan, dsm_point_result *result, dsm__text_buffer *decisions);
  char *(*print)(const void *plan); /**< malloc'ed; NULL if out of memory */
  dsm_status (*parse)(void **plan, const char *text, size_t length, const char *file,
                      dsm_diags *diags);
  void (*discard)(void *plan);
} dsm__machine;

/** That of the core, and those of companions: number `index`, NULL after the last. */
extern const dsm__machine dsm__network_machine;
const dsm__machine *dsm__companion_machine(size_t index);

/** Which one an input is for: by its format, which may be NULL, or by its text without spaces. */
const dsm__machine *dsm__machine_of_format(const char *format);
const dsm__machine *dsm__machine_of_text(const char *text);

/** Has a text without spaces a description of that format? */
bool dsm__has_format(const char *text, const char *format);

/** Are all points of a store on this machine of a companion? */
bool dsm__store_is_on(const dsm_store *store, const dsm__machine *machine);

/** The plan of a point as recorded, or else chosen again, and its seconds, which may be NULL. As
 * dsm_store_plan. */
DSM_NODISCARD dsm_status dsm__store_plan_on(dsm_store *store, size_t point,
                                            const dsm__machine *machine, void **plan,
                                            double *recorded_seconds, dsm_diags *diags);

#endif
