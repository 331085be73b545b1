// Histograms of values: what is below the explained move stands up, what is below the other hangs down, hatched.
import type { WhyAnswer } from "../../api";
import { short, t } from "../../words";

const HIGH = 60;
const WIDE = 12;

const chance = (value: number) => `${((value + 1) * 50).toFixed(0)} %`;

/** "half of them between 45 % and 58 %, median 52 %". */
function inWords(move: string, total: number, quartiles: number[]): string {
  const [low, middle, high] = quartiles.map(chance);
  return t("spread_half", { move, n: short(total), low: low!, middle: middle!, high: high! });
}

export function Spread({ why }: { why: WhyAnswer }) {
  const { unit, of, vs, of_quartiles, vs_quartiles } = why.spread;
  const sum = (list: number[]) => list.reduce((all, n) => all + n, 0);
  const [total, other] = [sum(of), sum(vs ?? [])];
  if (total === 0) return null;
  // Each side by its own whole, so that shapes can be compared.
  const top = Math.max(...of.map((n) => n / total), ...(vs ?? []).map((n) => n / Math.max(1, other)));
  const wide = of.length * WIDE;
  const deep = vs ? HIGH : 14;
  const at = (value: number) => ((value + 1) / 2) * wide;
  const words = [inWords(unit === "moves" ? t("spread_all") : why.of.text, total, of_quartiles)];
  if (vs && vs_quartiles && why.vs) words.push(inWords(why.vs.text, other, vs_quartiles));
  const named = unit === "moves" ? [why.of, ...(why.vs ? [why.vs] : [])] : [];
  return (
    <figure class="spread" data-testid="spread">
      <h3>{t("spread")}</h3>
      <svg viewBox={`0 0 ${wide} ${HIGH + deep + 12}`} role="img" aria-label={words.join("; ")}>
        <defs>
          <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="4" height="4" class="spread-vs-ground" />
            <line x1="0" y1="0" x2="0" y2="4" class="spread-vs-line" />
          </pattern>
        </defs>
        {of.map((n, i) => n > 0 && <rect key={i} class="spread-of" x={i * WIDE + 1} width={WIDE - 2} y={HIGH - Math.max(1, (HIGH * n) / total / top)} height={Math.max(1, (HIGH * n) / total / top)} />)}
        {(vs ?? []).map((n, i) => n > 0 && <rect key={i} fill="url(#hatch)" class="spread-vs" x={i * WIDE + 1} width={WIDE - 2} y={HIGH} height={Math.max(1, (HIGH * n) / other / top)} />)}
        <line class="spread-axis" x1="0" x2={wide} y1={HIGH} y2={HIGH} />
        <line class="spread-axis" x1={wide / 2} x2={wide / 2} y1="0" y2={HIGH + deep} stroke-dasharray="2 3" />
        {named.map((move, i) => (
          <text key={i} class="spread-name" x={Math.min(wide - 12, Math.max(12, at(move.value)))} y={HIGH + 9 + 8 * i}>
            {i === 0 ? "▲" : "△"} {move.text}
          </text>
        ))}
        <text class="spread-end" x="0" y={HIGH + deep + 10}>0 %</text>
        <text class="spread-end" x={wide} y={HIGH + deep + 10} text-anchor="end">100 %</text>
      </svg>
      <figcaption>
        {t(`spread_${unit}`)} {words.map((line) => <span key={line}>{line}. </span>)}
      </figcaption>
    </figure>
  );
}
