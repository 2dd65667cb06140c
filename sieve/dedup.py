"""drop repeated lines, keeping the first"""


def arguments(parser):
    pass


def run(args, documents, out):
    for document in documents:
        out.begin(document.name)
        for block in document:
            out.text(block)
