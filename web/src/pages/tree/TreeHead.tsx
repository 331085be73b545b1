// Above a tree: how it is shown, how far its search is, and what can be done with it.
import { Link } from "../../parts";
import { short, t } from "../../words";
import { ORDERS, VIEWS } from "./address";
import { LinesOf } from "../seats/Seats";
import { useTreePage } from "./store";
import type { Order } from "./forest";
import { Verify } from "./Verify";

const LEASTS = [0, 0.0001, 0.001, 0.01, 0.05];

/** How far the search is, and whether the tree still grows. */
function State() {
  const { state: { isFrozen }, isThinking, isTold, head, forest } = useTreePage();
  return (
    <>
      <span class="soft" data-testid="tree-nodes" data-nodes={head?.nodes ?? 0} data-size={forest?.size ?? 0}>
        {head && t("tree_effort", { nodes: short(head.nodes), size: short(forest?.size ?? 0), time: (head.time / 1000).toFixed(1) })}
      </span>
      <span class="tree-state" data-testid="tree-state">
        {isTold && `${isThinking ? "●" : "■"} ${t(isThinking ? (isFrozen ? "tree_frozen" : "tree_live") : "tree_still")}`}
      </span>
    </>
  );
}

export function TreeHead() {
  const { id, game, state, set, fail, head, isThinking, freeze, sort } = useTreePage();
  const { view, isFrozen, isStale, at } = state;
  return (
    <div class="tree-head">
      <h2>{t("search_tree")}</h2>
      <div class="views" role="group" aria-label={t("tree_views")}>
        {VIEWS.map((v) => (
          <button key={v} aria-pressed={v === view} onClick={() => set({ view: v })}>
            {t(`view_${v}`)}
          </button>
        ))}
      </div>
      <LinesOf head={head} />
      <State />
      <button aria-pressed={isFrozen} onClick={freeze}>{t("tree_freeze")}</button>
      {at !== null && <button onClick={() => set({ at: null })}>{t("course_now")}</button>}
      {isStale && <button onClick={sort}>{t("tree_stale")}</button>}
      {id !== null && <Verify id={id} game={game} at={at} thinking={isThinking} fail={fail} />}
      <Link to="/tree">{t("tree_others")}</Link>
    </div>
  );
}

export function TreeTools() {
  const { state: { order, least, found }, set, finder } = useTreePage();
  return (
    <div class="tree-tools">
      <label>
        {t("tree_sort")}{" "}
        <select value={order} onChange={(e) => set({ order: e.currentTarget.value as Order })}>
          {ORDERS.map((o) => (
            <option key={o} value={o}>
              {t(`sort_${o}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("tree_least")}{" "}
        <select value={String(least)} onChange={(e) => set({ least: Number(e.currentTarget.value) })}>
          {LEASTS.map((l) => (
            <option key={l} value={String(l)}>
              {l === 0 ? t("tree_all") : `≥ ${l * 100} %`}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("tree_find")} <input ref={finder} name="find" size={8} value={found} onInput={(e) => set({ found: e.currentTarget.value })} />
      </label>
      <span class="soft tree-legend">{t("tree_legend")}</span>
    </div>
  );
}
