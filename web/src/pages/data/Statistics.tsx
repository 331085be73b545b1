// Counts and histograms of a file, as `tesuji data stats --json` prints them.
import type { Schemas } from "../../api";
import { count, percent, t } from "../../words";

type Histogram = Schemas["Histogram"];
export type Summary = Schemas["Summary"];

/** The ranges of a histogram in their order: where each begins, and how many fall into it. */
export function rangesOf(histogram: Histogram): [number, number][] {
  return Object.entries(histogram.counts).map(([from, n]): [number, number] => [Number(from), n]).sort((a, b) => a[0] - b[0]);
}

function Bars({ title, histogram }: { title: string; histogram: Histogram }) {
  const ranges = rangesOf(histogram);
  if (ranges.length === 0) return null;
  const most = Math.max(...ranges.map(([, n]) => n));
  const words = `${title}: ${ranges.map(([from, n]) => `${from}: ${n}`).join(", ")}`;
  return (
    <figure class="histogram">
      <figcaption>
        {title}
        {histogram.range && <span class="soft"> {histogram.range[0]} … {histogram.range[1]}</span>}
      </figcaption>
      <div class="pillars" role="img" aria-label={words}>
        {ranges.map(([from, n]) => (
          <span key={from} title={`${from}: ${n}`} style={{ blockSize: `${(100 * n) / most}%` }} />
        ))}
      </div>
    </figure>
  );
}

export function Statistics({ summary }: { summary: Summary }) {
  const all = summary.results.reduce((a, b) => a + b, 0) || 1;
  const names = ["first_wins", "drawn", "second_wins", "unknown"] as const;
  const facts: [string, number | null][] = [
    [t("games"), summary.games], [t("positions"), summary.positions], [t("repeated"), summary.positions_repeated],
    [t("mates"), summary.mates], [t("checks"), summary.checks],
  ];
  return (
    <section aria-label={t("statistics")} data-testid="statistics">
      <h2>{t("statistics")}</h2>
      <div class="two">
        <table class="rows">
          <tbody>
            {facts.map(([name, n]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="number">{n === null ? "?" : count(n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <table class="rows">
          <tbody>
            {summary.results.map((n, i) => (
              <tr key={i}>
                <th scope="row">{t(names[i]!)}</th>
                <td class="number">{count(n)}</td>
                <td class="number">{percent(n / all)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="live-boards">
        <Bars title={t("plies")} histogram={summary.plies} />
        <Bars title={t("score")} histogram={summary.scores} />
        <Bars title={t("material")} histogram={summary.material} />
        <Bars title={t("balance")} histogram={summary.balance} />
      </div>
    </section>
  );
}
