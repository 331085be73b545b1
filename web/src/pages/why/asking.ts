// The question "Why not my move?": which move is asked about, how long its search may take, and what came back.
import { useEffect, useRef } from "preact/hooks";
import { type GamePosition, api } from "../../api";
import { useStore } from "../../store";
import * as tree from "../../tree";
import type { PlayCore } from "../play/store";
import { askedNode } from "./asked";
import type { WhyNotAnswer } from "./whyNot";

export interface Asked {
  /** The node where one stood when it was asked. */
  here: number;
  place: GamePosition;
  text: string;
  answer: WhyNotAnswer | null;
}

/** The question about the move that led here, and its answer as long as one stays here. */
export function useWhyNot({ game, family, record, session, opponent, standing, isLoaded, isHere }: Pick<PlayCore, "game" | "family" | "record" | "session" | "isHere"> & Pick<PlayCore["state"], "opponent" | "standing" | "isLoaded">) {
  const [{ asked: last, seconds, problem }, set] = useStore(() => ({ asked: null as Asked | null, seconds: 2, problem: null as unknown }));
  const asked = last?.here === record.here ? last : null;
  // A mark of a report leads here with its question.
  const isWanted = useRef(new URLSearchParams(location.search).has("whynot"));
  // What is known of another place than this one says nothing of who moved here.
  const about = isWanted.current ? (record.nodes[record.here]!.move ? record.here : null) : isHere ? askedNode(record, 1 - standing.side, opponent.plays) : null;
  const move = about === null ? null : record.nodes[about]!.move;
  const ask = async () => {
    if (about === null || !move) return;
    const { here } = record;
    const place = tree.place(record, record.nodes[about]!.parent);
    const { text } = move;
    set({ asked: { here, place, text, answer: null }, problem: null });
    try {
      // A page that has not searched yet has no session: one is made for this question.
      const own = session.id === null ? (await api.start(game, family, place)).id : null;
      const answer = await api.whyNot(own ?? session.id!, place, move.move, seconds * 1000);
      if (own !== null) void api.end(own).catch(() => undefined);
      set((now) => (now.asked?.here === here && now.asked.text === text ? { asked: { here, place, text, answer } } : {}));
    } catch (problem) {
      set({ problem, asked: null });
    }
  };
  useEffect(() => {
    if (!isWanted.current || !isLoaded || !move) return;
    isWanted.current = false;
    void ask();
  }, [isLoaded, move]);
  return { asked, text: move?.text ?? null, seconds, problem, ask, setSeconds: (seconds: number) => set({ seconds }), close: () => set({ asked: null }), forget: () => set({ problem: null }) };
}
