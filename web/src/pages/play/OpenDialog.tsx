// Paste or drop anything: a text or a file of any format becomes the game one works on.
import { useEffect } from "preact/hooks";
import type { RecordView } from "../../api";
import { Dialog } from "../../Dialog";
import { Trouble } from "../../parts";
import { useStore } from "../../store";
import { t } from "../../words";
import { contents } from "./opening";
import { usePlay } from "./store";

/** A game among others: its number and players. */
export function titleOf(record: RecordView, i: number): string {
  const of = (name: string) => record.tags.find(([tag]) => tag === name)?.[1];
  const names = [of("White"), of("Black")].filter(Boolean).join(" – ");
  return `${i + 1}. ${record.error ?? names}`;
}

export function OpenDialog() {
  const { set: setPage, openAny, read } = usePlay();
  const [{ text, games, problem }, set] = useStore(() => ({ text: "", games: [] as RecordView[], problem: null as unknown }));
  const close = () => setPage({ dialog: null });
  const open = async (content: Promise<{ text: string } | { hex: string }>, name: string) => {
    try {
      const games = await openAny(await content, name);
      if (games.length > 1) set({ games, problem: null });
      else close();
    } catch (problem) {
      set({ problem });
    }
  };
  return (
    <Dialog title={t("paste_or_drop")} onClose={close}>
      <Trouble problem={problem} onClose={() => set({ problem: null })} />
      {games.length > 1 ? (
        <label>
          {t("game_of_file")}
          <select size={Math.min(12, games.length)} onChange={(e) => void read(games[Number(e.currentTarget.value)]!).then(close, (problem) => set({ problem }))}>
            {games.map((one, i) => (
              <option key={i} value={i} disabled={one.error !== undefined}>{titleOf(one, i)}</option>
            ))}
          </select>
        </label>
      ) : (
        <>
          <label>
            {t("paste_hint")}
            <textarea rows={8} value={text} autofocus spellcheck={false} onInput={(e) => set({ text: e.currentTarget.value, problem: null })} />
          </label>
          <p class="dialog-deeds">
            <button class="strong" disabled={text.trim() === ""} onClick={() => void open(Promise.resolve({ text }), "")}>{t("open_it")}</button>
            <label>
              {t("open_file")}{" "}
              <input type="file" onChange={(e) => e.currentTarget.files?.[0] && void open(contents(e.currentTarget.files[0]), e.currentTarget.files[0].name)} />
            </label>
          </p>
        </>
      )}
    </Dialog>
  );
}

/** What is dropped on the page or pasted outside of a field opens, too. */
export function useDrops(): void {
  const { openAny, fail } = usePlay();
  useEffect(() => {
    const take = (data: DataTransfer | null): boolean => {
      const file = data?.files[0];
      const text = data?.getData("text/plain") ?? "";
      if (file) void contents(file).then((content) => openAny(content, file.name)).catch(fail);
      else if (text.trim()) void openAny({ text }, "").catch(fail);
      return Boolean(file) || text.trim() !== "";
    };
    const isField = (event: Event) => (event.target as Element).closest?.("input, textarea, dialog") != null;
    const over = (event: DragEvent) => !isField(event) && event.preventDefault();
    const drop = (event: DragEvent) => !isField(event) && take(event.dataTransfer) && event.preventDefault();
    const paste = (event: ClipboardEvent) => !isField(event) && take(event.clipboardData) && event.preventDefault();
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    addEventListener("paste", paste);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
      removeEventListener("paste", paste);
    };
  });
}
