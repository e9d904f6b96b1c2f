"""``python -m dpbench.cli``: the command line without the installed script."""

from dpbench.cli.app import main

if __name__ == "__main__":
    main()
