// The boards by game; each is loaded when its game is shown.
import { lazy, Suspense } from "preact/compat";
import type { BoardProps } from "./board";

const LOAD = {
  chess: () => import("./Chess"),
  shogi: () => import("./Shogi"),
  go: () => import("./Go"),
};
const BOARDS = { chess: lazy(LOAD.chess), shogi: lazy(LOAD.shogi), go: lazy(LOAD.go) };

/** Loads the board of a game that will be shown, while other things are made ready. */
export function preload(game: string): void {
  void LOAD[game as keyof typeof LOAD]?.();
}

export function Board({ game, ...props }: BoardProps & { game: string }) {
  const Shown = BOARDS[game as keyof typeof BOARDS];
  return (
    <Suspense fallback={<div class={`board-square board-shape ${game}`} aria-busy="true" />}>
      {Shown ? <Shown {...props} /> : <pre>{props.position}</pre>}
    </Suspense>
  );
}
