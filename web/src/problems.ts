// Problems in the reader's language: their kinds, and what is said most often. Everything else stays in the server's words.
import { Problem } from "./api";
import { type Key, t } from "./words";

/** The kinds of problems, as the server names them. */
const TITLES: Record<string, Key> = {
  "Bad request": "problem_bad",
  Busy: "problem_busy",
  Failed: "failed",
  Forbidden: "problem_forbidden",
  "No connection": "problem_connection",
  "Not accepted": "problem_refused",
  "Not found": "problem_absent",
  "Not now": "problem_not_now",
  "Too many": "problem_many",
};

/** What the server says, and the words for it; groups fill the placeholders by their names. */
const SAYINGS: [RegExp, Key][] = [
  [/^The server does not answer\.$/, "said_no_answer"],
  [/^Is `tesuji serve` still running\?$/, "said_running"],
  [/^move (?<n>\d+), "(?<move>.*)": illegal move .*$/, "said_illegal"],
  [/^move (?<n>\d+), "(?<move>.*)": (at byte .*|.*unknown.*)$/, "said_no_move"],
  [/^there is no game in this text, read as (?<format>.+)$/, "said_no_game"],
  [/^Choose the format that the text is written in\.$/, "said_choose_format"],
  [/^no session has the number (?<id>\d+)$/, "said_no_session"],
];

function inWords(said: string): string {
  for (const [form, key] of SAYINGS) {
    const found = form.exec(said);
    if (found) return t(key, found.groups ?? {});
  }
  return said;
}

/** What went wrong, in words: its kind, what exactly, and what to do about it. */
export function problemInWords(problem: unknown): { title: string; detail: string; hint: string | null } {
  if (!(problem instanceof Problem)) return { title: t("failed"), detail: String(problem), hint: null };
  const { title, detail, hint, place } = problem;
  const known = TITLES[title];
  const at = place === "start" && detail.startsWith("at byte") ? t("said_no_position") : null;
  return { title: known ? t(known) : title, detail: at ? `${at} (${detail})` : inWords(detail), hint: hint && inWords(hint) };
}
