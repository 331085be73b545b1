// Logs of networks are read as `tesuji train` writes them.
import { describe, expect, it } from "vitest";
import { curvesOf, lastOf, netLog, smoothed } from "./net";

const line = (what: string, positions: number, loss: number) =>
  JSON.stringify({ what, step: positions / 64, positions, of: 64, loss, policy: loss - 0.4, top1: 0.4, top5: 0.7, value: 0.9, sign: 0.6 });

describe("the log of a network", () => {
  const text = [line("training", 640, 2.7), line("training", 1280, 2.6), line("validation", 1280, 2.65), '{"what":"train'].join("\n");
  it("is read up to a torn line", () => {
    const run = netLog("a.log", text);
    expect(run.points.map((p) => [p.what, p.positions])).toEqual([["training", 640], ["training", 1280], ["validation", 1280]]);
    expect(lastOf(run)).toMatchObject({ what: "validation", loss: 2.65, score: null });
  });
  it("tells a stretch that was trained again once", () => {
    const run = netLog("a.log", `${line("training", 640, 2.7)}\n${line("training", 1280, 2.6)}\n${line("training", 1280, 2.5)}\n`);
    expect(run.points.map((p) => p.loss)).toEqual([2.7, 2.5]);
  });
  it("is smoothed without a bias at its beginning, gaps stay", () => {
    expect(smoothed([2, null, 4, 2], 0.5).map((n) => n && Math.round(n * 1000) / 1000)).toEqual([2, null, 3.333, 2.571]);
    expect(smoothed([2, null, 4], 0)).toEqual([2, null, 4]);
  });
  it("gives curves of several runs over the same positions", () => {
    const runs = [netLog("a", text), netLog("b", line("training", 960, 2.4))];
    const { at, columns } = curvesOf(runs, "loss");
    expect(at).toEqual([640, 960, 1280]);
    expect(columns.map((c) => [c.run, c.held, c.values])).toEqual([
      [0, false, [2.7, null, 2.6]], [0, true, [null, null, 2.65]], [1, false, [null, 2.4, null]],
    ]);
    expect(curvesOf(runs, "score").columns).toEqual([]);
  });
});
