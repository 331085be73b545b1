// The moves of the game as a table that follows where one stands: pairs in chess, one by one elsewhere; variations and comments between.
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { splitMarkup } from "../../markup";
import { sameSquare } from "../../notation";
import { numberOf } from "../../numbers";
import { type GameTree, mark } from "../../tree";
import { t } from "../../words";
import { SIGN } from "../sweep/judge";
import { shownValue } from "./values";

/** Numeric annotation glyphs as annotators write them; those of mistakes have their own look. */
const SIGNS: Record<number, string> = { 1: "!", 3: "!!", 5: "!?", 7: "□", 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±", 17: "∓", 18: "+−", 19: "−+" };
const OF_MARKS = [2, 4, 6];

/** What a clock shows: `2:57`, `1:00:03`. */
function clock([seconds]: [number, number]): string {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** Where numbers of moves count from: the start or what was set up, and how many moves ago. */
interface Count {
  start: string | null;
  ply: number;
}

interface Props {
  game: string;
  record: GameTree;
  onGo: (node: number) => void;
}

const wordsOf = (record: GameTree, i: number): string => splitMarkup(record.nodes[i]!.comment).words;

/** How moves are counted after node `i`. */
function after({ game, record }: Props, i: number, { start, ply }: Count): Count {
  const { setup } = record.nodes[i]!;
  return setup !== null && game === "chess" ? { start: setup, ply: 1 } : { start, ply: ply + 1 };
}

function MoveButton({ game, record, onGo, at: i }: Props & { at: number }) {
  const node = record.nodes[i]!;
  const wrong = mark(node);
  const others = node.glyphs.filter((glyph) => !OF_MARKS.includes(glyph));
  const { left } = node.kept;
  const text = node.move && sameSquare(node.move.text, node.move.move, record.nodes[node.parent]?.move?.move);
  return (
    <button class="plain move" aria-current={record.here === i ? "step" : undefined} onClick={() => onGo(i)} title={left && clock(left)}>
      {text ?? t("set_up")}
      {wrong && <b class={`mark ${wrong}`} title={t(wrong)}>{SIGN[wrong]}</b>}
      {others.length > 0 && <b>{others.map((glyph) => SIGNS[glyph] ?? ` $${glyph}`).join("")}</b>}
      {node.value && <small> {shownValue(game, node)}</small>}
    </button>
  );
}

/** A line in running text: its moves, comments and variations; `isAlone`: nothing stands right before. */
function inline(props: Props, at: number, count: Count, isAlone: boolean): ComponentChildren[] {
  const { game, record } = props;
  const one = (i: number, { start, ply }: Count, isAlone: boolean) => {
    const number = record.nodes[i]!.move || game !== "chess" ? numberOf(game, start, ply, isAlone) : "";
    const words = wordsOf(record, i);
    return (
      <>
        {number && <span class="soft">{number} </span>}
        <MoveButton {...props} at={i} />
        {words && <em> {words} </em>}
      </>
    );
  };
  const out: ComponentChildren[] = [];
  let [from, now, alone] = [at, count, isAlone];
  while (record.nodes[from]!.children.length > 0) {
    const [main, ...others] = record.nodes[from]!.children;
    out.push(<span key={main}>{one(main!, now, alone)} </span>);
    for (const other of others) out.push(<Variation key={`v${other}`} props={props} at={other} count={now} />);
    alone = others.length > 0 || wordsOf(record, main!) !== "";
    [from, now] = [main!, after(props, main!, now)];
  }
  return out;
}

/** A variation: the move at `at`, and what follows it. */
function Variation({ props, at, count }: { props: Props; at: number; count: Count }) {
  const { game, record } = props;
  const number = record.nodes[at]!.move || game !== "chess" ? numberOf(game, count.start, count.ply, true) : "";
  const words = wordsOf(record, at);
  return (
    <span class="variation">
      ({number && <span class="soft">{number} </span>}
      <MoveButton {...props} at={at} />
      {words && <em> {words} </em>} {inline(props, at, after(props, at, count), words !== "")}){" "}
    </span>
  );
}

/** The main line as rows; what an annotator says between takes a row of its own. */
function rows(props: Props): ComponentChildren[] {
  const { game, record } = props;
  const out: ComponentChildren[] = [];
  let [from, now, alone] = [0, { start: record.start, ply: 1 } as Count, true];
  while (record.nodes[from]!.children.length > 0) {
    const [main, ...others] = record.nodes[from]!.children;
    const i = main!;
    const isMove = record.nodes[i]!.move !== null || game !== "chess";
    const number = isMove ? numberOf(game, now.start, now.ply, alone) : "";
    // A black move that begins a row leaves its neighbour's place empty.
    const isSecond = game === "chess" && isMove && number.endsWith("…");
    if (number || !isMove) out.push(<span key={`n${i}`} class="move-number">{number} </span>);
    if (isSecond) out.push(<span key={`g${i}`} class="move-gap" aria-hidden="true" />);
    out.push(<span key={i} class="move-cell"><MoveButton {...props} at={i} /> </span>);
    const words = wordsOf(record, i);
    if (words || others.length > 0) {
      out.push(
        <div key={`w${i}`} class="move-words">
          {words && <em>{words} </em>}
          {others.map((other) => <Variation key={other} props={props} at={other} count={now} />)}
        </div>,
      );
    }
    alone = others.length > 0 || words !== "";
    [from, now] = [i, after(props, i, now)];
  }
  return out;
}

/** Brings the move where one stands into sight; the list alone scrolls, never the page. */
function follow(list: HTMLElement): void {
  const at = list.querySelector("[aria-current]");
  if (!at) return;
  const [frame, spot] = [list.getBoundingClientRect(), at.getBoundingClientRect()];
  if (spot.top < frame.top + 24) list.scrollTop += spot.top - frame.top - 24;
  else if (spot.bottom > frame.bottom - 24) list.scrollTop += spot.bottom - frame.bottom + 24;
}

export function Moves(props: Props) {
  const { game, record, onGo } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => follow(box.current!), [record.here, record.nodes.length]);
  useEffect(() => {
    // A list that becomes lower must not hide the move, either.
    const watcher = new ResizeObserver(() => follow(box.current!));
    watcher.observe(box.current!);
    return () => watcher.disconnect();
  }, []);
  return (
    <div ref={box} class={`moves ${game === "chess" ? "pairs" : "single"}`} aria-label={t("moves")} role="group" tabIndex={0}>
      <span class="move-words start">
        <button class="plain move" aria-current={record.here === 0 ? "step" : undefined} onClick={() => onGo(0)}>
          {t("start")}
          {record.nodes[0]!.value && <small> {shownValue(game, record.nodes[0]!)}</small>}
        </button>{" "}
        {wordsOf(record, 0) && <em>{wordsOf(record, 0)} </em>}
      </span>
      {rows(props)}
    </div>
  );
}
