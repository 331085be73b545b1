// What the page computes itself: trees of games, values in words, words in every language.
import { describe, expect, it } from "vitest";
import en from "../i18n/en.json";
import ja from "../i18n/ja.json";
import ru from "../i18n/ru.json";
import workEn from "../i18n/work/en.json";
import workJa from "../i18n/work/ja.json";
import workRu from "../i18n/work/ru.json";
import workZh from "../i18n/work/zh.json";
import zh from "../i18n/zh.json";
import type { FoundLine } from "./api";
import * as tree from "./tree";
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
  wdl: null,
  visits: 0,
  prior: 0,
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

describe("languages", () => {
  it("have all words, with the same blanks", () => {
    const blanks = (words: string) => (words.match(/\{\w+\}/g) ?? []).sort().join();
    const same = (first: Record<string, string>, others: Record<string, string>[]) => {
      for (const other of others) {
        expect(Object.keys(other).sort()).toEqual(Object.keys(first).sort());
        for (const [key, words] of Object.entries(first)) expect(blanks(other[key]!)).toBe(blanks(words));
      }
    };
    same(en, [ja, ru, zh]);
    same(workEn, [workJa, workRu, workZh]);
    expect(Object.keys(workEn).filter((key) => key in en)).toEqual([]);
  });
});
