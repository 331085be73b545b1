"""Plays games with the engine under python-chess and fails at any line that python-chess does not understand."""

import logging
import sys

import chess
import chess.engine

# python-chess logs what it cannot parse as warnings and errors: they go to stderr, which the test wants empty.
logging.basicConfig(level=logging.WARNING)


def play(engine, board, limit, ponder):
    while not board.is_game_over(claim_draw=True) and board.ply() < 60:
        result = engine.play(board, limit, info=chess.engine.INFO_ALL, ponder=ponder)
        assert result.move in board.legal_moves, result.move
        assert "score" in result.info and "pv" in result.info, result.info
        board.push(result.move)
    return board


def main():
    engine = chess.engine.SimpleEngine.popen_uci([sys.argv[1], "uci"])
    engine.configure({"Hash": 8, "UCI_ShowWDL": True})
    for ponder in (False, True):
        board = play(engine, chess.Board(), chess.engine.Limit(nodes=2000), ponder)
        print(board.ply(), "plies", board.result(claim_draw=True))
    for number in (0, 518, 777):
        board = play(engine, chess.Board.from_chess960_pos(number), chess.engine.Limit(nodes=2000), False)
        print("960 position", number, board.ply(), "plies", board.result(claim_draw=True))
    board = play(engine, chess.Board(), chess.engine.Limit(white_clock=0.5, black_clock=0.5, white_inc=0.01, black_inc=0.01), True)
    print("clock", board.ply(), "plies")
    lines = engine.analyse(chess.Board(), chess.engine.Limit(depth=8), multipv=4)
    assert len(lines) == 4 and all("wdl" in line for line in lines), lines
    mate = engine.analyse(chess.Board("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1"), chess.engine.Limit(mate=1))
    assert mate["score"].relative == chess.engine.Mate(1), mate
    # A position without pieces to spare and one without moves.
    over = chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert engine.play(over, chess.engine.Limit(nodes=100)).move is None
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 8:
                break
    engine.quit()


main()
