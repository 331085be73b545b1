// Reviews: what annotators said stays, and what the server says of a move is told of the node that it leads to.
import { describe, expect, it, vi } from "vitest";
import { type Standing, api } from "../../api";
import * as tree from "../../tree";
import { loadAll, speak } from "../../words";
import { type Search, findingOf, look } from "./look";
import { type Finding, reviewed, written } from "./review";

// The words are chosen where a browser is.
vi.hoisted(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) });
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { languages: ["en"] });
});

const finding = { mark: "mistake" as const, cost: 0.12, best: "Nf3", values: null };

await loadAll();

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
        expect(reviewed(first, { mark: "blunder", cost: 0.3, best: "d4", values: null })).toEqual({ comment: "A bold try.\n?? loses 30 points; d4 was better", glyphs: [5, 4] });
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
    expect(findingOf({ cost: 12, mark: "mistake", better, values: null })).toEqual(finding);
    expect(findingOf({ cost: 3, mark: null, better: null, values: null })).toBeNull();
    expect(findingOf(null)).toBeNull();
  });
});

describe("a game looked over", () => {
  it("asks of every position what the next move costs, and marks the node that it leads to", async () => {
    const asked: unknown[] = [];
    const search: Search = async (place, goal) => {
      asked.push([place.moves.join(" "), goal]);
      const review = goal.review === "f2f3" ? { cost: 12, mark: "mistake" as const, better: { move: "g1f3", text: "Nf3" }, values: null } : null;
      const line = { pv: [{ move: "g1f3", text: "Nf3" }], cp: 20, value: 20, mate: null, bound: "exact" as const, wdl: null, visits: 0, prior: 0, lead: null };
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

describe("values and marks of a review", () => {
  const line = (cp: number) => ({ pv: [{ move: "a", text: "a" }], cp, value: cp, mate: null, bound: "exact" as const, wdl: null, visits: 0, prior: 0, lead: null });
  const text = (move: string) => ({ move, text: move });
  /** The record after a review in which each position has this value for its mover, by its plies, and searches of more nodes another. */
  const after = async (moves: string[], values: [short: number, long: number][], review: (plies: number, nodes: number) => unknown) => {
    const asked: [number, number][] = [];
    const search: Search = async (place, goal) => {
      const plies = place.moves.length;
      asked.push([plies, goal.nodes!]);
      const told = goal.review ? review(plies, goal.nodes!) : null;
      return { lines: [line(values[plies]![goal.nodes! > 100 ? 1 : 0])], depth: 1, nodes: goal.nodes!, review: told as never };
    };
    const position = vi.spyOn(api, "position").mockImplementation(async (_, place) => ({ side: place.moves.length % 2, ended: null }) as Standing);
    let game = moves.map(text).reduce(tree.play, tree.newTree());
    await look(search, "chess", game, 100, () => true, (_i, _of, node, found) => void (game = written(game, node, found)));
    position.mockRestore();
    return { asked, chances: game.nodes.map(({ chance }) => Math.round(100 * chance!)), marks: game.nodes.map(tree.mark), words: game.nodes.map(({ comment }) => comment) };
  };
  it("contradicted each other: a move lost 12 points in words and 2 in the graph", async () => {
    const judged = (plies: number) => (plies === 0 ? { cost: 12, mark: "mistake", better: text("b"), values: [42, -64] } : null);
    const { chances, marks } = await after(["f3", "e5"], [[20, 20], [-10, -10], [15, 15]], judged);
    expect(marks).toEqual([null, "mistake", null]);
    expect(chances[0]! - chances[1]!).toBe(12);
  });
  it("left a fall of the graph without a mark: it is looked at again, for longer", async () => {
    const judged = (plies: number, nodes: number) => (plies === 0 && nodes > 100 ? { cost: 20, mark: "blunder", better: text("b"), values: [20, -163] } : null);
    const { asked, chances, marks } = await after(["f3", "e5"], [[20, 20], [200, 200], [-200, -200]], judged);
    expect(marks).toEqual([null, "blunder", null]);
    expect(asked.filter(([, nodes]) => nodes === 400)).toEqual([[0, 400]]);
    expect(chances[0]! - chances[1]!).toBe(20);
    // What follows a mark does not take its values away.
    const marked = (plies: number) => (plies === 0 ? { cost: 20, mark: "blunder", better: text("b"), values: [20, -163] } : null);
    const kept = await after(["f3", "e5"], [[20, 20], [160, 0], [0, 0]], marked);
    expect([kept.marks[1], kept.chances[0]! - kept.chances[1]!]).toEqual(["blunder", 20]);
    const none = await after(["f3"], [[20, 20], [200, -15]], () => null);
    expect([none.marks[1], none.chances]).toEqual([null, [52, 52]]);
  });
  it("of two moves in a row disagreed: the search of the second says what the first left", async () => {
    const two = (second: [number, number], cost: number) => (plies: number) =>
      [{ cost: 20, mark: "blunder", better: text("b"), values: [20, -163] }, { cost, mark: "mistake", better: text("c"), values: second }][plies] ?? null;
    const values: [number, number][] = [[20, 20], [160, 160], [0, 0], [0, 0]];
    // The second search sees less after the first move: 12 points were lost, not 20.
    const less = await after(["f3", "e6", "g4"], values, two([86, -20], 12));
    expect(less.marks).toEqual([null, "mistake", "mistake", null]);
    expect([less.chances[0]! - less.chances[1]!, less.chances[2]! - less.chances[1]!]).toEqual([12, 12]);
    expect(less.words[1]).toContain("12");
    // It sees nothing lost: the first mark goes.
    const none = await after(["f3", "e6", "g4"], values, two([-10, -110], 11));
    expect([none.marks, none.words[1]]).toEqual([[null, null, "mistake", null], ""]);
  });
});

describe("values that a review writes", () => {
  const bound = (kind: "exact" | "upper", cp: number) => ({ pv: [{ move: "e2e4", text: "e4" }], cp, value: cp, mate: null, bound: kind, wdl: null, visits: 0, prior: 0, lead: null });
  const at = (side: number) => ({ side, ended: null }) as Standing;
  it("vanished on a reload where they were bounds", async () => {
    const asked: unknown[] = [];
    const search: Search = async (place, goal) => {
      asked.push([place.moves.length, goal.nodes]);
      const isFirst = place.moves.length === 1 && goal.nodes === 100;
      return { lines: [isFirst ? bound("upper", -150) : bound("exact", place.moves.length === 1 ? -123 : 123)], depth: 7, nodes: goal.nodes!, review: null };
    };
    const position = vi.spyOn(api, "position").mockImplementation(async (_, place) => at(place.moves.length % 2));
    let game = tree.play(tree.newTree(), { move: "e2e4", text: "e4" });
    await look(search, "chess", game, 100, () => true, (_i, _of, node, found) => void (game = written(game, node, found)));
    position.mockRestore();
    expect(asked).toEqual([[0, 100], [1, 100], [1, 200]]);
    const shown = (nodes: tree.GameNode[]) => nodes.map(({ value, chance }) => [value, chance]);
    expect(game.nodes.map((node) => node.value)).toEqual(["+1.23", "+1.23"]);
    // What was shown is what a reload shows.
    expect(shown(tree.fromRecord(tree.toRecord(game)).nodes)).toEqual(shown(game.nodes));
  });
  it("stay where they came with the record, and give way to a dearer search", () => {
    const look = { mover: 0, kept: { value: 50, depth: 9, nodes: 500 }, ended: null, finding: null };
    const game = tree.play(tree.newTree(), { move: "e2e4", text: "e4" });
    const value = (kept: object) => written(tree.note(game, 1, { kept }), 1, look).nodes[1]!.value;
    expect([value({ value: 18 }), value({ value: 18, nodes: 400 }), value({ value: 18, nodes: 600 })]).toEqual(["+0.18", "+0.50", "+0.18"]);
  });
  it("say how the game ended, and the record too", () => {
    const ended = { winner: 1, by: "mate", points: null };
    const game = written(tree.play(tree.newTree(), { move: "g2g4", text: "g4" }), 1, { mover: 0, kept: null, ended, finding: null });
    const again = tree.fromRecord(tree.toRecord(game));
    expect([game.nodes[1]!.value, again.nodes[1]!.value, again.outcome]).toEqual(["0-1", "0-1", ended]);
  });
});
