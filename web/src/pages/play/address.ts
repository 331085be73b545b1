// The address of the page that plays names the record, the line one is in and where one stands: at first it is read, later it follows.
import { useEffect, useLayoutEffect } from "preact/hooks";
import { Problem, api } from "../../api";
import { asQuery, recordOf, spotOf } from "../../places";
import * as tree from "../../tree";
import { t } from "../../words";
import { openKept } from "./keeper";
import type { PlayCore } from "./store";

/** An address that cannot be opened stays until something is played or read: it may work later, or in another tab. */
export function useAddress({ game, state, set, edits, record, place, placeKey, keeper }: PlayCore): void {
  const { begin } = edits;
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
        set({ isLoaded: true });
      } catch (problem) {
        set({ problem });
      }
    };
    const again = () => void load();
    again();
    addEventListener("popstate", again);
    return () => removeEventListener("popstate", again);
  }, [game]);
  useLayoutEffect(() => {
    if ((!state.isLoaded && record.edits === 0) || location.pathname !== `/play/${game}`) return;
    const end = tree.place(record, tree.lineEnd(record));
    // Behind a position that is set up later the line is another one.
    const whole = end.start === place.start ? end : place;
    const more: Record<string, string> = keeper.key ? { record: keeper.key.id } : {};
    history.replaceState(null, "", `/play/${game}${asQuery({ place: whole, ply: place.moves.length }, more)}`);
  }, [state.isLoaded, placeKey, record.nodes.length, keeper.key?.id]);
}
