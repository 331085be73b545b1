// An explanation in sentences: templates filled with what the server computed.
import type { WhyAnswer } from "../../api";
import { type Key, short, t } from "../../words";

/** Hundredths of a pawn as pawns with a sign. */
export function cp(value: number): string {
  const pawns = value / 100;
  return `${pawns > 0 ? "+" : ""}${pawns.toFixed(2)}`;
}

/** A difference of expected results in -2..2 as points of a hundred. */
export function points(value: number): string {
  return (value * 50).toFixed(1);
}

const percent = (value: number) => `${((value + 1) * 50).toFixed(1)} %`;

export interface Sums {
  of: number;
  vs: number;
  /** Whether the terms of each end sum up to its evaluation, here and on the server. */
  sound: boolean;
}

/** Adds the terms up again. */
export function sums(why: WhyAnswer): Sums {
  let [of, vs] = [0, 0];
  for (const term of why.terms) [of, vs] = [of + term.of, vs + term.vs];
  const fits = (sum: number, end: WhyAnswer["of"]["end"]) => !end || (end.is_sound && Math.abs(sum - end.value) < 0.05);
  return { of: Math.round(of * 100) / 100, vs: Math.round(vs * 100) / 100, sound: fits(of, why.of.end) && fits(vs, why.vs?.end ?? null) };
}

export interface Reason {
  id: string;
  head: Key;
  text: string;
}

/** What speaks for the move, in sentences. */
export function reasons(why: WhyAnswer): Reason[] {
  const { of, vs } = why;
  const list: Reason[] = [];
  if (vs && why.difference !== null) {
    const clear = why.margin === null ? "why_exact" : Math.abs(why.difference) > why.margin ? "why_clear" : "why_unclear";
    const bound = vs.bound === "upper" ? t("why_bound") : "";
    const gap = t("why_value", { of: percent(of.value), vs: percent(vs.value), gap: points(why.difference), bound });
    list.push({ id: "value", head: "why_head_value", text: `${gap} ${t(clear, { margin: points(why.margin ?? 0) })}` });
    if (why.swing) {
      const moves = vs.line.slice(0, why.swing.ply).map((s) => s.text).join(" ");
      list.push({ id: "refutation", head: "why_head_refutation", text: t("why_swing", { moves, before: percent(why.swing.before), after: percent(why.swing.after), ply: why.swing.ply }) });
    }
  }
  if (why.terms.length > 0) {
    const sign = why.side === 0 ? 1 : -1;
    const top = why.terms.slice(0, 3).map((term) => `${term.name} ${cp((term.of - (vs ? term.vs : 0)) * sign)}`);
    list.push({ id: "terms", head: "why_head_terms", text: top.join(", ") });
  }
  const prior = of.prior_rank === null ? t("why_no_prior") : t("why_prior", { share: (of.prior * 100).toFixed(1), rank: of.prior_rank });
  const found = why.found;
  const since = !found ? "" : found.since_nodes === null ? t("why_not_best") : t("why_since", { nodes: short(found.since_nodes), n: found.changes, before: found.before === vs?.move && vs ? vs.text : (found.before ?? "–") });
  list.push({ id: "found", head: "why_head_found", text: `${prior} ${since}`.trim() });
  const steady = found?.steady != null ? t("why_steady", { steady: points(found.steady) }) : "";
  list.push({ id: "robust", head: "why_head_robust", text: `${t("why_robust", { share: (of.share * 100).toFixed(1), firm: why.firm })} ${steady}`.trim() });
  return list;
}

/** All of it as plain text, for a comment or a letter. */
export function inText(why: WhyAnswer): string {
  const lines = [why.vs ? t("why_head", { of: why.of.text, vs: why.vs.text }) : t("why_only", { of: why.of.text })];
  reasons(why).forEach((reason, i) => lines.push(`${i + 1}. ${t(reason.head)} ${reason.text}`));
  for (const who of [why.of, why.vs]) if (who) lines.push(`${who.text}: ${who.line.map((s) => s.text).join(" ")}`);
  if (why.of.end) {
    lines.push(t("why_ends"));
    for (const term of why.terms.slice(0, 20)) lines.push(`  ${term.name}: ${cp(term.of)} ${why.vs ? `| ${cp(term.vs)} | ${cp(term.of - term.vs)}` : ""}`);
    const total = sums(why);
    lines.push(`  ${t("sum")}: ${cp(total.of)} ${why.vs ? `| ${cp(total.vs)}` : ""}`);
  }
  return lines.join("\n");
}
