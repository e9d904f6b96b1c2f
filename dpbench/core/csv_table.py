"""A CSV file as a matrix of numbers: one header line, and every refusal names the line and the column."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TextIO

import numpy as np

from dpbench.core import validation
from dpbench.core.validation import InvalidInput


def read_table(path: str | Path) -> tuple[list[str], np.ndarray]:
    """Header and numbers (rows, columns) of a CSV file; every refusal names the line and the column."""
    header, lines = _read(path)
    rows = [
        [_cell(cell, line, name, str(path)) for cell, name in zip(cells, header, strict=True)] for line, cells in lines
    ]
    return header, np.array(rows)


def read_columns(path: str | Path) -> dict[str, np.ndarray]:
    """The columns of a CSV file by name: numbers where all cells are (NaN, infinities, and empty cells as NaN), or
    texts."""
    header, lines = _read(path)
    columns = {}
    for name, column in zip(header, zip(*(cells for _, cells in lines), strict=True), strict=True):
        numbers = [_number(cell) if cell.strip() else math.nan for cell in column]
        numeric = all(x is not None for x in numbers) and any(cell.strip() for cell in column)
        columns[name] = np.array(numbers, dtype=np.float64) if numeric else np.array(column, dtype=np.str_)
    return columns


def read_cells(texts: np.ndarray) -> np.ndarray:
    """Cells of a column that `read_columns` gave as texts, each by itself: its number where it holds one (empty: NaN),
    or its text."""
    numbers = [_number(cell) if cell.strip() else math.nan for cell in texts.tolist()]
    cells = [cell if x is None else x for cell, x in zip(texts.tolist(), numbers, strict=True)]
    return np.array(cells, dtype=object)


def _read(path: str | Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header, and of each row its line and its cells."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            return _parse(file, str(path))
    except TypeError as error:
        raise validation.invalid("path", "a file name", path) from error
    except OSError as error:
        must_be = f"a file that can be read ({error.strerror or error})"
        raise validation.invalid("path", must_be, str(path)) from error
    except UnicodeDecodeError as error:
        must_be = f"UTF-8 text (byte 0x{error.object[error.start]:02x} at position {error.start} is not)"
        raise validation.invalid("path", must_be, str(path)) from error
    except csv.Error as error:
        raise validation.invalid("path", f"a CSV file ({error})", str(path)) from error


def _parse(file: TextIO, path: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    first = file.readline()
    delimiter = next((mark for mark in ",;\t" if mark in first), ",")
    header = [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter), [])]
    _check_header(header, path)
    rows = []
    reader = csv.reader(file, delimiter=delimiter)
    for cells in reader:
        if not cells:
            continue
        line = reader.line_num + 1
        if len(cells) != len(header):
            must_be = f"a table with {len(header)} cells in each row"
            raise InvalidInput(f"path must be {must_be}, got {len(cells)} in line {line} of {path}")
        rows.append((line, cells))
    if not rows:
        raise validation.invalid("path", "a CSV file with at least one row below the header", path)
    return header, rows


def _check_header(header: list[str], path: str) -> None:
    fault = ""
    if not header:
        fault = "a header line (it is empty)"
    elif "" in header:
        fault = f"a name above each column (column {header.index('') + 1} has none)"
    elif len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        fault = f"distinct column names ({twice!r} comes twice)"
    elif all(_number(name) is not None for name in header):
        fault = "names of the columns in its first line (it holds numbers)"
    if fault:
        raise validation.invalid("path", f"a CSV file with {fault}", path)


def _cell(text: str, line: int, column: str, path: str) -> float:
    number = _number(text)
    if number is None or not math.isfinite(number):
        raise InvalidInput(
            f"path must hold finite numbers, got {text.strip()!r} in line {line}, column {column!r} of {path}"
        )
    return number


def _number(text: str) -> float | None:
    """A number as data files write it; Python's own "1_000" is more likely a slip or a code than a thousand."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None
