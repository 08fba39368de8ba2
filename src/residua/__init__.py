"""From a modulus or a curve to verified modular-arithmetic hardware."""


def __getattr__(name: str) -> str:
    """``__version__`` by the package's metadata, which are read when somebody asks for it."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import metadata  # noqa: PLC0415

    try:
        return metadata.version(__name__)
    except metadata.PackageNotFoundError:
        return "unknown"
