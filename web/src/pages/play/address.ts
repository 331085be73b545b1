// The address of the page of the board names the record, the line one is in, where one stands, and how the tree is shown: at first it
// is read, later it follows.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Problem, api } from "../../api";
import { type Spot, asQuery, recordOf, spotOf, tagsOf } from "../../places";
import * as tree from "../../tree";
import { t } from "../../words";
import { commandOf, isPlayer } from "../seats/seat";
import { setupOf } from "./engineGame";
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
    isTree: session !== null || asked.has("view"),
  };
}

/** The state of the page with the game that an opened record is; nothing where no engine plays in it. */
export async function playedOn(game: string, { play, record, key }: Opened) {
  if (!play) return {};
  // Whose clock runs is said by the end of the game, wherever one looked back to.
  const { side } = await api.position(game, tree.place(record, tree.lineEnd(record, 0)));
  const { opponent, clock } = setupOf(play, key?.id ?? "", record.nodes.length, record.outcome ? null : side, performance.now());
  return { opponent, clock, analysing: false, isFlipped: opponent.plays.length === 1 && opponent.plays[0] === 0 };
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
      if (wish.isAnalysed && wish.session === null) session.prepare((spot ?? START).place);
      try {
        const kept = await openKept(game, spot, id);
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
        set({ isLoaded: true, ...(wish.isAnalysed && { analysing: true }) });
      } catch (problem) {
        set({ problem });
      }
    };
    /** Where the record that is here has what the address names, one only stands there. */
    const again = () => {
      const { record, key } = said.current;
      const [spot, id] = [spotOf(location.search) ?? START, recordOf(location.search)];
      said.current.isBack = true;
      setGrown(addressOf(location.search));
      if (location.pathname !== `/play/${game}` || (id && id !== key?.id) || !tree.has(record, spot.place)) return void load();
      setRecord((now) => tree.standAt(now, spot.place, spot.ply, []) ?? now);
    };
    void load();
    addEventListener("popstate", again);
    return () => removeEventListener("popstate", again);
  }, [game]);
  const query = treeQuery(grown);
  useLayoutEffect(() => {
    if ((!state.isLoaded && record.edits === 0) || location.pathname !== `/play/${game}`) return;
    const end = tree.place(record, tree.lineEnd(record));
    // Behind a position that is set up later the line is another one.
    const whole = end.start === place.start ? end : place;
    const kept: Record<string, string> = keeper.key ? { record: keeper.key.id } : {};
    const searched = { ...(named(family) && { engine: named(family) }), ...(session.adopted !== null && { session: String(session.adopted) }) };
    const more = { ...kept, ...searched, ...query };
    const look: Look = { place, nodes: record.nodes.length, view: grown.view, why: grown.why };
    const isOwn = !said.current.isBack && history.state !== TURNED && isOwnStep(said.current.look, look, plays.length > 0);
    Object.assign(said.current, { look, isBack: false });
    history[isOwn ? "pushState" : "replaceState"](null, "", `/play/${game}${asQuery({ place: whole, ply: place.moves.length }, more)}`);
  }, [state.isLoaded, placeKey, record.nodes.length, keeper.key?.id, family, session.adopted, JSON.stringify(query)]);
}
