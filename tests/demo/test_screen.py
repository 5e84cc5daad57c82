from devloop_tools.demo.screen import MAX_RESULT, Screen


def shown(result: object, **arguments: object) -> list[str]:
    lines: list[str] = []
    Screen(lines.append).call("pm", "write_chapter", arguments, result)  # type: ignore[arg-type] # any
    return "".join(lines).splitlines()


def test_a_call_is_a_line_and_its_result_another() -> None:
    first, second = shown({"ok": True, "path": "prd/登录.html", "anchors": []}, chapter_id="登录")
    assert first.endswith("pm           write_chapter chapter_id=登录")
    assert second.strip() == "→ path prd/登录.html"


def test_long_values_are_cut_and_later_lines_left_out() -> None:
    first, second = shown({"ok": True, "other": "y" * 500}, markdown="# 一\n二", note="x" * 500)
    assert "二" not in first
    assert first.endswith("…")
    assert len(second.strip()) == MAX_RESULT + len("→ ")


def test_prose_is_one_line() -> None:
    assert shown("several\n\nlines 多行")[1].strip() == "→ several lines 多行"
