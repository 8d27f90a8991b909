"""What happens between the socket and the 200. Nothing here knows how an order is changed."""
