// One window plays a game against an engine; others that show the same record watch it, until one of them takes it over.
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../../store";

/** `own`: this window plays. `waiting`: nobody knows yet. `other`: another window plays, this one watches. */
export type Holder = "own" | "waiting" | "other";

const NAME = "tesuji-game-";
/** A window that is closed, or loaded again, has let go of its game by then. */
const SOON_MS = 300;

/**
 * Which window plays the game kept as `id` (none: no engine plays, or it is not kept yet). A game that began in this window (`isMade`) is its
 * own from the start. `version` of the record is told to the others, which `reload` it.
 */
export function useHolder(id: string | null, isMade: boolean, version: number | undefined, reload: (id: string) => Promise<void>) {
  const [known, set] = useStore(() => ({ id: null as string | null, holder: "own" as Holder }));
  const holder = id === null || !navigator.locks ? "own" : known.id === id ? known.holder : isMade ? "own" : "waiting";
  const again = useRef(reload);
  again.current = reload;
  const take = useRef(() => undefined as void);
  useEffect(() => {
    if (id === null || !navigator.locks) return;
    let [isLeft, isOther, turn, release] = [false, false, 0, () => undefined as void];
    const lose = () => {
      isOther = true;
      set({ id, holder: "other" });
    };
    const timer = setTimeout(lose, SOON_MS);
    const wait = (options: LockOptions) => {
      const mine = ++turn;
      const held = async () => {
        if (isLeft || mine !== turn) return;
        clearTimeout(timer);
        // What the other window did last is seen before one goes on.
        if (isOther) await again.current(id);
        if (isLeft || mine !== turn) return;
        isOther = false;
        set({ id, holder: "own" });
        await new Promise<void>((done) => (release = done));
      };
      navigator.locks.request(NAME + id, options, held).catch(() => {
        if (isLeft || mine !== turn) return;
        lose();
        wait({});
      });
    };
    wait({});
    take.current = () => wait({ steal: true });
    return () => {
      isLeft = true;
      clearTimeout(timer);
      release();
    };
  }, [id]);
  const isHeard = id !== null && "BroadcastChannel" in globalThis;
  useEffect(() => {
    if (!isHeard || holder !== "own") return;
    const channel = new BroadcastChannel(NAME + id);
    channel.postMessage(version ?? 0);
    return () => channel.close();
  }, [id, holder, version]);
  // One listens all the time: what is said between two channels is heard by nobody.
  useEffect(() => {
    if (!isHeard || holder !== "other") return;
    const channel = new BroadcastChannel(NAME + id);
    channel.onmessage = () => void again.current(id);
    void again.current(id);
    return () => channel.close();
  }, [id, holder]);
  return { holder, takeOver: () => take.current() };
}
