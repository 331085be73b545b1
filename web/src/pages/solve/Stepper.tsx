// A proof to step through, and the attacker to defend against.
import { Board } from "../../boards";
import { StillBoard } from "../../boards/Still";
import { OpenIn } from "../../OpenIn";
import { numberOf } from "../../numbers";
import { Announce, Trouble } from "../../parts";
import { gameName, t } from "../../words";
import type { Proof } from "./proof";
import { type Stepper as Store, useStepper } from "./store";

/** The board, which takes moves where one defends. */
function StepperBoard({ store }: { store: Store }) {
  const { game, proof, path, defends, stand, here, node, isOver, tried } = store;
  if (!stand) return null;
  const last = path.length < 2 ? null : proof.nodes[path[path.length - 2]!]!.moves.find((m) => m.to === here)?.move ?? null;
  if (!defends || node.attacker_moves || isOver) {
    return <StillBoard game={game} position={stand.position} side={stand.side} last={last} flipped={defends && (stand.side === 1) !== node.attacker_moves} />;
  }
  return (
    <div role="application" data-keys="own" aria-label={t("board_of", { game: gameName(game) })}>
      <Board
        game={game} position={stand.position} side={stand.side} legal={stand.legal} last={last} arrows={[]}
        flipped={stand.side === 1} open onMove={tried}
      />
    </div>
  );
}

/** Steps there and back, and the change of sides. */
function Steps({ store }: { store: Store }) {
  const { game, path, defends, set, node, moves, isOver, play, back, toStart, toEnd } = store;
  return (
    <div class="deeds-line">
      <button aria-label={t("to_start")} disabled={path.length < 2} onClick={toStart}>|◀</button>
      <button aria-label={t("back")} disabled={path.length < 2} onClick={back}>◀</button>
      <button aria-label={t("forward")} disabled={defends || isOver} onClick={() => moves[0] && play(moves[0].to)}>▶</button>
      <button aria-label={t("to_end")} disabled={defends || isOver} onClick={toEnd}>▶|</button>
      <button aria-pressed={defends} onClick={() => set({ path: [0], defends: !defends })}>
        {t("defend_yourself")}
      </button>
      <OpenIn game={game} place={{ rules: "", start: node.position, moves: [] }} />
    </div>
  );
}

/** What may be played, and what was. */
function Lines({ store }: { store: Store }) {
  const { game, proof, codes, path, defends, stand, node, moves, set, play } = store;
  const start = proof.nodes[0]!.position;
  // Until the server has told, a move stands as the proof has it.
  const played = (i: number) => (stand?.played[i]?.move === codes[i] ? stand!.played[i]!.text : codes[i]);
  const moveText = (move: string) => stand?.legal.find((m) => m.move === move)?.text ?? move;
  return (
    <div>
      <h2>{t(node.attacker_moves ? "attacker_line" : "all_replies")}</h2>
      <ul class="replies">
        {moves.map((m) => (
          <li key={m.move}>
            <button disabled={defends && node.attacker_moves} onClick={() => play(m.to)}>
              {moveText(m.move)} <small class="number">{t("in_plies", { n: m.plies })}</small>
            </button>
          </li>
        ))}
      </ul>
      <h2>{t("line")}</h2>
      <ol class="line-moves" tabIndex={0} aria-label={t("line")}>
        {codes.map((_, i) => (
          <li key={i}>
            <button class="plain" aria-current={i + 2 === path.length ? "true" : undefined} onClick={() => set({ path: path.slice(0, i + 2) })}>
              {`${numberOf(game, start, i + 1, i === 0)} ${played(i)} `.trimStart()}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

export function Stepper({ game, proof }: { game: string; proof: Proof }) {
  const store = useStepper(game, proof);
  const { long, here, problem, set, words, isOver } = store;
  return (
    <div class="two">
      <div class="viewer-board">
        <StepperBoard store={store} />
        <Steps store={store} />
        <p data-testid="stand">
          <b>{words}</b> {!isOver && t("plies_left", { n: long[here]! })}
        </p>
        <Announce words={words} />
        <Trouble problem={problem} onClose={() => set({ problem: null })} />
      </div>
      <Lines store={store} />
    </div>
  );
}
