// The HTTP API as the page uses it: types of what comes back, calls with the token, errors as problems.

export interface Move {
  move: string;
  text: string;
}
export interface Place {
  rules: string;
  start: string | null;
  moves: string[];
}
export interface Ended {
  winner: number | null;
  by: string;
  points: number | null;
}
export interface Standing {
  game: string;
  position: string;
  side: number;
  legal: Move[];
  played: Move[];
  ended: Ended | null;
  claim: Ended | null;
}
export interface FoundLine {
  pv: Move[];
  cp: number | null;
  mate: number | null;
  bound: "exact" | "lower" | "upper";
  wdl: [number, number, number] | null;
  visits: number;
  prior: number;
}
export interface Found {
  depth: number;
  depth_max: number;
  nodes: number;
  time: number;
  speed: number;
  hash_full: number;
  lines: FoundLine[];
}
export interface SessionState {
  seq: number;
  place: Place;
  thinking: boolean;
  /** Whether the search stands still because nobody listened; it goes on when somebody does. */
  paused: boolean;
  search: number;
  found: Found | null;
  choice: { what: "play" | "claim" | "resign"; play: Move | null } | null;
  /** What the move of `Goal.review` costs, in hundredths of the expected result; `better` where it is a mistake. */
  review: { cost: number; mark: "inaccuracy" | "mistake" | "blunder" | null; better: Move | null } | null;
  /** Why the evaluator that was asked for gave no answer: what was found is another one's, or nothing. */
  fault: string | null;
}
export interface Session {
  id: number;
  game: string;
  family: string;
  state: SessionState;
}
export interface Goal {
  nodes?: number;
  depth?: number;
  time?: number;
  only?: string[];
  /** A move played there: what it costs is found as well. */
  review?: string;
}
export interface OptionInfo {
  name: string;
  doc: string;
  takes: string;
  kind: "check" | "number" | "choice" | "text" | "button";
  value: string;
  choices: string[];
  expert: boolean;
}
export interface GameInfo {
  name: string;
  families: { name: string; options: OptionInfo[] }[];
  formats: { name: string; endings: string[] }[];
}
export interface Course {
  moments: { seq: number; nodes: number; time: number; kept: boolean; moves: { move: string; value: number; effort: number }[] }[];
  changes: { nodes: number; time: number; depth: number; from: string | null; to: string; cp: number; cause: { path: string[]; before: number; after: number } | null }[];
}
export interface Verdict {
  seq: number;
  nodes: number;
  checks: { name: "moves" | "values" | "effort" | "minimax" | "once"; failed: number }[];
  faults: string[];
}
export interface WhyCandidate {
  move: string;
  text: string;
  value: number;
  margin: number | null;
  bound: "exact" | "upper";
  effort: number;
  share: number;
  prior: number;
  prior_rank: number | null;
  line: { move: string; text: string; value: number; effort: number }[];
  end: { value: number; phase: number; scale: number; sum_mg: number; sum_eg: number; is_sound: boolean } | null;
  worths: [string, number][];
}
export interface WhyAnswer {
  seq: number;
  side: number;
  family: string;
  of: WhyCandidate;
  vs: WhyCandidate | null;
  difference: number | null;
  margin: number | null;
  spread: { unit: "visits" | "leaves" | "moves"; of: number[]; vs: number[] | null; of_quartiles: number[]; vs_quartiles: number[] | null };
  swing: { ply: number; before: number; after: number } | null;
  terms: { name: string; group: string; of: number; vs: number }[];
  found: { since_nodes: number | null; changes: number; before: string | null; steady: number | null } | null;
  firm: number;
  worths: [string, number][];
  owners: [number[][], number[][]] | null;
  told: [string, string] | null;
}
/** What a record says about one step besides the step itself; the page passes on what it does not show. */
export interface Kept {
  spent?: [number, number];
  told?: [number, number];
  left?: [number, number];
  value?: number;
  depth?: number;
  nodes?: number;
  visits?: [number, number][];
}
export interface RecordNode extends Kept {
  parent: number;
  move?: string;
  text?: string;
  setup?: string;
  comment?: string;
  glyphs?: number[];
}
/** A game with its variations and notes; the first node is its start. */
export interface RecordView {
  rules: string;
  start: string | null;
  tags: [string, string][];
  outcome: Ended | null;
  nodes: RecordNode[];
  error?: string;
}
/** A kept record in a list. */
export interface RecordRow {
  id: string;
  game: string;
  tags: [string, string][];
  plies: number;
  outcome: Ended | null;
  /** Seconds since 1970. */
  changed: number;
}
/** Where a record is kept. */
export interface RecordKey {
  id: string;
  version: number;
}

/** What the server says is wrong: `detail`, and a `hint` what to do about it. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly hint: string | null,
    readonly place: string | null = null,
  ) {
    super(detail);
  }
}

/** Under which name the token is kept. */
export const TOKEN = "tesuji-token";
/** The event of a window whose token was refused. */
export const REFUSED = "tesuji-refused";

/**
 * Takes the token out of the address, where `tesuji serve` put it, and keeps it for all tabs of this origin. Not as a cookie:
 * browsers send cookies to every port of a machine, servers of other users among them.
 */
export function takeToken(): void {
  const given = /token=([0-9a-f]+)/.exec(location.hash)?.[1];
  if (!given) return;
  localStorage.setItem(TOKEN, given);
  history.replaceState(null, "", location.pathname + location.search);
}

/** The token of this server's start, as far as this browser knows it. */
export const token = (): string => localStorage.getItem(TOKEN) ?? "";

/** Whether something failed because the token is missing or wrong: the page says that once, whatever asked. */
export const isRefusal = (problem: unknown): boolean => problem instanceof Problem && problem.status === 403 && problem.place === "token";

export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { "X-Token": token() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer: Response;
  try {
    const text = body === undefined ? undefined : JSON.stringify(body);
    answer = await fetch(`/api/v1${path}`, { method, headers, body: text });
  } catch {
    throw new Problem(0, "No connection", "The server does not answer.", "Is `tesuji serve` still running?");
  }
  const text = await answer.text();
  if (!answer.ok) {
    let said: { title?: string; detail?: string; hint?: string; where?: string } = {};
    try {
      said = JSON.parse(text);
    } catch {
      said.detail = text;
    }
    const problem = new Problem(answer.status, said.title ?? answer.statusText, said.detail ?? "", said.hint ?? null, said.where ?? null);
    if (isRefusal(problem)) dispatchEvent(new Event(REFUSED));
    throw problem;
  }
  return (text ? JSON.parse(text) : undefined) as T;
}

export const api = {
  version: () => call<{ version: string; token: boolean }>("GET", "/version"),
  games: () => call<GameInfo[]>("GET", "/games"),
  position: (game: string, place: Place) => call<Standing>("POST", "/positions", { game, place }),
  start: (game: string, family: string, place: Place, options: Record<string, string> = {}) =>
    call<Session>("POST", "/sessions", { game, family, place, options }),
  session: (id: number) => call<Session>("GET", `/sessions/${id}`),
  sessions: () => call<Session[]>("GET", "/sessions"),
  end: (id: number) => call<void>("DELETE", `/sessions/${id}`),
  stand: (id: number, place: Place) => call<Session>("POST", `/sessions/${id}/place`, place),
  go: (id: number, goal: Goal) => call<void>("POST", `/sessions/${id}/go`, goal),
  stop: (id: number) => call<void>("POST", `/sessions/${id}/stop`),
  set: (id: number, options: Record<string, string>) => call<void>("POST", `/sessions/${id}/options`, options),
  explain: (id: number) => call<{ text: string | null }>("POST", `/sessions/${id}/explain`),
  treeWords: (id: number, ids: number[], at: number | null) =>
    call<Record<string, { text: string; note: string }>>(
      "GET",
      `/sessions/${id}/tree/words?ids=${ids.join(",")}${at === null ? "" : `&t=${at}`}`,
    ),
  treeFrame: async (id: number, at: number | null) => {
    const answer = await fetch(`/api/v1/sessions/${id}/tree?format=bin${at === null ? "" : `&t=${at}`}`);
    if (!answer.ok) throw new Problem(answer.status, answer.statusText, await answer.text(), null);
    return answer.arrayBuffer();
  },
  course: (id: number) => call<Course>("GET", `/sessions/${id}/snapshots`),
  verify: (id: number) => call<Verdict>("POST", `/sessions/${id}/verify`),
  treeFile: async (id: number, at: number | null) => {
    const answer = await fetch(`/api/v1/sessions/${id}/tree/file${at === null ? "" : `?t=${at}`}`);
    return answer.text();
  },
  why: (id: number, path: string, of: string, vs: string, at: number | null) => {
    const asked = new URLSearchParams({ path, of, vs });
    if (at !== null) asked.set("t", String(at));
    return call<WhyAnswer>("GET", `/sessions/${id}/why?${asked}`);
  },
  treeRows: async (id: number, path: string, at: number | null) => {
    const asked = new URLSearchParams({ path, depth: "1" });
    if (at !== null) asked.set("t", String(at));
    const said = await call<{ nodes: { id: number; parent: number | null; move: string; effort: number }[] }>("GET", `/sessions/${id}/tree?${asked}`);
    return said.nodes.slice(1);
  },
  openTree: (text: string) => call<Session>("POST", "/trees", { text }),
  read: (game: string, format: string, file: { text: string } | { hex: string }) =>
    call<RecordView[]>("POST", "/records/read", { game, format, ...file }),
  write: (game: string, format: string, record: RecordView) =>
    call<{ text: string | null; hex: string | null; ending: string }>("POST", "/records/write", { game, format, record }),
  keep: (game: string, record: RecordView) => call<RecordKey>("POST", "/records", { game, record }),
  kept: (id: string) => call<{ game: string; version: number; record: RecordView }>("GET", `/records/${id}`),
  records: (game: string, limit: number) => call<{ records: RecordRow[]; has_more: boolean }>("GET", `/records?${new URLSearchParams({ game, limit: String(limit) })}`),
  unkeep: (id: string) => call<void>("DELETE", `/records/${id}`),
  change: ({ id, version }: RecordKey, record: RecordView) => call<RecordKey>("PUT", `/records/${id}`, { version, record }),
};

/** Follows the states of a session. `lost` hears whether the connection is down; the browser connects again by itself. */
export function follow(id: number, hear: (state: SessionState) => void, lost: (down: boolean) => void): () => void {
  const source = new EventSource(`/api/v1/sessions/${id}/events`);
  source.addEventListener("state", (event) => {
    lost(false);
    hear(JSON.parse((event as MessageEvent<string>).data) as SessionState);
  });
  source.onerror = () => lost(true);
  return () => source.close();
}
