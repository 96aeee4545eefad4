/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/complete.h"

#include <stdio.h>
#include <string.h>

/* ---- what stands before ---- */

/* What the words before the last one leave open. */
typedef struct reading {
  cli_unfinished word;
  const cli_option *pending; /* an option that still waits for its argument */
  bool are_options_over;     /* after -- */
  bool is_lost;              /* no such command */
} reading;

static const cli_option *find_option(const cli_command *command, const char *name, size_t length,
                                     char letter) {
  for (size_t i = 0; i < cli_option_count; i++) {
    const cli_option *const option = &cli_options[i];
    const bool is_named =
        strlen(option->name) == length && strncmp(option->name, name, length) == 0;
    if ((option->commands & command->bit) != 0 &&
        (letter == '\0' ? is_named : option->letter == letter)) {
      return option;
    }
  }
  return NULL;
}

/* A word that begins with a dash. */
static void pass_option(reading *at, const char *text) {
  const cli_command *const command = at->word.command;
  if (strcmp(text, "--") == 0) {
    at->are_options_over = true;
  } else if (text[1] == '-') {
    const size_t length = strcspn(text + 2, "=");
    const cli_option *const option = find_option(command, text + 2, length, '\0');
    const bool has_value = text[2 + length] == '=';
    at->pending = option != NULL && option->argument != NULL && !has_value ? option : NULL;
  } else {
    for (const char *letter = text + 1; *letter != '\0'; letter++) {
      const cli_option *const option = find_option(command, "", 0, *letter);
      if (option != NULL && option->argument != NULL) {
        at->pending = letter[1] == '\0' ? option : NULL;
        return;
      }
    }
  }
}

static void pass_word(reading *at, const char *text) {
  cli_unfinished *const word = &at->word;
  if (at->pending != NULL) {
    at->pending = NULL;
  } else if (text[0] == '-' && text[1] != '\0' && !at->are_options_over) {
    pass_option(at, text);
  } else if (word->command == &cli_program) {
    const cli_command *const command = cli_command_find(text);
    at->is_lost = command == NULL;
    word->command = command == NULL ? &cli_program : command;
    at->are_options_over = false;
  } else if (word->operand_count < CLI_OFFERED_OPERANDS_MAX) {
    word->operands[word->operand_count++] = text;
  }
}

/* ---- what could stand next ---- */

static bool is_listed(const char *list, size_t list_length, const char *word) {
  const size_t length = strlen(word);
  for (size_t at = 0; at < list_length;) {
    const size_t run = strcspn(list + at, ",");
    if (run == length && strncmp(list + at, word, length) == 0) {
      return true;
    }
    at += run + 1;
  }
  return false;
}

static void offer_words(cli_unfinished word, const cli_option *option) {
  const char *const list = word.rest;
  const char *const comma = option->is_list ? strrchr(list, ',') : NULL;
  const size_t list_length = comma == NULL ? 0 : (size_t)(comma + 1 - list);
  word.lead_length += list_length;
  word.rest += list_length;
  for (size_t i = 0; option->word(i) != NULL; i++) {
    if (!is_listed(list, list_length, option->word(i))) {
      cli_offer(&word, option->word(i), "", NULL);
    }
  }
}

static void offer_commands(const cli_unfinished *word) {
  for (size_t i = 0; i < cli_command_count; i++) {
    cli_offer(word, cli_commands[i].name, "", cli_commands[i].summary);
  }
}

static void offer_taken(const cli_unfinished *word, unsigned takes) {
  if ((takes & CLI_TAKES_COMMAND) != 0) {
    offer_commands(word);
  }
  if ((takes & CLI_TAKES_LAYER) != 0) {
    cli_offer_layers(word);
  }
  if ((takes & (CLI_TAKES_PATH | CLI_TAKES_AXIS)) != 0) {
    cli_offer_paths(word, (takes & CLI_TAKES_AXIS) != 0);
  }
  cli_offer_files(word, takes);
}

static void offer_argument(const cli_unfinished *word, const cli_option *option) {
  if (option->word != NULL) {
    offer_words(*word, option);
  } else {
    offer_taken(word, option->takes);
  }
}

static void offer_options(const cli_unfinished *word) {
  for (size_t i = 0; i < cli_option_count; i++) {
    const cli_option *const option = &cli_options[i];
    if ((option->commands & word->command->bit) != 0) {
      char name[64];
      (void)snprintf(name, sizeof name, "--%s", option->name);
      cli_offer(word, name, "", cli_option_help(option, word->command->bit).text);
    }
  }
}

static void offer_operand(const cli_unfinished *word) {
  const cli_command *const command = word->command;
  const bool is_program = command == &cli_program;
  if (!is_program && word->operand_count >= command->operand_max) {
    return;
  }
  size_t place = word->operand_count < CLI_TAKES_MAX ? word->operand_count : CLI_TAKES_MAX - 1;
  while (place > 0 && command->takes[place] == 0) {
    place--;
  }
  for (size_t i = 0; command->operand_word != NULL && command->operand_word(i) != NULL; i++) {
    cli_offer(word, command->operand_word(i), "", NULL);
  }
  offer_taken(word, command->takes[place]);
}

void cli_complete(size_t word_count, char *const words[]) {
  reading at = {.word = {.command = &cli_program}};
  for (size_t i = 0; i + 1 < word_count && !at.is_lost; i++) {
    pass_word(&at, words[i]);
  }
  if (at.is_lost) {
    return;
  }
  const char *const text = word_count == 0 ? "" : words[word_count - 1];
  cli_unfinished *const word = &at.word;
  word->lead = text;
  word->rest = text;
  const bool is_option = text[0] == '-' && !at.are_options_over;
  const char *const value = is_option && text[1] == '-' ? strchr(text, '=') : NULL;
  if (at.pending != NULL) {
    offer_argument(word, at.pending);
  } else if (value != NULL) {
    const cli_option *const option =
        find_option(word->command, text + 2, (size_t)(value - text - 2), '\0');
    if (option != NULL && option->argument != NULL) {
      word->lead_length = (size_t)(value + 1 - text);
      word->rest = value + 1;
      offer_argument(word, option);
    }
  } else if (is_option) {
    offer_options(word);
  } else {
    offer_operand(word);
  }
}
