// The address of the page of the board names the record, the line one is in, where one stands, and how the tree is shown: at first it
// is read, later it follows.
import { useEffect, useLayoutEffect } from "preact/hooks";
import { Problem, api } from "../../api";
import { asQuery, recordOf, spotOf } from "../../places";
import * as tree from "../../tree";
import { t } from "../../words";
import { commandOf } from "../seats/seat";
import { openKept } from "./keeper";
import { type Address, treeQuery } from "../tree/address";
import type { PlayCore } from "./store";

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

/** The engine as an address may name it. A command line is typed, never taken from an address: a link would start programs. */
const named = (engine: string) => (commandOf(engine) ? "" : engine);

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

/** An address that cannot be opened stays until something is played or read: it may work later, or in another tab. */
export function useAddress({ game, state, set, edits, record, place, placeKey, keeper, session }: PlayCore, grown: Address, wish: Wish): void {
  const { begin } = edits;
  const { opponent: { family } } = state;
  useEffect(() => {
    const load = async () => {
      const [spot, id] = [spotOf(location.search), recordOf(location.search)];
      if ((!spot && !id) || location.pathname !== `/play/${game}`) return set({ isLoaded: true });
      try {
        const kept = await openKept(game, spot, id);
        if (kept) {
          keeper.adopt(kept.key, 0);
          begin(kept.record);
        } else {
          const { place, ply } = spot ?? { place: { rules: "", start: null, moves: [] }, ply: 0 };
          const { played } = await api.position(game, place);
          keeper.adopt(null, 0);
          begin({ ...tree.fromLine(place, played), here: ply });
          if (!spot) set({ problem: new Problem(404, "Not found", t("kept_absent"), null) });
        }
        set({ isLoaded: true, ...(wish.isAnalysed && { analysing: true }) });
      } catch (problem) {
        set({ problem });
      }
    };
    const again = () => void load();
    again();
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
    history.replaceState(null, "", `/play/${game}${asQuery({ place: whole, ply: place.moves.length }, more)}`);
  }, [state.isLoaded, placeKey, record.nodes.length, keeper.key?.id, family, session.adopted, JSON.stringify(query)]);
}
