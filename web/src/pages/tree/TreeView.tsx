// What is shown of a tree beside the chosen node: the view that was chosen, and why the move there was.
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
function WhyHere() {
  const { id, state: { session, moves, at, isThinking }, head, isWhole, goTo } = useTreePage();
  const seq = isThinking ? Math.floor((head?.time ?? 0) / 2000) : -1;
  return head && <Why id={id} game={session!.game} place={head.place} moves={isWhole ? moves : []} at={at} seq={seq} onMoves={goTo} />;
}

function Shown({ forest }: { forest: Forest }) {
  const { state: { view, why, least, found, at }, set, course, words, chosen, pick, goTo } = useTreePage();
  return (
    <>
      {why && <WhyHere />}
      {(view === "columns" || view === "icicle") && <Columns forest={forest} />}
      {view === "icicle" && <Icicle forest={forest} version={forest.version} chosen={chosen} words={words} onPick={pick} />}
      {view === "table" && <Table forest={forest} chosen={chosen} least={least} found={found} words={words} onPick={pick} />}
      {view === "course" && course && <Course forest={forest} course={course} at={at} words={words} onAt={(at) => set({ at })} onMoves={goTo} />}
      {view === "compare" && <Compare forest={forest} />}
    </>
  );
}

export function TreeView() {
  const { forest } = useTreePage();
  return <div class="tree-main">{!forest || forest.root < 0 ? <p class="soft">{t("tree_none")}</p> : <Shown forest={forest} />}</div>;
}
