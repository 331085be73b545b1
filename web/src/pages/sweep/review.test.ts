// Reviews: what annotators said stays, and what the server says of a move is told of the node that it leads to.
import { describe, expect, it, vi } from "vitest";
import { type Standing, api } from "../../api";
import * as tree from "../../tree";
import { speak } from "../../words";
import { type Search, findingOf, look } from "./look";
import { type Finding, reviewed } from "./review";

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

describe("what the server says of a move", () => {
  it("is a finding where it is a mistake", () => {
    const better = { move: "g1f3", text: "Nf3" };
    expect(findingOf({ cost: 12, mark: "mistake", better })).toEqual(finding);
    expect(findingOf({ cost: 3, mark: null, better: null })).toBeNull();
    expect(findingOf(null)).toBeNull();
  });
});

describe("a game looked over", () => {
  it("asks of every position what the next move costs, and marks the node that it leads to", async () => {
    const asked: unknown[] = [];
    const search: Search = async (place, goal) => {
      asked.push([place.moves.join(" "), goal]);
      const review = goal.review === "f2f3" ? { cost: 12, mark: "mistake" as const, better: { move: "g1f3", text: "Nf3" } } : null;
      const line = { pv: [{ move: "g1f3", text: "Nf3" }], cp: 20, mate: null, bound: "exact" as const, wdl: null, visits: 0, prior: 0 };
      return { lines: [line], depth: 1, nodes: 100, review };
    };
    const position = vi.spyOn(api, "position").mockImplementation(async (_, place) => ({ side: place.moves.length % 2, ended: null }) as Standing);
    const text = (move: string) => ({ move, text: move });
    const game = tree.play(tree.play(tree.newTree(), text("f2f3")), text("e7e5"));
    const found: (Finding | null)[] = [];
    await look(search, "chess", game, 100, () => true, (_i, _of, _node, { finding }) => void found.push(finding));
    position.mockRestore();
    expect(asked).toEqual([
      ["", { nodes: 100, review: "f2f3" }],
      ["f2f3", { nodes: 100, review: "e7e5" }],
      ["f2f3 e7e5", { nodes: 100 }],
    ]);
    expect(found).toEqual([null, finding, null]);
  });
});
