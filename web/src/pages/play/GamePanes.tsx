// The game beside the board: its moves, its graph with review and files; over both, why a move is played.
import { Suspense, lazy } from "preact/compat";
import { endInWords, toMove } from "../../sides";
import { namesOf, resultOf } from "../../players";
import * as tree from "../../tree";
import { t } from "../../words";
import { KeptGames } from "../KeptGames";
import { Ponder } from "../seats/Ponder";
import { Sweep } from "../sweep/Sweep";
import { WhyHere } from "../tree/TreeView";
import { WhyNotHere, WhyNotPane } from "../why/WhyNot";
import { CommentBox } from "./CommentBox";
import { Moves } from "./Moves";
import { RecordTools } from "./RecordTools";
import { RecordsBox } from "./RecordsBox";
import { TABS, usePlay } from "./store";

/** Drawn by a library that is as large as the rest of this page: it comes after the board. */
const Graph = lazy(() => import("./Graph").then(({ Graph }) => Graph));

/** Who played and how it ended, as far as the record says. */
function Players() {
  const { game, info, record } = usePlay();
  const [names, result] = [namesOf(info?.side_tags, record.tags), resultOf(game, record.outcome)];
  return names || result ? <p class="players" data-testid="players">{[names, result].filter(Boolean).join(" · ")}</p> : null;
}

/** Who moves, or how the game ended. */
function Stand() {
  const { game, record, state: { standing }, isEnginesTurn } = usePlay();
  const words = () => (isEnginesTurn ? t("thinking") : toMove(game, standing.side));
  // At the end of the game as it was played its result counts: a side may have resigned, or lost on time.
  const told = record.here !== 0 && record.here === tree.lineEnd(record, 0) && record.outcome?.by !== "void" ? record.outcome : null;
  const end = standing.ended ?? told;
  return (
    <p class={`stand${end ? " ended" : ""}`} data-testid="stand">
      {end ? endInWords(game, end) : words()}
    </p>
  );
}

/** The games in the workspace, listed when they are asked for. */
function KeptBox() {
  const { game, info, state: { isKeptOpen }, set, keeper: { key } } = usePlay();
  return (
    <details class="kept" data-testid="kept-box" onToggle={(e) => set({ isKeptOpen: e.currentTarget.open })}>
      <summary>{t("kept_games")}</summary>
      {isKeptOpen && <KeptGames game={game} games={info && [info]} current={key?.id} stamp={`${key?.id} ${key?.version}`} />}
    </details>
  );
}

/** Why the move of the chosen node, over moves and graph; the evaluation of the position term by term, when it is asked for. */
function WhyPane() {
  const { state: { why }, explain, grown } = usePlay();
  return (
    <div class="why-pane" data-keys-of="tree">
      <p class="why-tools">
        <button onClick={() => grown.set({ why: false })}>{t("why_close")}</button> <button onClick={explain}>{t("why")}</button> <WhyNotHere />
      </p>
      {why && <pre class="why" tabIndex={0}>{why}</pre>}
      <WhyHere />
    </div>
  );
}

/** On a narrow screen: which part of the game is seen. */
function Tabs() {
  const { state: { tab }, set, grown, whyNot } = usePlay();
  const now = grown.state.why || whyNot.asked ? "why" : tab;
  const choose = (to: (typeof TABS)[number]) => {
    whyNot.close();
    set({ tab: to === "why" ? tab : to });
    grown.set({ why: to === "why" });
  };
  return (
    <div class="tabs" role="group" aria-label={t("parts_of_page")}>
      {TABS.map((to) => (
        <button key={to} class={`tab-${to}`} aria-pressed={to === now} onClick={() => choose(to)}>
          {t(`tab_${to}`)}
        </button>
      ))}
    </div>
  );
}

export function GamePanes() {
  const { game, info, record, edits, goTo, grown, whyNot } = usePlay();
  const { comment } = record.nodes[record.here]!;
  return (
    <>
      <div class="stand-row">
        <Stand />
        <Players />
        <Ponder />
      </div>
      <Tabs />
      <div class="game-panes">
        <div class="moves-pane">
          <Moves game={game} record={record} onGo={goTo} />
          <RecordTools edits={edits} />
          <CommentBox comment={comment} onChange={(comment) => edits.setRecord((now) => tree.note(now, now.here, { comment }), `comment ${record.here}`)} />
        </div>
        <div class="graph-pane">
          {record.nodes.some(({ chance }) => chance !== null) ? (
            <Suspense fallback={<div class="graph" aria-busy="true" />}>
              <Graph record={record} onGo={goTo} />
            </Suspense>
          ) : (
            <p class="graph none soft">{t("graph_none")}</p>
          )}
          {info && <Sweep />}
          <KeptBox />
          <RecordsBox />
        </div>
        {whyNot.asked ? <WhyNotPane /> : grown.state.why && <WhyPane />}
      </div>
    </>
  );
}
