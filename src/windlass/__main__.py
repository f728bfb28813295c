"""`python -m windlass`: the command line, where no `windlass` is on the path."""

from windlass.cli import main

if __name__ == "__main__":
    main()
