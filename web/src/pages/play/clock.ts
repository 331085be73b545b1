// The clocks of a game: they run while a side is to move, and who has none left loses.
import { useEffect } from "preact/hooks";
import { useStore } from "../../store";
import { lineEnd } from "../../tree";
import { keepClock } from "./engineGame";
import type { PlayCore } from "./store";

export interface Clock {
  /** Milliseconds that each side has left at the last move. */
  left: [number, number];
  increment: number;
  /** Whose clock runs; none before the first move and after the game. */
  runs: number | null;
  /** When it began to run, by the browser's clock. */
  since: number;
  /** Steps of the record when it was pressed last. */
  nodes: number;
}

/** The clock at `now`, in milliseconds left for `side`. */
export const leftOf = (clock: Clock, side: number, now: number): number =>
  Math.max(0, clock.left[side]! - (clock.runs === side ? now - clock.since : 0));

/** The clock after `side` moved: it gets its increment, the other one's clock runs. */
export function pressed(clock: Clock, side: number, now: number): Clock {
  const left: [number, number] = [...clock.left];
  if (clock.runs === side) left[side] = leftOf(clock, side, now) + clock.increment;
  return { ...clock, left, runs: 1 - side, since: now };
}

/** Lets the clock of the page run with the game, and ends the game when one has fallen; a window that watches only shows it. */
export function useClock({ state: { clock, standing }, set, edits, record, isHere, keeper: { key }, holder }: PlayCore): void {
  const [, tick] = useStore(() => ({ now: 0 }));
  useEffect(() => {
    if (!isHere || holder !== "own") return;
    const nodes = record.nodes.length;
    if (!clock || nodes <= clock.nodes) return;
    set({ clock: { ...(standing.ended ? { ...clock, runs: null } : pressed(clock, 1 - standing.side, performance.now())), nodes } });
  }, [record.nodes.length, standing]);
  // What is thought before a reload counts.
  useEffect(() => {
    if (!clock || clock.runs === null || !key || holder !== "own") return;
    const leave = () => keepClock(key.id, [leftOf(clock, 0, performance.now()), leftOf(clock, 1, performance.now())], clock.nodes);
    addEventListener("pagehide", leave);
    return () => {
      leave();
      removeEventListener("pagehide", leave);
    };
  }, [clock, key?.id, holder]);
  const isRunning = clock?.runs != null;
  useEffect(() => {
    if (!clock || clock.runs === null) return;
    const side = clock.runs;
    const timer = setInterval(() => {
      const now = performance.now();
      tick({ now });
      if (leftOf(clock, side, now) > 0 || holder !== "own") return;
      set((state) => ({ clock: { ...clock, left: clock.left.map((ms, i) => (i === side ? 0 : ms)) as [number, number], runs: null }, opponent: { ...state.opponent, plays: [] } }));
      edits.setRecord((tree) => (tree.here === lineEnd(tree) ? { ...tree, outcome: { winner: 1 - side, by: "time", points: null }, edits: tree.edits + 1 } : tree));
    }, 200);
    return () => clearInterval(timer);
  }, [isRunning, clock, holder]);
}

/** What a clock shows: `2:57`, below ten seconds with tenths. */
export function clockWords(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `0:0${seconds.toFixed(1)}`;
  const [m, s] = [Math.floor(seconds / 60), Math.floor(seconds) % 60];
  return `${m}:${String(s).padStart(2, "0")}`;
}
