"""The screen: a head, three tables, and the keys that act on what is under the cursor."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import DataTable, Footer, Input, Sparkline, Static, TabbedContent, TabPane

from windlass.cli import dossier
from windlass.cli.problems import hint_of
from windlass.cli.top import rows
from windlass.cli.top.dossier import DossierScreen
from windlass.cli.top.sight import Sight, look
from windlass.cli.words import harmless, myself
from windlass.core.errors import WindlassError

if TYPE_CHECKING:
    from windlass.wiring import Windlass

TABLES = {"queues": rows.QUEUES, "workers": rows.WORKERS, "jobs": rows.JOBS}
FILL = {"queues": rows.queues, "workers": rows.workers, "jobs": rows.jobs}


class Top(App[None]):
    """Looks again and again until somebody quits."""

    CSS_PATH = "top.tcss"
    TITLE = "windlass"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit"),
        # Told by the tabs themselves.
        Binding("1", "show('queues')", "Queues", show=False),
        Binding("2", "show('workers')", "Workers", show=False),
        Binding("3", "show('jobs')", "Jobs", show=False),
        Binding("slash", "ask", "Search"),
        Binding("p", "pause", "Pause or resume"),
        Binding("d", "drain", "Drain or undo"),
        Binding("r", "retry", "Retry"),
        Binding("n", "run_now", "Run now"),
        Binding("c", "cancel", "Cancel"),
    ]
    # Which keys mean something on which table.
    PLACES: ClassVar[dict[str, str]] = {
        "pause": "queues",
        "drain": "workers",
        "retry": "jobs",
        "run_now": "jobs",
        "cancel": "jobs",
    }

    def __init__(self, windlass: Windlass, *, query: str = "", every: float = 1.0) -> None:
        """Look at this one, so often."""
        super().__init__()
        self._windlass = windlass
        self._asked = query
        self._every = every
        self._sight: Sight | None = None
        self._looked = asyncio.Event()

    def compose(self) -> ComposeResult:
        """The head, the tables, the keys."""
        with Vertical(id="head"):
            yield Static("looking …", id="states")
            yield Static(id="flow")
            yield Sparkline([], id="finished")
            yield Static(id="incidents")
        with TabbedContent(id="tabs"):
            for key, name in enumerate(TABLES, 1):
                with TabPane(f"{key} {name.capitalize()}", id=name):
                    if name == "jobs":
                        yield Input(
                            self._asked,
                            placeholder="status:failed queue:mail age:<2h …",
                            id="query",
                            compact=True,
                        )
                    yield DataTable(id=f"{name}-table", cursor_type="row", zebra_stripes=True)
        yield Footer()

    def on_mount(self) -> None:
        """Begin to look."""
        for name, titles in TABLES.items():
            self._table(name).add_columns(*titles)
        if self._asked:
            self.action_show("jobs")
        else:
            self._table("queues").focus()
        self._watch()

    @work(exclusive=True)
    async def _watch(self) -> None:
        """Look, show, wait; whatever the store says, the next look may be better."""
        while True:
            self._looked.clear()
            try:
                self._sight = await look(self._windlass, self._asked)
            except WindlassError as problem:
                self._complain(problem)
            else:
                self._draw(self._sight)
            try:
                await asyncio.wait_for(self._looked.wait(), self._every)
            except TimeoutError:
                continue

    def _draw(self, sight: Sight) -> None:
        self._say("states", rows.states(sight))
        self._say("flow", rows.flow(sight.pace))
        self._say("incidents", rows.incidents(sight))
        self.query_one("#finished", Sparkline).data = sight.finished
        for name, lines in FILL.items():
            fill(self._table(name), lines(sight))

    def _complain(self, problem: WindlassError) -> None:
        hint = hint_of(problem)
        words = f"{problem}; try: {hint}" if hint else str(problem)
        self._say("incidents", Text.assemble(("✗ ", "red"), harmless(words)))

    def _say(self, where: str, words: Text) -> None:
        self.query_one(f"#{where}", Static).update(words)

    def _table(self, name: str) -> DataTable[Text]:
        return self.query_one(f"#{name}-table", DataTable)

    @property
    def _place(self) -> str:
        return self.query_one("#tabs", TabbedContent).active

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show and heed only the keys that mean something here."""
        del parameters
        return self.PLACES.get(action, self._place) == self._place

    def action_show(self, name: str) -> None:
        """Go to a table."""
        self.query_one("#tabs", TabbedContent).active = name
        self._table(name).focus()

    def on_tabbed_content_tab_activated(self) -> None:
        """Other keys mean something here."""
        self.refresh_bindings()

    def action_ask(self) -> None:
        """Search for jobs."""
        self.query_one("#tabs", TabbedContent).active = "jobs"
        self.query_one("#query", Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """List what was asked for."""
        self._asked = event.value.strip()
        self._looked.set()
        self._table("jobs").focus()

    async def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Open the job."""
        if self._place == "jobs" and event.row_key.value:
            await self._act(self._open, event.row_key.value)

    async def action_pause(self) -> None:
        """Pause the queue, or let it go on."""
        await self._on_cursor("queues", self._switch)

    async def action_drain(self) -> None:
        """Let the worker claim no more, or again."""
        await self._on_cursor("workers", self._drain)

    async def action_retry(self) -> None:
        """Put the job back in line."""
        await self._on_cursor("jobs", self._windlass.retry)

    async def action_run_now(self) -> None:
        """Let the job wait no longer."""
        await self._on_cursor("jobs", self._windlass.run_now)

    async def action_cancel(self) -> None:
        """Cancel the job."""
        await self._on_cursor("jobs", self._windlass.cancel)

    async def _on_cursor(self, place: str, act: Callable[[str], Awaitable[object]]) -> None:
        key = cursor(self._table(place))
        if key is not None:
            await self._act(act, key)

    async def _act(self, act: Callable[[str], Awaitable[object]], key: str) -> None:
        """Do it, say in words if it cannot be done, and look again at once."""
        try:
            await act(key)
        except WindlassError as problem:
            self.notify(harmless(str(problem)), severity="error", markup=False)
        self._looked.set()

    async def _switch(self, queue: str) -> None:
        paused = any(
            one.record.paused_at is not None
            for one in (self._sight.board.queues if self._sight else ())
            if one.record.name == queue
        )
        if paused:
            await self._windlass.resume(queue)
        else:
            await self._windlass.pause(queue, by=myself())

    async def _drain(self, worker: str) -> None:
        draining = any(
            one.drain_at is not None
            for one in (self._sight.board.fleet.workers if self._sight else ())
            if str(one.record.id) == worker
        )
        if draining:
            await self._windlass.end_drain(worker)
        else:
            await self._windlass.drain(worker, by=myself())

    async def _open(self, job_id: str) -> None:
        found = await dossier.read(self._windlass, job_id)
        if self._sight is not None:
            self.push_screen(DossierScreen(found, self._sight.at))


def cursor(table: DataTable[Text]) -> str | None:
    """What the line under the cursor is about."""
    if not table.row_count:
        return None
    return table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value


def fill(table: DataTable[Text], lines: Sequence[rows.Row]) -> None:
    """Show these lines; the cursor stays on what it was on, wherever that is now."""
    held, scrolled = cursor(table), table.scroll_offset
    table.clear()
    for key, cells in lines:
        table.add_row(*cells, key=key)
    places = {line.key: place for place, line in enumerate(lines)}
    table.move_cursor(row=places.get(held or "", 0), scroll=False)
    table.scroll_to(scrolled.x, scrolled.y, animate=False, force=True)
