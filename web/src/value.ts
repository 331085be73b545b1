// Values of searches as people read them.
import type { FoundLine } from "./api";

/** Expected result for the side to move, in 0..1. */
export function chance(line: FoundLine): number {
  if (line.wdl) return (line.wdl[0] + line.wdl[1] / 2) / 1000;
  if (line.mate !== null) return line.mate > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-(line.cp ?? 0) / 220));
}

/** `+0.35`, `#5`, `#-4`, with ≥ or ≤ before bounds; `turn` -1 shows it for the other side. */
export function inWords(line: FoundLine, turn = 1): string {
  const sign = { exact: "", lower: turn > 0 ? "≥" : "≤", upper: turn > 0 ? "≤" : "≥" }[line.bound];
  if (line.mate !== null) {
    const moves = Math.ceil(Math.abs(line.mate) / 2);
    return `${sign}#${line.mate * turn > 0 ? "" : "-"}${moves}`;
  }
  const pawns = ((line.cp ?? 0) * turn) / 100;
  return `${sign}${pawns > 0 ? "+" : ""}${pawns.toFixed(2)}`;
}
