// What the page computes itself: trees of games, values in words, words in every language.
import { describe, expect, it } from "vitest";
import en from "../i18n/en.json";
import fleetEn from "../i18n/fleet/en.json";
import fleetJa from "../i18n/fleet/ja.json";
import fleetRu from "../i18n/fleet/ru.json";
import fleetZh from "../i18n/fleet/zh.json";
import ja from "../i18n/ja.json";
import ru from "../i18n/ru.json";
import workEn from "../i18n/jobs/en.json";
import workJa from "../i18n/jobs/ja.json";
import workRu from "../i18n/jobs/ru.json";
import workZh from "../i18n/jobs/zh.json";
import zh from "../i18n/zh.json";
import type { FoundLine } from "./api";
import * as tree from "./tree";
import { layout } from "./pages/tree/layout";
import { pairs, parting } from "./pages/tree/pairs";
import { Forest } from "./pages/tree/forest";
import { candidateArrows } from "./boards/board";
import { markOf, next } from "./pages/sweep/judge";
import { chance, inWords } from "./value";

const mv = (text: string) => ({ move: text, text });

describe("a game with variations", () => {
  it("follows a move that was played before and keeps others as variations", () => {
    let game = tree.play(tree.play(tree.newTree(), mv("e4")), mv("e5"));
    game = tree.play(tree.back(game), mv("c5"));
    expect(tree.place(game).moves).toEqual(["e4", "c5"]);
    game = tree.play(tree.back(game), mv("e5"));
    expect(game.nodes.length).toBe(4);
    expect(tree.place(tree.sibling(game, 1)).moves).toEqual(["e4", "c5"]);
    expect(tree.place(game, tree.lineEnd(game, 0)).moves).toEqual(["e4", "e5"]);
  });
  it("takes back a line without touching what others see", () => {
    const game = tree.play(tree.newTree(), mv("e4"));
    const shorter = tree.cut(game);
    expect(tree.place(shorter).moves).toEqual([]);
    expect(game.nodes[0]!.children).toEqual([1]);
    expect(shorter.nodes[0]!.children).toEqual([]);
  });
});

const line = (change: Partial<FoundLine>): FoundLine => ({
  pv: [],
  cp: 0,
  mate: null,
  bound: "exact",
  value: 0,
  wdl: null,
  visits: 0,
  prior: 0, lead: null,
  ...change,
});

describe("values", () => {
  it("are said for the first side", () => {
    expect(inWords(line({ cp: 35 }))).toBe("+0.35");
    expect(inWords(line({ cp: 35 }), -1)).toBe("-0.35");
    expect(inWords(line({ cp: null, mate: 5 }))).toBe("#3");
    expect(inWords(line({ cp: null, mate: 5 }), -1)).toBe("#-3");
    expect(inWords(line({ cp: -10, bound: "lower" }), -1)).toBe("≤+0.10");
  });
  it("become chances", () => {
    expect(chance(line({ wdl: [500, 300, 200] }))).toBeCloseTo(0.65);
    expect(chance(line({ cp: null, mate: -2 }))).toBe(0);
    expect(chance(line({ cp: 0 }))).toBeCloseTo(0.5);
  });
});

describe("arrows", () => {
  const of = (move: string, visits: number) => line({ pv: [mv(move)], visits });
  it("show the best three, each narrower than those before it", () => {
    for (const visits of [[0, 0, 0, 0], [60, 30, 9, 1], [10, 80, 5, 5]]) {
      const arrows = candidateArrows(visits.map((n, i) => of("abcd"[i]!, n)));
      expect(arrows.map((arrow) => [arrow.move, arrow.rank])).toEqual([["a", 1], ["b", 2], ["c", 3]]);
      expect(arrows[0]!.share).toBeGreaterThan(arrows[1]!.share);
      expect(arrows[1]!.share).toBeGreaterThan(arrows[2]!.share);
    }
    expect(candidateArrows([line({})])).toEqual([]);
  });
});

describe("languages", () => {
  it("have all words, with the same placeholders", () => {
    const placeholders = (words: string) => (words.match(/\{\w+\}/g) ?? []).sort().join();
    const same = (first: Record<string, string>, others: Record<string, string>[]) => {
      for (const other of others) {
        expect(Object.keys(other).sort()).toEqual(Object.keys(first).sort());
        for (const [key, words] of Object.entries(first)) expect(placeholders(other[key]!)).toBe(placeholders(words));
      }
    };
    same(en, [ja, ru, zh]);
    same(workEn, [workJa, workRu, workZh]);
    same(fleetEn, [fleetJa, fleetRu, fleetZh]);
    expect(Object.keys({ ...workEn, ...fleetEn }).filter((key) => key in en)).toEqual([]);
    expect(Object.keys(fleetEn).filter((key) => key in workEn)).toEqual([]);
  });
});

/** A frame as the server writes it. */
function frame(kind: number, records: [id: number, parent: number, code: number, ply: number, value: number, effort: number][]): ArrayBuffer {
  const bytes = new ArrayBuffer(16 + 32 * records.length);
  const view = new DataView(bytes);
  view.setUint8(0, 1);
  view.setUint8(1, kind);
  view.setUint32(8, records.length, true);
  records.forEach(([id, parent, code, ply, value, effort], i) => {
    const at = 16 + 32 * i;
    if (kind === 3) return view.setUint32(16 + 4 * i, id, true);
    view.setUint32(at, id, true);
    view.setUint32(at + 4, parent, true);
    view.setUint16(at + 8, code, true);
    view.setUint8(at + 10, ply);
    view.setFloat32(at + 12, value, true);
    view.setFloat32(at + 16, effort, true);
  });
  return bytes;
}

describe("a tree from frames", () => {
  const small = () => {
    const forest = new Forest();
    forest.codes = ["", "e4", "d4", "e5", "c5"];
    forest.read(frame(1, [[0, 0, 0, 0, 0.1, 100], [1, 0, 1, 1, 0.2, 60], [2, 0, 2, 1, 0.3, 40], [3, 1, 3, 2, 0.1, 30], [4, 1, 4, 2, -0.1, 20]]));
    return forest;
  };
  it("finds children, orders and lines for the side that chooses", () => {
    const forest = small();
    const names = (slots: Iterable<number>) => [...slots].map((s) => forest.move(s));
    expect(names(forest.sorted(forest.root, "effort"))).toEqual(["e4", "d4"]);
    expect(names(forest.sorted(forest.root, "value"))).toEqual(["d4", "e4"]);
    const e4 = forest.find(["e4"]).slot;
    expect(names(forest.sorted(e4, "value"))).toEqual(["c5", "e5"]);
    expect(names(forest.line(forest.root, true))).toEqual(["e4", "e5"]);
    expect(names(forest.line(forest.root, false))).toEqual(["d4"]);
    expect(forest.find(["e4", "a5"]).whole).toBe(false);
  });
  it("takes changes and lets nodes go, in whatever slots", () => {
    const forest = small();
    forest.read(frame(3, [[3, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0]]));
    forest.read(frame(2, [[1, 0, 1, 1, 0.5, 80], [9, 4, 1, 3, 0.5, 7]]));
    expect(forest.size).toBe(4);
    const e4 = forest.find(["e4"]).slot;
    expect(forest.effort[e4]).toBe(80);
    expect(forest.find(["e4", "c5", "e4"]).whole).toBe(true);
    expect([...forest.children(forest.root)].length).toBe(1);
    expect(() => forest.read(new ArrayBuffer(16))).toThrow();
  });
  it("is laid out by effort, and what is too thin is left out", () => {
    const forest = small();
    const boxes = layout(forest, 100, 0, 1);
    const of = (code: string) => boxes.find((b) => forest.move(b.slot) === code)!;
    expect(of("e4").width).toBeCloseTo(60);
    expect(of("d4").x).toBeCloseTo(60);
    expect(of("e5").width).toBeCloseTo(30);
    expect(layout(forest, 100, 0.6, 1).some((b) => forest.move(b.slot) === "e4")).toBe(false);
    expect(layout(forest, 0.5, 0, 1).length).toBe(1);
  });
  it("is compared with another by disagreement", () => {
    const [one, two] = [small(), small()];
    two.read(frame(2, [[1, 0, 1, 1, -0.4, 10], [2, 0, 2, 1, 0.3, 90]]));
    expect(pairs(one, one.root, two, two.root).map((p) => [p.move, Math.round(p.gap)])).toEqual([["e4", 30], ["d4", 0]]);
    expect(parting(one, two, [true, true])).toEqual([]);
    expect(parting(one, one, [true, true])).toBe(null);
  });
});

describe("mistakes", () => {
  it("are known by their glyphs, the worst of several", () => {
    expect([[6], [2], [4], [2, 4], [1, 14], []].map(markOf)).toEqual(["inaccuracy", "mistake", "blunder", "blunder", null, null]);
  });
  it("are found round the end of the game", () => {
    const marks = [null, "inaccuracy", null, "blunder"] as const;
    expect(next([...marks], 0, "inaccuracy")).toBe(1);
    expect(next([...marks], 0, "blunder")).toBe(3);
    expect(next([...marks], 3, "inaccuracy")).toBe(1);
    expect(next([null, null], 0, "inaccuracy")).toBe(-1);
  });
});
