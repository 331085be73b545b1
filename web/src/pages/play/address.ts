// The address of the page of the board names the record, the line one is in, where one stands, and how the tree is shown: at first it
// is read, later it follows.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { type GamePosition, Problem, api } from "../../api";
import { type Spot, asQuery, recordOf, spotInRecord, spotOf, tagsOf } from "../../places";
import * as tree from "../../tree";
import { t } from "../../words";
import { commandOf, isPlayer } from "../seats/seat";
import { setupOf } from "./engineGame";
import type { Left } from "./left";
import { type Opened, openKept } from "./keeper";
import { addressOf, treeQuery } from "../tree/address";
import type { TreeStore } from "../tree/store";
import { type Look, TURNED, isOwnStep } from "./steps";
import type { PlayCore } from "./store";

/** The place that an address names which names none. */
const START: Spot = { place: { rules: "", start: null, moves: [] }, ply: 0 };

/** What an address asks for besides a game. */
export interface Wish {
  /** Whether it names a game or a position. */
  isGame: boolean;
  /** The search family; empty: the best one. */
  engine: string;
  /** Whether the engine is to think at once. */
  isAnalysed: boolean;
  /** The session whose search is shown. */
  session: number | null;
  /** The search that this tab left when it was loaded again. */
  left: Left | null;
  /** Whether it was the address of a tree. */
  isTree: boolean;
}

/** The engine as an address may name it. A command line is typed, never taken from an address: a link would start programs; so may players of matches be. */
const named = (engine: string) => (commandOf(engine) || isPlayer(engine) ? "" : engine);

export function wishOf(search: string): Wish {
  const asked = new URLSearchParams(search);
  const session = /^\d+$/.exec(asked.get("session") ?? "");
  return {
    isGame: spotOf(search) !== null || recordOf(search) !== "",
    engine: named(asked.get("engine") ?? ""),
    isAnalysed: asked.has("analyse"),
    session: session && Number(session[0]),
    left: null,
    isTree: session !== null || asked.has("view"),
  };
}

/** A page that is loaded again has its engine still, and the search that it left; what the address names goes before it. */
export function withLeft(wish: Wish, left: Left | null): Wish {
  const isSame = left !== null && wish.session === null && (wish.engine === "" || wish.engine === left.family);
  return isSame ? { ...wish, engine: left.family, left } : wish;
}

/** The state of the page with the game that an opened record is; nothing where no engine plays in it. */
export async function playedOn(game: string, { play, record, key }: Opened) {
  if (!play) return {};
  // Whose clock runs is said by the end of the game, wherever one looked back to.
  const { side } = await api.position(game, tree.place(record, tree.lineEnd(record, 0)));
  const { opponent, clock } = setupOf(play, key?.id ?? "", record.nodes.length, record.outcome ? null : side, performance.now());
  return { opponent, clock, analysing: false, isFlipped: opponent.plays.length === 1 && opponent.plays[0] === 0 };
}

/** What of an address names where one is: a record that is kept by its short name, everything else by its line. */
function whereIn(record: tree.GameTree, place: GamePosition, id: string | null, more: Record<string, string>): string {
  if (id !== null) {
    const way = tree.wayTo(record);
    return `?${new URLSearchParams({ record: id, ...(way && { line: way }), ply: String(tree.path(record).length), ...more })}`;
  }
  const end = tree.place(record, tree.lineEnd(record));
  // Behind a position that is set up later the line is another one.
  const whole = end.start === place.start ? end : place;
  return asQuery({ place: whole, ply: place.moves.length }, more);
}

/** An address that cannot be opened stays until something is played or read: it may work later, or in another tab. */
export function useAddress({ game, state, set, edits, record, place, placeKey, keeper, session }: PlayCore, { state: grown, set: setGrown }: Pick<TreeStore, "state" | "set">, wish: Wish): void {
  const { begin, setRecord } = edits;
  const { opponent: { family, plays } } = state;
  /** What the address said last; and whether the browser has changed it since. */
  const said = useRef({ look: null as Look | null, isBack: false, record, key: keeper.key });
  Object.assign(said.current, { record, key: keeper.key });
  useEffect(() => {
    const load = async () => {
      const [spot, id] = [spotOf(location.search), recordOf(location.search)];
      if ((!spot && !id) || location.pathname !== `/play/${game}`) return set({ isLoaded: true });
      const isAnalysed = new URLSearchParams(location.search).has("analyse");
      // Where a kept record stands is known when it is there.
      if (isAnalysed && wish.session === null && !wish.left && !id) session.prepare((spot ?? START).place);
      try {
        const kept = await openKept(game, spot, id, location.search);
        if (kept) {
          const played = await playedOn(game, kept);
          keeper.adopt(kept.key, 0, kept.play);
          begin(kept.record);
          set(played);
        } else {
          const { place, ply } = spot ?? { place: { rules: "", start: null, moves: [] }, ply: 0 };
          const { played } = await api.position(game, place);
          keeper.adopt(null, 0, null);
          begin({ ...tree.fromLine(place, played), here: ply, tags: tagsOf(location.search) });
          if (!spot) set({ problem: new Problem(404, "Not found", t("kept_absent"), null) });
        }
        set({ isLoaded: true, ...(isAnalysed && { analysing: true }) });
      } catch (problem) {
        set({ problem });
      }
    };
    /** Where the record that is here has what the address names, one only stands there. */
    const again = () => {
      const { record, key } = said.current;
      const [spot, id] = [spotOf(location.search), recordOf(location.search)];
      const { place, ply } = spot ?? START;
      said.current.isBack = true;
      setGrown(addressOf(location.search));
      if (location.pathname !== `/play/${game}` || (id && id !== key?.id) || !tree.has(record, place)) return void load();
      const { way, ply: step } = spotInRecord(location.search);
      setRecord((now) => (id && !spot ? { ...now, here: tree.along(now, way, step) } : (tree.standAt(now, place, ply, []) ?? now)));
    };
    void load();
    addEventListener("popstate", again);
    return () => removeEventListener("popstate", again);
  }, [game]);
  const query = treeQuery(grown);
  useLayoutEffect(() => {
    if ((!state.isLoaded && record.edits === 0) || location.pathname !== `/play/${game}`) return;
    const searched = { ...(named(family) && { engine: named(family) }), ...(session.adopted !== null && { session: String(session.adopted) }) };
    const more = { ...searched, ...(state.analysing && { analyse: "1" }), ...query };
    const look: Look = { place, nodes: record.nodes.length, view: grown.view, why: grown.why };
    const isOwn = !said.current.isBack && history.state !== TURNED && isOwnStep(said.current.look, look, plays.length > 0);
    Object.assign(said.current, { look, isBack: false });
    history[isOwn ? "pushState" : "replaceState"](null, "", `/play/${game}${whereIn(record, place, keeper.key?.id ?? null, more)}`);
  }, [state.isLoaded, state.analysing, placeKey, record.nodes.length, keeper.key?.id, family, session.adopted, JSON.stringify(query)]);
}
