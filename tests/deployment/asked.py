"""What Prometheus is asked, taken apart: of which metrics, and by which labels answers differ."""

import re
from collections.abc import Iterator

import promql_parser as promql
from promql_parser import (
    AggregateExpr,
    BinaryExpr,
    Call,
    Expr,
    MatrixSelector,
    NumberLiteral,
    ParenExpr,
    SubqueryExpr,
    VectorSelector,
)

from tests.deployment.compose import ROOT
from tests.deployment.watched import PARTS

# What Grafana puts in.
GRAFANA = {"$__rate_interval": "1m", "$queue": "mail"}
# What Prometheus adds to every series.
PLACE = {"instance", "job"}
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| ([\w, ]*) \|", re.MULTILINE)


def documented() -> dict[str, set[str]]:
    """The labels of each metric, as the page about them says."""
    rows = ROW.findall((ROOT / "docs/metrics.md").read_text())
    return {
        name: set(labels.replace(",", " ").split())
        for names, labels in rows
        for name in re.findall(r"\w+", names)
    }


LABELS = documented()


def understood(text: str) -> Expr:
    """A question as Prometheus reads it; one that it would not answer is refused."""
    for name, value in GRAFANA.items():
        text = text.replace(name, value)
    return promql.parse(text)


def calls(asked: Expr) -> Iterator[tuple[str, str]]:
    """Each function that is called in it, and the metric that this is about."""
    for call in (node for node in nodes(asked) if isinstance(node, Call)):
        [*_, about] = (node.name for node in nodes(call) if isinstance(node, VectorSelector))
        yield call.func.name, PARTS.sub("", about or "")


def nodes(asked: Expr) -> list[Expr]:
    """It, and everything that it is made of."""
    found: list[Expr] = []
    promql.walk(asked, pre_visit=found.append)
    return found


def labels(asked: Expr) -> set[str]:
    """By which labels its answers differ; it must not ask for such as there are not."""
    match asked:
        case VectorSelector():
            return of_metric(asked.name or "")
        case MatrixSelector():
            return labels(asked.vector_selector)
        case AggregateExpr():
            return of_aggregate(asked)
        case Call():
            return of_call(asked)
        case BinaryExpr():
            return of_pair(asked)
        case _:
            assert isinstance(asked, ParenExpr | SubqueryExpr)
            return labels(asked.expr)


def of_metric(name: str) -> set[str]:
    """A histogram is asked for in parts, of which one has bounds."""
    bounds = {"le"} if name.endswith("_bucket") else set()
    return LABELS.get(PARTS.sub("", name), set()) | PLACE | bounds


def of_aggregate(asked: AggregateExpr) -> set[str]:
    """Only those that it is told to keep."""
    kept = set(asked.modifier.labels) if asked.modifier else set()
    assert kept <= labels(asked.expr), f"{asked} has no {kept - labels(asked.expr)}"
    return kept


def of_call(asked: Call) -> set[str]:
    """Those of what it is made from; a quantile is told by the bounds, and nothing is of none."""
    if asked.func.name == "absent":
        return set()
    given = labels(asked.args[-1])
    if asked.func.name != "histogram_quantile":
        return given
    assert "le" in given, f"{asked} is made of no bounds"
    return given - {"le"}


def of_pair(asked: BinaryExpr) -> set[str]:
    """Those of the left side; what is not matched by some must be told apart by the same."""
    left = labels(asked.lhs)
    if isinstance(asked.rhs, NumberLiteral):
        return left
    right = labels(asked.rhs)
    by = asked.modifier.matching if asked.modifier else None
    assert set(by.labels) <= left & right if by else left == right, f"{asked} never match"
    return left
