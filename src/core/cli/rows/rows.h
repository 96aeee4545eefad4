/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rows.h: sub-commands, options and what a manual says beside them, as rows of tables, which the
 * parser, the help, the man pages and the completions read.
 */
#ifndef DSM_CLI_ROWS_ROWS_H
#define DSM_CLI_ROWS_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/parse/arguments.h"

/** What an operand, or the argument of an option, may be; for what finds, lists or completes it.
 * Bits, of which several may be set. Words of an option are in its row, and need none. */
enum {
  CLI_TAKES_WORKLOAD = 1 << DSM_DESCRIPTION_WORKLOAD, /**< a file, or a name to look up */
  CLI_TAKES_SYSTEM = 1 << DSM_DESCRIPTION_SYSTEM,     /**< likewise, as the next ones */
  CLI_TAKES_PLAN = 1 << DSM_DESCRIPTION_PLAN,
  CLI_TAKES_SWEEP = 1 << DSM_DESCRIPTION_SWEEP,
  CLI_TAKES_SERVER = 1 << DSM_DESCRIPTION_SERVER,
  CLI_TAKES_PROFILE = 1 << DSM_DESCRIPTION_PROFILE,
  CLI_TAKES_STAGES = 1 << DSM_DESCRIPTION_STAGES,
  CLI_TAKES_RL_WORKLOAD = 1 << DSM_DESCRIPTION_RL_WORKLOAD,
  CLI_TAKES_PIM_SYSTEM = 1 << DSM_DESCRIPTION_PIM_SYSTEM,
  CLI_TAKES_PIM = 1 << DSM_DESCRIPTION_PIM,
  CLI_TAKES_TECHNOLOGY = 1 << DSM_DESCRIPTION_TECHNOLOGY,
  CLI_TAKES_ANY_DESCRIPTION = (1 << DSM_DESCRIPTION_COUNT) - 1,
  CLI_TAKES_TEXT = 1 << DSM_DESCRIPTION_COUNT, /**< anything: there is nothing to list */
  CLI_TAKES_DATABASE = CLI_TAKES_TEXT << 1,    /**< of a sweep */
  CLI_TAKES_FILE = CLI_TAKES_TEXT << 2,        /**< any file */
  CLI_TAKES_FOLDER = CLI_TAKES_TEXT << 3,
  CLI_TAKES_COMMAND = CLI_TAKES_TEXT << 4, /**< the name of a command of dsm */
  CLI_TAKES_LAYER = CLI_TAKES_TEXT << 5,   /**< the name of a layer of the first operand */
  CLI_TAKES_PATH = CLI_TAKES_TEXT << 6,    /**< a path of --set, and what follows its = */
  CLI_TAKES_AXIS = CLI_TAKES_TEXT << 7     /**< the same, or another path of an axis of a sweep */
};

/** Kinds of which descriptions come with the program, those of companions too. */
unsigned cli_bundled_kinds(void);

/* ---- options ---- */

/** How the value of an option is read, and what it becomes at its place in the arguments. */
typedef enum cli_reading {
  CLI_READ_FLAG = 0,     /**< a bool: true once it is given */
  CLI_READ_TEXT,         /**< a text, whatever it says */
  CLI_READ_NAME,         /**< a text that says something */
  CLI_READ_FOLDER,       /**< likewise */
  CLI_READ_FILE,         /**< the same, but not '-': it is no stream */
  CLI_READ_TEXTS,        /**< a further one of some cli_texts */
  CLI_READ_WORD,         /**< one of the words: its number, an enum */
  CLI_READ_WORD_AS_TEXT, /**< one of the words, as a text */
  CLI_READ_WORDS,        /**< some of the words: an unsigned with their bits */
  CLI_READ_COUNT,        /**< a size_t from 1 to max */
  CLI_READ_NUMBER,       /**< a double from min to max */
  CLI_READ_RATIO,        /**< a double from 0 to 1, also in per cent */
  CLI_READ_RATIO_BELOW,  /**< the same, but for 1 */
  CLI_READ_OWN,          /**< by a function of its own */
  CLI_READ_OF_SEARCH     /**< as dsm_search_option says, whose row replaces it in cli_options */
} cli_reading;

typedef struct cli_option cli_option;

struct cli_option {
  const char *name;     /**< without the dashes */
  char letter;          /**< short form; '\0': none */
  const char *argument; /**< as shown in the help; NULL: takes none */
  const char *help;
  /** Writes what its words mean, which follows `help`. NULL: nothing is said of them. */
  void (*word_help)(char *text, size_t size);
  unsigned commands;                 /**< bits of the commands that take it */
  const char *(*word)(size_t index); /**< the words it takes, NULL after the last; NULL: any text */
  unsigned takes;                    /**< CLI_TAKES_..., of one with an argument but no words */
  bool is_list;                      /**< takes several words, separated by commas */
  cli_reading reading;
  bool is_own;  /**< its place is in the arguments of a companion */
  size_t place; /**< in cli_arguments, or in those, in bytes */
  double min;   /**< of a number */
  double max;   /**< of a number or a count */
  /** Takes over the value of a CLI_READ_OWN. If not CLI_EXIT_DONE, why was printed. */
  cli_exit (*apply)(cli_arguments *arguments, const cli_option *option, char *value);
};

/** Those of the core, and all: a companion's stand where it says, but for `output`, which stands
 * beside the others of that name. */
extern const cli_option cli_core_options[];
extern const size_t cli_core_option_count;
extern const cli_option *const cli_options;
extern size_t cli_option_count;

#define CLI_RULE_OPTIONS_MAX 8

/** An option that is refused, as another one is given, or is not. The help says it too. */
typedef struct cli_rule {
  unsigned commands;                             /**< bits of those that it is of */
  const char *options[CLI_RULE_OPTIONS_MAX + 1]; /**< each of them, NULL behind the last, */
  const char *others[CLI_RULE_OPTIONS_MAX + 1];  /**< is refused where one of these is given, */
  bool is_need;      /**< or, if that is so, where none of them is; no others: two operands */
  const char *value; /**< what stands behind their names: " profile" of --to; NULL: nothing */
  const char *text;  /**< of no need: what is said of the option, before the other one, */
  const char *end;   /**< and behind it; NULL: nothing */
} cli_rule;

extern const cli_rule cli_core_rules[];
extern const size_t cli_core_rule_count;
extern const cli_rule *const cli_rules;
extern size_t cli_rule_count;

typedef struct cli_help_text {
  char text[2048];
} cli_help_text;

/** What a need asks for: "--elasticity or --sensitivity", "--to profile". Of the options that these
 * commands take. */
cli_help_text cli_rule_needs(const cli_rule *rule, unsigned commands);

/** The help of an option of one of these commands: what it needs, what it is for, what its words
 * mean, and what it is never given with. */
cli_help_text cli_option_help(const cli_option *option, unsigned commands);

/* ---- commands ---- */

/* Bits for the options of each command (cli_option.commands). */
enum {
  CLI_PROGRAM = 1 << 0, /**< dsm itself */
  CLI_EXPLORE = 1 << 1,
  CLI_SCORE = 1 << 2,
  CLI_DESCRIBE = 1 << 3,
  CLI_VALIDATE = 1 << 4,
  CLI_HELP = 1 << 5,
  CLI_CHECK = 1 << 6,
  CLI_SWEEP = 1 << 7,
  CLI_PLOT = 1 << 9,
  CLI_REPORT = 1 << 10,
  CLI_TRACE = 1 << 11,
  CLI_DIFF = 1 << 13,
  CLI_INIT = 1 << 14,
  CLI_LIST = 1 << 15,
  /* Of options of the core that companions share: a companion's command says which it takes. */
  CLI_WRITES_ALONE = 1 << 16, /**< those of every command that writes what is no answer */
  CLI_SHOWS = 1 << 17,        /**< those of every command that has a result */
  CLI_WRITES = 1 << 18,       /**< --output of the result alone, a page too, */
  CLI_WRITES_PLAN = 1 << 19,  /**< or beside its table */
  CLI_SEARCHES = 1 << 20,     /**< what a search for a plan is told */
  CLI_HAS_MODE = 1 << 21,
  CLI_THREADED = 1 << 22,
  CLI_SPLITS = 1 << 12, /**< how layers may be split; part of CLI_SEARCHES */
  CLI_IMPORTS = 1 << 8, /**< what files of other programs are read by; part of CLI_SEARCHES */
  /* Of the first companion; the others follow. */
  CLI_FIRST_COMPANION = 1 << 23,
  CLI_COMPANIONS_MAX = 9
};

#define CLI_EXAMPLES_MAX 8
#define CLI_TAKES_MAX 2

struct cli_companion;

typedef struct cli_command {
  const char *name; /**< NULL: the program itself */
  unsigned bit;
  unsigned shares;                       /**< of a companion: CLI_SHOWS and so on */
  const struct cli_companion *companion; /**< NULL: it is of the core */
  const char *operands;                  /**< as shown in the help */
  const char *other_form; /**< options and operands that go together too; NULL: none */
  /** What each operand may be, CLI_TAKES_...; the last one that is not 0 is for those behind too.
   */
  unsigned takes[CLI_TAKES_MAX];
  const char *(*operand_word)(size_t index); /**< words that an operand may be, or NULL */
  size_t operand_min;
  size_t operand_max;
  /** What a path of --set may begin with, CLI_TAKES_...; 0: workload and system. */
  unsigned set_roots;
  const char *summary;                    /**< one line */
  const char *description;                /**< a paragraph */
  const char *examples[CLI_EXAMPLES_MAX]; /**< commands that work; unused ones are NULL */
  cli_exit (*run)(const cli_arguments *arguments);
} cli_command;

extern const cli_command cli_program;
extern const cli_command cli_core_commands[];
extern const size_t cli_core_command_count;
extern const cli_command *const cli_commands;
extern size_t cli_command_count;

/** Joins the rows of the core and of the companions, before anything is asked of them. */
void cli_join_rows(void);

/** The command of that name, or NULL. */
const cli_command *cli_command_find(const char *name);

/** Says that there is no such command, with the nearest one. Returns CLI_EXIT_USAGE. */
cli_exit cli_command_unknown(const char *name);

/** The formats that `help` is on: number `index`, NULL after the last. */
const char *cli_help_word(size_t index);

/** Those of them that `init` writes and `list` shows. */
const char *cli_init_word(size_t index);

/** All that `list` shows: these, and answers. */
#define CLI_LIST_ANSWERS "answer"
const char *cli_list_word(size_t index);

/** All that `init` writes. */
const char *cli_template_word(size_t index);

/** Which of some words it is, or how many there are; and whether it is one. */
size_t cli_word_index(const char *(*word)(size_t index), const char *text);
bool cli_is_word(const char *(*word)(size_t index), const char *text);

/** Says that it is none of cli_list_word or cli_template_word, or neither a command nor one of
 * cli_help_word. Returns CLI_EXIT_USAGE. */
cli_exit cli_complain_of_kind(const cli_arguments *arguments, const char *kind);
cli_exit cli_complain_of_topic(const cli_arguments *arguments, const char *word);

cli_exit cli_run_explore(const cli_arguments *arguments);
cli_exit cli_run_score(const cli_arguments *arguments);
cli_exit cli_run_describe(const cli_arguments *arguments);
cli_exit cli_run_validate(const cli_arguments *arguments);
cli_exit cli_run_check(const cli_arguments *arguments);
cli_exit cli_run_sweep(const cli_arguments *arguments);
cli_exit cli_run_plot(const cli_arguments *arguments);
cli_exit cli_run_report(const cli_arguments *arguments);
cli_exit cli_run_trace(const cli_arguments *arguments);
cli_exit cli_run_diff(const cli_arguments *arguments);
cli_exit cli_run_list(const cli_arguments *arguments);
cli_exit cli_run_init(const cli_arguments *arguments);
cli_exit cli_run_help(const cli_arguments *arguments);

/* ---- what a manual says beside them ---- */

/** A paragraph with a head: an exit code, a variable of the environment, a folder. */
typedef struct cli_manual_item {
  const char *head;
  const char *brief;  /**< a few words, for the help; NULL: not there */
  const char *detail; /**< what a man page says */
  unsigned commands;  /**< bits of the commands that it concerns */
} cli_manual_item;

typedef struct cli_manual_list {
  const char *title; /**< of the section */
  const cli_manual_item *items;
  size_t count;
} cli_manual_list;

extern const cli_manual_list cli_exit_codes;
extern const cli_manual_list cli_environment;
extern const cli_manual_list cli_files;

/** The program `dsm-mpi`, whose only command is `sweep`, as a row for its man page. */
extern const cli_command cli_mpi_program;

/** How dsm is asked for what is typed of another tool, "tp" or "mode decode"; NULL: not known. */
const char *cli_foreign_hint(const char *typed);

#endif
