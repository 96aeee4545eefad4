# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command with its outputs on a terminal of some columns, and prints what arrives there.

Usage: in_terminal.py COLUMNS COMMAND [ARGUMENT]...
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
with subprocess.Popen(sys.argv[2:], stdout=slave, stderr=slave) as command:
    os.close(slave)
    arrived = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        arrived += piece
sys.stdout.write(arrived.decode().replace("\r\n", "\n"))
sys.exit(command.returncode)
