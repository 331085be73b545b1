// The sessions that this tab made: a page that is loaded again still knows which searches are its own, and says so when it goes.
import { useEffect, useRef } from "preact/hooks";
import { api, token } from "../../api";

const KEPT = "tesuji-made";
/** Sessions that are remembered at most. */
const MOST = 32;

/** Numbers begin again with each start of the server: its token tells starts apart. */
const nameOf = (id: number): string => `${token()}:${id}`;

function names(): string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
}

/** Remembers that this tab made session `id`. */
export function rememberMade(id: number): void {
  const before = names().filter((name) => name !== nameOf(id));
  sessionStorage.setItem(KEPT, JSON.stringify([...before, nameOf(id)].slice(-MOST)));
}

/** Whether this tab made session `id`, before a reload or after. */
export const isMade = (id: number): boolean => names().includes(nameOf(id));

/** Says that the page goes without session `id`, if this tab made it: it ends a minute later, unless somebody listens again. */
export const leaveMade = (id: number): void => void (isMade(id) && api.leave(id).catch(() => undefined));

/** Leaves session `id` with the page that shows it beside its own. */
export function useLeft(id: number | null): void {
  const now = useRef(id);
  now.current = id;
  useEffect(() => {
    const leave = () => now.current !== null && leaveMade(now.current);
    // A page that the browser keeps may come back.
    const hide = ({ persisted }: PageTransitionEvent) => void (persisted || leave());
    addEventListener("pagehide", hide);
    return () => {
      removeEventListener("pagehide", hide);
      leave();
    };
  }, []);
}
