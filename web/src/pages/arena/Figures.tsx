// The figures of a match: Elo with its interval, the test between its bounds, pairs, superiority.
import { fixed, percent, t } from "../../words";
import { Heads } from "../../parts";
import { type Interval, type MatchView, type Test, best } from "./types";

/** `+13.4 ± 6.1`, or the interval where it is not even. */
export function eloText(elo: Interval | null): string {
  if (!elo || elo.value === null) return "—";
  const { value, low, high } = elo;
  if (low === null || high === null) {
    const end = (n: number | null) => (n === null ? "∞" : fixed(n, 1, true));
    return `${fixed(value, 1, true)} (${low === null ? "−∞" : end(low)} … ${end(high)})`;
  }
  return `${fixed(value, 1, true)} ± ${fixed((high - low) / 2, 1)}`;
}

/** The test's ratio between its bounds, big: this bar is all that counts. */
export function TestBar({ test }: { test: Test }) {
  const range = test.high - test.low;
  const at = Math.min(1, Math.max(0, (test.llr - test.low) / range));
  const toBound = test.llr >= 0 ? test.llr / test.high : test.llr / test.low;
  const words = t("llr_words", { llr: fixed(test.llr, 2), low: fixed(test.low, 2), high: fixed(test.high, 2) });
  return (
    <div class="test">
      <div class="test-words">
        <b>LLR {fixed(test.llr, 2)}</b> {t("of_bounds", { low: fixed(test.low, 2), high: fixed(test.high, 2) })}{" "}
        <span>{test.accepted ? t(test.accepted === "H1" ? "accepted_h1" : "accepted_h0") : t("to_bound", { part: percent(Math.min(1, toBound), 0) })}</span>
      </div>
      <div class={`test-bar ${test.accepted ?? ""}`} role="meter" aria-label="LLR" aria-valuemin={test.low} aria-valuemax={test.high} aria-valuenow={test.llr} aria-valuetext={words}>
        <span class="test-zero" style={{ insetInlineStart: `${(-test.low / range) * 100}%` }} />
        <span class="test-at" style={{ insetInlineStart: `${at * 100}%` }} />
      </div>
      <div class="test-ends soft">
        <span>{fixed(test.low, 2)} · H0: {fixed(test.elo0, 1)} nElo</span>
        <span>H1: {fixed(test.elo1, 1)} nElo · {fixed(test.high, 2)}</span>
      </div>
    </div>
  );
}

/** The five counts of pairs, as bars with numbers. */
export function Pentanomial({ counts }: { counts: number[] }) {
  const most = Math.max(1, ...counts);
  const names = ["0", "½", "1", "1½", "2"];
  return (
    <table class="pentanomial">
      <caption>{t("pentanomial")}</caption>
      <Heads words={names} />
      <tbody>
        <tr>
          {counts.map((n, i) => (
            <td key={i}>
              <span class="pillar" style={{ blockSize: `${(n / most) * 2.5}em` }} />
              {n}
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

export function Figures({ view }: { view: MatchView }) {
  const { games, pairs } = view.tested;
  const { elo, los } = best(games, pairs);
  const isGauntlet = view.players.length > 2;
  return (
    <section class="figures" aria-label={t("figures")}>
      <p class="elo-line">
        <span data-testid="elo">
          {isGauntlet ? t("elo_of", { name: view.players[0]! }) : "Elo"} <b>{eloText(elo)}</b> <span class="soft">(95 %)</span>
        </span>
        <span>LOS {los === null ? "—" : percent(los)}</span>
        <span data-testid="score">
          {t("wdl", { w: games.wins, d: games.draws, l: games.losses })}
          {games.draw_ratio !== null && games.games > 0 && ` · ${t("draws", { part: percent(games.draw_ratio, 0) })}`}
        </span>
      </p>
      {view.test && <TestBar test={view.test} />}
      {pairs.pairs > 0 && <Pentanomial counts={pairs.counts} />}
      <p class="soft">
        {t("match_made", { openings: view.openings, seed: view.seed, jobs: view.jobs })} · {view.players.map((name, i) => `${name}: ${view.limits[i]}`).join(" · ")}
      </p>
    </section>
  );
}
