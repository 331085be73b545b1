// Files of games and positions: the list; one of them as boards or a table, filtered, counted.
import { useEffect, useState } from "preact/hooks";
import { type GameInfo, type Schemas, type Standing, api, call } from "../../api";
import { StillBoard } from "../../boards/Still";
import { type Job, jobs, useJobs } from "../../jobs";
import { OpenIn } from "../../OpenIn";
import { Heads, Link, Trouble, go } from "../../parts";
import { count, gameName, moment, short, t } from "../../words";
import { JobHeader } from "../jobs/Header";
import { type Summary, Statistics } from "./Statistics";

type DataFile = Schemas["DataFile"];
/** A record as `tesuji data show --json` prints it: a position, or a game. */
interface Row {
  record?: number;
  game?: number;
  rules: string;
  position?: string;
  move?: string | null;
  score?: number | null;
  result: number | null;
  ply?: number | null;
  plies_left?: number | null;
  start?: string | null;
  moves?: string[];
  tags?: Record<string, string>;
}
const PAGE = 12;

const place = (file: DataFile | { path: string }, game: string) => `/data/file?path=${encodeURIComponent(file.path)}&game=${game}`;

function Files() {
  const [files, setFiles] = useState<DataFile[] | null>(null);
  const [filter, setFilter] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => void call<DataFile[]>("GET", "/data").then(setFiles, setProblem), []);
  const shown = files?.filter((file) => file.path.toLowerCase().includes(filter.toLowerCase()));
  return (
    <section>
      <h1>{t("data")}</h1>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      <label>
        {t("filter")} <input value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
      </label>
      {files?.length === 0 && <p>{t("no_data")}</p>}
      {shown && shown.length > 0 && (
        <div class="wide">
          <table class="rows">
            <Heads words={[t("file"), t("format"), t("open_as"), t("bytes"), t("changed")]} />
            <tbody>
              {shown.map((file) => (
                <tr key={file.path}>
                  <th scope="row">{file.path}</th>
                  <td>{file.format}</td>
                  <td class="deeds">
                    {(file.games.length > 0 ? file.games : ["chess", "shogi"]).map((game) => (
                      <Link key={game} to={place(file, game)}>
                        {gameName(game)}
                      </Link>
                    ))}
                  </td>
                  <td class="number">{short(file.size)}</td>
                  <td>{moment(file.changed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** The position of a record: its own, or the last one of a game. */
function Cell({ game, row }: { game: string; row: Row }) {
  const [stand, setStand] = useState<Standing | null>(null);
  const start = row.position ?? row.start ?? null;
  useEffect(() => {
    let over = false;
    api.position(game, { rules: row.rules, start, moves: row.moves ?? [] }).then((s) => !over && setStand(s), () => {});
    return () => {
      over = true;
    };
  }, [game, row]);
  const result = row.result === null ? "?" : row.result === 1 ? "1–0" : row.result === 0 ? "0–1" : "½–½";
  const facts = [
    `#${row.record ?? row.game}`, result, row.move, row.score == null ? null : `${row.score} cp`,
    row.ply == null ? null : t("ply_n", { n: row.ply }), row.moves ? t("ply_n", { n: row.moves.length }) : null,
    ...Object.values(row.tags ?? {}).slice(0, 2),
  ];
  return (
    <article class="live" aria-label={`#${row.record ?? row.game}`}>
      {stand && <StillBoard game={game} position={stand.position} side={stand.side} last={row.moves?.[row.moves.length - 1] ?? null} />}
      <p class="soft">{facts.filter((f) => f !== null && f !== undefined && f !== "").join(" · ")}</p>
      <OpenIn game={game} place={{ rules: row.rules, start, moves: row.moves ?? [] }} />
    </article>
  );
}

function Table({ rows }: { rows: Row[] }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={t("records_table")}>
      <table class="rows">
        <Heads words={["#", t("positions"), t("move"), t("score"), t("result"), t("ply")]} />
        <tbody>
          {rows.map((row) => (
            <tr key={row.record ?? row.game}>
              <th scope="row">{row.record ?? row.game}</th>
              <td>{row.position ?? row.moves?.slice(0, 12).join(" ")}</td>
              <td>{row.move ?? ""}</td>
              <td class="number">{row.score ?? ""}</td>
              <td class="number">{row.result ?? "?"}</td>
              <td class="number">{row.ply ?? row.moves?.length ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A filter, and statistics: both are jobs, for files may be large. */
function Work({ file, game, onProblem }: { file: string; game: string; onProblem: (problem: unknown) => void }) {
  const [form, setForm] = useState({ ply: "", plies: "", score: "", result: "", no_checks: false, no_captures: false });
  const [job, setJob] = useState<number | null>(null);
  const [summary, setSummary] = useState<Summary | null>(null);
  const { all } = useJobs(null);
  const now = all?.find((j) => j.id === job);
  const begin = (kind: "stats" | "filter") => {
    setSummary(null);
    const wish = kind === "filter" ? { kind, file, game, ...form } : { kind, file, game };
    call<Job>("POST", "/data/work", wish).then((begun) => setJob(begun.id), onProblem);
  };
  useEffect(() => {
    if (now?.state !== "done") return;
    if (now.makes) return go(place({ path: now.makes }, game));
    jobs.log(now.id, 0, "out").then((part) => setSummary(JSON.parse(part.text) as Summary)).catch(onProblem);
  }, [now?.id, now?.state]);
  const text = (key: "ply" | "plies" | "score", hint: string) => (
    <label>
      {t(`filter_${key}`)}
      <input size={10} placeholder={hint} value={form[key]} onInput={(e) => setForm({ ...form, [key]: e.currentTarget.value })} />
    </label>
  );
  const check = (key: "no_checks" | "no_captures") => (
    <label class="check">
      <input type="checkbox" checked={form[key]} onChange={(e) => setForm({ ...form, [key]: e.currentTarget.checked })} /> {t(`filter_${key}`)}
    </label>
  );
  return (
    <section aria-label={t("filter")}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          begin("filter");
        }}
      >
        {text("ply", "8..200")}
        {text("score", "0..300")}
        {text("plies", "20..300")}
        {check("no_checks")}
        {check("no_captures")}
        <button>{t("do_filter")}</button>
        <button type="button" onClick={() => begin("stats")}>
          {t("statistics")}
        </button>
      </form>
      {now && now.state !== "done" && <JobHeader job={now} />}
      {summary && <Statistics summary={summary} />}
    </section>
  );
}

function File({ file, game }: { file: string; game: string }) {
  const query = new URLSearchParams(location.search);
  const skip = Math.max(0, Number(query.get("skip") ?? 0) || 0);
  const [rows, setRows] = useState<Row[] | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [asTable, setAsTable] = useState(false);
  useEffect(() => {
    const path = `/data/rows?file=${encodeURIComponent(file)}&game=${game}&skip=${skip}&count=${PAGE}`;
    call<Row[]>("GET", path).then(setRows, setProblem);
  }, [file, game, skip]);
  const to = (skip: number) => go(`${place({ path: file }, game)}&skip=${Math.max(0, skip)}`);
  return (
    <section>
      <h1>{file}</h1>
      <Work file={file} game={game} onProblem={setProblem} />
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      <div class="deeds-line">
        <button disabled={skip === 0} onClick={() => to(0)} aria-label={t("to_start")}>|◀</button>
        <button disabled={skip === 0} onClick={() => to(skip - PAGE)} aria-label={t("back")}>◀</button>
        <span class="number">{rows && rows.length > 0 ? `${count(skip + 1)} – ${count(skip + rows.length)}` : ""}</span>
        <button disabled={!rows || rows.length < PAGE} onClick={() => to(skip + PAGE)} aria-label={t("forward")}>▶</button>
        <button aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {t("as_table")}
        </button>
        <button onClick={() => go("/data")}>{t("close")}</button>
      </div>
      {rows?.length === 0 && <p>{t("no_rows")}</p>}
      {rows && (asTable ? <Table rows={rows} /> : (
        <div class="live-boards">
          {rows.map((row) => <Cell key={`${skip}-${row.record ?? row.game}`} game={game} row={row} />)}
        </div>
      ))}
    </section>
  );
}

/** `/data` and `/data/file?path=…&game=…&skip=…`. */
export default function Data({ what, games }: { what: string; games: GameInfo[] | null }) {
  const query = new URLSearchParams(location.search);
  const path = query.get("path");
  if (what !== "file" || !path) return <Files />;
  const game = query.get("game") ?? games?.[0]?.name ?? "chess";
  return <File key={`${path} ${game}`} file={path} game={game} />;
}
