"""Listeners in a thread of the test, which answer what they are told."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def answer(status: int, body: bytes = b"", *headers: str) -> bytes:
    """One HTTP answer."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


@contextmanager
def listening(
    *answers: bytes, host: str = "127.0.0.1", port: int = 0
) -> Iterator[tuple[int, list[bytes]]]:
    """The port, and the requests that came; the last answer is given again and again."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    requests: list[bytes] = []
    with socket.socket(family) as server:
        if host == "::1":
            server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        server.bind((host, port))
        server.listen()
        thread = threading.Thread(target=_serve, args=(server, answers, requests), daemon=True)
        thread.start()
        yield server.getsockname()[1], requests
        # Wakes the thread from accept.
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def _serve(server: socket.socket, answers: tuple[bytes, ...], requests: list[bytes]) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            if answers:
                requests.append(_request(connection))
                connection.sendall(answers[min(len(requests), len(answers)) - 1])


def _request(connection: socket.socket) -> bytes:
    held = b""
    while b"\r\n\r\n" not in held:
        chunk = connection.recv(65536)
        if not chunk:
            return held
        held += chunk
    head, _, body = held.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            while len(body) < int(line.partition(b":")[2]):
                body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
