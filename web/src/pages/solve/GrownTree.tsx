// The tree of a solver at work, in columns: what is proved, what is not, and where it digs.
import "../tree/tree.css";
import { useEffect, useMemo } from "preact/hooks";
import { type Standing, api } from "../../api";
import { StillBoard } from "../../boards/Still";
import { useStore } from "../../store";
import { count, fixed, short, t } from "../../words";
import { useKeys } from "../keys";
import { type Growing, childrenOf, follow, next, verdict } from "./grown";

/** Rows of a column. */
const SHOWN = 60;
const SIGN = { proved: "✔", disproved: "✘", open: "…" } as const;

interface Props {
  game: string;
  start: string;
  growing: Growing;
}

interface GrownState {
  /** The moves to the node that is looked at. */
  moves: string[];
  /** The picture that is held still. */
  held: Growing | null;
  stand: Standing | null;
}

export function GrownTree({ game, start, growing }: Props) {
  const [{ moves, held, stand }, set] = useStore<GrownState>(() => ({ moves: [], held: null, stand: null }));
  const setMoves = (moves: string[]) => set({ moves });
  const hold = (held: Growing | null) => set({ held });
  const shown = held ?? growing;
  const { tree } = shown;
  const below = useMemo(() => childrenOf(tree), [tree]);
  const path = follow(tree, below, moves);
  const at = path[path.length - 1]!;
  useEffect(() => {
    let current = true;
    api.position(game, { rules: "", start, moves }).then((s) => current && set({ stand: s }), () => undefined);
    return () => {
      current = false;
    };
  }, [game, start, moves.join(" ")]);
  const beside = (n: number) => {
    const siblings = path.length > 1 ? below[path[path.length - 2]!]! : [];
    const to = siblings[siblings.indexOf(at) + n];
    if (to !== undefined) setMoves([...moves.slice(0, path.length - 2), tree[to]!.move]);
  };
  useKeys((key) => {
    const first = below[at]?.[0];
    const deeds: Record<string, () => void> = {
      ArrowLeft: () => setMoves(moves.slice(0, -1)), Home: () => setMoves([]),
      ArrowRight: () => first !== undefined && setMoves([...moves.slice(0, path.length - 1), tree[first]!.move]),
      ArrowUp: () => beside(-1), ArrowDown: () => beside(1), " ": () => hold(held ? null : growing),
    };
    return deeds[key] ?? null;
  });
  if (tree.length === 0) return null;
  const number = (n: number) => (n >= 1 << 28 ? "∞" : short(n));
  return (
    <section aria-label={t("solve_tree")} data-testid="grown" data-nodes={shown.nodes}>
      <p class="deeds-line">
        <span>
          {growing.over ? "■" : "●"} {t("solver_effort", { nodes: count(shown.nodes), seconds: fixed(shown.seconds, 1) })} · pn {number(tree[0]!.pn)} · dn {number(tree[0]!.dn)}
        </span>
        {!growing.over && <button aria-pressed={held !== null} onClick={() => hold(held ? null : growing)}>{t("tree_freeze")}</button>}
      </p>
      <div class="grown-body">
        <div>{stand && <StillBoard game={game} position={stand.position} side={stand.side} last={moves[moves.length - 1] ?? null} />}</div>
        <div class="columns" role="tree" tabIndex={0} aria-label={t("solve_tree")} aria-activedescendant={at === 0 ? undefined : `grown-${at}`}>
          {path.map((parent, depth) => {
            const list = below[parent]!;
            if (list.length === 0) return null;
            const attacks = depth % 2 === 0;
            const digs = next(tree, list, attacks);
            const whole = list.reduce((most, i) => Math.max(most, tree[i]!.work), 1);
            return (
              <div key={depth} class="column" role="presentation">
                <div class="column-head">
                  {attacks ? "▲" : "△"} {depth === 0 ? t("tree_root") : tree[parent]!.move} <small>{list.length} / {tree[parent]!.moves || "?"}</small>
                </div>
                <div class="column-rows" role="group" aria-label={depth === 0 ? t("tree_root") : tree[parent]!.move} tabIndex={0}>
                  {list.slice(0, SHOWN).map((i) => {
                    const node = tree[i]!;
                    const state = verdict(node);
                    const words = `${node.move}, ${t(`solve_${state}`)}, pn ${number(node.pn)}, dn ${number(node.dn)}, ${short(node.work)}`;
                    return (
                      <div
                        key={node.move} id={`grown-${i}`} class={`node grown-${state}${path[depth + 1] === i ? " chosen" : ""}${digs === i ? " decides" : ""}`}
                        role="treeitem" aria-level={depth + 1} aria-selected={path[depth + 1] === i} aria-label={words}
                        onClick={() => setMoves([...path.slice(1, depth + 1).map((at) => tree[at]!.move), node.move])}
                      >
                        <span class="node-bar" style={{ inlineSize: `${(node.work / whole) * 100}%` }} />
                        <span class="node-move">{SIGN[state]} {node.move}{digs === i ? " ◂" : ""}</span>
                        <span class="node-value">{state === "open" ? `${number(node.pn)}/${number(node.dn)}` : node.plies !== null ? t("in_plies", { n: node.plies }) : ""}</span>
                        <span class="node-effort">{short(node.work)}</span>
                      </div>
                    );
                  })}
                </div>
              </div>
            );
          })}
        </div>
      </div>
      <p class="soft">{t("solve_tree_says")}</p>
    </section>
  );
}
