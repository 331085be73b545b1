// What is shown of a tree: the view that was chosen; and why the chosen move.
import { t } from "../../words";
import { Why } from "../why/Why";
import { Columns } from "./Columns";
import { Compare } from "./Compare";
import { Course } from "./Course";
import { Icicle } from "./Icicle";
import { useTreePage } from "./store";
import type { Forest } from "./forest";
import { Table } from "./Table";

/** The explanation of the chosen move; a search that runs is asked again every two seconds. */
export function WhyHere() {
  const { id, game, state: { moves, at }, isThinking, head, isWhole, goTo } = useTreePage();
  const seq = isThinking ? Math.floor((head?.time ?? 0) / 2000) : -1;
  if (id === null || !head) return <p class="soft">{t("why_first")}</p>;
  return <Why id={id} game={game} isForeign={head.family === "lines"} place={head.place} moves={isWhole ? moves : []} at={at} seq={seq} onMoves={goTo} />;
}

function Shown({ forest }: { forest: Forest }) {
  const { state: { view, least, found, at }, set, course, words, chosen, pick, goTo } = useTreePage();
  return (
    <>
      {view === "icicle" && <Icicle forest={forest} version={forest.version} chosen={chosen} words={words} onPick={pick} />}
      {(view === "columns" || view === "icicle") && <Columns forest={forest} />}
      {view === "table" && <Table forest={forest} chosen={chosen} least={least} found={found} words={words} onPick={pick} />}
      {view === "course" && course && <Course forest={forest} course={course} at={at} words={words} onAt={(at) => set({ at })} onMoves={goTo} />}
      {view === "compare" && <Compare forest={forest} />}
    </>
  );
}

/** What stands where no tree is: its shape while the first nodes are on their way, else how to get one. */
function Absent() {
  const { isThinking, think } = useTreePage();
  if (isThinking) return <div class="tree-shape" aria-busy="true" />;
  return (
    <p class="tree-absent">
      {t("tree_none")} <button class="strong" onClick={think}>{t("start_search")}</button>
    </p>
  );
}

export function TreeView() {
  const { forest, isRooted, isThinking } = useTreePage();
  if (!forest || forest.root < 0 || (!isRooted && !isThinking)) return <Absent />;
  return (
    <div class={`tree-main${isRooted ? "" : " stale"}`}>
      <Shown forest={forest} />
    </div>
  );
}
