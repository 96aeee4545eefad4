# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of imports share: a folder, the program, and files that are written into the folder."""
import json
import pathlib
import subprocess
import tempfile
import unittest

DONE, INVALID = 0, 3


class Case(unittest.TestCase):
    DSM = ""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, content, name):
        """A file of bytes, a text, or a document."""
        path = pathlib.Path(self.folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def run_dsm(self, *arguments, limit=60):
        return subprocess.run([self.DSM, *arguments], capture_output=True, text=True, timeout=limit, check=False,
                              errors="replace")

    def made(self, path, *options):
        """The description that a file becomes, and what was said."""
        ran = self.run_dsm("import", path, *options)
        self.assertEqual(ran.returncode, DONE, ran.stderr)
        return json.loads(ran.stdout), ran.stderr

    def refused(self, path, *options):
        ran = self.run_dsm("import", path, *options)
        self.assertEqual(ran.returncode, INVALID, ran.stdout + ran.stderr)
        self.assertEqual(ran.stdout, "")
        return ran.stderr

    def described(self, path, *options):
        """A workload's totals."""
        ran = self.run_dsm("describe", path, "--format", "json", *options)
        self.assertEqual(ran.returncode, DONE, ran.stderr)
        return json.loads(ran.stdout)["items"][0]["totals"]
