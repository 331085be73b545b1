// Who searches, as one text: a family of built-in searches, an engine of the workspace, a command line.
import type { Schemas } from "../../api";

const ENGINE = "engine:";
const COMMAND = "command:";
const PLAYER = "player:";

export const engineSeat = (name: string) => ENGINE + name;
export const commandSeat = (words: string) => COMMAND + words;
/** A player of a match, by the number of its job. */
export const playerSeat = (match: number, name: string) => `${PLAYER}${match}:${name}`;

/** Whether `who` is an engine in a process of its own. */
export const isEngine = (who: string) => [ENGINE, COMMAND, PLAYER].some((kind) => who.startsWith(kind));

/** The command line of a seat; empty where it is none. */
export const commandOf = (who: string) => (who.startsWith(COMMAND) ? who.slice(COMMAND.length) : "");

/** Whether it is a player of a match. */
export const isPlayer = (who: string) => who.startsWith(PLAYER);

/** The name of a seat: a family, the name of an engine, a command line. */
export const nameOf = (who: string) => who.replace(/^(engine|command|player:\d+):/, "");

/** The seat of a session, to have the same once more. */
export const whoOf = ({ wanted }: Schemas["SeatView"]): string => whoIs(wanted);

/** What names the engine of a seat. */
export function whoIs(wanted: Schemas["Seat"]): string {
  if ("engine" in wanted) return engineSeat(wanted.engine);
  if ("player" in wanted) return playerSeat(wanted.player.match, wanted.player.name);
  return "command" in wanted ? commandSeat(wanted.command) : wanted.search;
}

/** The seat that `who` names. */
export function seatNamed(who: string): Schemas["Seat"] {
  if (who.startsWith(ENGINE)) return { engine: who.slice(ENGINE.length) };
  if (who.startsWith(COMMAND)) return { command: who.slice(COMMAND.length) };
  if (!who.startsWith(PLAYER)) return { search: who };
  const [, match, name] = /^(\d+):(.*)$/s.exec(who.slice(PLAYER.length)) ?? ["", "0", ""];
  return { player: { match: Number(match), name: name! } };
}

/** The fields of a request that say who searches. */
export function seatOf(who: string): Pick<Schemas["NewSession"], "family" | "seat"> {
  const seat = seatNamed(who);
  return "search" in seat ? { family: seat.search } : { seat };
}
