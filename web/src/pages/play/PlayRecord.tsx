// The record of the page that plays: players, moves, comments, the review, and games in and out.
import { Suspense, lazy } from "preact/compat";
import { namesOf, resultOf } from "../../players";
import * as tree from "../../tree";
import { t } from "../../words";
import { KeptGames } from "../KeptGames";
import { Sweep } from "../sweep/Sweep";
import { CommentBox } from "./CommentBox";
import { Moves } from "./Moves";
import { RecordTools } from "./RecordTools";
import { RecordsBox } from "./RecordsBox";
import { usePlay } from "./store";

/** Drawn by a library that is as large as the rest of this page: it comes after the board. */
const Graph = lazy(() => import("./Graph").then(({ Graph }) => Graph));

/** Who played and how it ended, as far as the record says. */
function Players() {
  const { game, info, record } = usePlay();
  const [names, result] = [namesOf(info?.side_tags, record.tags), resultOf(game, record.outcome)];
  return names || result ? <p class="players" data-testid="players">{[names, result].filter(Boolean).join(" · ")}</p> : null;
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

export function PlayRecord() {
  const { game, info, record, edits, goTo } = usePlay();
  const { comment } = record.nodes[record.here]!;
  return (
    <div class="play-record">
      <Players />
      <Moves game={game} record={record} onGo={goTo} />
      <RecordTools edits={edits} />
      <CommentBox comment={comment} onChange={(comment) => edits.setRecord((now) => tree.note(now, now.here, { comment }), `comment ${record.here}`)} />
      {info && <Sweep />}
      <Suspense fallback={<div class="graph" aria-busy="true" />}>
        <Graph record={record} onGo={goTo} />
      </Suspense>
      <KeptBox />
      <RecordsBox />
    </div>
  );
}
