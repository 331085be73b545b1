// The session of the page that plays: made when it is first needed, ended with the page.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Goal, type GamePosition, type SessionState, api, follow } from "../../api";

/** How an engine of the page is set up. */
export interface EngineSetup {
  /** Empty: the best one. */
  family: string;
  goal: "time" | "nodes";
  amount: number;
  /** Which sides it plays: 0, 1, both or none. */
  plays: number[];
}

/** Candidates that a search of this family names while it analyses: more than one makes alpha-beta slower, others know them anyway. */
const linesOf = (family: string) => (family === "alpha-beta" ? 3 : 12);

export function useSession(game: string, family: string, setEngineState: (s: SessionState) => void, fail: (p: unknown) => void) {
  const id = useRef<Promise<{ id: number; family: string }> | null>(null);
  const close = useRef<(() => void) | null>(null);
  const shown = useRef(1);
  const [down, setDown] = useState(false);
  const drop = useCallback(() => {
    close.current?.();
    void id.current?.then((made) => api.end(made.id)).catch(() => undefined);
    [id.current, shown.current] = [null, 1];
  }, []);
  useEffect(() => drop, [game, family]);
  const open = useCallback(() => {
    id.current ??= api.start(game, family, { rules: "", start: null, moves: [] }).then((session) => {
      close.current = follow(session.id, setEngineState, setDown);
      return session;
    });
    id.current.catch(() => (id.current = null));
    return id.current;
  }, [game, family]);
  /** Thinks at `place`: to play there, or to name candidates. */
  const think = useCallback(
    async (place: GamePosition, goal: Goal, plays: boolean) => {
      try {
        const { id: n, family: made } = await open();
        const lines = plays ? 1 : linesOf(made);
        if (shown.current !== lines) {
          await api.set(n, { MultiPV: String(lines) });
          shown.current = lines;
        }
        await api.stand(n, place);
        await api.go(n, goal);
      } catch (problem) {
        fail(problem);
      }
    },
    [open],
  );
  const stop = useCallback(() => void id.current?.then((made) => api.stop(made.id)).catch(fail), []);
  const explain = useCallback(async (place: GamePosition) => {
    const { id: n } = await open();
    await api.stand(n, place);
    return (await api.explain(n)).text;
  }, [open]);
  return { think, stop, explain, down };
}
