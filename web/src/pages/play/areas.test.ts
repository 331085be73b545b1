// The areas of the graph: wins, draws and losses of the side that moves first.
import { expect, test } from "vitest";
import type { FoundLine } from "../../api";
import { areasOf, beside } from "./areas";

const line = (fields: Partial<FoundLine>): FoundLine => ({ pv: [], cp: 0, value: 0, mate: null, bound: "exact", wdl: null, visits: 0, prior: 0, lead: null, ...fields });

test("what a search says is turned to the side that moves first", () => {
  expect(beside(line({ wdl: [300, 500, 200], lead: 3.5 }), 1)).toEqual({ wdl: [0.3, 0.5, 0.2], lead: 3.5 });
  expect(beside(line({ wdl: [300, 500, 200], lead: 3.5 }), -1)).toEqual({ wdl: [0.2, 0.5, 0.3], lead: -3.5 });
  expect(beside(line({}), -1)).toEqual({ wdl: null, lead: null });
});

test("areas lie over each other, and a node without a value is a gap", () => {
  const rows = areasOf([
    { chance: 0.55, wdl: [0.3, 0.5, 0.2], lead: null },
    { chance: 0.25, wdl: null, lead: -2 },
    { chance: null, wdl: null, lead: null },
  ]);
  expect(rows.map((row) => row.map((n) => n && Math.round(n)))).toEqual([
    [100, 100, null], [80, 25, null], [30, 25, null], [55, 25, null], [null, -2, null],
  ]);
});
