"""Real handshakes with a certificate of our own making."""

import datetime
import ipaddress
import socket
import ssl
import threading
from contextlib import suppress

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from organizer.upstream import transport
from organizer.upstream.errors import Unreachable
from organizer.upstream.event_api import EventApi

ANSWER = b'HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{"data": []}'


@pytest.fixture
def certificate(tmp_path):
    """A file with certificate and key of 127.0.0.1, signed by nobody but itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(here, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def secure_server(certificate):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    heard = []

    def serve(listener):
        with suppress(OSError):
            connection, _ = listener.accept()
            with context.wrap_socket(connection, server_side=True) as secured:
                heard.append(secured.recv(65536))
                secured.sendall(ANSWER)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}", heard


@pytest.fixture(autouse=True)
def fresh_client():
    transport._shared_client.cache_clear()
    yield
    transport._shared_client.cache_clear()


def test_sends_no_key_to_a_certificate_that_nobody_signed(secure_server, transport_to):
    address, heard = secure_server
    with pytest.raises(Unreachable, match="certificate"):
        EventApi(transport_to(f"https://{address}")).events.page(1)
    assert heard == []


def test_talks_to_a_certificate_that_is_trusted(secure_server, certificate, transport_to, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    address, heard = secure_server
    assert EventApi(transport_to(f"https://{address}")).events.page(1).items == ()
    assert b"X-API-KEY" in heard[0]


def test_says_that_the_other_side_has_no_tls(transport_to):
    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        with pytest.raises(Unreachable, match="TLS"):
            EventApi(transport_to(f"https://127.0.0.1:{listener.getsockname()[1]}")).events.page(1)
