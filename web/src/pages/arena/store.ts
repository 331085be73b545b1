// The store of the page of a match: how it stands, live or at rest, its curves, its faults.
import { useEffect } from "preact/hooks";
import { jobs, useJobs } from "../../jobs";
import { useStore } from "../../store";
import { type GameRow, type MatchView, type Series, arena } from "./types";

interface MatchState {
  series: Series | null;
  /** Games in which something went wrong. */
  faults: GameRow[];
  /** How the match stood when the page was opened. */
  atRest: MatchView | null;
  problem: unknown;
}

export function useMatch(id: number) {
  const { all, live, lost } = useJobs<MatchView>(id);
  const [{ series, faults, atRest, problem }, set] = useStore<MatchState>(() => ({ series: null, faults: [], atRest: null, problem: null }));
  const fail = (problem: unknown) => set({ problem });
  const job = all?.find((job) => job.id === id);
  const view = live ?? atRest;
  useEffect(() => {
    jobs.live<MatchView>(id).then((atRest) => set({ atRest }), fail);
  }, [id]);
  const done = view?.done ?? 0;
  useEffect(() => {
    if (done === 0) return;
    // Curves need no more than one look a second.
    const soon = setTimeout(() => {
      arena.series(id).then((series) => set({ series }), fail);
      if (view!.warnings > 0) arena.games(id, 0, true).then((part) => set({ faults: part.games }), fail);
    }, series ? 1000 : 0);
    return () => clearTimeout(soon);
  }, [id, done]);
  return { all, job, lost, view, done, series, faults, problem, set, fail };
}
