// Sounds of moves: made by the browser, without files, and off where one wants them off.
import { useEffect, useRef } from "preact/hooks";
import type { PlayCore } from "./store";

const KEPT = "tesuji-sound";

export const hasSound = (): boolean => localStorage.getItem(KEPT) !== "off";
export const setSound = (on: boolean): void => localStorage.setItem(KEPT, on ? "on" : "off");

let context: AudioContext | null = null;

/** A short knock, as of wood: noise that fades within `seconds`, around `pitch` hertz. */
function knock(pitch: number, seconds: number): void {
  context ??= new AudioContext();
  const length = Math.round(context.sampleRate * seconds);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const wave = buffer.getChannelData(0);
  for (let i = 0; i < length; i++) wave[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 6;
  const [source, band, volume] = [context.createBufferSource(), context.createBiquadFilter(), context.createGain()];
  source.buffer = buffer;
  [band.type, band.frequency.value, band.Q.value] = ["bandpass", pitch, 1.2];
  volume.gain.value = 0.5;
  source.connect(band).connect(volume).connect(context.destination);
  source.start();
}

const PITCH: Record<string, number> = { chess: 620, shogi: 1150, go: 1700 };

/** A move that is played or stepped to is heard; a capture a little lower, in chess and shogi, where it shows in the move. */
export function useSounds({ game, record, state: { isLoaded } }: PlayCore): void {
  const last = useRef<number | null>(null);
  useEffect(() => {
    const before = last.current;
    last.current = isLoaded ? record.here : null;
    const { move } = record.nodes[record.here]!;
    // A page may sound only after somebody touched it.
    if (before === null || before === record.here || !move || !hasSound() || !navigator.userActivation?.hasBeenActive) return;
    const isCapture = /x|同/.test(move.text);
    knock((PITCH[game] ?? 800) * (isCapture ? 0.75 : 1), isCapture ? 0.14 : 0.09);
  }, [record.here, isLoaded]);
}
