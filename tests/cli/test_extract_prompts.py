"""`extract-prompts`: pages of agents to prompts, and what it says about them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from devloop_tools.cli.commands import app

PAGE = """<!doctype html><html lang="zh-CN"><head><title>T</title><style>p{}</style></head>
<body data-page="agents-pm.html"><div class="shell"><aside id="sidebar"></aside><main class="page">
<header class="page-head"><div class="crumb">03 / Agents</div><h1>PM · 产品经理</h1>
<p class="deck">说明 <b>重点</b> and <code>a_b*c</code></p></header>
<article class="body"><section><h2>① 做什么</h2>%s</section></article>
<nav class="prev-next"><a href="x.html">next</a></nav>
<footer class="site">Page</footer></main></div>
<script src="assets/shell.js"></script></body></html>"""

LISTS = (
    "<ul><li>一<ol><li>二 <a href='b.html?x=1&amp;y=2'>链接</a></li><li>three</li></ol></li></ul>"
)
CODE = (
    '<pre class="code"><span class="k">const</span> x = <span class="s">\'&lt;a&gt;\'</span>;\n\n'
    "  # 不是标题\n```</pre><pre><code class='language-js'>let y\n  z</code></pre>"
)
TABLE = (
    "<table><tr><th>名</th><th>a|b</th></tr><tr><td>x<br>y</td><td><code>p</code></td></tr></table>"
)


def run(site: Path, out: Path) -> Result:
    return CliRunner().invoke(app, ["extract-prompts", str(site), "--out", str(out)])


def write(site: Path, **bodies: str) -> None:
    site.mkdir(exist_ok=True)
    for agent, body in bodies.items():
        name = f"agents-{agent.replace('_', '-')}.html"
        (site / name).write_text(PAGE % body, encoding="utf-8")


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        (LISTS, "- 一\n  1. 二 [链接](b.html?x=1&y=2)\n  2. three\n"),
        (CODE, "````\nconst x = '<a>';\n\n  # 不是标题\n```\n````\n\n```js\nlet y\n  z\n```\n"),
        (TABLE, "| 名 | a\\|b |\n| --- | --- |\n| x<br>y | `p` |\n"),
        ("<p>前</p><blockquote><p>引用 q</p></blockquote>", "前\n> 引用 q\n"),
        ("<h3>细节</h3><p>1.5 天 *not bold*</p>", "### 细节\n\n1.5 天 \\*not bold\\*\n"),
    ],
)
def test_a_page_becomes_the_markdown_of_its_text(body: str, markdown: str, tmp_path: Path) -> None:
    write(tmp_path / "site", pm=body)

    assert run(tmp_path / "site", tmp_path / "out").exit_code == 0

    head = "# PM · 产品经理\n\n说明 **重点** and `a_b*c`\n\n## ① 做什么\n\n"
    written = (tmp_path / "out/devloop-pm/prompt.md").read_text(encoding="utf-8")
    assert written == head + markdown


def test_each_agent_has_a_folder_and_other_pages_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "site", pm="<p>a", bug_triager="<p>b")
    (tmp_path / "site/index.html").write_text("<p>x", encoding="utf-8")
    (tmp_path / "site/agents-.html").write_text("<p>x", encoding="utf-8")

    result = run(tmp_path / "site", tmp_path / "out/deep/er")

    assert sorted(path.name for path in (tmp_path / "out/deep/er").iterdir()) == [
        "devloop-bug-triager",
        "devloop-pm",
    ]
    assert result.stdout.startswith("✓ devloop-bug-triager/prompt.md: ")


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    svg = "<svg><text>图</text><svg></svg></svg>"
    write(tmp_path / "site", pm=f"<p>x{svg}{svg}<script>1</script>")

    result = run(tmp_path / "site", tmp_path / "out")

    assert "; left out: 1 script, 2 svg\n" in result.stdout
    assert "图" not in (tmp_path / "out/devloop-pm/prompt.md").read_text(encoding="utf-8")


def test_a_second_run_writes_nothing_again(tmp_path: Path) -> None:
    write(tmp_path / "site", pm=LISTS + TABLE)
    run(tmp_path / "site", tmp_path / "out")
    before = (tmp_path / "out/devloop-pm/prompt.md").stat()

    result = run(tmp_path / "site", tmp_path / "out")

    assert result.stdout == "= devloop-pm/prompt.md: as it was\n"
    after = (tmp_path / "out/devloop-pm/prompt.md").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_page_of_another_anatomy_gives_its_main_text(tmp_path: Path) -> None:
    (tmp_path / "agents-pm.html").write_bytes("<main><h1>题</h1><p>正文</main>".encode("gb18030"))

    result = run(tmp_path, tmp_path / "out")

    assert (tmp_path / "out/devloop-pm/prompt.md").read_text(encoding="utf-8") == "# 题\n\n正文\n"
    assert "read as GB18030" in result.stdout


def test_a_page_without_text_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "agents-pm.html").write_text("<main><svg></svg></main>", encoding="utf-8")

    result = run(tmp_path, tmp_path / "out")

    assert result.stdout == "- agents-pm.html: no text in it; nothing written; left out: 1 svg\n"
    assert not (tmp_path / "out").exists()


def test_a_page_that_can_not_be_read_keeps_no_other_from_being_written(tmp_path: Path) -> None:
    write(tmp_path / "site", pm="<p>a")
    (tmp_path / "site/agents-coder.html").write_text("<div>" * 10_000, encoding="utf-8")
    (tmp_path / "site/agents-tester.html").symlink_to(tmp_path / "site/agents-pm.html")

    result = run(tmp_path / "site", tmp_path / "out")

    assert result.exit_code == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["devloop-pm"]
    assert [line[:22] for line in result.stderr.splitlines()] == [
        "✗ agents-coder.html: e",
        "✗ agents-tester.html: ",
    ]


@pytest.mark.parametrize(
    ("site", "said"),
    [
        ("empty", "no page agents-<agent>.html in it"),
        ("没有", "没有 is no folder; name the folder of the site"),
        ("file", "file is no folder; name the folder of the site"),
    ],
)
def test_a_site_without_agents_is_an_error(site: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()

    result = run(tmp_path / site, tmp_path / "out")

    assert result.exit_code == 2
    assert said in result.stderr


def test_a_folder_that_can_not_be_written_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "site", pm="<p>a")
    (tmp_path / "out").touch()

    result = run(tmp_path / "site", tmp_path / "out")

    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
