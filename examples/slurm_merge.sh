#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Merges the shards that slurm_shards.sh made of SPEC, here, into NAME.sqlite.
#SBATCH --job-name=dsm-merge
#SBATCH --time=00:10:00
set -eu

name=$(basename "$1" .json)
exec dsm sweep --merge "$name.sqlite" "$name".*-of-*.sqlite
