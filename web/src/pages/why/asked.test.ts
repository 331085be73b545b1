// Which move "Why not my move?" is about.
import { expect, test } from "vitest";
import { fromLine, newTree } from "../../tree";
import { askedNode } from "./asked";

const line = (...moves: string[]) => fromLine({ rules: "", start: null, moves }, moves.map((move) => ({ move, text: move })));

test("the last move is asked about, against an engine the person's own", () => {
  const game = { ...line("e2e4", "e7e5", "f2f3", "d7d5"), here: 4 };
  // Nobody's engine, or both sides are engines: the move on the board.
  expect(askedNode(game, 1, [])).toBe(4);
  expect(askedNode(game, 1, [0, 1])).toBe(4);
  // The engine has answered: the move before is the person's.
  expect(askedNode(game, 1, [1])).toBe(3);
  // The person has just moved.
  expect(askedNode({ ...game, here: 3 }, 0, [1])).toBe(3);
  // The engine began the game: there is no other move yet.
  expect(askedNode({ ...game, here: 1 }, 0, [0])).toBe(1);
  expect(askedNode(newTree(), 1, [])).toBeNull();
});
