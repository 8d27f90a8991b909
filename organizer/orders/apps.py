from django.apps import AppConfig


class OrdersConfig(AppConfig):
    name = "organizer.orders"

    def ready(self) -> None:
        from organizer.orders.kinds import PlaceOrder
        from organizer.orders.mirror import OrderNoun
        from organizer.orders.sequel import Sequel
        from organizer.sync.registry import register
        from organizer.webhooks import registry as webhooks

        register(OrderNoun(), PlaceOrder())
        webhooks.register(Sequel())
