// What the board shows: the position of the game, or the end of a line that one points at or chose in the tree.
import { useEffect, useRef } from "preact/hooks";
import { type Move, type Standing, api } from "../../api";
import { useStore } from "../../store";
import type { TreeStore } from "../tree/store";
import type { PlayCore } from "./store";

/** Positions that are remembered. */
const KEPT_MAX = 500;

export interface Shown {
  standing: Standing;
  /** The moves from the game's position to it. */
  moves: Move[];
  isPreview: boolean;
}

/** The position after `line`, asked for when the pointer rests there for a moment. */
function useLineEnd({ game, place, placeKey }: PlayCore, line: string[]): Standing | null {
  const known = useRef(new Map<string, Standing>());
  const [{ end }, set] = useStore<{ end: { key: string; standing: Standing } | null }>(() => ({ end: null }));
  const key = line.length > 0 ? `${placeKey} ${line.join(".")}` : "";
  useEffect(() => {
    if (!key) return;
    const had = known.current.get(key);
    if (had) return set({ end: { key, standing: had } });
    let current = true;
    const timer = setTimeout(() => {
      api.position(game, { ...place, moves: [...place.moves, ...line] }).then((standing) => {
        if (known.current.size >= KEPT_MAX) known.current.clear();
        known.current.set(key, standing);
        if (current) set({ end: { key, standing } });
      }, () => undefined);
    }, 40);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [key]);
  return end !== null && end.key === key ? end.standing : null;
}

export function usePreview(core: PlayCore, { isRooted, state: { standing: chosen } }: TreeStore): Shown {
  const { place, state: { standing, preview } } = core;
  const pointed = useLineEnd(core, preview);
  const other = pointed ?? (isRooted ? chosen : null);
  if (!other || other.played.length <= place.moves.length) return { standing, moves: [], isPreview: false };
  return { standing: other, moves: other.played.slice(place.moves.length), isPreview: true };
}
