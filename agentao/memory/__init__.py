"""The memory core: records, stores, recall, prompt blocks and mining. Standard library and ``agentao.errors`` only."""
