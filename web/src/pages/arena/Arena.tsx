// Matches: the list, the form for a new one, one of them.
import { useState } from "preact/hooks";
import type { GameInfo } from "../../api";
import { useJobs } from "../../jobs";
import { Trouble, go } from "../../parts";
import { t } from "../../words";
import { JobRows } from "../jobs/Jobs";
import { MatchForm } from "./Form";
import { Match } from "./Match";
import { demoMatch } from "./types";

function Matches({ games }: { games: GameInfo[] }) {
  const { all, lost } = useJobs(null);
  const [problem, setProblem] = useState<unknown>(null);
  const matches = all?.filter((job) => job.kind === "match");
  const demo = () => demoMatch(t("demo_title")).then((job) => go(`/arena/${job.id}`), setProblem);
  return (
    <>
      {lost && <p class="lost" role="status" data-testid="lost">{t("lost")}</p>}
      <section>
        <h1>{t("arena")}</h1>
        <Trouble problem={problem} onClose={() => setProblem(null)} />
        {matches && matches.length > 0 && <JobRows all={matches} onProblem={setProblem} />}
        {matches?.length === 0 && <p>{t("no_matches")}</p>}
        <p>
          <button onClick={() => void demo()}>{t("start_demo")}</button>
        </p>
      </section>
      <MatchForm games={games} />
    </>
  );
}

/** `/arena` and `/arena/7`. */
export default function Arena({ id, games }: { id: number | null; games: GameInfo[] | null }) {
  if (id !== null) return <Match key={id} id={id} />;
  return games ? <Matches games={games} /> : <p aria-busy="true">…</p>;
}
