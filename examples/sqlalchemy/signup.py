"""Sign people up with SQLAlchemy, and have each of them welcomed by a job: both, or neither.

    pip install ../.. sqlalchemy
    python signup.py ada bob
    windlass worker --app signup:app &
    python signup.py

On PostgreSQL, with `psycopg[binary]`: `windlass migrate up --store postgresql://user@host/database`
once, and then all of it with ENGINE_URL=postgresql+psycopg://user@host/database.
"""

import os
import sys

from sqlalchemy import create_engine, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from windlass import Windlass
from windlass.contrib.sqlalchemy import Outbox, store_url

engine = create_engine(os.environ.get("ENGINE_URL", "sqlite:///signup.db"))
app = Windlass(store_url(engine))
outbox = Outbox(app)


class Base(DeclarativeBase):
    """What is mapped here."""


class User(Base):
    """Somebody who signed up."""

    __tablename__ = "users"

    name: Mapped[str] = mapped_column(primary_key=True)
    welcomed: Mapped[bool] = mapped_column(default=False)


@app.job
def welcome(name: str) -> str:
    """Welcome a user, in whose row that is noted."""
    with Session(engine) as session, session.begin():
        session.get_one(User, name).welcomed = True
    return f"Welcome aboard, {name}!"


def sign_up(*names: str) -> None:
    """Keep the users and their jobs with one commit."""
    with Session(engine) as session, session.begin():
        for name in names:
            session.add(User(name=name))
            outbox.put(session, welcome.job(name))


def main() -> None:
    """Sign up whoever is named, or list everybody."""
    Base.metadata.create_all(engine)
    app.blocking.stats()  # on SQLite the first use makes the tables
    names = sys.argv[1:]
    try:
        sign_up(*names)
    except IntegrityError:
        sys.exit("somebody has signed up before, so nobody does now")
    with Session(engine) as session:
        for user in session.scalars(select(User).order_by(User.name)):
            print(user.name, "is welcome" if user.welcomed else "waits")


if __name__ == "__main__":
    main()
