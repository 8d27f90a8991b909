from django.urls import path

from organizer.orders import api

app_name = "shop"
urlpatterns = [
    path("orders", api.orders, name="orders"),
    path("orders/<uuid:order_id>", api.order, name="order"),
]
