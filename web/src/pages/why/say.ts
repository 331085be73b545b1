// An explanation in sentences: templates filled with what the server computed.
import type { WhyAnswer } from "../../api";
import { type Key, short, t } from "../../words";
import { asLine, sameSquare } from "../../notation";
import { differences, standing } from "./whyNot";
import { termName, w } from "./words";

/** Hundredths of a pawn as the players of a game read them, with a sign: pawns, in shogi whole points (評価値). */
export function cp(game: string, value: number): string {
  if (game === "shogi") return `${value >= 0.5 ? "+" : ""}${Math.round(value) || 0}`;
  const pawns = value / 100;
  return `${pawns > 0 ? "+" : ""}${pawns.toFixed(2)}`;
}

/** What the evaluations at the ends of both lines are called. */
export const endsKey = (game: string): Key => (game === "shogi" ? "why_ends_shogi" : "why_ends");

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

/** What a network that plays says of both ends, since the terms are not its own; nothing where none plays. Of an engine of its own (`isForeign`) neither is. */
export function networkWords(game: string, { of, vs }: WhyAnswer, isForeign: boolean): string {
  const values = [of, vs].flatMap((end) => (end?.end && typeof end.end.network === "number" ? [`${end.text} ${cp(game, end.end.network)}`] : []));
  return values.length > 0 ? t(isForeign ? "why_network_ours" : "why_network", { values: values.join(", ") }) : "";
}

/** An explanation whose lines of shogi are written as after the move `before`: 同 where a piece takes back on its square. */
export function written(why: WhyAnswer, before: string | undefined): WhyAnswer {
  const who = (one: WhyAnswer["of"]) => ({ ...one, text: sameSquare(one.text, one.move, before), line: asLine(one.line, before) });
  return { ...why, of: who(why.of), vs: why.vs && who(why.vs) };
}

export interface Reason {
  id: string;
  head: Key;
  text: string;
}

/** What the values of both moves say; a bound is no value, and is not told as one. */
function valueWords(why: WhyAnswer): string {
  const { of, vs } = why;
  if (!vs || why.difference === null) return "";
  if (vs.bound !== "exact") return w("wn_refuted", { of: of.text, value: percent(of.value), vs: vs.text });
  const clear = why.margin === null ? "why_exact" : Math.abs(why.difference) > why.margin ? "why_clear" : "why_unclear";
  const gap = t("why_value", { of: percent(of.value), vs: percent(vs.value), gap: points(why.difference), bound: "" });
  return `${gap} ${t(clear, { margin: points(why.margin ?? 0) })}`;
}

/** How the search came to the move. */
function foundWords({ of, found }: WhyAnswer): string {
  const prior = of.prior_rank === null ? "" : t("why_prior", { share: (of.prior * 100).toFixed(1), rank: of.prior_rank });
  if (!found) return prior;
  const { since_nodes, changes, before } = found;
  if (since_nodes === null) return `${prior} ${t("why_not_best")}`.trim();
  if (changes === 0 || before === null) return `${prior} ${w("wn_led")}`.trim();
  const since = t("why_since", { nodes: short(since_nodes), n: changes, before: before.text });
  return `${prior} ${since}`.trim();
}

/** What speaks for the move, in sentences. */
export function reasons(game: string, why: WhyAnswer, isForeign = false): Reason[] {
  const { of, vs } = why;
  const list: Reason[] = [];
  if (vs && why.difference !== null) {
    list.push({ id: "value", head: "why_head_value", text: valueWords(why) });
    if (why.swing) {
      const moves = vs.line.slice(0, why.swing.ply).map((s) => s.text).join(" ");
      list.push({ id: "refutation", head: "why_head_refutation", text: t("why_swing", { moves, before: percent(why.swing.before), after: percent(why.swing.after), ply: why.swing.ply }) });
    }
  }
  const isGain = vs !== null && (why.difference === null || why.difference >= 0);
  const alone = standing(game, why.side, why.terms);
  const differ = vs ? differences(game, why.side, why.terms, isGain) : alone.length > 0 ? `${alone.join("; ")}.` : "";
  if (differ) list.push({ id: "terms", head: "why_head_terms", text: `${networkWords(game, why, isForeign)} ${differ}`.trim() });
  const found = why.found;
  const words = foundWords(why);
  if (words) list.push({ id: "found", head: "why_head_found", text: words });
  const steady = found?.steady != null ? t("why_steady", { steady: points(found.steady) }) : "";
  list.push({ id: "robust", head: "why_head_robust", text: `${t("why_robust", { share: (of.share * 100).toFixed(1), firm: why.firm })} ${steady}`.trim() });
  return list;
}

/** All of it as plain text, for a comment or a letter. */
export function inText(game: string, why: WhyAnswer, isForeign = false): string {
  const lines = [why.vs ? t("why_head", { of: why.of.text, vs: why.vs.text }) : t("why_only", { of: why.of.text })];
  reasons(game, why, isForeign).forEach((reason, i) => lines.push(`${i + 1}. ${t(reason.head)} ${reason.text}`));
  for (const who of [why.of, why.vs]) if (who) lines.push(`${who.text}: ${who.line.map((s) => s.text).join(" ")}`);
  if (why.of.end) {
    lines.push(t(endsKey(game)), networkWords(game, why, isForeign));
    for (const term of why.terms.slice(0, 20)) lines.push(`  ${termName(game, term.name)}: ${cp(game, term.of)} ${why.vs ? `| ${cp(game, term.vs)} | ${cp(game, term.of - term.vs)}` : ""}`);
    const total = sums(why);
    lines.push(`  ${t("sum")}: ${cp(game, total.of)} ${why.vs ? `| ${cp(game, total.vs)}` : ""}`);
  }
  return lines.join("\n");
}
