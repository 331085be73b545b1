// The tree of a search: columns, overview, table and course of a session, live or at a kept moment, with the chosen node.
import "./tree.css";
import type { GameInfo } from "../../api";
import { Announce, Trouble } from "../../parts";
import { t } from "../../words";
import { NodeBox } from "./NodeBox";
import { TreeHead, TreeTools } from "./TreeHead";
import { TreeView } from "./TreeView";
import { TreeProvider, useTreeStore } from "./store";

export function Tree({ id, games }: { id: number; games: GameInfo[] }) {
  const store = useTreeStore(id, games);
  const { state: { session, problem, said, moves }, set, down, isWhole, forest } = store;
  const trouble = <Trouble problem={problem} onClose={() => set({ problem: null })} />;
  if (!session) return trouble;
  return (
    <TreeProvider value={store}>
      <section class="tree-page">
        <h1 class="unseen">{t("tree_of", { id })}</h1>
        {trouble}
        {down && <p class="banner" role="status" data-testid="lost">{t("lost")}</p>}
        <Announce words={said} />
        <TreeHead />
        <TreeTools />
        {!isWhole && moves.length > 0 && forest && <p class="soft">{t("tree_absent")}</p>}
        <div class="tree-body">
          <NodeBox />
          <TreeView />
        </div>
      </section>
    </TreeProvider>
  );
}
