"""Pictures in memory: read, resized and written, within limits that no picture gets around."""

from __future__ import annotations

from io import BytesIO
from typing import Literal, TypeAlias

from msgspec import Struct
from PIL import Image, ImageOps

Fit: TypeAlias = Literal["fill", "contain", "cover"]
Format: TypeAlias = Literal["png", "jpeg", "webp", "gif"]
Size: TypeAlias = tuple[int, int]

# A picture is small on the wire and large in memory: four bytes for each of these.
MOST_PIXELS_IN = 64_000_000
MOST_PIXELS_OUT = 25_000_000
LONGEST_SIDE = 16_000
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
QUALITY = 85
WHITE = (255, 255, 255)


class BadPicture(ValueError):
    """The picture cannot be read, or is larger than it may be."""


class Wish(Struct, frozen=True, kw_only=True):
    """What a picture is to become."""

    width: int | None
    height: int | None
    fit: Fit
    format: Format | None  # None: as it was


class Picture(Struct, frozen=True, kw_only=True):
    """A picture as a file."""

    content: bytes
    format: str
    width: int
    height: int


def resize(source: bytes, wish: Wish) -> Picture:
    """Resize a picture; of one that moves, the first frame."""
    try:
        return _resized(source, wish)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise BadPicture("the picture is too large to be read") from None
    except BadPicture:
        raise
    except (OSError, SyntaxError, EOFError, ValueError) as problem:
        raise BadPicture(f"the picture cannot be read: {problem}") from None


def target(source: Size, wish: Wish) -> Size:
    """The size that a picture of this size gets."""
    if wish.width is not None and wish.height is not None and wish.fit != "contain":
        return wish.width, wish.height
    sides = zip((wish.width, wish.height), source, strict=True)
    scale = min(wanted / side for wanted, side in sides if wanted is not None)
    return max(1, round(source[0] * scale)), max(1, round(source[1] * scale))


def _resized(source: bytes, wish: Wish) -> Picture:
    with Image.open(BytesIO(source), formats=FORMATS) as opened:
        _refuse_large(opened.size, MOST_PIXELS_IN)
        kind = wish.format or (opened.format or "PNG").lower()
        # A JPEG can be read at an eighth of its size, where that is enough.
        side = max(wish.width or 0, wish.height or 0)
        opened.draft("RGB", (side, side))
        upright = ImageOps.exif_transpose(opened)
    size = target(upright.size, wish)
    _refuse_large(size, MOST_PIXELS_OUT)
    return _written(_fitted(_plain(upright, kind), size, wish.fit), kind, upright)


def _refuse_large(size: Size, most: int) -> None:
    if size[0] * size[1] > most or max(size) > LONGEST_SIDE:
        raise BadPicture(
            f"{size[0]} x {size[1]} pixels are too many; at most {most:,} are allowed, and"
            f" {LONGEST_SIDE:,} on each side"
        )


def _plain(image: Image.Image, kind: str) -> Image.Image:
    """The picture in true colours; where there can be no transparency, on white."""
    if not image.has_transparency_data:
        return image.convert("RGB")
    clear = image.convert("RGBA")
    if kind != "jpeg":
        return clear
    page = Image.new("RGB", clear.size, WHITE)
    page.paste(clear, mask=clear)
    return page


def _fitted(image: Image.Image, size: Size, fit: Fit) -> Image.Image:
    if fit == "cover":
        return ImageOps.fit(image, size, Image.Resampling.LANCZOS)
    return image.resize(size, Image.Resampling.LANCZOS)


def _written(image: Image.Image, kind: str, source: Image.Image) -> Picture:
    """The file; of what was said about the picture only its colours' meaning is kept."""
    file = BytesIO()
    image.save(file, kind, quality=QUALITY, icc_profile=source.info.get("icc_profile"))
    return Picture(content=file.getvalue(), format=kind, width=image.size[0], height=image.size[1])
