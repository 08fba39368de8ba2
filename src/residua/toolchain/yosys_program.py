"""A stand-in for ``yosys -ql LOG SCRIPT``, which SymbiYosys calls, made of `pyosys`.

The WebAssembly build would do as well, but its first start takes half a minute.
"""

import sys
from pathlib import Path

from pyosys import libyosys


def main() -> None:
    """Runs the script; what it says goes to the log, and on failure to standard output too."""
    _, option, log, script = sys.argv
    if option != "-ql":
        sys.exit(f"only -ql is known, not {option}")
    try:
        libyosys.run_pass(f"tee -q -o {log} script {script}", libyosys.Design())
    except RuntimeError as error:
        text = Path(log).read_text() if Path(log).exists() else ""
        sys.exit(f"{text}\n{error}")


if __name__ == "__main__":
    main()
