/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/status.h"

#include "base/diag_add.h"

#ifndef DSM_VERSION
#error "the build defines DSM_VERSION, such as \"0.1.0\""
#endif

static const dsm__word status_words[] = {
    [DSM_OK].key = "ok",
    [DSM_ERROR_USAGE].key = "usage error",
    [DSM_ERROR_INVALID].key = "invalid input",
    [DSM_ERROR_INFEASIBLE].key = "infeasible",
    [DSM_ERROR_OUT_OF_MEMORY].key = "out of memory",
    [DSM_ERROR_IO].key = "input or output error",
};
DSM__WORDS(dsm__status_words, "status", status_words, DSM_STATUS_COUNT);

const char *dsm_status_name(dsm_status status) {
  return status < DSM_STATUS_COUNT ? dsm__word_key(&dsm__status_words, status) : "unknown status";
}

const char *dsm_version(void) {
  return DSM_VERSION;
}
