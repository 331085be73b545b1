// Values and signs of nodes as marks and colours that stay apart for the colour-blind.
import { moveWords } from "../../notation";
import type { NoteView } from "../../api";
import { type Key, t } from "../../words";
import { CAPTURE, CHECK, CUT, type Forest, KNOWN, LEFT_OUT, OVER, PASS, PROVEN } from "./forest";

/** An expected result in -1..1 as percent. */
export function percent(value: number): string {
  return `${((value + 1) * 50).toFixed(1)} %`;
}

/** Blue is good for the side that moves at the root, vermillion bad (Okabe and Ito, 2008). */
export function shade(value: number, alpha = 0.55): string {
  const [r, g, b] = value >= 0 ? [0, 114, 178] : [213, 94, 0];
  return `rgba(${r},${g},${b},${(0.12 + Math.min(1, Math.abs(value)) * alpha).toFixed(3)})`;
}

const SIGNS: [number, string, Key][] = [
  [LEFT_OUT, "✂", "sign_left_out"],
  [CUT, "⊣", "sign_cut"],
  [PROVEN, "✔", "sign_proven"],
  [PASS, "∅", "sign_pass"],
  [CAPTURE, "×", "sign_capture"],
  [CHECK, "+", "sign_check"],
  [OVER, "■", "sign_over"],
  [KNOWN, "◆", "sign_known"],
];

/** The marks of a node. */
export function glyphs(forest: Forest, slot: number): { sign: string; key: Key }[] {
  const flags = forest.flags[slot]!;
  const marks = SIGNS.filter(([flag]) => flags & flag).map(([, sign, key]) => ({ sign, key }));
  if (forest.group(slot) > 0) marks.push({ sign: "⇄", key: "sign_twin" });
  return marks;
}

/** A node's move in words, as far as they are known. */
export function named(forest: Forest, slot: number, known: Map<number, { text: string }>): string {
  const code = forest.move(slot);
  if (code === "") return t(forest.flags[slot]! & PASS ? "tree_pass" : "tree_again");
  const text = known.get(forest.id[slot]!)?.text;
  return text ? moveWords(code, text) : code;
}

/** What else the search knows: the window of a visit with what came of it, or the mate that a proof found. */
export function noted(note: NoteView | null): string {
  if (note?.window) return t("note_window", { low: note.window[0]!, high: note.window[1]!, value: note.value! });
  if (note?.mate_plies) return t("note_mate", { plies: note.mate_plies });
  return "–";
}
