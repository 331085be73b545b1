// Values on the board: what each man is worth where it stands, and whose each point will be.
import { t } from "../../words";
import { cp } from "./say";

/** Men by what the evaluation loses without them, the dearest first. */
export function Worths({ worths }: { worths: [string, number][] }) {
  const list = [...worths].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  return (
    <details>
      <summary>{t("worths")}</summary>
      <table>
        <tbody>
          {list.map(([square, worth]) => (
            <tr key={square}>
              <th scope="row">{square}</th>
              <td class="number">{cp(worth)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Whose the points will be at the end of each line: filled the first side's, hollow the second's, larger is surer. */
export function Owners({ owners, names }: { owners: number[][][]; names: [string, string] }) {
  return (
    <div class="owners">
      {owners.map((rows, i) => {
        const lead = rows.flat().reduce((sum, x) => sum + x, 0);
        return (
          <figure key={i}>
            <svg viewBox={`0 0 ${rows[0]?.length ?? 1} ${rows.length}`} role="img" aria-label={t("owners_say", { move: names[i]!, lead: lead.toFixed(1) })}>
              {rows.map((row, y) =>
                row.map((x, at) => (
                  <circle key={`${y} ${at}`} cx={at + 0.5} cy={y + 0.5} r={0.06 + 0.36 * Math.abs(x)} fill={x > 0 ? "var(--ink)" : "var(--ground)"} stroke="var(--ink)" stroke-width="0.06" />
                )),
              )}
            </svg>
            <figcaption>{t("owners_say", { move: names[i]!, lead: lead.toFixed(1) })}</figcaption>
          </figure>
        );
      })}
    </div>
  );
}
