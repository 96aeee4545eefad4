/* SPDX-License-Identifier: GPL-3.0-or-later */
/* is_over.h: how parts of a search that know no clock are told to stop. */
#ifndef DSM_PARTITION_IS_OVER_H
#define DSM_PARTITION_IS_OVER_H

#include <stdbool.h>

/** Whether to stop early. */
typedef bool dsm__is_over(void *context);

#endif
