// The board of chess: chessground, told which moves there are.
import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.brown.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import { Chessground } from "@lichess-org/chessground";
import type { Api } from "@lichess-org/chessground/api";
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { Key } from "@lichess-org/chessground/types";
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../store";
import { Marks, chessSquare } from "./Marks";
import { Promotion } from "./Promotion";
import { type BoardProps, INK } from "./board";

const from = (code: string) => code.slice(0, 2) as Key;
const to = (code: string) => code.slice(2, 4) as Key;
const brushes = INK.map((color, i) => [`c${i}`, { key: `c${i}`, color, opacity: 0.8, lineWidth: 10 }]);

interface ChessState {
  /** Moves of a pawn among which one chooses by its new piece. */
  asked: string[];
  /** Whether the board has a size: chessground would draw arrows at no number on one that is not laid out yet, or hidden. */
  hasSize: boolean;
}

export default function ChessBoard(props: BoardProps) {
  const box = useRef<HTMLDivElement>(null);
  const ground = useRef<Api | null>(null);
  const now = useRef(props);
  now.current = props;
  const [{ asked, hasSize }, set] = useStore<ChessState>(() => ({ asked: [], hasSize: false }));
  const ask = (asked: string[]) => set({ asked });

  const moved = (orig: Key, dest: Key) => {
    const fitting = now.current.legal.map((m) => m.move).filter((m) => from(m) === orig && to(m) === dest);
    if (fitting.length > 1) ask(fitting);
    else if (fitting[0]) now.current.onMove(fitting[0]);
  };

  useEffect(() => {
    const api = Chessground(box.current!, {
      animation: { duration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 150 },
      movable: { free: false, events: { after: moved } },
      drawable: { brushes: Object.fromEntries(brushes) as never },
    });
    ground.current = api;
    const watcher = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      set({ hasSize: width > 0 && height > 0 });
      if (width > 0 && height > 0) api.redrawAll();
    });
    watcher.observe(box.current!);
    return () => {
      watcher.disconnect();
      api.destroy();
    };
  }, []);

  /** The position that the ground was told last: told again, it would forget arrows and circles that were drawn on it. */
  const told = useRef("");
  useEffect(() => {
    const { position, side, legal, last, arrows, flipped, open } = props;
    const color = side === 0 ? "white" : "black";
    const dests = new Map<Key, Key[]>();
    for (const { move } of legal) dests.set(from(move), [...(dests.get(from(move)) ?? []), to(move)]);
    const shapes: DrawShape[] = (hasSize ? arrows : []).map(({ move, rank, chip, share }) => ({
      orig: from(move),
      dest: to(move),
      brush: `c${Math.min(rank - 1, INK.length - 1)}`,
      modifiers: { lineWidth: 4 + 10 * share },
      label: chip ? { text: chip } : undefined,
    }));
    const fen = told.current === position ? {} : { fen: position };
    told.current = position;
    ground.current?.set({
      ...fen,
      orientation: flipped ? "black" : "white",
      turnColor: color,
      lastMove: last ? [from(last), to(last)] : [],
      movable: { color: open ? color : undefined, dests: open ? dests : new Map() },
      drawable: { autoShapes: shapes },
    });
  });

  const choose = (move: string | null) => {
    ask([]);
    if (move) props.onMove(move);
    else ground.current?.set({ fen: props.position });
  };
  return (
    <div class="board-square">
      <div ref={box} class="cg-wrap" />
      {props.marks && <Marks marks={props.marks} columns={8} rows={8} where={chessSquare} flipped={props.flipped} />}
      {asked.length > 0 && <Promotion moves={asked} legal={props.legal} side={props.side} isFlipped={props.flipped} onChoose={choose} />}
    </div>
  );
}
