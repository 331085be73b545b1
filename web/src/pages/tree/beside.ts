// A search beside the page's own: at the same position, as long as both are compared.
import { useEffect, useRef } from "preact/hooks";
import { api } from "../../api";
import { rememberMade } from "../seats/made";
import { traced } from "./plant";
import type { TreeCore } from "./store";

/** Candidates that are asked for: more cost some searches time, others know them anyway. */
const lines = (family: string): string => (family === "alpha-beta" || family === "lines" ? "3" : "12");

/** Begins a search of `who` where the board stands, and ends the one that was begun here before; it follows the board while it is shown. */
export function useBeside({ game, board, isThinking, state: { with: shown, view }, set, fail }: TreeCore) {
  const isOn = isThinking && view === "compare";
  const made = useRef<number | null>(null);
  const begin = async (who: string) => {
    try {
      const before = made.current;
      const { id, family } = await api.start(game, who, board);
      rememberMade(id);
      made.current = id;
      set({ with: id });
      if (before !== null) void api.end(before).catch(() => undefined);
      await api.set(id, { MultiPV: lines(family), ...traced(family) });
      await api.go(id, {});
    } catch (problem) {
      fail(problem);
    }
  };
  const now = useRef({ board, isOn });
  now.current = { board, isOn };
  /** One request after the other: those that overtake each other would leave a search that nobody asked for. */
  const turn = useRef<Promise<unknown>>(Promise.resolve());
  useEffect(() => {
    const id = made.current;
    if (id === null || id !== shown) return;
    const follow = async () => {
      if (!now.current.isOn) return api.stop(id);
      await api.stand(id, now.current.board);
      await (now.current.isOn ? api.go(id, {}) : api.stop(id));
    };
    turn.current = turn.current.then(follow).catch(fail);
  }, [JSON.stringify(board), isOn]);
  return begin;
}
