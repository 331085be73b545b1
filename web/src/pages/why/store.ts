// The store of an explanation: which moves are compared, and what the server says of them.
import { useEffect, useRef } from "preact/hooks";
import { type WhyAnswer, api } from "../../api";
import { useStore } from "../../store";

interface WhyState {
  /** The move that is explained; empty: the best one. */
  of: string;
  /** The move it is compared with; empty: the best of the others. */
  vs: string;
  answer: WhyAnswer | null;
  /** Moves that may be compared. */
  others: string[];
  problem: unknown;
  isCopied: boolean;
}

/** `seq` changes when there is something new to explain. */
export function useWhy(id: number, path: string, at: number | null, seq: number) {
  const [state, set] = useStore<WhyState>(() => ({ of: "", vs: "", answer: null, others: [], problem: null, isCopied: false }));
  const { of, vs } = state;
  useEffect(() => set({ of: "", vs: "" }), [id, path]);
  const question = useRef("");
  question.current = JSON.stringify([id, path, of, vs, at]);
  useEffect(() => {
    // An answer that took longer than the search needed for something new still counts: else a slow machine shows none.
    const asked = question.current;
    const current = () => question.current === asked;
    api.why(id, path, of, vs, at).then(
      (answer) => current() && set({ problem: null, isCopied: false, answer }),
      (problem) => current() && set({ answer: null, problem }),
    );
    api.treeRows(id, path, at).then((rows) => current() && set({ others: [...new Set(rows.filter((r) => r.effort > 0 && r.move).map((r) => r.move))] }), () => undefined);
  }, [id, path, of, vs, at, seq]);
  return { ...state, set };
}
