// What runs, on the first page.
import { useState } from "preact/hooks";
import { useJobs } from "../../jobs";
import { Link, Trouble } from "../../parts";
import { t } from "../../words";
import { JobRows } from "./Jobs";

const SHOWN = 5;

export default function HomeJobs() {
  const { all } = useJobs(null);
  const [problem, setProblem] = useState<unknown>(null);
  return (
    <section aria-label={t("jobs")}>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {all && all.length > 0 && (
        <>
          <h2>{t("jobs")}</h2>
          <JobRows all={all.slice(0, SHOWN)} onProblem={setProblem} />
          {all.length > SHOWN && <p><Link to="/jobs">{t("all_jobs", { n: all.length })}</Link></p>}
        </>
      )}
    </section>
  );
}
