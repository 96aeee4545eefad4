/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units.h: where a number goes from one unit to another: descriptions state GB, GHz and us, the
 * model counts bytes, cycles and seconds. */
#ifndef DSM_BASE_UNITS_H
#define DSM_BASE_UNITS_H

#define DSM__BYTES_PER_KIB 1024.0
#define DSM__BYTES_PER_MIB 1048576.0
#define DSM__BYTES_PER_GIB 1073741824.0
#define DSM__BYTES_PER_MB 1e6
#define DSM__BYTES_PER_GB 1e9
#define DSM__HERTZ_PER_MHZ 1e6
#define DSM__HERTZ_PER_GHZ 1e9
#define DSM__NS_PER_US 1e3
#define DSM__NS_PER_SECOND 1e9
#define DSM__US_PER_SECOND 1e6
#define DSM__MS_PER_SECOND 1e3

/** A second has so many cycles. */
static inline double dsm__hertz(double frequency_GHz) {
  return frequency_GHz * DSM__HERTZ_PER_GHZ;
}

/** Cycles in so many microseconds. */
static inline double dsm__cycles_of_us(double us, double frequency_GHz) {
  return us * frequency_GHz * 1e3;
}

/** Bytes, or bytes a second of GB/s. */
static inline double dsm__bytes_of_GB(double GB) {
  return GB * DSM__BYTES_PER_GB;
}

#endif
