// Words of the page in the reader's language, numbers as that language writes them.
import en from "../i18n/en.json";
import ja from "../i18n/ja.json";
import ru from "../i18n/ru.json";
import zh from "../i18n/zh.json";

export type Key = keyof typeof en;
const ALL: Record<string, Record<Key, string>> = { en, ru, ja, zh };
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
  const words = ALL[language]?.[key] ?? en[key];
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => String(fill[name] ?? whole));
}

/** A large number in few letters: 61k, 1.2M. */
export function short(n: number): string {
  return new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 }).format(n);
}
