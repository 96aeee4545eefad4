/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/status.h"

#ifndef DSM_VERSION
#error "the build defines DSM_VERSION, such as \"0.1.0\""
#endif

const char *dsm_status_name(dsm_status status) {
  switch (status) {
  case DSM_OK:
    return "ok";
  case DSM_ERROR_USAGE:
    return "usage error";
  case DSM_ERROR_INVALID:
    return "invalid input";
  case DSM_ERROR_INFEASIBLE:
    return "infeasible";
  case DSM_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case DSM_ERROR_IO:
    return "input or output error";
  case DSM_STATUS_COUNT:
    break;
  }
  return "unknown status";
}

const char *dsm_version(void) {
  return DSM_VERSION;
}
