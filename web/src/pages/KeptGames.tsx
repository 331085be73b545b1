// The records that are kept in the workspace: who played, when, how it ended; opened and deleted here.
import { useEffect } from "preact/hooks";
import { type GameInfo, type RecordRow, api } from "../api";
import { Link, Trouble } from "../parts";
import { dateOf, namesOf, resultOf, sideTagsOf } from "../players";
import { useStore } from "../store";
import { count, gameName, moment, t } from "../words";

/** Rows at first, and how many come with each further step. */
const STEP = 20;
const MOST = 200;
/** Records that a search looks at, the ones that were changed last. */
const SEARCHED = 2000;
/** Records from which on a field to search them pays. */
const MANY = 6;

interface Props {
  /** Records of this game; empty: of all. */
  game: string;
  /** The games there are; none until the server has told. */
  games: GameInfo[] | null;
  /** The record one works on: it is not deleted here. */
  current?: string | undefined;
  /** Changes when the list is to be read again. */
  stamp?: string | number;
}

interface KeptState {
  /** None until the server has told. */
  list: { records: RecordRow[]; has_more: boolean } | null;
  limit: number;
  /** What is searched for; empty: nothing. */
  words: string;
  /** What was deleted last, and what keeps it again. */
  gone: { title: string; restore: () => Promise<unknown> } | null;
  problem: unknown;
}

/** Deletes `row`; the promise gives what keeps it again. */
async function removed(row: RecordRow): Promise<() => Promise<unknown>> {
  const { record } = await api.kept(row.id);
  await api.unkeep(row.id);
  return () => api.keep(row.game, record);
}

/** The newest `most` records of `game`, page by page. */
async function newest(game: string, most: number): Promise<RecordRow[]> {
  const all: RecordRow[] = [];
  for (;;) {
    const { records, has_more } = await api.records(game, MOST, all.length);
    all.push(...records);
    if (!has_more || records.length === 0 || all.length >= most) return all;
  }
}

/** Whether all words of `words` stand somewhere in what the list says of a record. */
function fits({ game, tags, outcome }: RecordRow, words: string): boolean {
  const said = [...tags.map(([, text]) => text), dateOf(tags), resultOf(game, outcome).replace("–", "-"), gameName(game)].join(" ").toLowerCase();
  return words.toLowerCase().replace("–", "-").split(/\s+/).every((word) => said.includes(word));
}

export function KeptGames({ game, games, current, stamp = 0 }: Props) {
  const [{ list, limit, words, gone, problem }, set] = useStore<KeptState>(() => ({ list: null, limit: STEP, words: "", gone: null, problem: null }));
  const setProblem = (problem: unknown) => set({ problem });
  const isSearched = words.trim() !== "";
  const read = () => (isSearched ? newest(game, SEARCHED).then((records) => ({ records, has_more: false })) : api.records(game, limit));
  const look = () => read().then((list) => set({ list }), setProblem);
  useEffect(() => void look(), [game, limit, stamp, isSearched]);
  const aboutOf = ({ game: of, tags, plies, changed }: RecordRow) => {
    const moves = `${t("moves")}: ${count(plies)}`;
    return [game === "" && gameName(of), dateOf(tags), moves, `${t("kept_changed")}: ${moment(changed)}`].filter(Boolean).join(" · ");
  };
  const titleOf = ({ game, tags, id }: RecordRow) =>
    namesOf(sideTagsOf(games, game), tags) || tags.find(([tag, said]) => tag === "Event" && said !== "?")?.[1] || `${gameName(game)} ${id.slice(0, 6)}`;
  const remove = async (row: RecordRow) => {
    try {
      const restore = await removed(row);
      set({ gone: { title: titleOf(row), restore } });
      await look();
    } catch (wrong) {
      setProblem(wrong);
    }
  };
  const restore = async () => {
    await gone?.restore().catch(setProblem);
    set({ gone: null });
    await look();
  };
  if (!list) return <Trouble problem={problem} onClose={() => setProblem(null)} />;
  const found = isSearched ? list.records.filter((row) => fits(row, words.trim())) : list.records;
  return (
    <div class="kept-games" data-testid="kept">
      <Trouble problem={problem} onClose={() => setProblem(null)} />
      {gone && (
        <p class="toast" role="status">
          {t("kept_deleted", { title: gone.title })} <button onClick={() => void restore()}>{t("undo_delete")}</button>
        </p>
      )}
      {(isSearched || list.records.length >= MANY) && (
        <input type="search" value={words} placeholder={t("kept_search")} aria-label={t("kept_search")} onInput={(e) => set({ words: e.currentTarget.value })} />
      )}
      {list.records.length === 0 && <p class="soft">{t("kept_none")}</p>}
      {found.length === 0 && isSearched && <p class="soft" role="status">{t("kept_no_match", { n: count(list.records.length), words: words.trim() })}</p>}
      <ul aria-label={t("kept_games")}>
        {found.slice(0, MOST).map((row) => (
          <li key={row.id} aria-current={row.id === current ? "true" : undefined}>
            <span>
              <Link to={`/play/${row.game}?record=${row.id}`}>{titleOf(row)}</Link> {resultOf(row.game, row.outcome)}
              <small class="soft">{aboutOf(row)}</small>
            </span>
            <button disabled={row.id === current} onClick={() => void remove(row)} aria-label={t("kept_delete", { title: titleOf(row) })}>
              {t("delete")}
            </button>
          </li>
        ))}
      </ul>
      {list.has_more && limit < MOST && <button onClick={() => set({ limit: Math.min(MOST, limit + 3 * STEP) })}>{t("kept_more")}</button>}
    </div>
  );
}
