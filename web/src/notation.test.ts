// Moves of shogi in letters.
import { expect, it, vi } from "vitest";
import { hasLetters, inLetters, sameSquare, setLetters, western } from "./notation";

vi.hoisted(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) });
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { languages: ["en"] });
});

it("writes moves of shogi for readers without kanji", () => {
  const said: [string, string, string][] = [
    ["7g7f", "☗７六歩", "P76"], ["8h2b+", "☗２二角成", "B22+"], ["S*5e", "☖５五銀打", "S*55"], ["P*5e", "☖５五歩", "P*55"],
    ["2e3c", "☗３三桂不成", "N33="], ["4i5h", "☗５八金右", "G49-58"], ["2b3b", "３二成銀", "+S32"], ["5a4b", "△４二玉", "K42"], ["4d5c", "５三と左", "+P44-53"],
  ];
  for (const [code, text, letters] of said) expect(western(code, text), text).toBe(letters);
  // What is no move of shogi stays.
  for (const [code, text] of [["e2e4", "e4"], ["Q16", "Q16"], ["7g7f", "Pass"]]) expect(western(code!, text!)).toBe(text);
});

it("names the square of the move before by 同, as records of shogi do", () => {
  const said: [string, string, string | null, string][] = [
    ["☖２二銀", "3a2b", "8h2b+", "☖同　銀"], ["☗５八金右", "4i5h", "6g5h+", "☗同金右"], ["☗２二角成", "8h2b+", "3c3d", "☗２二角成"], ["☗７六歩", "7g7f", null, "☗７六歩"],
    ["N33=", "2e3c", "2b3c", "N33="], ["e4", "e2e4", "d7e4", "e4"],
  ];
  for (const [text, code, before, words] of said) expect(sameSquare(text, code, before), text).toBe(words);
});

it("changes all moves of an answer and nothing else", () => {
  const answer = { text: "☗７六歩", lines: [{ pv: [{ move: "7g7f", text: "☗７六歩", more: null }], cp: 3 }], words: ["７六歩"] };
  expect(inLetters(answer)).toEqual({ text: "☗７六歩", lines: [{ pv: [{ move: "7g7f", text: "P76", more: null }], cp: 3 }], words: ["７六歩"] });
});

it("is there where neither Japanese nor Chinese is read, or where it is chosen", () => {
  expect(["en", "ru", "ja", "zh"].map(hasLetters)).toEqual([true, true, false, false]);
  setLetters(true);
  expect(hasLetters("ja")).toBe(true);
  setLetters(false);
  expect(hasLetters("en")).toBe(false);
});
