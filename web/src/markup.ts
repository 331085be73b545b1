// Markup of go records: what SGF says beside words and moves stands in comments as `[%sgf LB[dd:A]TR[ee]]`; people see it on the board.

export interface Sign {
  /** Column and row from the top left. */
  at: [number, number];
  type: "circle" | "cross" | "triangle" | "square" | "point" | "label";
  label?: string;
}

const LIST = /\n?\[%sgf ((?:[A-Z0-9]+(?:\[(?:\\[\s\S]|[^\]\\])*\])+)+)\]/g;
const TYPES: Record<string, Sign["type"]> = { CR: "circle", LB: "label", MA: "cross", SL: "point", SQ: "square", TR: "triangle" };

/** A comment without the code in it, and the code. */
export function splitMarkup(comment: string): { words: string; code: string } {
  const code = [...comment.matchAll(LIST)].map(([whole]) => whole.replace(/^\n/, "")).join("\n");
  return { words: comment.replace(LIST, ""), code };
}

/** Other words with the same code. */
export const joinMarkup = (words: string, code: string): string => [words, code].filter(Boolean).join("\n");

const point = (text: string): [number, number] | null => {
  const column = (letter: string) => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".indexOf(letter);
  const at: [number, number] = [column(text[0] ?? "?"), column(text[1] ?? "?")];
  return text.length === 2 && at[0] >= 0 && at[1] >= 0 ? at : null;
};

/** The points that a value names: one, or the rectangle between two corners. */
function points(value: string): [number, number][] {
  const [from, to] = value.split(":").map(point);
  if (!from || to === null) return [];
  const [end, all] = [to ?? from, [] as [number, number][]];
  for (let x = from[0]; x <= end[0]; x++) for (let y = from[1]; y <= end[1]; y++) all.push([x, y]);
  return all;
}

/** The signs that a comment puts on the board. */
export function signsOf(comment: string): Sign[] {
  const signs: Sign[] = [];
  for (const [, list] of comment.matchAll(LIST)) {
    for (const [, name, values] of list!.matchAll(/([A-Z0-9]+)((?:\[(?:\\[\s\S]|[^\]\\])*\])+)/g)) {
      const type = TYPES[name!];
      if (!type) continue;
      for (const [, value] of values!.matchAll(/\[((?:\\[\s\S]|[^\]\\])*)\]/g)) {
        const label = type === "label" ? value!.slice(3).replace(/\\([\s\S])/g, "$1") : undefined;
        const where = type === "label" ? points(value!.slice(0, 2)) : points(value!);
        for (const at of where) signs.push({ at, type, ...(label !== undefined && { label }) });
      }
    }
  }
  return signs;
}
