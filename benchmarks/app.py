"""The app that a worker process of a benchmark loads; the environment says where its store is."""

from benchmarks.jobs import Jobs

app = Jobs().app
