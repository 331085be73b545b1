// What is typed into a field for a number.
import { expect, test } from "vitest";
import { readNumber } from "./NumberField";

test("what is half typed is no number yet, and what is out of bounds none at all", () => {
  expect(["", "-", "5.", "-3.5", "abc", "1e3"].map((text) => readNumber(text, { step: 0.5 }))).toEqual([null, null, 5, -3.5, null, null]);
  expect(["0", "1", "200", "2.6", "900"].map((text) => readNumber(text, { min: 1, max: 500 }))).toEqual([null, 1, 200, 3, null]);
});
