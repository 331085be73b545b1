// For the author of a patch: where the games of a pair first part, where a player's value falls, and both searches side by side there.
import { useEffect } from "preact/hooks";
import { api } from "../../api";
import { numberOf } from "../../numbers";
import { Heads, Link, Trouble, go } from "../../parts";
import { playAt } from "../../places";
import { useStore } from "../../store";
import { chanceOf, valueInWords } from "../../value";
import { count, t } from "../../words";
import { valueOf } from "../play/values";
import { rememberMade } from "../seats/made";
import { playerSeat } from "../seats/seat";
import { traced } from "../tree/plant";
import { type Partings as PartingsPart, arena } from "./types";

type Part = PartingsPart;
type Parting = Part["partings"][number];
type Jump = Part["jumps"][number];
/** A position that two players look at. */
type Spot = Pick<Parting, "place" | "players">;

/** Milliseconds of a search where the match has another limit than nodes or time for a move. */
const TIME = 2000;

/** Lets both players search the position in which they moved differently, and shows both trees there. */
async function compare(id: number, game: string, { place, players }: Spot, { nodes, time }: Part): Promise<void> {
  const open = async (name: string) => {
    const session = await api.start(game, playerSeat(id, name), place);
    rememberMade(session.id);
    const options = traced(session.family);
    if (Object.keys(options).length > 0) await api.set(session.id, options);
    await api.go(session.id, nodes !== null ? { nodes } : { time: time ?? TIME });
    return session.id;
  };
  const [first, second] = [await open(players[0]!), await open(players[1]!)];
  go(playAt(game, { place, ply: place.moves.length }, { session: String(first), with: String(second), view: "compare" }));
}

interface TableProps {
  id: number;
  isBusy: boolean;
  show: (spot: Spot) => void;
}

const winnersOf = (winners: (string | null)[]) => winners.map((winner) => winner ?? "½–½").join(", ");

/** Where both players of a pair moved in one position, and differently. */
function PartingTable({ id, isBusy, show, part }: TableProps & { part: Part }) {
  if (part.total === 0) return <p>{t("partings_none")}</p>;
  return (
    <>
      <p>{t("partings_n", { n: count(part.total) })}</p>
      <div class="wide">
        <table class="rows">
          <Heads words={[t("games"), t("partings_shared"), t("partings_moves"), t("result"), ""]} />
          <tbody>
            {part.partings.map((parting) => (
              <tr key={parting.games.join()}>
                <th scope="row">
                  {parting.games.map((n) => <Link key={n} to={`/arena/${id}?game=${n}`}>{n}{" "}</Link>)}
                </th>
                <td class="number">{parting.ply}</td>
                <td>{parting.players.map((name, i) => <span key={name} class="parting-move">{name}: <b>{parting.texts[i]}</b> </span>)}</td>
                <td>{winnersOf(parting.winners)}</td>
                <td><button disabled={isBusy} onClick={() => show(parting)}>{t("partings_compare")}</button></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Where a player saw a move later what it had not seen. */
function JumpTable({ id, game, isBusy, show, part }: TableProps & { game: string; part: Part }) {
  if (part.jumps_total === 0) return <p>{t("jumps_none")}</p>;
  const number = ({ place, ply }: Jump) => numberOf(game, place.start ?? null, ply + 1, true);
  return (
    <>
      <p>{t("jumps_n", { n: count(part.jumps_total) })}</p>
      <div class="wide">
        <table class="rows">
          <Heads words={[t("game"), t("player"), t("jumps_move"), t("jumps_values"), t("result"), ""]} />
          <tbody>
            {part.jumps.map((jump) => (
              <tr key={`${jump.game} ${jump.players[0]}`}>
                <th scope="row"><Link to={`/arena/${id}?game=${jump.game}`}>{jump.game}</Link></th>
                <td>{jump.players[0]}</td>
                <td>{number(jump)} <b>{jump.text}</b></td>
                <td class="number">{jump.values.map((value) => valueOf(game, valueInWords(value), chanceOf(value))).join(" → ")}</td>
                <td>{winnersOf([jump.winner])}</td>
                <td><button disabled={isBusy} onClick={() => show(jump)}>{t("partings_compare")}</button></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Both lists; asked for when one is opened, and again as games end. */
export function Partings({ id, game, done }: { id: number; game: string; done: number }) {
  const [{ part, open, isBusy, problem }, set] = useStore(() => ({ part: null as Part | null, open: [] as string[], isBusy: false, problem: null as unknown }));
  const isOpen = open.length > 0;
  useEffect(() => {
    if (!isOpen) return;
    let over = false;
    arena.partings(id).then((part) => !over && set({ part }), (problem) => set({ problem }));
    return () => {
      over = true;
    };
  }, [id, isOpen, done]);
  const show = (spot: Spot) => {
    set({ isBusy: true, problem: null });
    void compare(id, game, spot, part!).catch((problem) => set({ problem })).finally(() => set({ isBusy: false }));
  };
  const toggle = (name: string) => (e: { currentTarget: HTMLDetailsElement }) =>
    set({ open: [...open.filter((other) => other !== name), ...(e.currentTarget.open ? [name] : [])] });
  return (
    <>
      <Trouble problem={problem} onClose={() => set({ problem: null })} />
      <details class="partings" data-testid="partings" onToggle={toggle("partings")}>
        <summary>{t("partings")}</summary>
        <p class="soft">{t("partings_says")}</p>
        {part && <PartingTable id={id} isBusy={isBusy} show={show} part={part} />}
      </details>
      <details class="partings" data-testid="jumps" onToggle={toggle("jumps")}>
        <summary>{t("jumps")}</summary>
        <p class="soft">{t("jumps_says")}</p>
        {part && <JumpTable id={id} game={game} isBusy={isBusy} show={show} part={part} />}
      </details>
    </>
  );
}
