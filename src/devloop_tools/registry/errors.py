"""What can be wrong with the files that say what exists and who may call it."""


class LoadError(Exception):
    """The text names the file, what was found and what is allowed, in one line."""
