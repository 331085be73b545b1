// The form of a new match; what was typed survives an error, and the next visit.
import { useEffect } from "preact/hooks";
import { type GameInfo, Problem, type Schemas, isRefusal, takesCommands } from "../../api";
import { Trouble, go } from "../../parts";
import { useStore } from "../../store";
import { FleetChoice, useWorkers, waitsForFleet } from "../fleet/Choice";
import { gameName, t } from "../../words";
import { type EngineChoice, arena } from "./types";
import { KEPT, type Wish, kept, engineChoice, wishOf } from "./wish";

interface FormState {
  /** What was typed. */
  form: Wish;
  /** Engines that the server knows by name. */
  known: Schemas["Known"][];
  /** Whether the server takes command lines. */
  isOpen: boolean;
  problem: unknown;
  isBusy: boolean;
}

export function MatchForm({ games }: { games: GameInfo[] }) {
  const [{ form, known, isOpen, problem, isBusy }, change] = useStore<FormState>(() => ({ form: kept(), known: [], isOpen: true, problem: null, isBusy: false }));
  const setProblem = (problem: unknown) => change({ problem });
  useEffect(() => void takesCommands().then((isOpen) => change({ isOpen })), []);
  useEffect(() => void arena.engines().then((known) => change({ known }), setProblem), []);
  useEffect(() => localStorage.setItem(KEPT, JSON.stringify(form)), [form]);
  const set = <K extends keyof Wish>(key: K, value: Wish[K]) => change((now) => ({ form: { ...now.form, [key]: value } }));
  const text = (key: "rules" | "title" | "amount" | "openings" | "games" | "rounds" | "concurrency" | "elo0" | "elo1" | "resign" | "draw" | "max_plies" | "seed", hint = "") => (
    <label>
      {t(`match_${key}`)}
      <input value={form[key]} size={key === "title" || key === "openings" ? 24 : hint.length > 9 ? 16 : 9} placeholder={hint} onInput={(e) => set(key, e.currentTarget.value)} />
    </label>
  );
  const workers = useWorkers();
  const info = games.find((g) => g.name === form.game) ?? games[0]!;
  const start = (event: Event) => {
    event.preventDefault();
    change({ isBusy: true });
    arena.create(wishOf(form, typeof workers === "number")).then((job) => go(`/arena/${job.id}`), setProblem).finally(() => change({ isBusy: false }));
  };
  return (
    <form class="match-form" onSubmit={start} aria-label={t("new_match")}>
      <h2>{t("new_match")}</h2>
      <div class="fields">
        <label>
          {t("game")}
          <select value={form.game} onChange={(e) => set("game", e.currentTarget.value)}>
            {games.map((g) => (
              <option key={g.name} value={g.name}>
                {gameName(g.name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("match_limit")}
          <select value={form.limit} onChange={(e) => set("limit", e.currentTarget.value as Wish["limit"])}>
            {(["tc", "st", "nodes", "depth"] as const).map((key) => (
              <option key={key} value={key}>
                {t(`limit_${key}`)}
              </option>
            ))}
          </select>
        </label>
        {text("amount")}
        {text("games", form.sprt ? t("match_games_open") : "100")}
        <label>
          {t("match_form")}
          <select value={form.form} onChange={(e) => set("form", e.currentTarget.value as Wish["form"])}>
            {(["all", "gauntlet", "knockout", "swiss"] as const).map((key) => (
              <option key={key} value={key}>
                {t(`form_${key}`)}
              </option>
            ))}
          </select>
        </label>
        {form.form === "swiss" && text("rounds")}
        <label class="check">
          <input type="checkbox" checked={form.sprt} onChange={(e) => set("sprt", e.currentTarget.checked)} /> SPRT
        </label>
        {form.sprt && text("elo0")}
        {form.sprt && text("elo1")}
      </div>
      {form.engines.map((engine, i) => (
        <EngineFields
          key={i} n={i + 1} engine={engine} info={info} known={known.filter((k) => !k.game || k.game === info.name)} isOpen={isOpen}
          change={(change) => set("engines", form.engines.map((e, j) => (i === j ? { ...e, ...change } : e)))}
          drop={form.engines.length > 2 ? () => set("engines", form.engines.filter((_, j) => j !== i)) : undefined}
        />
      ))}
      <button type="button" onClick={() => set("engines", [...form.engines, engineChoice()])}>
        {t("add_engine")}
      </button>
      <details>
        <summary>{t("more_settings")}</summary>
        <div class="fields">
          {text("title")}
          {text("rules")}
          {text("openings", "random")}
          {text("concurrency")}
          {text("resign", "4/600")}
          {text("draw", "40/8/10")}
          {text("max_plies")}
          {text("seed")}
        </div>
      </details>
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {problem instanceof Problem && problem.place && !isRefusal(problem) && <p class="soft">{t("at_field", { field: problem.place })}</p>}
      <FleetChoice workers={workers} checked={form.fleet} onChange={(fleet) => set("fleet", fleet)} />
      <p>
        <button class="strong" disabled={isBusy || waitsForFleet(workers, form.fleet)}>{t("start_match")}</button>
      </p>
    </form>
  );
}

interface EngineProps {
  n: number;
  engine: Wish["engines"][0];
  info: GameInfo;
  known: { name: string }[];
  isOpen: boolean;
  change: (change: Partial<Wish["engines"][0]>) => void;
  drop?: () => void;
}

/** What an engine of another kind had is no part of this one. */
const OTHER_KIND: Partial<EngineChoice> = { family: "", preset: "", weights: "", known: "", command: "" };

function EngineFields({ n, engine, info, known, isOpen, change, drop }: EngineProps) {
  const bestFirst = engine.family === "best-first" ? info.families.find((f) => f.name === "best-first") : undefined;
  const hasPresets = bestFirst?.options.some((o) => o.name === "Preset");
  const text = (key: "name" | "preset" | "weights" | "command" | "optionText") => (
    <label>
      {t(`engine_${key}`)}
      <input value={engine[key]} onInput={(e) => change({ [key]: e.currentTarget.value })} />
    </label>
  );
  return (
    <fieldset>
      <legend>{t("engine_n", { n })}</legend>
      <div class="fields">
        <label>
          {t("engine_from")}
          <select value={engine.from} onChange={(e) => change({ ...OTHER_KIND, from: e.currentTarget.value as EngineChoice["from"] })}>
            <option value="own">{t("from_own")}</option>
            {known.length > 0 && <option value="known">{t("from_known")}</option>}
            {(isOpen || engine.from === "command") && <option value="command">{t("from_command")}</option>}
          </select>
        </label>
        {engine.from === "own" && (
          <label>
            {t("search")}
            <select value={engine.family} onChange={(e) => change({ family: e.currentTarget.value })}>
              <option value="">{t("best_family", { name: info.families[0]?.name ?? "" })}</option>
              {info.families.map((f) => (
                <option key={f.name}>{f.name}</option>
              ))}
            </select>
          </label>
        )}
        {engine.from === "own" && hasPresets && text("preset")}
        {engine.from === "own" && text("weights")}
        {engine.from === "known" && (
          <label>
            {t("from_known")}
            <select value={engine.known} onChange={(e) => change({ known: e.currentTarget.value })}>
              <option value="">—</option>
              {known.map((k) => (
                <option key={k.name}>{k.name}</option>
              ))}
            </select>
          </label>
        )}
        {engine.from === "command" && text("command")}
        {text("name")}
        {text("optionText")}
        {drop && (
          <button type="button" onClick={drop}>
            {t("drop_engine")}
          </button>
        )}
      </div>
    </fieldset>
  );
}
