// Words of explanations: names of the terms of an evaluation, sides, and numbers in the forms of each language.
import termsEn from "../../../i18n/terms/en.json";
import whyEn from "../../../i18n/why/en.json";
import { language, spoken } from "../../words";

export type WhyKey = keyof typeof whyEn;
export type Slots = Record<string, string | number>;

const fill = (words: string, slots: Slots) => words.replace(/\{(\w+)\}/g, (whole, name: string) => String(slots[name] ?? whole));

/** The sentence `key`; `{name}` in it is replaced. */
export function w(key: WhyKey, slots: Slots = {}): string {
  return fill(spoken().why[key] ?? whyEn[key], slots);
}

/** The text for a number: `_one`, `_few`, `_many` or `_other` behind the key, as the language counts. */
function counted(all: Record<string, string>, key: string, n: number): string | undefined {
  return all[`${key}_${new Intl.PluralRules(language).select(n)}`] ?? all[`${key}_other`];
}

/** The sentence `key` in the form for `n`. */
export function several(key: "wn_mates", n: number, slots: Slots = {}): string {
  return fill(counted(spoken().why, key, n) ?? counted(whyEn, key, n) ?? key, { n, ...slots });
}

const known = (key: string): string | undefined => spoken().terms[key] ?? (termsEn as Record<string, string>)[key];

/** The name of a side in a game, or of what belongs to it. */
export function sideName(game: string, side: number, isGenitive = false): string {
  const key = `${isGenitive ? "of_" : ""}side_`;
  const own = `${key}${game}_${side}` as WhyKey;
  return w(own in whyEn ? own : (`${key}${side}` as WhyKey));
}

/** `2 knights`: how many pieces of the kind that the term `material` has under this number. */
export function pieces(game: string, kind: number, n: number): string {
  const found = counted(spoken().terms, `${game}.material.${kind}`, n);
  return found ? fill(found, { n }) : `${n} × ${kind}`;
}

/** The name of a term without its number: `threat_knight.2` is of `threat_knight`. */
export const baseOf = (term: string) => term.replace(/\.\d+$/, "");

/**
 * The name of a term as a player knows it, `the knight attacks a bishop`; its own name where there are no words. Terms of squares and
 * tables have one name each: they are told together.
 */
export function termName(game: string, term: string): string {
  const base = baseOf(term);
  const kind = term.slice(base.length + 1);
  const words = (base === "material" ? known(`${game}.piece.${kind}`) : known(`${game}.${base}`)) ?? known(base);
  if (!words) return base.replaceAll("_", " ");
  return fill(words, { piece: known(`${game}.target.${kind}`) ?? "" });
}

/** Whether the parts of a term are told one by one: those that name a piece. */
export const isByPiece = (game: string, term: string): boolean => (known(`${game}.${baseOf(term)}`) ?? "").includes("{piece}");
