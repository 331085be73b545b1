// Mate problems that work at once, made by us for the page, and how one is given to the solver.
import { type Schemas, call } from "../../api";
import type { Job } from "../../jobs";
import { pasted } from "../../pasted";

export const EXAMPLES = [
  { game: "chess", key: "example_chess", position: "4r2k/6pp/8/4N3/2Q5/8/8/6K1 w - - 0 1" },
  { game: "shogi", key: "example_shogi", position: "7k1/7l1/5+R3/9/9/9/9/9/9 b GS 1" },
] as const;

export function solve(game: string, position: string, title: string, seconds: number, shortest: boolean): Promise<Job> {
  const { start, moves } = pasted(position);
  const wish: Schemas["NewProblem"] = { title, request: { game, position: { start, moves }, seconds, shortest } };
  return call<Job>("POST", "/solve", wish);
}
