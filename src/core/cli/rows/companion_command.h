/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * companion_command.h: a companion of the core: a command of its own, with all that the command
 * line has of it alone. The core names none: which there are is a list in src/CMakeLists.txt.
 */
#ifndef DSM_CLI_ROWS_COMPANION_COMMAND_H
#define DSM_CLI_ROWS_COMPANION_COMMAND_H

#include "cli/parse/input_files.h"
#include "cli/rows/rows.h"

/** What a command beside the core answers, where commands of the core take it as a file. */
typedef struct cli_companion_answer {
  const dsm_answer_kind *kind;
  unsigned commands;                 /**< bits of those that take it */
  const char *expected;              /**< what the others expect in its place, */
  const char *found;                 /**< what they find, */
  const char *hint;                  /**< and what shows it */
  const char *what;                  /**< what is drawn, "an answer of storage" */
  double (*seconds)(const void *of); /**< what is recorded of it; NULL: nothing is */
  /** Are all points of a store of it, and that of one, with its recorded seconds; NULL: no sweep
   * has any. */
  bool (*is_in)(const dsm_store *store);
  dsm_status (*load_point)(void **made, dsm_store *store, size_t point, double *seconds,
                           dsm_diags *diags);
} cli_companion_answer;

/** A kind of description that the core does not know. */
typedef struct cli_companion_description {
  dsm_description kind;
  dsm_description root; /**< what --set calls it, and a sweep takes it for */
  /** Reads the text, with the values that arguments set, into `other`, and of an answer what is
   * recorded of its seconds. */
  dsm_status (*parse)(cli_input_file *loaded, const cli_arguments *arguments, dsm_diags *diags);
  void (*discard)(void *made);
  size_t place; /**< of the pointer to it in a dsm_described */
  /** In a few words: how many of what, by the place of a uint64_t in it; or, 0, what it is of. */
  size_t count_place;
  const char *noun;
  void (*name)(const void *made, const char **workload, const char **system);
  /** Of an answer: that, and whether the numbers in its text are what it comes to; else NULL. */
  const dsm_answer_kind *answer;
  dsm_status (*compare)(const void *made, const cli_input_file *loaded, dsm_diags *diags);
} cli_companion_description;

/** A companion. */
typedef struct cli_companion {
  cli_command command; /**< its bit and `companion` are filled in */
  /** The command of the core that it follows in the help, and the option of the core that its own
   * stand before, NULL: threads; the last, where none is called so. */
  const char *after;
  const char *before;
  /** Options that it brings; its bit is filled in, and it may say who else takes one. */
  const cli_option *options;
  size_t option_count;
  const cli_rule *rules; /**< likewise */
  size_t rule_count;
  size_t arguments_size;         /**< of what these options become: arguments->own; 0: nothing */
  void (*init)(void *arguments); /**< of zeroed ones; NULL: that is what they begin as */
  void (*fini)(void *arguments); /**< NULL: they own nothing */
  const cli_companion_description *descriptions;
  size_t description_count;
  const cli_companion_answer *answer; /**< NULL: no command of the core takes it */
  /** Makes the files of a target of `export` of what a file holds, and the set of these targets;
   * NULL: none is of it alone. */
  dsm_status (*make_export)(dsm_export **made, const char *path, dsm_export_target target,
                            dsm_diags *diags);
  unsigned targets;
  /** Puts the description that a file of another program is, malloc'ed, in place of its bytes,
   * which stay the caller's; any other text stays. NULL: it knows no such files. */
  dsm_status (*convert)(char **text, size_t *length, const char *path,
                        const cli_arguments *arguments, dsm_diags *diags);
} cli_companion;

/** That of a kind; NULL: no command of the core takes it, or it is a plan. */
const cli_companion_answer *cli_companion_answer_of(const dsm_answer_kind *kind);

/** That of which all points of a store are; NULL: they are plans. */
const cli_companion_answer *cli_companion_answer_in(const dsm_store *store);

/** The row of a companion for a kind; NULL: none has it. */
const cli_companion_description *cli_companion_description_of(dsm_description kind);

/** Figures of their answers that plans do not have too: number `index`, NULL after the last. */
const char *cli_companion_figure(size_t index);

/** All of them, NULL behind the last; made from the list. */
extern const cli_companion *const cli_companions[];

#endif
