// A match as its process shows it, and what the server makes of its games.
import { type Schemas, type Whole, call } from "../../api";
import type { Job } from "../../jobs";

// The types down to `MatchView` are those of what the process of a match writes: the server passes it on without a type.

export interface Interval {
  value: number | null;
  low: number | null;
  high: number | null;
}
export interface Counts {
  wins: number;
  draws: number;
  losses: number;
  games: number;
  points: number;
  score: number | null;
  draw_ratio: number | null;
  elo: Interval | null;
  los: number | null;
}
export interface PairCounts {
  counts: [number, number, number, number, number];
  pairs: number;
  elo: Interval | null;
  los: number | null;
}
export interface Test {
  elo0: number;
  elo1: number;
  model: string;
  llr: number;
  low: number;
  high: number;
  accepted: "H0" | "H1" | null;
}
export interface LiveGame {
  game: number;
  players: [number, number];
  position: string | null;
  side: number | null;
  plies: number;
  last: string | null;
  values: [number | null, number | null];
  mates: [number | null, number | null];
  depths: [number, number];
  clocks: [number | null, number | null];
  seconds: number;
}
export interface Used {
  moves: number;
  seconds: number;
  longest: number;
  /** null where its protocol tells none. */
  nodes: number | null;
  depth: number | null;
  overrun: number;
  faults: Record<string, number>;
}
export interface MatchView {
  game: string;
  rules: string;
  players: string[];
  limits: string[];
  jobs: number;
  seed: number;
  openings: number;
  games: number;
  done: number;
  tested: { games: Counts; pairs: PairCounts };
  test: Test | null;
  pairings: { players: [number, number]; games: Counts; pairs: PairCounts }[];
  reasons: Record<string, number>;
  warnings: number;
  /** What makes the result doubtful, in sentences. */
  doubts?: { players: string[]; kind: "idle" | "silent" | "nodes" | "time"; text: string }[];
  used: Used[];
  ratings: unknown;
  left: { low: number; middle: number; high: number } | null;
  live: LiveGame[];
  end: string | null;
}
export type Series = Schemas["Series"];
export type GameRow = Schemas["GameRow"];
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
  game: (id: number, n: number) => call<GameView>("GET", `/matches/${id}/games/${n}`),
};

/** Elo of pairs where there are any, else of games: which of the numbers that the match wrote is shown. */
export function best(games: Counts, pairs: PairCounts): { elo: Interval | null; los: number | null } {
  return pairs.pairs > 0 ? { elo: pairs.elo, los: pairs.los } : { elo: games.elo, los: games.los };
}

/** A match that works on a fresh clone, without a file and without another engine. */
export const demoMatch = (title: string) =>
  arena.create({
    game: "chess", title, limit: "nodes", amount: "2000", games: 40, concurrency: 2, sprt: [0, 40], seed: 1,
    engines: [{ from: "own", name: "alpha-beta" }, { from: "own", name: "mcts", family: "mcts" }],
  });
