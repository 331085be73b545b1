// Moves of shogi in letters and digits, and pieces with letters: for readers and machines without kanji.

import { language } from "./words";

const KEPT = "tesuji-shogi-letters";
const LETTERS: Record<string, string> = {
  "歩": "P", "香": "L", "桂": "N", "銀": "S", "金": "G", "角": "B", "飛": "R", "玉": "K", "王": "K",
  "と": "+P", "成香": "+L", "成桂": "+N", "成銀": "+S", "馬": "+B", "竜": "+R", "龍": "+R",
};
/** A move as shogi writes it: whose it is, where it goes, which piece, which of several, and whether it promotes. */
const MOVE = /^[☗☖▲△]?(?:[１-９][一二三四五六七八九]|同　?)(成[香桂銀]|[歩香桂銀金角飛玉王と馬竜龍])([右左直上寄引]*)(不成|成|打)?$/;

/** Whether moves and pieces of shogi are shown in letters: as chosen, else where neither Japanese nor Chinese is read. */
export function hasLetters(language: string): boolean {
  const kept = localStorage.getItem(KEPT);
  return kept === null ? language !== "ja" && language !== "zh" : kept === "on";
}

export function setLetters(on: boolean): void {
  localStorage.setItem(KEPT, on ? "on" : "off");
}

/** A square of USI (`7f`) by its two digits. */
const digits = (square: string): string => `${square[0]}${square.charCodeAt(1) - 96}`;

/**
 * A move `code` of USI with its Japanese `text` in letters: `P76`, `S*55`, `B22+`, `N33=` where it does not promote, `G49-58` where two
 * could go. The same text elsewhere.
 */
export function western(code: string, text: string): string {
  const [, piece, which, end] = MOVE.exec(text) ?? [];
  if (!piece) return text;
  const letter = LETTERS[piece] ?? "";
  if (code[1] === "*") return `${letter}*${digits(code.slice(2))}`;
  const [from, to] = [digits(code), digits(code.slice(2))];
  return `${letter}${which ? `${from}-` : ""}${to}${code.endsWith("+") ? "+" : end === "不成" ? "=" : ""}`;
}

/** The square that a move of USI goes to. */
const target = (code: string): string => code.slice(2, 4);

/** A move of shogi as it is written after the move `before`: `☖同　銀` where it takes back on the same square. */
export function sameSquare(text: string, code: string, before: string | null | undefined): string {
  const [, mark, rest] = /^([☗☖▲△]?)[１-９][一二三四五六七八九](.+)$/.exec(text) ?? [];
  if (!rest || !before || target(before) !== target(code)) return text;
  return `${mark}同${rest.length === 1 ? "　" : ""}${rest}`;
}

/** A line as it is written after the move `before`: a text says 同 where the move before went to the same square. */
export const asLine = <T extends { move: string; text: string }>(line: T[], before: string | undefined): T[] =>
  line.map((step, i) => ({ ...step, text: sameSquare(step.text, step.move, i > 0 ? line[i - 1]!.move : before) }));

/** A move `code` as it is read here; `text` is how the server writes it. */
export const moveWords = (code: string, text: string): string => (hasLetters(language) ? western(code, text) : text);

/** An answer of the server with its moves of shogi in letters: whatever has a `move` and a `text`. */
export function inLetters<T>(value: T): T {
  if (Array.isArray(value)) return value.map(inLetters) as T;
  if (typeof value !== "object" || value === null) return value;
  const said = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inLetters(part)]));
  if (typeof said.move === "string" && typeof said.text === "string") said.text = western(said.move, said.text);
  return said as T;
}
