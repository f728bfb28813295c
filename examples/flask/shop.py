"""A shop that answers at once and sends the receipt later.

Start the shop and a worker, and buy something:

    pip install ../.. flask
    flask --app shop run &
    windlass worker --app shop:jobs &
    curl -X POST 'http://127.0.0.1:5000/orders?item=rope&email=ada@example.org'
    curl http://127.0.0.1:5000/receipts/THE-ID-IT-ANSWERED
"""

from typing import Any

from flask import Flask, current_app, request

from windlass.contrib.flask import FlaskWindlass

jobs = FlaskWindlass()  # ./.windlass/windlass.db, or WINDLASS_STORE


@jobs.job(queue="mail", max_attempts=5, timeout=30)
def send_receipt(email: str, item: str) -> str:
    """Write the receipt; handlers run in the context of the application."""
    return f"Dear {email}, thank you for the {item}! Yours, {current_app.config['SHOP']}"


def create_app() -> Flask:
    """The application."""
    app = Flask(__name__)
    app.config["SHOP"] = "The Ropery"
    jobs.init_app(app)

    @app.post("/orders")
    def order() -> tuple[dict[str, str], int]:
        kept = jobs.blocking.enqueue(
            send_receipt.job(email=request.args["email"], item=request.args["item"])
        )
        return {"receipt": kept.id}, 202

    @app.get("/receipts/<job_id>")
    def receipt(job_id: str) -> dict[str, Any]:
        job = jobs.blocking.get(job_id)
        return {"status": job.state, "receipt": job.result}

    return app


app = create_app()
