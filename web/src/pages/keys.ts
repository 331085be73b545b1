// Keys: how pages hear them, and those of the board pages; single letters are silent while one types.
import { useEffect, useRef } from "preact/hooks";
import { go } from "../parts";

export interface KeyDeeds {
  step: (n: -1 | 1) => void;
  sibling: (n: -1 | 1) => void;
  end: (n: -1 | 1) => void;
  think: () => void;
  candidate: (i: number) => void;
  flip: () => void;
  arrows: () => void;
  why: () => void;
  entry: () => void;
  /** Closes what lies over the game. */
  leave: () => void;
}

/** What `key` does, if anything. */
export function deed(key: string, deeds: KeyDeeds): (() => void) | null {
  if (/^[1-9]$/.test(key)) return () => deeds.candidate(Number(key) - 1);
  const known: Record<string, () => void> = {
    ArrowLeft: () => deeds.step(-1),
    k: () => deeds.step(-1),
    ArrowRight: () => deeds.step(1),
    j: () => deeds.step(1),
    ArrowUp: () => deeds.sibling(-1),
    ArrowDown: () => deeds.sibling(1),
    Home: () => deeds.end(-1),
    End: () => deeds.end(1),
    " ": deeds.think,
    Enter: () => deeds.candidate(0),
    f: deeds.flip,
    a: deeds.arrows,
    w: deeds.why,
    "/": deeds.entry,
    Escape: deeds.leave,
    "?": () => go("/help"),
  };
  return known[key] ?? null;
}

/** Keys that no move begins with. */
const FREE = [" ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];

/** Does what `find` knows for a key that is pressed, except while one types; a control has its own Enter and space bar. */
export function useKeys(find: (key: string) => (() => void) | null): void {
  const now = useRef(find);
  now.current = find;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const at = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const field = at.closest<HTMLInputElement>("input, textarea");
      if (field && event.key === "Escape") return field.blur();
      // In an empty field for a move nothing can be meant by these keys but what they do elsewhere.
      const isFree = field?.dataset.keys === "free" && field.value === "" && FREE.includes(event.key);
      if (!isFree && at.closest("input, textarea, select, [role=dialog], [data-keys=own]")) return;
      if (at.closest("button, a, summary") && (event.key === "Enter" || event.key === " ")) return;
      const what = now.current(event.key);
      if (!what) return;
      event.preventDefault();
      what();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
