"""What a spec becomes for others: schemas, completion, reference pages. A file a dialect."""
