// One mate problem: its answer, and its proof.
import { useEffect } from "preact/hooks";
import { type Schemas, call } from "../../api";
import { type Job, jobs, useJobs } from "../../jobs";
import { Trouble } from "../../parts";
import { useStore } from "../../store";
import { count, fixed, t } from "../../words";
import { JobHeader } from "../jobs/Header";
import { GrownTree } from "./GrownTree";
import type { Growing } from "./grown";
import type { Proof } from "./proof";
import { Stepper } from "./Stepper";

type Answer = Schemas["SolvedMate"];

/** The last JSON object of what the solver printed. */
export function lastObject(text: string): Answer | null {
  const at = text.lastIndexOf("\n{") + 1;
  try {
    return JSON.parse(text.slice(text[0] === "{" && at === 0 ? 0 : at)) as Answer;
  } catch {
    return null;
  }
}

/** The position that a problem starts from. */
function startOf(job: Job): string {
  const asked = job.request as { position?: { start?: string } } | null;
  return asked?.position?.start ?? "";
}

/** Players of chess count moves of the attacker, players of shogi all moves. */
const mateWords = (game: string | null, n: number): string => (game === "chess" ? t("mate_in_moves", { moves: Math.ceil(n / 2), n }) : t("mate_in", { n }));

function AnswerLine({ game, answer, size }: { game: string | null; answer: Answer; size: number | null }) {
  const word = answer.answer === "mate" ? mateWords(game, answer.plies ?? 0) : answer.answer === "nomate" ? t("no_mate") : t("not_solved");
  const sign = answer.answer === "mate" ? "✔" : answer.answer === "nomate" ? "✘" : "?";
  return (
    <p class="elo-line" data-testid="answer">
      <b>
        <span aria-hidden="true">{sign}</span> {word}
      </b>
      {answer.shortest && <span>{t("no_shorter")}</span>}
      {answer.verified && <span>{t("checked_by_rules", { n: count(answer.positions_verified ?? 0) })}</span>}
      <span class="soft">
        {t("solver_effort", { nodes: count(answer.nodes), seconds: fixed(answer.seconds, 2) })}
        {size !== null && ` · ${t("proof_size", { n: count(size) })}`}
      </span>
    </p>
  );
}

interface ProblemState {
  answer: Answer | null;
  proof: Proof | null;
  problem: unknown;
}

export function Problem({ id }: { id: number }) {
  const { all, live } = useJobs<Growing>(id);
  const [{ answer, proof, problem }, set] = useStore<ProblemState>(() => ({ answer: null, proof: null, problem: null }));
  const job = all?.find((job) => job.id === id);
  useEffect(() => {
    if (job?.state !== "done") return;
    jobs.log(id, -20_000, "out").then((part) => set({ answer: lastObject(part.text.trim()) }), (problem) => set({ problem }));
    // A problem without an answer has no proof.
    call<Proof>("GET", `/jobs/${id}/files/proof.json`).then((proof) => set({ proof }), () => set({ proof: null }));
  }, [id, job?.state]);
  if (!all) return <p aria-busy="true">…</p>;
  if (!job) return <p>{t("no_job", { id })}</p>;
  const dot = <a class="button" href={`/api/v1/jobs/${id}/files/proof.json`} download={`proof-${id}.json`}>{t("save_proof")}</a>;
  return (
    <>
      <JobHeader job={job} extra={proof && dot} />
      <Trouble problem={problem} onClose={() => set({ problem: null })} />
      {live?.tree && job.state !== "done" && <GrownTree game={job.game ?? "chess"} start={startOf(job)} growing={live} />}
      {answer && <AnswerLine game={job.game} answer={answer} size={proof?.nodes.length ?? null} />}
      {proof && proof.claim === "mate" && <Stepper game={job.game ?? "chess"} proof={proof} />}
      {live?.tree && job.state === "done" && (
        <details>
          <summary>{t("solve_tree")}</summary>
          <GrownTree game={job.game ?? "chess"} start={startOf(job)} growing={live} />
        </details>
      )}
    </>
  );
}
