// The moves of the game with its variations, to click through.
import type { ComponentChildren } from "preact";
import type { GameTree } from "../tree";
import { t } from "../words";
import { SIGN } from "./sweep/judge";

export function Moves({ record, onGo }: { record: GameTree; onGo: (node: number) => void }) {
  const one = (i: number, ply: number, numbered: boolean): ComponentChildren => {
    const node = record.nodes[i]!;
    return (
      <>
        {numbered && <span class="soft">{ply}. </span>}
        <button class="plain move" aria-current={record.here === i ? "step" : undefined} onClick={() => onGo(i)}>
          {node.move!.text}
          {node.mark && <b class={`mark ${node.mark}`} title={t(node.mark)}>{SIGN[node.mark]}</b>}
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
      {line(0, 1)}
    </div>
  );
}
