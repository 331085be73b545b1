// The store of the page of the fleet: what the server says of it, asked again every other second, and what can be done.
import { useEffect } from "preact/hooks";
import { type Schemas, type Whole, call } from "../../api";
import { pageContext, useStore } from "../../store";

export type FleetPage = Whole<Schemas["FleetPage"]>;
export type FleetState = Whole<Schemas["FleetState"]>;
export type Machine = FleetState["machines"][0];
export type Run = FleetState["runs"][0];
export type Version = FleetState["builds"][0];

/** Milliseconds between two looks. */
const LOOK_MS = 2000;

export const fleet = {
  show: () => call<FleetPage>("GET", "/fleet"),
  choose: (address: string) => call<FleetPage>("POST", "/fleet", { address }),
  forget: () => call<FleetPage>("DELETE", "/fleet"),
  act: (run: string, deed: "pause" | "resume" | "stop") => call<FleetPage>("POST", `/fleet/runs/${run}/${deed}`),
  drop: (run: string, worker: string, undo: boolean) => call<FleetPage>("POST", `/fleet/runs/${run}/workers`, { worker, undo }),
  logs: () => call<Schemas["FleetLine"][]>("GET", "/fleet/logs?last=100"),
};

interface State {
  /** None until the server has told. */
  page: FleetPage | null;
  /** Whether the server of this page does not answer. */
  isLost: boolean;
  isBusy: boolean;
  problem: unknown;
}

export function useFleetStore() {
  const [state, set] = useStore<State>(() => ({ page: null, isLost: false, isBusy: false, problem: null }));
  useEffect(() => {
    let isOver = false;
    let timer = 0;
    const look = async () => {
      const page = await fleet.show().catch(() => null);
      if (isOver) return;
      set(page ? { page, isLost: false } : { isLost: true });
      timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  /** Does something, and shows what the server says then. */
  const ask = (asked: Promise<FleetPage>) => {
    set({ isBusy: true });
    asked.then((page) => set({ page, problem: null }), (problem: unknown) => set({ problem })).finally(() => set({ isBusy: false }));
  };
  return { ...state, set, ask };
}

export const { Provider: FleetProvider, use: useFleet } = pageContext<ReturnType<typeof useFleetStore>>("fleet");

/** Workers of which something is wrong: a silent one, one that a run has set aside, one with faults. */
export function troubled(state: FleetState): string[] {
  const setAside = state.runs.flatMap((run) => run.excluded.map((excluded) => excluded.worker));
  const isMeant = (machine: Machine) => setAside.includes(machine.name) || setAside.includes(machine.id);
  return state.machines.filter((machine) => machine.is_silent || machine.faults > 0 || isMeant(machine)).map((machine) => machine.name);
}

/** The name of a worker that is named by its identifier. */
export function nameOf(state: FleetState, run: Run, worker: string): string {
  const known = [...state.machines, ...run.shares].find(({ id }) => id === worker);
  return known?.name ?? worker;
}

/** A chance in few digits: 0.25, 3e-7. */
export const chance = (p: number): string => (p < 0.01 ? p.toExponential(0) : p.toFixed(2));
