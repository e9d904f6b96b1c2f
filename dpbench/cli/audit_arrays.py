"""What ``dpbench audit`` reads as arrays that were drawn already: .npy, .csv and .parquet files, alone or in pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dpbench.cli.audit_inputs import check_unpacked, read_data
from dpbench.core.csv_table import read_cells, read_columns
from dpbench.core.validation import InvalidInput, extra, invalid

ARRAYS = (".npy", ".csv", ".parquet")
NUMBERS = "biuf"

Columns = dict[str, np.ndarray]


def read_array(option: str, path: str) -> Any:
    """An array from a file, by its suffix; of a table with one column, that column."""
    array = _read(option, path)
    return array if isinstance(array, np.ndarray) else _joined(array)


def read_dataset(option: str, path: str) -> Any:
    """A data set from a file, by its suffix. Of a table, one record a row: float64[rows, columns] where all columns are
    numbers (missing ones as NaN); else a structured array, whose fields are the columns."""
    if Path(path).suffix.lower() not in (".csv", ".parquet"):
        return read_data(option, path)
    table = _read(option, path)
    assert not isinstance(table, np.ndarray)
    if _plain(table):
        return np.column_stack([column.astype(np.float64) for column in table.values()])
    records = np.empty(len(next(iter(table.values()))), dtype=[(name, column.dtype) for name, column in table.items()])
    for name, column in table.items():
        records[name] = column
    return records


def read_pair(first: tuple[str, str], second: tuple[str, str]) -> tuple[Any, Any]:
    """The outputs of two files, each by its option and its path.

    Columns of tables are matched by their names where both have the same. Of tables that hold more than numbers the
    outputs are rows, as a list, so that only the rows that choose an event decide how they are read. Each cell of a
    column of texts is read by itself, whatever the others are.
    """
    one, other = _read(*first), _read(*second)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return tuple(x if isinstance(x, np.ndarray) else _joined(x) for x in (one, other))  # type: ignore[return-value]
    if len(one) == len(other):
        other = {name: other[name if set(one) == set(other) else own] for name, own in zip(one, other, strict=True)}
    if all(_plain(table) for table in (one, other)):
        return _joined(one), _joined(other)
    return _rows(one, first[1]), _rows(other, second[1])


def _rows(table: Columns, path: str) -> list[dict[str, Any]]:
    """One dict a row; cells of a CSV file's texts as the numbers that they hold."""
    text = "U" if Path(path).suffix.lower() == ".csv" else ""
    columns = [read_cells(column) if column.dtype.kind == text else column for column in table.values()]
    return [dict(zip(table, cells, strict=True)) for cells in zip(*(x.tolist() for x in columns), strict=True)]


def _plain(table: Columns) -> bool:
    return all(column.dtype.kind in NUMBERS for column in table.values())


def _joined(table: Columns) -> np.ndarray:
    """The columns as one array: numbers, or of one column whatever it holds."""
    columns = list(table.values())
    return columns[0] if len(columns) == 1 else np.column_stack(columns)


def _read(option: str, path: str) -> np.ndarray | Columns:
    suffix = Path(path).suffix.lower()
    if suffix not in ARRAYS:
        raise invalid(option, "a file that ends in .npy, .csv or .parquet", path)
    if suffix == ".npy":
        return np.asarray(read_data(option, path))
    if suffix == ".csv":
        try:
            return read_columns(path)
        except InvalidInput as error:
            raise InvalidInput(str(error).replace("path must", f"{option} must", 1)) from error
    pandas = extra("pandas", "data")
    try:
        kept = extra("pyarrow.parquet", "data").read_metadata(path)
        check_unpacked(option, path, 8 * kept.num_rows * kept.num_columns)
        frame = pandas.read_parquet(path)
    except InvalidInput:
        raise
    except ImportError as error:
        raise InvalidInput(f"{option} must be a .npy or .csv file, or pyarrow be installed, got {path!r}") from error
    except OSError as error:
        raise invalid(option, f"a file that can be read ({error.strerror or error})", path) from error
    except Exception as error:  # parquet readers raise what they like on a damaged file
        raise invalid(option, f"a sound .parquet file ({type(error).__name__}: {error})", path) from error
    return _columns_of(frame)


def _columns_of(frame: Any) -> Columns:
    """The columns of a data frame by name; those of texts alone as fixed-width texts."""
    columns = {}
    for name in frame.columns:
        column = frame[name].to_numpy()
        if column.dtype.kind not in NUMBERS and all(isinstance(x, str) for x in column):
            column = column.astype(np.str_)
        columns[str(name)] = column
    return columns
