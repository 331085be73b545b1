// The board of shogi: shogiground with art and styles of our own, told which moves there are.
import "./shogi.css";
import { Shogiground } from "shogiground";
import type { Api } from "shogiground/api";
import type { DrawShape } from "shogiground/draw";
import type { Key, Piece, PieceName } from "shogiground/types";
import { createPortal } from "preact/compat";
import { useEffect, useRef } from "preact/hooks";
import { hasLetters } from "../notation";
import { useStore } from "../store";
import { language } from "../words";
import { Marks, shogiSquare } from "./Marks";
import { type BoardProps, INK } from "./board";

const ROLES: Record<string, string> = {
  P: "pawn",
  L: "lance",
  N: "knight",
  S: "silver",
  G: "gold",
  B: "bishop",
  R: "rook",
};
const PROMOTED: Record<string, string> = {
  pawn: "tokin",
  lance: "promotedlance",
  knight: "promotedknight",
  silver: "promotedsilver",
  bishop: "horse",
  rook: "dragon",
};
const UNPROMOTED = Object.fromEntries(Object.entries(PROMOTED).map(([a, b]) => [b, a]));
const LETTERS = Object.fromEntries(Object.entries(ROLES).map(([a, b]) => [b, a]));

const isDrop = (code: string) => code[1] === "*";
const from = (code: string) => code.slice(0, 2) as Key;
const to = (code: string) => code.slice(2, 4) as Key;

/** Images of pieces, named `sente-pawn`; the builder puts them into the style sheet. */
const images = import.meta.glob<string>("./shogi/*.svg", { eager: true, query: "?inline", import: "default" });
const drawn = Object.entries(images).map(([file, url]) => {
  const [, color, role] = /(\w+)-(\w+)\.svg/.exec(file)!;
  return `.shogi piece.${color}.${role}{background-image:url("${url}")}`;
});

/** A piece with a letter in place of its sign: promoted ones in red with a plus, as `+R`. */
function lettered(color: string, role: string): string {
  const plain = UNPROMOTED[role];
  const letter = role === "king" ? "K" : `${plain ? "+" : ""}${LETTERS[plain ?? role]}`;
  const turn = color === "gote" ? ' transform="rotate(180 50 50)"' : "";
  const body = '<path d="M50 9 72 20 83 90 17 90 28 20Z" fill="#f2d58f" stroke="#6b4a14" stroke-width="2.5" stroke-linejoin="round"/>';
  const ink = plain ? "#b3261e" : "#1c1b19";
  const text = `<text x="50" y="74" font-family="sans-serif" font-weight="bold" font-size="${plain ? 38 : 46}" text-anchor="middle" fill="${ink}">${letter}</text>`;
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><g${turn}>${body}${text}</g></svg>`)}`;
}

/** The style sheet of the pieces: with the signs of the game, or with letters. */
function sheet(isLettered: boolean): string {
  if (!isLettered) return drawn.join("");
  const roles = [...Object.values(ROLES), ...Object.values(PROMOTED), "king"];
  return ["sente", "gote"].flatMap((color) => roles.map((role) => `.shogi piece.${color}.${role}{background-image:url("${lettered(color, role)}")}`)).join("");
}

export default function ShogiBoard(props: BoardProps) {
  const box = useRef<HTMLDivElement>(null);
  const ground = useRef<Api | null>(null);
  const now = useRef(props);
  now.current = props;
  const [{ squares, isLettered }, set] = useStore(() => ({ squares: null as Element | null, isLettered: hasLetters(language) }));

  const has = (code: string) => now.current.legal.some((m) => m.move === code);
  const moved = (orig: Key, dest: Key, prom: boolean) => now.current.onMove(`${orig}${dest}${prom ? "+" : ""}`);
  const dropped = (piece: Piece, key: Key) => now.current.onMove(`${LETTERS[piece.role]}*${key}`);

  useEffect(() => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const api = Shogiground(
      {
        animation: { enabled: !calm, duration: 150 },
        scaleDownPieces: true,
        coordinates: { enabled: true, files: "numeric", ranks: isLettered ? "numeric" : "japanese" },
        hands: { inlined: true, roles: Object.values(ROLES).reverse() },
        movable: { free: false, events: { after: moved } },
        droppable: { free: false, events: { after: dropped } },
        promotion: {
          promotesTo: (role) => PROMOTED[role],
          unpromotesTo: (role) => UNPROMOTED[role],
          movePromotionDialog: (a, b) => has(`${a}${b}`) && has(`${a}${b}+`),
          forceMovePromotion: (a, b) => !has(`${a}${b}`) && has(`${a}${b}+`),
        },
      },
      { board: box.current! },
    );
    ground.current = api;
    set({ squares: box.current!.querySelector("sg-board") });
    // Esc takes a move back whose piece is still to be chosen, as on the board of chess.
    const leave = (event: KeyboardEvent) => event.key === "Escape" && api.state.promotion.current && api.cancelMoveOrDrop();
    addEventListener("keydown", leave);
    return () => {
      removeEventListener("keydown", leave);
      api.destroy();
    };
  }, []);

  /** The position that the ground was told last: told again, it would forget arrows and circles that were drawn on it. */
  const told = useRef("");
  useEffect(() => {
    const { position, side, legal, last, arrows, flipped, open } = props;
    const [board, , hands] = position.split(" ");
    const color = side === 0 ? "sente" : "gote";
    const dests = new Map<Key, Key[]>();
    const drops = new Map<PieceName, Key[]>();
    for (const { move } of legal) {
      if (isDrop(move)) {
        const name = `${color} ${ROLES[move[0]!]}` as PieceName;
        drops.set(name, [...(drops.get(name) ?? []), to(move)]);
      } else {
        dests.set(from(move), [...(dests.get(from(move)) ?? []), to(move)]);
      }
    }
    const shapes: DrawShape[] = arrows.map(({ move, rank, chip }) => {
      const orig = isDrop(move) ? ({ role: ROLES[move[0]!]!, color } as Piece) : from(move);
      return { orig, dest: to(move), brush: `c${Math.min(rank - 1, INK.length - 1)}`, description: chip };
    });
    const sfen = told.current === position ? {} : { sfen: { board, hands: hands === "-" ? "" : hands } };
    told.current = position;
    ground.current?.set({
      ...sfen,
      orientation: flipped ? "gote" : "sente",
      turnColor: color,
      activeColor: open ? color : undefined,
      lastDests: last ? (isDrop(last) ? [to(last)] : [from(last), to(last)]) : [],
      movable: { dests: open ? dests : new Map() },
      droppable: { dests: open ? drops : new Map() },
      drawable: { autoShapes: shapes },
    });
  });

  return (
    <div class="shogi">
      <style>{sheet(isLettered)}</style>
      <div ref={box} />
      {props.marks && squares && createPortal(<Marks marks={props.marks} columns={9} rows={9} tall={12 / 11} where={shogiSquare} flipped={props.flipped} />, squares)}
    </div>
  );
}
