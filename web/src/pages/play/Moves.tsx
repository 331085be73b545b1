// The moves of the game with its variations, to click through.
import type { ComponentChildren } from "preact";
import { splitMarkup } from "../../markup";
import { numberOf } from "../../numbers";
import { type GameTree, mark } from "../../tree";
import { t } from "../../words";
import { SIGN } from "../sweep/judge";

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

export function Moves({ game, record, onGo }: Props) {
  const words = (i: number) => splitMarkup(record.nodes[i]!.comment).words;
  const one = (i: number, { start, ply }: Count, isAlone: boolean): ComponentChildren => {
    const node = record.nodes[i]!;
    const wrong = mark(node);
    const others = node.glyphs.filter((glyph) => !OF_MARKS.includes(glyph));
    const { left } = node.kept;
    const number = node.move || game !== "chess" ? numberOf(game, start, ply, isAlone) : "";
    return (
      <>
        {number && <span class="soft">{number} </span>}
        <button class="plain move" aria-current={record.here === i ? "step" : undefined} onClick={() => onGo(i)} title={left && clock(left)}>
          {node.move?.text ?? t("set_up")}
          {wrong && <b class={`mark ${wrong}`} title={t(wrong)}>{SIGN[wrong]}</b>}
          {others.length > 0 && <b>{others.map((glyph) => SIGNS[glyph] ?? ` $${glyph}`).join("")}</b>}
          {node.value && <small> {node.value}</small>}
        </button>
        {words(i) && <em> {words(i)} </em>}
      </>
    );
  };
  /** How moves are counted after node `i`. */
  const after = (i: number, { start, ply }: Count): Count => {
    const { setup } = record.nodes[i]!;
    return setup !== null && game === "chess" ? { start: setup, ply: 1 } : { start, ply: ply + 1 };
  };
  /** The line from `at` on: its main move, the variations beside it, then what follows. `isAlone`: nothing stands right before. */
  const line = (at: number, count: Count, isAlone: boolean): ComponentChildren[] => {
    const out: ComponentChildren[] = [];
    let [from, now, alone] = [at, count, isAlone];
    while (record.nodes[from]!.children.length > 0) {
      const [main, ...others] = record.nodes[from]!.children;
      out.push(<span key={main}>{one(main!, now, alone)} </span>);
      for (const other of others) {
        out.push(
          <span key={`v${other}`} class="variation">
            ({one(other, now, true)} {line(other, after(other, now), words(other) !== "")})
          </span>,
        );
      }
      alone = others.length > 0 || words(main!) !== "";
      [from, now] = [main!, after(main!, now)];
    }
    return out;
  };
  return (
    <div class="moves" aria-label={t("moves")} role="group" tabIndex={0}>
      <button class="plain move" aria-current={record.here === 0 ? "step" : undefined} onClick={() => onGo(0)}>
        {t("start")}
        {record.nodes[0]!.value && <small> {record.nodes[0]!.value}</small>}
      </button>{" "}
      {words(0) && <em>{words(0)} </em>}
      {line(0, { start: record.start, ply: 1 }, true)}
    </div>
  );
}
