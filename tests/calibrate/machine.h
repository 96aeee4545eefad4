/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine.h: a machine whose two rates are known, and a network to measure it with.
 *
 * One chip of one core: 16 multiply-accumulates and 4 bytes of memory a cycle. An fc of 64 x 64
 * takes 256 cycles of the array a sample, and 8192 + 256 bytes a sample in inference: one sample is
 * bound by memory, a thousand are by the array.
 */
#ifndef DSM_TESTS_CALIBRATE_MACHINE_H
#define DSM_TESTS_CALIBRATE_MACHINE_H

#include "dsm/dsm.h"

dsm_system *machine(const dsm_override *overrides, size_t count);

/** What a step of the network "one" takes with so many samples, in inference, in milliseconds. */
double step_ms(const dsm_system *system, const char *minibatch);

/** Has the networks "one" and "broken", and the plan "plan". */
extern const dsm_sweep_source networks;

/** A request of these measurements, with the usual constants. */
dsm_calibration_request request_of(const dsm_system *system, const char *csv);

/** Calibrated; fails the test if that does not work. */
dsm_calibration *calibrated(const dsm_calibration_request *request);

#endif
