// For the author of a patch: where the games of a pair first part, and both searches side by side there.
import { useEffect } from "preact/hooks";
import { api } from "../../api";
import { Heads, Link, Trouble, go } from "../../parts";
import { playAt } from "../../places";
import { useStore } from "../../store";
import { count, t } from "../../words";
import { playerSeat } from "../seats/seat";
import { traced } from "../tree/plant";
import { type Partings as PartingsPart, arena } from "./types";

type Part = PartingsPart;
type Parting = Part["partings"][number];

/** Milliseconds of a search where the match has another limit than nodes or time for a move. */
const TIME = 2000;

/** Lets both players search the position in which they moved differently, and shows both trees there. */
async function compare(id: number, game: string, { place, players }: Parting, { nodes, time }: Part): Promise<void> {
  const open = async (name: string) => {
    const session = await api.start(game, playerSeat(id, name), place);
    const options = traced(session.family);
    if (Object.keys(options).length > 0) await api.set(session.id, options);
    await api.go(session.id, nodes !== null ? { nodes } : { time: time ?? TIME });
    return session.id;
  };
  const [first, second] = [await open(players[0]!), await open(players[1]!)];
  go(playAt(game, { place, ply: place.moves.length }, { session: String(first), with: String(second), view: "compare" }));
}

/** The pairs of games that part, where they part first before others; asked for when they are opened, and again as games end. */
export function Partings({ id, game, done }: { id: number; game: string; done: number }) {
  const [{ part, isOpen, isBusy, problem }, set] = useStore(() => ({ part: null as Part | null, isOpen: false, isBusy: false, problem: null as unknown }));
  useEffect(() => {
    if (!isOpen) return;
    let over = false;
    arena.partings(id).then((part) => !over && set({ part }), (problem) => set({ problem }));
    return () => {
      over = true;
    };
  }, [id, isOpen, done]);
  const show = (parting: Parting) => {
    set({ isBusy: true, problem: null });
    void compare(id, game, parting, part!).catch((problem) => set({ problem })).finally(() => set({ isBusy: false }));
  };
  return (
    <details class="partings" data-testid="partings" onToggle={(e) => set({ isOpen: e.currentTarget.open })}>
      <summary>{t("partings")}</summary>
      <p class="soft">{t("partings_says")}</p>
      <Trouble problem={problem} onClose={() => set({ problem: null })} />
      {part && part.total === 0 && <p>{t("partings_none")}</p>}
      {part && part.total > 0 && (
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
                    <td>{parting.winners.map((winner) => winner ?? "½–½").join(", ")}</td>
                    <td><button disabled={isBusy} onClick={() => show(parting)}>{t("partings_compare")}</button></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </details>
  );
}
