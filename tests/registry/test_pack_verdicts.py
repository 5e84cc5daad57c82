"""For how long the verdict on a pack is believed."""

import re
import shutil
from pathlib import Path

import pytest

from devloop_tools.registry import pack_verdicts
from devloop_tools.registry.pack_verdicts import RULES, PackVerdict, PackVerdicts, rules_digest

PACKAGE = Path(pack_verdicts.__file__).parents[1]


@pytest.mark.parametrize("module", ["registry/soundness.py", "domain/json_schemas.py"])
def test_a_verdict_is_forgotten_when_a_rule_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    shutil.copytree(PACKAGE, tmp_path / "ours", ignore=shutil.ignore_patterns("__pycache__"))
    assert rules_digest(tmp_path / "ours") == rules_digest()
    verdicts = PackVerdicts(tmp_path / "cache.json")
    verdicts.remember("digest", PackVerdict())
    verdicts.save()
    with (tmp_path / "ours" / module).open("a", encoding="utf-8") as file:
        file.write("# 更严\n")
    changed = rules_digest.__wrapped__(tmp_path / "ours")
    assert changed != rules_digest()
    monkeypatch.setattr(pack_verdicts, "rules_digest", lambda: changed)
    assert PackVerdicts(tmp_path / "cache.json").known("digest") is None


@pytest.mark.parametrize("judge", ["toolkit/json_schema.py", "domain/json_schemas.py"])
def test_what_judges_a_pack_is_among_the_rules(judge: str) -> None:
    source = (PACKAGE / judge).read_text(encoding="utf-8")
    imported = re.findall(r"^from devloop_tools\.(domain[\w.]+) import", source, re.MULTILINE)
    files = {PACKAGE / f"{name.replace('.', '/')}.py" for name in imported}
    assert files
    assert files <= {path for rule in RULES for path in PACKAGE.glob(rule)}
