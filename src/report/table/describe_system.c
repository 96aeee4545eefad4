/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_system.c: what a system holds, for people. */
#include "base/number_text.h"
#include "report/declared.h"
#include "report/parameter_list.h"
#include "report/table/describe_table.h"
#include "report/table/number_style.h"
#include "system/system_internal.h"

void dsm__describe_system(dsm__page *page, const dsm_system *system) {
  const uint64_t chips = system->system.chips_x * system->system.chips_y;
  dsm__page_line(
      page, DSM__STYLE_PLAIN,
      "%s chip%s, %s core%s, %s MAC%s; peak %s; machine balance %s FLOP per byte of memory",
      dsm__figure_count(chips).text, dsm__plural((double)chips),
      dsm__figure_count(dsm__system_cores(system)).text,
      dsm__plural((double)dsm__system_cores(system)),
      dsm__figure_fixed(dsm__system_macs(system), 0).text, dsm__plural(dsm__system_macs(system)),
      dsm__figure_scaled(dsm_system_peak_flops(system), "FLOP/s").text,
      dsm__figure_short(dsm_system_machine_balance(system), 4).text);
  dsm__page_line(page, DSM__STYLE_PLAIN, "%s of memory, %s a chip",
                 dsm__figure_scaled((double)chips * dsm__chip_memory_bytes(system), "B").text,
                 dsm__figure_scaled(dsm__chip_memory_bytes(system), "B").text);
  if (system->source != NULL) {
    dsm__page_line(page, DSM__STYLE_FAINT, "source: %s", system->source);
  }
  dsm__page_break(page);
  const dsm__listed_parameter *const parameters = dsm__parameter_list_of(page, system);
  if (parameters != NULL) {
    dsm__parameter_list_put(page, parameters, dsm__parameter_count);
  }
}
