// The tree of the search below the board: it follows the board and grows while the engine thinks.
import "./tree.css";
import { t } from "../../words";
import { NodeBar } from "./NodeBar";
import { TreeHead, TreeTools } from "./TreeHead";
import { TreeView } from "./TreeView";
import { useTreePage } from "./store";

export function TreePanel() {
  const { isWhole, isRooted, forest, state: { moves } } = useTreePage();
  return (
    <section class="tree-panel" aria-label={t("search_tree")} data-keys-of="tree">
      <TreeHead />
      {forest && forest.root >= 0 && (
        <>
          <TreeTools />
          {isRooted && !isWhole && moves.length > 0 && <p class="soft">{t("tree_absent")}</p>}
          {isRooted && <NodeBar />}
        </>
      )}
      <TreeView />
    </section>
  );
}
