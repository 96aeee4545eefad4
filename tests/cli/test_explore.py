#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`dsm explore` that is ended by a signal: the best so far, and the exit code of an interruption.

Usage: test_explore.py DSM_BINARY [unittest's own arguments]
"""
import json
import signal
import subprocess
import sys
import time
import unittest

DSM = None
# All words on three axes: the search of data and model alone takes a moment, the rest much longer.
LONG = ("bert_large", "tpu_v4_4096", "--minibatch", "4096", "--optimize",
        "hybrid,reuse,dysm,per_pass,spatial,tensor,accumulate,shard,recompute,stages")


def heed_sigint():
    """The tests themselves may run in the background of a script, where SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Interrupted(unittest.TestCase):
    def interrupt(self, number, *options):
        with subprocess.Popen([DSM, "explore", *LONG, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, preexec_fn=heed_sigint) as process:
            time.sleep(1)
            process.send_signal(number)
            found, said = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("interrupted: this is the best plan so far", said)
        self.assertNotIn("time limit", said)
        return found

    def test_the_best_so_far_is_printed(self):
        self.assertIn("stopped before the end", self.interrupt(signal.SIGINT))

    def test_the_plan_says_that_it_was_stopped(self):
        plan = json.loads(self.interrupt(signal.SIGTERM, "--format", "json"))
        self.assertTrue(plan["search"]["is_stopped"])


if __name__ == "__main__":
    DSM = sys.argv.pop(1)
    unittest.main()
