// One match: how it stands, live.
import { useEffect } from "preact/hooks";
import { Chart } from "../../chart";
import { type Job, share } from "../../jobs";
import { Trouble } from "../../parts";
import { fixed, percent, t } from "../../words";
import { JobHeader } from "../jobs/Header";
import { SIGNS } from "../jobs/Header";
import { Extend, canExtend } from "./Extend";
import { Figures } from "./Figures";
import { GameViewer } from "./GameViewer";
import { GameList } from "./Games";
import { LiveBoards } from "./Live";
import { Partings } from "./Partings";
import { CrossTable, Pairings, Terminations, Warnings } from "./Tables";
import { useMatch } from "./store";
import { closed, eloRange } from "./series";
import { type GameRow, type MatchView, type Series, arena, best } from "./types";

function saveAs(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Files of the match: games in the game's own format, the match as JSON. */
function Exports({ job, view, onProblem }: { job: Job; view: MatchView | null; onProblem: (problem: unknown) => void }) {
  const file = job.makes?.split("/").pop();
  const all = async () => {
    const games: GameRow[] = [];
    for (;;) {
      const part = await arena.games(job.id, games.length, false);
      games.push(...part.games);
      if (part.games.length === 0) break;
    }
    saveAs(`match-${job.id}.json`, JSON.stringify({ job, match: view, games }, null, 1));
  };
  return (
    <>
      {file && view && view.done > 0 && (
        <a class="button" href={`/api/v1/jobs/${job.id}/files/${file}`} download={`match-${job.id}-${file}`}>
          {t("export_games", { format: file.split(".").pop()!.toUpperCase() })}
        </a>
      )}
      <button onClick={() => void all().catch(onProblem)}>{t("export_json")}</button>
    </>
  );
}

/** Elo with its band, big; the history of the test, small, and called what it is. */
function Curves({ series, view }: { series: Series; view: MatchView }) {
  if (series.games.length < 2) return null;
  const elo = closed(series);
  const isOpen = elo[3]![elo[3]!.length - 1] === null;
  const blue = "#0072b2";
  return (
    <div class="curves">
      {isOpen && <p class="soft" data-testid="elo-open">{t("elo_open")}</p>}
      {elo[3]!.some((value) => value !== null) && (
        <Chart
          title={t("elo_curve")} data={elo}
          look={{
            height: 220, bands: [[1, 2]], range: eloRange(elo), marks: [{ at: 0, label: "" }], xLabel: t("games"),
            curves: [{ label: "97.5 %", color: "#0072b266", width: 1 }, { label: "2.5 %", color: "#0072b266", width: 1 }, { label: "Elo", color: blue }],
          }}
        />
      )}
      {view.test && (
        <Chart
          title={t("llr_history")} data={[series.games, series.llr]}
          look={{
            height: 110, curves: [{ label: "LLR", color: "#d55e00", width: 1 }],
            marks: [{ at: view.test.low, label: "H0" }, { at: view.test.high, label: "H1" }],
          }}
        />
      )}
    </div>
  );
}

/** What the title bar of the window says: progress before all. */
function titleOf(job: Job, view: MatchView | null): string {
  const part = share(job);
  const elo = view && best(view.tested.games, view.tested.pairs).elo?.value;
  return [`${SIGNS[job.state]}${part === null ? "" : percent(part, 0)}`, elo == null ? "" : fixed(elo, 1, true), job.title].filter(Boolean).join(" ");
}

export function Match({ id }: { id: number }) {
  const { all, job, lost, view, done, series, faults, problem, set, fail } = useMatch(id);
  const n = Number(new URLSearchParams(location.search).get("game"));
  const title = job ? titleOf(job, view) : "Tesuji";
  useEffect(() => {
    document.title = title;
    return () => {
      document.title = "Tesuji";
    };
  }, [title]);
  if (!all) return <p aria-busy="true">…</p>;
  if (!job) return <p>{t("no_job", { id })}</p>;
  return (
    <div class={lost ? "match stale" : "match"}>
      {lost && <p class="lost" role="status" data-testid="lost">{t("lost")}</p>}
      <JobHeader job={job} extra={<><Exports job={job} view={view} onProblem={fail} />{view && canExtend(job, view) && <Extend job={job} view={view} onProblem={fail} />}</>} />
      <Trouble problem={problem} onClose={() => set({ problem: null })} />
      {n > 0 && <GameViewer key={n} id={id} n={n} />}
      {!view && <p aria-busy="true">{t("begins")}</p>}
      {view && (
        <>
          <Figures view={view} />
          <Warnings id={id} rows={faults} doubts={view.doubts ?? []} />
          <div class={job.state === "done" ? "one" : "two"}>
            {series && <Curves series={series} view={view} />}
            <section aria-label={t("live_boards")} hidden={job.state === "done"}>
              <h2>{t("live_boards")}</h2>
              <LiveBoards view={view} />
            </section>
          </div>
          <CrossTable view={view} />
          <Pairings view={view} />
          <Terminations view={view} />
          {job.game && <Partings id={id} game={job.game} done={done} />}
          <GameList id={id} done={done} />
        </>
      )}
    </div>
  );
}
