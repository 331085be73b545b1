// Where an illegal move of a pasted text stands, in words.
import { expect, it, vi } from "vitest";
import { Problem } from "./api";
import { illegalInWords } from "./illegal";

vi.hoisted(() => {
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { languages: ["en"] });
});

const said = (detail: string, game: string, text: string, start: string | null = null) =>
  (illegalInWords(new Problem(422, "Not accepted", detail, null), game, text, start) as Problem).detail;

it("counts moves as the players of the game do", () => {
  const pgn = '[White "a"]\n\n1. e4 e5 2. Nf3 Nc6\n3. Bb5 a6 4. Ba4 Qh7 5. O-O *\n';
  expect(said("line 4 (game 1): move #8 is illegal: Qh7", "chess", pgn)).toBe("Line 4, column 18 (game 1): 4…Qh7 is not legal.");
  const set = '[White "a"]\n[FEN "4k3/8/8/8/8/8/8/4K2R b - - 3 20"]\n\n20... Ke7 21. Rh1 *\n';
  expect(said("line 4 (game 1): move #2 is illegal: Rh1", "chess", set)).toBe("Line 4, column 15 (game 1): 21.Rh1 is not legal.");
  expect(said("line 2 (game 1): move #3 is illegal: B D6", "go", "(;B[dd];W[aa]\n;B[dd])")).toBe("Line 2 (game 1): move 3, B D6, is not legal.");
});

it("counts the moves of a line, too, and leaves other problems alone", () => {
  expect(said('move 2, "e8e6": illegal move e8e6', "chess", "")).toBe("1…e8e6 is not legal there.");
  expect(said("move 2, \"P54\": illegal move", "shogi", "")).toBe('move 2, "P54": illegal move');
  expect(illegalInWords("down", "chess", "")).toBe("down");
});
