"""How its tables came to be."""
