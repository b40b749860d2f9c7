"""The schemas of the shipped tools, as files to compare with: `python tests/golden_schemas.py` writes them anew.

One file a dialect, one line a tool: exactly what `kernel schema --dialect DIALECT TOOL` prints.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from kernel import locate, store, strict_json  # noqa: E402
from kernel.export.dialects import DIALECTS, published  # noqa: E402

GOLDEN = HERE / "corpus" / "schemas"


def texts() -> dict[str, str]:
    """The text of each file by dialect."""
    shipped = locate.scan([locate.Directory(locate.shipped_directory(), "shipped")])
    nodes = [node for found in sorted(shipped, key=lambda each: each.name) for node in published(store.compile(found))]
    return {
        dialect: "".join([strict_json.dumps(write(node)) + "\n" for node in nodes]) for dialect, write in sorted(DIALECTS.items())
    }


def main() -> None:
    """Writes the files."""
    GOLDEN.mkdir(exist_ok=True)
    for dialect, text in texts().items():
        (GOLDEN / f"{dialect}.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
