// The tree as the page keeps it: typed arrays by slot, filled from the frames of the server, children found in one pass.
import type { Schemas, Whole } from "../../api";

export const LEFT_OUT = 1;
export const CUT = 2;
export const PROVEN = 4;
export const PASS = 8;
export const CAPTURE = 16;
export const CHECK = 32;
export const OVER = 64;
export const KNOWN = 128;

export type Order = "effort" | "value" | "prior" | "order";

/** Bytes before the nodes of a frame, and of each node. */
export const HEAD = 16;
export const RECORD = 32;

/** Where a search stands, as the server says before each frame. */
export type Head = Whole<Schemas["TreeHead"]>;

export class Forest {
  /** How many slots are in use, dead ones among them. */
  length = 0;
  id = new Uint32Array(1024);
  parent = new Int32Array(1024);
  code = new Uint16Array(1024);
  ply = new Uint8Array(1024);
  flags = new Uint8Array(1024);
  /** For the side to move at the root, in -1..1. */
  value = new Float32Array(1024);
  effort = new Float32Array(1024);
  prior = new Float32Array(1024);
  /** Depth left, or quality. */
  aux = new Float32Array(1024);
  extra = new Uint32Array(1024);
  alive = new Uint8Array(1024);
  /** Slots by number of the node. */
  slots = new Map<number, number>();
  codes: string[] = [];
  /** Grows with each change. */
  version = 0;
  private free: number[] = [];
  private starts = new Uint32Array(1025);
  private list = new Uint32Array(0);
  private listed = -1;
  /** Children by effort with its sum, of slots that were drawn. */
  private ranks = new Map<number, { list: Uint32Array; sum: number }>();

  /** The number of nodes. */
  get size(): number {
    return this.slots.size;
  }

  /** The slot of the root; -1 where there is no tree. */
  get root(): number {
    return this.slots.get(0) ?? -1;
  }

  clear(): void {
    this.slots.clear();
    this.free = [];
    this.alive.fill(0);
    this.length = 0;
    this.version++;
  }

  /** Takes a frame of the server. */
  read(frame: ArrayBuffer): void {
    const view = new DataView(frame);
    if (view.getUint8(0) !== 1) throw new Error(`frame of version ${view.getUint8(0)}`);
    const kind = view.getUint8(1);
    const count = view.getUint32(8, true);
    if (kind === 3) {
      for (let i = 0; i < count; i++) this.remove(view.getUint32(HEAD + 4 * i, true));
    } else {
      if (kind === 1) this.clear();
      for (let i = 0; i < count; i++) this.put(view, HEAD + RECORD * i);
    }
    this.version++;
  }

  private remove(id: number): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    this.slots.delete(id);
    this.alive[slot] = 0;
    this.free.push(slot);
  }

  private put(view: DataView, at: number): void {
    const id = view.getUint32(at, true);
    let slot = this.slots.get(id);
    if (slot === undefined) {
      slot = this.free.pop() ?? this.length++;
      if (slot >= this.id.length) this.grow();
      this.slots.set(id, slot);
      this.alive[slot] = 1;
      this.id[slot] = id;
    }
    this.parent[slot] = id === 0 ? -1 : (this.slots.get(view.getUint32(at + 4, true)) ?? -1);
    this.code[slot] = view.getUint16(at + 8, true);
    this.ply[slot] = view.getUint8(at + 10);
    this.flags[slot] = view.getUint8(at + 11);
    this.value[slot] = view.getFloat32(at + 12, true);
    this.effort[slot] = view.getFloat32(at + 16, true);
    this.prior[slot] = view.getFloat32(at + 20, true);
    this.aux[slot] = view.getFloat32(at + 24, true);
    this.extra[slot] = view.getUint32(at + 28, true);
  }

  private grow(): void {
    const room = this.id.length * 2;
    const wider = <A extends { set(from: A): void }>(from: A, to: A): A => {
      to.set(from);
      return to;
    };
    this.id = wider(this.id, new Uint32Array(room));
    this.parent = wider(this.parent, new Int32Array(room));
    this.code = wider(this.code, new Uint16Array(room));
    this.ply = wider(this.ply, new Uint8Array(room));
    this.flags = wider(this.flags, new Uint8Array(room));
    this.value = wider(this.value, new Float32Array(room));
    this.effort = wider(this.effort, new Float32Array(room));
    this.prior = wider(this.prior, new Float32Array(room));
    this.aux = wider(this.aux, new Float32Array(room));
    this.extra = wider(this.extra, new Uint32Array(room));
    this.alive = wider(this.alive, new Uint8Array(room));
  }

  /** Finds all children by counting. */
  private index(): void {
    if (this.listed === this.version) return;
    const n = this.length;
    if (this.starts.length < n + 2) this.starts = new Uint32Array(n * 2 + 2);
    if (this.list.length < n) this.list = new Uint32Array(n * 2);
    const starts = this.starts.fill(0);
    for (let s = 0; s < n; s++) if (this.alive[s] && this.parent[s]! >= 0) starts[this.parent[s]! + 2]!++;
    for (let s = 2; s < n + 2; s++) starts[s]! += starts[s - 1]!;
    for (let s = 0; s < n; s++) if (this.alive[s] && this.parent[s]! >= 0) this.list[starts[this.parent[s]! + 1]!++] = s;
    this.listed = this.version;
    this.ranks.clear();
  }

  /** The slots of the children of `slot`, in no order. */
  children(slot: number): Uint32Array {
    this.index();
    return this.list.subarray(this.starts[slot]!, this.starts[slot + 1]!);
  }

  /** The children of `slot` with the most effort first, and their effort together: sorted once for all frames that are drawn of a tree. */
  byEffort(slot: number): { list: Uint32Array; sum: number } {
    this.index();
    let known = this.ranks.get(slot);
    if (!known) {
      const list = this.children(slot).slice().sort((a, b) => this.effort[b]! - this.effort[a]!);
      known = { list, sum: list.reduce((sum, s) => sum + this.effort[s]!, 0) };
      this.ranks.set(slot, known);
    }
    return known;
  }

  // What follows (order, the child that decides, the line) the server computes for requests of rows, too. The page has the nodes
  // of ten frames a second already, and a key press must not wait for an answer.

  /** Children in the order of a column. Values are best first for the side that chooses. */
  sorted(slot: number, order: Order): number[] {
    const turn = this.ply[slot]! % 2 === 0 ? 1 : -1;
    const list = [...this.children(slot)];
    const by: Record<Order, (s: number) => number> = {
      effort: (s) => -this.effort[s]!,
      value: (s) => (this.isIdle(s) ? 9 : -turn * this.value[s]!),
      prior: (s) => -this.prior[s]!,
      order: (s) => this.id[s]!,
    };
    const key = by[order];
    return list.sort((a, b) => key(a) - key(b) || this.id[a]! - this.id[b]!);
  }

  /** Children in the order of a column, each move once: of a move that was searched again and again, the visit with the most effort. */
  rows(slot: number, order: Order): number[] {
    const most = new Map<string, number>();
    for (const s of this.byEffort(slot).list) if (!most.has(this.move(s))) most.set(this.move(s), s);
    return this.sorted(slot, order).filter((s) => this.move(s) === "" || most.get(this.move(s)) === s);
  }

  /** The child that decides: of those looked at, the one with the most effort among visits, the best value elsewhere. */
  best(slot: number, byEffort: boolean): number {
    const turn = this.ply[slot]! % 2 === 0 ? 1 : -1;
    let best = -1;
    let top = -Infinity;
    for (const s of this.children(slot)) {
      if (this.isIdle(s) || this.move(s) === "") continue;
      // A bound says that a move is no better: what is known exactly goes first.
      const bound = this.flags[s]! & CUT ? 4 : 0;
      const rank = byEffort ? this.effort[s]! : turn * this.value[s]! - bound + this.effort[s]! * 1e-12;
      if (rank > top) [best, top] = [s, rank];
    }
    return best;
  }

  /** Whether nothing was spent on it. */
  isIdle(slot: number): boolean {
    return this.effort[slot] === 0 || (this.flags[slot]! & LEFT_OUT) !== 0;
  }

  move(slot: number): string {
    return this.codes[this.code[slot]!] ?? "";
  }

  /** Children in the search's own tree. */
  childCount(slot: number): number {
    return (this.extra[slot]! >>> 6) & 1023;
  }

  reason(slot: number): number {
    return this.extra[slot]! & 63;
  }

  /** The number of the group of equal positions; 0: there is no other. */
  group(slot: number): number {
    return this.extra[slot]! >>> 16;
  }

  /** The next node with the same position, in a circle. */
  twin(slot: number): number {
    const group = this.group(slot);
    if (group === 0) return slot;
    for (let i = 1; i < this.length; i++) {
      const s = (slot + i) % this.length;
      if (this.alive[s] && this.group(s) === group) return s;
    }
    return slot;
  }

  /** Slots from below the root to `slot`. */
  path(slot: number): number[] {
    const path: number[] = [];
    for (let s = slot; s >= 0 && this.id[s] !== 0; s = this.parent[s]!) path.push(s);
    return path.reverse();
  }

  /** The deepest node that the moves lead to, and whether all of them were followed. */
  find(moves: string[]): { slot: number; whole: boolean } {
    let slot = this.root;
    for (const code of moves) {
      let next = -1;
      for (const s of this.children(slot)) {
        if (this.move(s) === code && (next < 0 || this.effort[s]! > this.effort[next]!)) next = s;
      }
      if (next < 0) return { slot, whole: false };
      slot = next;
    }
    return { slot, whole: slot >= 0 };
  }

  /** The line of deciding children from `slot` on. */
  line(slot: number, byEffort: boolean): number[] {
    const line: number[] = [];
    for (let s = this.best(slot, byEffort); s >= 0 && line.length < 64; s = this.best(s, byEffort)) line.push(s);
    return line;
  }
}
