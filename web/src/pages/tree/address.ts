// What the address of a tree's page says of the view: at first it is read, later it follows.
import { useLayoutEffect } from "preact/hooks";
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
    view: view && VIEWS.includes(view) ? view : "columns",
    order: order && ORDERS.includes(order) ? order : "effort",
    least: Number(asked.get("min_effort") ?? 0) || 0,
    at: asked.has("t") ? Number(asked.get("t")) : null,
    why: asked.has("why"),
    with: asked.has("with") ? Number(asked.get("with")) : null,
  };
}

/** With what is drawn, not after it: who reloads at once comes back to what was seen. */
export function useAddress(id: number, state: Address): void {
  const { moves, view, order, least, at, why, with: other } = state;
  useLayoutEffect(() => {
    const asked = new URLSearchParams();
    if (moves.length) asked.set("path", moves.join("."));
    if (view !== "columns") asked.set("view", view);
    if (order !== "effort") asked.set("sort", order);
    if (least) asked.set("min_effort", String(least));
    if (at !== null) asked.set("t", String(at));
    if (why) asked.set("why", "");
    if (other !== null) asked.set("with", String(other));
    const text = asked.toString();
    history.replaceState(null, "", `/tree/${id}${text ? `?${text}` : ""}`);
  }, [id, moves.join("."), view, order, least, at, other, why]);
}
