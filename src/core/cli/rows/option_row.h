/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * option_row.h: how the rows of a table of options are written. What an option becomes is a member
 * of cli_arguments; in a companion, which defines CLI_ROW_ARGUMENTS before, of its own arguments.
 */
#ifndef DSM_CLI_ROWS_OPTION_ROW_H
#define DSM_CLI_ROWS_OPTION_ROW_H

#include "cli/rows/rows.h"

#ifdef CLI_ROW_ARGUMENTS
#define CLI_ROW_IS_OWN true
#else
#define CLI_ROW_ARGUMENTS cli_arguments
#define CLI_ROW_IS_OWN false
#endif

/* How the value is read, and the argument that it becomes, which must be of a type. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type stands bare there. */
#define PLACE(member, type)                                                                        \
  _Generic(((CLI_ROW_ARGUMENTS *)NULL)->member, type : offsetof(CLI_ROW_ARGUMENTS, member))
/* NOLINTEND(bugprone-macro-parentheses) */
#define READ(how, member, type)                                                                    \
  .reading = (how), .is_own = CLI_ROW_IS_OWN, .place = PLACE(member, type)
#define FLAG(member) READ(CLI_READ_FLAG, member, bool)
#define NAME(how, member, what) READ(how, member, const char *), .takes = (what)
#define TEXT(member, what) NAME(CLI_READ_TEXT, member, what)
#define TEXTS(member, what) READ(CLI_READ_TEXTS, member, cli_texts), .takes = (what)
#define WORD(member, words) READ(CLI_READ_WORD, member, unsigned), .word = (words)
#define COUNT(member, most)                                                                        \
  READ(CLI_READ_COUNT, member, size_t), .takes = CLI_TAKES_TEXT, .max = (most)
#define NUMBER(member, least, most)                                                                \
  READ(CLI_READ_NUMBER, member, double), .takes = CLI_TAKES_TEXT, .min = (least), .max = (most)
#define RATIO(member, how) READ(how, member, double), .takes = CLI_TAKES_TEXT
/* A flag of cli_arguments, in a companion too. */
#define CORE_FLAG(member) .reading = CLI_READ_FLAG, .place = offsetof(cli_arguments, member)
/* One that dsm_search_option_find knows: how it is read, and its place, are said there. */
#define OF_SEARCH .reading = CLI_READ_OF_SEARCH, .takes = CLI_TAKES_TEXT
#define OWN(function) .reading = CLI_READ_OWN, .apply = (function)

/* Rows of options whose help differs from command to command. */
#define OUTPUT(commands_, argument_, what, help_)                                                  \
  {                                                                                                \
    .name = "output", .letter = 'o', .argument = (argument_), .help = (help_),                     \
    .commands = (commands_), .reading = CLI_READ_NAME, .place = offsetof(cli_arguments, output),   \
    .takes = (what)                                                                                \
  }
#define SET(commands_, help_)                                                                      \
  {                                                                                                \
    .name = "set", .argument = "PATH=VALUE", .help = (help_), .commands = (commands_),             \
    .takes = CLI_TAKES_PATH, OWN(cli_apply_set)                                                    \
  }

/* Rows of a table of rules. */
#define NEEDS .is_need = true
#define EXCLUDES .text = "and", .end = " exclude each other"

#endif
