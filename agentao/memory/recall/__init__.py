"""The inside of recall and search: words and synonyms, the index in the database, a question's clues, the ranking."""
