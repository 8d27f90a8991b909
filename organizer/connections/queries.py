from organizer.accounts.models import Organization
from organizer.connections import vault
from organizer.connections.models import Connection, Health
from organizer.connections.rules import Budget, Notice

PURPOSE = "connections.key"


def live(organization: Organization, service: str) -> Connection | None:
    return Connection.objects.filter(organization=organization, service=service, live=True).first()


def key_of(connection: Connection) -> str:
    """The key in clear: for the client that sends it, and for nobody else."""
    return vault.open_sealed(
        bytes(connection.ciphertext),
        organization_id=connection.organization_id,
        row_id=connection.pk,
        purpose=PURPOSE,
    )


def notices(organization: Organization) -> list[Notice]:
    return []


def budget(connection: Connection) -> Budget:
    return Budget(used=0, limit=60, resets_in=0.0)


def is_usable(connection: Connection) -> bool:
    """Whether it makes sense to ask: a refused key stays refused until it is replaced."""
    return connection.live and connection.health != Health.KEY_REFUSED
