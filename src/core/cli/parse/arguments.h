/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arguments.h: what a command line says, after parsing. */
#ifndef DSM_CLI_PARSE_ARGUMENTS_H
#define DSM_CLI_PARSE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/run/exit_code.h"
#include "dsm/dsm.h"

typedef enum cli_color { CLI_COLOR_AUTO = 0, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER } cli_color;

/** The values of an option that may be given several times, in the order given. */
typedef struct cli_texts {
  const char **items;
  size_t count;
} cli_texts;

typedef struct cli_override_list {
  dsm_override *items;
  size_t count;
} cli_override_list;

/** What `--set` and `--minibatch` say, in the order given. */
typedef struct cli_overrides {
  cli_override_list of[DSM_DESCRIPTION_COUNT]; /**< of those of cli_set_roots */
  cli_texts recorded;                          /**< all of them as PATH=VALUE, for the plan */
  char **texts; /**< one for each of recorded: what had to be copied for it */
} cli_overrides;

struct cli_command;
struct cli_program_kind;

/** Most rows of the option table. */
#define CLI_OPTIONS_MAX 192

/** What only `sweep` takes. */
typedef struct cli_sweep_arguments {
  cli_texts varies;
  cli_texts excludes;
  dsm_record record;
  dsm_shard shard;
  const char *database; /**< NULL: not given */
  bool is_merge;
  size_t best_count;   /**< 0: not given */
  const char *best_by; /**< NULL: not given */
  const char *pareto;  /**< NULL: not given */
} cli_sweep_arguments;

/** What only `plot` takes. */
typedef struct cli_plot_arguments {
  const char *figure;   /**< NULL: not given */
  const char *script;   /**< the folder; NULL: not given */
  dsm_points_view view; /**< of a database, but for what points are shown */
} cli_plot_arguments;

typedef struct cli_arguments {
  const struct cli_command *command;
  const struct cli_program_kind *program;
  dsm_explore_options options;
  dsm_diags *diags;                         /**< what the command finds; NULL: it does not run */
  bool has_optimizations;                   /**< --optimize was given */
  bool wants_all;                           /**< all optimizations of the mode and the system */
  dsm_optimization_set asked_optimizations; /**< by all words of --optimize, in any mode */
  dsm_optimization_set named_optimizations; /**< by --optimize, one by one */
  bool is_ladder;
  bool wants_fit; /**< explore: a plan with what it takes to fit, where nothing else does */
  const char *ladder_base; /**< NULL: not given */
  const char *explain;     /**< NULL: not given */
  const char *formats;     /**< of describe; NULL: not given */
  unsigned phase;          /**< of describe: a dsm_phase, if --phase is given */
  size_t positions;        /**< of it, new ones; 0: not given */
  size_t context;          /**< all of its positions; 0: not given */
  const char *axis_words;  /**< of --parallelism, with names of axes of a system that is not loaded
                                yet; NULL: none */
  const char *elasticity;  /**< "elasticity" or "sensitivity", whichever was given; NULL: none */
  double tolerance;        /**< of check, a ratio */
  bool wants_all_rows;     /**< --all */
  size_t row_limit;        /**< of check and diff: rows of a list of the table; 0: no list is cut */
  bool is_budget;          /**< --budget */
  bool is_unfolded;        /**< --unfold */
  bool is_summary;         /**< --summary */
  size_t top;              /**< --top; 0: not given */
  bool is_strict;          /**< of check: whatever moved fails */
  const char *against;     /**< of check: what the baseline is compared with; NULL: not given */
  const char *workload;    /**< of check, in place of the baseline's; NULL: not given */
  const char *system;      /**< of check; NULL: not given */
  cli_overrides overrides;
  cli_sweep_arguments sweep;
  cli_texts defines;                    /**< of sweep and plot: columns of points */
  cli_texts wheres;                     /**< and which points are shown */
  const dsm_instance_options *instance; /**< by which profiles are read; NULL: the defaults */
  cli_plot_arguments plot;
  dsm_import_dimension dimensions[DSM_IMPORT_DIMENSIONS_MAX]; /**< of files of other programs */
  size_t dimension_count;
  void *own; /**< of a companion's command: what only it takes; else NULL */
  dsm_form format;
  bool has_format;    /**< --format was given */
  const char *output; /**< NULL: not given */
  bool is_forced;     /**< of init: --force */
  bool is_quiet;
  bool is_verbose;
  cli_color color;
  bool wants_help;
  bool wants_version;
  bool is_given[CLI_OPTIONS_MAX]; /**< by row of the option table */
  char *const *operands;
  size_t operand_count;
} cli_arguments;

/**
 * Parses the options and operands of a command; argv[0] is its name. Options and operands may be
 * mixed, except for the program itself, which stops at the first operand: the command's name. Ends
 * early at --help or --version. On failure what is wrong was printed. To be freed with
 * cli_arguments_fini in either case.
 */
cli_exit cli_arguments_parse(cli_arguments *arguments, const struct cli_program_kind *program,
                             const struct cli_command *command, int argc, char *argv[]);

/** Was the option of that name given? */
bool cli_is_given(const cli_arguments *arguments, const char *option_name);

/** The first of these options, NULL behind the last, that was given; NULL: none was. */
const char *cli_given_of(const cli_arguments *arguments, const char *const options[]);

void cli_arguments_fini(cli_arguments *arguments);

#endif
