// Which pieces carry the difference between two ends, and how they are marked.
import { describe, expect, it } from "vitest";
import type { WhyCandidate } from "../../api";
import { atEnds, manMarks, pointMarks } from "./values";

const end = (worths: [string, number][]) => ({ worths }) as unknown as WhyCandidate;

describe("pieces at the ends of lines", () => {
  const worths = atEnds({ worths: [["e4", 100]], of: end([["e4", 120], ["f3", 330]]), vs: end([["e4", 110], ["c6", -310]]) });
  it("stand by how much they differ", () => {
    expect(worths.map((man) => [man.at, man.now, man.of, man.vs, man.ring])).toEqual([
      ["f3", null, 330, null, true], ["c6", null, null, -310, true], ["e4", 100, 120, 110, false],
    ]);
  });
  it("are marked with a sign and where they stand alone", () => {
    expect(manMarks("chess", worths, "of").map((mark) => [mark.at, mark.text, mark.ring])).toEqual([["f3", "+3.3", true], ["e4", "+1.2", false]]);
    expect(manMarks("chess", worths, "vs")[0]).toMatchObject({ at: "c6", text: "−3.1" });
  });
  it("carry nothing where there is no other line", () => {
    expect(atEnds({ worths: [], of: end([["e4", 120]]), vs: null })[0]!.ring).toBe(false);
  });
});

it("points are named from the top left", () => {
  expect(pointMarks([[1, 0], [-0.5, 0]]).map((mark) => [mark.at, mark.weight])).toEqual([["A2", 1], ["B2", 0], ["A1", -0.5], ["B1", 0]]);
});
