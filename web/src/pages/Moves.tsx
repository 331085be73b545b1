// The moves of the game with its variations, to click through.
import type { ComponentChildren } from "preact";
import { type GameTree, mark } from "../tree";
import { t } from "../words";
import { SIGN } from "./sweep/judge";

/** Numeric annotation glyphs as annotators write them; those of mistakes have their own look. */
const SIGNS: Record<number, string> = { 1: "!", 3: "!!", 5: "!?", 7: "□", 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±", 17: "∓", 18: "+−", 19: "−+" };
const OF_MARKS = [2, 4, 6];

/** What a clock shows: `2:57`, `1:00:03`. */
function clock([seconds]: [number, number]): string {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

export function Moves({ record, onGo }: { record: GameTree; onGo: (node: number) => void }) {
  const one = (i: number, ply: number, numbered: boolean): ComponentChildren => {
    const node = record.nodes[i]!;
    const wrong = mark(node);
    const others = node.glyphs.filter((glyph) => !OF_MARKS.includes(glyph));
    const { left } = node.kept;
    return (
      <>
        {numbered && <span class="soft">{ply}. </span>}
        <button class="plain move" aria-current={record.here === i ? "step" : undefined} onClick={() => onGo(i)} title={left && clock(left)}>
          {node.move?.text ?? t("set_up")}
          {wrong && <b class={`mark ${wrong}`} title={t(wrong)}>{SIGN[wrong]}</b>}
          {others.length > 0 && <b>{others.map((glyph) => SIGNS[glyph] ?? ` $${glyph}`).join("")}</b>}
          {node.value && <small> {node.value}</small>}
        </button>
        {node.comment && <em> {node.comment} </em>}
      </>
    );
  };
  /** The line from `at` on: its main move, the variations beside it, then what follows. */
  const line = (at: number, ply: number): ComponentChildren[] => {
    const out: ComponentChildren[] = [];
    let from = at;
    let n = ply;
    while (record.nodes[from]!.children.length > 0) {
      const [main, ...others] = record.nodes[from]!.children;
      out.push(<span key={main}>{one(main!, n, true)} </span>);
      for (const other of others) {
        out.push(
          <span key={`v${other}`} class="variation">
            ({one(other, n, true)} {line(other, n + 1)})
          </span>,
        );
      }
      from = main!;
      n += 1;
    }
    return out;
  };
  return (
    <div class="moves" aria-label={t("moves")} role="group" tabIndex={0}>
      <button class="plain move" aria-current={record.here === 0 ? "step" : undefined} onClick={() => onGo(0)}>
        {t("start")}
      </button>{" "}
      {record.nodes[0]!.comment && <em>{record.nodes[0]!.comment} </em>}
      {line(0, 1)}
    </div>
  );
}
