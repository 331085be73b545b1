// Addresses of positions say the same after a way there and back.
import { describe, expect, it } from "vitest";
import { asQuery, playAt, spotOf, tagsOf, treeAt } from "./places";

describe("places in addresses", () => {
  const place = { rules: "chess960", start: "8/8/8/8/8/8/8/K1k5 w - - 0 1", moves: ["a1b1", "c1d1"] };
  it("are read as they were written", () => {
    for (const ply of [0, 1, 2]) expect(spotOf(asQuery({ place, ply }))).toEqual({ place, ply });
    const go = { place: { rules: "9x9 komi 7", start: null, moves: ["Q16", "pass"] }, ply: 2 };
    expect(spotOf(asQuery(go))).toEqual(go);
  });
  it("say who played, and have promotions as they were typed", () => {
    expect(tagsOf("?moves=e2e4&tag=White:Paul+Morphy&tag=Date:1858&tag=nothing")).toEqual([["White", "Paul Morphy"], ["Date", "1858"]]);
    expect(spotOf("?moves=8h2b+.3a2b")!.place.moves).toEqual(["8h2b+", "3a2b"]);
    expect(spotOf("?moves=8h2b%2B.3a2b")!.place.moves).toEqual(["8h2b+", "3a2b"]);
  });
  it("name nothing at the usual start", () => {
    expect(playAt("chess", { place: { rules: "", start: null, moves: [] }, ply: 0 })).toBe("/play/chess");
    expect(spotOf("")).toBeNull();
    expect(spotOf("?sweep=1")).toBeNull();
  });
  it("give trees only the moves up to where one stands", () => {
    expect(spotOf(treeAt("chess", { place, ply: 1 }).split("new")[1]!)).toEqual({ place: { ...place, moves: ["a1b1"] }, ply: 1 });
    expect(spotOf("?moves=a.b&ply=9")!.ply).toBe(2);
  });
});
