# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections of docs/evidence/experiments.md, one module each; see tools/experiments."""
