/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programme_power.c: devices that are turned off where they run nothing (14) (docs/partition.md,
 * energy).
 *
 * A device whose idle power costs something has a column o_j of 0 or 1, which pays for it, and
 * stands in (1) for the whole of its time. That is enough for tasks that take time. The relaxation
 * would pay for the part of the time that is used; the tight programme has each task, stored or
 * running, ask for the device by itself.
 */
#include <math.h>

#include "partition/programme_writer.h"

void dsm__write_on_columns(dsm__writer *w) {
  dsm__programme *const made = w->made;
  for (size_t j = 0; j < w->instance->device_count; j++) {
    const double watts = w->instance->devices[j].idle_watts;
    made->on[j] = DSM__NO_COLUMN;
    if (dsm__can_turn_off(w->options) && watts > 0) {
      made->on[j] = dsm__write_column(w, (dsm__column){.kind = DSM__COLUMN_ON,
                                                       .device = j,
                                                       .upper = 1,
                                                       .cost = watts / made->goal_unit,
                                                       .is_integer = true});
    }
  }
}

/* Plain: of tasks that take no time, of which (1) does not know. Tight: s_ij <= o_j, as nothing has
 * to be stored where nothing runs, and where there is no s_ij x_ij <= u_ij o_j. */
void dsm__write_on_row(dsm__writer *w, size_t task, size_t device, double most) {
  const size_t place = dsm__place_of(w, task, device);
  const size_t on = w->made->on[device];
  const size_t rate = w->made->rate[place];
  if (on == DSM__NO_COLUMN || rate == DSM__NO_COLUMN ||
      (!w->form.is_tight && dsm__spent(w, task, device) > 0)) {
    return;
  }
  const bool is_stored = w->form.is_tight && w->made->stored[place] != DSM__NO_COLUMN;
  dsm__begin_row(
      w, (dsm__row){
             .kind = DSM__ROW_ON, .major = task, .device = device, .lower = -HUGE_VAL, .upper = 0});
  dsm__write_entry(w, is_stored ? w->made->stored[place] : rate, 1);
  dsm__write_entry(w, on, is_stored ? -1 : -most);
}
