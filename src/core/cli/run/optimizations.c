/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/explored.h"

#include "cli/run/complain.h"

static bool is_named(const cli_arguments *arguments, int optimization) {
  return (arguments->named_optimizations & DSM_OPTIMIZATION_BIT(optimization)) != 0;
}

static bool has_mode(const dsm_strategy *strategy, dsm_mode mode) {
  return (strategy->modes >> (unsigned)mode & 1U) != 0;
}

/* The word of a mode in which a strategy can be named. */
static const char *mode_of(const dsm_strategy *strategy) {
  int mode = 0;
  while (mode + 1 < DSM_MODE_COUNT && !has_mode(strategy, (dsm_mode)mode)) {
    mode++;
  }
  return dsm_mode_name((dsm_mode)mode);
}

cli_exit cli_check_optimizations(const cli_arguments *arguments) {
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    const dsm_strategy *const strategy = dsm_strategy_of((dsm_optimization)o);
    if (is_named(arguments, o) && strategy->refused != NULL &&
        !has_mode(strategy, arguments->options.mode)) {
      return cli_usage_error(arguments->command, "--optimize: %s needs --mode %s: %s",
                             strategy->word, mode_of(strategy), strategy->refused);
    }
  }
  return CLI_EXIT_DONE;
}

/* Does the search of a strategy in use stop at a gap? */
static bool can_stop_at_gap(const dsm_explore_options *options) {
  dsm_optimization used[DSM_OPTIMIZATION_COUNT];
  const size_t count = dsm_ladder_additions(options, used);
  bool can_stop = false;
  for (size_t i = 0; i < count; i++) {
    can_stop = can_stop || dsm_strategy_of(used[i])->has_gap;
  }
  return can_stop;
}

void cli_note_ineffective_optimizations(const cli_arguments *arguments,
                                        const dsm_workload *workload, const dsm_system *system) {
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    const char *const why =
        is_named(arguments, o)
            ? dsm_optimization_why_not((dsm_optimization)o, workload, system, &arguments->options)
            : NULL;
    if (why != NULL) {
      cli_note(arguments, "--optimize %s has no effect: %s",
               dsm_optimization_name((dsm_optimization)o), why);
    }
  }
  const dsm_recomputation asked = arguments->options.recomputation;
  const dsm_optimization_set recompute = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_RECOMPUTE);
  const char *const why_none = (arguments->options.optimizations & recompute) != 0
                                   ? dsm_recomputation_why_not(workload, asked)
                                   : NULL;
  if (why_none != NULL) {
    cli_note(arguments, "--recompute %s has no effect: %s", dsm_recomputation_name(asked),
             why_none);
  }
  if (cli_is_given(arguments, "gap") && !can_stop_at_gap(&arguments->options)) {
    cli_note(arguments, "--gap has no effect: only the search for preloaded weights stops early");
  }
}
