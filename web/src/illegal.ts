// Moves of a pasted text that are not legal: where they stand, as people count. The server counts plies.
import { Problem } from "./api";
import { numberOf } from "./numbers";
import { t } from "./words";

/** Where chess begins in the game of a PGN text that has a move on this line (from 1): its FEN; none: the usual start. */
function startBefore(lines: string[], line: number): string | null {
  let i = Math.min(line, lines.length) - 1;
  while (i >= 0 && !lines[i]!.startsWith("[")) i--;
  for (; i >= 0 && lines[i]!.startsWith("["); i--) {
    const found = /^\[FEN "(.*)"\]/.exec(lines[i]!);
    if (found) return found[1]!;
  }
  return null;
}

/** The column of `move` in its line, from 1; none where it stands there more than once, or otherwise. */
function columnOf(line: string, move: string): number | null {
  const at = line.indexOf(move);
  return at < 0 || line.indexOf(move, at + 1) >= 0 ? null : [...line.slice(0, at)].length + 1;
}

const RECORD = /^line (?<line>\d+) \(game (?<game>\d+)\): move #(?<n>\d+) is illegal: (?<move>.+)$/;
const POSITION = /^move (?<n>\d+), "(?<move>.*)": illegal move/;

/** `problem` of reading `text` of `game` with the place of an illegal move in words; itself where it is none. `start`: of a position with moves. */
export function illegalInWords(problem: unknown, game: string, text: string, start: string | null = null): unknown {
  if (!(problem instanceof Problem)) return problem;
  const told = (detail: string) => new Problem(problem.status, problem.title, detail, problem.hint, problem.place);
  const record = RECORD.exec(problem.detail)?.groups;
  if (record) {
    const { line = "", n = "", move = "" } = record;
    const lines = text.split(/\r?\n/);
    const column = columnOf(lines[Number(line) - 1] ?? "", move);
    const slots = { ...record, column: column === null ? "" : t("said_column", { column }) };
    if (game !== "chess") return told(t("said_record_illegal", slots));
    return told(t("said_pair_illegal", { ...slots, move: numberOf(game, startBefore(lines, Number(line)), Number(n), true) + move }));
  }
  const place = game === "chess" ? POSITION.exec(problem.detail)?.groups : undefined;
  return place ? told(t("said_pair_not", { move: numberOf(game, start, Number(place.n), true) + place.move })) : problem;
}
