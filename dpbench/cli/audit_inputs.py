"""What ``dpbench audit`` reads: callables by name, data sets and arrays from files, claims and domains in words."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

SAMPLER = "MODULE:SAMPLER"
UNPACKED, SMALL = 100, 2**28  # a compressed file may ask for 100 times its own bytes of memory, any file for 256 MiB


def import_callable(
    name: str, what: str = SAMPLER, form: str = "a callable (data, trials, rng) -> array"
) -> Callable[..., Any]:
    """The sampler by its name; what goes wrong in the user's module is told as theirs."""
    from dpbench.core.validation import InvalidInput, did_you_mean, invalid

    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute or module_name.endswith(".py") or "/" in module_name:
        hint = f" (did you mean {Path(module_name).stem}:{attribute or 'NAME'}?)" if module_name else ""
        raise invalid(what, f"the name of a module, a colon and a name in it{hint}", name)
    sys.path.insert(0, os.getcwd())
    try:
        value: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            must_be = "a module that can be imported from the working directory"
            raise invalid(what, must_be, name) from error
        raise InvalidInput(f"{what} must be importable, got {name!r}, which asks for {error.name}") from error
    except (Exception, SystemExit) as error:
        raise InvalidInput(
            f"{what} must be importable, got {name!r}, which raised {type(error).__name__}: {error}"
        ) from error
    for part in attribute.split("."):
        if not hasattr(value, part):
            hint = did_you_mean(part, [n for n in dir(value) if not n.startswith("_")])
            raise invalid(what, f"a name that {module_name} has{hint}", name)
        value = getattr(value, part)
    if not callable(value) or isinstance(value, type):
        raise invalid(what, f"{form}, not a class", name)
    return value


def own_frames(error: BaseException | None) -> str:
    """A traceback without the frames of this package, of installed ones and of Python's own library."""
    import traceback

    if error is None:
        return ""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if users(frame.filename)]
    return "".join(traceback.format_list(frames)).rstrip()


def users(filename: str) -> bool:
    """Whether a file is the user's: neither here, nor of Python, nor installed, in an environment of any kind."""
    import sysconfig

    if filename.startswith("<"):
        return False
    file = Path(filename).resolve()
    folders = Path(__file__).resolve().parent.parent, Path(sysconfig.get_path("stdlib")).resolve()
    installed = {"site-packages", "dist-packages"}.intersection(file.parts)
    return not installed and not any(file.is_relative_to(folder) for folder in folders)


def read_data(option: str, path: str) -> Any:
    """A data set from a file that is no table, by its suffix."""
    import numpy as np

    from dpbench.core.validation import InvalidInput, invalid

    suffix = Path(path).suffix.lower()
    if suffix not in (".npy", ".npz", ".json"):
        raise invalid(option, "a file that ends in .npy, .npz, .csv, .parquet or .json", path)
    try:
        if suffix == ".json":
            return json.loads(Path(path).read_text(encoding="utf-8"))
        loaded = np.load(path, allow_pickle=False)
        if suffix == ".npy":
            return loaded
        check_unpacked(option, path, sum(member.file_size for member in loaded.zip.infolist()))
        return {key: loaded[key] for key in loaded.files}
    except InvalidInput:
        raise
    except OSError as error:
        raise invalid(option, f"a file that can be read ({error.strerror or error})", path) from error
    except Exception as error:  # NumPy's readers raise what they like on a damaged file
        raise invalid(option, f"a sound {suffix} file ({type(error).__name__}: {error})", path) from error


def check_unpacked(option: str, path: str, size: int) -> None:
    """Refuse a file of arrays that take `size` bytes of memory, far more than the file has."""
    from dpbench.core.validation import invalid

    most = max(SMALL, UNPACKED * os.path.getsize(path))
    if size > most:
        raise invalid(option, f"a file whose arrays take at most {most:,} bytes", f"{size:,}")


def read_claim(text: str) -> Any:
    """``mu=1``, ``rho=0.5``, ``rho=0.5,delta=1e-6`` or ``rdp=2:0.5,8:2``, as `dpbench.audit` takes it."""
    from dpbench.core.validation import invalid

    forms = "mu=NUMBER, rho=NUMBER, rho=NUMBER,delta=NUMBER or rdp=ORDER:EPSILON,ORDER:EPSILON,..."
    kind, _, value = text.partition("=")
    try:
        if kind == "mu":
            return {"mu": float(value)}
        if kind == "rho":
            pairs = [item.split("=") for item in text.split(",")]
            return {name: float(number) for name, number in pairs}
        if kind == "rdp":
            return {"rdp": {float(o): float(e) for o, e in (item.split(":") for item in value.split(","))}}
    except ValueError as error:
        raise invalid("--claim", forms, text) from error
    raise invalid("--claim", forms, text)


def read_domain(text: str) -> dict[str, Any]:
    """A domain as JSON in a file, or as ``records=5,low=0,high=1,nan=true``."""
    from dpbench.core.validation import invalid

    if text.lower().endswith(".json"):
        domain = read_data("DOMAIN", text)
    else:
        domain = {}
        for item in text.split(","):
            name, sign, value = item.strip().partition("=")
            if not sign:
                raise invalid("DOMAIN", "a .json file, or name=value items separated by commas", text)
            try:
                domain[name] = json.loads(value)
            except ValueError:
                domain[name] = value
    if not isinstance(domain, dict):
        raise invalid("DOMAIN", "a description by names, such as records=5,low=0,high=1", text)
    return domain
