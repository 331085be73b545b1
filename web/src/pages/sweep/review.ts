// What a review of a game writes into its record: beside what is there, never over it.
import { everyLanguage, t } from "../../words";
import { GLYPH, type Mark, SIGN } from "./judge";

/** What a review found about a move. */
export interface Finding {
  mark: Mark;
  /** Loss of expected result, in 0..1. */
  cost: number;
  /** The better move in words. */
  best: string;
}

interface Notes {
  comment: string;
  glyphs: number[];
}

/** The sentences that reviews write, in every language; the sign is the first group. */
const SENTENCES = everyLanguage("sweep_comment").map((words) => {
  const plain = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const blank = (name: string, form: string) => (text: string) => text.replace(`\\{${name}\\}`, form);
  const form = [blank("sign", "(\\?\\?|\\?!|\\?)"), blank("cost", "\\d+"), blank("best", "\\S+")].reduce((text, fill) => fill(text), plain);
  return new RegExp(`\\s*${form}`, "g");
});

/** What is said at a move without what an earlier review said. */
function withoutReview({ comment, glyphs }: Notes): Notes {
  const signs: string[] = [];
  const rest = SENTENCES.reduce((text, sentence) => text.replace(sentence, (_, sign: string) => (signs.push(sign), "")), comment);
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
