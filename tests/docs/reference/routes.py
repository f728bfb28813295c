"""The page of the HTTP API: every route and every shape, from the OpenAPI document itself."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.docs.reference.table import table
from windlass.http import mail
from windlass.http.app import ROUTES
from windlass.http.openapi import ANYWHERE, WITH_BODY, document

INTRO = Path(__file__).with_suffix(".md").read_text("utf-8") + "\n"
COMMON = {str(status) for status in (*ANYWHERE, *WITH_BODY, 401)}
SHAPES = "## Shapes\n"


def page() -> str:
    """All of it."""
    told = document([*ROUTES, *mail.ROUTES])
    chapters = [_chapter(tag, told["paths"]) for tag in told["tags"]]
    shapes = [_shape(name, one) for name, one in sorted(told["components"]["schemas"].items())]
    return INTRO + "\n".join([*chapters, SHAPES, *shapes])


def _chapter(tag: Mapping[str, str], paths: Mapping[str, Any]) -> str:
    routes = [
        _route(method.upper(), path, operation)
        for path, methods in paths.items()
        for method, operation in methods.items()
        if tag["name"] in operation["tags"]
    ]
    return "\n".join([f"## {tag['name']}\n\n{tag['description']}\n", *routes])


def _route(method: str, path: str, told: Mapping[str, Any]) -> str:
    parts = [
        f"### {method} {path}\n",
        f"{told['summary']}. {_scope(told)}\n",
        told.get("description", "") + "\n" if "description" in told else "",
        table(("parameter", "in", "type", ""), _parameters(told["parameters"])),
        f"**Body:** {_body(told)}\n" if "requestBody" in told else "",
        table(("answer", "", ""), _answers(told["responses"])),
    ]
    return "\n".join(part for part in parts if part)


def _scope(told: Mapping[str, Any]) -> str:
    match told.get("security"):
        case None:
            return "*Needs no token.*"
        case [{"token": []}, *rest]:
            scope = "any scope"
        case [{"token": [scope]}, *rest]:
            scope = f"`{scope}`"
        case other:
            raise AssertionError(other)
    return f"*Scope: {scope}{'' if rest else ', always'}.*"


def _parameters(parameters: list[Any]) -> Iterator[tuple[str, str, str, str]]:
    for one in parameters:
        told = one.get("description") or _about(one["schema"])
        yield f"`{one['name']}`", one["in"], _type(one["schema"]), told


def _body(told: Mapping[str, Any]) -> str:
    [content] = told["requestBody"]["content"].values()
    return _type(content["schema"])


def _answers(responses: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for status, one in sorted(responses.items()):
        if status not in COMMON:
            shapes = [_type(content["schema"]) for content in one.get("content", {}).values()]
            headers = "".join(f" `{name}`: {h['description']}" for name, h in _headers(one))
            yield status, one["description"] + headers, "".join(shapes)


def _headers(response: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from response.get("headers", {}).items()


def _shape(name: str, schema: Mapping[str, Any]) -> str:
    about = f"{schema['description']}\n" if "description" in schema else ""
    if "enum" in schema:
        return f"### {name}\n\n{about}\n{_type(schema)}\n"
    needed = schema.get("required", ())
    rows = (
        (f"`{field}`{'' if field in needed else ' ·'}", _type(one), _about(one))
        for field, one in schema.get("properties", {}).items()
    )
    return "\n".join([f"### {name}\n", about, table(("field (· may be left out)", "", ""), rows)])


def _about(schema: Mapping[str, Any]) -> str:
    """What the schema says of itself, also where it may be null."""
    within = (_about(one) for one in schema.get("anyOf", ()))
    return str(schema.get("description") or next(filter(None, within), ""))


def _type(schema: Mapping[str, Any]) -> str:
    """A schema in a few words."""
    match schema:
        case {"$ref": ref}:
            name = ref.rpartition("/")[2]
            return f"[{name}](#{name.lower()})"
        case {"anyOf": several}:
            return " or ".join(_type(one) for one in several)
        case {"enum": values}:
            return ", ".join(f"`{value}`" for value in values)
        case {"const": value}:
            return f"`{value}`"
        case {"type": str(type_)}:
            return _plain(type_, schema)
        case _:
            return "anything"


def _plain(type_: str, schema: Mapping[str, Any]) -> str:
    values = schema.get("additionalProperties")
    if type_ == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if type_ == "object" and isinstance(values, dict):
        return f"object of {_type(values)}"
    return f"{schema.get('format', type_)}{_range(schema)}"


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None or high is None:
        return ""
    return f", {low:,.15g} to {high:,.15g}"
