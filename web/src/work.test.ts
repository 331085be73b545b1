// Jobs in their order, and the form of a match as the server takes it.
import { describe, expect, it } from "vitest";
import { type Job, place, share } from "./jobs";
import { optionsOf, wishOf } from "./pages/arena/wish";

const job = (id: number, more: Partial<Job> = {}) => ({ id, state: "running", progress: null, ...more }) as Job;

describe("jobs", () => {
  it("stand in order, each once", () => {
    const all = [job(5), job(3), job(1)];
    expect(place(all, job(4)).map((j) => j.id)).toEqual([5, 4, 3, 1]);
    expect(place(all, job(3, { title: "new" }))[1]!.title).toBe("new");
    expect(place(all, job(0)).map((j) => j.id)).toEqual([5, 3, 1, 0]);
  });
  it("tell their share", () => {
    const progress = { what: "", unit: "", done: 3, total: 4, rate: 0, left: null, basis: "rate" as const, note: "" };
    expect(share(job(1, { progress }))).toBe(0.75);
    expect(share(job(1, { progress: { ...progress, total: null } }))).toBeNull();
    expect(share(job(1, { state: "done" }))).toBe(1);
  });
});

describe("the form of a match", () => {
  it("becomes a wish", () => {
    expect(optionsOf("Hash=16; Move Overhead = 10;\nClear Hash")).toEqual({ Hash: "16", "Move Overhead": "10", "Clear Hash": "" });
    const engine = { from: "own" as const, name: "A", family: "", preset: "", weights: "", known: "", command: "", options: {}, optionText: "Hash=8" };
    const wish = wishOf({
      game: "chess", rules: "", title: "", engines: [engine], limit: "tc", amount: "1+0.01", openings: "", games: "20", concurrency: "",
      form: "gauntlet", sprt: true, elo0: "0", elo1: "5", resign: "", draw: "", max_plies: "", seed: "",
    }) as Record<string, unknown>;
    expect(wish).toMatchObject({ games: 20, concurrency: null, gauntlet: true, knockout: false, sprt: [0, 5], seed: null });
    expect((wish.engines as object[])[0]).toMatchObject({ options: { Hash: "8" } });
    expect((wish.engines as object[])[0]).not.toHaveProperty("optionText");
  });
});
