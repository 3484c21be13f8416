"""The shell: the command table, the terminal, the command line. The only layer that reads or prints."""
