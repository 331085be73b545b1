// Who searches, as one text: a family of built-in searches, an engine of the workspace, a command line.
import type { Schemas } from "../../api";

const ENGINE = "engine:";
const COMMAND = "command:";

export const engineSeat = (name: string) => ENGINE + name;
export const commandSeat = (words: string) => COMMAND + words;

/** Whether `who` is an engine in a process of its own. */
export const isEngine = (who: string) => who.startsWith(ENGINE) || who.startsWith(COMMAND);

/** The command line of a seat; empty where it is none. */
export const commandOf = (who: string) => (who.startsWith(COMMAND) ? who.slice(COMMAND.length) : "");

/** The name of a seat: a family, the name of an engine, a command line. */
export const nameOf = (who: string) => who.replace(/^(engine|command):/, "");

/** The seat of a session, to have the same once more. */
export function whoOf({ wanted }: Schemas["SeatView"]): string {
  if ("engine" in wanted) return engineSeat(wanted.engine);
  return "command" in wanted ? commandSeat(wanted.command) : wanted.search;
}

/** The fields of a request that say who searches. */
export function seatOf(who: string): Pick<Schemas["NewSession"], "family" | "seat"> {
  if (who.startsWith(ENGINE)) return { seat: { engine: who.slice(ENGINE.length) } };
  if (who.startsWith(COMMAND)) return { seat: { command: who.slice(COMMAND.length) } };
  return { family: who };
}
