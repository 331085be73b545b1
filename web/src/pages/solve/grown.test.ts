// The tree of a solver is walked by moves, whatever the numbers of its nodes.
import { describe, expect, it } from "vitest";
import { type GrownNode, childrenOf, follow, next, verdict } from "./grown";

const node = (parent: number | null, move: string, pn: number, dn: number, work: number): GrownNode => ({ parent, move, pn, dn, plies: null, work, moves: 3 });

describe("the tree of a solver", () => {
  const tree = [node(null, "", 2, 3, 90), node(0, "a", 2, 5, 20), node(0, "b", 3, 1, 60), node(1, "c", 0, 9, 5), node(0, "d", 9, 0, 1)];
  const below = childrenOf(tree);
  it("stands in the order of work", () => {
    expect(below[0]).toEqual([2, 1, 4]);
    expect(below[3]).toEqual([]);
  });
  it("is followed as far as it goes", () => {
    expect(follow(tree, below, ["a", "c", "x"])).toEqual([0, 1, 3]);
    expect(follow(tree, below, [])).toEqual([0]);
  });
  it("says what is solved and where to dig", () => {
    expect(tree.map(verdict)).toEqual(["open", "open", "open", "proved", "disproved"]);
    expect(next(tree, below[0]!, true)).toBe(1);
    expect(next(tree, below[0]!, false)).toBe(2);
    expect(next(tree, below[1]!, true)).toBeNull();
  });
});
