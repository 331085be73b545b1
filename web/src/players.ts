// Who played a game and how it ended, as the field writes it. Writers of records on the server do the same in the words of their
// format; the page also shows results that are in no record yet (an engine resigns, a game is drawn on the board).
import type { Ended, GameInfo } from "./api";

/** The tags that name the players of a game, the first before the other; none until the server has told. */
export function sideTagsOf(games: GameInfo[] | null, game: string): string[] | undefined {
  return games?.find(({ name }) => name === game)?.side_tags;
}

/** The names of both sides, the first before the other; in the order of the record where `sides` are not known. Empty where nobody is named. */
export function namesOf(sides: string[] | undefined, tags: [string, string][]): string {
  const of = (tag: string) => tags.find(([name]) => name === tag)?.[1];
  const names = (sides ?? tags.map(([name]) => name).filter((name) => name === "White" || name === "Black")).map(of);
  return names.filter((name) => name && name !== "?").join(" – ");
}

/** `1–0`; in go `W+2.5`, `B+R`. Empty: not over. */
export function resultOf(game: string, outcome: Ended | null): string {
  if (!outcome || outcome.by === "void") return "";
  const { winner, by, points } = outcome;
  if (winner === null) return game === "go" ? "Jigo" : "½–½";
  if (game !== "go") return winner === 0 ? "1–0" : "0–1";
  const how = ({ resignation: "R", time: "T", illegal: "F" } as Record<string, string>)[by] ?? (points ? String(points) : "");
  return `${winner === 0 ? "B" : "W"}+${how}`;
}

/** When it was played, as far as its tags say. */
export function dateOf(tags: [string, string][]): string {
  const said = tags.find(([name]) => name === "Date")?.[1] ?? tags.find(([name]) => name === "GameStartTime")?.[1] ?? "";
  return said.includes("?") ? said.replace(/[.-]?\?\?/g, "").replace(/^\?+$/, "") : said;
}
