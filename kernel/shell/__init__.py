"""The shell `kaish`: text to a tree, checked as a whole, then run over the kernel's own stages (docs/guides/prompt.md)."""
