// Types of the Node module.

/** A game on record: its main line. */
export interface Game {
  game: number;
  moves: string[];
  /** 1 when the side that moves first won, -1 when it lost, null where nothing is said. */
  result: number | null;
  rules: string;
  start: string | null;
  tags: Record<string, string>;
  /** For each move the value after it for the side that played it. */
  values_of_the_mover: unknown[];
}

export interface Version {
  program: string;
  version: string;
  commit: string;
  features: string[];
  build: string;
  target: string;
  processor_path: string;
}

export const program: string;
export function run(...words: string[]): Promise<{ stdout: string; stderr: string }>;
export function version(): Promise<Version>;
export function games(path: string, options?: { game?: string; skip?: number; count?: number }): AsyncGenerator<Game>;
export function analyse(
  path: string,
  options?: { game?: string; nodes?: number; depth?: number; seconds?: number },
): Promise<{ text: string; summary: string }>;
