"""The app that a worker process of a benchmark loads; the environment says where its store is."""

from benchmarks.jobs import Jobs
from benchmarks.steps import take_note

take_note()
app = Jobs().app
