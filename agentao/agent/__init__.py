"""The agent: one conversation with a language model, its tool, its prompt and its compaction. Knows no terminal."""
