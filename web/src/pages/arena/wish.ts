// What the form of a match holds, and the request that it makes.
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
  form: "all" | "gauntlet" | "knockout" | "swiss";
  /** Rounds of a Swiss tournament; empty: the server's choice. */
  rounds: string;
  sprt: boolean;
  elo0: string;
  elo1: string;
  resign: string;
  draw: string;
  max_plies: string;
  seed: string;
  /** Whether the workspace's fleet plays it, where there is one. */
  fleet: boolean;
}

export const engineChoice = (): Wish["engines"][0] => ({
  from: "own", name: "", family: "", preset: "", weights: "", known: "", command: "", options: {}, optionText: "",
});
/** A test of a patch: it plays until it knows. */
export const START: Wish = {
  game: "chess", rules: "", title: "", engines: [engineChoice(), { ...engineChoice(), family: "mcts" }], limit: "tc", amount: "2+0.02", openings: "",
  games: "", concurrency: "", form: "all", rounds: "", sprt: true, elo0: "0", elo1: "5", resign: "", draw: "", max_plies: "", seed: "", fleet: false,
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

/** The limit of a move, under the name of its field. */
function limitOf({ limit, amount }: Wish): Partial<Schemas["MatchRequest"]> {
  const number = amount.trim() === "" ? null : Number(amount);
  return { tc: { control: amount.trim() }, st: { seconds_a_move: number }, nodes: { nodes: number }, depth: { depth: number } }[limit];
}

/** The form as the server takes it. */
export function wishOf(form: Wish, hasFleet = false): Schemas["NewMatch"] {
  const number = (text: string) => (text.trim() === "" ? null : Math.round(Number(text)));
  const request = {
    ...limitOf(form), game: form.game, rules: form.rules, openings: form.openings || null,
    games: number(form.games), jobs: number(form.concurrency), plies_max: number(form.max_plies), seed: number(form.seed),
    tournament: { gauntlet: form.form === "gauntlet" ? 1 : null, knockout: form.form === "knockout", swiss: form.form === "swiss" },
    rounds: form.form === "swiss" ? number(form.rounds) : null,
    sprt: form.sprt ? [Number(form.elo0), Number(form.elo1)] : null,
    resign: form.resign || null, draw: form.draw || null,
  };
  const engines = form.engines.map(({ optionText, ...engine }) => ({ ...engine, options: optionsOf(optionText) }));
  return { title: form.title, engines, request, fleet: form.fleet && hasFleet ? { priority: 1 } : null };
}
