// The whole game looked over move by move: values, marks on mistakes, and a jump to the next one.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { NumberField } from "../../NumberField";
import { useStore } from "../../store";
import * as tree from "../../tree";
import { Link } from "../../parts";
import { fixed, loadAll, t } from "../../words";
import { useKeys } from "../keys";
import { usePlay } from "../play/store";
import { sideName } from "../../sides";
import { numbersOf, playedOf } from "../report/numbers";
import { MARKS, type Mark, SIGN, next, usualNodes } from "./judge";
import { look, searcher } from "./look";
import { written } from "./review";

interface SummaryProps {
  marks: (Mark | null)[];
  isOn: boolean;
  /** Whether a review judged the moves: values that came with a record tell nothing of its mistakes. */
  isJudged: boolean;
}

/** What a review found: mistakes by kind, and how accurate both sides were. */
function Summary({ marks, isOn, isJudged }: SummaryProps) {
  const { game, record, state: { standing } } = usePlay();
  // Who moves first, by who moves where the server last stood.
  const played = playedOf(record, (standing.side + standing.played.length) % 2);
  const accuracy = (side: number) => numbersOf(played, side).accuracy;
  const [first, second] = [accuracy(0), accuracy(1)];
  return (
    <>
      {isJudged && MARKS.map((mark) => (
        <span key={mark} class={`mark ${mark}`}>
          {SIGN[mark]} {t(mark)} {marks.filter((m) => m === mark).length}{" "}
        </span>
      ))}
      {!isOn && first !== null && second !== null && (
        <span class="soft" data-testid="accuracy">{t("report_accuracy")}: {sideName(game, 0)} {fixed(first, 0)}, {sideName(game, 1)} {fixed(second, 0)}</span>
      )}
    </>
  );
}

export function Sweep() {
  const { game, family, state: { isLoaded }, set, edits, record, keeper, fail } = usePlay();
  const setRecord = (change: (now: tree.GameTree) => tree.GameTree) => edits.setRecord(change, "sweep");
  const say = (said: string) => set({ said });
  /** Whether it begins by itself, as soon as there is a game. */
  const isAsked = useMemo(() => new URLSearchParams(location.search).has("sweep"), []);
  const [{ wanted, done, was }, setSweep] = useStore(() => ({ wanted: null as number | null, done: null as [number, number] | null, was: false }));
  const nodes = wanted ?? usualNodes(game, family);
  const on = useRef(false);
  useEffect(() => () => void (on.current = false), []);
  const steps = [0, ...tree.path(record, tree.lineEnd(record))];
  const marks = steps.map((i) => tree.mark(record.nodes[i]!));
  // Most positions of a game of some moves have values, or its moves marks.
  const valued = steps.filter((i) => record.nodes[i]!.chance !== null).length;
  const isReviewed = was || marks.some(Boolean) || (steps.length > 4 && 2 * valued > steps.length);
  const start = async () => {
    if (on.current) {
      on.current = false;
      return;
    }
    on.current = true;
    try {
      // An earlier review may have written in another language.
      await loadAll();
      const { search, end } = await searcher(game, family, tree.place(record, 0));
      try {
        await look(search, game, record, nodes, () => on.current, (i, of, at, found) => {
          setSweep({ done: [i + 1, of] });
          setRecord((now) => {
            // Another game may have been begun meanwhile.
            if (now.nodes[at]?.move?.move !== record.nodes[at]!.move?.move) return now;
            return written(now, at, found);
          });
        });
      } finally {
        await end();
      }
    } catch (problem) {
      fail(problem);
    }
    on.current = false;
    setSweep({ done: null, was: true });
  };
  const begun = useRef(false);
  useEffect(() => {
    if (!isAsked || !isLoaded || begun.current || record.nodes.length < 2) return;
    begun.current = true;
    void start();
  }, [isAsked && isLoaded, record.nodes.length]);
  const jump = (least: Mark) => {
    const to = next(marks, steps.indexOf(record.here), least);
    if (to < 0) return say(t("sweep_none"));
    const node = record.nodes[steps[to]!]!;
    const mark = tree.mark(node);
    setRecord((now) => ({ ...now, here: steps[to]! }));
    say(`${node.move?.text ?? ""} ${mark ? t(mark) : ""} ${node.comment}`);
  };
  useKeys((key) => (key === "b" ? () => jump("blunder") : key === "B" ? () => jump("inaccuracy") : null));
  return (
    <div class="sweep" role="group" aria-label={t("sweep")}>
      <button onClick={() => void start()} aria-pressed={done !== null} disabled={done === null && record.nodes.length < 2}>
        {t(done ? "stop" : "sweep")}
      </button>{" "}
      <label>
        {t("sweep_nodes")} <NumberField name="sweep-nodes" min={1} max={10_000_000} value={nodes} set={(wanted) => setSweep({ wanted })} />
      </label>{" "}
      {marks.some(Boolean) && <button onClick={() => jump("inaccuracy")}>{t("sweep_next")}</button>}{" "}
      {keeper.key && done === null && isReviewed && <Link to={`/report/${game}?record=${keeper.key.id}`}>{t("report")}</Link>}
      <p data-testid="sweep-sum">
        {done && <><progress max={done[1]} value={done[0]} aria-label={t("sweep")} /> {done[0]} / {done[1]}</>}{" "}
        {(isReviewed || done !== null) && <Summary marks={marks} isOn={done !== null} isJudged={was || done !== null || marks.some(Boolean)} />}
      </p>
    </div>
  );
}
