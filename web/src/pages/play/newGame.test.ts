// What a new game is made of: its start, its names, the engine's time; and where it ends.
import { expect, test, vi } from "vitest";
import type { Ended, Move } from "../../api";
import * as tree from "../../tree";
import { budget, chess960, keepWanted, tagsOf, wantedAtFirst } from "./newGame";

// The words are chosen where a browser is.
vi.hoisted(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) });
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { languages: ["en"] });
});

test("a record names who plays, and the day as its game writes it", () => {
  const day = new Date(2026, 0, 5);
  expect(tagsOf("chess", ["White", "Black"], { mine: 1, family: "mcts" }, day)).toEqual([["White", "Tesuji · mcts"], ["Black", "You"], ["Date", "2026.01.05"]]);
  expect(tagsOf("shogi", ["Sente", "Gote"], { mine: 0, family: "engine:walker" }, day)).toEqual([["Sente", "You"], ["Gote", "walker"], ["Date", "2026/01/05"]]);
  expect(tagsOf("go", undefined, { mine: 2, family: "mcts" }, day)).toEqual([["Date", "2026.01.05"]]);
});

test("starts of Chess960 have bishops of both colours and the king between the rooks", () => {
  for (let n = 0; n < 50; n++) {
    const row = chess960().split("/")[0]!;
    expect([...row].sort().join("")).toBe("bbknnqrr");
    expect((row.indexOf("b") + row.lastIndexOf("b")) % 2).toBe(1);
    expect(row).toMatch(/r.*k.*r/);
  }
});

test("a new game begins with what was chosen last, on the board that is there", () => {
  expect(wantedAtFirst("go", "mcts", "")).toMatchObject({ family: "mcts", mine: 0, size: 19, komi: 7.5 });
  expect(wantedAtFirst("go", "mcts", "9x9 komi -0.5")).toMatchObject({ size: 9, komi: -0.5 });
  expect(wantedAtFirst("go", "mcts", "7x7")).toMatchObject({ size: 19, komi: 7.5 });
  keepWanted("go", { ...wantedAtFirst("go", "mcts", "13x13"), mine: 1, clock: 4 });
  expect(wantedAtFirst("go", "engine:katago", "")).toMatchObject({ family: "engine:katago", mine: 1, clock: 4, size: 13 });
  expect(wantedAtFirst("chess", "mcts", "")).toMatchObject({ mine: 0, clock: 0 });
  localStorage.setItem("tesuji-new-chess", '{"mine": "both", "clock": 99, "elo": 1400}');
  expect(wantedAtFirst("chess", "mcts", "")).toMatchObject({ mine: 0, clock: 0, elo: 1400 });
  localStorage.setItem("tesuji-new-chess", "{");
  expect(wantedAtFirst("chess", "mcts", "").elo).toBe(0);
});

test("an engine never spends more than it has", () => {
  expect(budget(60_000, 1000)).toBe(60_000 / 25 + 700 - 30);
  expect(budget(100, 1000)).toBe(20);
});

test("a game that is over is not played on, and keeps its first result", () => {
  const move = (code: string) => ({ move: code, text: code }) as Move;
  const resigned: Ended = { winner: 1, by: "resignation", points: null };
  const played = tree.play(tree.play(tree.newTree(), move("e2e4")), move("e7e5"));
  expect(tree.isOver(played)).toBe(false);
  const over = tree.ending(played, resigned);
  expect([tree.isOver(over), tree.isOver(tree.back(over)), over.outcome]).toEqual([true, false, resigned]);
  expect(tree.ending(over, { winner: 0, by: "points", points: 3.5 })).toBe(over);
  expect(tree.ending(tree.back(played), resigned).outcome).toBeNull();
});
