// What the search has found: candidates with values, effort and lines.
import type { Found } from "../api";
import { Heads } from "../parts";
import { chance, inWords } from "../value";
import { short, t } from "../words";

interface Props {
  found: Found | null;
  /** Why the evaluator that was asked for gave no answer. */
  fault: string | null;
  thinking: boolean;
  /** 1 when the first side moves, -1 otherwise: values are shown for the first side. */
  turn: number;
  more: boolean;
  setMore: (more: boolean) => void;
  onPick: (i: number) => void;
}

const SHOWN = 5;

export function Candidates({ found, fault, thinking, turn, more, setMore, onPick }: Props) {
  const lines = found?.lines ?? [];
  const shown = more ? lines : lines.slice(0, SHOWN);
  const total = Math.max(1, ...lines.map((line) => line.visits));
  return (
    <div class="candidates">
      {fault && (
        <p class="trouble" role="alert">
          {t("evaluator_lost")}: {fault}
        </p>
      )}
      <p class="soft" data-testid="effort">
        {found
          ? t("effort", { depth: found.depth, nodes: short(found.nodes), speed: short(found.speed), time: (found.time / 1000).toFixed(1) })
          : t(thinking ? "thinking" : "no_search")}
      </p>
      <table>
        <caption class="unseen">{t("candidates")}</caption>
        <Heads words={["#", t("move"), t("value"), "%", "N", t("line")]} />
        <tbody>
          {shown.map((line, i) => (
            <tr key={line.pv[0]?.move ?? i}>
              <td>{i + 1}</td>
              <td>
                <button class="plain" onClick={() => onPick(i)}>
                  {line.pv[0]?.text}
                </button>
              </td>
              <td class="number">{inWords(line, turn)}</td>
              <td class="number">{(100 * (turn > 0 ? chance(line) : 1 - chance(line))).toFixed(1)}</td>
              <td class="number">
                {line.visits > 0 ? short(line.visits) : ""}
                <span class="bar" style={{ inlineSize: `${(100 * line.visits) / total}%` }} />
              </td>
              <td class="pv">{line.pv.slice(1).map((m) => m.text).join(" ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > SHOWN && (
        <button class="plain" onClick={() => setMore(!more)}>
          {more ? t("less") : t("more", { n: lines.length - SHOWN })}
        </button>
      )}
    </div>
  );
}
