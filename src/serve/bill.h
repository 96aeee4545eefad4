/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bill.h: how an engine runs an answer, and which changes would need fewer chips for as much. */
#ifndef DSM_SERVE_BILL_H
#define DSM_SERVE_BILL_H

#include "serve/serving_instance.h"
#include "workload/workload_internal.h"

/** An answer whose best point is known, and its instance. */
typedef struct dsm__bill_request {
  dsm_serving *serving;
  const dsm__instance *instance;
  const dsm_workload *workload;
} dsm__bill_request;

/** Finds the answer's changes, the one that saves most first. */
DSM_NODISCARD dsm_status dsm__serving_find_changes(const dsm__bill_request *asked);

/** How to set an engine so that an instance runs so many requests. */
dsm_serving_engine dsm__serving_engine_of(const dsm__instance *instance, uint64_t requests,
                                          const dsm_workload *workload);

#endif
