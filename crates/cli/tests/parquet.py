"""Reads sparse rows (argument 1, layout sofcheck) with whatever reads Parquet here, and compares them with a CSV (argument 2).

Prints one line for each library that agrees, exits with 3 where there is none."""

import csv
import json
import sys


def with_pyarrow(path):
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path).to_pylist()


def with_pandas(path):
    import pandas

    return pandas.read_parquet(path).to_dict("records")


def with_polars(path):
    import polars

    return polars.read_parquet(path).to_dicts()


def names(path):
    import pyarrow.parquet

    meta = pyarrow.parquet.read_metadata(path).metadata
    assert meta[b"tesuji.layout"] == b"sofcheck", meta[b"tesuji.layout"]
    return json.loads(meta[b"tesuji.names"])


with open(sys.argv[2], newline="") as file:
    header, *lines = csv.reader(file)
found = 0
for read in (with_pyarrow, with_pandas, with_polars):
    try:
        rows = read(sys.argv[1])
    except ImportError:
        continue
    assert len(rows) == len(lines), (len(rows), len(lines))
    for row, line in zip(rows, lines):
        head = [row["result"], row["game"], row["boards"], row["boards_left"]]
        assert head == [float(x) for x in line[:4]], (head, line[:4])
        dense = [0] * (len(header) - 4)
        for index, count in zip(row["index"], row["count"]):
            assert count != 0 and dense[index] == 0
            dense[index] = count
        assert dense == [int(x) for x in line[4:]], row
        assert row["score"] is None or row["score"] != row["score"]
    found += 1
    print(read.__name__, "agrees on", len(rows), "rows")
try:
    assert names(sys.argv[1]) == header[4:]
except ImportError:
    pass
sys.exit(0 if found else 3)
