// What one can do with the tree below the board.
import type { RefObject } from "preact";
import { api } from "../../api";
import { t } from "../../words";
import { VIEWS } from "./address";
import type { TreeDeeds } from "./keys";
import type { TreeCore } from "./store";
import { named, percent } from "./signs";

/** Choosing nodes: `trail` holds those one came from. */
function choices({ state, set, forest, slot, words, say }: TreeCore, trail: string[][]) {
  const { moves, order } = state;
  const pick = (to: number) => {
    if (!forest || to < 0) return;
    trail.push(moves);
    const said = to === forest.root ? t("tree_root") : `${named(forest, to, words.known)} ${percent(forest.value[to]!)}`;
    set({ moves: forest.path(to).map((s) => forest.move(s)) });
    say(said);
  };
  const sibling = (n: number) => {
    if (!forest || slot < 0) return;
    const above = slot === forest.root ? forest.root : forest.parent[slot]!;
    const list = forest.rows(above, order).filter((s) => !forest.isIdle(s));
    const i = list.indexOf(slot);
    const to = list[Math.max(0, Math.min(list.length - 1, i < 0 ? 0 : i + n))];
    if (to !== undefined) pick(to);
  };
  const child = () => {
    if (!forest || slot < 0) return;
    const list = forest.rows(slot, order);
    if (list.length > 0) pick(list[0]!);
  };
  const back = () => {
    const last = trail.pop();
    if (last) set({ moves: last });
  };
  return { pick, sibling, child, back };
}

export function actionsOf(core: TreeCore, trail: string[][], finder: RefObject<HTMLInputElement>) {
  const { id, state, set, fail, forest, slot, path, root, playLine, think, isThinking } = core;
  const { at, moves, standing } = state;
  const chosen = choices(core, trail);
  const { pick, sibling, child, back } = chosen;
  /** Plays the way to the chosen node on the board. */
  const playHere = () => {
    if (standing && root && standing.played.length === root.moves.length + moves.length) playLine(standing.played.slice(root.moves.length));
  };
  /** The chosen node becomes the root: the board goes there, and the engine thinks on. */
  const searchHere = () => {
    playHere();
    if (!isThinking) think();
  };
  const freeze = () => set((now) => ({ isFrozen: !now.isFrozen }));
  const sort = () => set((now) => ({ resort: now.resort + 1 }));
  const askWhy = () => set((now) => ({ why: !now.why }));
  const pin = () => {
    const here = moves.join(".");
    set(({ pins }) => ({ pins: pins.includes(here) ? pins.filter((other) => other !== here) : [...pins, here] }));
  };
  const moment = (n: -1 | 1) => {
    if (id === null) return;
    void api.course(id).then((course) => {
      const kept = course.moments.filter((m) => m.kept);
      const i = at === null ? kept.length : kept.findIndex((m) => m.seq === at);
      set({ at: kept[Math.max(0, i + n)]?.seq ?? null });
    }, fail);
  };
  const keys: TreeDeeds = {
    parent: () => path.length > 0 && forest && pick(forest.parent[slot]!),
    child,
    sibling,
    end: (n) => sibling(n * 100000),
    freeze,
    twin: () => forest && slot >= 0 && pick(forest.twin(slot)),
    sort,
    back,
    pin,
    find: () => finder.current?.focus(),
    moment,
    why: askWhy,
    compare: () => set({ view: "compare" }),
    view: (i) => VIEWS[i] && set({ view: VIEWS[i] }),
    here: searchHere,
    play: playHere,
  };
  const goTo = (moves: string[]) => set({ moves });
  return { ...chosen, playHere, searchHere, freeze, sort, askWhy, pin, goTo, keys };
}
