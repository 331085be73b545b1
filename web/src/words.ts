// Words of the page in the reader's language, numbers as that language writes them.
import en from "../i18n/en.json";
import ja from "../i18n/ja.json";
import ru from "../i18n/ru.json";
import workEn from "../i18n/jobs/en.json";
import workJa from "../i18n/jobs/ja.json";
import workRu from "../i18n/jobs/ru.json";
import workZh from "../i18n/jobs/zh.json";
import zh from "../i18n/zh.json";

export type Key = keyof typeof en | keyof typeof workEn;
const ALL: Record<string, Record<Key, string>> = {
  en: { ...en, ...workEn },
  ru: { ...ru, ...workRu },
  ja: { ...ja, ...workJa },
  zh: { ...zh, ...workZh },
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
  return wanted.find((tag) => tag in ALL) ?? "en";
}

export let language = chosen();
document.documentElement.lang = language;

export function speak(tag: string): void {
  language = tag;
  localStorage.setItem(KEPT, tag);
  document.documentElement.lang = tag;
}

/** The words for `key`; `{name}` in them is replaced. */
export function t(key: Key, fill: Record<string, string | number> = {}): string {
  const words = ALL[language]?.[key] ?? ALL.en![key];
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => String(fill[name] ?? whole));
}

/** A large number in few letters: 61k, 1.2M. */
export function short(n: number): string {
  return new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 }).format(n);
}

/** A number with as many digits as it deserves. */
export function count(n: number): string {
  return new Intl.NumberFormat(language, { maximumSignificantDigits: n < 1000 && n % 1 !== 0 ? 3 : 21 }).format(n);
}

/** A number with `digits` decimals, and its sign if wanted. */
export function fixed(n: number, digits: number, signed = false): string {
  const style = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, { ...style, signDisplay: signed ? "exceptZero" : "auto" }).format(n);
}

/** Seconds in the unit that fits: 12 s, 3.4 min, 2.1 h. */
export function lasting(seconds: number): string {
  const [n, unit] = seconds < 99.5 ? [seconds, "second"] : seconds < 5970 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
  const maximumFractionDigits = n < 10 && unit !== "second" ? 1 : 0;
  return new Intl.NumberFormat(language, { style: "unit", unit: unit as string, unitDisplay: "short", maximumFractionDigits }).format(n as number);
}

/** A share in percent. */
export function percent(n: number, digits = 1): string {
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: digits }).format(n);
}
