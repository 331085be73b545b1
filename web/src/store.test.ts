// State of a page: a change to nothing new is the same state, so that nothing is drawn again.
import { expect, it } from "vitest";
import { merged } from "./store";

it("merges changes, and keeps the state where nothing changes", () => {
  const state: { a: number; b: string | null } = { a: 1, b: null };
  expect(merged(state, { b: "x" })).toEqual({ a: 1, b: "x" });
  expect(merged(state, (now) => ({ a: now.a + 1 }))).toEqual({ a: 2, b: null });
  expect(merged(state, { a: 1, b: null })).toBe(state);
  expect(merged(state, {})).toBe(state);
  expect(merged({ n: NaN }, { n: NaN })).toEqual({ n: NaN });
});
