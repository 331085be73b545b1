// Keeps the record one works on: each change goes to the server, so that a reload, or another start of the server, finds it whole.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type EngineGame, Problem, type RecordKey, type RecordView, api } from "../../api";
import { type Spot, spotInRecord } from "../../places";
import * as tree from "../../tree";

/** What was not saved when a page was left, for this tab. */
const UNSAVED = "tesuji-unsaved-";

interface Unsaved {
  key: RecordKey | null;
  record: RecordView;
  play: EngineGame | null;
}

/** A record that was opened. */
export interface Opened {
  record: tree.GameTree;
  key: RecordKey | null;
  /** The game against an engine that it is. */
  play: EngineGame | null;
}

/** Saves a record: in its place, or as a new one where there is none or others changed it meanwhile. */
export async function save(game: string, key: RecordKey | null, record: RecordView, play: EngineGame | null): Promise<RecordKey> {
  if (key) {
    try {
      return await api.change(key, record, play);
    } catch (problem) {
      if (!(problem instanceof Problem && [404, 409].includes(problem.status))) throw problem;
    }
  }
  return api.keep(game, record, play);
}

/** What was not saved of record `id` (empty: of one that was never saved), when a page was left. */
function unsavedOf(game: string, id: string): Unsaved | null {
  const text = sessionStorage.getItem(UNSAVED + game);
  const unsaved = text === null ? null : (JSON.parse(text) as Unsaved);
  return unsaved && (unsaved.key?.id ?? "") === id ? unsaved : null;
}

/** The record that an address names, with where one stands in it: at `spot`, else where `search`, the address, says (its end, where it does not). None where it names no record that is kept here. */
export async function openKept(game: string, spot: Spot | null, id: string, search = ""): Promise<Opened | null> {
  const unsaved = unsavedOf(game, id);
  let found: Unsaved | null = unsaved;
  if (!found && id) {
    const kept = await api.kept(id).catch((problem) => {
      if (problem instanceof Problem && problem.status === 404) return null;
      throw problem;
    });
    if (kept?.game === game) found = { record: kept.record, key: { id, version: kept.version }, play: kept.play ?? null };
  }
  if (!found) return null;
  const { play = null, record: { rules, start } } = found;
  const first = api.position(game, { rules, start, moves: [] });
  const [begin, there] = await Promise.all([first, spot ? api.position(game, spot.place) : first]);
  const whole = { ...tree.fromRecord(found.record, begin.side), edits: unsaved ? 1 : 0 };
  if (!spot) {
    if (unsaved) sessionStorage.removeItem(UNSAVED + game);
    const { way, ply } = spotInRecord(search);
    return { record: { ...whole, here: tree.along(whole, way, ply) }, key: found.key, play };
  }
  // A record that was never saved is only known by the line in the address.
  if (!found.key && !tree.has(whole, spot.place)) return null;
  if (unsaved) sessionStorage.removeItem(UNSAVED + game);
  const record = tree.standAt(whole, spot.place, spot.ply, there.played);
  return record && { record, key: found.key, play };
}

/** Keeps `record` while it changes, with the game `play` that it is. `key` says where; `adopt` begins with another record: what is kept of it, and its edits
 * then. A game that another window plays is kept by that one. */
export function useKeeper(game: string, record: tree.GameTree, play: EngineGame | null, fail: (problem: unknown) => void, isWatched: { current: boolean }) {
  const [key, setKey] = useState<RecordKey | null>(null);
  const now = useRef({ key, record, play, saved: 0, savedPlay: "null", isBusy: false, era: 0 });
  Object.assign(now.current, { record, play });
  const adopt = useCallback((to: RecordKey | null, edits: number, play: EngineGame | null) => {
    // What is being saved of the record before no longer says where this one is.
    Object.assign(now.current, { key: to, saved: edits, savedPlay: JSON.stringify(play), era: now.current.era + 1 });
    setKey(to);
  }, []);
  const flush = useCallback(async () => {
    const state = now.current;
    // Who plays is kept with a record that is kept.
    const isOpen = () => state.record.edits > state.saved || (state.key !== null && state.savedPlay !== JSON.stringify(state.play));
    if (state.isBusy || isWatched.current) return;
    state.isBusy = true;
    try {
      // Changes during a save go with the next one.
      while (isOpen()) {
        const [era, { edits }, text] = [state.era, state.record, JSON.stringify(state.play)];
        const made = await save(game, state.key, tree.toRecord(state.record), state.play);
        if (state.era !== era) continue;
        if (unsavedOf(game, state.key?.id ?? "")) sessionStorage.removeItem(UNSAVED + game);
        Object.assign(state, { key: made, saved: edits, savedPlay: text });
        setKey(made);
      }
    } catch (problem) {
      fail(problem);
    }
    state.isBusy = false;
  }, [game]);
  useEffect(() => void flush(), [record, play, flush]);
  useEffect(() => {
    const leave = () => {
      const state = now.current;
      if (state.record.edits <= state.saved) return;
      const unsaved: Unsaved = { key: state.key, record: tree.toRecord(state.record), play: state.play };
      try {
        sessionStorage.setItem(UNSAVED + game, JSON.stringify(unsaved));
      } catch {
        // Too large for the browser: the save that is on its way must do.
      }
    };
    addEventListener("pagehide", leave);
    return () => {
      leave();
      removeEventListener("pagehide", leave);
    };
  }, [game]);
  return { key, adopt };
}
