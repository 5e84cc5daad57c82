"""What the project needs from outside: each with a reason, each with a version that CI runs."""

import re
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PROJECT = tomllib.loads(PYPROJECT)["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
DECLARED: list[str] = [
    *PROJECT["dependencies"],
    *(need for needs in EXTRAS.values() for need in needs),
]
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
PINS = [line.partition("#")[0].strip() for line in CONSTRAINTS]
PINNED = {canonicalize_name(pin.partition("==")[0]) for pin in PINS if pin}


def needed_by(names: list[str]) -> Iterator[str]:
    """What is installed here of these packages and of all that they need in turn."""
    waiting, seen = [Requirement(name) for name in names], set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        key = (name, frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        try:
            needs = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        yield name
        waiting += [need for need in map(Requirement, needs) if _applies(need, requirement.extras)]


def _applies(need: Requirement, extras: set[str]) -> bool:
    """Whether `need` is one of this Python, and of no extra or of one that is asked for."""
    marker = need.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras or {""})


@pytest.mark.parametrize("requirement", DECLARED)
def test_every_dependency_has_a_reason_beside_it(requirement: str) -> None:
    [line] = [line for line in PYPROJECT.splitlines() if f'"{requirement}"' in line]
    _, _, reason = line.partition("#")
    assert len(reason.strip()) >= 10


@pytest.mark.parametrize("requirement", DECLARED)
def test_every_dependency_has_a_lower_bound_or_a_pin(requirement: str) -> None:
    assert re.search(r">=|==", requirement)


@pytest.mark.parametrize("requirement", DECLARED)
def test_every_dependency_has_a_version_that_ci_runs(requirement: str) -> None:
    assert canonicalize_name(Requirement(requirement).name) in PINNED


def test_what_the_dependencies_need_has_one_too() -> None:
    assert sorted(set(needed_by(DECLARED)) - PINNED) == []


def test_the_constraints_are_versions_and_nothing_else() -> None:
    odd = [pin for pin in PINS if pin and not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][\w.]*", pin)]
    assert odd == []
    assert len(PINNED) == len([pin for pin in PINS if pin])


@pytest.mark.parametrize("name", ["constraints.txt", "pyproject.toml", "Makefile", ".ci/run"])
def test_no_package_index_is_named(name: str) -> None:
    """Packages come from whatever index pip is set up with."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.findall(r"https?://|--(?:extra-)?index-url|--find-links|\bfile://", text) == []


@pytest.mark.parametrize("requirement", DECLARED)
def test_the_pinned_version_is_one_that_is_allowed(requirement: str) -> None:
    wanted = Requirement(requirement)
    name = canonicalize_name(wanted.name)
    [version] = [
        pin.partition("==")[2] for pin in PINS if canonicalize_name(pin.partition("==")[0]) == name
    ]
    assert wanted.specifier.contains(version)
