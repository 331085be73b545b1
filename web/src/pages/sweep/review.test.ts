// Reviews: what annotators said stays, and no move is better than itself.
import { describe, expect, it, vi } from "vitest";
import type { FoundLine } from "../../api";
import { speak } from "../../words";
import { type Search, compare } from "./look";
import { reviewed } from "./review";

// The words are chosen where a browser is.
vi.hoisted(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) });
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { languages: ["en"] });
});

const finding = { mark: "mistake" as const, cost: 0.12, best: "Nf3" };

describe("a review", () => {
  it("overwrote imported comments", () => {
    const said = reviewed({ comment: "A bold try.", glyphs: [5] }, finding);
    expect(said).toEqual({ comment: "A bold try.\n? loses 12 points; Nf3 was better", glyphs: [5, 2] });
    expect(reviewed({ comment: "", glyphs: [] }, finding).comment).toBe("? loses 12 points; Nf3 was better");
  });
  it("replaces what an earlier review said, in whatever language, and nothing else", () => {
    const before = { comment: "A bold try.", glyphs: [5] };
    try {
      for (const tag of ["ja", "zh", "ru", "en"]) {
        speak(tag);
        const first = reviewed(before, { ...finding, best: "☗７六歩" });
        expect(first.comment).not.toBe(before.comment);
        speak("en");
        expect(reviewed(first, { mark: "blunder", cost: 0.3, best: "d4" })).toEqual({ comment: "A bold try.\n?? loses 30 points; d4 was better", glyphs: [5, 4] });
        expect(reviewed(first, null)).toEqual(before);
      }
    } finally {
      speak("en");
    }
  });
  it("leaves an annotator's own mark", () => {
    expect(reviewed({ comment: "", glyphs: [2] }, null).glyphs).toEqual([2]);
  });
});

const line = (move: string, win: number): FoundLine => ({ pv: [{ move, text: move }], cp: 0, mate: null, bound: "exact", wdl: [win, 0, 1000 - win], visits: 0, prior: 0 });
const place = { rules: "", start: null, moves: [] };

/** A search that answers with `answers` in turn, and what it was asked. */
function scripted(...answers: FoundLine[][]): { search: Search; asked: unknown[] } {
  const asked: unknown[] = [];
  return { asked, search: async (_, goal) => (asked.push(goal), { lines: answers[asked.length - 1]!, depth: 1, nodes: 1 }) };
}

describe("a comparison", () => {
  it("called a move better than itself", async () => {
    const { search, asked } = scripted();
    expect(await compare(search, place, "a", "a", 100)).toBeNull();
    expect(asked).toEqual([]);
  });
  it("takes both values from one search and confirms a mistake with twice the nodes", async () => {
    const { search, asked } = scripted([line("b", 600), line("a", 400)], [line("b", 600), line("a", 480)]);
    expect(await compare(search, place, "a", "b", 100)).toEqual({ mark: "mistake", cost: expect.closeTo(0.12), best: "b" });
    expect(asked).toEqual([{ nodes: 100, only: ["b", "a"] }, { nodes: 200, only: ["b", "a"] }]);
  });
  it("drops what the second look does not confirm, and what one search did not see both moves of", async () => {
    expect(await compare(scripted([line("b", 600), line("a", 400)], [line("a", 500), line("b", 490)]).search, place, "a", "b", 100)).toBeNull();
    expect(await compare(scripted([line("b", 600)]).search, place, "a", "b", 100)).toBeNull();
    const low = { ...line("a", 400), bound: "lower" as const };
    expect(await compare(scripted([line("b", 600), low]).search, place, "a", "b", 100)).toBeNull();
  });
});
