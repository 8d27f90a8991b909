"""A small mail server that keeps what it is given, and can fall silent in the middle of a mail."""

import socketserver
import threading
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, Self


class SmtpSink(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True

    def __init__(self, *, silent: bool = False, refuses: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.silent = silent
        """Takes the text of a mail, and then says nothing any more."""
        self.refuses = refuses
        """What it says to every recipient, such as `550 no such mailbox`."""
        self.begun = 0
        self.mails: list[EmailMessage] = []

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.shutdown()
        self.server_close()


class _Conversation(socketserver.StreamRequestHandler):
    server: SmtpSink

    def handle(self) -> None:
        self._say("220 sink")
        while line := self.rfile.readline():
            match line[:4].upper():
                case b"RCPT" if self.server.refuses:
                    self._say(self.server.refuses)
                case b"DATA":
                    self._say("354 go on")
                    self._take_mail()
                case b"QUIT":
                    return self._say("221 bye")
                case _:
                    self._say("250 ok")
        return None

    def _take_mail(self) -> None:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.server.begun += 1
        if self.server.silent:
            self.rfile.read()
            return
        self.server.mails.append(message_from_bytes(b"".join(lines), policy=policy.default))
        self._say("250 taken")

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode() + b"\r\n")
