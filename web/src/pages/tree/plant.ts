// How searches are set up whose trees are shown.

/** Options that make a search of `family` keep its tree: four plies of alpha-beta; the others keep theirs anyway. */
export const traced = (family: string): Record<string, string> => (family === "alpha-beta" ? { TracePlies: "4" } : {});
