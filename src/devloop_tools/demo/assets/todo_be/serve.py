"""Answers the contract's routes over HTTP, on the port that PORT names."""

import json
import os
import re
import sys
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from contract import models
from todo import Todos

TODOS = Todos()
ROUTES = [
    (method, re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)), name)
    for method, path, name in models.routes
]


class Requests(BaseHTTPRequestHandler):
    """One request: find its route, call the handler, send what it returns."""

    def answer(self) -> None:
        try:
            status, body = self.found()
        except Exception:
            traceback.print_exc()
            status, body = 500, {"error": "a fault of ours"}
        content = b"" if status == 204 else json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = answer

    def found(self) -> tuple[int, object]:
        for method, path, name in ROUTES:
            if method == self.command and (match := path.fullmatch(self.path)):
                given = match.groupdict()
                if length := int(self.headers["Content-Length"] or 0):
                    given["request"] = json.loads(self.rfile.read(length))
                answer = getattr(TODOS, name)(**given)
                return answer["status"], answer["body"]
        return 404, {"error": f"no route {self.path}"}

    def log_message(self, format: str, *args: object) -> None:
        """Requests alone are no news."""


if __name__ == "__main__":
    with ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Requests) as server:
        print("answering on", server.server_port, file=sys.stderr, flush=True)
        server.serve_forever()
