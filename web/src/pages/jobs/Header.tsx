// The head that every job has: how it stands, how far, how fast, how long still, what can be done, how to do it again.
import { useEffect, useState } from "preact/hooks";
import { type Deed, type Job, type JobState, jobs, share } from "../../jobs";
import { Announce, Trouble, go } from "../../parts";
import { useStore } from "../../store";
import { count, lasting, moment, t, told } from "../../words";

/** A shape for each state: colours are not enough. */
export const SIGNS: Record<JobState, string> = {
  queued: "…", running: "▶", pausing: "▷", paused: "⏸", finishing: "▷", done: "✔", failed: "✘", cancelled: "■", interrupted: "⚠",
};

/** `▶ running` */
export function StateWord({ state }: { state: JobState }) {
  return (
    <span class={`state state-${state}`} data-testid="state" data-state={state}>
      <span aria-hidden="true">{SIGNS[state]}</span> {t(`state_${state}`)}
    </span>
  );
}

/** The bar, and in words: how many, how fast, how long still and how that is known. */
export function ProgressLine({ job }: { job: Job }) {
  const p = job.progress;
  const part = share(job);
  const alive = job.state === "running" || job.state === "finishing";
  const left = alive && p?.left && job.state === "running" ? p.left : null;
  return (
    <div class="progress">
      {part !== null && <progress value={part} max={1} aria-label={t("progress")} />}
      {p && (
        <span class="number">
          {t(p.total ? "done_of" : "done_n", { done: count(p.done), total: count(p.total ?? 0), unit: told("unit", p.unit) })}
          {alive && p.rate > 0 && ` · ${t("rate", { rate: count(p.rate) })}`}
          {left && ` · ${left[1] - left[0] < 1 ? t("left", { time: lasting(left[1]) }) : t("left_range", { low: lasting(left[0]), high: lasting(left[1]) })}`}
          {left && ` (${t(p.basis === "model" ? "basis_model" : "basis_rate")})`}
        </span>
      )}
      <span class="soft">{t("worked", { time: lasting(job.seconds) })}</span>
    </div>
  );
}

/** Buttons for what can be done now. A removed job can be taken back for a while. */
export function Deeds({ job, onProblem, after }: { job: Job; onProblem: (problem: unknown) => void; after?: () => void }) {
  const [busy, setBusy] = useState(false);
  const act = (deed: Deed) => {
    setBusy(true);
    const asked = deed === "remove" ? jobs.remove(job.id).then(() => after?.()) : jobs.act(job.id, deed);
    asked.catch(onProblem).finally(() => setBusy(false));
  };
  const words = (deed: Deed) => {
    if (deed === "resume" && !job.keeps && job.state !== "paused") return t("do_again");
    if (deed === "finish") return t(job.kind === "match" ? "do_finish_games" : "do_finish");
    return t(`do_${deed}`);
  };
  return (
    <span class="deeds" role="group" aria-label={t("deeds_of", { title: job.title })}>
      {job.can.map((deed) => (
        <button key={deed} disabled={busy} onClick={() => act(deed)}>
          {words(deed)}
        </button>
      ))}
    </span>
  );
}

/** Copies `text` and says so. */
export function Copy({ text, words }: { text: string; words: string }) {
  const [said, setSaid] = useState(false);
  return (
    <button
      onClick={() => {
        void navigator.clipboard?.writeText(text).then(() => setSaid(true), () => setSaid(false));
      }}
    >
      {said ? t("copied") : words}
    </button>
  );
}

/** What the job says, newest last, followed while it is open. */
export function Log({ job, of }: { job: Job; of: "log" | "out" }) {
  const [text, setText] = useState("");
  useEffect(() => {
    let next = -20_000;
    let over = false;
    const more = async () => {
      while (!over) {
        const part = await jobs.log(job.id, next, of).catch(() => null);
        if (over || !part) return;
        if (part.text) setText((old) => (old + part.text).slice(-60_000));
        const still = part.next !== next;
        next = part.next;
        if (!still) await new Promise((done) => setTimeout(done, 1000));
      }
    };
    void more();
    return () => {
      over = true;
    };
  }, [job.id, of]);
  return (
    <pre class="log" tabIndex={0} aria-label={t(of === "log" ? "log" : "output")}>
      {text || t("nothing_said")}
    </pre>
  );
}

export function JobHeader({ job, extra }: { job: Job; extra?: preact.ComponentChildren }) {
  const [{ problem, open }, set] = useStore<{ problem: unknown; open: boolean }>(() => ({ problem: null, open: false }));
  return (
    <section class="job-head" aria-label={job.title}>
      <h1>
        {job.title} <small class="soft">#{job.id}</small>
      </h1>
      <StateWord state={job.state} /> <ProgressLine job={job} />
      <Announce words={t(`state_${job.state}`)} />
      {job.error && job.state === "failed" && <p class="trouble">{job.error}</p>}
      <Trouble problem={problem} onClose={() => set({ problem: null })} />
      <div class="deeds-line">
        <Deeds job={job} onProblem={(problem) => set({ problem })} after={() => go("/jobs")} />
        <Copy text={job.command} words={t("copy_command")} />
        {extra}
        <button aria-expanded={open} onClick={() => set({ open: !open })}>
          {t("log")}
        </button>
      </div>
      {open && (
        <>
          <p class="soft">
            {t("made_by", { version: job.version, date: moment(job.created) })}
            <br />
            <code>{job.command}</code>
          </p>
          <Log job={job} of="log" />
        </>
      )}
    </section>
  );
}
