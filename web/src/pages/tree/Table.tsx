// The tree as a table: the nodes with the most effort first, for those who read rather than look.
import { useState } from "preact/hooks";
import { Heads } from "../../parts";
import { reasonWords, short, t } from "../../words";
import { glyphs, named, percent } from "./signs";
import type { Forest } from "./forest";
import type { Words } from "./words";

const PAGE = 100;

interface Props {
  forest: Forest;
  chosen: number;
  least: number;
  found: string;
  words: { known: Map<number, Words>; want: (ids: number[]) => void };
  onPick: (slot: number) => void;
}

export function Table({ forest, chosen, least, found, words, onPick }: Props) {
  const [page, setPage] = useState(0);
  const floor = least * forest.effort[forest.root]!;
  const slots: number[] = [];
  for (let s = 0; s < forest.length; s++) {
    if (forest.alive[s] && s !== forest.root && forest.effort[s]! >= floor) slots.push(s);
  }
  slots.sort((a, b) => forest.effort[b]! - forest.effort[a]! || forest.id[a]! - forest.id[b]!);
  const fits = found ? slots.filter((s) => named(forest, s, words.known).toLowerCase().includes(found.toLowerCase())) : slots;
  const pages = Math.max(1, Math.ceil(fits.length / PAGE));
  const here = Math.min(page, pages - 1);
  const shown = fits.slice(here * PAGE, (here + 1) * PAGE);
  words.want(shown.flatMap((s) => forest.path(s)).map((s) => forest.id[s]!));
  return (
    <div class="tree-table">
      <p>
        <button disabled={here === 0} onClick={() => setPage(here - 1)}>‹</button> {t("table_page", { page: here + 1, pages, n: short(fits.length) })}{" "}
        <button disabled={here + 1 >= pages} onClick={() => setPage(here + 1)}>›</button>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label={t("view_table")}>
        <table>
          <Heads words={[t("line"), t("value"), t("field_effort"), t("field_prior"), t("field_aux"), t("field_signs")]} />
          <tbody>
            {shown.map((s) => (
              <tr key={forest.id[s]} aria-current={s === chosen ? "true" : undefined}>
                <th scope="row">
                  <button class="plain" onClick={() => onPick(s)}>
                    {forest.path(s).map((x) => named(forest, x, words.known)).join(" ")}
                  </button>
                </th>
                <td class="number">{forest.isIdle(s) ? "–" : percent(forest.value[s]!)}</td>
                <td class="number">{short(forest.effort[s]!)}</td>
                <td class="number">{forest.prior[s]! > 0 ? `${(forest.prior[s]! * 100).toFixed(1)} %` : "–"}</td>
                <td class="number">{forest.aux[s] ? forest.aux[s]!.toFixed(1) : "–"}</td>
                <td>
                  {glyphs(forest, s).map((g) => `${g.sign} `)}
                  {reasonWords(forest.reason(s))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
