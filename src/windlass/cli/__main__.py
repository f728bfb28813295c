"""`python -m windlass.cli` is `windlass`."""

from windlass.cli.root import main

main()
