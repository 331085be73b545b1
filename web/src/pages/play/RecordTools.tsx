// What is done to the record as a whole: undo, redo, delete a branch.
import { useState } from "preact/hooks";
import type { Edits } from "../../history";
import * as tree from "../../tree";
import { t } from "../../words";

export function RecordTools({ edits }: { edits: Edits }) {
  const { record, setRecord, undo, redo, canUndo, canRedo } = edits;
  /** What was deleted, until the next edit. */
  const [gone, setGone] = useState<{ words: string; edits: number } | null>(null);
  const remove = () => {
    const move = record.nodes[record.here]!.move?.text ?? t("set_up");
    setGone({ words: t("deleted_from", { move, n: tree.countFrom(record) }), edits: record.edits + 1 });
    setRecord(tree.cut);
  };
  return (
    <>
      <p class="record-tools">
        <button onClick={undo} disabled={!canUndo} title="Ctrl+Z">
          {t("undo_edit")}
        </button>
        <button onClick={redo} disabled={!canRedo} title="Ctrl+Y">
          {t("redo")}
        </button>
        <button onClick={remove} disabled={record.here === 0}>
          {t("delete_from_here")}
        </button>
      </p>
      <p role="status" class={gone?.edits === record.edits ? "toast" : "unseen"} data-testid="deleted">
        {gone?.edits === record.edits && (
          <>
            {gone.words} <button onClick={undo}>{t("undo_delete")}</button>
          </>
        )}
      </p>
    </>
  );
}
