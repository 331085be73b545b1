// What stands on both sides, here and in Rust, is the same.
import { describe, expect, it, vi } from "vitest";
import review from "../../crates/engine/src/review.rs?raw";
import value from "../../crates/game/src/value.rs?raw";
import frames from "../../crates/web/src/frames.rs?raw";
import signs from "../../crates/web/src/signs.rs?raw";
import summary from "../../crates/dataset/src/data/summary.rs?raw";
import { LEAST } from "./pages/sweep/judge";
import { rangesOf } from "./pages/data/Statistics";
import * as store from "./pages/tree/forest";
import { CP_MAX, MATE, ODDS_CP } from "./value";

// The words are chosen where a browser is.
vi.hoisted(() => {
  vi.stubGlobal("localStorage", { getItem: () => null });
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { languages: ["en"] });
});

/** The number that a constant of a Rust file has. */
function constant(text: string, name: string): number {
  const found = new RegExp(`const ${name}: \\w+ = ([\\d_.]+);`).exec(text);
  if (!found) throw new Error(`there is no constant ${name} any more`);
  return Number(found[1]!.replaceAll("_", ""));
}

describe("numbers on both sides", () => {
  it("of values and expected results agree", () => {
    expect(constant(review, "ODDS_CP")).toBe(ODDS_CP);
    expect([constant(value, "MATE"), constant(value, "CP_MAX")]).toEqual([MATE, CP_MAX]);
  });
  it("of what a mistake costs agree", () => {
    expect(review).toContain(`Scale::Chance => [${LEAST.inaccuracy}, ${LEAST.mistake}, ${LEAST.blunder}],`);
  });
  it("of trees on the wire agree", () => {
    const { LEFT_OUT, CUT, PROVEN, PASS, CAPTURE, CHECK, OVER, KNOWN } = store;
    const flags = { LEFT_OUT, CUT, PROVEN, NULL_MOVE: PASS, CAPTURE, CHECK, OVER, KNOWN };
    expect(Object.keys(flags).map((name) => constant(signs, name))).toEqual(Object.values(flags));
    expect(frames).toContain(`a head of ${store.HEAD} bytes and ${store.RECORD} for each node`);
  });
  it("of histograms are where ranges begin, not how many ranges come before", () => {
    expect(summary).toContain("/// Records by the beginning of their range.");
    expect(rangesOf({ width: 100, counts: { "200": 2, "-100": 1 }, range: [-90, 210], mean: 0 })).toEqual([[-100, 1], [200, 2]]);
  });
});
