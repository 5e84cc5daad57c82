"""Small tools for plain text."""

from .lines import indent, unwrap, wrap
from .short import cut as shorten

__all__ = ["indent", "shorten", "unwrap", "wrap"]
