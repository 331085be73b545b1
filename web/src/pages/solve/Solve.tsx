// Mate problems: the list, the form, one problem.
import { type Schemas, call } from "../../api";
import { type Job, useJobs } from "../../jobs";
import { Trouble, go } from "../../parts";
import { pasted } from "../../pasted";
import { useStore } from "../../store";
import { t } from "../../words";
import { JobRows } from "../jobs/Jobs";
import { Problem } from "./Problem";

/** Problems that work at once, made by us for this page. */
const EXAMPLES = [
  { game: "chess", key: "example_chess", position: "4r2k/6pp/8/4N3/2Q5/8/8/6K1 w - - 0 1" },
  { game: "shogi", key: "example_shogi", position: "7k1/7l1/5+R3/9/9/9/9/9/9 b GS 1" },
] as const;

interface ProblemsState {
  game: string;
  position: string;
  seconds: number;
  shortest: boolean;
  problem: unknown;
}

function solve(game: string, position: string, title: string, seconds: number, shortest: boolean): Promise<Job> {
  const { start, moves } = pasted(position);
  const wish: Schemas["NewProblem"] = { title, request: { game, position: { start, moves }, seconds, shortest } };
  return call<Job>("POST", "/solve", wish);
}

function Problems() {
  const { all } = useJobs(null);
  const [state, set] = useStore<ProblemsState>(() => ({ game: "chess", position: "", seconds: 30, shortest: true, problem: null }));
  const { game, position, seconds, shortest, problem } = state;
  const setProblem = (problem: unknown) => set({ problem });
  const begin = (game: string, position: string, title: string) =>
    void solve(game, position, title, seconds, shortest).then((job) => go(`/solve/${job.id}`), setProblem);
  const solved = all?.filter((job) => job.kind === "solve");
  return (
    <section>
      <h1>{t("solve")}</h1>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {solved && solved.length > 0 && <JobRows all={solved} onProblem={setProblem} />}
      <p class="deeds-line">
        {EXAMPLES.map((example) => (
          <button key={example.key} onClick={() => begin(example.game, example.position, t(example.key))}>
            {t(example.key)}
          </button>
        ))}
      </p>
      <form
        class="match-form" aria-label={t("new_problem")}
        onSubmit={(event) => {
          event.preventDefault();
          begin(game, position.trim(), "");
        }}
      >
        <h2>{t("new_problem")}</h2>
        <div class="fields">
          <label>
            {t("game")}
            <select value={game} onChange={(e) => set({ game: e.currentTarget.value })}>
              <option value="chess">{t("chess")}</option>
              <option value="shogi">{t("shogi")}</option>
            </select>
          </label>
          <label class="long">
            {t("problem_position")}
            <input size={60} value={position} placeholder={EXAMPLES.find((e) => e.game === game)!.position} onInput={(e) => set({ position: e.currentTarget.value })} />
          </label>
          <label>
            {t("seconds_at_most")}
            <input type="number" min={1} value={seconds} onInput={(e) => set({ seconds: Math.max(1, e.currentTarget.valueAsNumber || 1) })} />
          </label>
          <label class="check">
            <input type="checkbox" checked={shortest} onChange={(e) => set({ shortest: e.currentTarget.checked })} /> {t("shortest_mate")}
          </label>
          <button class="strong" disabled={position.trim() === ""}>{t("do_solve")}</button>
        </div>
      </form>
    </section>
  );
}

/** `/solve` and `/solve/7`. */
export default function Solve({ id }: { id: number | null }) {
  return id === null ? <Problems /> : <Problem key={id} id={id} />;
}
