from servers.kit import writes
from servers.supplier_api import files
from servers.supplier_api.models import Ticket


def content(ticket: Ticket) -> bytes:
    """Its file, drawn when it is first asked for and the same ever after.

    Drawing takes a hundredth of a second: not under the lock of a move, and not for hundreds at once.
    """
    if not ticket.content:
        drawn = files.draw(ticket)
        with writes.turn():
            Ticket.objects.filter(pk=ticket.pk, content=b"").update(content=drawn)
        ticket.refresh_from_db(fields=["content"])  # whoever was first
    return bytes(ticket.content)
