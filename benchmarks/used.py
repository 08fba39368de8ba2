"""Run a command and write what it has used to a file.

A program counts as its own the memory of the one that started it until it runs, so a command is
started by this small one. Its status is the command's.

Usage: python used.py FILE COMMAND [ARGUMENT ...]
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    """Run the command, write seconds, CPU seconds and MB of its largest process; its status."""
    file, *command = sys.argv[1:]
    start = time.monotonic()
    status = subprocess.call(command)
    seconds = time.monotonic() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = {
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1024,
    }
    Path(file).write_text(json.dumps(used), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
