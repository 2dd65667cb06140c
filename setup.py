"""What setup.cfg cannot say: the compiled kernel, and in a build, Hy and the machines become Python beside
their sources.

An installed copy so starts without Hy, and needs to write or recompile nothing. The source
tree is never written to: a checkout has no translation that could be older than its source.
"""

import ast
import os
import shutil
import sys
from types import ModuleType

from setuptools import Extension, setup
from setuptools.command.build_py import build_py


class Translate(build_py):
    def run(self):
        if self.editable_mode:  # the source tree is what will be imported
            return super().run()
        shutil.rmtree(self.build_lib, ignore_errors=True)  # may hold what is no longer in the sources
        super().run()
        sys.dont_write_bytecode = True
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        top = os.path.join(self.build_lib, "statemachine")
        translate_hy(top)
        compile_machines(os.path.join(top, "machines"))


def translate_hy(directory):
    import hy
    from hy.compiler import hy_compile

    for name, path in files(directory, ".hy"):
        with open(path, encoding="utf-8") as source:
            forms = hy.read_many(source.read(), filename=path)
        # Hy would have each module import it, and so be part of every start; who needs it, says so.
        write(directory, name, hy_compile(forms, ModuleType(name), import_stdlib=False))


def compile_machines(directory):
    from statemachine import load

    for name, path in files(directory, ".lisp"):
        tree, problems = load.translate(load.source(path))
        if problems:
            sys.exit(f"{path}: {problems}")
        write(directory, name, tree)


def files(directory, suffix):
    return [(name[:-len(suffix)], os.path.join(directory, name))
            for name in sorted(os.listdir(directory)) if name.endswith(suffix)]


def write(directory, name, tree):
    with open(os.path.join(directory, name + ".py"), "w", encoding="utf-8") as module:
        module.write(ast.unparse(tree) + "\n")


# Without a compiler the build goes on, and plain Python does the same more slowly. It compiles for any
# processor of its kind; what pays on some is chosen at run time.
KERNEL = Extension(
    "sieve._kernel", [path for _, path in files("kernel", ".c")], depends=[path for _, path in files("kernel", ".h")],
    extra_compile_args=["-std=c11", "-O3", "-g0", "-fvisibility=hidden"], optional=True)

setup(cmdclass={"build_py": Translate}, ext_modules=[KERNEL])
