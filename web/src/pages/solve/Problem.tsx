// One mate problem: its answer, the proof to step through, and the attacker to defend against.
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Standing, api, call } from "../../api";
import { Board } from "../../boards";
import { StillBoard } from "../../boards/Still";
import { jobs, useJobs } from "../../jobs";
import { Announce, Trouble } from "../../parts";
import { OpenIn } from "../../OpenIn";
import { count, fixed, t } from "../../words";
import { JobHeader } from "../jobs/Header";
import { useKeys } from "../keys";
import { GrownTree } from "./GrownTree";
import type { Growing } from "./grown";
import { type Proof, lengths, mainLine, sorted } from "./proof";

interface Answer {
  answer: string;
  plies: number | null;
  shortest: boolean;
  line: string[];
  nodes: number;
  seconds: number;
  verified: boolean;
  positions_verified: number | null;
}

/** The last JSON object of what the solver printed. */
export function lastObject(text: string): Answer | null {
  const at = text.lastIndexOf("\n{") + 1;
  try {
    return JSON.parse(text.slice(text[0] === "{" && at === 0 ? 0 : at)) as Answer;
  } catch {
    return null;
  }
}

/** The position that a problem starts from, as its command line has it. */
function startOf(command: string): string {
  return /--fen '([^']*)'/.exec(command)?.[1] ?? "";
}

function AnswerLine({ answer, size }: { answer: Answer; size: number | null }) {
  const word = answer.answer === "mate" ? t("mate_in", { n: answer.plies ?? 0 }) : answer.answer === "nomate" ? t("no_mate") : t("not_solved");
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

function Stepper({ game, proof }: { game: string; proof: Proof }) {
  const long = useMemo(() => lengths(proof), [proof]);
  const [path, setPath] = useState([0]);
  const [defends, setDefends] = useState(false);
  const [stand, setStand] = useState<Standing | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const here = path[path.length - 1]!;
  const node = proof.nodes[here]!;
  const moves = sorted(proof, long, here);
  const last = path.length < 2 ? null : proof.nodes[path[path.length - 2]!]!.moves.find((m) => m.to === here)?.move ?? null;
  const play = (to: number) => setPath((old) => [...old, to]);
  const back = () => setPath((old) => (old.length > 1 ? old.slice(0, defends && old.length > 2 ? -2 : -1) : old));
  useEffect(() => {
    let over = false;
    api.position(game, { rules: "", start: node.position, moves: [] }).then((s) => !over && setStand(s), setProblem);
    return () => {
      over = true;
    };
  }, [node.position]);
  useEffect(() => {
    // Against a person the attacker answers at once, from the proof.
    if (!defends || !node.attacker_moves || moves.length === 0) return;
    const soon = setTimeout(() => play(moves[0]!.to), path.length === 1 ? 0 : 300);
    return () => clearTimeout(soon);
  }, [defends, here]);
  useKeys((key) => {
    // Keys may come faster than pictures: each goes on from where the one before it led.
    const on = (f: (old: number[]) => number[]) => () => setPath(f);
    const beside = (n: number) => (old: number[]) => {
      const siblings = old.length < 2 ? [] : sorted(proof, long, old[old.length - 2]!);
      const to = siblings[siblings.findIndex((m) => m.to === old[old.length - 1]) + n]?.to;
      return to === undefined ? old : [...old.slice(0, -1), to];
    };
    const forward = (old: number[]) => {
      const next = sorted(proof, long, old[old.length - 1]!)[0];
      return next ? [...old, next.to] : old;
    };
    const free: Record<string, () => void> = {
      ArrowRight: on(forward), ArrowUp: on(beside(-1)), ArrowDown: on(beside(1)), End: on((old) => mainLine(proof, long, old)),
    };
    const deeds: Record<string, () => void> = { ArrowLeft: back, Home: () => setPath([0]), ...(defends ? {} : free) };
    return deeds[key] ?? null;
  });
  const spoken = (move: string) => stand?.legal.find((m) => m.move === move)?.text ?? move;
  const isOver = node.moves.length === 0;
  const words = isOver ? t("mated") : node.attacker_moves ? t("attacker_moves") : t(defends ? "you_defend" : "defender_moves", { n: node.moves.length });
  const tried = (move: string) => {
    const found = node.moves.find((m) => m.move === move);
    if (found) play(found.to);
  };
  return (
    <div class="two">
      <div class="viewer-board">
        {stand && defends && !node.attacker_moves && !isOver ? (
          <div role="application" data-keys="own" aria-label={t("board_of", { game: t(game as "chess") })}>
            <Board
              game={game} position={stand.position} side={stand.side} legal={stand.legal} last={last} arrows={[]}
              flipped={stand.side === 1} open onMove={tried}
            />
          </div>
        ) : (
          stand && <StillBoard game={game} position={stand.position} side={stand.side} last={last} flipped={defends && (stand.side === 1) !== node.attacker_moves} />
        )}
        <div class="deeds-line">
          <button aria-label={t("to_start")} disabled={path.length < 2} onClick={() => setPath([0])}>|◀</button>
          <button aria-label={t("back")} disabled={path.length < 2} onClick={back}>◀</button>
          <button aria-label={t("forward")} disabled={defends || isOver} onClick={() => moves[0] && play(moves[0].to)}>▶</button>
          <button aria-label={t("to_end")} disabled={defends || isOver} onClick={() => setPath(mainLine(proof, long, path))}>▶|</button>
          <button
            aria-pressed={defends}
            onClick={() => {
              setPath([0]);
              setDefends(!defends);
            }}
          >
            {t("defend_yourself")}
          </button>
          <OpenIn game={game} place={{ rules: "", start: node.position, moves: [] }} />
        </div>
        <p data-testid="stand">
          <b>{words}</b> {!isOver && t("plies_left", { n: long[here]! })}
        </p>
        <Announce words={words} />
        <Trouble problem={problem} onClose={() => setProblem(null)} />
      </div>
      <div>
        <h2>{t(node.attacker_moves ? "attacker_line" : "all_replies")}</h2>
        <ul class="replies">
          {moves.map((m) => (
            <li key={m.move}>
              <button disabled={defends && node.attacker_moves} onClick={() => play(m.to)}>
                {spoken(m.move)} <small class="number">{t("in_plies", { n: m.plies })}</small>
              </button>
            </li>
          ))}
        </ul>
        <h2>{t("line")}</h2>
        <ol class="line-moves" tabIndex={0} aria-label={t("line")}>
          {path.slice(1).map((id, i) => {
            const from = proof.nodes[path[i]!]!;
            return (
              <li key={i}>
                <button class="plain" aria-current={i + 2 === path.length ? "true" : undefined} onClick={() => setPath(path.slice(0, i + 2))}>
                  {i + 1}. {from.attacker_moves ? "▲" : "△"}{from.moves.find((m) => m.to === id)?.move}
                </button>
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

export function Problem({ id }: { id: number }) {
  const { all, live } = useJobs<Growing>(id);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [proof, setProof] = useState<Proof | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const job = all?.find((job) => job.id === id);
  useEffect(() => {
    if (job?.state !== "done") return;
    jobs.log(id, -20_000, "out").then((part) => setAnswer(lastObject(part.text.trim())), setProblem);
    // A problem without an answer has no proof.
    call<Proof>("GET", `/jobs/${id}/files/proof.json`).then(setProof, () => setProof(null));
  }, [id, job?.state]);
  if (!all) return <p aria-busy="true">…</p>;
  if (!job) return <p>{t("no_job", { id })}</p>;
  const dot = <a class="button" href={`/api/v1/jobs/${id}/files/proof.json`} download={`proof-${id}.json`}>{t("save_proof")}</a>;
  return (
    <>
      <JobHeader job={job} extra={proof && dot} />
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {live?.tree && job.state !== "done" && <GrownTree game={job.game ?? "chess"} start={startOf(job.command)} growing={live} />}
      {answer && <AnswerLine answer={answer} size={proof?.nodes.length ?? null} />}
      {proof && proof.claim === "mate" && <Stepper game={job.game ?? "chess"} proof={proof} />}
      {live?.tree && job.state === "done" && (
        <details>
          <summary>{t("solve_tree")}</summary>
          <GrownTree game={job.game ?? "chess"} start={startOf(job.command)} growing={live} />
        </details>
      )}
    </>
  );
}
