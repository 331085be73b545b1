// The HTTP API as the page uses it: names for the generated types, calls with the token, errors as problems.

import type { components } from "./api.generated";
import { hasLetters, inLetters } from "./notation";
import { seatOf } from "./pages/seats/seat";
import { language } from "./words";

export type Schemas = components["schemas"];
/** An answer: of what requests may leave out, the server writes all. */
export type Whole<T> = T extends object ? { [K in keyof T]-?: Whole<Exclude<T[K], undefined>> } : T;

export type Move = Schemas["Move"];
export type GamePosition = Whole<Schemas["GamePosition"]>;
export type Ended = Whole<Schemas["Ended"]>;
export type Standing = Whole<Schemas["Standing"]>;
export type FoundLine = Schemas["FoundLine"];
export type Found = Schemas["Found"];
export type SessionState = Whole<Schemas["State"]>;
export type Session = Whole<Schemas["SessionView"]>;
export type Goal = Schemas["Goal"];
export type OptionInfo = Schemas["OptionView"];
export type GameInfo = Schemas["GameView"];
export type Course = Schemas["Course"];
export type Verdict = Schemas["Verdict"];
export type WhyCandidate = Schemas["WhyCandidate"];
export type WhyAnswer = Schemas["Why"];
export type NoteView = Whole<Schemas["NoteView"]>;
/** A step of a record: the server leaves out what it does not have, and there is no `null`. */
export type RecordNode = { [K in keyof Schemas["RecordNode"]]: NonNullable<Schemas["RecordNode"][K]> } & { parent: number };
/** What a record says about one step besides the step itself; the page passes on what it does not show. */
export type Kept = Omit<RecordNode, "parent" | "move" | "text" | "setup" | "comment" | "glyphs">;
/** A game with its variations and notes; the first node is its start. */
export type RecordView = Whole<Omit<Schemas["RecordView"], "nodes" | "error">> & { nodes: RecordNode[]; error?: string };
/** A kept record in a list. */
export type RecordRow = Whole<Schemas["RecordRow"]>;
/** The game against an engine that a record is. */
export type EngineGame = Whole<Schemas["EngineGame"]>;
/** Where a record is kept. */
export type RecordKey = Schemas["RecordKey"];

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

/** What the server says; moves of shogi in the notation that is read here. */
function told<T>(text: string): T {
  const said = JSON.parse(text) as T;
  return /[☗☖]/.test(text) && hasLetters(language) ? inLetters(said) : said;
}

export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { "X-Token": token() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer: Response;
  try {
    const text = body === undefined ? undefined : JSON.stringify(body);
    // What a page stops when it is left is told after it has gone.
    answer = await fetch(`/api/v1${path}`, { method, headers, body: text, keepalive: method !== "GET" && body === undefined });
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
  return (text ? told(text) : undefined) as T;
}

let version: Promise<Schemas["Version"]> | null = null;

/** Whether this server takes command lines: only where changes need the token. Asked once. */
export async function takesCommands(): Promise<boolean> {
  version ??= api.version();
  return (await version.catch(() => ((version = null), { token: true }))).token;
}

/** Positions that were asked about last, the oldest first: what may be played in one never changes. */
const knownPositions = new Map<string, Promise<Standing>>();
const POSITIONS_MAX = 64;

/** A page that opens a game asks for the same position twice, and steps there and back ask again and again. */
function positions(game: string, place: GamePosition): Promise<Standing> {
  const key = JSON.stringify([game, place, language]);
  const before = knownPositions.get(key);
  if (before) return before;
  const asked = call<Standing>("POST", "/positions", { game, place });
  knownPositions.set(key, asked);
  if (knownPositions.size > POSITIONS_MAX) knownPositions.delete(knownPositions.keys().next().value!);
  // What failed may succeed when it is asked again.
  asked.catch(() => knownPositions.delete(key));
  return asked;
}

export const api = {
  version: () => call<Schemas["Version"]>("GET", "/version"),
  games: () => call<GameInfo[]>("GET", "/games"),
  position: (game: string, place: GamePosition) => positions(game, place),
  engines: () => call<Schemas["Known"][]>("GET", "/engines"),
  /** `who`: a search family, or what names an engine. */
  start: (game: string, who: string, place: GamePosition, options: Record<string, string> = {}) =>
    call<Session>("POST", "/sessions", { game, place, options, ...seatOf(who) }),
  options: (id: number) => call<OptionInfo[]>("GET", `/sessions/${id}/options`),
  session: (id: number) => call<Session>("GET", `/sessions/${id}`),
  sessions: () => call<Session[]>("GET", "/sessions"),
  end: (id: number) => call<void>("DELETE", `/sessions/${id}`),
  stand: (id: number, place: GamePosition) => call<Session>("POST", `/sessions/${id}/place`, place),
  go: (id: number, goal: Goal) => call<void>("POST", `/sessions/${id}/go`, goal),
  stop: (id: number) => call<void>("POST", `/sessions/${id}/stop`),
  /** The page that made the session goes: it ends a minute later, unless somebody listens again. */
  leave: (id: number) => call<void>("POST", `/sessions/${id}/leave`),
  set: (id: number, options: Record<string, string>) => call<void>("POST", `/sessions/${id}/options`, options),
  explain: (id: number) => call<Schemas["Explained"]>("POST", `/sessions/${id}/explain`),
  treeWords: (id: number, ids: number[], at: number | null) =>
    call<Record<string, Schemas["NodeText"]>>(
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
  /** Whose each point of `place` will be. */
  owners: (id: number, place: GamePosition) => call<Whole<Schemas["Owners"]>>("POST", `/sessions/${id}/owners`, place),
  /** A move at `place` beside the best one, within a budget in milliseconds. */
  whyNot: (id: number, place: GamePosition, move: string, time: number) => call<Schemas["WhyNot"]>("POST", `/sessions/${id}/why-not`, { place, move, time }),
  treeRows: async (id: number, path: string, at: number | null) => {
    const asked = new URLSearchParams({ path, depth: "1" });
    if (at !== null) asked.set("t", String(at));
    const said = await call<Schemas["TreeRows"]>("GET", `/sessions/${id}/tree?${asked}`);
    return said.nodes.slice(1);
  },
  openTree: (text: string) => call<Session>("POST", "/trees", { text }),
  read: (game: string, format: string, file: { text: string } | { hex: string }) =>
    call<RecordView[]>("POST", "/records/read", { game, format, ...file }),
  write: (game: string, format: string, record: RecordView) =>
    call<Schemas["Written"]>("POST", "/records/write", { game, format, record }),
  keep: (game: string, record: RecordView, play: EngineGame | null = null) => call<RecordKey>("POST", "/records", { game, record, play }),
  kept: (id: string) => call<{ game: string; version: number; record: RecordView; play?: EngineGame }>("GET", `/records/${id}`),
  records: (game: string, limit: number, skip = 0) =>
    call<Whole<Schemas["RecordList"]>>("GET", `/records?${new URLSearchParams({ game, limit: String(limit), skip: String(skip) })}`),
  unkeep: (id: string) => call<void>("DELETE", `/records/${id}`),
  change: ({ id, version }: RecordKey, record: RecordView, play: EngineGame | null = null) =>
    call<RecordKey>("PUT", `/records/${id}`, { version, record, play }),
};

/** Milliseconds until a stream that the server refused is asked for again. */
const AGAIN_MS = 1000;

/** Follows the states of a session. `lost` hears whether the connection is down; it is made again: by the browser, or where the server refused it, here. */
export function follow(id: number, hear: (state: SessionState) => void, lost: (down: boolean) => void): () => void {
  let source: EventSource;
  let timer = 0;
  const open = () => {
    source = new EventSource(`/api/v1/sessions/${id}/events`);
    source.addEventListener("state", (event) => {
      lost(false);
      hear(told<SessionState>((event as MessageEvent<string>).data));
    });
    source.onerror = () => {
      lost(true);
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN_MS);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
