// "Why not my move?": the move that led here beside the best one, in three steps that can be played on the board.
import "./why.css";
import { useEffect, useRef } from "preact/hooks";
import { type GamePosition, type Standing, api } from "../../api";
import { StillBoard } from "../../boards/Still";
import type { BoardMark } from "../../boards/board";
import { Heads, Trouble } from "../../parts";
import { useStore } from "../../store";
import { t } from "../../words";
import { usePlay } from "../play/store";
import type { Asked } from "./asking";
import { cp } from "./say";
import { manMarks, pointMarks } from "./values";
import { type Step, type WhyNotAnswer, stepsOf, worthsOf, written } from "./whyNot";
import { sideName, termName, w } from "./words";

const BUDGETS = [1, 2, 5, 10];

/** The position that a step shows, with buttons along its line. Marks are those of the end of the line. */
function StepBoard({ game, place, step: { line, at: first, head }, marks }: { game: string; place: GamePosition; step: Step; marks: BoardMark[] }) {
  const [{ at, end }, set] = useStore(() => ({ at: first, end: null as Standing | null }));
  const key = JSON.stringify([place, line]);
  useEffect(() => set({ at: first }), [key, first]);
  useEffect(() => {
    let current = true;
    api.position(game, { ...place, moves: [...place.moves, ...line.slice(0, at)] }).then((end) => current && set({ end }), () => undefined);
    return () => {
      current = false;
    };
  }, [key, at]);
  const step = (by: number) => set((now) => ({ at: Math.max(0, Math.min(line.length, now.at + by)) }));
  return (
    <>
      {end && <StillBoard game={game} position={end.position} side={end.side} last={at > 0 ? line[at - 1]! : null} marks={at === line.length ? marks : []} />}
      <p class="step-deeds" role="group" aria-label={head}>
        <button disabled={at === 0} aria-label={t("back")} onClick={() => step(-1)}>◀</button>
        <button disabled={at === line.length} aria-label={t("forward")} onClick={() => step(1)}>▶</button>
        <span class="soft" data-testid="step-ply">{at} / {line.length}</span>
      </p>
    </>
  );
}

/** All terms that differ, with their numbers. */
function Weights({ game, why }: { game: string; why: WhyNotAnswer }) {
  if (why.terms.length === 0) return null;
  return (
    <details>
      <summary>{w("wn_weights")}</summary>
      <p class="soft">{w("wn_explained_by", { name: why.explained_by ?? "" })}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label={w("wn_weights")}>
      <table>
        <Heads words={["", "", why.mine.text, why.best.text, "Δ"]} />
        <tbody>
          {why.terms.map((term) => (
            <tr key={term.name}>
              <th scope="row">{termName(game, term.name)}</th>
              <td class="soft">{term.name}</td>
              <td class="number">{cp(game, term.of)}</td>
              <td class="number">{cp(game, term.vs)}</td>
              <td class="number">{cp(game, term.of - term.vs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      </div>
    </details>
  );
}

/** The three steps of an answer. */
function Steps({ game, asked: { place, answer } }: { game: string; asked: Asked }) {
  const { set: setPage } = usePlay();
  const why = written(answer!, place.moves[place.moves.length - 1]);
  const steps: Step[] = stepsOf(game, place.start, place.moves.length, why);
  // Whose the points will be, or what the pieces are worth that count more at one end.
  const marks = why.owners ? why.owners.map(pointMarks) : (["of", "vs"] as const).map((end) => manMarks(game, worthsOf(why), end));
  const { name, seconds } = { name: why.by, seconds: (why.time / 1000).toFixed(1) };
  useEffect(() => setPage({ said: steps.map((step) => step.text).join(" ") }), [answer]);
  return (
    <>
      <ol class="why-not-steps" data-testid="why-not-steps">
        {steps.map((step, i) => (
          <li key={step.head}>
            <h3>{step.head}</h3>
            <p>{step.text}</p>
            <StepBoard game={game} place={place} step={step} marks={marks[i] ?? marks[0] ?? []} />
          </li>
        ))}
      </ol>
      <p class="soft">{w("wn_by", { name, seconds, side: sideName(game, 0), side_of: sideName(game, 0, true) })}</p>
      <Weights game={game} why={why} />
    </>
  );
}

/** The question on a narrow screen, over what Why says: the one below the board would be far down there. */
export function WhyNotHere() {
  const { whyNot: { text, ask } } = usePlay();
  return text ? <button class="why-not-here" onClick={() => void ask()}>{w("wn_button", { move: text })}</button> : null;
}

/** Below the board: the question, and how long its search may take. */
export function WhyNot() {
  const { whyNot: { text, seconds, problem, ask, setSeconds, forget } } = usePlay();
  return (
    <section class="why-not" aria-label={w("wn_ask")} data-testid="why-not">
      <p>
        {text ? <button onClick={() => void ask()}>{w("wn_button", { move: text })}</button> : <span class="soft">{w("wn_ask")}</span>}{" "}
        <label>
          {w("wn_budget")}{" "}
          <select value={seconds} onChange={(e) => setSeconds(Number(e.currentTarget.value))}>
            {BUDGETS.map((n) => (
              <option key={n} value={n}>
                {w("wn_seconds", { n })}
              </option>
            ))}
          </select>
        </label>
      </p>
      <Trouble problem={problem} onClose={forget} />
    </section>
  );
}

/** The answer over moves and graph, where it is seen at once; Esc leads back. */
export function WhyNotPane() {
  const { game, whyNot: { asked, close } } = usePlay();
  const button = useRef<HTMLButtonElement>(null);
  // Keys and screen readers come along, and the answer is in view where panes lie below each other.
  useEffect(() => button.current?.focus(), []);
  return (
    <div class="why-pane" data-testid="why-not-pane" role="region" aria-label={w("wn_title", { move: asked!.text })} tabIndex={0}>
      <p class="why-tools">
        <button ref={button} onClick={close}>{t("why_close")}</button> <b>{w("wn_title", { move: asked!.text })}</b>
      </p>
      {asked!.answer ? <Steps game={game} asked={asked!} /> : <p role="status" aria-busy="true">{w("wn_working", { move: asked!.text })}</p>}
    </div>
  );
}
