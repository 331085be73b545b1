// Columns: the children of the root, then the children of each node on the way to the chosen one.
import { memo } from "preact/compat";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../../store";
import { short, t } from "../../words";
import { useTreePage } from "./store";
import { glyphs, named, percent, shade } from "./signs";
import type { Forest } from "./forest";
import type { Words } from "./words";

export const ROW = 26;
const HIGH = 390;

/** The order of rows as it was when the pointer or the focus came. */
function useRows(forest: Forest, held: boolean) {
  const { state: { order, resort }, set } = useTreePage();
  const kept = useRef(new Map<number, number[]>());
  const last = useRef("");
  const now = `${order} ${resort}`;
  if (!held || last.current !== now) kept.current = new Map();
  last.current = now;
  let stale = false;
  const rows = (slot: number): number[] => {
    const fresh = forest.sorted(slot, order);
    const old = kept.current.get(forest.id[slot]!);
    if (!old) {
      kept.current.set(
        forest.id[slot]!,
        fresh.map((s) => forest.id[s]!),
      );
      return fresh;
    }
    const place = new Map(old.map((id, i) => [id, i]));
    const far = (s: number) => place.get(forest.id[s]!) ?? Infinity;
    const still = [...fresh].sort((a, b) => far(a) - far(b) || 0);
    if (still.some((s, i) => s !== fresh[i])) stale = true;
    return still;
  };
  useEffect(() => set({ isStale: stale }));
  return rows;
}

interface ColumnsState {
  /** Whether the pointer or the focus is in the columns: rows keep their order then. */
  held: boolean;
  /** Nodes all of whose children are shown. */
  open: ReadonlySet<number>;
  /** Columns that there is room for. */
  wide: number;
  /** The node whose line is drawn ahead: the one where one rests, for a key press draws no more than it must. */
  settled: number;
}

/** The children of a node in the order of its column: all, and those that are shown. */
interface Lists {
  all: number[];
  shown: number[];
}

/** The width of a column with what is between two. */
const WIDE = 203;
/** Milliseconds without a key press after which what lies ahead is drawn. */
const REST_MS = 80;

/** The nodes of the best line behind the last of `path`, as the line through the node `settled` has them. */
function onwards(forest: Forest, settled: number, byEffort: boolean, path: number[]): number[] {
  if (settled < 0 || !forest.alive[settled]) return [];
  const line = [...forest.path(settled), ...forest.line(settled, byEffort)];
  return path.every((slot, i) => line[i] === slot) ? line.slice(path.length) : [];
}

export function Columns({ forest }: { forest: Forest }) {
  const { state: { least, found, order, resort }, path, slot, byEffort, pinned: pins, words, pickHere: onPick } = useTreePage();
  const [{ held, open, wide, settled }, set] = useStore<ColumnsState>(() => ({ held: false, open: new Set(), wide: 0, settled: -1 }));
  const box = useRef<HTMLDivElement>(null);
  const rows = useRows(forest, held);
  const lists = useRef({ stamp: "", forest, of: new Map<number, Lists>() });
  const show = useCallback((id: number) => set(({ open }) => ({ open: new Set([...open, id]) })), []);
  const chosen = path.length > 0 ? path[path.length - 1]! : -1;
  useEffect(() => {
    const at = box.current;
    // The replies to the chosen move are in view; what lies ahead of them may be beyond the edge.
    if (at) at.scrollLeft = Math.max(0, (path.length + 1) * WIDE - at.clientWidth);
  }, [chosen, path.length]);
  useEffect(() => {
    const timer = setTimeout(() => set({ settled: slot }), REST_MS);
    return () => clearTimeout(timer);
  }, [slot]);
  useEffect(() => {
    if (!box.current) return;
    const watcher = new ResizeObserver(([entry]) => set({ wide: Math.floor(entry!.contentRect.width / WIDE) }));
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, [forest.root >= 0]);
  const root = forest.root;
  if (root < 0) return null;
  const floor = least * forest.effort[root]!;
  const parents = [root, ...path];
  /** The rows of a column, all and those that are shown. Without a pointer among them they are those of the last drawing, unless the tree changed. */
  const stamp = [forest.version, order, resort, least, open.size, held].join(" ");
  if (lists.current.stamp !== stamp || lists.current.forest !== forest) lists.current = { stamp, forest, of: new Map() };
  const listed = (parent: number, chosen: number): Lists => {
    const before = held ? undefined : lists.current.of.get(parent);
    if (before && (chosen < 0 || before.shown.includes(chosen))) return before;
    const all = rows(parent);
    const once = new Set(forest.rows(parent, "effort"));
    const isShown = (s: number) => s === chosen || (once.has(s) && !forest.isIdle(s) && forest.effort[s]! >= floor);
    const made = { all, shown: open.has(forest.id[parent]!) ? all : all.filter(isShown) };
    lists.current.of.set(parent, made);
    return made;
  };
  // Where there is room, the best line goes on behind the chosen move.
  const ahead = onwards(forest, settled, byEffort, path).slice(0, Math.max(0, wide - parents.length));
  const isParent = (s: number) => forest.children(s).length > 0;
  const look: Look = { forest, version: forest.version, byEffort, pins, found, words, said: words.said, show, onPick };
  return (
    <div class="columns-box">
      <div
        ref={box}
        class="columns"
        role="tree"
        tabIndex={0}
        aria-label={t("tree_columns")}
        aria-activedescendant={chosen >= 0 ? `node-${forest.id[chosen]}` : undefined}
        onPointerEnter={() => set({ held: true })}
        onPointerLeave={() => set({ held: false })}
        onFocus={() => set({ held: true })}
        onBlur={() => set({ held: false })}
      >
        {[...parents, ...ahead.filter(isParent)].map((parent, depth) => {
          const { all, shown } = listed(parent, path[depth] ?? -1);
          if (all.length === 0 && depth > 0) return null;
          return (
            <div key={depth} class={depth >= parents.length ? "column ahead" : "column"} role="presentation">
              <Column look={look} parent={parent} depth={depth} chosen={path[depth] ?? -1} list={shown} rest={all.length - shown.length} />
            </div>
          );
        })}
      </div>
      {path.length === 0 && ahead.length === 0 && <p class="columns-hint soft">{t("columns_hint")}</p>}
    </div>
  );
}

/** What all columns share. */
interface Look {
  forest: Forest;
  version: number;
  byEffort: boolean;
  pins: Set<number>;
  found: string;
  words: { known: Map<number, Words>; want: (ids: number[]) => void };
  /** Grows when words come. */
  said: number;
  /** Shows all children of the node with this number. */
  show: (id: number) => void;
  onPick: (slot: number) => void;
}

interface ColumnProps {
  look: Look;
  parent: number;
  depth: number;
  /** The child on the way to the chosen node; -1: none. */
  chosen: number;
  list: number[];
  /** How many children are not in the list. */
  rest: number;
}

/** Whether a column would look the same: those that a key press does not touch are not drawn again. */
function same(a: ColumnProps, b: ColumnProps): boolean {
  const keys = ["parent", "depth", "chosen", "rest"] as const;
  const looks = ["forest", "version", "byEffort", "pins", "found", "said", "onPick"] as const;
  return keys.every((key) => a[key] === b[key]) && looks.every((key) => a.look[key] === b.look[key]) && a.list.length === b.list.length && a.list.every((slot, i) => slot === b.list[i]);
}

const Column = memo(function Column({ look, parent, depth, chosen, list, rest }: ColumnProps) {
  const { forest, byEffort, pins, found, words, show, onPick } = look;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const at = list.indexOf(chosen);
  useEffect(() => {
    const el = box.current;
    if (!el || at < 0) return;
    if (at * ROW < el.scrollTop) el.scrollTop = at * ROW;
    else if ((at + 1) * ROW > el.scrollTop + el.clientHeight) el.scrollTop = (at + 1) * ROW - el.clientHeight;
  }, [at]);
  const first = Math.max(0, Math.floor(top / ROW) - 2);
  const visible = list.slice(first, first + Math.ceil(HIGH / ROW) + 4);
  words.want([forest.id[parent]!, ...visible.map((s) => forest.id[s]!)]);
  const name = (s: number) => named(forest, s, words.known);
  const best = forest.best(parent, byEffort);
  const decides = (s: number) => best >= 0 && forest.move(s) === forest.move(best);
  const whole = list.reduce((most, s) => Math.max(most, forest.effort[s]!), 1);
  const title = depth === 0 ? t("tree_root") : name(parent);
  return (
    <>
      <div class="column-head">
        {title} <small>{percent(forest.value[parent]!)}</small>
      </div>
      <div ref={box} class="column-rows" role="group" aria-label={title} tabIndex={0} onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
        <div role="presentation" style={{ blockSize: list.length * ROW, position: "relative" }}>
          {visible.map((s, i) => {
            const share = forest.effort[s]! / whole;
            const marks = glyphs(forest, s);
            const words = `${name(s)}, ${percent(forest.value[s]!)}, ${short(forest.effort[s]!)} ${marks.map((m) => t(m.key)).join(", ")}`;
            const classes = [s === chosen && "chosen", decides(s) && "decides", forest.isIdle(s) && "idle"];
            const match = found !== "" && name(s).toLowerCase().includes(found.toLowerCase());
            return (
              <div
                key={forest.id[s]}
                id={`node-${forest.id[s]}`}
                class={`node ${classes.filter(Boolean).join(" ")} ${match ? "match" : ""}`}
                role="treeitem"
                aria-level={depth + 1}
                aria-selected={s === chosen}
                aria-setsize={list.length}
                aria-posinset={first + i + 1}
                aria-label={words}
                style={{ insetBlockStart: (first + i) * ROW }}
                onClick={() => onPick(s)}
              >
                <span class="node-bar" style={{ inlineSize: `${share * 100}%`, background: shade(forest.value[s]!) }} />
                <span class="node-move">
                  {decides(s) ? "▸" : ""}
                  {pins.has(forest.id[s]!) ? "⚑" : ""}
                  {name(s)}
                  {marks.map((m) => (
                    <i key={m.sign} title={t(m.key)}>
                      {m.sign}
                    </i>
                  ))}
                </span>
                <span class="node-value">{forest.isIdle(s) ? "–" : percent(forest.value[s]!)}</span>
                <span class="node-effort">{short(forest.effort[s]!)}</span>
                <span class={forest.childCount(s) > 0 ? "node-more" : "node-end"} />
              </div>
            );
          })}
        </div>
      </div>
      {rest > 0 && (
        <div class="column-rest" role="treeitem" aria-level={depth + 1} aria-selected={false} onClick={() => show(forest.id[parent]!)}>
          {t("tree_rest", { n: rest })}
        </div>
      )}
    </>
  );
}, same);
