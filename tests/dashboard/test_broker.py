"""The embedded broker under many writers and readers: each message arrives once, whole."""

import threading
from queue import Empty

from kombu import Connection

from dashboard import broker

WRITERS, READERS, MESSAGES, ROUNDS = 4, 3, 200, 50


def connect(folder):
    broker.register()
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder), "control_folder": str(folder)}
    return Connection("folder://", transport_options=options)


def test_delivers_each_message_once_and_whole(tmp_path):
    taken, over, lock = [], threading.Event(), threading.Lock()

    def write(writer):
        with connect(tmp_path) as connection:
            queue = connection.SimpleQueue("work")
            for number in range(MESSAGES):
                queue.put({"from": writer, "number": number, "more": "x" * 5000})

    def read():
        with connect(tmp_path) as connection:
            queue = connection.SimpleQueue("work")
            while True:
                try:
                    message = queue.get(block=False)
                except Empty:
                    if over.is_set():
                        return
                    continue
                message.ack()
                with lock:
                    taken.append((message.payload["from"], message.payload["number"]))

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in [*readers, *writers]:
        thread.start()
    for thread in writers:
        thread.join()
    over.set()
    for thread in readers:
        thread.join(20)
    assert sorted(taken) == [(writer, number) for writer in range(WRITERS) for number in range(MESSAGES)]


def test_loses_no_first_message_of_any_thread(tmp_path):
    """All declare the queue at the same moment, each over a connection of its own."""
    for number in range(ROUNDS):
        folder, together = tmp_path / str(number), threading.Barrier(WRITERS)
        folder.mkdir()

        def write(folder=folder, together=together):
            with connect(folder) as connection:
                together.wait()
                connection.SimpleQueue("work").put({})

        writers = [threading.Thread(target=write) for _ in range(WRITERS)]
        for thread in writers:
            thread.start()
        for thread in writers:
            thread.join()
        with connect(folder) as connection:
            assert connection.SimpleQueue("work").qsize() == WRITERS
