// Values on the board: what each man is worth at the ends of both lines, and whose each point will be.
import { useEffect, useState } from "preact/hooks";
import { type GamePosition, type Standing, type WhyAnswer, type WhyCandidate, api } from "../../api";
import { StillBoard } from "../../boards/Still";
import type { BoardMark } from "../../boards/board";
import { Heads } from "../../parts";
import { t } from "../../words";
import { cp } from "./say";
import { type Worth, atEnds, manMarks, pointMarks } from "./values";

/** The positions at the ends of lines that start at `place`; none while they are on their way. */
function useEnds(game: string, place: GamePosition, lines: string[][]): (Standing | null)[] {
  const key = JSON.stringify([game, place, lines]);
  const [found, setFound] = useState<{ key: string; list: Standing[] } | null>(null);
  useEffect(() => {
    let current = true;
    const asked = lines.map((line) => api.position(game, { ...place, moves: [...place.moves, ...line] }));
    Promise.all(asked).then((list) => current && setFound({ key, list }), () => undefined);
    return () => {
      current = false;
    };
  }, [key]);
  return found?.key === key ? found.list : lines.map(() => null);
}

interface Props {
  game: string;
  place: GamePosition;
  why: WhyAnswer;
}

/** The board at the end of each line with what carries the difference marked; the same in a table. */
export function Overlay({ game, place, why }: Props) {
  const both = [why.of, ...(why.vs ? [why.vs] : [])];
  const ends = useEnds(game, place, both.map((who) => who.line.map((step) => step.move)));
  const worths = atEnds(why);
  if (worths.length === 0 && !why.owners) return null;
  const marks = (i: number): BoardMark[] => (why.owners ? pointMarks(why.owners[i]!) : manMarks(game, worths, i === 0 ? "of" : "vs"));
  const words = (who: WhyCandidate, i: number) => {
    if (!why.owners) return t("overlay_end", { move: who.text, n: who.line.length });
    const lead = why.owners[i]!.flat().reduce((sum, x) => sum + x, 0);
    return t("owners_say", { move: who.text, lead: lead.toFixed(1) });
  };
  return (
    <div class="overlay" data-testid="overlay" role="group" aria-label={t("overlay")}>
      <h3>{t("overlay")}</h3>
      <div class="overlay-boards">
        {both.map((who, i) => (
          <figure key={i}>
            {ends[i] && (
              <StillBoard
                game={game} position={ends[i]!.position} side={ends[i]!.side} last={who.line[who.line.length - 1]?.move ?? null} marks={marks(i)}
              />
            )}
            <figcaption>{words(who, i)}</figcaption>
          </figure>
        ))}
      </div>
      <p class="soft">{t(why.owners ? "overlay_points" : game === "shogi" ? "overlay_pieces_shogi" : "overlay_pieces")}</p>
      {worths.length > 0 && <Men game={game} worths={worths} of={why.of.text} vs={why.vs?.text ?? "–"} />}
    </div>
  );
}

/** Men by how much they differ between both ends. */
function Men({ game, worths, of, vs }: { game: string; worths: Worth[]; of: string; vs: string }) {
  const say = (n: number | null) => (n === null ? "–" : cp(game, n));
  return (
    <details>
      <summary>{t(game === "shogi" ? "worths_shogi" : "worths")}</summary>
      <table>
        <Heads words={[t("square"), t("worth_now"), of, vs, t("difference")]} />
        <tbody>
          {worths.map((man) => (
            <tr key={man.at}>
              <th scope="row">{man.ring ? `◉ ${man.at}` : man.at}</th>
              <td class="number">{say(man.now)}</td>
              <td class="number">{say(man.of)}</td>
              <td class="number">{say(man.vs)}</td>
              <td class="number">{cp(game, (man.of ?? 0) - (man.vs ?? 0))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
