"""The inside of the OpenAI client: addresses and proxies, the wire, streams, faults."""
