"""Teach the program one's own copy of the game."""
