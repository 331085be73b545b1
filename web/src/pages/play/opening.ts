// Anything that is pasted or dropped becomes the game one works on: its format is recognised, and where it fails, it is said as what.
import { Problem, type RecordView, api } from "../../api";
import { go } from "../../parts";
import { illegalInWords } from "../../illegal";
import { playAt } from "../../places";
import { problemInWords } from "../../problems";
import { recognise } from "../../recognise";
import * as tree from "../../tree";
import { t } from "../../words";
import type { PlayCore } from "./store";

export type Contents = { text: string } | { hex: string };

/** A file as text, or as bytes where it is not UTF-8. */
export async function contents(file: File): Promise<Contents> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { hex: [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("") };
  }
}

/** A refusal with what the text was taken for, and with the place of an illegal move as the game counts. */
async function takenFor<T>(name: string, work: Promise<T>, ...where: [game: string, text: string, start?: string | null]): Promise<T> {
  try {
    return await work;
  } catch (refused) {
    const problem = illegalInWords(refused, ...where);
    if (!(problem instanceof Problem) || problem.status !== 422) throw problem;
    throw new Problem(422, t("looks_like", { format: name }), problemInWords(problem).detail, problem.hint, problem.place);
  }
}

interface Doors {
  read: (view: RecordView) => Promise<void>;
  turnTo: (next: tree.GameTree, key: null) => void;
}

/** Opens `content`, which came from the file `name` or from nowhere; the promise gives the games of it, where there are several here. */
export async function openAny({ game }: PlayCore, { read, turnTo }: Doors, content: Contents, name: string): Promise<RecordView[]> {
  const known = "text" in content ? recognise(content.text) : null;
  if (!known && !name.includes(".")) {
    const isLink = "text" in content && /^\s*https?:\/\/\S+\s*$/.test(content.text);
    throw new Problem(422, t("not_recognised"), t(isLink ? "recognised_link" : "recognised_are"), null);
  }
  const of = known?.game ?? game;
  const text = "text" in content ? content.text : "";
  if (known?.place) {
    const { place } = known;
    const { played } = await takenFor(known.name, api.position(of, place), of, text, place.start);
    const line = { ...place, moves: played.map(({ move }) => move) };
    if (of !== game) go(playAt(of, { place: line, ply: line.moves.length }));
    else turnTo({ ...tree.fromLine(line, played), here: played.length }, null);
    return [];
  }
  const games = await takenFor(known?.name ?? name, api.read(of, known?.format ?? name, content), of, text);
  const first = games.find((one) => one.error === undefined);
  if (!first) throw new Problem(422, t("looks_like", { format: known?.name ?? name }), games[0]?.error ?? "", null);
  if (of === game) {
    await read(first);
    return games;
  }
  const { id } = await api.keep(of, first);
  go(`/play/${of}?record=${id}`);
  return [];
}
