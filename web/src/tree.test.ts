// Records as the page keeps them: nothing of a tree is lost on the way there and back, and a place in it is found again.
import { describe, expect, it } from "vitest";
import type { RecordView } from "./api";
import { began, changed, redone, undone } from "./history";
import * as tree from "./tree";

const mv = (text: string) => ({ move: text, text });

/** A record with everything: notes of the root, variations that nest, clocks, glyphs, a value, a position set up. */
const RECORD: RecordView = {
  rules: "",
  start: null,
  tags: [["White", "alice"], ["Black", "bob"]],
  outcome: { winner: 0, by: "time", points: null },
  nodes: [
    { parent: 0, comment: "before" },
    { parent: 0, move: "e2e4", text: "e4", left: [180, 0], value: 18 },
    { parent: 1, move: "e7e5", text: "e5", glyphs: [5, 14], visits: [[3, 4]] },
    { parent: 1, move: "c7c5", text: "c5", value: -31999 },
    { parent: 3, setup: "8/8/8/8 w" },
    { parent: 4, move: "a1a2", text: "Ka2", value: 7 },
  ],
};

it("tells the last mistakes on the way to where one stands, for their stones", () => {
  const line = Array.from({ length: 12 }, (_, i) => ({ parent: i, move: `A${i + 1}`, text: `A${i + 1}`, ...(i % 3 === 0 ? { glyphs: [4] } : i === 1 ? { glyphs: [6] } : {}) }));
  const read = tree.fromRecord({ ...RECORD, nodes: [{ parent: 0 }, ...line, { parent: 1, move: "B2", text: "B2", glyphs: [2] }] });
  expect(tree.faults({ ...read, here: 12 })).toEqual([{ move: "A1", sign: "??" }, { move: "A2", sign: "?!" }, ...["A4", "A7", "A10"].map((move) => ({ move, sign: "??" }))]);
  expect(tree.faults({ ...read, here: 13 }), "in a variation").toEqual([{ move: "A1", sign: "??" }, { move: "B2", sign: "?" }]);
  expect(tree.faults({ ...read, here: 0 })).toEqual([]);
});

describe("a record", () => {
  it("comes back whole", () => {
    expect(tree.toRecord(tree.fromRecord(RECORD))).toEqual(RECORD);
  });
  it("keeps everything beside what is added, and loses only what is taken back", () => {
    const read = tree.fromRecord(RECORD);
    const more = tree.play({ ...read, here: 1 }, mv("d7d5"));
    expect(more.edits).toBe(1);
    const nodes = [...RECORD.nodes, { parent: 1, ...mv("d7d5") }];
    expect(tree.toRecord(more).nodes).toEqual(nodes);
    const cut = tree.cut({ ...more, here: 3 });
    expect(tree.toRecord(cut).nodes).toEqual([...nodes.slice(0, 3), { parent: 1, ...mv("d7d5") }]);
    expect([cut.tags, cut.outcome]).toEqual([RECORD.tags, RECORD.outcome]);
  });
  it("shows its values for the first side, where the mover is known", () => {
    const { nodes } = tree.fromRecord(RECORD);
    expect(nodes.map((node) => node.value)).toEqual([null, "+0.18", "1-0", "#1", null, null]);
    expect(nodes[1]!.chance).toBeGreaterThan(0.5);
    // A record in which the second side begins: values turn.
    expect(tree.fromRecord(RECORD, 1).nodes[1]!.value).toBe("-0.18");
  });
  it("counts edits of words, not results of searches", () => {
    const read = tree.fromRecord(RECORD);
    expect(tree.note(read, 1, { chance: 0.5, value: "x" }).edits).toBe(0);
    expect(tree.note(read, 1, { comment: "x" }).edits).toBe(1);
  });
  it("is entered again where one stood, behind a position that was set up too", () => {
    const read = tree.fromRecord(RECORD);
    for (const here of [0, 1, 2, 3, 4, 5]) {
      const at = tree.place(read, here);
      expect(tree.standAt(read, at, at.moves.length, [])!.here).toBe(here);
    }
    // A move of the address that was not saved yet is added beside the others.
    const at = { rules: "", start: null, moves: ["e2e4", "g8f6"] };
    const more = tree.standAt(read, at, 1, [mv("e2e4"), mv("g8f6")])!;
    expect([more.here, more.nodes.length, tree.has(more, at)]).toEqual([1, 7, true]);
    expect(tree.standAt(read, { ...at, rules: "chess960" }, 0, [])).toBeNull();
  });
});

describe("taking back", () => {
  it("deleted the rest of a loaded record", () => {
    const read = tree.fromRecord(RECORD);
    for (const here of [1, 2, 3, 4, 5]) {
      const back = tree.takeBack({ ...read, here });
      expect([back.here, back.edits]).toEqual([read.nodes[here]!.parent, 0]);
      expect(tree.toRecord(back)).toEqual(RECORD);
    }
  });
  it("removes only a move that was just played and on which nothing hangs", () => {
    const played = tree.play(tree.play(tree.newTree(), mv("e4")), mv("e5"));
    const back = tree.takeBack(played);
    expect(tree.toRecord(back).nodes.map((node) => node.move)).toEqual([undefined, "e4"]);
    // The move before has a later one: it stays.
    expect(tree.toRecord(tree.takeBack({ ...played, here: 1 })).nodes.length).toBe(3);
    expect(tree.toRecord(tree.takeBack(tree.note(played, 2, { comment: "so" }))).nodes.length).toBe(3);
    expect(tree.takeBack(tree.newTree()).here).toBe(0);
  });
});

describe("a record with its history", () => {
  const start = began(tree.fromRecord(RECORD));
  it("gets a deleted branch back, and loses it again", () => {
    const cut = changed(changed(start, (now) => ({ ...now, here: 1 })), tree.cut);
    expect([tree.countFrom(start.now, 1), tree.toRecord(cut.now).nodes.length]).toEqual([5, 1]);
    const back = undone(cut);
    expect(tree.toRecord(back.now)).toEqual(RECORD);
    // It is saved like any other edit.
    expect(back.now.edits).toBeGreaterThan(cut.now.edits);
    expect(tree.toRecord(redone(back).now).nodes.length).toBe(1);
    expect(undone(start)).toEqual(start);
  });
  it("takes the letters of one comment for one step, and no step for what a search finds", () => {
    const typed = ["a", "ab", "abc"].reduce((h, comment) => changed(h, (now) => tree.note(now, 1, { comment }), "comment 1"), start);
    expect(changed(typed, (now) => tree.note(now, 1, { chance: 0.5 })).past.length).toBe(1);
    expect(undone(typed).now.nodes[1]!.comment).toBe("");
  });
});
