// A field for a number that can be typed: what is typed stays as it is, and counts when one has finished (Enter, or another place).
import { useState } from "preact/hooks";

interface Props {
  value: number;
  set: (value: number) => void;
  min?: number;
  max?: number;
  step?: number;
  name?: string;
}

/** `text` as a number of the field; none while it is none, or out of bounds. */
export function readNumber(text: string, { min = -Infinity, max = Infinity, step = 1 }: Pick<Props, "min" | "max" | "step">): number | null {
  if (!/^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/.test(text)) return null;
  const value = Number.isInteger(step) ? Math.round(Number(text)) : Number(text);
  return value >= min && value <= max ? value : null;
}

export function NumberField({ value, set, ...bounds }: Props) {
  // None: nobody types here.
  const [typed, type] = useState<string | null>(null);
  /** Half of a number is none: the 1 of a 12 would begin a search, or a match of one game. */
  const finish = () => {
    const wanted = typed === null ? null : readNumber(typed, bounds);
    type(null);
    if (wanted !== null && wanted !== value) set(wanted);
  };
  return (
    <input
      {...bounds} type="number" value={typed ?? value} style={{ inlineSize: "7em" }}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Enter" && finish()}
      onBlur={finish}
    />
  );
}
