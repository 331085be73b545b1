// All jobs; one of them with what it says and found.
import { useState } from "preact/hooks";
import { type Job, home, jobs, useJobs } from "../../jobs";
import { Empty, Heads, Link, Trouble, go } from "../../parts";
import { t } from "../../words";
import { demoMatch } from "../arena/types";
import { demoRun } from "../tune/demo";
import { Deeds, JobHeader, Log, ProgressLine, StateWord } from "./Header";

/** Rows of jobs; a removed one can be taken back. */
export function JobRows({ all, onProblem }: { all: Job[]; onProblem: (problem: unknown) => void }) {
  const [removed, setRemoved] = useState<Job | null>(null);
  return (
    <>
      {removed && (
        <p class="toast" role="status">
          {t("removed", { title: removed.title })}{" "}
          <button
            onClick={() => {
              jobs.act(removed.id, "restore").catch(onProblem);
              setRemoved(null);
            }}
          >
            {t("undo")}
          </button>
        </p>
      )}
      <div class="wide">
        <table class="rows">
          <Heads words={[t("job_title"), t("job_kind"), t("job_state"), t("progress"), t("deeds")]} />
          <tbody>
            {all.map((job) => (
              <tr key={job.id}>
                <th scope="row">
                  <Link to={home(job)}>{job.title}</Link> <small class="soft">#{job.id}</small>
                </th>
                <td>{t(`kind_${job.kind}`)}</td>
                <td>
                  <StateWord state={job.state} />
                </td>
                <td>
                  <ProgressLine job={job} />
                </td>
                <td>
                  <Deeds job={job} onProblem={onProblem} after={() => setRemoved(job)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Nothing has run: what would stand here, and two things that can run at once. */
function NoJobs({ fail }: { fail: (problem: unknown) => void }) {
  return (
    <Empty words={t("no_jobs")}>
      <button onClick={() => void demoMatch(t("demo_title")).then((job) => go(`/arena/${job.id}`), fail)}>{t("start_demo")}</button>
      <button onClick={() => void demoRun().then((job) => go(`/tune/job-${job.id}`), fail)}>{t("demo_run")}</button>
    </Empty>
  );
}

/** `/jobs` and `/jobs/7`. */
export default function Jobs({ id }: { id: number | null }) {
  const { all, lost } = useJobs(id);
  const [problem, setProblem] = useState<unknown>(null);
  if (!all) return <p aria-busy="true">…</p>;
  const job = id === null ? null : all.find((job) => job.id === id);
  return (
    <>
      {lost && <p class="lost" role="status" data-testid="lost">{t("lost")}</p>}
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {id !== null && !job && <p>{t("no_job", { id })}</p>}
      {job && (
        <>
          <JobHeader job={job} />
          <h2>{t("output")}</h2>
          <Log job={job} of="out" />
        </>
      )}
      {id === null && (
        <section>
          <h1>{t("jobs")}</h1>
          {all.length === 0 ? <NoJobs fail={setProblem} /> : <JobRows all={all} onProblem={setProblem} />}
        </section>
      )}
    </>
  );
}
