// The numbers of a report: who lost how much where.
import { expect, test } from "vitest";
import * as tree from "../../tree";
import { accuracy, areaOf, numbersOf, partOf, playedOf } from "./numbers";

const text = (move: string) => ({ move, text: move });

test("a report says who lost how much, in which part of the game", () => {
  let game = ["a", "b", "c", "d", "e", "f"].map(text).reduce(tree.play, tree.newTree());
  [0.5, 0.5, 0.5, 0.3, 0.3, 0.3, null].forEach((chance, i) => (game = tree.note(game, i, { chance })));
  game = tree.note(game, 3, { glyphs: [4] });
  const played = playedOf(game, 0);
  expect(played.map(({ side, loss }) => [side, loss && Math.round(loss)])).toEqual([[0, 0], [1, 0], [0, 20], [1, 0], [0, 0], [1, null]]);
  const [first, second] = [numbersOf(played, 0), numbersOf(played, 1)];
  expect([first.losses.opening, Math.round(first.losses.middle!), first.losses.end]).toEqual([0, 20, 0]);
  expect([first.marks, second.marks.blunder]).toEqual([{ blunder: 1, mistake: 0, inaccuracy: 0 }, 0]);
  expect([Math.round(first.accuracy!), Math.round(second.accuracy!), second.losses.end]).toEqual([80, 100, null]);
  expect(numbersOf([], 0).accuracy).toBeNull();
});

test("accuracy falls from 100 to 0 with the loss, and a game has three parts", () => {
  expect([Math.round(accuracy(0)), Math.round(accuracy(10)), accuracy(100)]).toEqual([100, 64, 0]);
  expect([1, 3, 4, 6, 7, 9].map((ply) => partOf(ply, 9))).toEqual(["opening", "opening", "middle", "middle", "end", "end"]);
  expect(partOf(1, 1)).toBe("opening");
});

test("the graph is an area with gaps left out", () => {
  expect(areaOf([0.5, null, 1], 100, 40)).toBe("0.0,40 0.0,20.0 100.0,0.0 100.0,40");
  expect(areaOf([null], 100, 40)).toBe("");
});
