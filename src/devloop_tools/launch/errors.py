"""What can keep a command line from being built."""


class LaunchError(Exception):
    """The text says in one line what is wrong and what to do instead."""
