"""A job whose spans are in the trace of whoever enqueued it, shown on the console.

    pip install '../..[otel]' opentelemetry-sdk
    windlass worker --app greeting:app &
    python greeting.py ada

Both write their spans as JSON, and all of them have the same trace id:

    request                      greeting.py
    └─ enqueue greet             greeting.py
       └─ run greet              the worker
          ├─ look up
          └─ write
"""

import sys

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from windlass import Windlass
from windlass.contrib.otel import instrument

# In earnest: BatchSpanProcessor(OTLPSpanExporter()), or whatever your platform sets up for you.
provider = TracerProvider(resource=Resource({"service.name": "greeting"}))
provider.add_span_processor(
    SimpleSpanProcessor(
        ConsoleSpanExporter(formatter=lambda span: f"{span.to_json(indent=None)}\n")
    )
)
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("greeting")

app = Windlass()
instrument(app)


@app.job
async def greet(name: str) -> str:
    """Greet somebody, in two steps that are spans of their own."""
    with tracer.start_as_current_span("look up"):
        title = "Countess" if name == "ada" else "Captain"
    with tracer.start_as_current_span("write"):
        return f"Ahoy, {title} {name}!"


def main() -> None:
    """Ask for a greeting, as part of a request."""
    with tracer.start_as_current_span("request"):
        job = app.blocking.enqueue(greet.job(name=sys.argv[1]))
    print(app.blocking.wait(job.id, timeout=30).result, file=sys.stderr)


if __name__ == "__main__":
    main()
