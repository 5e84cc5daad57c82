"""A PRD site and an SDD site for a small product, made through the real server by its tools."""

import sys
from pathlib import Path
from typing import Any

from devloop_tools.demo.agent_server import AgentServer
from devloop_tools.demo.screen import Screen

LOGIN = """\
每个人用自己的邮箱登录，没有密码：we send a link that works once and for ten minutes. 登录之后的会话
持续三十天，换设备时要重新登录。

## 流程 Flow

1. 输入邮箱，点 **发送链接**。
2. 打开邮件里的链接；if it is too old, the page says so and offers a new one.
3. 回到离开时的页面，未保存的草稿还在。

> 决定：不做密码登录。Nobody asked for it, and it is the most expensive part to keep safe.

## 规则 Rules

| 情况 | 结果 | Why |
|---|---|---|
| 链接已用过 | 显示“链接已失效” | a forwarded mail must not open a session |
| 十分钟后 | 同上，并可重发 | mail may be slow, 但不能无限期 |
| 第五次重发 | 等一小时 | protects the mailbox of somebody else |

### 边界 Edge cases

- 大小写不同的邮箱算同一个；`Li@Example.com` and `li@example.com` are one person.
- 离线时先排队，联网后再发送。

```http
POST /sessions HTTP/1.1
Content-Type: application/json

{"email": "li@example.com"}
```

## 验收 Acceptance

登录成功率不低于 99%，the median from mail to page is below twenty seconds，
并且没有任何一步需要读说明书。
"""

SYNC = """\
## 离线 Offline

断网时照常新增、完成和删除待办。Changes wait in a queue on the device, oldest first.

## 冲突 Conflicts

同一条待办在两处改动时，the newer change wins field by field；删除总是优先，并可在三十天内恢复。
"""

LIST = """\
## 新建 Create

标题必填，最多 200 个字。A due date is optional; 不带时区的日期按用户所在时区理解。

## 排序 Order

到期的在前，其余按新建时间。People drag an item to where it belongs, and it stays there.
"""

CONTRACT: dict[str, Any] = {
    "unit": "todo-be",
    "version": 3,
    "endpoints": [
        {
            "method": "POST", "path": "/todos", "summary": "新建一条待办 Create a todo",
            "request": {
                "type": "object", "required": ["title"],
                "properties": {
                    "title": {"type": "string", "minLength": 1, "maxLength": 200,
                              "description": "标题，what people read"},
                    "due": {"type": "string", "format": "date", "description": "到期日"},
                    "tags": {"type": "array", "items": {"enum": ["家", "work", "学习"]}},
                },
            },
            "responses": {"201": {"$ref": "#/types/Todo"}, "422": {"$ref": "#/types/Problem"}},
        },
        {
            "method": "GET", "path": "/todos", "summary": "列出待办，newest first",
            "responses": {"200": {"type": "array", "items": {"$ref": "#/types/Todo"}}},
        },
    ],
    "types": {
        "Todo": {
            "type": "object", "description": "一条待办，as everyone sees it.",
            "required": ["id", "title", "done"],
            "properties": {
                "id": {"type": "string", "format": "uuid"},
                "title": {"type": "string"},
                "done": {"type": "boolean", "default": False, "description": "完成了没有"},
                "due": {"type": ["string", "null"], "format": "date"},
            },
        },
        "Problem": {
            "type": "object", "required": ["code"],
            "properties": {"code": {"enum": ["E_EMPTY", "E_LONG"]}, "field": {"type": "string"}},
        },
    },
    "events": [{"name": "todo.created", "payload": {"$ref": "#/types/Todo"}}],
    "errors": [{"code": "E_EMPTY", "when": "标题为空或只有空格"},
               {"code": "E_LONG", "when": "the title has more than 200 characters"}],
}  # fmt: skip

MODEL = """\
一条待办属于一个人。`Todo` has no history: 旧值由同步单元保存，这里只有最新的一份。

| 字段 | 不变量 Invariant |
|---|---|
| `title` | 去掉首尾空格后不为空 |
| `done` | once true, `due` no longer matters |
"""

UI_CONTRACT: dict[str, Any] = {
    "unit": "todo-fe",
    "version": 1,
    "functions": [
        {"name": "renderList", "params": [{"name": "todos", "schema": {"type": "array"}}],
         "returns": {"type": "null"}}
    ],
}  # fmt: skip

PM_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("bootstrap_prd_site", {
        "title": "待办 Todo",
        "chapters": [
            {"id": "login", "title": "登录 Login", "group": "功能 Features",
             "summary": "不用密码，a link by mail"},
            {"id": "list", "title": "待办列表 The list", "group": "功能 Features",
             "summary": "新建、排序、完成"},
            {"id": "sync", "title": "同步 Sync", "group": "功能 Features",
             "summary": "Works offline, 冲突有规则"},
            {"id": "limits", "title": "限额 Limits", "group": "质量 Quality"},
        ],
    }),
    *[("write_chapter", {"site": "prd", "chapter_id": name, "markdown": text})
      for name, text in {"login": LOGIN, "list": LIST, "sync": SYNC}.items()],
    ("update_search_index", {"site": "prd"}),
    ("validate_prd_site", {}),
]  # fmt: skip

ARCHITECT_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("bootstrap_sdd_site", {
        "title": "待办设计 Design",
        "language": "zh-CN",
        "units": [
            {"id": "todo-be", "title": "待办后端 Todo backend", "kind": "后端 Backend",
             "prd_refs": ["list#新建-create", "login"]},
            {"id": "todo-fe", "title": "待办界面 Todo UI", "kind": "前端 Frontend",
             "depends_on": ["todo-be"], "prd_refs": ["list"]},
        ],
    }),
    ("write_mvcp_page", {"unit_id": "todo-be", "contract": CONTRACT, "model": MODEL,
                         "controller": "收到请求后先校验，then one transaction writes and tells.",
                         "persistence": "SQLite，一张表 `todos`；migrations only add."}),
    ("write_mvcp_page", {"unit_id": "todo-fe", "contract": UI_CONTRACT,
                         "view": "一页，一个列表。Everything works from the keyboard."}),
    ("update_search_index", {"site": "sdd"}),
    ("validate_sdd_consistency", {}),
]  # fmt: skip


def make(project: Path) -> None:
    """Make both sites below the empty folder `project`. Raises where a tool refuses."""
    screen = Screen(sys.stdout.write)
    for agent, calls in {"pm": PM_CALLS, "architect": ARCHITECT_CALLS}.items():
        with AgentServer(agent, project, screen) as server:
            for name, arguments in calls:
                server.call(name, **arguments)
