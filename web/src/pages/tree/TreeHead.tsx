// Above a tree: how its search stands and what is done with it; how the tree is shown.
import { gameName, short, t } from "../../words";
import { ORDERS, VIEWS } from "./address";
import { useTreePage } from "./store";
import type { Order } from "./forest";
import { Verify } from "./Verify";

const LEASTS = [0, 0.0001, 0.001, 0.01, 0.05];

export function TreeHead() {
  const { id, state, set, fail, game, head, forest, think, freeze, sort, askWhy } = useTreePage();
  const { isThinking, isFrozen, isStale, why, at } = state;
  const session = state.session!;
  return (
    <div class="tree-head">
      <span>
        {game && gameName(game.name)} · {head?.family ?? session.family}
      </span>
      <span data-testid="tree-nodes" data-nodes={head?.nodes ?? 0} data-size={forest?.size ?? 0}>
        {t("tree_effort", { nodes: short(head?.nodes ?? 0), size: short(forest?.size ?? 0), time: ((head?.time ?? 0) / 1000).toFixed(1) })}
      </span>
      <span class="tree-state" data-testid="tree-state">{isThinking ? "●" : "■"} {t(isThinking ? (isFrozen ? "tree_frozen" : "tree_live") : "tree_still")}</span>
      <button onClick={think}>{t(isThinking ? "stop" : "tree_go")}</button>
      <button aria-pressed={isFrozen} onClick={freeze}>{t("tree_freeze")}</button>
      <button aria-pressed={why} onClick={askWhy}>{t("why_button")}</button>
      <Verify id={id} game={session.game} at={at} thinking={isThinking} fail={fail} />
      {at !== null && <button onClick={() => set({ at: null })}>{t("course_now")}</button>}
      {isStale && <button onClick={sort}>{t("tree_stale")}</button>}
    </div>
  );
}

export function TreeTools() {
  const { state: { view, order, least, found }, set, finder } = useTreePage();
  return (
    <div class="tree-tools">
      <div role="group" aria-label={t("tree_views")}>
        {VIEWS.map((v) => (
          <button key={v} aria-pressed={v === view} onClick={() => set({ view: v })}>
            {t(`view_${v}`)}
          </button>
        ))}
      </div>
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
    </div>
  );
}
