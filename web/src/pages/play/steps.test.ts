// What Back leads to.
import { expect, test } from "vitest";
import { type Look, isOwnStep } from "./steps";

const at = (moves: string, more: Partial<Look> = {}): Look => ({
  place: { rules: "", start: null, moves: moves.split(" ").filter(Boolean) }, nodes: 5, view: "icicle", why: false, ...more,
});

test("Back left the page after a jump, a move or another view", () => {
  expect(isOwnStep(at("e4 e5"), at(""), false)).toBe(true);
  expect(isOwnStep(at("e4 e5"), at("e4 c5"), false)).toBe(true);
  expect(isOwnStep(at("e4"), at("e4 e5", { nodes: 6 }), false)).toBe(true);
  expect(isOwnStep(at("e4"), at("e4", { view: "table" }), false)).toBe(true);
  expect(isOwnStep(at("e4"), at("e4", { why: true }), false)).toBe(true);
});

test("steps along the line and the moves of a game do not fill the history", () => {
  expect(isOwnStep(null, at("e4"), false)).toBe(false);
  expect(isOwnStep(at("e4"), at("e4"), false)).toBe(false);
  expect(isOwnStep(at("e4"), at("e4 e5"), false)).toBe(false);
  expect(isOwnStep(at("e4 e5"), at("e4"), false)).toBe(false);
  expect(isOwnStep(at("e4"), at("e4 e5", { nodes: 6 }), true)).toBe(false);
});
