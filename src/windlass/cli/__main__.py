"""`python -m windlass.cli` is `windlass`."""

from windlass.cli import main

main()
