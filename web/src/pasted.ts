// Positions as people paste them: the game's notation alone, or a line of a protocol (`position sfen … moves …`), as the command line takes.
// The server takes places alone: a request has no need of words that only people paste.
import type { GamePosition } from "./api";

/** The place that `text` means under `rules`; empty and `startpos` are the usual start. */
export function pasted(text: string, rules = ""): GamePosition {
  const rest = ["position", "fen", "sfen"].reduce((left, word) => left.replace(new RegExp(`^${word}\\s+`), ""), text.trim());
  const [start, moves] = rest.endsWith(" moves") ? [rest.slice(0, -6), ""] : rest.split(/ moves (.*)/s);
  const at = (start ?? "").trim();
  return { rules, start: at === "" || at === "startpos" ? null : at, moves: (moves ?? "").split(/\s+/).filter(Boolean) };
}
