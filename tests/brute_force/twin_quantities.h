/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_QUANTITIES_H
#define DSM_TESTS_TWIN_QUANTITIES_H

/* Section 1: what a layer amounts to, per sample and timestep, and who uses what. */

#include "twin_input.h"

double twin_in_features(const twin_node *node);     /* nin */
double twin_out_features(const twin_node *node);    /* nout */
double twin_in_elements(const twin_node *node);     /* in_el */
double twin_out_elements(const twin_node *node);    /* out_el */
double twin_stored_elements(const twin_node *node); /* st_el */
double twin_weight_elements(const twin_node *node); /* w_el */

/* Section 3: cores that share a group of a convolution, all of them where there is one group; and
 * into how many parts the cores along k_out divide the outputs. */
double twin_cores_of_group(const twin_node *node, double k_out);
double twin_output_parts(const twin_node *node, double k_out);
double twin_macs(const twin_node *node);

bool twin_has_norm(const twin_node *node); /* batch_norm or layer_norm */

bool twin_reads_network_input(const twin_node *node);
bool twin_has_backward(const twin_node *node);
bool twin_has_pass(const twin_node *node, twin_pass_kind pass, bool inference);

/* Invocations of a pass in a step: T, and 2 T for the backward pass of a matmul, whose operands
 * both get errors. */
double twin_invocation_count(const twin_node *node, twin_pass_kind pass);

/* Is the stored output of `layer` used by the layer `first` or a later one? */
bool twin_is_used_from(const twin_workload *workload, size_t layer, size_t first,
                       bool operands_count);

/* Elements per sample of those producers of `layer` that a later layer uses too; none counts
 * twice. */
double twin_fork_elements(const twin_workload *workload, const twin_node *node);

/* The two layers into which an lstm falls where its input products are hoisted: an fc over the
 * inputs of all timesteps, and timesteps that find its products in memory. */
twin_node twin_hoisted_input(const twin_node *lstm);
twin_node twin_hoisted_step(const twin_node *lstm);

/* Is a residual's shortcut nothing but what the layer reads anyway? */
bool twin_adds_own_input(const twin_node *node);

#endif
