/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c: the program `dsm`. */
#include "cli/run/program.h"

int main(int argc, char *argv[]) {
  if (!cli_occupy_standard_descriptors()) {
    return CLI_EXIT_OUTSIDE; /* there is nowhere to say why */
  }
  const cli_program_kind kind = {.name = "dsm", .has_terminal = true, .run_sweep = dsm_sweep_run};
  return cli_end(cli_main(&kind, argc, argv));
}
