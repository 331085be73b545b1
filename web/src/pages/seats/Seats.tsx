// Engines that are no built-in search: those of the workspace in the list of searches, a command line, and their options.
import "./seats.css";
import { useEffect } from "preact/hooks";
import { type OptionInfo, type Schemas, api, takesCommands } from "../../api";
import { Trouble } from "../../parts";
import { useStore } from "../../store";
import { t } from "../../words";
import { commandOf, commandSeat, engineSeat, isPlayer, nameOf } from "./seat";

type Known = Schemas["Known"];

/** The engines of the workspace, for the list of searches: to stand in a `select` whose value is `who`. */
export function SeatOptions({ game, who }: { game: string; who: string }) {
  const [{ engines }, set] = useStore(() => ({ engines: [] as Known[] }));
  useEffect(() => {
    // Without a list there is nothing to choose; the page of matches tells what is wrong with it.
    api.engines().then((engines) => set({ engines: engines.filter((engine) => !engine.game || engine.game === game) }), () => undefined);
  }, [game]);
  const command = commandOf(who) || (isPlayer(who) ? nameOf(who) : "");
  if (engines.length === 0 && !command) return null;
  return (
    <optgroup label={t("seat_engines")}>
      {engines.map(({ name }) => (
        <option key={name} value={engineSeat(name)}>
          {name}
        </option>
      ))}
      {command && <option value={who}>{command}</option>}
    </optgroup>
  );
}

/** A field for a command line; a server without a token takes none, and what else there is stands there. */
function SeatCommand({ who, onSeat }: { who: string; onSeat: (who: string) => void }) {
  const [{ isTaken }, set] = useStore(() => ({ isTaken: true }));
  useEffect(() => void takesCommands().then((isTaken) => set({ isTaken })), []);
  if (!isTaken) return <p class="soft" data-testid="no-commands">{t("seat_no_command")}</p>;
  return (
    <form
      class="seat-command"
      onSubmit={(event) => {
        event.preventDefault();
        const words = String(new FormData(event.currentTarget).get("command") ?? "").trim();
        if (words) onSeat(commandSeat(words));
      }}
    >
      <label>
        {t("seat_command")} <input name="command" defaultValue={commandOf(who)} autocomplete="off" spellcheck={false} placeholder="stockfish" />
      </label>{" "}
      <button>{t("seat_use")}</button>
    </form>
  );
}

/** The control of an option. */
function Control({ option, onSet }: { option: OptionInfo; onSet: (value: string) => void }) {
  const { name, kind, value, choices, takes } = option;
  if (kind === "button") return <button onClick={() => onSet("")}>{name}</button>;
  if (kind === "check") {
    return (
      <label>
        <input type="checkbox" checked={value === "true"} onChange={(e) => onSet(String(e.currentTarget.checked))} /> {name}
      </label>
    );
  }
  return (
    <label title={takes}>
      {name}{" "}
      {kind === "choice" ? (
        <select value={value} onChange={(e) => onSet(e.currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input value={value} inputMode={kind === "number" ? "numeric" : undefined} onChange={(e) => onSet(e.currentTarget.value)} />
      )}
    </label>
  );
}

/** The options of the session's engine, as it declares them, once they are opened. `name` is who has them. */
function EngineOptions({ session, name, prepare }: { session: number | null; name: string; prepare: () => void }) {
  const [{ options, isOpen, problem }, set] = useStore(() => ({ options: [] as OptionInfo[], isOpen: false, problem: null as unknown }));
  const load = () => (session === null ? Promise.resolve([]) : api.options(session)).then((options) => set({ options }), (problem) => set({ problem }));
  useEffect(() => void (isOpen && (session === null ? prepare() : load())), [session, isOpen]);
  const change = (option: OptionInfo, value: string) =>
    void api.set(session!, { [option.name]: value }).then(() => set({ problem: null }), (problem) => set({ problem })).then(load);
  return (
    <details data-testid="engine-options" onToggle={(e) => set({ isOpen: e.currentTarget.open })}>
      <summary>{t("seat_options", { name })}</summary>
      <Trouble problem={problem} onClose={() => set({ problem: null })} />
      {isOpen && session === null && <p class="soft" aria-busy="true">…</p>}
      {isOpen && session !== null && (
        <div class="engine-options">
          {options.map((option) => (
            <Control key={option.name} option={option} onSet={(value) => change(option, value)} />
          ))}
        </div>
      )}
    </details>
  );
}

interface SettingsProps {
  who: string;
  session: number | null;
  onSeat: (who: string) => void;
  /** Makes the session, whose engine tells its options, before the first search. */
  prepare: () => void;
}

/** Another engine by its command line, and the options of the session's one. */
export function SeatSettings({ who, session, onSeat, prepare }: SettingsProps) {
  return (
    <>
      <SeatCommand who={who} onSeat={onSeat} />
      <EngineOptions session={session} name={nameOf(who)} prepare={prepare} />
    </>
  );
}

/** What a tree is that was made of the lines of an engine. */
export function LinesOf({ head }: { head: Schemas["TreeHead"] | null }) {
  return head?.family === "lines" ? <span class="soft" data-testid="lines-of">{t("tree_lines_of", { name: head.by })}</span> : null;
}
