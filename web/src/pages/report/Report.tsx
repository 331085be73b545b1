// A review as a page to print: who played, the graph, accuracy by side and part of the game, and a board at each mark.
import "./report.css";
import { useEffect, useRef } from "preact/hooks";
import { type GameInfo, type Standing, api } from "../../api";
import { StillBoard } from "../../boards/Still";
import { numberOf } from "../../numbers";
import { Empty, Heads, Link, Trouble } from "../../parts";
import { playAt } from "../../places";
import { namesOf, resultOf } from "../../players";
import { sideName } from "../../sides";
import { useStore } from "../../store";
import * as tree from "../../tree";
import { fixed, t } from "../../words";
import { MARKS, SIGN } from "../sweep/judge";
import { sideName as ofSide } from "../why/words";
import { asFile } from "./file";
import { PARTS, type Played, areaOf, numbersOf, playedOf } from "./numbers";

interface Loaded {
  record: tree.GameTree;
  played: Played[];
}

const [WIDE, TALL] = [720, 140];

/** The expected result along the line, with the marks. */
function Course({ game, record, played }: Loaded & { game: string }) {
  const chances = [record.nodes[0]!.chance, ...played.map(({ node }) => record.nodes[node]!.chance)];
  const at = (ply: number) => (ply * WIDE) / Math.max(1, chances.length - 1);
  const isDark = game !== "chess";
  return (
    <svg class="report-course" viewBox={`0 0 ${WIDE} ${TALL}`} role="img" aria-label={t("graph", { side: ofSide(game, 0, true) })}>
      <rect width={WIDE} height={TALL} fill={isDark ? "#f6f3ec" : "#3a3733"} />
      <polygon points={areaOf(chances, WIDE, TALL)} fill={isDark ? "#3a3733" : "#f6f3ec"} />
      <line x1={0} x2={WIDE} y1={TALL / 2} y2={TALL / 2} stroke="#888" stroke-dasharray="4 4" />
      {played.filter(({ mark }) => mark).map(({ ply, node }) => (
        <circle key={node} cx={at(ply)} cy={(1 - (record.nodes[node]!.chance ?? 0.5)) * TALL} r={4} fill="#d55e00" stroke="#fff" />
      ))}
    </svg>
  );
}

/** Accuracy, marks and losses of both sides. */
function Numbers({ game, played }: { game: string; played: Played[] }) {
  const sides = [numbersOf(played, 0), numbersOf(played, 1)] as const;
  const row = (head: string, cells: [string, string]) => (
    <tr key={head}>
      <th scope="row">{head}</th>
      {cells.map((cell, i) => <td key={i} class="number">{cell}</td>)}
    </tr>
  );
  const both = (of: (side: (typeof sides)[number]) => string): [string, string] => [of(sides[0]), of(sides[1])];
  const loss = (n: number | null) => (n === null ? t("report_unknown") : fixed(n, 1));
  return (
    <table class="report-numbers">
      <Heads words={["", sideName(game, 0), sideName(game, 1)]} />
      <tbody>
        {row(t("report_accuracy"), both((side) => (side.accuracy === null ? t("report_unknown") : fixed(side.accuracy, 0))))}
        {MARKS.map((mark) => row(`${SIGN[mark]} ${t(mark)}`, both((side) => String(side.marks[mark]))))}
        {PARTS.map((part) => row(t(`report_${part}`), both((side) => loss(side.losses[part]))))}
      </tbody>
    </table>
  );
}

/** The position before a marked move, the move on it, and what the review says. */
function MarkedMove({ game, record, move, id }: { game: string; record: tree.GameTree; move: Played; id: string }) {
  const [{ standing }, set] = useStore(() => ({ standing: null as Standing | null }));
  const node = record.nodes[move.node]!;
  const place = tree.place(record, node.parent);
  useEffect(() => void api.position(game, place).then((standing) => set({ standing }), () => undefined), []);
  const number = numberOf(game, record.start, move.ply, true);
  const whole = { ...place, moves: [...place.moves, node.move!.move] };
  return (
    <li>
      <h3>
        {number || `${move.ply}. `}{node.move!.text} {move.mark && <b class={`mark ${move.mark}`}>{SIGN[move.mark]}</b>}
      </h3>
      {standing && <StillBoard game={game} position={standing.position} side={standing.side} last={null} arrows={[{ move: node.move!.move, rank: 1, share: 1 }]} />}
      <p>{node.comment}</p>
      <p class="report-ways">
        <Link to={playAt(game, { place: whole, ply: whole.moves.length }, { record: id, whynot: "1" })}>{t("report_why_not", { move: node.move!.text })}</Link>
      </p>
    </li>
  );
}

/** The report of the record that the address names. */
export default function Report({ game, info }: { game: string; info: GameInfo | null }) {
  const id = new URLSearchParams(location.search).get("record") ?? "";
  const article = useRef<HTMLElement>(null);
  const [{ loaded, problem }, set] = useStore(() => ({ loaded: null as Loaded | null, problem: null as unknown }));
  useEffect(() => {
    const load = async () => {
      const { record: view } = await api.kept(id);
      const { side } = await api.position(game, { rules: view.rules, start: view.start, moves: [] });
      const record = tree.fromRecord(view, side);
      set({ loaded: { record, played: playedOf(record, side) } });
    };
    if (id) load().catch((problem) => set({ problem }));
  }, [id]);
  if (!id) return <Empty words={t("report_none")}><Link to={`/play/${game || "chess"}`}>{t("report_back")}</Link></Empty>;
  if (!loaded) return problem ? <Trouble problem={problem} onClose={() => set({ problem: null })} /> : <p aria-busy="true">{t("thinking")}</p>;
  const { record, played } = loaded;
  const title = t("report_of", { game: namesOf(info?.side_tags, record.tags) || t("report_untitled") });
  const save = async () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([await asFile(article.current!, title)], { type: "text/html" }));
    link.download = `${title.replace(/[^\p{L}\p{N}]+/gu, "-")}.html`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  const marked = played.filter(({ mark }) => mark);
  return (
    <article class="report" ref={article}>
      <h1>{title}</h1>
      <p class="soft">{[resultOf(game, record.outcome), record.tags.find(([tag]) => tag === "Date")?.[1], record.tags.find(([tag]) => tag === "Event")?.[1]].filter((words) => words && words !== "?").join(" · ")}</p>
      <p class="report-ways">
        <button class="strong" onClick={() => print()}>{t("report_print")}</button> <button onClick={() => void save()}>{t("as_html")}</button> <Link to={`/play/${game}?record=${id}`}>{t("report_back")}</Link>
      </p>
      <Course game={game} record={record} played={played} />
      <Numbers game={game} played={played} />
      <p class="soft">{t("report_says")}</p>
      {marked.length === 0 ? <p>{t("report_no_marks")}</p> : (
        <ol class="report-marks">
          {marked.map((move) => <MarkedMove key={move.node} game={game} record={record} move={move} id={id} />)}
        </ol>
      )}
    </article>
  );
}
