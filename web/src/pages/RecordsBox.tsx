// Games and positions in and out: files of the game's formats, a position as text.
import { useState } from "preact/hooks";
import { type GameInfo, type Place, api } from "../api";
import * as tree from "../tree";
import { t } from "../words";

/** What one may write as rules. */
const HINTS: Record<string, string> = { chess: "chess960", go: "9x9 komi 7" };

interface Props {
  game: GameInfo;
  record: tree.GameTree;
  place: Place;
  position: string;
  setRecord: (record: tree.GameTree) => void;
  fail: (problem: unknown) => void;
}

export function RecordsBox({ game, record, place, position, setRecord, fail }: Props) {
  const [format, setFormat] = useState(game.formats[0]!.name);
  const [text, setText] = useState("");
  const [rules, setRules] = useState("");
  const load = async (name: string, words: string) => {
    try {
      const [first] = await api.read(game.name, name, words);
      const standing = await api.position(game.name, first!.place);
      setRecord(tree.fromLine(first!.place, standing.played, first!.comments));
    } catch (problem) {
      fail(problem);
    }
  };
  const save = async () => {
    try {
      const end = tree.place(record, tree.lineEnd(record));
      const steps = [0, ...tree.path(record, tree.lineEnd(record))];
      const comments = steps.map((i, ply) => [ply, record.nodes[i]!.comment] as [number, string]).filter(([, c]) => c);
      const written = await api.write(game.name, format, { tags: [], place: end, comments, error: null });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([written.text], { type: "text/plain" }));
      link.download = `tesuji-${game.name}.${written.ending}`;
      link.click();
      setText(written.text);
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    } catch (problem) {
      fail(problem);
    }
  };
  const begin = async (start: string | null) => {
    try {
      const wanted: Place = { rules: rules.trim(), start, moves: [] };
      await api.position(game.name, wanted);
      setRecord(tree.newTree(wanted.rules, wanted.start));
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
            if (file) void file.text().then((words) => load(file.name, words));
          }}
        />
      </label>
      <label>
        {t("format")}{" "}
        <select value={format} onChange={(e) => setFormat(e.currentTarget.value)}>
          {game.formats.map((f) => (
            <option key={f.name}>{f.name}</option>
          ))}
        </select>
      </label>
      <button onClick={() => void save()}>{t("save")}</button>
      <label>
        {t("as_text")}
        <textarea rows={4} value={text} onInput={(e) => setText(e.currentTarget.value)} spellcheck={false} />
      </label>
      <button onClick={() => void load(format, text)}>{t("read_game")}</button>
      <button onClick={() => void begin(text.trim() || null)}>{t("set_position")}</button>
      <label>
        {t("rules")}{" "}
        <input value={rules} placeholder={HINTS[game.name]} onInput={(e) => setRules(e.currentTarget.value)} spellcheck={false} />
      </label>
      <button onClick={() => void begin(null)}>{t("new_game")}</button>
      <p class="soft position">
        {position} {place.moves.length > 0 && `(${place.moves.length})`}
      </p>
    </details>
  );
}
