// Jobs as the page follows them: types of what comes, one stream for all jobs, and what can be done with one.
import { useEffect, useState } from "preact/hooks";
import { type Schemas, call } from "./api";

export type JobState = Schemas["Phase"];
export type Deed = Schemas["JobAction"];

export type Job = Schemas["JobView"];

export const jobs = {
  list: () => call<Job[]>("GET", "/jobs"),
  act: (id: number, deed: Exclude<Deed, "remove"> | "restore") => call<Job>("POST", `/jobs/${id}/${deed}`),
  remove: (id: number) => call<void>("DELETE", `/jobs/${id}`),
  log: (id: number, after: number, of: "log" | "out") =>
    call<Schemas["LogPart"]>("GET", `/jobs/${id}/log?after=${after}&of=${of}`),
  live: <T>(id: number) => call<T | null>("GET", `/jobs/${id}/live`),
};

/** Where the page of a job is. */
export function home(job: Job): string {
  const places = { match: "arena", improve: "tune", tune: "tune", solve: "solve", data: "jobs" };
  return job.kind === "improve" || job.kind === "tune" ? `/tune/job-${job.id}` : `/${places[job.kind]}/${job.id}`;
}

/** Follows all jobs, and what can be seen of one of them. `lost`: the connection is down; the browser tries again. */
export function followJobs(
  watch: number | null,
  hear: { open: () => void; job: (job: Job) => void; gone: (id: number) => void; live: (seen: unknown, seq: number) => void; lost: (down: boolean) => void },
): () => void {
  const source = new EventSource(`/api/v1/jobs/events${watch === null ? "" : `?watch=${watch}`}`);
  const on = (name: string, f: (data: string, seq: number) => void) =>
    source.addEventListener(name, (event) => {
      const { data, lastEventId } = event as MessageEvent<string>;
      hear.lost(false);
      f(data, Number(lastEventId));
    });
  on("job", (data) => hear.job(JSON.parse(data) as Job));
  on("gone", (data) => hear.gone(Number(data)));
  on("live", (data, seq) => hear.live(JSON.parse(data), seq));
  source.onopen = () => {
    hear.lost(false);
    hear.open();
  };
  source.onerror = () => hear.lost(true);
  return () => source.close();
}

/** All jobs as they change, the newest first, and what can be seen of job `watch`. */
export function useJobs<T>(watch: number | null): { all: Job[] | null; live: T | null; lost: boolean } {
  const [all, setAll] = useState<Job[] | null>(null);
  const [live, setLive] = useState<T | null>(null);
  const [lost, setLost] = useState(false);
  useEffect(() => {
    // Each state has a number, and none is replaced by an older one. What ended before one listened is only in a list that was
    // asked for afterwards; a connection may lead to another server, whose numbers begin again.
    const changed = new Map<number, Job | null>();
    let asked = 0;
    let liveSeq = 0;
    setLive(null);
    const ask = () => {
      const mine = ++asked;
      jobs.list().then((list) => mine === asked && setAll([...changed].reduce((all, [id, job]) => (job ? place(all, job) : without(all, id)), list)), () => setLost(true));
    };
    ask();
    return followJobs(watch, {
      open: () => (changed.clear(), (liveSeq = 0), ask()),
      job: (job) => (changed.set(job.id, job), setAll((old) => (old ? place(old, job) : old))),
      gone: (id) => (changed.set(id, null), setAll((old) => old && without(old, id))),
      live: (seen, seq) => {
        if (seq >= liveSeq) setLive(seen as T);
        liveSeq = Math.max(liveSeq, seq);
      },
      lost: setLost,
    });
  }, [watch]);
  return { all, live, lost };
}

function without(all: Job[], id: number): Job[] {
  return all.filter((job) => job.id !== id);
}

/** `job` in its place among `all`, the newest first; no state goes back to one with a smaller number. */
export function place(all: Job[], job: Job): Job[] {
  if (all.some((other) => other.id === job.id && other.seq > job.seq)) return all;
  const rest = all.filter((other) => other.id !== job.id);
  const at = rest.findIndex((other) => other.id < job.id);
  return at < 0 ? [...rest, job] : [...rest.slice(0, at), job, ...rest.slice(at)];
}

/** What share of it is done, in 0..1; none where nobody knows. */
export function share(job: Job): number | null {
  if (job.state === "done") return 1;
  const p = job.progress;
  return p && p.total ? Math.min(1, p.done / p.total) : null;
}
