// What a pasted text is: a game in one of the formats of records, a position, or moves; and of which game.
import type { GamePosition } from "./api";
import { pasted } from "./pasted";

export interface Recognised {
  game: string;
  /** What people call it: PGN, KIF, SFEN. */
  name: string;
  /** The format of a record for the server; none: `place` is a position or a line of moves. */
  format: string | null;
  place: GamePosition | null;
}

const record = (game: string, name: string, format: string): Recognised => ({ game, name, format, place: null });
const position = (game: string, name: string, place: GamePosition): Recognised => ({ game, name, format: null, place });

/** Records by what only they have; the first that fits counts. */
const RECORDS: [RegExp, Recognised][] = [
  [/^\s*\(\s*;/, record("go", "SGF", "sgf")],
  [/^手数-+指手|^(手合割|開始日時|先手|後手|下手|上手)：[\s\S]*^\s*1\s+[１-９1-9]|^\s*1\s+[１-９][一二三四五六七八九].*\(\d\d\)/m, record("shogi", "KIF", "kifu")],
  [/[▲△☗☖][１-９1-9同]/, record("shogi", "KI2", "ki2u")],
  [/^(V\d(\.\d)?\s*$|PI\s*$|P1[ *+-])|^[+-]\d{4}(FU|KY|KE|GI|KI|KA|HI|OU|TO|NY|NK|NG|UM|RY)/m, record("shogi", "CSA", "csa")],
  [/^(#[^\n]*\n)*game [BWD?] /, record("chess", "SoFGameSet", "sgs")],
  [/^\[\w+ "|(^|\s)1\.\s*([a-hNBRQK][a-h1-8x]|O-O)/m, record("chess", "PGN", "pgn")],
];

const FEN = /^(?:[pnbrqkPNBRQK1-8~]+\/){7}[pnbrqkPNBRQK1-8~]+ [wb](\s|$)/;
const SFEN = /^(?:[plnsgbrkPLNSGBRK1-9+]+\/){8}[plnsgbrkPLNSGBRK1-9+]+ [wb](\s|$)/;

/** Moves by how the first of them is written. */
const MOVES: [RegExp, string, string][] = [
  [/^[a-h][1-8][a-h][1-8][qrbn]?$/, "chess", "UCI"],
  [/^([1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i])$/, "shogi", "USI"],
  [/^([a-h](x[a-h])?[1-8](=[QRBN])?|[NBRQK][a-h]?[1-8]?x?[a-h][1-8]|O-O(-O)?)[+#]?$/, "chess", "SAN"],
  [/^([A-HJ-T](1\d|[1-9])|pass)$/i, "go", "GTP"],
];

function ofMoves(moves: string[]): Recognised | null {
  const found = MOVES.find(([form]) => moves.length > 0 && form.test(moves[0]!));
  return found ? position(found[1], found[2], { rules: "", start: null, moves }) : null;
}

/** What `text` is, as far as its form tells; none: nothing that is known here. */
export function recognise(text: string): Recognised | null {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  const known = RECORDS.find(([form]) => form.test(trimmed));
  if (known) return known[1];
  const place = pasted(trimmed.split("\n").length === 1 ? trimmed : trimmed.replace(/\s+/g, " "));
  const { start, moves } = place;
  // A line of a protocol from the usual start, or moves alone.
  if (start === null) return ofMoves(moves);
  if (SFEN.test(start)) return position("shogi", "SFEN", place);
  if (FEN.test(start)) {
    const [board, side, castling = "-", passant = "-", ...rest] = start.split(" ");
    // What EPD says after four fields is no part of the position.
    const counters = /^\d+$/.test(rest[0] ?? "") && /^\d+$/.test(rest[1] ?? "") ? rest.slice(0, 2) : ["0", "1"];
    const isEpd = rest.length > 0 && !/^\d+$/.test(rest[0]!);
    return position("chess", isEpd ? "EPD" : "FEN", { ...place, start: [board, side, castling, passant, ...counters].join(" ") });
  }
  return ofMoves(start.split(/[\s,]+/));
}
