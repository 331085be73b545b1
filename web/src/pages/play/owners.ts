// Whose the points of go will be, while one analyses: asked once for each position.
import { useEffect } from "preact/hooks";
import { api } from "../../api";
import type { BoardMark } from "../../boards/board";
import { useStore } from "../../store";
import { pointMarks } from "../why/values";
import type { PlayCore } from "./store";

/** The marks for the board; none where nothing is analysed, or the evaluation knows no owners. */
export function useOwners({ game, place, placeKey, session, search, isHere, state: { hasOwners, analysing } }: PlayCore): BoardMark[] | undefined {
  const [{ known }, set] = useStore(() => ({ known: null as { key: string; marks: BoardMark[] } | null }));
  // The first findings show that the session has taken the position.
  const isWanted = game === "go" && hasOwners && analysing && isHere && session.id !== null && search?.found != null;
  useEffect(() => {
    if (!isWanted || known?.key === placeKey) return;
    let current = true;
    api.owners(session.id!, place).then(({ rows }) => current && set({ known: { key: placeKey, marks: pointMarks(rows ?? []) } }), () => undefined);
    return () => {
      current = false;
    };
  }, [isWanted, placeKey]);
  return isWanted && known?.key === placeKey && known.marks.length > 0 ? known.marks : undefined;
}
