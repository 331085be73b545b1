// A search beside the page's own: at the same position, as long as both are compared.
import { useEffect, useRef } from "preact/hooks";
import { api } from "../../api";
import { rememberMade } from "../seats/made";
import { traced } from "./plant";
import type { TreeCore } from "./store";

/** Candidates that are asked for: more cost some searches time, others know them anyway. */
const lines = (family: string): string => (family === "alpha-beta" || family === "lines" ? "3" : "12");

/** Begins a search of `who` where the board stands, and ends the one that was begun here before; it follows the board while it is shown. */
export function useBeside({ game, board, isThinking, state: { with: shown }, set, fail }: TreeCore) {
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
  const first = useRef(true);
  useEffect(() => {
    // What was just begun stands there already.
    if (first.current) return void (first.current = false);
    const id = made.current;
    if (id === null || id !== shown) return;
    const follow = async () => {
      await api.stand(id, board);
      if (isThinking) await api.go(id, {});
    };
    (isThinking ? follow() : api.stop(id)).catch(fail);
  }, [JSON.stringify(board), isThinking]);
  return begin;
}
