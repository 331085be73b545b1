// More games for a match that runs or is over: it goes on from its journal.
import { NumberField } from "../../NumberField";
import { type Job, type JobState } from "../../jobs";
import { useStore } from "../../store";
import { t } from "../../words";
import { type MatchView, arena } from "./types";

const STATES: JobState[] = ["running", "paused", "done", "cancelled", "failed", "interrupted"];

/** Whether the form of the tournament says how many games there are. */
function hasOwnEnd(job: Job): boolean {
  const asked = job.request as { tournament?: { knockout?: boolean; swiss?: boolean } } | null;
  return asked?.tournament?.knockout === true || asked?.tournament?.swiss === true;
}

/**
 * Whether more games would say more: a decided test has said all, a knockout has its winner, a Swiss tournament its rounds, half a pair cannot go on. The server
 * refuses the same when it is asked; here the answer must be known with every game, before anybody asks.
 */
export function canExtend(job: Job, view: MatchView | null): boolean {
  if (!view || !STATES.includes(job.state) || view.test?.accepted || hasOwnEnd(job)) return false;
  return (view.games / Math.max(1, view.pairings.length)) % 2 === 0;
}

export function Extend({ job, view, onProblem }: { job: Job; view: MatchView; onProblem: (problem: unknown) => void }) {
  const had = view.games / Math.max(1, view.pairings.length);
  const [{ games, isBusy }, set] = useStore(() => ({ games: null as number | null, isBusy: false }));
  const wanted = games ?? had * 2;
  return (
    <form
      class="extend"
      onSubmit={(event) => {
        event.preventDefault();
        set({ isBusy: true });
        arena.extend(job.id, wanted).then(() => set({ games: null }), onProblem).finally(() => set({ isBusy: false }));
      }}
    >
      <label>
        {t("extend_to")} <NumberField name="games" min={had + 2} step={2} value={wanted} set={(games) => set({ games })} />
      </label>{" "}
      <button disabled={isBusy}>{t("do_extend")}</button>
    </form>
  );
}
