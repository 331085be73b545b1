// The record one works on with its earlier states: what was changed can be undone and done again.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { GameTree } from "./tree";

export interface History {
  now: GameTree;
  past: GameTree[];
  future: GameTree[];
  /** Edits of one group in a row are one step back: the letters of a comment, the marks of a review. Empty: none. */
  group: string;
}

/** Steps back at most. */
const PAST_MAX = 200;

export const began = (now: GameTree): History => ({ now, past: [], future: [], group: "" });

/** The history after `change`; only edits are steps, not where one stands and what searches find. */
export function changed(history: History, change: (now: GameTree) => GameTree, group = ""): History {
  const next = change(history.now);
  if (next.edits === history.now.edits) return { ...history, now: next };
  const isMore = group !== "" && group === history.group;
  const past = isMore ? history.past : [...history.past.slice(1 - PAST_MAX), history.now];
  return { now: next, past, future: [], group };
}

/** `to` as one more edit: it is saved like any other. */
const again = (to: GameTree, now: GameTree): GameTree => ({ ...to, edits: now.edits + 1 });

export function undone({ now, past, future, group }: History): History {
  const last = past[past.length - 1];
  return last ? { now: again(last, now), past: past.slice(0, -1), future: [...future, now], group: "" } : { now, past, future, group };
}

export function redone({ now, past, future, group }: History): History {
  const next = future[future.length - 1];
  return next ? { now: again(next, now), past: [...past, now], future: future.slice(0, -1), group: "" } : { now, past, future, group };
}

/** Ctrl+Z, and Ctrl+Shift+Z or Ctrl+Y; a text field with something in it has its own. */
function useUndoKeys(undo: () => void, redo: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      const field = (event.target as HTMLElement).closest<HTMLInputElement | HTMLTextAreaElement>("input, textarea");
      if (field && field.value !== "") return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) redo();
      else undo();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [undo, redo]);
}

export function useHistory(first: () => GameTree) {
  const [history, setHistory] = useState(() => began(first()));
  const setRecord = useCallback((change: (now: GameTree) => GameTree, group = "") => setHistory((h) => changed(h, change, group)), []);
  const begin = useCallback((record: GameTree) => setHistory(began(record)), []);
  const undo = useCallback(() => setHistory(undone), []);
  const redo = useCallback(() => setHistory(redone), []);
  useUndoKeys(undo, redo);
  return { record: history.now, setRecord, begin, undo, redo, canUndo: history.past.length > 0, canRedo: history.future.length > 0 };
}

export type Edits = ReturnType<typeof useHistory>;
