// The game against an engine that a record is: kept with it, so that a reload, another start of the server and another tab play on.
import type { EngineGame } from "../../api";
import { seatNamed, whoIs } from "../seats/seat";
import type { Clock } from "./clock";
import type { EngineSetup } from "./session";

/** What is kept of the clock while nobody moves: a page that is closed does not think. */
const KEPT = "tesuji-clock";

interface KeptClock {
  record: string;
  nodes: number;
  left: [number, number];
}

const whole = ([a, b]: [number, number]): [number, number] => [Math.round(a), Math.round(b)];

/** The game as it is kept; none where no engine plays a side. */
export function engineGame(opponent: EngineSetup, family: string, clock: Clock | null): EngineGame | null {
  const { goal, amount, plays, options } = opponent;
  if (plays.length === 0) return null;
  return {
    seat: seatNamed(opponent.family || family), plays, options,
    time: goal === "time" ? amount : null, nodes: goal === "nodes" ? amount : null,
    clock: clock && { left: whole(clock.left), increment: Math.round(clock.increment) },
  };
}

/** The setup of a game that was kept, with its clocks; `nodes` is the number of its steps, `side` is to move where it is not over (none). */
export function setupOf(game: EngineGame, record: string, nodes: number, side: number | null, now: number): { opponent: EngineSetup; clock: Clock | null } {
  const { seat, plays, time, nodes: limit, options, clock } = game;
  const goal = limit === null ? "time" : "nodes";
  const opponent: EngineSetup = { family: whoIs(seat), goal, amount: limit ?? time ?? 1000, plays, options, isGame: true };
  if (!clock) return { opponent, clock: null };
  const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null") as KeptClock | null;
  const [a = 0, b = 0] = kept?.record === record && kept.nodes === nodes ? kept.left : clock.left;
  return { opponent, clock: { left: [a, b], increment: clock.increment, runs: nodes > 1 ? side : null, since: now, nodes } };
}

/** Keeps what the clocks of `record` show now. */
export function keepClock(record: string, left: [number, number], nodes: number): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ record, nodes, left: whole(left) } satisfies KeptClock));
  } catch {
    // A browser without room forgets what was thought since the last move.
  }
}
