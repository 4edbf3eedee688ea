"""What Headwater says when something is not as it should be, provoked and written down."""
