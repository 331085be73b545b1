// Jobs in their order, and the form of a match as the server takes it.
import { describe, expect, it, vi } from "vitest";
import { type Job, place, share } from "./jobs";
import { waitsForFleet } from "./pages/fleet/Choice";
import { START, type Wish, optionsOf, wishOf } from "./pages/arena/wish";
import { filterOf } from "./pages/data/filter";
import { type Proof, lengths, mainLine, sorted } from "./pages/solve/proof";
import { csv, flat, greko, improve } from "./pages/tune/log";

// The words are chosen where a browser is.
vi.hoisted(() => {
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { languages: ["en"] });
});

const job = (id: number, more: Partial<Job> = {}) => ({ id, seq: 0, state: "running", progress: null, ...more }) as Job;

describe("jobs", () => {
  it("stand in order, each once", () => {
    const all = [job(5), job(3), job(1)];
    expect(place(all, job(4)).map((j) => j.id)).toEqual([5, 4, 3, 1]);
    expect(place(all, job(3, { title: "new" }))[1]!.title).toBe("new");
    expect(place(all, job(0)).map((j) => j.id)).toEqual([5, 3, 1, 0]);
  });
  it("never go back to an older state", () => {
    const all = [job(2, { seq: 7, title: "40 of 40" }), job(1, { seq: 3 })];
    expect(place(all, job(2, { seq: 5, title: "23 of 40" }))).toBe(all);
    expect(place(all, job(2, { seq: 8, title: "again" }))[0]!.title).toBe("again");
  });
  it("tell their share", () => {
    const progress = { what: "", unit: "", done: 3, total: 4, rate: 0, left: null, basis: "rate" as const, note: "" };
    expect(share(job(1, { progress }))).toBe(0.75);
    expect(share(job(1, { progress: { ...progress, total: null } }))).toBeNull();
    expect(share(job(1, { state: "done" }))).toBe(1);
  });
});

describe("the form of a match", () => {
  it("begins as a test of a patch that plays until it knows", () => {
    expect(wishOf(START).request).toMatchObject({ sprt: [0, 5], games: null });
  });
  it("becomes a wish", () => {
    expect(optionsOf("Hash=16; Move Overhead = 10;\nClear Hash")).toEqual({ Hash: "16", "Move Overhead": "10", "Clear Hash": "" });
    const engine = { from: "own" as const, name: "A", family: "", preset: "", weights: "", known: "", command: "", options: {}, optionText: "Hash=8" };
    const typed: Wish = {
      game: "chess", rules: "", title: "", engines: [engine], limit: "tc", amount: "1+0.01", openings: "", games: "20", concurrency: "",
      form: "gauntlet", rounds: "7", sprt: true, elo0: "0", elo1: "5", resign: "", draw: "", max_plies: "", seed: "", fleet: true,
    };
    const wish = wishOf(typed) as Record<string, unknown>;
    expect(wish.request).toMatchObject({
      control: "1+0.01", games: 20, jobs: null, tournament: { gauntlet: 1, knockout: false, swiss: false }, rounds: null, sprt: [0, 5], seed: null,
    });
    const swiss = wishOf({ ...typed, form: "swiss", rounds: "7" }) as Record<string, unknown>;
    expect(swiss.request).toMatchObject({ tournament: { gauntlet: null, knockout: false, swiss: true }, rounds: 7 });
    expect((wishOf({ ...typed, form: "swiss", rounds: " " }) as Record<string, unknown>).request).toMatchObject({ rounds: null });
    expect((wish.engines as object[])[0]).toMatchObject({ options: { Hash: "8" } });
    // Where no fleet answers, this machine plays, whatever was chosen before.
    expect([wish.fleet, wishOf(typed, true).fleet, wishOf({ ...typed, fleet: false }, true).fleet]).toEqual([null, { priority: 1 }, null]);
    // What is meant for the fleet is not played here because the fleet has not answered.
    expect(([3, null, "asked", "away"] as const).map((answer) => waitsForFleet(answer, true))).toEqual([false, false, true, true]);
    expect(waitsForFleet("away", false)).toBe(false);
    expect((wish.engines as object[])[0]).not.toHaveProperty("optionText");
  });
});

describe("the filter of a file", () => {
  const form = { ply: "", plies: "", score: "", result: "", no_checks: false, no_captures: true };
  it("becomes conditions", () => {
    expect(filterOf({ ...form, ply: "8..200", score: "..300", plies: "20..", result: "loss" })).toEqual({
      ply: [8, 200], score_cp: [0, 300], plies: [20, 2 ** 32 - 1], results: [0], no_checks: false, no_captures: true,
    });
    expect(filterOf(form)).toMatchObject({ ply: null, score_cp: null, plies: null, results: [] });
  });
  it("is refused where a range is none", () => {
    for (const ply of ["8", "x..y", "9..8", "--out"]) expect(() => filterOf({ ...form, ply })).toThrow(`"${ply}": expected A..B`);
  });
});

describe("a proof", () => {
  const proof: Proof = {
    claim: "mate", attacker: "first",
    nodes: [
      { id: 0, position: "", attacker_moves: true, moves: [{ move: "a", to: 1 }] },
      { id: 1, position: "", attacker_moves: false, moves: [{ move: "b", to: 2 }, { move: "c", to: 3 }] },
      { id: 2, position: "", attacker_moves: true, moves: [{ move: "d", to: 4 }] },
      { id: 3, position: "", attacker_moves: true, moves: [{ move: "e", to: 1 }, { move: "f", to: 4 }] },
      { id: 4, position: "", attacker_moves: false, moves: [] },
    ],
  };
  it("has lengths, and a main line", () => {
    const long = lengths(proof);
    expect([long[0], long[2], long[4]]).toEqual([3, 1, 0]);
    expect(sorted(proof, long, 1).map((m) => m.plies)).toEqual([2, 2]);
    expect(mainLine(proof, long, [0])).toEqual([0, 1, 2, 4]);
  });
});

describe("logs of learning", () => {
  it("are read in GreKo's words", () => {
    const text = "0 0.139602240177 0.140008376153 2016-07-21 17:01:16\nParameter 7 of 27: PawnIsolated = -19\n" +
      "1 0.1394 0.1399 2016-07-21 17:01:26 [1.7] -20\nsomething else\n";
    const story = greko("learning.log", text);
    expect(story.steps.map((s) => [s.at, s.seconds, s.held])).toEqual([[0, 0, 0.140008376153], [1, 10, 0.1399]]);
    expect(story.weights).toMatchObject([{ name: "PawnIsolated", group: "Pawn", before: -19, after: -20, at: [0, 1] }]);
  });
  it("are read as tables", () => {
    const text = "run,epoch,train_loss,validation_loss,best,seconds,weight,value\n0,0,0.2,,1,0.1,,\n0,1,0.1,0.3,1,0.2,pawns.isolated,-5\n";
    const story = csv("steps.csv", text, { changed: [
      { name: "pawns.isolated", before: [-4, -4], after: [-5, -5], error: null },
      { name: "material.1", before: [100, 120], after: [98, 120], error: [1, 2] },
    ] });
    expect(story.steps).toMatchObject([{ train: 0.2, held: null }, { train: 0.1, held: 0.3, seconds: 0.2 }]);
    expect(story.weights[0]).toMatchObject({ group: "pawns", before: -4, after: -5 });
    // Both numbers of a feature came as one, whose change was NaN.
    expect(story.weights.slice(1)).toMatchObject([{ name: "material.1.mg", before: 100, after: 98 }]);
  });
  it("give weights one by one", () => {
    expect(flat({ material: { mg: [100, 300], eg: 5 } })).toEqual([["material.mg.0", 100], ["material.mg.1", 300], ["material.eg", 5]]);
  });
  it("tell a circle of go, where patterns come and go", () => {
    const round = (number: number, adopted: boolean, weights: Record<string, number>) => ({ round: { number, adopted, standing: null }, losses: [{ epoch: 0, train: 3, held: 3.1 }], weights: weights as object as Record<string, never> });
    const rounds = [round(1, true, { eye: 0.3, "pattern.3.0016fea7cce2e2b9": 3.05 }), round(2, false, { eye: 0.2 })];
    const story = improve("run", { settings: { rules: "9x9" } as object as Record<string, never>, start: { eye: 1 } as object as Record<string, never>, weights: rounds[0]!.weights, rounds, verdict: null, seconds: null });
    expect(story.weights).toEqual([
      { name: "eye", group: "eye", at: [0, 1, 2], values: [1, 0.3, 0.2], before: 1, after: 0.3 },
      { name: "pattern.3.0016fea7cce2e2b9", group: "pattern", at: [0, 1, 2], values: [1, 3.05, 1], before: 1, after: 3.05 },
    ]);
  });
});
