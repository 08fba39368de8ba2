"""From any specification to its core, and from the core to the files of its directory."""

from residua.cores.coprocessor.core import CurveBuild, curve_build
from residua.cores.coprocessor.digit_specification import DigitCoprocessorSpecification
from residua.cores.coprocessor.files import coprocessor_files
from residua.cores.coprocessor.specification import CoprocessorSpecification
from residua.cores.digit.core import DigitMontgomeryCore
from residua.cores.digit.files import digit_files
from residua.cores.digit.rsa_crt import digit_core
from residua.cores.digit.specification import DigitSpecification
from residua.cores.engine_directory import AnyEngineCore, engine_core, engine_files
from residua.cores.exponentiation.core import ExponentiationCore
from residua.cores.exponentiation.files import exponentiation_files
from residua.cores.exponentiation.specification import ExponentiationSpecification
from residua.cores.extended_rns.core import ExtendedCore
from residua.cores.extended_rns.files import extended_files
from residua.cores.extended_rns.specification import ExtendedSpecification
from residua.cores.inversion.core import InversionCore
from residua.cores.inversion.files import inversion_files
from residua.cores.inversion.specification import InversionSpecification
from residua.cores.specification.reading import AnySpecification
from residua.output import Progress

AnyCore = (
    AnyEngineCore
    | DigitMontgomeryCore
    | ExponentiationCore
    | InversionCore
    | ExtendedCore
    | CurveBuild
)
"""What a specification leads to."""


def core_of(specification: AnySpecification) -> AnyCore:
    """The core that a specification asks for.

    Raises:
        SpecificationError: the request cannot be met.
    """
    if isinstance(specification, DigitSpecification):
        return digit_core(specification)
    if isinstance(specification, ExtendedSpecification):
        return ExtendedCore(specification)
    if isinstance(specification, ExponentiationSpecification):
        return ExponentiationCore(specification)
    if isinstance(specification, InversionSpecification):
        return InversionCore(specification)
    if isinstance(specification, CoprocessorSpecification | DigitCoprocessorSpecification):
        return curve_build(specification)
    return engine_core(specification)


def files_of(core: AnyCore, progress: Progress = lambda step: None) -> dict[str, str]:
    """All files of the directory by name, the manifest last; the same core, the same bytes.

    Raises:
        SpecificationError: the request cannot be met.
    """
    if isinstance(core, CurveBuild):
        return coprocessor_files(core, progress)
    progress("Verilog")
    if isinstance(core, DigitMontgomeryCore):
        return digit_files(core)
    if isinstance(core, ExtendedCore):
        return extended_files(core)
    if isinstance(core, ExponentiationCore):
        return exponentiation_files(core)
    if isinstance(core, InversionCore):
        return inversion_files(core)
    return engine_files(core)
