"""The shell on a terminal: prompt, keys, streamed answers, signals, and the terminal left as it was found."""
