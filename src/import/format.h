/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format.h: what is particular to a format of another program, a row each and a file or folder
 * each.
 *
 * A reader fills a builder with declared layers, whose nodes are places that it labels as the
 * program of the format calls them. It reports what it cannot understand, and notes what it
 * approximates or leaves out.
 */
#ifndef DSM_IMPORT_FORMAT_H
#define DSM_IMPORT_FORMAT_H

#include "base/json_read.h"
#include "base/json_write.h"
#include "dsm/import.h"
#include "workload/builder.h"

/** An import on its way. */
typedef struct dsm__import {
  const char *bytes;
  size_t length;
  const char *file; /**< NULL: none */
  const dsm_import_options *options;
  dsm__json_doc *doc; /**< of the file if its format is JSON, else bare: findings and places */
  dsm__json_node root;
  dsm__workload_builder builder; /**< its workload has its defaults, and what the reader finds */
} dsm__import;

typedef struct dsm__import_reader {
  const char *word;
  const char *help;
  bool is_json;   /**< its files are JSON documents */
  bool is_system; /**< it becomes a system, or what the file tells of one */
  /** Are these bytes, or those that begin a file, of this format? */
  bool (*recognise)(const char *bytes, size_t length, const char *file);
  /** Fills the workload's name, input and minibatch, and adds its layers. Errors are the
   * document's. NULL: it writes the description itself. */
  void (*read)(dsm__import *import);
  /** Writes the description, an object, which may have parameters and blocks. Errors are the
   * document's, with which nothing of it is used. */
  void (*write)(dsm__import *import, dsm__json_writer *writer);
} dsm__import_reader;

extern const dsm__import_reader dsm__onnx_reader;
extern const dsm__import_reader dsm__hub_reader;
extern const dsm__import_reader dsm__scale_sim_reader;
extern const dsm__import_reader dsm__calculon_reader;
extern const dsm__import_reader dsm__calculon_system_reader;
extern const dsm__import_reader dsm__astra_network_reader;

/** Notes at a place what was approximated or left out: an error where options are strict. */
void dsm__import_note(const dsm__import *import, const dsm__json_node *node, const char *format,
                      ...) DSM_PRINTF(3, 4);

/** The size that the options give a dimension of that name; 0: none. */
uint64_t dsm__import_dimension(const dsm__import *import, const char *name, size_t length);

/** The name of the file without folders and ending, as the name of a network, or "network" where
 * that can be no name, or memory is out, which is set; in the workload's arena. */
const char *dsm__import_file_stem(const dsm__import *import);

/** The name of a file without folders and ending, in the arena; NULL if out of memory. */
const char *dsm__import_stem_of(const char *path, dsm__arena *arena);

/** Begins the object of a workload, with all members before the first that is about layers. */
void dsm__import_begin_workload(const dsm__import *import, dsm__json_writer *writer,
                                const char *name, const char *source);

/** Begins the object of a system, and says that the file tells a part of it. */
void dsm__import_begin_system(const dsm__import *import, dsm__json_writer *writer,
                              const char *source);

#endif
