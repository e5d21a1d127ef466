# SPDX-License-Identifier: Apache-2.0
"""A document as an HTML page that needs nothing else (charts and style inside, no scripts), and as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import markupsafe

import charts
import text
from sections import Document, Strong

_HERE = Path(__file__).parent


def to_html(document: Document) -> str:
    """The page."""

    def strong(cell: Any) -> markupsafe.Markup:
        shown = markupsafe.escape(str(cell))
        return markupsafe.Markup("<strong>{}</strong>").format(shown) if isinstance(cell, Strong) else shown

    style = charts.variables(":root") + "\n" + (_HERE / "style.css").read_text(encoding="utf-8")
    return _template("page.html.j2", True, strong).render(document=document, style=markupsafe.Markup(style))


def to_markdown(document: Document) -> str:
    """The same, with the charts as files beside it."""

    def strong(cell: Any) -> str:
        return f"**{text.markdown(cell)}**" if isinstance(cell, Strong) else text.markdown(cell)

    return _template("page.md.j2", False, strong).render(document=document).rstrip() + "\n"


def _template(name: str, escaped: bool, strong: Any) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=escaped,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(slug=text.slug, markdown=text.markdown, strong=strong)
    return environment.get_template(name)
