"""Where orders are taken, and shown."""

from django.urls import path
from shop import views

urlpatterns = [
    path("orders/", views.take),
    path("orders/<int:number>/", views.show),
]
