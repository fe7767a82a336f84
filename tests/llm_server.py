"""An endpoint on the loopback interface that speaks OpenAI's dialect, or fails to."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Endpoint:
    """What is answered, what was asked, and with which key.

    `mode` is `items` (answer with `answers`, the last one again and again), or the name of a failure.
    """

    def __init__(self, url: str) -> None:
        self.url, self.mode = url, "items"
        self.answers: list[object] = [{"items": []}]
        self.requests: list[dict] = []
        self.keys: list[str] = []


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    """A server on a free port, stopped in the end."""
    stop = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append(asked)
            served.keys.append(self.headers.get("Authorization", ""))
            answer = served.answers[min(len(served.requests), len(served.answers)) - 1]
            mode = served.mode
            if mode == "slow":
                stop.wait(20)
            elif mode == "redirect":
                self.send_response(307)
                self.send_header("Location", f"{served.url}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif mode.isdigit():
                self.reply(int(mode), {"error": {"message": f"key {served.keys[-1]} is wrong", "code": "x"}})
            elif mode == "not json":
                self.reply(200, b"<html>busy</html>")
            elif mode == "cut off":
                self.send_response(200)
                self.send_header("Content-Length", "5000")
                self.end_headers()
                self.wfile.write(b'{"id": "x", "choi')
                self.close_connection = True
            elif mode == "refusal":
                self.reply(200, completion(None, refusal="I cannot help with that."))
            elif mode == "filtered":
                self.reply(200, completion(None, finish="content_filter"))
            elif mode == "prose":
                self.reply(200, completion("Here is what I found: nothing."))
            elif mode == "huge":
                self.reply(200, completion("x" * 10_000_000))
            else:
                self.reply(200, completion(json.dumps(answer)))

        def reply(self, status: int, body: object) -> None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):
            pass  # a client that hangs up is what some tests are about

    server = Quiet(("127.0.0.1", 0), Handler)
    served = Endpoint(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        stop.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def completion(content: str | None, *, finish: str = "stop", refusal: str | None = None) -> dict:
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return {
        "id": "c1", "object": "chat.completion", "created": int(time.time()), "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }  # fmt: skip


def dead_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
