// Addresses of positions and games: what opens them on the pages that play, look over, and grow trees.
import type { GameInfo, GamePosition } from "./api";

/** A place with where in its moves one stands. */
export interface Spot {
  place: GamePosition;
  ply: number;
}

/** The place in an address; none where it names none. */
export function spotOf(search: string): Spot | null {
  const asked = new URLSearchParams(search);
  if (!asked.has("start") && !asked.has("moves") && !asked.has("rules")) return null;
  // A "+" that was typed as it is means a promotion: moves have no spaces.
  const moves = (asked.get("moves") ?? "").replaceAll(" ", "+").split(".").filter(Boolean);
  const ply = asked.has("ply") ? Number(asked.get("ply")) || 0 : moves.length;
  const place = { rules: asked.get("rules") ?? "", start: asked.get("start") || null, moves };
  return { place, ply: Math.max(0, Math.min(moves.length, ply)) };
}

/** What an address says of its game: `tag=White:Paul Morphy`, as often as there is something to say. */
export const tagsOf = (search: string): [string, string][] =>
  new URLSearchParams(search).getAll("tag").flatMap((tag): [string, string][] => {
    const [, name, text] = /^(\w+):(.+)$/.exec(tag) ?? [];
    return name && text ? [[name, text]] : [];
  });

/** The kept record that an address names; empty: none. */
export const recordOf = (search: string): string => new URLSearchParams(search).get("record") ?? "";

/** Where an address stands in the record that it names: `line=7-2` for a variation, `ply=9`; none: at its end. */
export function spotInRecord(search: string): { way: string; ply: number | null } {
  const asked = new URLSearchParams(search);
  const ply = /^\d+$/.exec(asked.get("ply") ?? "");
  return { way: asked.get("line") ?? "", ply: ply && Number(ply[0]) };
}

/** What of an address names a place; empty where it is the usual start of a game. */
export function asQuery({ place, ply }: Spot, more: Record<string, string> = {}): string {
  const asked = new URLSearchParams(more);
  if (place.rules) asked.set("rules", place.rules);
  if (place.start) asked.set("start", place.start);
  if (place.moves.length > 0) asked.set("moves", place.moves.join("."));
  if (ply < place.moves.length) asked.set("ply", String(ply));
  const text = asked.toString();
  return text && `?${text}`;
}

/** Where an address of a new tree (`/tree/new?…`) leads: the page of the board, whose engine thinks there. */
export function newTree(games: GameInfo[], asked: URLSearchParams): string {
  const game = games.find((g) => g.name === (asked.get("game") ?? "chess")) ?? games[0]!;
  const known = game.families.map((f) => f.name);
  const engine = [asked.get("family") ?? "mcts", "mcts"].find((f) => known.includes(f)) ?? known[0] ?? "";
  const spot = spotOf(`?${asked}`) ?? { place: { rules: "", start: null, moves: [] }, ply: 0 };
  return playAt(game.name, spot, { engine, analyse: "1", view: asked.get("view") ?? "icicle" });
}

export const playAt = (game: string, spot: Spot, more: Record<string, string> = {}): string => `/play/${game}${asQuery(spot, more)}`;

/** A tree grows from where one stands: moves after that are left out. */
export const treeAt = (game: string, { place, ply }: Spot): string =>
  `/tree/new${asQuery({ place: { ...place, moves: place.moves.slice(0, ply) }, ply }, { game })}`;
