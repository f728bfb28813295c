"""Pictures of figures that were kept: `python -m benchmarks.plots FIGURES.json …`."""
