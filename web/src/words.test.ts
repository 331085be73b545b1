// Texts that people paste and read: positions, numbers of moves, markup, results, problems in the reader's language.
import { describe, expect, it, vi } from "vitest";
import { Problem, isRefusal } from "./api";
import { joinMarkup, signsOf, splitMarkup } from "./markup";
import { numberOf } from "./numbers";
import { closed } from "./pages/arena/series";
import { pasted } from "./pasted";
import { spotOf } from "./places";
import { dateOf, namesOf, resultOf, sideTagsOf } from "./players";
import { problemInWords } from "./problems";
import { gameName, loadAll, speak } from "./words";

// The words are chosen where a browser is.
vi.hoisted(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) });
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { languages: ["en"] });
});

await loadAll();

describe("a pasted position", () => {
  const SFEN = "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1";
  it("was refused as a line of a protocol", () => {
    for (const before of ["", "sfen ", "position sfen ", "  position   sfen ", "fen ", "position fen "]) {
      expect(pasted(`${before}${SFEN}`)).toEqual({ rules: "", start: SFEN, moves: [] });
      expect(pasted(`${before}${SFEN} moves`)).toEqual({ rules: "", start: SFEN, moves: [] });
      expect(pasted(`${before}${SFEN} moves G*5b  5a5b\n`)).toEqual({ rules: "", start: SFEN, moves: ["G*5b", "5a5b"] });
    }
    expect(pasted("position startpos moves e2e4 e7e5", "chess960")).toEqual({ rules: "chess960", start: null, moves: ["e2e4", "e7e5"] });
    expect([pasted("").start, pasted(" startpos\n").start]).toEqual([null, null]);
  });
});

describe("a fourth game", () => {
  const four = { name: "four", families: [], formats: [], side_tags: ["Yellow", "Red"] };
  it("broke every page that named it", () => {
    for (const tag of ["en", "ru", "ja", "zh"]) {
      speak(tag);
      expect([gameName("four"), gameName("jobs")]).toEqual(["four", "jobs"]);
      expect(gameName("chess")).not.toBe("chess");
    }
    speak("en");
  });
  it("has names for its sides, which the server tells", () => {
    const tags: [string, string][] = [["Red", "b"], ["Yellow", "a"], ["White", "w"]];
    expect(namesOf(sideTagsOf([four], "four"), tags)).toBe("a – b");
    expect(sideTagsOf([four], "chess")).toBeUndefined();
    expect(sideTagsOf(null, "four")).toBeUndefined();
    // Until it has told, the record's own order counts.
    expect(namesOf(undefined, [["White", "a"], ["Black", "b"]])).toBe("a – b");
  });
});

describe("numbers of moves", () => {
  const all = (game: string, start: string | null, alone: number[] = [1]) => [1, 2, 3, 4].map((ply) => numberOf(game, start, ply, alone.includes(ply)));
  it("counted plies in chess", () => {
    expect(all("chess", null)).toEqual(["1.", "", "2.", ""]);
    expect(all("chess", null, [1, 4])).toEqual(["1.", "", "2.", "2…"]);
    expect(all("chess", "8/8/8/8/8/8/8/8 b - - 0 31")).toEqual(["31…", "32.", "", "33."]);
    expect(all("go", null)).toEqual(["1.", "2.", "3.", "4."]);
    expect(all("shogi", "9/9/9/9/9/9/9/9/9 w - 1")).toEqual(["1.", "2.", "3.", "4."]);
  });
});

describe("markup of go", () => {
  const COMMENT = "main\n[%sgf LB[dd:A][ce:1]TR[ee]]";
  it("was shown as code", () => {
    expect(splitMarkup(COMMENT)).toEqual({ words: "main", code: "[%sgf LB[dd:A][ce:1]TR[ee]]" });
    expect(joinMarkup("main", "[%sgf LB[dd:A][ce:1]TR[ee]]")).toBe(COMMENT);
    expect(splitMarkup("a [strange] word\n")).toEqual({ words: "a [strange] word\n", code: "" });
    expect(splitMarkup(joinMarkup("", "[%sgf TR[ee]]"))).toEqual({ words: "", code: "[%sgf TR[ee]]" });
  });
  it("stands on the board", () => {
    expect(signsOf(COMMENT)).toEqual([
      { at: [3, 3], type: "label", label: "A" },
      { at: [2, 4], type: "label", label: "1" },
      { at: [4, 4], type: "triangle" },
    ]);
    expect(signsOf("[%sgf SQ[aa:ba]MA[cc]CR[dd]N[a\\]b]LB[aa:\\]]]").map(({ at, type, label }) => [at.join(), type, label])).toEqual([
      ["0,0", "square", undefined],
      ["1,0", "square", undefined],
      ["2,2", "cross", undefined],
      ["3,3", "circle", undefined],
      ["0,0", "label", "]"],
    ]);
    expect(signsOf("[%sgf TR[]SQ[a]CR[??]]")).toEqual([]);
  });
});

describe("who played and how it ended", () => {
  it("was 0–1 for W+2.5", () => {
    const by = (winner: number | null, by: string, points: number | null = null) => resultOf("go", { winner, by, points });
    expect([by(1, "points", 2.5), by(0, "resignation"), by(1, "time"), by(null, "points", 0), by(0, "points")]).toEqual(["W+2.5", "B+R", "W+T", "Jigo", "B+"]);
    expect([resultOf("chess", { winner: 0, by: "mate", points: null }), resultOf("shogi", { winner: null, by: "void", points: null }), resultOf("chess", null)]).toEqual(["1–0", "", ""]);
  });
  it("is told by the first side's name first", () => {
    const tags: [string, string][] = [["White", "Shiro"], ["Black", "Kuro"], ["Date", "2024.??.??"]];
    expect([namesOf(["Black", "White"], tags), namesOf(["White", "Black"], tags), namesOf(["White", "Black"], [["White", "?"]])]).toEqual(["Kuro – Shiro", "Shiro – Kuro", ""]);
    expect([dateOf(tags), dateOf([["Date", "????.??.??"]]), dateOf([["GameStartTime", "2023/05/01"]])]).toEqual(["2024", "", "2023/05/01"]);
  });
});

describe("problems", () => {
  it("stayed English under other languages", () => {
    const wrong = new Problem(422, "Not accepted", 'move 2, "hello": at byte 0: expected a move', null, "moves[1]");
    expect(problemInWords(wrong)).toEqual({ title: "Not accepted", detail: "Move 2, hello, cannot be read as a move.", hint: null });
    try {
      speak("ru");
      expect(problemInWords(wrong)).toEqual({ title: "Не принято", detail: "Ход 2, hello: это не запись хода.", hint: null });
      // What has no words of ours stays as the server said it.
      expect(problemInWords(new Problem(422, "Not accepted", "12 of 8 MiB", null)).detail).toBe("12 of 8 MiB");
    } finally {
      speak("en");
    }
  });
  it("of a refused token are known, whatever the language", () => {
    expect(isRefusal(new Problem(403, "Forbidden", "…", null, "token"))).toBe(true);
    expect([isRefusal(new Problem(403, "Forbidden", "…", null)), isRefusal(new Error("token"))]).toEqual([false, false]);
  });
});

describe("an address with a record alone", () => {
  it("names no place", () => expect(spotOf("?record=0123")).toBeNull());
});

describe("the curve of Elo", () => {
  it("had an upper end alone while the estimate was infinite", () => {
    expect(closed({ games: [2, 4], high: [90, 80], low: [null, -80], elo: [null, 0], llr: [0, 0] })).toEqual([[2, 4], [null, 80], [null, -80], [null, 0]]);
  });
});
