"""Compilation of the functions that are inlined into kernels: typed and lowered, nothing more.

numba gives every function that it compiles a wrapper for Python, optimises it and emits machine
code for it, also if only other compiled functions ever call it. A kernel's hundred parts need
none of that: their code is optimised once, as part of the kernel, in half the time.
"""

import ctypes
import inspect
from collections.abc import Callable
from typing import Any, Literal

from numba import _dynfunc, njit, types  # pyright: ignore[reportAttributeAccessIssue]
from numba.core import compiler, typed_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import PassManager, register_pass

# ruff: noqa: ANN001, SLF001  (numba's own types and attributes)
_CALL = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object, ctypes.c_void_p)


def compile_part(function: Callable) -> Any:  # noqa: ANN401 (a numba dispatcher)
    """Return a dispatcher that compiles a function into the kernels that call it.

    Literal arguments have the function compiled for their type, not for each of their values.
    """
    dispatcher = njit(forceinline=True, _nrt=False, pipeline_class=_PartCompiler)(function)  # pyright: ignore[reportCallIssue]
    own = dispatcher._compiler
    fold = own.fold_argument_types

    def fold_without_literals(args, kws) -> tuple:
        signature, args = fold(args, kws)
        return signature, tuple(types.unliteral(kind) for kind in args)

    own.fold_argument_types = fold_without_literals
    return dispatcher


class _PartLibrary(JITCodeLibrary):
    """LLVM code that is linked into a kernel's and optimised there."""

    def _optimize_functions(self, ll_module) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Leave the functions that this one calls to the kernel that links them all."""
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(typed_passes.NativeLowering):
    """numba's lowering to LLVM without wrappers and without machine code."""

    _name = "generative_ik_part_lowering"

    def run_pass(self, state) -> Literal[True]:
        flags, library = (
            state.flags,
            _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname),
        )
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        state.library = library
        super().run_pass(state)
        key = _entry_point(state.func_id.func, state.cr.env)
        state.targetctx.insert_user_function(
            key, state.cr.fndesc, [library, *library._linking_libraries]
        )
        state.cr = state.cr._replace(cfunc=key)
        return True


class _PartCompiler(compiler.CompilerBase):
    """numba's pipeline for compiled code, with the lowering above."""

    def define_pipelines(self) -> list[PassManager]:
        pipeline = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (_PartLowering if kind is typed_passes.NativeLowering else kind, text)
            for kind, text in pipeline.passes
        ]
        pipeline._finalized = False
        pipeline.finalize()
        return [pipeline]


def _entry_point(function: Callable, env: object) -> Callable:
    """Return what numba knows a part by; called from Python, it is compiled on its own."""
    alone = njit(function)
    call = _CALL(lambda _, arguments, __: alone(*arguments))
    address = ctypes.cast(call, ctypes.c_void_p).value
    module = inspect.getmodule(function)
    return _dynfunc.make_function(module, function.__name__, "", address, env, (call,))
