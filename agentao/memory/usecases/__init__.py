"""The use cases behind ``MemoryManager``, one module each."""
