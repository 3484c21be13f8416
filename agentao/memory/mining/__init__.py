"""The inside of the crystallizer: what of a message is read, how it is cut, the table of rules, the judgement."""
