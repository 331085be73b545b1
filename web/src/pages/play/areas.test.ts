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
  const whole = (nodes: Parameters<typeof areasOf>[0]) => areasOf(nodes).map((row) => row.map((n) => n && Math.round(n)));
  const told = { chance: 0.55, wdl: [0.3, 0.5, 0.2] as [number, number, number], lead: null };
  const untold = { chance: 0.25, wdl: null, lead: -2 };
  const unknown = { chance: null, wdl: null, lead: null };
  expect(whole([told, told, untold, unknown])).toEqual([
    [100, 100, 100, null], [80, 80, null, null], [30, 30, null, null], [55, 55, 25, null], [null, null, -2, null],
  ]);
  // A game that is won needs no search to say so.
  expect(whole([told, told, { chance: 1, wdl: null, lead: null }]).slice(1, 3)).toEqual([[80, 80, 100], [30, 30, 100]]);
  // One search that tells draws among others made a spike.
  expect(whole([untold, told, untold]).slice(1, 3)).toEqual([[25, 55, 25], [25, 55, 25]]);
});
