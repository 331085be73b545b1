// What a review of a game writes into its record: beside what is there, never over it.
import * as tree from "../../tree";
import { everyLanguage, t } from "../../words";
import { GLYPH, type Mark, SIGN } from "./judge";
import type { Look } from "./look";

/** What a review found about a move. */
export interface Finding {
  mark: Mark;
  /** Loss of expected result, in 0..1. */
  cost: number;
  /** The better move in words. */
  best: string;
  /** Values after the better move and after the played one, for the side that moved, by the search that confirmed the mark. */
  values: [number, number] | null;
}

interface Notes {
  comment: string;
  glyphs: number[];
}

/** The sentences that reviews write, in every language that is loaded; the sign is the first group. */
const sentences = () => everyLanguage("sweep_comment").map((words) => {
  const plain = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const blank = (name: string, form: string) => (text: string) => text.replace(`\\{${name}\\}`, form);
  const form = [blank("sign", "(\\?\\?|\\?!|\\?)"), blank("cost", "\\d+"), blank("best", "\\S+")].reduce((text, fill) => fill(text), plain);
  return new RegExp(`\\s*${form}`, "g");
});

/** What is said at a move without what an earlier review said. */
function withoutReview({ comment, glyphs }: Notes): Notes {
  const signs: string[] = [];
  const rest = sentences().reduce((text, sentence) => text.replace(sentence, (_, sign: string) => (signs.push(sign), "")), comment);
  const ours = (Object.keys(GLYPH) as Mark[]).filter((mark) => signs.includes(SIGN[mark])).map((mark) => GLYPH[mark]);
  return signs.length === 0 ? { comment, glyphs } : { comment: rest.trim(), glyphs: glyphs.filter((glyph) => !ours.includes(glyph)) };
}

/** What is said at a move after a review: what was there, and what the review found, if anything. */
export function reviewed(before: Notes, found: Finding | null): Notes {
  const { comment, glyphs } = withoutReview(before);
  if (!found) return { comment, glyphs };
  const words = t("sweep_comment", { sign: SIGN[found.mark], cost: (found.cost * 100).toFixed(0), best: found.best });
  const glyph = GLYPH[found.mark];
  return { comment: [comment, words].filter(Boolean).join("\n"), glyphs: glyphs.includes(glyph) ? glyphs : [...glyphs, glyph] };
}

/** The record with what a review found at node `at`. What is shown is what is kept: list, graph, a reload and files agree. */
export function written(record: tree.GameTree, at: number, { mover, kept: value, seen, ended, finding }: Look): tree.GameTree {
  const { kept, comment, glyphs } = record.nodes[at]!;
  // A value that came with the record stays, unless a search says how much less it cost.
  const isNew = value !== null && (kept.value === undefined || (kept.nodes ?? Infinity) <= value.nodes);
  const now = isNew ? { ...kept, ...value } : kept;
  const values = now.value === undefined ? {} : tree.shown(now.value, mover);
  const notes = reviewed({ comment, glyphs }, finding);
  const said = notes.comment !== comment || notes.glyphs !== glyphs ? notes : {};
  const done = tree.note(record, at, { ...values, ...(isNew && { kept: now, ...seen }), ...said });
  return ended ? tree.endAt(done, at, ended) : done;
}
