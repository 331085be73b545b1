// What the search has found: how far it is, and candidates with values, lines and effort.
import { useMemo } from "preact/hooks";
import type { FoundLine, Move } from "../../api";
import { sameSquare } from "../../notation";
import { numberOf } from "../../numbers";
import { Heads } from "../../parts";
import { chance, inWords } from "../../value";
import { fixed, percent, short, t } from "../../words";
import { sideName } from "../why/words";
import { usePlay } from "./store";
import { valueOf } from "./values";

/** Moves of a line that are shown. */
const LONG = 24;

/** Depth, nodes, speed, table: how far the search is. */
function Effort() {
  const { search, isThinking, isEnginesTurn, holder, state: { opponent, standing } } = usePlay();
  const found = search?.found;
  const isOwnTurn = opponent.plays.length === 1 && holder === "own" && !isEnginesTurn && !standing.ended;
  if (!found) return <p class="effort soft" data-testid="effort">{t(isThinking ? "thinking" : isOwnTurn ? "your_move" : "no_search")}</p>;
  const { depth, depth_max, nodes, speed, time, hash_full } = found;
  // An engine may play well and tell nothing of its search.
  if (nodes === 0 && depth === 0 && found.lines.length > 0) return <p class="effort soft" data-testid="effort">{t("effort_none", { time: (time / 1000).toFixed(1) })}</p>;
  return (
    <p class="effort soft" data-testid="effort">
      {t("effort", { depth: depth_max > depth ? `${depth}/${depth_max}` : depth, nodes: short(nodes), speed: short(speed), time: (time / 1000).toFixed(1) })}
      {hash_full > 0 && ` · ${t("hash_full", { share: percent(hash_full / 1000, 0) })}`}
      {search.paused && ` · ${t("paused")}`}
    </p>
  );
}

/** The moves of a line: each shows its position while the pointer is on it, and is played with those before it. */
function Line({ pv }: { pv: Move[] }) {
  const { game, place, set, playLine } = usePlay();
  const ply = place.moves.length;
  return (
    <span class="pv" onPointerLeave={() => set({ preview: [] })}>
      {pv.slice(0, LONG).map(({ text, move }, i) => {
        const line = pv.slice(0, i + 1);
        const number = game === "chess" ? numberOf(game, place.start, ply + i + 1, i === 0) : "";
        const show = () => set({ preview: line.map(({ move }) => move) });
        return (
          <span key={i}>
            {number && <span class="soft">{number}</span>}
            <button class="plain" onClick={() => playLine(line)} onPointerEnter={show} onFocus={show} onBlur={() => set({ preview: [] })}>
              {game === "shogi" ? sameSquare(text, move, i > 0 ? pv[i - 1]!.move : place.moves[ply - 1]) : text}
            </button>{" "}
          </span>
        );
      })}
    </span>
  );
}

/** A candidate's value for the side that moves first, and how it looks. */
function Value({ line }: { line: FoundLine }) {
  const { game, state: { standing } } = usePlay();
  const turn = standing.side === 1 ? -1 : 1;
  const share = turn > 0 ? chance(line) : 1 - chance(line);
  return <b class={`value ${share >= 0.5 ? "of-first" : "of-second"}`}>{valueOf(game, inWords(line, turn), share)}</b>;
}

/** In go the lead of the side that moves first, in points, where the search knows it. */
function Lead({ line: { lead } }: { line: FoundLine }) {
  const { game, state: { standing } } = usePlay();
  if (lead === null || lead === undefined) return null;
  return <small class="lead soft" title={t("lead_of", { side: sideName(game, 0), side_of: sideName(game, 0, true) })}>{fixed(standing.side === 1 ? -lead : lead, 1, true)}</small>;
}

/** The effort that the tree below knows for each move from here; none where it grows from another position, or is not there yet. */
function useTreeEffort(): Map<string, number> | null {
  const { grown: { forest, isRooted } } = usePlay();
  return useMemo(() => {
    if (!forest || forest.root < 0 || !isRooted) return null;
    const efforts = new Map<string, number>();
    for (const slot of forest.children(forest.root)) {
      const move = forest.move(slot);
      if (move) efforts.set(move, (efforts.get(move) ?? 0) + forest.effort[slot]!);
    }
    return efforts.size > 0 ? efforts : null;
  }, [forest, forest?.version, isRooted]);
}

export function Candidates() {
  const { game, family, state: { isLong, lines: wanted }, set, search, isThinking } = usePlay();
  const { found = null, fault = null } = search ?? {};
  const lines = (found?.lines ?? []).filter((line) => line.pv.length > 0).slice(0, wanted);
  // Of alpha-beta the tree shows one iteration, and its lines tell of all: one page has one share.
  const grown = useTreeEffort();
  const ofTree = family === "alpha-beta" ? grown : null;
  const effortOf = (line: FoundLine) => (ofTree ? (ofTree.get(line.pv[0]!.move) ?? 0) : line.visits);
  const total = ofTree ? [...ofTree.values()].reduce((sum, n) => sum + n, 0) : (found?.lines ?? []).reduce((sum, line) => sum + line.visits, 0);
  const isCounted = total > 0;
  return (
    <div class={`candidates ${game}${isLong ? " long" : ""}`} style={`--lines: ${wanted}`}>
      {fault && (
        <p class="trouble" role="alert">
          {t("evaluator_lost")}: {fault}
        </p>
      )}
      <div class="effort-row">
        <Effort />
        {lines.length > 0 && (
          <button class="plain soft more" aria-pressed={isLong} onClick={() => set({ isLong: !isLong })}>
            {t(isLong ? "lines_short" : "lines_whole")}
          </button>
        )}
      </div>
      <table>
        <caption class="unseen">{t("candidates")}</caption>
        <colgroup>
          <col class="col-value" />
          <col />
          <col class="col-share" />
        </colgroup>
        <Heads words={[t("value"), t("line"), t("field_share")]} />
        <tbody>
          {lines.map((line) => (
            <tr key={line.pv[0]!.move}>
              <td class="number"><Value line={line} /> <Lead line={line} /></td>
              <td class="pv-cell"><Line pv={line.pv} /></td>
              <td class="number share" title={isCounted ? t("visits", { n: short(effortOf(line)) }) : undefined}>
                {isCounted && (
                  <>
                    <span class="bar" style={{ inlineSize: `${(100 * effortOf(line)) / total}%` }} />
                    <span>{percent(effortOf(line) / total, 0)}</span>
                    {game === "go" && <small class="soft"> {short(line.visits)}</small>}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length === 0 && isThinking && Array.from({ length: wanted }, (_, i) => <p key={i} class="line-shape" aria-busy="true" />)}
    </div>
  );
}
