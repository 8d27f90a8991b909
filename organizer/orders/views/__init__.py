from organizer.orders.views.bulks import bulk, cancel_bulk, new_bulk, reconciliations
from organizer.orders.views.orders import detail, index, reconcile, ticket
from organizer.orders.views.placing import new
from organizer.orders.views.shop_keys import revoke_key, shop_keys

__all__ = [
    "bulk",
    "cancel_bulk",
    "detail",
    "index",
    "new",
    "new_bulk",
    "reconcile",
    "reconciliations",
    "revoke_key",
    "shop_keys",
    "ticket",
]
