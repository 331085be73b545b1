// The filter of a file of data: what was typed, as the request to `tesuji data filter` has it.
import { Problem, type Schemas } from "../../api";

export interface FilterForm {
  ply: string;
  plies: string;
  score: string;
  result: string;
  no_checks: boolean;
  no_captures: boolean;
}

/** The largest bound of a range: a word of 32 bits. */
const MOST = 2 ** 32 - 1;

/** `A..B`, `A..` and `..B`, both ends included; nothing for no bounds. */
export function rangeOf(field: string, text: string): [number, number] | null {
  if (text.trim() === "") return null;
  const found = /^(\d*)\.\.(\d*)$/.exec(text.trim());
  const [from, to] = found ? [Number(found[1] || 0), found[2] ? Number(found[2]) : MOST] : [1, 0];
  if (from > to) throw new Problem(422, "Not accepted", `"${text}": expected A..B, A.. or ..B`, null, field);
  return [from, to];
}

/** The conditions on the records that are kept. */
export function filterOf(form: FilterForm): Schemas["Sieve"] {
  const points: Record<string, number> = { win: 2, draw: 1, loss: 0 };
  const result = points[form.result];
  return {
    ply: rangeOf("ply", form.ply), score_cp: rangeOf("score", form.score), plies: rangeOf("plies", form.plies),
    results: result === undefined ? [] : [result], no_checks: form.no_checks, no_captures: form.no_captures,
  };
}
