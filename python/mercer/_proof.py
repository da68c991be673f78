"""Why a kernel is one, as Python shows it."""
from __future__ import annotations

from html import escape


class Proof:
    """A proof tree. Printed it is drawn with lines; in a notebook it is a nested list; `tree` is it as dicts."""

    def __init__(self, tree, text):
        self.tree = tree
        self._text = text

    def __repr__(self):
        return self._text.rstrip("\n")

    def _repr_html_(self):
        def item(step):
            inside = "".join(item(premise) for premise in step["premises"])
            source = f" <i>({escape(step['citation'])})</i>" if step["citation"] else ""
            given = f"; {escape(step['conditions'])}" if step["conditions"] else ""
            head = f"<code>{escape(step['statement'])}</code> <b>{escape(step['rule'])}</b>: {escape(step['because'])}"
            return f"<li>{head}{given}{source}{'<ul>' + inside + '</ul>' if inside else ''}</li>"

        return f"<ul>{item(self.tree)}</ul>"
