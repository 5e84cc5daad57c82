"""The grammar of Bash, without what its package loads beside it.

`import tree_sitter_bash` also loads `importlib.resources`, for a file of highlights that nobody
asks for here: a fifth of the time that a hook takes to answer. The extension module alone needs
none of it.
"""

from importlib.machinery import PathFinder
from typing import Any

from tree_sitter import Language

_PACKAGE = "tree_sitter_bash"


def bash() -> Language:
    """The grammar, for a parser."""
    return Language(_binding().language())


def _binding() -> Any:
    package = PathFinder.find_spec(_PACKAGE)
    if package is None:
        raise ImportError(f"{_PACKAGE} is not installed")
    spec = PathFinder.find_spec(f"{_PACKAGE}._binding", package.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ImportError(f"{_PACKAGE} has no extension module")
    module = spec.loader.create_module(spec)
    if module is None:
        raise ImportError(f"{_PACKAGE} has no extension module that can be loaded alone")
    spec.loader.exec_module(module)
    return module
