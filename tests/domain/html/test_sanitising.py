import pytest

from devloop_tools.domain.html.from_markdown import markdown_to_html
from devloop_tools.domain.html.markup import PageFault
from devloop_tools.domain.html.sanitising import sanitised


@pytest.mark.parametrize(
    ("source", "clean", "warning"),
    [
        ("<p>好<script>alert(1)</script></p>", "<p>好</p>", "removed <script>"),
        ("<style>p{}</style>x", "x", "removed <style>"),
        ('<p onclick="x()">中</p>', "<p>中</p>", "removed onclick of <p>"),
        ('<a href="javascript:x">y</a>', "<a>y</a>", "removed href of <a>"),
        ('<a href="java&#10;script:x">y</a>', "<a>y</a>", "removed href of <a>"),
        ('<img src="a.png" alt="图" onerror=x>', '<img src="a.png" alt="图">', "onerror of <img>"),
        ('<iframe src="https://e.x"></iframe>y', "y", "removed <iframe>"),
        ("<svg><script>x</script><g onload=x></g></svg>", "<svg><g></g></svg>", "<script>"),
        ('<p style="position:fixed">x</p>', "<p>x</p>", "removed style of <p>"),
    ],
)  # fmt: skip
def test_what_could_run_goes_and_is_named(source: str, clean: str, warning: str) -> None:
    markup, warnings = sanitised(source, "html")
    assert markup == clean
    assert any(warning in line for line in warnings)


@pytest.mark.parametrize(
    "source",
    [
        '<h2 id="安装">安装</h2>',
        '<a href="../登录.html#流程">链接</a>',
        '<table class="dense"><thead><tr><th scope="col">甲</th></tr></thead></table>',
        '<svg viewBox="0 0 9 9" role="img" aria-label="图"><path d="M0,0 L9,9"></path></svg>',
        "<pre>\n\n  two\n lines</pre>",
        '<p data-kind="注" lang="zh">1 &lt; 2 &amp;&amp; A&nbsp;B</p>',
    ],
)
def test_what_a_chapter_needs_stays_as_it_is(source: str) -> None:
    assert sanitised(source, "html") == (source, [])


def test_the_same_thing_taken_out_often_is_said_once() -> None:
    assert sanitised("<p onclick=x>一<p onclick=y>二", "html")[1] == [
        "removed onclick of <p> (2 times)"
    ]


def test_markup_nested_too_deep_names_the_argument() -> None:
    with pytest.raises(PageFault, match=r"^html: tags are nested deeper"):
        sanitised("<div>" * 10_000, "html")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# 登录 Login\r\n\r\n正文", "<h1>登录 Login</h1>\n<p>正文</p>\n"),
        ("| 甲 | b |\n|-|-|\n| 1 | `x<y` |", "<td><code>x&lt;y</code></td>"),
        ("- 一\n  - two", "<li>一\n<ul>\n<li>two</li>"),
        ("~~旧~~", "<s>旧</s>"),
        ("<details>细</details>", "<details>细</details>"),
    ],
)
def test_markdown_becomes_html(source: str, expected: str) -> None:
    assert expected in markdown_to_html(source, "markdown")
