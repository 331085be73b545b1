// Games and positions in and out: files of the game's formats, a position as text.
import { type GamePosition, type RecordView, api } from "../../api";
import { pasted } from "../../pasted";
import { useStore } from "../../store";
import { illegalInWords } from "../../illegal";
import * as tree from "../../tree";
import { t } from "../../words";
import { titleOf } from "./OpenDialog";
import { contents } from "./opening";
import { usePlay } from "./store";

/** What one may write as rules. */
const HINTS: Record<string, string> = { chess: "chess960", go: "9x9 komi 7" };
/** Formats that hold variations and all notes, before those that are offered first elsewhere. */
const WHOLE = ["pgn", "kifu", "sgf"];

/** What is in the box. */
interface BoxState {
  /** The format; empty: the one that keeps most. */
  chosen: string;
  text: string;
  rules: string;
  /** The games of the file that was read. */
  games: RecordView[];
}

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** What is done with files, texts and positions. */
function useRecordsBox() {
  const { game, info, record, read, turnTo, fail } = usePlay();
  const [box, set] = useStore<BoxState>(() => ({ chosen: "", text: "", rules: "", games: [] }));
  const formats = info?.formats ?? [];
  const format = box.chosen || (formats.find((f) => WHOLE.includes(f.name)) ?? formats[0])?.name || "";
  const load = async (form: string, file: { text: string } | { hex: string }) => {
    try {
      const games = await api.read(game, form, file);
      set({ games });
      await read(games.find((game) => game.error === undefined)!);
    } catch (problem) {
      fail(illegalInWords(problem, game, "text" in file ? file.text : ""));
    }
  };
  const save = async () => {
    try {
      const written = await api.write(game, format, tree.toRecord(record));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([written.text ?? fromHex(written.hex ?? "")], { type: "text/plain" }));
      link.download = `tesuji-${game}.${written.ending}`;
      link.click();
      if (written.text !== null) set({ text: written.text });
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    } catch (problem) {
      fail(problem);
    }
  };
  const begin = async (wanted: GamePosition) => {
    try {
      const { played } = await api.position(game, wanted);
      const line = tree.fromLine(wanted, played);
      turnTo({ ...line, here: played.length }, null);
    } catch (problem) {
      fail(illegalInWords(problem, game, "", wanted.start));
    }
  };
  return { box, set, formats, format, load, save, begin };
}

export function RecordsBox() {
  const { game, place, state: { standing: { position } }, read, fail } = usePlay();
  const { box: { text, rules, games }, set, formats, format, load, save, begin } = useRecordsBox();
  return (
    <details class="records">
      <summary>{t("records")}</summary>
      <label>
        {t("open_file")}{" "}
        <input
          type="file"
          onChange={(e) => {
            const file = e.currentTarget.files?.[0];
            if (file) void contents(file).then((content) => load(file.name, content));
          }}
        />
      </label>
      {games.length > 1 && (
        <label>
          {t("game_of_file")}{" "}
          <select onChange={(e) => void read(games[Number(e.currentTarget.value)]!).catch(fail)}>
            {games.map((other, i) => (
              <option key={i} value={i} disabled={other.error !== undefined}>
                {titleOf(other, i)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        {t("format")}{" "}
        <select value={format} onChange={(e) => set({ chosen: e.currentTarget.value })}>
          {formats.map((f) => (
            <option key={f.name}>{f.name}</option>
          ))}
        </select>
      </label>
      <button onClick={() => void save()}>{t("save")}</button>
      <label>
        {t("as_text")}
        <textarea rows={4} value={text} onInput={(e) => set({ text: e.currentTarget.value })} spellcheck={false} />
      </label>
      <button onClick={() => void load(format, { text })}>{t("read_game")}</button>
      <button onClick={() => void begin(pasted(text, rules.trim()))}>{t("set_position")}</button>
      <label>
        {t("rules")}{" "}
        <input value={rules} placeholder={HINTS[game]} onInput={(e) => set({ rules: e.currentTarget.value })} spellcheck={false} />
      </label>
      <p class="soft position">
        {position} {place.moves.length > 0 && `(${place.moves.length})`}
      </p>
    </details>
  );
}
