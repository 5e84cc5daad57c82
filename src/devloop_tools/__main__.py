"""`python -m devloop_tools` is `devloop-tools`."""

from devloop_tools.cli.main import main

if __name__ == "__main__":
    main()
