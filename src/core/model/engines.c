/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engines.c: the kinds of engines. */
#include "model/engine.h"

const dsm__engine *dsm__engine_of(const dsm_system *system) {
#define ENGINE(name) &dsm__engine_##name,
  static const dsm__engine *const engines[] = {DSM__ENGINES(ENGINE)};
  size_t at = 0;
  while (at + 1 < sizeof engines / sizeof engines[0] && !engines[at]->is_of(system)) {
    at++;
  }
  return engines[at];
}

double dsm__core_macs_per_cycle(const dsm_system *system, double array_rate) {
  return dsm__engine_of(system)->core_macs(system, array_rate);
}

uint64_t dsm_split_cores(const dsm_system *system) {
  return dsm__engine_of(system)->has_splits ? system->chip.cores : 1;
}
