// Mate problems: the list, the form, one problem.
import { NumberField } from "../../NumberField";
import { useJobs } from "../../jobs";
import { Trouble, go } from "../../parts";
import { useStore } from "../../store";
import { t } from "../../words";
import { JobRows } from "../jobs/Jobs";
import { Problem } from "./Problem";
import { EXAMPLES, solve } from "./examples";

interface ProblemsState {
  game: string;
  position: string;
  seconds: number;
  shortest: boolean;
  problem: unknown;
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
      {solved && solved.length > 0 ? <JobRows all={solved} onProblem={setProblem} /> : <p>{t("solve_says")}</p>}
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
            <NumberField min={1} value={seconds} set={(seconds) => set({ seconds })} />
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
