// What the search has found: candidates with values, effort and lines.
import { Heads } from "../../parts";
import { chance, inWords } from "../../value";
import { short, t } from "../../words";
import { usePlay } from "./store";

const SHOWN = 5;

export function Candidates() {
  const { state: { standing, isLong }, set, search, candidate } = usePlay();
  const { found = null, fault = null, thinking = false } = search ?? {};
  // Values are shown for the first side.
  const turn = standing.side === 1 ? -1 : 1;
  const lines = found?.lines ?? [];
  const shown = isLong ? lines : lines.slice(0, SHOWN);
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
                <button class="plain" onClick={() => candidate(i)}>
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
        <button class="plain" onClick={() => set({ isLong: !isLong })}>
          {isLong ? t("less") : t("more", { n: lines.length - SHOWN })}
        </button>
      )}
    </div>
  );
}
