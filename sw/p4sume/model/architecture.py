# SPDX-License-Identifier: Apache-2.0
"""What an architecture decides: which externs there are, and how a packet goes through the blocks of `main`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4sume.model.refusal import RefusedError
from p4sume.model.writer import Writer
from p4sume.semantics.checked import CallTarget
from p4sume.semantics.types import Extern
from p4sume.syntax import ast

if TYPE_CHECKING:
    from p4sume.model.blocks import BlockWriter
    from p4sume.model.calls import Calls
    from p4sume.model.program import Program


class Architecture:
    """The base refuses every extern."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def extern_function(self, body: Calls, node: ast.Call, target: CallTarget) -> str | None:
        raise RefusedError(node, f"the model does not know the extern function '{target.name}'")

    def extern_method(self, body: Calls, node: ast.Call, target: CallTarget, owner: Extern) -> str | None:
        raise RefusedError(node, f"the model does not know the extern '{owner.info.name}'")

    def extern_instance(self, block: BlockWriter, node: ast.Instantiation, target: CallTarget, name: str) -> None:
        raise RefusedError(
            node,
            f"the model does not know the extern '{target.name}'",
            "P4-NetFPGA's externs are functions, such as <prefix>_reg_rw",
        )

    def ignores_property(self, name: str) -> bool:
        return False

    def model_class(self) -> Writer:
        """The class Model_, derived from p4::Model; writes the blocks it needs through the program."""
        raise NotImplementedError


def architecture_of(program: Program) -> Architecture:
    """The architecture that the package of `main` belongs to."""
    from p4sume.model.sume import SumeArchitecture

    main = program.checked.main
    if main is None:
        raise RefusedError(
            program.checked.program,
            "the program has no 'main'",
            "instantiate SimpleSumeSwitch(…) main; at the end",
            "no-main",
        )
    target = program.checked.instances[main]
    if target.name != "SimpleSumeSwitch":
        raise RefusedError(
            main,
            f"the model does not know the architecture of '{target.name}'",
            "include <sume_switch.p4> and instantiate SimpleSumeSwitch",
            "unknown-architecture",
        )
    return SumeArchitecture(program)
