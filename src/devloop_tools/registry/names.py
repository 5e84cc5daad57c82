"""Names that a policy may use although no tool of this process has them."""

DEV_LOOP_TOOLS = frozenset(
    """
    write_todolist update_todo_item update_runtime_state timeline_append record_memory
    bootstrap_prd_site bootstrap_sdd_site write_chapter write_mvcp_page archive_doc diff_html
    diff_units echo_diff update_search_index validate_prd_site validate_sdd_consistency
    hash_contract contract_bridge sandbox_check append_coder_log
    parse_vitest hint_builder bug_open bug_transition bug_list
    port_picker spawn_units health_wait run_case parse_placeholder collect_stderr
    extract_evidence verify_evidence category_classifier diff_contract_vs_impl find_similar_bug
    """.split()
)
"""The catalogue of dev-loop tools; one that isn't built yet grants nothing."""

NAMESPACES = (
    "persistence", "docs", "coder", "tester", "integrator", "triager", "web", "kb", "meta", "host",
)  # fmt: skip
"""What groups tools, besides `OPEN_NAMESPACES` followed by the name of a pack or server."""

OPEN_NAMESPACES = ("pack:", "mcp:")

UPSTREAM_PREFIX = "mcp__"
"""What the name of another server's tool starts with."""

CLI_PREFIX = "mcp__devloop__"
"""What the Claude CLI puts before the names of this server's tools."""

HOOK_TOOL = "policy_check"
"""The tool that only the CLI's hook calls, of every server that the builder starts."""

NATIVE_TOOLS = frozenset(
    """
    Agent Artifact AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit
    EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep KillShell LSP ListAgents
    ListMcpResourcesTool Monitor MultiEdit NotebookEdit NotebookRead PowerShell PushNotification
    Read ReadMcpResourceDirTool ReadMcpResourceTool RemoteTrigger ReportFindings ScheduleWakeup
    SendMessage SendUserFile SendUserMessage ShareOnboardingGuide Skill SlashCommand Task
    TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoWrite
    ToolSearch WaitForMcpServers WebFetch WebSearch Workflow Write
    """.split()
)
"""Tools of the Claude CLI itself: those of its `system/init`, which the end-to-end tests hold
against this, and those that its documentation names for other modes and versions."""
