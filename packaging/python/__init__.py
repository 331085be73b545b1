"""Tesuji from Python: games, positions and analyses, by the program that this package carries.

The package has no dependency. Tables come from ``pyarrow`` (``pip install 'tesuji[arrow]'``) and frames from ``pandas``
(``pip install 'tesuji[pandas]'``) where one of them is asked for.

    >>> import tesuji
    >>> for game in tesuji.games("games.pgn"):
    ...     print(game.tags.get("White"), len(game.moves), game.result)
    >>> tesuji.positions("games.pgn").num_rows
    >>> tesuji.analyse("games.pgn", "chess", nodes=20_000).text
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Analysis", "Game", "TesujiError", "analyse", "features", "frame", "games", "positions", "program", "run", "version"]
__version__ = "@VERSION@"

PathLike = str | os.PathLike[str]


class TesujiError(RuntimeError):
    """The program ended with an error; the text is what it said, ``code`` how it ended."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Game:
    """A game on record: its main line."""

    #: Its number in the file, from 1.
    number: int
    #: The moves as text: UCI in chess, USI in shogi, GTP in go.
    moves: list[str]
    #: 1 when the side that moves first won, 0 a draw in chess or shogi, -1 when it lost, ``None`` where nothing is said.
    result: float | None
    #: The start position where it is not the usual one.
    start: str | None
    #: The variant of the rules; empty for the usual ones.
    rules: str
    #: Tags such as ``White`` and ``Event``.
    tags: dict[str, str] = field(default_factory=dict)
    #: For each move the value after it for the side that played it, ``None`` where there is none.
    values: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Analysis:
    """Games that the engine reviewed."""

    #: The games in the format that they came in, with values, marks and better lines.
    text: str
    #: What the program says of each game: moves, mean loss, mistakes.
    summary: str
    #: The games, with the values in ``values``.
    games: list[Game]


def program() -> Path:
    """The program that this package carries; ``TESUJI_PROGRAM`` in the environment names another."""
    named = os.environ.get("TESUJI_PROGRAM")
    return Path(named) if named else Path(__file__).parent / "bin" / "tesuji"


def run(*words: PathLike, input: str | None = None) -> subprocess.CompletedProcess[str]:
    """Runs ``tesuji WORDS…`` and returns what it printed.

    Raises ``TesujiError`` when it ends with another code than 0.
    """
    done = subprocess.run([program(), *words], input=input, text=True, encoding="utf-8", capture_output=True, check=False)
    if done.returncode != 0:
        raise TesujiError(done.stderr.strip() or f"tesuji ended with code {done.returncode}", done.returncode)
    return done


def version() -> dict[str, Any]:
    """Version, commit, features and build of the program."""
    return json.loads(run("--version", "--json").stdout)


def _game(line: str) -> Game:
    told = json.loads(line)
    return Game(
        number=told["game"],
        moves=told["moves"],
        result=told["result"],
        start=told["start"],
        rules=told["rules"],
        tags=told["tags"],
        values=told["values_of_the_mover"],
    )


def games(path: PathLike, *, game: str | None = None, skip: int = 0, count: int | None = None) -> Iterator[Game]:
    """The games of a file in any format that Tesuji reads, one after another, without holding the file in memory.

    ``game`` says chess, shogi or go where the name of the file leaves it open; ``skip`` games are passed over and at most
    ``count`` are told. Raises ``TesujiError`` when the file cannot be read, after the games before the fault.
    """
    words: list[PathLike] = ["data", "show", path, "--json", "--quiet", "--skip", str(skip)]
    words += ["--count", str(10**12 if count is None else count)]
    words += ["--game", game] if game else []
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        told = subprocess.Popen([program(), *words], stdout=subprocess.PIPE, stderr=errors, text=True, encoding="utf-8")
        assert told.stdout is not None
        try:
            for line in told.stdout:
                if "moves" not in line:
                    raise TesujiError(f"{path} holds positions, not games: read it with tesuji.positions", 2)
                yield _game(line)
            if told.wait() != 0:
                errors.seek(0)
                raise TesujiError(errors.read().strip(), told.returncode)
        finally:
            told.stdout.close()
            told.terminate()
            told.wait()


def _table(words: Sequence[PathLike], out: Path) -> pyarrow.Table:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("tables need pyarrow: pip install 'tesuji[arrow]'") from error
    run(*words)
    return parquet.read_table(out)


def positions(path: PathLike, *, game: str | None = None, fill_score: int | None = None) -> pyarrow.Table:
    """All positions of a file, of games or of positions, as an Arrow table: the columns of docs/formats.md, Parquet.

    ``fill_score`` is the score in centipawns of positions that have none.
    """
    with tempfile.TemporaryDirectory(prefix="tesuji-") as folder:
        out = Path(folder) / "positions.parquet"
        words: list[PathLike] = ["data", "convert", path, out, "--quiet"]
        words += ["--game", game] if game else []
        words += ["--fill-score", str(fill_score)] if fill_score is not None else []
        return _table(words, out)


def features(path: PathLike) -> pyarrow.Table:
    """What the evaluation counts on every quiet position of games of chess, as an Arrow table (docs/features.md)."""
    with tempfile.TemporaryDirectory(prefix="tesuji-") as folder:
        out = Path(folder) / "features.parquet"
        return _table(["data", "features", path, "--out", out, "--no-progress"], out)


def frame(path: PathLike, **options: Any) -> pandas.DataFrame:
    """``positions`` as a frame of pandas."""
    return positions(path, **options).to_pandas()


def analyse(
    path: PathLike,
    game: str = "chess",
    *,
    nodes: int | None = None,
    depth: int | None = None,
    seconds: float | None = None,
    candidates: int = 1,
    options: dict[str, Any] | None = None,
) -> Analysis:
    """Reviews the games of a file: values after each move, mistakes and better lines, as ``tesuji analyse``.

    Each position gets ``nodes``, ``depth`` plies or ``seconds`` (20,000 nodes where none is given); ``options`` are those
    of the engine, as in ``{"Hash": 64}``.
    """
    limits = {"--nodes": nodes, "--depth": depth, "--time": seconds, "--candidates": candidates}
    words: list[PathLike] = [word for name, value in limits.items() if value is not None for word in (name, str(value))]
    words += [word for name, value in (options or {}).items() for word in ("--option", f"{name}={value}")]
    with tempfile.TemporaryDirectory(prefix="tesuji-") as folder:
        # The format is that of the name, without the ending of a compression.
        name = Path(path).name
        for ending in (".zst", ".gz", ".xz", ".bz2"):
            name = name.removesuffix(ending)
        out = Path(folder) / f"reviewed-{name}"
        done = run("analyse", game, path, "--out", out, *words)
        return Analysis(out.read_text("utf-8", "replace"), done.stderr, list(games(out, game=game)))


def _become(called: str) -> NoReturn:
    """Goes on as the program, called by this name."""
    found = program()
    if not found.exists():
        found = Path(shutil.which(str(found)) or found)
    os.execv(found, [called, *sys.argv[1:]])


def main() -> NoReturn:
    """The command ``tesuji``."""
    _become("tesuji")


def main_uci() -> NoReturn:
    """The command ``tesuji-uci``, an engine of chess."""
    _become("tesuji-uci")


def main_usi() -> NoReturn:
    """The command ``tesuji-usi``, an engine of shogi."""
    _become("tesuji-usi")


def main_gtp() -> NoReturn:
    """The command ``tesuji-gtp``, an engine of go."""
    _become("tesuji-gtp")
