// Games and positions in and out: files of the game's formats, a position as text.
import { useState } from "preact/hooks";
import { type GameInfo, type Place, type RecordView, api } from "../api";
import { pasted } from "../pasted";
import * as tree from "../tree";
import { t } from "../words";

/** What one may write as rules. */
const HINTS: Record<string, string> = { chess: "chess960", go: "9x9 komi 7" };
/** Formats that hold variations and all notes, before those that are offered first elsewhere. */
const WHOLE = ["pgn", "kif", "sgf"];

interface Props {
  name: string;
  info: GameInfo | null;
  record: tree.GameTree;
  place: Place;
  position: string;
  /** Goes on with a record that was read. */
  onRead: (record: RecordView) => Promise<void>;
  /** Goes on with a game without moves. */
  onBegin: (record: tree.GameTree) => void;
  fail: (problem: unknown) => void;
}

const toHex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** A file as text, or as bytes where it is not UTF-8. */
async function contents(file: File): Promise<{ text: string } | { hex: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { hex: toHex(bytes) };
  }
}

/** A game among others: its number and players. */
function title(record: RecordView, i: number): string {
  const of = (name: string) => record.tags.find(([tag]) => tag === name)?.[1];
  const names = [of("White"), of("Black")].filter(Boolean).join(" – ");
  return `${i + 1}. ${record.error ?? names}`;
}

export function RecordsBox({ name, info, record, place, position, onRead, onBegin, fail }: Props) {
  const formats = info?.formats ?? [];
  const [chosen, choose] = useState("");
  const format = chosen || (formats.find((f) => WHOLE.includes(f.name)) ?? formats[0])?.name || "";
  const [text, setText] = useState("");
  const [rules, setRules] = useState("");
  const [games, setGames] = useState<RecordView[]>([]);
  const load = async (form: string, file: { text: string } | { hex: string }) => {
    try {
      const read = await api.read(name, form, file);
      setGames(read);
      await onRead(read.find((game) => game.error === undefined)!);
    } catch (problem) {
      fail(problem);
    }
  };
  const save = async () => {
    try {
      const written = await api.write(name, format, tree.toRecord(record));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([written.text ?? fromHex(written.hex ?? "")], { type: "text/plain" }));
      link.download = `tesuji-${name}.${written.ending}`;
      link.click();
      if (written.text !== null) setText(written.text);
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    } catch (problem) {
      fail(problem);
    }
  };
  const begin = async (wanted: Place) => {
    try {
      const { played } = await api.position(name, wanted);
      const line = tree.fromLine(wanted, played);
      onBegin({ ...line, here: played.length });
    } catch (problem) {
      fail(problem);
    }
  };
  return (
    <details class="records">
      <summary>{t("records")}</summary>
      <label>
        {t("open_file")}{" "}
        <input
          type="file"
          onChange={(e) => {
            const file = e.currentTarget.files?.[0];
            if (file) void contents(file).then((read) => load(file.name, read));
          }}
        />
      </label>
      {games.length > 1 && (
        <label>
          {t("game_of_file")}{" "}
          <select onChange={(e) => void onRead(games[Number(e.currentTarget.value)]!).catch(fail)}>
            {games.map((game, i) => (
              <option key={i} value={i} disabled={game.error !== undefined}>
                {title(game, i)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        {t("format")}{" "}
        <select value={format} onChange={(e) => choose(e.currentTarget.value)}>
          {formats.map((f) => (
            <option key={f.name}>{f.name}</option>
          ))}
        </select>
      </label>
      <button onClick={() => void save()}>{t("save")}</button>
      <label>
        {t("as_text")}
        <textarea rows={4} value={text} onInput={(e) => setText(e.currentTarget.value)} spellcheck={false} />
      </label>
      <button onClick={() => void load(format, { text })}>{t("read_game")}</button>
      <button onClick={() => void begin(pasted(text, rules.trim()))}>{t("set_position")}</button>
      <label>
        {t("rules")}{" "}
        <input value={rules} placeholder={HINTS[name]} onInput={(e) => setRules(e.currentTarget.value)} spellcheck={false} />
      </label>
      <button onClick={() => void begin({ rules: rules.trim(), start: null, moves: [] })}>{t("new_game")}</button>
      <p class="soft position">
        {position} {place.moves.length > 0 && `(${place.moves.length})`}
      </p>
    </details>
  );
}
