// Why this move and not that one: each line is computed by the server and leads to what backs it.
import "./why.css";
import type { Move, GamePosition, WhyAnswer, WhyCandidate } from "../../api";
import { Heads, Trouble } from "../../parts";
import { t } from "../../words";
import { Spread } from "./Spread";
import { Overlay } from "./Squares";
import { sameSquare } from "../../notation";
import { cp, endsKey, inText, networkWords, points, reasons, sums, written } from "./say";
import { useWhy } from "./store";
import { termName, w } from "./words";

interface Props {
  id: number;
  game: string;
  /** Whether an engine searches that is not ours: evaluations are ours all the same. */
  isForeign: boolean;
  /** Where the root is. */
  place: GamePosition;
  moves: string[];
  at: number | null;
  /** Changes when there is something new to explain. */
  seq: number;
  onMoves: (moves: string[]) => void;
}

/** Which move is explained, or compared with. */
function Choice({ label, value, now, others, onChoose }: { label: "why_of" | "why_vs"; value: string; now: WhyCandidate | null; others: Move[]; onChoose: (code: string) => void }) {
  return (
    <label>
      {t(label)}{" "}
      <select value={value} onChange={(e) => onChoose(e.currentTarget.value)}>
        <option value="">{now ? now.text : "–"}</option>
        {others.map(({ move, text }) => (
          <option key={move} value={move}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The evaluations at the ends of both lines, term by term, and whether they sum to what the search plays by. */
function Ends({ game, why, isForeign }: { game: string; why: WhyAnswer; isForeign: boolean }) {
  const total = sums(why);
  if (!why.of.end) return null;
  return (
    <>
      <h3>{t(endsKey(game))}</h3>
      <p data-testid="why-sum" data-of={total.of} data-end={why.of.end.value} data-sound={String(total.sound)}>
        {total.sound ? "✔ " : "✘ "}
        {t(total.sound ? "why_sum_good" : "why_sum_bad", { of: cp(game, total.of), end: cp(game, why.of.end.value) })} {networkWords(game, why, isForeign)}
      </p>
      <details class="weights">
      <summary>{w("wn_weights")}</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={t(endsKey(game))}>
        <table>
          <Heads words={[t("term"), why.of.text, why.vs?.text ?? "–", t("difference")]} />
          <tbody>
            {why.terms.map((term) => (
              <tr key={`${term.group} ${term.name}`}>
                <th scope="row" title={term.name}>{termName(game, term.name)}</th>
                <td class="number">{cp(game, term.of)}</td>
                <td class="number">{why.vs ? cp(game, term.vs) : ""}</td>
                <td class="number why-gap">
                  <span class={term.of >= term.vs ? "up" : "down"} style={{ inlineSize: `${Math.min(100, Math.abs(term.of - term.vs))}%` }} />
                  {why.vs ? cp(game, term.of - term.vs) : ""}
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t("sum")}</th>
              <td class="number">{cp(game, total.of)}</td>
              <td class="number">{why.vs ? cp(game, total.vs) : ""}</td>
              <td class="number">{why.vs ? cp(game, total.of - total.vs) : ""}</td>
            </tr>
          </tfoot>
        </table>
      </div>
      </details>
    </>
  );
}

export function Why({ id, game, isForeign, place, moves, at, seq, onMoves }: Props) {
  const { of, vs, answer, others: known, problem, isCopied, set } = useWhy(id, moves.join("."), at, seq);
  const before = moves[moves.length - 1] ?? place.moves[place.moves.length - 1];
  const why = answer && written(answer, before);
  const others = known.map(({ move, text }) => ({ move, text: sameSquare(text, move, before) }));
  if (!why) return <section class="why-box" aria-label={t("why_title")}><Trouble problem={problem} onClose={() => set({ problem: null })} /></section>;
  const line = (who: WhyCandidate) =>
    who.line.map((step, i) => (
      <button key={i} class="plain" onClick={() => onMoves([...moves, ...who.line.slice(0, i + 1).map((s) => s.move)])}>
        {step.text}
      </button>
    ));
  const copy = () => void navigator.clipboard?.writeText(inText(game, why, isForeign)).then(() => set({ isCopied: true }), () => undefined);
  return (
    <section class="why-box" aria-label={t("why_title")} data-testid="why">
      <h2>{why.vs ? t("why_head", { of: why.of.text, vs: why.vs.text }) : t("why_only", { of: why.of.text })}</h2>
      <p class="why-choose">
        <Choice label="why_of" value={of} now={why.of} others={others} onChoose={(of) => set({ of })} />{" "}
        <Choice label="why_vs" value={vs} now={why.vs} others={others} onChoose={(vs) => set({ vs })} />{" "}
        <button onClick={copy}>{t(isCopied ? "why_copied" : "copy_text")}</button>
      </p>
      <ol class="why-list">
        {reasons(game, why, isForeign).map((reason) => (
          <li key={reason.id}>
            <b>{t(reason.head)}</b> {reason.text}
          </li>
        ))}
      </ol>
      <p class="tree-line">{line(why.of)}</p>
      {why.vs && <p class="tree-line">{line(why.vs)}</p>}
      <Ends game={game} why={why} isForeign={isForeign} />
      {why.told && (
        <details>
          <summary>{t(endsKey(game))}</summary>
          <pre>{why.told.join("\n\n")}</pre>
        </details>
      )}
      <Spread why={why} />
      <Overlay game={game} place={{ ...place, moves: [...place.moves, ...moves] }} why={why} />
      <p class="soft">{t("why_note", { margin: points(why.margin ?? 0) })}</p>
    </section>
  );
}
