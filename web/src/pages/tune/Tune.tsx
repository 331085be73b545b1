// Runs of learning: the list, new ones, one or several of them as curves and tables.
import { useEffect, useState } from "preact/hooks";
import { type GameInfo, type Schemas, call } from "../../api";
import { type Job, useJobs } from "../../jobs";
import { Empty, Heads, Link, Trouble, go } from "../../parts";
import { useStore } from "../../store";
import { gameName, moment, t } from "../../words";
import { FleetChoice, useWorkers, waitsForFleet } from "../fleet/Choice";
import { JobHeader } from "../jobs/Header";
import { JobRows } from "../jobs/Jobs";
import { RunView } from "./RunView";
import { demoRun } from "./demo";

export type Run = Schemas["Run"];

/** A form whose parts go together: go learns from playing only, and from nothing up it is called `uniform`. */
function fitting<F extends { kind: string; game: string; from: string }>(form: F): F {
  const game = form.game === "go" && form.kind !== "improve" ? "chess" : form.game;
  const [nothing, other] = game === "go" ? ["uniform", "material"] : ["material", "uniform"];
  return { ...form, game, from: form.from === other ? nothing! : form.from };
}

/** What the form of a run begins with. */
const START = {
  kind: "improve", game: "chess", from: "material", minutes: "5", rounds: "", files: "", method: "adam" as Schemas["Method"], only: "", epochs: "", fleet: false,
};

/** The form as the server takes it: what is not typed is left to the command. */
function runOf(form: typeof START, hasFleet: boolean): Schemas["NewRun"] {
  const number = (text: string) => Math.round(Number(text));
  const words = (text: string) => text.split(/[,\s]+/).filter(Boolean);
  const { game, method } = form;
  if (form.kind === "improve") {
    const budget = form.minutes.trim() === "" ? null : Math.max(1, number(String(60 * Number(form.minutes))));
    const rounds = form.rounds.trim() === "" ? null : number(form.rounds);
    const fleet = form.fleet && hasFleet ? { priority: 1 } : null;
    return { request: { improve: { game, from: form.from, budget_seconds: budget, rounds } }, fleet };
  }
  const epochs = form.epochs.trim() === "" ? {} : { epochs: number(form.epochs) };
  return { request: { tune: { game, start: form.from, games: words(form.files), method, only: words(form.only), ...epochs } } };
}

function RunForm({ games, onProblem }: { games: GameInfo[]; onProblem: (problem: unknown) => void }) {
  const [form, setForm] = useState(START);
  const workers = useWorkers();
  const set = (key: keyof typeof form) => (e: { currentTarget: { value: string } }) => setForm(fitting({ ...form, [key]: e.currentTarget.value }));
  const text = (key: "from" | "minutes" | "rounds" | "files" | "only" | "epochs") => (
    <label>
      {t(`run_${key}`)}
      <input value={form[key]} placeholder={key === "rounds" ? t("as_many") : undefined} size={key === "files" || key === "only" ? 20 : 10} onInput={set(key)} />
    </label>
  );
  const start = (event: Event) => {
    event.preventDefault();
    call<Job>("POST", "/runs", runOf(form, typeof workers === "number")).then((job) => go(`/tune/job-${job.id}`), onProblem);
  };
  const choice = (key: "kind" | "game" | "method", among: string[], words: (word: string) => string) => (
    <label>
      {t(`run_${key}`)}
      <select value={form[key]} onChange={set(key)}>
        {among.map((word) => (
          <option key={word} value={word}>
            {words(word)}
          </option>
        ))}
      </select>
    </label>
  );
  // Strengths of moves in go are learned from games of one's own here; from others' games by the command.
  const learn = games.filter((g) => g.name !== "go" || form.kind === "improve").map((g) => g.name);
  return (
    <form class="match-form" onSubmit={start} aria-label={t("new_run")}>
      <h2>{t("new_run")}</h2>
      <div class="fields">
        {choice("kind", ["improve", "tune"], (word) => t(`kind_${word as "tune"}`))}
        {choice("game", learn, gameName)}
        {text("from")}
        {form.kind === "improve" && text("minutes")}
        {form.kind === "improve" && text("rounds")}
        {form.kind === "tune" && text("files")}
        {form.kind === "tune" && choice("method", ["adam", "lbfgs", "coordinate", "cma-es"], (word) => word)}
        {form.kind === "tune" && text("only")}
        {form.kind === "tune" && text("epochs")}
        {form.kind === "improve" && <FleetChoice workers={workers} checked={form.fleet} onChange={(fleet) => setForm({ ...form, fleet })} />}
        <button class="strong" disabled={form.kind === "improve" && waitsForFleet(workers, form.fleet)}>{t("start_run")}</button>
      </div>
    </form>
  );
}

/** Where the page of a run is. */
const place = (path: string) => `/tune/run?path=${encodeURIComponent(path)}`;

function Runs({ games }: { games: GameInfo[] }) {
  const { all } = useJobs(null);
  const [{ runs, chosen, problem }, set] = useStore(() => ({ runs: null as Run[] | null, chosen: [] as string[], problem: null as unknown }));
  const fail = (problem: unknown) => set({ problem });
  useEffect(() => void call<Run[]>("GET", "/runs").then((runs) => set({ runs }), fail), []);
  const learning = all?.filter((job) => job.kind === "improve" || job.kind === "tune");
  return (
    <>
      <section>
        <h1>{t("tune")}</h1>
        <Trouble problem={problem} onClose={() => fail(null)} />
        {learning && learning.length > 0 && <JobRows all={learning} onProblem={fail} />}
        {runs?.length === 0 && learning?.length === 0 && (
          <Empty words={t("no_runs")}>
            <button onClick={() => void demoRun().then((job) => go(`/tune/job-${job.id}`), fail)}>{t("demo_run")}</button>
          </Empty>
        )}
        {runs && runs.length > 0 && (
          <div class="wide">
            <table class="rows">
              <caption>{t("runs")}</caption>
              <Heads words={[t("compare"), t("run_path"), t("run_kind"), t("changed")]} />
              <tbody>
                {runs.map((run) => (
                  <tr key={run.path}>
                    <td>
                      <input
                        type="checkbox" aria-label={t("compare_run", { path: run.path })} checked={chosen.includes(run.path)}
                        onChange={(e) => set({ chosen: e.currentTarget.checked ? [...chosen, run.path] : chosen.filter((p) => p !== run.path) })}
                      />
                    </td>
                    <th scope="row">
                      <Link to={place(run.path)}>{run.path}</Link>
                    </th>
                    <td>{t(`run_${run.kind}`)}</td>
                    <td>{moment(run.changed)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        {chosen.length > 1 && (
          <button onClick={() => go(place(chosen[0]!) + chosen.slice(1).map((p) => `&cmp=${encodeURIComponent(p)}`).join(""))}>{t("compare")}</button>
        )}
      </section>
      <RunForm games={games} onProblem={fail} />
    </>
  );
}

/** A run that is a job of ours: its head, and its curves as they grow. */
function JobRun({ id }: { id: number }) {
  const { all } = useJobs(id);
  const job = all?.find((job) => job.id === id);
  if (!all) return <p aria-busy="true">…</p>;
  if (!job) return <p>{t("no_job", { id })}</p>;
  const done = job.state === "running" ? (job.progress?.done ?? 0) + job.seconds / 5 : -1;
  return (
    <>
      <JobHeader job={job} />
      {job.makes && <RunView paths={[job.makes]} fresh={Math.floor(done)} isYoung={job.state === "running"} />}
    </>
  );
}

/** `/tune`, `/tune/job-7`, `/tune/run?path=…&cmp=…`. */
export default function Tune({ what, games }: { what: string; games: GameInfo[] | null }) {
  const query = new URLSearchParams(location.search);
  const id = /^job-(\d+)$/.exec(what)?.[1];
  if (id) return <JobRun id={Number(id)} />;
  if (what === "run") return <RunView key={location.search} paths={[query.get("path") ?? "", ...query.getAll("cmp")]} fresh={0} isYoung={false} />;
  return games ? <Runs games={games} /> : <p aria-busy="true">…</p>;
}
