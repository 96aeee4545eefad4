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

double twin_macs(const twin_node *node);

bool twin_has_norm(const twin_node *node); /* batch_norm, layer_norm or rms_norm */

/* An attention's score or context: each sample and group has an operand of its own. */
bool twin_is_attention(const twin_node *node);
/* Two activations are multiplied: a matmul too. */
bool twin_is_product(const twin_node *node);
/* Features with positions, which model.dysm_uniform is about. */
bool twin_is_convolution(const twin_node *node);

/* What auxiliary operations on the input keep for the backward pass, per sample. */
double twin_saved_elements(const twin_node *node);

/* Of the output, what a rotary turns, per sample: the nearest whole number. */
double twin_turned_elements(const twin_node *node);

/* Of the work of a score or a context, what is done. */
/* Are both layers of an attention one kernel? */
bool twin_is_kernel(const twin_system *system, const twin_node *node);

/* Of an invocation's kernel, what one of the layers has. */
double twin_kernel_share(const twin_node *node, twin_pass_kind pass);

double twin_visible_share(const twin_system *system, const twin_node *node);

/* The scores of this layer, or those that it reads, are made and used on chip. */
bool twin_is_fused_score(const twin_system *system, const twin_node *node);
bool twin_reads_fused_score(const twin_system *system, const twin_node *node);

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

/* The same in bytes. */
double twin_fork_bytes(const twin_workload *workload, const twin_node *node);

/* The two layers into which an lstm falls where its input products are hoisted: an fc over the
 * inputs of all timesteps, and timesteps that find its products in memory. */
twin_node twin_hoisted_input(const twin_node *lstm);
twin_node twin_hoisted_step(const twin_node *lstm);

/* Is a residual's shortcut nothing but what the layer reads anyway? */
bool twin_adds_own_input(const twin_node *node);

#endif
