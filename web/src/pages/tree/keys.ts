// Keys of the tree; single letters are silent while one types.
import { go } from "../../parts";

export interface TreeDeeds {
  parent: () => void;
  child: () => void;
  sibling: (n: number) => void;
  end: (n: -1 | 1) => void;
  freeze: () => void;
  twin: () => void;
  sort: () => void;
  back: () => void;
  pin: () => void;
  find: () => void;
  /** The kept moment before or after. */
  moment: (n: -1 | 1) => void;
  why: () => void;
  compare: () => void;
  view: (i: number) => void;
  here: () => void;
  /** Plays the way to the chosen node. */
  play: () => void;
}

/** What `key` does, if anything. */
export function treeDeed(key: string, deeds: TreeDeeds): (() => void) | null {
  if (/^[1-5]$/.test(key)) return () => deeds.view(Number(key) - 1);
  const known: Record<string, () => void> = {
    ArrowLeft: deeds.parent,
    ArrowRight: deeds.child,
    ArrowUp: () => deeds.sibling(-1),
    ArrowDown: () => deeds.sibling(1),
    Home: () => deeds.end(-1),
    End: () => deeds.end(1),
    " ": deeds.freeze,
    t: deeds.twin,
    o: deeds.sort,
    p: deeds.pin,
    s: deeds.here,
    Enter: deeds.play,
    c: deeds.compare,
    w: deeds.why,
    "[": () => deeds.moment(-1),
    "]": () => deeds.moment(1),
    Backspace: deeds.back,
    "/": deeds.find,
    "?": () => go("/help"),
  };
  return known[key] ?? null;
}
