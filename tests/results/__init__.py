"""What the numbers of the room of results are held to."""
