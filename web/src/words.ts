// Words of the page in the reader's language, numbers as that language writes them.
import en from "../i18n/en.json";
import fleetEn from "../i18n/fleet/en.json";
import reasons from "../i18n/reasons.json";
import workEn from "../i18n/jobs/en.json";
import seatsEn from "../i18n/seats/en.json";
import whyEn from "../i18n/why/en.json";
import termsEn from "../i18n/terms/en.json";

export type Key = keyof typeof en | keyof typeof fleetEn | keyof typeof seatsEn | keyof typeof workEn;

/** The words of a language: of the page, of explanations, and names of the terms of an evaluation. */
interface Language {
  words: Record<Key, string>;
  why: Record<string, string>;
  terms: Record<string, string>;
}

const ENGLISH: Language = { words: { ...en, ...fleetEn, ...seatsEn, ...workEn }, why: whyEn, terms: termsEn };
/** Languages that are there; English always is, the others come when they are read. */
const loaded: Record<string, Language> = { en: ENGLISH };
const OTHERS: Record<string, () => Promise<{ default: Language }>> = {
  ru: () => import("./languages/ru"),
  ja: () => import("./languages/ja"),
  zh: () => import("./languages/zh"),
};
export const LANGUAGES: [string, string][] = [
  ["en", "English"],
  ["ru", "Русский"],
  ["ja", "日本語"],
  ["zh", "中文"],
];

const KEPT = "tesuji-language";

function chosen(): string {
  const wanted = [localStorage.getItem(KEPT), ...navigator.languages].map((tag) => tag?.split("-")[0] ?? "");
  return wanted.find((tag) => tag in loaded || tag in OTHERS) ?? "en";
}

/** Loads the words of a language, as often as it is asked for. */
export async function load(tag: string): Promise<void> {
  if (!(tag in loaded) && OTHERS[tag]) loaded[tag] = (await OTHERS[tag]()).default;
}

/** Loads all languages: texts that were written in another one are known again. */
export const loadAll = async (): Promise<void> => void (await Promise.all(Object.keys(OTHERS).map(load)));

/** The language that is read. Its words are loaded before the page is drawn. */
export let language = chosen();
document.documentElement.lang = language;

/** The words of the language that is read. */
export const spoken = (): Language => loaded[language] ?? ENGLISH;

/** Turns to a language that is loaded. */
export function speak(tag: string): void {
  language = tag;
  localStorage.setItem(KEPT, tag);
  document.documentElement.lang = tag;
}

/** The words for `key`; `{name}` in them is replaced. */
export function t(key: Key, fill: Record<string, string | number> = {}): string {
  const words = spoken().words[key] ?? ENGLISH.words[key];
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => String(fill[name] ?? whole));
}

/** Words for why a search left a node, by the code that the server sends; "" for 0, and for the code of a newer server. */
export function reasonWords(code: number): string {
  const words = (reasons as Record<string, Record<string, string>>)[code];
  return words?.[language] ?? words?.en ?? "";
}

/** The words for `key` in every language that is loaded, with their placeholders. */
export function everyLanguage(key: Key): string[] {
  return Object.values(loaded).map(({ words }) => words[key]);
}

/** The games that have words here. */
const GAMES: readonly string[] = ["chess", "shogi", "go"] satisfies Key[];

/** The name of a game in the reader's language; the server's own name where there are no words for it. */
export function gameName(name: string): string {
  return GAMES.includes(name) ? t(name as Key) : name;
}

/** The words for a key that comes from the server; the key's own last word where there are none. */
export function told(family: string, name: string): string {
  const key = `${family}_${name}`;
  return key in ENGLISH.words ? t(key as Key) : name;
}

/** Formats that were made: making one takes a hundred times as long as using it, and a tree shows hundreds of numbers. */
const formats = new Map<string, Intl.NumberFormat>();

function format(n: number, key: string, style: () => Intl.NumberFormatOptions): string {
  const whole = `${language} ${key}`;
  let made = formats.get(whole);
  if (!made) formats.set(whole, (made = new Intl.NumberFormat(language, style())));
  return made.format(n);
}

/** A large number in few letters: 61k, 1.2M. */
export function short(n: number): string {
  return format(n, "short", () => ({ notation: "compact", maximumFractionDigits: 1 }));
}

/** A number with as many digits as it deserves. */
export function count(n: number): string {
  const digits = n < 1000 && n % 1 !== 0 ? 3 : 21;
  return format(n, `count ${digits}`, () => ({ maximumSignificantDigits: digits }));
}

/** A number with `digits` decimals, and its sign if wanted. */
export function fixed(n: number, digits: number, signed = false): string {
  const style = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return format(n, `fixed ${digits} ${signed}`, () => ({ ...style, signDisplay: signed ? "exceptZero" : "auto" }));
}

/** A moment, in seconds since 1970, as the language writes it. */
export function moment(seconds: number): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(seconds * 1000);
}

/** Seconds in the unit that fits: 12 s, 3.4 min, 2.1 h. */
export function lasting(seconds: number): string {
  const [n, unit] = seconds < 99.5 ? [seconds, "second"] : seconds < 5970 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
  const maximumFractionDigits = n < 10 && unit !== "second" ? 1 : 0;
  const style = { style: "unit", unit: unit as string, unitDisplay: "short", maximumFractionDigits } as const;
  return format(n as number, `lasting ${unit} ${maximumFractionDigits}`, () => style);
}

/** A share in percent. */
export function percent(n: number, digits = 1): string {
  return format(n, `percent ${digits}`, () => ({ style: "percent", maximumFractionDigits: digits }));
}
