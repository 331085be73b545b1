// What the page of the fleet says of workers: who has trouble, whose results are set aside, chances in few digits.
import { expect, it, vi } from "vitest";

// The words are chosen where a browser is.
vi.hoisted(() => {
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { languages: ["en"] });
});
const { chance, nameOf, troubled } = await import("./store");
type State = import("./store").FleetState;

const machine = (name: string, change: object = {}) => ({ name, id: `id-${name}`, is_silent: false, faults: 0, ...change });
const run = { shares: [{ name: "gone", id: "id-gone" }], excluded: [{ worker: "id-c", reason: "late" }] };
const state = {
  machines: [machine("a"), machine("b", { is_silent: true }), machine("c"), machine("d", { faults: 1 })],
  runs: [run],
} as unknown as State;

it("names workers with something wrong, also those that a run named by their identifier", () => {
  expect(troubled(state)).toEqual(["b", "c", "d"]);
  expect(["id-c", "id-gone", "other"].map((worker) => nameOf(state, state.runs[0]!, worker))).toEqual(["c", "gone", "other"]);
});

it("writes chances in few digits", () => {
  expect([0.25, 0.01, 0.0012, 3.2e-7, 1].map(chance)).toEqual(["0.25", "0.01", "1e-3", "3e-7", "1.00"]);
});
