// Starts searches whose trees are shown.
import { api } from "../../api";
import { go } from "../../parts";

/** Plies of alpha-beta that are traced for the page. */
export const TRACE = { TracePlies: "4" };

/** Starts a search whose tree is shown. */
export async function plant(game: string, family: string, place = { rules: "", start: null as string | null, moves: [] as string[] }, view = "", leave = go) {
  const made = await api.start(game, family, place, family === "alpha-beta" ? TRACE : {});
  // Who asks for the course has moments kept from the first on.
  await api.course(made.id);
  await api.go(made.id, {});
  leave(`/tree/${made.id}${view}`);
}
