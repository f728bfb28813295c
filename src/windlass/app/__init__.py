"""The front door: declare jobs, enqueue them, and see what becomes of them."""

from windlass.app.app import App
from windlass.app.jobtype import JobType
from windlass.app.ports import Backend, Ports
from windlass.app.view import Job

__all__ = ["App", "Backend", "Job", "JobType", "Ports"]
