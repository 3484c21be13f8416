"""The inside of a store: its file in every state, the rows, the side tables, what is kept beside the memories."""
