// Jobs as the page follows them: types of what comes, one stream for all jobs, and what can be done with one.
import { useEffect } from "preact/hooks";
import { type Schemas, call } from "./api";
import { useStore } from "./store";

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

interface Followed<T> {
  /** All jobs, the newest first. */
  all: Job[] | null;
  /** What can be seen of one of them. */
  live: T | null;
  /** Whether the connection is down. */
  lost: boolean;
}

/** All jobs as they change, and what can be seen of job `watch`. */
export function useJobs<T>(watch: number | null): Followed<T> {
  const [followed, set] = useStore<Followed<T>>(() => ({ all: null, live: null, lost: false }));
  useEffect(() => {
    // Each state has a number, and none is replaced by an older one. What ended before one listened is only in a list that was
    // asked for afterwards; a connection may lead to another server, whose numbers begin again.
    const changed = new Map<number, Job | null>();
    let asked = 0;
    let liveSeq = 0;
    set({ live: null });
    const ask = () => {
      const mine = ++asked;
      jobs.list().then((list) => mine === asked && set({ all: [...changed].reduce((all, [id, job]) => (job ? place(all, job) : without(all, id)), list) }), () => set({ lost: true }));
    };
    ask();
    return followJobs(watch, {
      open: () => (changed.clear(), (liveSeq = 0), ask()),
      job: (job) => (changed.set(job.id, job), set(({ all }) => ({ all: all && place(all, job) }))),
      gone: (id) => (changed.set(id, null), set(({ all }) => ({ all: all && without(all, id) }))),
      live: (seen, seq) => {
        if (seq >= liveSeq) set({ live: seen as T });
        liveSeq = Math.max(liveSeq, seq);
      },
      lost: (lost) => set({ lost }),
    });
  }, [watch]);
  return followed;
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
