// Explanations in sentences: every term and every number in every language, and the three steps of a comparison.
import { describe, expect, it, vi } from "vitest";
import termsEn from "../../../i18n/terms/en.json";
import termsJa from "../../../i18n/terms/ja.json";
import termsRu from "../../../i18n/terms/ru.json";
import termsZh from "../../../i18n/terms/zh.json";
import whyEn from "../../../i18n/why/en.json";
import whyJa from "../../../i18n/why/ja.json";
import whyRu from "../../../i18n/why/ru.json";
import whyZh from "../../../i18n/why/zh.json";
import { loadAll, speak } from "../../words";
import { type WhyNotAnswer, differences, standing, stepsOf, valueText, verdict, written } from "./whyNot";
import { pieces, several, termName } from "./words";

vi.hoisted(() => {
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { languages: ["en"] });
});

const TAGS = ["en", "ru", "ja", "zh"];
const slotsOf = (words: string) => [...words.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

const side = (text: string, cp: number, line: string[], seen: number[]): WhyNotAnswer["mine"] => ({
  move: text, text, cp, mate: null, expected: 2 / (1 + Math.exp(-cp / 220)) - 1, lead: null, visits: 0, worths: [],
  line: line.map((text, i) => ({ move: `m${i}`, text, glance: seen[i] === undefined ? null : 2 / (1 + Math.exp(-seen[i]! / 220)) - 1, cp: seen[i] ?? null })),
});
const term = (name: string, of: number, vs: number, n = 0) => ({ name, group: "", of, vs, of_count: n, vs_count: 0 });

/** Black took a pawn and lost the castling. */
const BLUNDER: WhyNotAnswer = {
  side: 1, by: "alpha-beta", explained_by: "alpha-beta", time: 2000, loss: 26.4, owners: null,
  mine: side("Nxe4", -140, ["Nxe4", "Bxf7+", "Kxf7"], [90, -130, -140]),
  best: side("d5", -20, ["d5", "exd5"], [-10, -20]),
  turn: { ply: 2, before: 0.2, after: -0.3, before_cp: 90, after_cp: -130 },
  terms: [term("castling.0", 42, 0), term("material.0", -90, 0, -1), term("king_shelter.3", 30, 5), term("king_shelter.9", 20, 0), term("tempo", 2, 0)],
};

await loadAll();

describe("the words of explanations", () => {
  it("are there in every language with the same places for what is told", () => {
    for (const [of, all] of [["terms", [termsEn, termsRu, termsJa, termsZh]], ["sentences", [whyEn, whyRu, whyJa, whyZh]]] as const) {
      const [en, ...others] = all as readonly Record<string, string>[];
      for (const [i, words] of others.entries()) {
        for (const [key, text] of Object.entries(en!)) {
          if (/_(one|few|many|other)$/.test(key)) continue;
          const theirs = words[key];
          expect(theirs, `${of}: ${key} in ${TAGS[i + 1]}`).toBeTruthy();
          // A language may say a side in another case.
          const places = (text: string) => slotsOf(text).map((name) => name!.replace("side_of", "side")).filter((name) => name !== "side");
          expect(places(theirs!), `${of}: ${key} in ${TAGS[i + 1]}`).toEqual(places(text));
        }
      }
    }
  });
  it("count as each language counts", () => {
    const said = (tag: string) => (speak(tag), [1, 2, 5, 21].map((n) => [pieces("chess", 1, n), several("wn_mates", n, { side: "W" })].join("; ")));
    try {
      expect(said("en")).toEqual(["a knight; W mates with the next move", "2 knights; W mates in 2 moves", "5 knights; W mates in 5 moves", "21 knights; W mates in 21 moves"]);
      expect(said("ru").slice(0, 3)).toEqual(["конь; W ставят мат следующим ходом", "2 коня; W ставят мат в 2 хода", "5 коней; W ставят мат в 5 ходов"]);
      expect(said("ja")[1]).toBe("ナイト2枚; Wが2手で詰ませます");
      expect(said("zh")[2]).toBe("5马; W5步将杀");
    } finally {
      speak("en");
    }
  });
  it("name the piece that a term is about", () => {
    expect([termName("chess", "threat_knight.2"), termName("shogi", "hanging.4"), termName("chess", "king_shelter.7")]).toEqual(["a knight attacks a bishop", "a gold hangs", "king's shelter"]);
    expect(termName("four", "three_open.2")).toBe("three open");
  });
});

describe("why not my move", () => {
  it("is told in three steps", () => {
    const steps = stepsOf("chess", null, 9, BLUNDER);
    expect(steps.map(({ text }) => text)).toEqual([
      "After 5…Nxe4 6.Bxf7+ Kxf7 White is better (+1.4).",
      "After 5…d5 6.exd5 White is better (+0.2).".replace("White is better", "the game is equal"),
      "The line turns at 6.Bxf7+: at a first glance -0.9 before it, +1.3 after it. What is lost: " +
        "king's shelter (+0.5); castling rights (+0.4). In return: a pawn (-0.9). It costs 26 points of expected result.",
    ]);
    expect(steps.map(({ at, line }) => [at, line.length])).toEqual([[3, 3], [2, 2], [2, 3]]);
  });
  it("was never told as a bound, a dash or nothing", () => {
    for (const tag of TAGS) {
      speak(tag);
      for (const game of ["chess", "shogi", "go", "four"]) {
        for (const loss of [-2, 0.4, 1, 12]) {
          for (const turn of [null, BLUNDER.turn]) {
            const texts = stepsOf(game, null, 4, { ...BLUNDER, loss, turn, terms: turn ? BLUNDER.terms : [] }).map(({ text }) => text);
            for (const text of texts) expect(text, `${tag} ${game}`).not.toMatch(/[–{}]|undefined|NaN|null|≤|≥/);
          }
        }
      }
    }
    speak("en");
  });
  it("tells the lead and the chance in go, whole numbers in shogi, and mates", () => {
    const go = { ...BLUNDER.mine, lead: -3.5 };
    expect(verdict("go", 1, go)).toBe("Black leads by 3.5 points and wins with 65.4%");
    expect([valueText("shogi", 123.4), valueText("chess", -351)]).toEqual(["+123", "-3.5"]);
    expect(verdict("chess", 1, { ...BLUNDER.mine, mate: -4, cp: null })).toBe("White mates in 2 moves");
    expect(verdict("chess", 1, { ...BLUNDER.mine, mate: 1, cp: null }), "the move itself is the mate").toBe("Black has mated");
  });
  it("leaves out what is not worth a word", () => {
    expect(differences("chess", 0, [term("tempo", 3, 0), term("rounding", 90, 0)], false)).toBe("");
  });
  it("said that a side was up where its line was compared with another, and contradicted what was searched", () => {
    // White's move loses by what was searched, though the terms at the ends are for it.
    const terms = [term("material.1", 330, 0, 1), term("material.2", -200, 150, -1)];
    expect(differences("chess", 0, terms, false)).toBe("What is lost: a bishop (-3.5). In return: a knight (+3.3).");
    expect(differences("chess", 0, [...terms, term("psq_knight", 90, 0)], false)).toContain("The terms of the evaluation do not show it");
    expect(standing("chess", 1, [term("material.0", -90, 0, -1)])).toEqual(["Black is a pawn up (-0.9)"]);
    const owners: WhyNotAnswer["owners"] = [[[1, 1]], [[-1, -1]]];
    expect(stepsOf("go", null, 4, { ...BLUNDER, side: 0, terms: [], owners }).at(-1)!.text).toContain("does not show it");
    expect(stepsOf("go", null, 4, { ...BLUNDER, side: 1, terms: [], owners }).at(-1)!.text).toContain("Black has +2.0 after Nxe4");
  });
  it("names a move on the square of the one before by 同", () => {
    const line = [["☖２四角", "3c2d"], ["☗２四銀", "3e2d"]].map(([text, move]) => ({ text: text!, move: move!, glance: null, cp: null }));
    const mine = { ...BLUNDER.mine, text: "☖２四角", move: "3c2d", line };
    const { mine: said } = written({ ...BLUNDER, mine }, "2h2d");
    expect([said.text, ...said.line.map(({ text }) => text)]).toEqual(["☖同　角", "☖同　角", "☗同　銀"]);
  });
});
