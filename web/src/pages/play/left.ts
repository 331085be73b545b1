// The search that a page leaves behind when it is loaded again: the tab takes it up with its engine, its table and its tree.
import { type GamePosition, type Session, token } from "../../api";
import { whoOf } from "../seats/seat";

const KEPT = "tesuji-left";

export interface Left {
  game: string;
  /** Who searched, as the page names it; empty: the best search. */
  family: string;
  /** Who searched, as the server names it. */
  who: string;
  id: number;
  /** Numbers of sessions begin again with each start of the server: its token tells starts apart. */
  token: string;
  place: GamePosition;
}

/** Remembers a session that this tab made and leaves, for the page that it loads next. */
export function rememberLeft(game: string, family: string, { id, seat }: Session, place: GamePosition): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ game, family, who: whoOf(seat), id, token: token(), place } satisfies Left));
  } catch {
    // A browser without room begins a new search.
  }
}

/** What this tab left last, of this game and this start of the server; asked once. */
export function takeLeft(game: string): Left | null {
  const text = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  const left = text === null ? null : (JSON.parse(text) as Left);
  return left && left.game === game && left.token === token() ? left : null;
}

const at = ({ rules, start, moves }: GamePosition): string => JSON.stringify([rules, start || null, moves]);

/** Whether `session` is the one that was left: without a token, another start of the server may have given its number again. */
export const isLeft = (session: Session, { game, who, place }: Left): boolean =>
  session.game === game && whoOf(session.seat) === who && at(session.state.place) === at(place);
