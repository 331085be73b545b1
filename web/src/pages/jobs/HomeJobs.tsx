// What runs, on the first page; and a demo match at a click.
import { useState } from "preact/hooks";
import { useJobs } from "../../jobs";
import { Link, Trouble, go } from "../../parts";
import { t } from "../../words";
import { demoMatch } from "../arena/types";
import { JobRows } from "./Jobs";

const SHOWN = 5;

export default function HomeJobs() {
  const { all } = useJobs(null);
  const [problem, setProblem] = useState<unknown>(null);
  return (
    <section aria-label={t("jobs")}>
      <p class="deeds-line">
        <button onClick={() => void demoMatch(t("demo_title")).then((job) => go(`/arena/${job.id}`), setProblem)}>{t("start_demo")}</button>
        <Link to="/solve">{t("solve")}</Link>
        <Link to="/tune">{t("tune")}</Link>
        <Link to="/data">{t("data")}</Link>
      </p>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {all && all.length > 0 && <JobRows all={all.slice(0, SHOWN)} onProblem={setProblem} />}
    </section>
  );
}
