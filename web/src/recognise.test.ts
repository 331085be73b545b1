// Pasted texts are known by their form, whatever page one is on.
import { describe, expect, it } from "vitest";
import { recognise } from "./recognise";

describe("a pasted text", () => {
  const named = (text: string) => {
    const found = recognise(text);
    return found && [found.game, found.name, found.format];
  };
  it("is known as a game in each format", () => {
    expect(named('[Event "E"]\n\n1. e4 e5 *')).toEqual(["chess", "PGN", "pgn"]);
    expect(named("1.e4 e5 2.Nf3")).toEqual(["chess", "PGN", "pgn"]);
    expect(named("# a comment\ngame B g1\nstart\nmoves f2f4")).toEqual(["chess", "SoFGameSet", "sgs"]);
    expect(named("(;GM[1]SZ[9];B[ee])")).toEqual(["go", "SGF", "sgf"]);
    expect(named("手合割：平手\n先手：a\n手数----指手---------消費時間--\n   1 ７六歩(77)")).toEqual(["shogi", "KIF", "kifu"]);
    expect(named("   1 ７六歩(77)   ( 0:16/00:00:16)\n   2 ３四歩(33)")).toEqual(["shogi", "KIF", "kifu"]);
    expect(named("先手：a\n後手：b\n▲７六歩 △３四歩 ▲２六歩")).toEqual(["shogi", "KI2", "ki2u"]);
    expect(named("V2.2\nN+a\nPI\n+\n+7776FU")).toEqual(["shogi", "CSA", "csa"]);
    expect(named("+7776FU\n-3334FU")).toEqual(["shogi", "CSA", "csa"]);
  });
  it("is known as a position", () => {
    const fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    for (const before of ["", "fen ", "position fen "]) expect(recognise(before + fen)?.place).toEqual({ rules: "", start: fen, moves: [] });
    expect(recognise(`position fen ${fen} moves f1b5 a7a6`)?.place?.moves).toEqual(["f1b5", "a7a6"]);
    const epd = recognise('8/8/8/8/8/8/P6k/K7 b - - bm Kg2; id "one";');
    expect([epd?.name, epd?.place?.start]).toEqual(["EPD", "8/8/8/8/8/8/P6k/K7 b - - 0 1"]);
    const sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    expect(recognise(`position sfen ${sfen} moves 7g7f`)).toEqual({ game: "shogi", name: "SFEN", format: null, place: { rules: "", start: sfen, moves: ["7g7f"] } });
  });
  it("is known as moves", () => {
    expect([named("e2e4 e7e5"), named("position startpos moves e2e4"), named("7g7f 3c3d"), named("startpos moves 7g7f"), named("e4 e5 Nf3"), named("Q16, D4, pass")]).toEqual([
      ["chess", "UCI", null], ["chess", "UCI", null], ["shogi", "USI", null], ["shogi", "USI", null], ["chess", "SAN", null], ["go", "GTP", null],
    ]);
    expect(recognise("Q16, D4")?.place?.moves).toEqual(["Q16", "D4"]);
  });
  it("is nothing that it is not", () => {
    expect([recognise(""), recognise("hello"), recognise("8/8/8 w")]).toEqual([null, null, null]);
  });
});
