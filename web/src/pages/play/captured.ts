// What each side of chess has captured, counted from what is missing on the board.

const START: Record<string, number> = { q: 1, r: 2, b: 2, n: 2, p: 8 };
const SIGNS: Record<string, string> = { q: "♛", r: "♜", b: "♝", n: "♞", p: "♟" };
const WORTH: Record<string, number> = { q: 9, r: 5, b: 3, n: 3, p: 1 };

/** The pieces that `side` captured, and by how many pawns it is ahead: `♟♟♞ +2`; of a position that was set up only the latter is known. */
export function captured(fen: string, side: number, isSetUp: boolean): string {
  const board = fen.split(" ")[0] ?? "";
  const count = (letter: string) => board.split(letter).length - 1;
  let [signs, ahead] = ["", 0];
  for (const [piece, whole] of Object.entries(START)) {
    const [white, black] = [count(piece.toUpperCase()), count(piece)];
    const [own, theirs] = side === 0 ? [white, black] : [black, white];
    if (!isSetUp) signs += SIGNS[piece]!.repeat(Math.max(0, whole - theirs));
    ahead += (own - theirs) * WORTH[piece]!;
  }
  return [signs, ahead > 0 && `+${ahead}`].filter(Boolean).join(" ");
}
