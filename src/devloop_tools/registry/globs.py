"""Globs in which `*` stands for anything and nothing else is special."""

import re
from functools import lru_cache


@lru_cache(maxsize=1024)
def glob(pattern: str) -> re.Pattern[str]:
    """What matches the whole of a text, line ends included, for `fullmatch`."""
    first, *rest = map(re.escape, re.split(r"\*+", pattern))
    # All stars but the last take the first fit and keep it, so that no text takes long.
    inner = "".join(f"(?>.*?{part})" for part in rest[:-1])
    return re.compile(first + inner + (f".*{rest[-1]}" if rest else ""), re.DOTALL)
