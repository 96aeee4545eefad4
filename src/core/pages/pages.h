/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pages.h: man pages, in the macros of man(7): of a command, from the tables of the command line,
 * and of what a file format may hold, key by key, from its JSON Schema, which the tests hold
 * against the readers; that also as the text of dsm help.
 */
#ifndef DSM_PAGES_PAGES_H
#define DSM_PAGES_PAGES_H

#include <stdio.h>

#include "base/json_read.h"
#include "cli/rows/rows.h"

/** What a page is about. */
typedef struct pages_subject {
  const char *name;           /**< of the page, such as dsm-explore */
  const char *call;           /**< what a command line begins with, such as dsm explore */
  const cli_command *command; /**< its row */
} pages_subject;

/** Writes the page. `date` and `version` stand in its head and foot. */
void pages_write(FILE *out, const pages_subject *subject, const char *date, const char *version);

/** A key of a format. */
typedef struct pages_key {
  const char *path;        /**< such as layers[].kernel */
  const char *value;       /**< what it may be: "a number from 0 to 1; default 1" */
  const char *description; /**< "": none */
} pages_key;

/** Takes a key; borrowed for the call. */
typedef void pages_key_visitor(FILE *out, const pages_key *key);

/** Visits the keys of a schema in its order. False if out of memory. */
bool pages_visit_keys(FILE *out, const dsm__json_node *schema, pages_key_visitor *visit);

/** What a format is about. */
typedef struct pages_format {
  const char *name;             /**< such as workload */
  const char *example;          /**< a file of that format; NULL: none */
  const dsm__json_node *schema; /**< its root */
} pages_format;

/** Writes the man page of a format. */
void pages_write_format(FILE *out, const pages_format *format, const char *date,
                        const char *version);

/** Writes what dsm help says of a format. */
void pages_write_format_help(FILE *out, const pages_format *format);

/** What holds for the keys of every format, a sentence each. */
extern const char pages_rules[];

#endif
