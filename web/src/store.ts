// State of a page in one place: fields that belong together are changed together, and a change to nothing new draws nothing again.
import { createContext } from "preact";
import { useCallback, useContext, useState } from "preact/hooks";

/** New values of some fields, or what makes them from the state as it is then. */
export type Change<S> = Partial<S> | ((now: S) => Partial<S>);
/** Merges a change into the state; the same function as long as the page is there. */
export type SetState<S> = (change: Change<S>) => void;

/** The state after a change; the same object where every field stays what it was. */
export function merged<S extends object>(now: S, change: Change<S>): S {
  const fields = typeof change === "function" ? change(now) : change;
  const isSame = (Object.keys(fields) as (keyof S)[]).every((key) => Object.is(now[key], fields[key]));
  return isSame ? now : { ...now, ...fields };
}

/** The state of a page, and what changes it. */
export function useStore<S extends object>(first: () => S): [S, SetState<S>] {
  const [state, setState] = useState(first);
  const set = useCallback((change: Change<S>) => setState((now) => merged(now, change)), []);
  return [state, set];
}

/** How the parts of a page get its store: inside `Provider`, the hook returns what was given to it. */
export function pageContext<T>(page: string) {
  const Context = createContext<T | null>(null);
  const use = (): T => {
    const store = useContext(Context);
    if (store === null) throw new Error(`no store of the page ${page} here`);
    return store;
  };
  return { Provider: Context.Provider, use };
}
