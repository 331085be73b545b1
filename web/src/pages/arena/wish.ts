// What the form of a match holds, and what the server takes.
import type { Schemas } from "../../api";
import type { EngineChoice } from "./types";

export interface Wish {
  game: string;
  rules: string;
  title: string;
  engines: (EngineChoice & { optionText: string })[];
  limit: "tc" | "st" | "nodes" | "depth";
  amount: string;
  openings: string;
  games: string;
  concurrency: string;
  form: "all" | "gauntlet" | "knockout";
  sprt: boolean;
  elo0: string;
  elo1: string;
  resign: string;
  draw: string;
  max_plies: string;
  seed: string;
}

export const engineChoice = (): Wish["engines"][0] => ({
  from: "own", name: "", family: "", preset: "", weights: "", known: "", command: "", options: {}, optionText: "",
});
const START: Wish = {
  game: "chess", rules: "", title: "", engines: [engineChoice(), { ...engineChoice(), family: "mcts" }], limit: "tc", amount: "2+0.02", openings: "",
  games: "100", concurrency: "", form: "all", sprt: false, elo0: "0", elo1: "5", resign: "", draw: "", max_plies: "", seed: "",
};
export const KEPT = "tesuji-match-form";

export function kept(): Wish {
  try {
    return { ...START, ...(JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Wish>) };
  } catch {
    return START;
  }
}

/** `Hash=16 Style=calm` as names and values. */
export function optionsOf(text: string): Record<string, string> {
  const pairs = text.split(/[\n;]/).map((part) => part.trim()).filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => {
    const at = pair.indexOf("=");
    return at < 0 ? [pair, ""] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  }));
}

/** The form as the server takes it. */
export function wishOf(form: Wish): Schemas["NewMatch"] {
  const number = (text: string) => (text.trim() === "" ? null : Math.round(Number(text)));
  return {
    game: form.game, rules: form.rules, title: form.title, limit: form.limit, amount: form.amount, openings: form.openings,
    games: number(form.games), concurrency: number(form.concurrency), gauntlet: form.form === "gauntlet", knockout: form.form === "knockout",
    sprt: form.sprt ? [Number(form.elo0), Number(form.elo1)] : null,
    resign: form.resign, draw: form.draw, max_plies: number(form.max_plies), seed: number(form.seed),
    engines: form.engines.map(({ optionText, ...engine }) => ({ ...engine, options: optionsOf(optionText) })),
  };
}
