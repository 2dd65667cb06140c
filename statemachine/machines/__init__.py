"""The machines that are shipped: each a `.lisp` file, installed with its compilation beside it."""
