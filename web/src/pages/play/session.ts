// The session of the page: made when it is first needed, or taken over from an address; ended with the page.
import { useCallback, useEffect, useRef } from "preact/hooks";
import { type Goal, type GamePosition, type Session, type SessionState, api, follow } from "../../api";
import { useStore } from "../../store";
import { leaveMade, rememberMade } from "../seats/made";
import { type Left, isLeft, rememberLeft } from "./left";
import { traced } from "../tree/plant";

/** How an engine of the page is set up. */
export interface EngineSetup {
  /** Empty: the best one. */
  family: string;
  goal: "time" | "nodes";
  amount: number;
  /** Which sides it plays: 0, 1, both or none. */
  plays: number[];
  /** Options while it plays: its strength, seeds of this game. */
  options: Record<string, string>;
  /** Whether it plays the game from its beginning: it moves at the end of lines, not wherever one looks back to. */
  isGame: boolean;
}

/** Candidates that a search of this family is asked for while it analyses: more than are shown cost alpha-beta time, others know them anyway. */
const linesOf = (family: string, shown: number) => (family === "alpha-beta" || family === "lines" ? shown : Math.max(12, shown));

/** What a place is, to be compared. */
const keyOf = ({ rules, start, moves }: GamePosition): string => JSON.stringify([rules, start || null, moves]);
const START: GamePosition = { rules: "", start: null, moves: [] };

interface Open {
  session: Session;
  /** Whether it ends with the page. */
  isOwn: boolean;
  /** The options that were set. */
  known: Record<string, string>;
}

/** Thinking at a position while nothing else is asked of the session: whatever else is asked has the right of way. */
function usePondering(moves: () => void) {
  const asked = useRef(0);
  /** What `start` has sent: requests that overtake each other would end the search that was asked for later. */
  const onItsWay = useRef<Promise<unknown>>(Promise.resolve());
  /** For a request that is about to be sent: what it waits for. */
  const givesWay = useCallback(() => {
    asked.current += 1;
    return onItsWay.current;
  }, []);
  const askedUntilNow = useCallback(() => asked.current, []);
  /** Thinks at `place` without a limit as long as `isWanted` says so. Whether it does. */
  const start = useCallback((id: number, place: GamePosition, isWanted: () => boolean) => {
    moves();
    const before = asked.current;
    const isFree = () => isWanted() && asked.current === before;
    const send = async () => {
      await api.stand(id, place);
      if (!isFree()) return false;
      await api.go(id, {});
      if (isFree()) return true;
      await api.stop(id);
      return false;
    };
    const sent = send();
    onItsWay.current = sent.catch(() => undefined);
    return sent;
  }, []);
  return { givesWay, askedUntilNow, start };
}

/** A tab that is closed leaves no search behind that thinks for nobody until the server notices; what it made ends a minute later. */
function useLeaving(made: { current: Promise<Open> | null }, remember: () => void) {
  const stop = ({ session: { id }, isOwn }: Open) => {
    if (isOwn) void api.stop(id).catch(() => undefined);
    leaveMade(id);
  };
  useEffect(() => {
    const leave = ({ persisted }: PageTransitionEvent) => {
      // One that the browser keeps may come back.
      if (persisted) return;
      remember();
      void made.current?.then(stop, () => undefined);
    };
    addEventListener("pagehide", leave);
    return () => removeEventListener("pagehide", leave);
  }, []);
}

/** The session that the address names, or the one that this tab left; none: one is made when it is needed. */
function takenOver({ adopted, left }: { adopted: number | null; left: Left | null }, listen: (session: Session, isOwn: boolean) => Open): Promise<Open> | null {
  if (adopted !== null) return api.session(adopted).then((session) => listen(session, false));
  if (!left) return null;
  return api.session(left.id).then((session) => (isLeft(session, left) ? listen(session, true) : Promise.reject(new Error("another session"))));
}

/** The page's own session and where it stands, for the page that is loaded next. */
function useOwn(game: string, family: string, setEngineState: (s: SessionState | null) => void) {
  const now = useRef({ session: null as Session | null, place: START, family });
  now.current.family = family;
  /** Hears what the session says; none: there is none that is the page's own. */
  const own = useCallback((session: Session | null) => {
    Object.assign(now.current, { session, place: session?.state.place ?? START });
    return (state: SessionState) => {
      now.current.place = state.place;
      setEngineState(state);
    };
  }, []);
  const remember = () => now.current.session && rememberLeft(game, now.current.family, now.current.session, now.current.place);
  return { own, remember };
}

/** Sets what a search that shows this many lines needs, where it is not set yet. */
async function setMissing({ session, known }: Open, shown: number, options: Record<string, string>) {
  const lines = shown === 1 ? 1 : linesOf(session.family, shown);
  const wanted = { MultiPV: String(lines), ...traced(session.family), ...options };
  const changed = Object.entries(wanted).filter(([name, value]) => known[name] !== value);
  if (changed.length > 0) await api.set(session.id, Object.fromEntries(changed));
  Object.assign(known, wanted);
}

/** The evaluation of a position in words, by the session's engine. */
function useExplain(open: () => Promise<Open>, givesWay: () => Promise<unknown>, standsAt: { current: string }) {
  return useCallback(async (place: GamePosition) => {
    const giveWay = givesWay();
    const { session } = await open();
    await giveWay;
    standsAt.current = "";
    await api.stand(session.id, place);
    return (await api.explain(session.id)).text;
  }, [open]);
}

/** `adopted`: the number of a session that the address names; `left`: the one that this tab left when it was loaded again. */
export function useSession(game: string, family: string, adopted: number | null, left: Left | null, setEngineState: (s: SessionState | null) => void, fail: (p: unknown) => void) {
  const [{ id, isOwn, down }, set] = useStore(() => ({ id: null as number | null, isOwn: true, down: false }));
  const made = useRef<Promise<Open> | null>(null);
  const close = useRef<(() => void) | null>(null);
  const wanted = useRef({ adopted, left });
  const { own, remember } = useOwn(game, family, setEngineState);
  /** Grows with each search that is asked for or stopped: one that comes too late does not begin. */
  const turn = useRef(0);
  /** Where a session stands that was made there and asked for nothing since. */
  const standsAt = useRef("");
  const pondering = usePondering(useCallback(() => void (standsAt.current = ""), []));
  const listen = useCallback((session: Session, isOwn: boolean): Open => {
    close.current = follow(session.id, own(isOwn ? session : null), (down) => set({ down }));
    // Who asks for the course has moments kept from the first on.
    void api.course(session.id).catch(() => undefined);
    set({ id: session.id, isOwn });
    return { session, isOwn, known: {} };
  }, []);
  const drop = useCallback(() => {
    close.current?.();
    void made.current?.then(({ session: { id }, isOwn }) => (isOwn ? api.end(id) : leaveMade(id))).catch(() => undefined);
    made.current = null;
    // What was asked of it neither begins any more nor fails.
    turn.current++;
    own(null);
    set({ id: null });
    setEngineState(null);
  }, []);
  useEffect(() => {
    made.current = takenOver(wanted.current, listen);
    wanted.current = { adopted: null, left: null };
    // A session that is gone is not missed: a new one is made when it is needed.
    made.current?.catch(() => (made.current = null));
    return drop;
  }, [game, family]);
  useLeaving(made, remember);
  const open = useCallback(async (place: GamePosition = START) => {
    // One that is asked for, and gone, is followed by another.
    if (made.current) await made.current.catch(() => undefined);
    if (!made.current) {
      const mine: Promise<Open> = api.start(game, family, place).then((session) => {
        // It is ended by who went on without it meanwhile.
        if (made.current !== mine) return { session, isOwn: true, known: {} };
        standsAt.current = keyOf(session.state.place);
        rememberMade(session.id);
        return listen(session, true);
      });
      made.current = mine;
      mine.catch(() => made.current === mine && (made.current = null));
    }
    return made.current;
  }, [game, family]);
  /** Makes the session at `place` while the page still asks what may be played there: `think` finds it. */
  const prepare = useCallback((place: GamePosition) => void open(place).catch(() => undefined), [open]);
  /** Thinks at `place`: to play there, or to name this many candidates. `options` are set before, where they are not set yet. */
  const think = useCallback(
    async (place: GamePosition, goal: Goal, shown: number, options: Record<string, string> = {}) => {
      const giveWay = pondering.givesWay();
      const mine = ++turn.current;
      try {
        const opened = await open();
        const { session } = opened;
        await giveWay;
        await setMissing(opened, shown, options);
        if (standsAt.current !== keyOf(place)) await api.stand(session.id, place);
        standsAt.current = "";
        if (turn.current === mine) await api.go(session.id, goal);
      } catch (problem) {
        if (turn.current === mine) fail(problem);
      }
    },
    [open],
  );
  const stop = useCallback(() => {
    turn.current++;
    void made.current?.then(({ session }) => api.stop(session.id)).catch(fail);
  }, []);
  const explain = useExplain(open, pondering.givesWay, standsAt);
  return { id, adopted: id !== null && !isOwn ? id : null, prepare, think, pondering, stop, explain, down };
}
