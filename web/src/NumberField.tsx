// A field for a number that can be typed: what is typed stays as it is, and counts as soon as it is a number within bounds.
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
  return (
    <input
      {...bounds} type="number" value={typed ?? value} style={{ inlineSize: "7em" }}
      onInput={(event) => {
        const { value: text } = event.currentTarget;
        type(text);
        const wanted = readNumber(text, bounds);
        if (wanted !== null) set(wanted);
      }}
      onBlur={() => type(null)}
    />
  );
}
