"""A ticket as a file: a PDF of one page, the picture of a code, or a code in plain text."""

import io
from collections.abc import Iterator

import segno

from servers.supplier_api.models import Listing, Ticket

Type = Listing.TicketType
CONTENT_TYPES = {Type.PDF: "application/pdf", Type.QRCODE: "image/png", Type.BARCODE: "text/plain; charset=utf-8"}
ENDINGS = {Type.PDF: "pdf", Type.QRCODE: "png", Type.BARCODE: "txt"}
WIDTH, HEIGHT, MARGIN = 298, 420, 28  # points: A6


def content_type(ticket: Ticket) -> str:
    return CONTENT_TYPES[Type(ticket.type)]


def name(ticket: Ticket) -> str:
    return f"ticket-{ticket.code}.{ENDINGS[Type(ticket.type)]}"


def draw(ticket: Ticket) -> bytes:
    match Type(ticket.type):
        case Type.QRCODE:
            picture = io.BytesIO()
            segno.make_qr(ticket.code).save(picture, kind="png", scale=8)
            return picture.getvalue()
        case Type.BARCODE:
            return "\n".join([*_lines(ticket), ticket.code, ""]).encode()
    return _pdf(_page(ticket))


def _lines(ticket: Ticket) -> list[str]:
    listing = ticket.item.listing
    place = [f"Row {ticket.row}"] if ticket.row else []
    place += [f"Seat {ticket.seat}"] if ticket.seat else ["Standing"]
    when = listing.starts_at.strftime("%d %B %Y, %H:%M UTC")
    return [listing.event_name, when, ", ".join([listing.section, *place])]


def _page(ticket: Ticket) -> bytes:
    """What is drawn: three lines of text, the code as squares, and the code in letters."""
    title, *rest = _lines(ticket)
    drawn = [_text(MARGIN, HEIGHT - 52, 16, title[:34])]
    drawn += [_text(MARGIN, HEIGHT - 74 - 16 * number, 11, line[:48]) for number, line in enumerate(rest)]
    drawn += _squares(ticket.code, MARGIN, 76, WIDTH - 2 * MARGIN - 32)
    drawn.append(_text(MARGIN, 48, 13, ticket.code))
    return b"\n".join(drawn)


def _text(x: int, y: int, size: int, line: str) -> bytes:
    # the fonts that every reader has know the letters of Windows-1252; others are shown as ?
    escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("cp1252", "replace")
    return b"BT /F1 %d Tf %d %d Td (%s) Tj ET" % (size, x, y, escaped)


def _squares(code: str, left: int, bottom: int, size: int) -> Iterator[bytes]:
    rows = list(segno.make_qr(code).matrix)
    side = size / len(rows)
    for number, row in enumerate(reversed(rows)):
        for column, dark in enumerate(row):
            if dark:
                yield b"%.2f %.2f %.2f %.2f re f" % (left + column * side, bottom + number * side, side, side)


def _pdf(page: bytes) -> bytes:
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources"
        b" << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> >> >> >>"
        % (WIDTH, HEIGHT),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page),
    ]
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(written))
    return written + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end
