// The store of a proof that is stepped through: the way so far, who defends, and the position there.
import { useEffect, useMemo } from "preact/hooks";
import { type Standing, api } from "../../api";
import { useStore } from "../../store";
import { t } from "../../words";
import { useKeys } from "../keys";
import { type Proof, lengths, mainLine, sorted } from "./proof";

interface StepperState {
  /** The nodes from the start to where one is. */
  path: number[];
  /** Whether a person moves for the defender. */
  defends: boolean;
  stand: Standing | null;
  problem: unknown;
}

export function useStepper(game: string, proof: Proof) {
  const long = useMemo(() => lengths(proof), [proof]);
  const [state, set] = useStore<StepperState>(() => ({ path: [0], defends: false, stand: null, problem: null }));
  const { path, defends } = state;
  const setPath = (change: (old: number[]) => number[]) => set((now) => ({ path: change(now.path) }));
  const here = path[path.length - 1]!;
  const node = proof.nodes[here]!;
  const moves = sorted(proof, long, here);
  const isOver = node.moves.length === 0;
  const play = (to: number) => setPath((old) => [...old, to]);
  const back = () => setPath((old) => (old.length > 1 ? old.slice(0, defends && old.length > 2 ? -2 : -1) : old));
  const toStart = () => set({ path: [0] });
  const toEnd = () => setPath((old) => mainLine(proof, long, old));
  const codes = path.slice(1).map((id, i) => proof.nodes[path[i]!]!.moves.find(({ to }) => to === id)!.move);
  useEffect(() => {
    let over = false;
    // The moves from the start, and not the position alone: the line is told in words.
    api.position(game, { rules: "", start: proof.nodes[0]!.position, moves: codes }).then((stand) => !over && set({ stand }), (problem) => set({ problem }));
    return () => {
      over = true;
    };
  }, [codes.join(" ")]);
  useEffect(() => {
    // Against a person the attacker answers at once, from the proof.
    if (!defends || !node.attacker_moves || moves.length === 0) return;
    const soon = setTimeout(() => play(moves[0]!.to), path.length === 1 ? 0 : 300);
    return () => clearTimeout(soon);
  }, [defends, here]);
  useKeys((key) => {
    // Keys may come faster than pictures: each goes on from where the one before it led.
    const on = (f: (old: number[]) => number[]) => () => setPath(f);
    const beside = (n: number) => (old: number[]) => {
      const siblings = old.length < 2 ? [] : sorted(proof, long, old[old.length - 2]!);
      const to = siblings[siblings.findIndex((m) => m.to === old[old.length - 1]) + n]?.to;
      return to === undefined ? old : [...old.slice(0, -1), to];
    };
    const forward = (old: number[]) => {
      const next = sorted(proof, long, old[old.length - 1]!)[0];
      return next ? [...old, next.to] : old;
    };
    const free: Record<string, () => void> = { ArrowRight: on(forward), ArrowUp: on(beside(-1)), ArrowDown: on(beside(1)), End: toEnd };
    const deeds: Record<string, () => void> = { ArrowLeft: back, Home: toStart, ...(defends ? {} : free) };
    return deeds[key] ?? null;
  });
  /** Plays a move of the board, if the proof knows it. */
  const tried = (move: string) => {
    const found = node.moves.find((m) => m.move === move);
    if (found) play(found.to);
  };
  const words = isOver ? t("mated") : node.attacker_moves ? t("attacker_moves") : t(defends ? "you_defend" : "defender_moves", { n: node.moves.length });
  return { game, proof, long, codes, ...state, set, here, node, moves, isOver, words, play, back, toStart, toEnd, tried };
}

export type Stepper = ReturnType<typeof useStepper>;
