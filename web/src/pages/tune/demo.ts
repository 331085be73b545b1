// A run of learning that shows something within a minute: it needs no file.
import { type Schemas, call } from "../../api";
import type { Job } from "../../jobs";

const SECONDS = 60;

/** Weights of chess that begin as piece values alone, and are taught by games of their own. */
export const demoRun = () =>
  call<Job>("POST", "/runs", { request: { improve: { game: "chess", from: "material", budget_seconds: SECONDS } } } satisfies Schemas["NewRun"]);
