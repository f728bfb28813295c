"""All about one job, over the tables."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from windlass.cli.dossier import Dossier


class DossierScreen(ModalScreen[None]):
    """What `windlass job` tells, until a key is pressed."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,enter", "dismiss", "Back")]

    def __init__(self, dossier: Dossier, now: datetime) -> None:
        """Show this."""
        super().__init__()
        self._shown = dossier.shown(now)

    def compose(self) -> ComposeResult:
        """The dossier, as long as it is."""
        with VerticalScroll(id="dossier"):
            yield Static(self._shown)
        yield Footer()
