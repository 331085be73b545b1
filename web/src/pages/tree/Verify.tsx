// Checks a tree and saves it.
import { useState } from "preact/hooks";
import { type Verdict, api } from "../../api";
import { t } from "../../words";

interface Props {
  id: number;
  game: string;
  at: number | null;
  thinking: boolean;
  fail: (problem: unknown) => void;
}

export function Verify({ id, game, at, thinking, fail }: Props) {
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const verify = async () => {
    try {
      // Counts of a running search are in flux: it is stopped first.
      if (thinking) {
        await api.stop(id);
        await new Promise((done) => setTimeout(done, 500));
      }
      setVerdict(await api.verify(id));
    } catch (problem) {
      fail(problem);
    }
  };
  const save = async () => {
    try {
      const text = await api.treeFile(id, at);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      link.download = `${game}-tree-${id}.json`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    } catch (problem) {
      fail(problem);
    }
  };
  const bad = verdict?.checks.filter((c) => c.failed > 0) ?? [];
  return (
    <>
      <button onClick={() => void verify()}>{t("verify")}</button>
      <button onClick={() => void save()}>{t("tree_save")}</button>
      {verdict && (
        <span role="status" data-testid="verdict">
          {bad.length === 0 ? `✔ ${t("verify_good", { n: verdict.nodes })}` : `✘ ${bad.map((c) => `${t(`check_${c.name}`)}: ${c.failed}`).join(", ")}`}
          {verdict.faults.length > 0 && (
            <details>
              <summary>{t("verify_faults")}</summary>
              <pre>{verdict.faults.join("\n")}</pre>
            </details>
          )}
        </span>
      )}
    </>
  );
}
