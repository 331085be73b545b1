// Files of games and positions: the list; one of them as boards or a table, filtered, counted.
import { useEffect, useState } from "preact/hooks";
import { type GameInfo, type Schemas, type Standing, api, call } from "../../api";
import { StillBoard } from "../../boards/Still";
import { type Job, jobs, useJobs } from "../../jobs";
import { OpenIn } from "../../OpenIn";
import { Empty, Heads, Link, Trouble, go } from "../../parts";
import { type SetState, pageContext, useStore } from "../../store";
import { count, gameName, moment, short, t } from "../../words";
import { demoMatch } from "../arena/types";
import { JobHeader } from "../jobs/Header";
import { type Summary, Statistics } from "./Statistics";
import { type FilterForm, filterOf } from "./filter";

type DataFile = Schemas["DataFile"];
/** A record: a position, or a game. */
type Row = Schemas["DataRow"];
/** Its number. */
const number = (row: Row) => ("record" in row ? row.record : row.game);
const PAGE = 12;

const place = (file: DataFile | { path: string }, game: string) => `/data/file?path=${encodeURIComponent(file.path)}&game=${game}`;

function Files() {
  const [{ files, filter, problem }, set] = useStore(() => ({ files: null as DataFile[] | null, filter: "", problem: null as unknown }));
  const fail = (problem: unknown) => set({ problem });
  useEffect(() => void call<DataFile[]>("GET", "/data").then((files) => set({ files }), fail), []);
  const shown = files?.filter((file) => file.path.toLowerCase().includes(filter.toLowerCase()));
  return (
    <section>
      <h1>{t("data")}</h1>
      <Trouble problem={problem} onClose={() => fail(null)} />
      {files?.length === 0 ? (
        <Empty words={t("no_data")}>
          <button onClick={() => void demoMatch(t("demo_title")).then((job) => go(`/arena/${job.id}`), fail)}>{t("start_demo")}</button>
        </Empty>
      ) : (
        <label>
          {t("filter")} <input value={filter} onInput={(e) => set({ filter: e.currentTarget.value })} />
        </label>
      )}
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
  const [start, moves] = "record" in row ? [row.position, []] : [row.start, row.moves];
  useEffect(() => {
    let over = false;
    api.position(game, { rules: row.rules, start, moves }).then((s) => !over && setStand(s), () => {});
    return () => {
      over = true;
    };
  }, [game, row]);
  const result = row.result === null ? "?" : row.result === 1 ? "1–0" : row.result === 0 ? "0–1" : "½–½";
  const own = "record" in row
    ? [row.move, row.score === null ? null : `${row.score} cp`, t("ply_n", { n: row.ply })]
    : [t("ply_n", { n: row.moves.length }), ...Object.values(row.tags).slice(0, 2)];
  return (
    <article class="live" aria-label={`#${number(row)}`}>
      {stand && <StillBoard game={game} position={stand.position} side={stand.side} last={moves[moves.length - 1] ?? null} />}
      <p class="soft">{[`#${number(row)}`, result, ...own].filter(Boolean).join(" · ")}</p>
      <OpenIn game={game} place={{ rules: row.rules, start, moves }} />
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
            <tr key={number(row)}>
              <th scope="row">{number(row)}</th>
              <td>{"record" in row ? row.position : row.moves.slice(0, 12).join(" ")}</td>
              <td>{"record" in row ? row.move : ""}</td>
              <td class="number">{("record" in row ? row.score : null) ?? ""}</td>
              <td class="number">{row.result ?? "?"}</td>
              <td class="number">{"record" in row ? row.ply : row.moves.length}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the page of a file shows: its records, and the work on it with what came of it. */
interface FileState {
  rows: Row[] | null;
  asTable: boolean;
  form: FilterForm;
  job: number | null;
  summary: Summary | null;
  problem: unknown;
}
const FILE: FileState = {
  rows: null, asTable: false, form: { ply: "", plies: "", score: "", result: "", no_checks: false, no_captures: false },
  job: null, summary: null, problem: null,
};
const { Provider, use: useFile } = pageContext<{ file: string; game: string; state: FileState; set: SetState<FileState> }>("a file of data");

/** A filter, and statistics: both are jobs, for files may be large. */
function Work() {
  const { file, game, state: { form, job, summary }, set } = useFile();
  const fail = (problem: unknown) => set({ problem });
  const setForm = (form: FileState["form"]) => set({ form });
  const { all } = useJobs(null);
  const now = all?.find((j) => j.id === job);
  const begin = (kind: "stats" | "filter") => {
    set({ summary: null });
    try {
      const task: Schemas["DataTask"] = kind === "filter" ? { filter: { wanted: filterOf(form) } } : { stats: {} };
      const request: Schemas["DataRequest"] = { game, inputs: [file], task };
      call<Job>("POST", "/data/work", request).then((begun) => set({ job: begun.id }), fail);
    } catch (problem) {
      fail(problem);
    }
  };
  useEffect(() => {
    if (now?.state !== "done") return;
    if (now.makes) return go(place({ path: now.makes }, game));
    jobs.log(now.id, 0, "out").then((part) => set({ summary: JSON.parse(part.text) as Summary })).catch(fail);
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
  const [state, set] = useStore(() => FILE);
  const { rows, asTable, problem } = state;
  useEffect(() => {
    const path = `/data/rows?file=${encodeURIComponent(file)}&game=${game}&skip=${skip}&count=${PAGE}`;
    call<Row[]>("GET", path).then((rows) => set({ rows }), (problem) => set({ problem }));
  }, [file, game, skip]);
  const to = (skip: number) => go(`${place({ path: file }, game)}&skip=${Math.max(0, skip)}`);
  return (
    <section>
      <h1>{file}</h1>
      <Provider value={{ file, game, state, set }}>
        <Work />
      </Provider>
      <Trouble problem={problem} onClose={() => set({ problem: null })} />
      <div class="deeds-line">
        <button disabled={skip === 0} onClick={() => to(0)} aria-label={t("to_start")}>|◀</button>
        <button disabled={skip === 0} onClick={() => to(skip - PAGE)} aria-label={t("back")}>◀</button>
        <span class="number">{rows && rows.length > 0 ? `${count(skip + 1)} – ${count(skip + rows.length)}` : ""}</span>
        <button disabled={!rows || rows.length < PAGE} onClick={() => to(skip + PAGE)} aria-label={t("forward")}>▶</button>
        <button aria-pressed={asTable} onClick={() => set({ asTable: !asTable })}>
          {t("as_table")}
        </button>
        <button onClick={() => go("/data")}>{t("close")}</button>
      </div>
      {rows?.length === 0 && <p>{t("no_rows")}</p>}
      {rows && (asTable ? <Table rows={rows} /> : (
        <div class="live-boards">
          {rows.map((row) => <Cell key={`${skip}-${number(row)}`} game={game} row={row} />)}
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
