// Numbers before moves: chess counts pairs of moves as PGN does, shogi and go count each. Writers of records on the server number
// moves, too; here a number depends on what is drawn before it (a comment, a variation), which only the page knows.

/** What stands before move `ply` (from 1) of a line that begins at `start`; `isAlone`: nothing stands right before it. */
export function numberOf(game: string, start: string | null, ply: number, isAlone: boolean): string {
  if (game !== "chess") return `${ply}.`;
  const [, side, , , , full] = start?.split(" ") ?? [];
  const half = ply - 1 + Number(side === "b");
  const n = (Number(full) || 1) + Math.floor(half / 2);
  if (half % 2 === 0) return `${n}.`;
  return isAlone ? `${n}…` : "";
}
