// A match as its process shows it, and what the server makes of its games.
import { type Schemas, type Whole, call } from "../../api";
import type { Job } from "../../jobs";

export type Interval = Schemas["Estimate"];
export type Test = Schemas["TestState"];
export type LiveGame = Schemas["LiveGame"];
export type MatchView = Schemas["MatchView"];
export type Series = Schemas["Series"];
export type GameRow = Schemas["GameRow"];
export type Partings = Whole<Schemas["PartingsPart"]>;
export type GameView = Whole<Schemas["MatchGame"]>;
/** An engine of a match as the form holds it. */
export type EngineChoice = Whole<Schemas["EngineChoice"]> & { from: "own" | "known" | "command" };

export const arena = {
  engines: () => call<Schemas["Known"][]>("GET", "/engines"),
  create: (form: Schemas["NewMatch"]) => call<Job>("POST", "/matches", form),
  extend: (id: number, games: number) => call<Job>("POST", `/matches/${id}/extend`, { games }),
  series: (id: number) => call<Series>("GET", `/matches/${id}/series`),
  games: (id: number, skip: number, faults: boolean) =>
    call<Schemas["GamesPart"]>("GET", `/matches/${id}/games?skip=${skip}&faults=${faults}`),
  partings: (id: number) => call<Partings>("GET", `/matches/${id}/partings`),
  game: (id: number, n: number) => call<GameView>("GET", `/matches/${id}/games/${n}`),
};

/** Elo of pairs where there are any, else of games: which of the numbers that the match wrote is shown. */
export function best(games: Schemas["GameCounts"], pairs: Schemas["PairCounts"]): { elo: Interval | null; los: number | null } {
  return pairs.pairs > 0 ? { elo: pairs.elo, los: pairs.los } : { elo: games.elo, los: games.los };
}

/** A match that works on a fresh clone, without a file and without another engine. */
export const demoMatch = (title: string) =>
  arena.create({
    title, engines: [{ from: "own", name: "alpha-beta" }, { from: "own", name: "mcts", family: "mcts" }],
    request: { game: "chess", nodes: 2000, games: 40, jobs: 2, sprt: [0, 40], seed: 1 },
  });
