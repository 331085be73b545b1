// What the address says of the tree below the board: at first it is read, later it follows.
import type { Order } from "./forest";

export const VIEWS = ["columns", "icicle", "table", "course", "compare"] as const;
export type View = (typeof VIEWS)[number];
export const ORDERS: Order[] = ["effort", "value", "prior", "order"];

export interface Address {
  /** The moves from the root to the chosen node. */
  moves: string[];
  view: View;
  order: Order;
  /** The least share of the root's effort that is shown. */
  least: number;
  /** The kept moment that is shown; none: now. */
  at: number | null;
  /** Whether the chosen move is explained. */
  why: boolean;
  /** The session that this one is compared with. */
  with: number | null;
}

export function addressOf(search: string): Address {
  const asked = new URLSearchParams(search);
  const view = asked.get("view") as View | null;
  const order = asked.get("sort") as Order | null;
  return {
    moves: (asked.get("path") ?? "").split(".").filter(Boolean),
    view: view && VIEWS.includes(view) ? view : "icicle",
    order: order && ORDERS.includes(order) ? order : "effort",
    least: Number(asked.get("min_effort") ?? 0) || 0,
    at: asked.has("t") ? Number(asked.get("t")) : null,
    why: asked.has("why"),
    with: asked.has("with") ? Number(asked.get("with")) : null,
  };
}

/** The part of the address that says how the tree is shown; nothing for what is usual. */
export function treeQuery({ moves, view, order, least, at, why, with: other }: Address): Record<string, string> {
  const asked: Record<string, string> = {};
  if (moves.length) asked.path = moves.join(".");
  if (view !== "icicle") asked.view = view;
  if (order !== "effort") asked.sort = order;
  if (least) asked.min_effort = String(least);
  if (at !== null) asked.t = String(at);
  if (why) asked.why = "";
  if (other !== null) asked.with = String(other);
  return asked;
}
