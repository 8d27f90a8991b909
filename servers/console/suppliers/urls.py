from django.urls import path

from servers.console.suppliers import views

urlpatterns = [
    path("", views.index, name="suppliers"),
    path("<slug:key>/", views.orders, name="supplier_orders"),
    path("<slug:key>/orders/<str:order_id>/", views.order, name="supplier_order"),
    path("<slug:key>/orders/<str:order_id>/move/", views.move, name="supplier_move"),
    path("<slug:key>/listings/", views.listings, name="supplier_listings"),
    path("<slug:key>/notifications/", views.deliveries, name="supplier_deliveries"),
    path("<slug:key>/notifications/<int:delivery_id>/", views.delivery, name="supplier_delivery"),
    path("<slug:key>/notifications/<int:delivery_id>/send/", views.send, name="supplier_send"),
    path("<slug:key>/settings/", views.settings, name="supplier_settings"),
    path("<slug:key>/settings/keys/<int:key_id>/revoke/", views.revoke, name="supplier_revoke"),
]
