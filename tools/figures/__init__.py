# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections of docs/experiments.md, one module each; see tools/experiments."""
