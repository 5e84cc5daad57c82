"""parse_vitest: what a test report says, and whether the run passed."""

from pydantic import Field

from devloop_tools.domain.reports.model import Format, ReportParsed
from devloop_tools.domain.reports.reading import read_report
from devloop_tools.domain.reports.sources import Source
from devloop_tools.toolkit import READ, Refused, ToolContext, ToolInput, refused, tool

MAX_TEXT = 4_000_000


class ParseVitestInput(ToolInput):
    path: str | None = Field(
        default=None, min_length=1, max_length=1024, description="The report's file.",
        examples=["units/todo-be/report.json"],
    )  # fmt: skip
    text: str | None = Field(
        default=None, max_length=MAX_TEXT,
        description="The report itself, or all that the run printed.",
    )  # fmt: skip
    format: Format = Field(default=Format.AUTO, description="Which reporter wrote it.")
    exit_code: int | None = Field(
        default=None, ge=-255, le=2**32, description="What the run ended with; always give it."
    )


@tool(READ)
def parse_vitest(args: ParseVitestInput, ctx: ToolContext) -> ReportParsed | Refused:
    """Read a test run's report: Vitest 1 to 5 (json, junit, tap, default, verbose), Jest's JSON,
    pytest's JUnit XML.

    Give path or text, and exit_code: a run may fail though its report shows no failure (an error
    outside of tests), then passed is false. Returns passed with reasons, totals, failures with
    file, line, expected, actual, diff and stack (own frames first), suite_errors (files that
    didn't load, hooks that failed), unhandled_errors, flaky tests, snapshots. A run without any
    test has not passed. A report that ends early says report_truncated. Best is
    --reporter=json --outputFile=FILE. Give the result to hint_builder for the likely causes.
    """
    match args.path, args.text:
        case str(path), None:
            source = Source(path, ctx.workspace.readable(path))
        case None, str(text):
            source = Source("text", text=text)
        case _:
            return refused("path, text: exactly one of them is needed.", "Leave the other out.")
    return read_report(ctx.workspace, source, args.format, args.exit_code, ctx.progress.report)
