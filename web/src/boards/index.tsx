// The boards by game; each is loaded when its game is shown.
import { lazy, Suspense } from "preact/compat";
import type { BoardProps } from "./board";

const BOARDS = {
  chess: lazy(() => import("./Chess")),
  shogi: lazy(() => import("./Shogi")),
  go: lazy(() => import("./Go")),
};

export function Board({ game, ...props }: BoardProps & { game: string }) {
  const Shown = BOARDS[game as keyof typeof BOARDS];
  return (
    <Suspense fallback={<div class="board-square" aria-busy="true" />}>
      {Shown ? <Shown {...props} /> : <pre>{props.position}</pre>}
    </Suspense>
  );
}
