// The types of the HTTP API, made from ../openapi.json by `npm run generate`; not written by hand.

export interface paths {
    "/api/v1/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the files of games and positions in the workspace, the newest first. */
        get: operations["get_data"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/data/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads some records of a file, as `tesuji data show --json` prints them. */
        get: operations["get_data_rows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/data/work": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts work on a file: statistics, or a file of what a filter keeps. The request is that of `tesuji data … --request`, without its output. */
        post: operations["post_data_work"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/engines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the engines of the configuration, the file `engines.toml` of the workspace. */
        get: operations["get_engines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the workspace's fleet: the one that was chosen, else the one that `tesuji fleet up` started in this folder. */
        get: operations["get_fleet"];
        put?: never;
        /** Chooses the fleet of the workspace, if it answers. Its address is kept in a file that nobody else may read. */
        post: operations["post_fleet"];
        /** Forgets the fleet that was chosen; the fleet itself goes on. */
        delete: operations["delete_fleet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads what workers said last, oldest first: faults, crashes with their stderr, versions that do not fit. */
        get: operations["get_fleet_logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/runs/{run}/{deed}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Does something with a run, by its number, or with `all` of them: `pause`, `resume`, `stop` (one run alone). */
        post: operations["post_fleet_runs_run_deed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/runs/{run}/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sets aside what a worker did for a run, so that others do it again; or lets it take units again. */
        post: operations["post_fleet_runs_run_workers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/games": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the games with their search families and record formats. */
        get: operations["get_games"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says that the server lives. */
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the jobs of the workspace, the newest first. */
        get: operations["get_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows one job. */
        get: operations["get_jobs_id"];
        put?: never;
        post?: never;
        /** Takes a job that rests out of the list; `restore` takes it back. */
        delete: operations["delete_jobs_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/{deed}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Does something with a job: `pause`, `resume`, `finish` (what is begun), `cancel`, `restore` (after it was removed). */
        post: operations["post_jobs_id_deed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/files/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file that a job has made. */
        get: operations["get_jobs_id_files_name"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What can be seen of the work now: JSON of the work's own shape (of a match `MatchView`), the same that the stream's event `live` has, with its number
         *     as the header `x-seq`.
         */
        get: operations["get_jobs_id_live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads what a job says. */
        get: operations["get_jobs_id_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs as they change: server-sent events `job` (a job), `gone` (a number), and `live` of the job that is watched. All jobs come
         *     at once, then what changes, at most five times a second; who reads slowly misses states, never the newest. The id of `job` and
         *     `live` is the number of the state: no event has a smaller one than an earlier event of the same kind and job.
         */
        get: operations["get_jobs_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a match. */
        post: operations["post_matches"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/matches/{id}/extend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a match longer: one that is over goes on, one that is played stops after its moves and goes on at once. */
        post: operations["post_matches_id_extend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/matches/{id}/games": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the games of a match, the newest first. */
        get: operations["get_matches_id_games"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/matches/{id}/games/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows one game of a match by its number. */
        get: operations["get_matches_id_games_n"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/matches/{id}/partings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists where the games of pairs part (one opening, sides changed, one position, and two players who move differently), and where a
         *     player's own value falls from one move to its next by ten points of expected result or more.
         */
        get: operations["get_matches_id_partings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/matches/{id}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How Elo and the test went along the games of the first pairing. */
        get: operations["get_matches_id_series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/positions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says what a position is and which moves there are. */
        post: operations["post_positions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the records that are kept, the one that was changed last first. */
        get: operations["get_records"];
        put?: never;
        /** Keeps a record, so that it is found again. */
        post: operations["post_records"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/records/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows a record that is kept. */
        get: operations["get_records_id"];
        /** Replaces a record that is kept. 409: it was changed since the version that the change was made from. */
        put: operations["put_records_id"];
        post?: never;
        /** Removes a record that is kept. */
        delete: operations["delete_records_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/records/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reads the games of a file. */
        post: operations["post_records_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/records/write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Writes a game with all its variations and notes as a file of its field. */
        post: operations["post_records_write"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the runs of the workspace, the newest first. */
        get: operations["get_runs"];
        put?: never;
        /** Starts a run. */
        post: operations["post_runs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/story": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All that a run has written down: for `improve` its settings, rounds with losses and weights, and verdict; for logs the text. */
        get: operations["get_runs_story"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the sessions. */
        get: operations["get_sessions"];
        put?: never;
        /** Starts a session. */
        post: operations["post_sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows one session. */
        get: operations["get_sessions_id"];
        put?: never;
        post?: never;
        /** Ends a session. */
        delete: operations["delete_sessions_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The session's states as they come: server-sent events called `state`, the newest at once; late readers skip states. */
        get: operations["get_sessions_id_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Explains the static evaluation of the session's position; a search that runs stops. */
        post: operations["post_sessions_id_explain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/go": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts thinking; a search that runs stops. */
        post: operations["post_sessions_id_go"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The page that made the session goes: unless somebody listens again within a minute, the session ends. */
        post: operations["post_sessions_id_leave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The options of the session's player with their values: those of an engine as it declares them. */
        get: operations["get_sessions_id_options"];
        put?: never;
        /** Sets options by name; a search that runs stops. */
        post: operations["post_sessions_id_options"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/owners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tells whose each point of a position will be; the session's own search goes on. */
        post: operations["post_sessions_id_owners"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/place": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes a position; a search that runs stops. */
        post: operations["post_sessions_id_place"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The course of a session's search: moments, of which some can be seen again, and when the best move changed. */
        get: operations["get_sessions_id_snapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops thinking; what was found stays. */
        post: operations["post_sessions_id_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/tree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tree or a part of it. */
        get: operations["get_sessions_id_tree"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/tree/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tree as a file, as `tesuji tree --save` writes it. */
        get: operations["get_sessions_id_tree_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/tree/words": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Moves of nodes as people write them, and what the search notes of them. */
        get: operations["get_sessions_id_tree_words"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks the tree: its moves can be played, values are in their range, children spent no more than their parent, values of
         *     best-first search are those of the best child.
         */
        post: operations["post_sessions_id_verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explains a move against another by the tree of the session's search. */
        get: operations["get_sessions_id_why"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/why-not": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compares a move with the best one; the session's own search goes on. */
        post: operations["post_sessions_id_why-not"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The live tree. Texts `{"head": …}` and `{"codes": …}` from the server, then binary frames: a key frame, later only what
         *     changed. The client answers each with `{"ack": seq}`; until then nothing more is sent. `{"hz": n}` sets how often.
         *     The token is the subprotocol `token.…`, beside `tesuji`.
         */
        get: operations["get_sessions_id_ws"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/solve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts to solve a problem. The proof is the job's file `proof.json`: `nodes` with `position`, `attacker_moves`, and
         *     `moves` (`move`, `to`: the number of a node).
         */
        post: operations["post_solve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Opens a file of a tree as a session. */
        post: operations["post_trees"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Says which Tesuji this is. */
        get: operations["get_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description The actions of a player on its move.
         * @enum {string}
         */
        Action: "play" | "claim" | "resign";
        /**
         * @description The attacking side of a proof.
         * @enum {string}
         */
        Attacker: "first" | "second";
        /**
         * @description The meaning of a value.
         * @enum {string}
         */
        BoundKind: "exact" | "lower" | "upper";
        BTreeMap: {
            [key: string]: null | ("first" | "second");
        };
        /** @description What came of a version at a worker. */
        BuiltAt: {
            /**
             * Format: int64
             * @description The nodes of its bench, where its recipe names them.
             */
            bench: number | null;
            /** @description What came of it. */
            outcome: components["schemas"]["FleetBuildOutcome"];
            /** @description Why it is not played with. */
            reason: string | null;
            /** @description The worker. */
            worker: string;
        };
        /** @description A unit under way. */
        BusyUnit: {
            /** @description The name of its run. */
            run: string;
            /**
             * Format: int64
             * @description Its number, from 1.
             */
            unit: number;
        };
        /** @description The node whose value changed most when a move stopped being the best one. */
        Cause: {
            /**
             * Format: float
             * @description Its value after.
             */
            after: number;
            /**
             * Format: float
             * @description Its value before, for the side that moves at the root, in -1..=1.
             */
            before: number;
            /** @description The moves that lead to it from the root. */
            path: string[];
        };
        /** @description Another move became the best one. */
        Change: {
            cause: components["schemas"]["Cause"] | null;
            /**
             * Format: int32
             * @description The new move's value in hundredths for the side to move.
             */
            cp: number;
            /**
             * Format: int32
             * @description The iteration, where there are any.
             */
            depth: number;
            /** @description The best move before; none at first. */
            from: string | null;
            /**
             * Format: int64
             * @description Nodes searched.
             */
            nodes: number;
            /**
             * Format: int64
             * @description Milliseconds since the search began.
             */
            time: number;
            /** @description The best move now. */
            to: string;
        };
        /** @description A change of a kept record. */
        ChangedRecord: {
            play?: components["schemas"]["EngineGame"] | null;
            /** @description The whole record as it is now. */
            record: components["schemas"]["RecordView"];
            /**
             * Format: int64
             * @description The version that it was made from.
             */
            version: number;
        };
        /** @description A feature whose weights changed: in the middlegame and in the endgame. */
        ChangedWeight: {
            /**
             * @description Its weights now.
             * @default [
             *       0,
             *       0
             *     ]
             */
            after: [
                number,
                number
            ];
            /**
             * @description Its weights at the start.
             * @default [
             *       0,
             *       0
             *     ]
             */
            before: [
                number,
                number
            ];
            /**
             * @description Their standard errors, where they are known.
             * @default null
             */
            error: [
                number | null,
                number | null
            ] | null;
            /**
             * @description Its name.
             * @default
             */
            name: string;
        };
        /** @description One thing that was checked. */
        Check: {
            /** @description Nodes that failed. */
            failed: number;
            /** @description The check. */
            name: components["schemas"]["Property"];
        };
        /** @description See [`DataTask::Check`]. How many broken records are named is a matter of who reads. */
        CheckTask: Record<string, never>;
        /**
         * @description The claim of a proof.
         * @enum {string}
         */
        Claim: "mate" | "nomate";
        /** @description A side's clock, in milliseconds. */
        ClockGoal: {
            /**
             * Format: int64
             * @description Time of one byoyomi period.
             * @default 0
             */
            byoyomi?: number;
            /**
             * Format: int64
             * @description Added after each move.
             * @default 0
             */
            increment?: number;
            /**
             * Format: int64
             * @description Main time left.
             * @default 0
             */
            left?: number;
            /**
             * Format: int32
             * @description Moves until the next time control; 0: there is none.
             * @default 0
             */
            moves?: number;
            /**
             * Format: int32
             * @description Byoyomi periods left.
             * @default 0
             */
            periods?: number;
        };
        /** @description One of the two moves. */
        Compared: components["schemas"]["Move"] & {
            /**
             * Format: int32
             * @description Hundredths of a pawn for the side that moves; none where a mate is proven.
             */
            cp: number | null;
            /**
             * Format: double
             * @description Expected result for the side that moves, in -1..=1: a value, never a bound.
             */
            expected: number;
            /**
             * Format: float
             * @description Expected margin in points for the side that moves, where the search saw margins.
             */
            lead: number | null;
            /** @description The line that is expected, this move first. */
            line: components["schemas"]["GlanceStep"][];
            /**
             * Format: int32
             * @description Plies to mate, negative when the side that moves is mated.
             */
            mate: number | null;
            /**
             * Format: int64
             * @description Visits, where the search counts them.
             */
            visits: number;
            /** @description The worth of each piece at the end of the line: square, and centipawns for the first side. */
            worths: [
                string,
                number
            ][];
        };
        /** @description See [`DataTask::Convert`]. */
        ConvertTask: {
            /**
             * Format: int32
             * @description And positions with a move number of at most this, from 1, whatever their score.
             * @default null
             */
            or_ply_max?: number | null;
            /**
             * Format: int32
             * @description Only positions with a score nearer to 0 than this, in centipawns.
             * @default null
             */
            score_below?: number | null;
            /**
             * @description Whether packed positions are checked only as far as the conversion needs it.
             * @default false
             */
            unchecked?: boolean;
            /**
             * @description The output.
             * @default {
             *       "fill_score": null,
             *       "lossy": false,
             *       "output": "",
             *       "resume": false,
             *       "to": null
             *     }
             */
            writing?: components["schemas"]["Writing"];
        };
        /** @description The course of a search. */
        Course: {
            /** @description When another move became the best one. */
            changes: components["schemas"]["Change"][];
            /** @description The candidates from moment to moment. */
            moments: components["schemas"]["Moment"][];
        };
        /** @description A file of games or positions. */
        DataFile: {
            /**
             * Format: int64
             * @description When it changed last, in seconds since 1970.
             */
            changed: number;
            /** @description Its ending, without that of a packer. */
            format: string;
            /** @description Games that have such a format. */
            games: string[];
            /** @description As called from the workspace. */
            path: string;
            /**
             * Format: int64
             * @description Bytes.
             */
            size: number;
        };
        /** @description Work on files of games and positions. */
        DataRequest: {
            /** @description Their format, whatever their names say. */
            from?: string | null;
            /** @description The game; the one that has the format of the first file if not given. */
            game?: string | null;
            /** @description The files to read; `-`: stdin. */
            inputs: string[];
            /** @description Threads; 0: one for each core. */
            jobs?: number;
            /** @description Whether to go on behind broken records. */
            skip_errors?: boolean;
            /** @description The task. */
            task: components["schemas"]["DataTask"];
            /**
             * Format: int32
             * @description The version of this form: [`DataRequest::VERSION`].
             */
            version?: number;
        };
        /** @description A record, numbered, as `--json` shows it. */
        DataRow: components["schemas"]["PositionRow"] | components["schemas"]["RecordedGameRow"];
        /** @description A data task: convert, filter, shuffle and so on. */
        DataTask: {
            /** @description Files are written in another format. */
            convert: components["schemas"]["ConvertTask"];
        } | {
            /** @description The games and positions that are wanted are kept. */
            filter: components["schemas"]["FilterTask"];
        } | {
            /** @description Games or positions are brought into random order. */
            shuffle: components["schemas"]["ShuffleTask"];
        } | {
            /** @description Training and validation are parted, game by game. */
            split: components["schemas"]["SplitTask"];
        } | {
            /** @description Every game or position is kept once. */
            dedup: components["schemas"]["DedupTask"];
        } | {
            /** @description Positions get new scores by searches. */
            rescore: components["schemas"]["RescoreTask"];
        } | {
            /** @description Games and positions are counted. */
            stats: components["schemas"]["StatsTask"];
        } | {
            /** @description Every broken record is named. */
            check: components["schemas"]["CheckTask"];
        } | {
            /** @description Some records are shown. */
            show: components["schemas"]["ShowTask"];
        };
        /** @description The decision of a search. */
        Decision: {
            expected: components["schemas"]["Move"] | null;
            play: components["schemas"]["Move"] | null;
            /** @description What it does. */
            what: components["schemas"]["Action"];
        };
        /** @description See [`DataTask::Dedup`]. */
        DedupTask: {
            /**
             * @description Memory.
             * @default {
             *       "folder": null,
             *       "mib": 1024
             *     }
             */
            memory?: components["schemas"]["Memory"];
            /**
             * @description The output.
             * @default {
             *       "fill_score": null,
             *       "lossy": false,
             *       "output": "",
             *       "resume": false,
             *       "to": null
             *     }
             */
            writing?: components["schemas"]["Writing"];
        };
        /** @description A warning as JSON has it. */
        Doubt: {
            /**
             * @description A word: `idle`, `silent`, `nodes`, `time`, `repeats`.
             * @default
             */
            kind: string;
            /**
             * @description Names of the players; none where it is about all games.
             * @default []
             */
            players: string[];
            /**
             * @description A sentence.
             * @default
             */
            text: string;
        };
        /** @description Whose results are set aside. */
        DropWish: {
            /** @description Whether it may take units of the run again. */
            undo?: boolean;
            /** @description The worker, by its name or identifier. */
            worker: string;
        };
        /** @description The static evaluation of a position as a sum, for the first side. */
        End: {
            /** @description Whether the terms sum to the value of the hand-made evaluation, which the search plays by where no network does. */
            is_sound: boolean;
            /**
             * Format: int32
             * @description The value in centipawns by the network that the search plays by; the terms are what the hand-made evaluation says beside it.
             */
            network: number | null;
            /**
             * Format: int32
             * @description The share of the middlegame, in 256ths.
             */
            phase: number;
            /** @description The last addition: its name and centipawns. */
            rest: [
                string,
                number
            ] | null;
            /**
             * Format: int32
             * @description The share that is left of an endgame's value, in 64ths.
             */
            scale: number;
            /**
             * Format: int32
             * @description Sum of the endgame.
             */
            sum_eg: number;
            /**
             * Format: int32
             * @description Sum of the middlegame.
             */
            sum_mg: number;
            /**
             * Format: int32
             * @description The value in centipawns.
             */
            value: number;
        };
        /** @description The end of a game. */
        Ended: {
            /** @description The reason by its name: `mate`, `repetition`, `points`… */
            by: string;
            /**
             * Format: float
             * @description By how many points, where they are counted.
             */
            points?: number | null;
            /**
             * Format: int32
             * @description 0 or 1 as in `side`; none: nobody won.
             */
            winner?: number | null;
        };
        /** @description An engine that is to play. */
        EngineChoice: {
            /**
             * @description A command line.
             * @default
             */
            command?: string;
            /**
             * @description Our own search family; empty: the best.
             * @default
             */
            family?: string;
            /**
             * @description `own`, `known` (in the configuration) or `command`.
             * @default
             */
            from?: string;
            /**
             * @description The name in the configuration.
             * @default
             */
            known?: string;
            /**
             * @description Its name in tables; empty: the usual one.
             * @default
             */
            name?: string;
            /**
             * @description Options by name.
             * @default {}
             */
            options?: {
                [key: string]: string;
            };
            /**
             * @description All options of the family at once, by name.
             * @default
             */
            preset?: string;
            /**
             * @description A file of weights in the workspace.
             * @default
             */
            weights?: string;
        };
        /** @description A game against an engine, as it is kept with its record: who opens the record plays on. */
        EngineGame: {
            clock?: components["schemas"]["GameClock"] | null;
            /**
             * Format: int64
             * @description Nodes a move.
             */
            nodes?: number | null;
            /** @description Its options by name: its strength, the seeds of this game. */
            options?: {
                [key: string]: string;
            };
            /** @description The sides that it plays: 0, 1. */
            plays: number[];
            /** @description Who searches. */
            seat: components["schemas"]["Seat"];
            /**
             * Format: int64
             * @description Milliseconds a move, where it has no clock and no limit of nodes.
             */
            time?: number | null;
        };
        /** @description One engine as it was asked for. Without a command it is this program's own. */
        EngineRequest: {
            /**
             * @description The processors that it may use.
             * @default []
             */
            affinity?: number[];
            /**
             * @description Its arguments.
             * @default []
             */
            args?: string[];
            /**
             * @description The program; `None`: this one.
             * @default null
             */
            command?: string | null;
            /**
             * @description Its time for a game.
             * @default null
             */
            control?: string | null;
            /**
             * Format: int32
             * @description Plies a move.
             * @default null
             */
            depth?: number | null;
            /**
             * @description Its protocol; `None`: the one that it answers in.
             * @default null
             */
            dialect?: string | null;
            /**
             * @description The folder that it runs in.
             * @default null
             */
            dir?: string | null;
            /**
             * @description Variables of its environment.
             * @default []
             */
            env?: [
                string,
                string
            ][];
            /**
             * Format: double
             * @description Overstepping of time that is forgiven, in seconds.
             * @default null
             */
            margin?: number | null;
            /**
             * Format: double
             * @description Its time for a move, in seconds.
             * @default null
             */
            move_time?: number | null;
            /**
             * @description Its name in tables and records.
             * @default null
             */
            name?: string | null;
            /**
             * Format: int64
             * @description Nodes a move.
             * @default null
             */
            nodes?: number | null;
            /**
             * @description Options with their values; the last of a name holds.
             * @default []
             */
            options?: [
                string,
                string
            ][];
            /**
             * @description Whether it thinks while the other does.
             * @default null
             */
            ponder?: boolean | null;
            /**
             * Format: double
             * @description Timeout of its end, in seconds.
             * @default null
             */
            quit_patience?: number | null;
            /**
             * @description Whether each game has a new process.
             * @default null
             */
            restart?: boolean | null;
            /**
             * Format: double
             * @description Timeout of its start, in seconds.
             * @default null
             */
            start_patience?: number | null;
            /**
             * @description Weights, for this program's own engine.
             * @default null
             */
            weights?: string | null;
        };
        /** @description A number with its 95 % interval. What is infinite is null: JSON has no infinity. */
        Estimate: {
            /**
             * Format: double
             * @description The upper end.
             * @default null
             */
            high: number | null;
            /**
             * Format: double
             * @description The lower end.
             * @default null
             */
            low: number | null;
            /**
             * Format: double
             * @description The number.
             * @default null
             */
            value: number | null;
        };
        /** @description The figures of an evaluation about itself. */
        Explained: {
            /** @description The evaluation term by term, in lines; none where there is nothing to explain. */
            text: string | null;
        };
        /** @description A search family with its options. */
        FamilyView: {
            /** @description Its name. */
            name: string;
            /** @description The options that can be set. */
            options: components["schemas"]["OptionView"][];
        };
        /** @description The fault of a game. */
        Fault: {
            detail: string;
            kind: string;
            last_lines: string[];
            player: string;
        };
        /** @description See [`DataTask::Filter`]. */
        FilterTask: {
            /** @default null */
            mates?: components["schemas"]["MateTask"] | null;
            /**
             * @description The conditions on records that are kept.
             * @default {
             *       "endings": [],
             *       "finished": false,
             *       "no_after_captures": false,
             *       "no_after_checks": false,
             *       "no_captures": false,
             *       "no_checks": false,
             *       "pieces": null,
             *       "plies": null,
             *       "plies_left": null,
             *       "ply": null,
             *       "rating": null,
             *       "results": [],
             *       "score_below": null,
             *       "score_cp": null,
             *       "scored": false,
             *       "share": null,
             *       "tags": []
             *     }
             */
            wanted?: components["schemas"]["Sieve"];
            /**
             * @description The output.
             * @default {
             *       "fill_score": null,
             *       "lossy": false,
             *       "output": "",
             *       "resume": false,
             *       "to": null
             *     }
             */
            writing?: components["schemas"]["Writing"];
        };
        /** @description A version of an engine. */
        FleetBuild: {
            /** @description What came of it, by worker. */
            at: components["schemas"]["BuiltAt"][];
            /** @description The beginning of its commit. */
            commit: string;
        };
        /**
         * @description What came of a version at a worker.
         * @enum {string}
         */
        FleetBuildOutcome: "building" | "built" | "file" | "refused" | "failed";
        /** @description Where a fleet is. */
        FleetChoice: {
            /** @description The address with its token, or the file of a key, as `tesuji fleet up` printed it. */
            address: string;
        };
        /** @description A worker whose results are set aside. */
        FleetExcluded: {
            /** @description The reason. */
            reason: string;
            /** @description Its name, or its identifier. */
            worker: string;
        };
        /** @description A line that a worker said. */
        FleetLine: {
            /** @description What it said. */
            line: string;
            /** @description The worker, or `coordinator`. */
            worker: string;
        };
        /** @description A worker. */
        FleetMachine: {
            /** @description Units under way. */
            busy: components["schemas"]["BusyUnit"][];
            /** @description Cards that networks can run on. */
            cards: string[];
            /** @description Processors. */
            cores: number;
            /**
             * Format: int64
             * @description Units that it has done since it started.
             */
            done: number;
            /**
             * Format: int64
             * @description Units that it could not do.
             */
            faults: number;
            /**
             * Format: double
             * @description Games a minute, where such a run plays games.
             */
            games_per_minute: number | null;
            /** @description The machine that it runs on. */
            host: string;
            /** @description What tells it from others of that name. */
            id: string;
            /** @description Instruction sets that engines may use. */
            instruction_sets: string[];
            /** @description Whether that is too long. */
            is_silent: boolean;
            /** @description Units that it does at a time. */
            jobs: number;
            /**
             * Format: int64
             * @description MiB of memory.
             */
            memory_mib: number | null;
            /** @description Its name. */
            name: string;
            /** @description Whether it takes runs with node limits only. */
            noisy: boolean;
            /** @description Why it takes no units of some runs, or the last thing that went wrong. */
            note: string | null;
            /** @description The name of the processor. */
            processor: string | null;
            /** @description What it starts engines and builds in; null: in no sandbox. */
            sandbox: string | null;
            /**
             * Format: double
             * @description Seconds since it was heard of.
             */
            silent_seconds: number;
            /**
             * Format: double
             * @description The speed of a core: 1 is that of a machine of 2020 or so.
             */
            speed: number;
            /**
             * Format: double
             * @description Units a minute for all runs that are active.
             */
            units_per_minute: number;
            /** @description The version of its program. */
            version: string;
        };
        /** @description What is known of the workspace's fleet. */
        FleetPage: {
            /** @description The folder in which `tesuji fleet up` keeps the fleet of this workspace. */
            folder: string;
            /** @description Whether this program can reach fleets. */
            is_built: boolean;
            place: components["schemas"]["FleetPlace"] | null;
            /** @description Why it cannot be reached now. */
            problem: string | null;
            /** @description The version of the `nats-server` on this machine, with which a fleet can be started here; null: there is none. */
            server: string | null;
            state: components["schemas"]["FleetState"] | null;
        };
        /** @description Where the workspace's fleet is. */
        FleetPlace: {
            /** @description Its address, without the token. */
            address: string;
            /** @description What commands take after `--fleet`, from the workspace. */
            argument: string;
            /** @description Whether somebody chose it; else it was started in this folder. */
            is_chosen: boolean;
        };
        /** @description A run. */
        FleetRun: {
            /** @description Units that two workers made alike, and units that they did not. */
            audits: number[];
            /**
             * Format: int64
             * @description Units in its journal.
             */
            committed: number;
            /** @description The machine of its coordinator. */
            coordinator: string | null;
            /** @description Whose results are set aside. */
            excluded: components["schemas"]["FleetExcluded"][];
            /** @description Why it failed. */
            failure: string | null;
            /**
             * Format: double
             * @description Games a minute; null unless it is active and plays games.
             */
            games_per_minute: number | null;
            /** @description Its number. */
            id: string;
            /** @description The kind of its work: `match`, `selfplay`, `duel`, `rescore`. */
            kind: string;
            /**
             * Format: double
             * @description Seconds that are left.
             */
            left_seconds: number | null;
            /** @description The name that people gave it. */
            name: string;
            /** @description How it stands. */
            phase: components["schemas"]["FleetRunPhase"];
            /**
             * Format: int32
             * @description Runs of a higher one come first.
             */
            priority: number;
            /** @description What each worker has done. */
            shares: components["schemas"]["FleetShare"][];
            /**
             * Format: int64
             * @description Workers that are not among them.
             */
            shares_left_out: number;
            /** @description What came of it so far, in a few words: games, Elo, the log-likelihood ratio. */
            summary: string;
            /**
             * Format: double
             * @description Units a minute; null unless it is active.
             */
            units_per_minute: number | null;
            /**
             * Format: int64
             * @description All its units, where that is known.
             */
            units_total: number | null;
            /** @description Units whose worker fell silent. */
            waiting: components["schemas"]["FleetWaiting"][];
            /** @description Workers and processors beside each other, where clocks limit its games. */
            watched: components["schemas"]["FleetWatched"][];
        };
        /**
         * @description How a run stands, in a word.
         * @enum {string}
         */
        FleetRunPhase: "active" | "paused" | "stopped" | "waiting" | "failed" | "closed";
        /** @description What a worker has done for a run. */
        FleetShare: {
            /** @description What tells it from others of that name. */
            id: string;
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description Units in the journal.
             */
            units: number;
            /**
             * Format: double
             * @description Units a minute.
             */
            units_per_minute: number;
        };
        /** @description Workers and runs of a fleet. */
        FleetState: {
            /** @description Versions of engines, and what came of each at the workers. */
            builds: components["schemas"]["FleetBuild"][];
            /**
             * Format: double
             * @description Games a minute of all runs; null where none plays games.
             */
            games_per_minute: number | null;
            /** @description Whether somebody paused all runs. */
            is_paused: boolean;
            /** @description The workers by name. */
            machines: components["schemas"]["FleetMachine"][];
            /** @description The runs, the newest first. */
            runs: components["schemas"]["FleetRun"][];
            /** @description Units that they do at a time. */
            slots: number;
            /** @description Workers, those that are left out as well. */
            workers: number;
        };
        /** @description A unit that waits for the end of its lease. */
        FleetWaiting: {
            /**
             * Format: double
             * @description Seconds since that worker was heard of.
             */
            silent_seconds: number;
            /**
             * Format: int64
             * @description Its number, from 1.
             */
            unit: number;
            /** @description The worker that had it. */
            worker: string;
        };
        /** @description A worker or a model of processor beside the others. */
        FleetWatched: {
            /**
             * Format: int64
             * @description Games that count.
             */
            games: number;
            /** @description Whether it is a model of processor. */
            is_processor: boolean;
            /** @description The worker, or the model. */
            name: string;
            /**
             * Format: int64
             * @description Pairs of games.
             */
            pairs: number;
            /**
             * Format: double
             * @description The chance of such a difference where all are alike.
             */
            pairs_p: number | null;
            /**
             * Format: double
             * @description The share of their time in which engines waited for a processor.
             */
            stolen: number;
            /**
             * Format: int64
             * @description Games lost on time.
             */
            time_losses: number;
            /** @description What is wrong with it. */
            verdict: string | null;
        };
        /** @description That a run is done by the workspace's fleet. */
        FleetWish: {
            /**
             * Format: int32
             * @description Workers take units of the runs with the highest priority first: 1 to 1000.
             */
            priority?: number;
        };
        /** @description A record format. */
        FormatView: {
            /** @description Endings of its files. */
            endings: string[];
            /** @description Its name. */
            name: string;
        };
        /** @description The findings of a search. */
        Found: {
            /**
             * Format: int32
             * @description Plies of the iteration.
             */
            depth: number;
            /**
             * Format: int32
             * @description Plies of the longest path.
             */
            depth_max: number;
            /**
             * Format: int32
             * @description How full the table is, in thousandths.
             */
            hash_full: number;
            /** @description The lines, best first. */
            lines: components["schemas"]["FoundLine"][];
            /**
             * Format: int64
             * @description Nodes or playouts.
             */
            nodes: number;
            /**
             * Format: int64
             * @description Nodes a second.
             */
            speed: number;
            /**
             * Format: int64
             * @description Milliseconds.
             */
            time: number;
        };
        /** @description One candidate. */
        FoundLine: {
            /** @description The meaning of `cp`, `mate` and `value`. */
            bound: components["schemas"]["BoundKind"];
            /**
             * Format: int32
             * @description Hundredths of a pawn for the side to move; none where a mate is proven, or the engine tells no value.
             */
            cp: number | null;
            /**
             * Format: float
             * @description Expected margin in points for the side to move, where the search saw margins.
             */
            lead: number | null;
            /**
             * Format: int32
             * @description Plies to mate, negative when the side to move is mated.
             */
            mate: number | null;
            /**
             * Format: float
             * @description The policy's share, in 0..=1.
             */
            prior: number;
            /** @description The line, the candidate first. */
            pv: components["schemas"]["Move"][];
            /**
             * Format: int32
             * @description The value for the side to move as records hold it: hundredths of a pawn, 32000 - n for a mate in n plies, n - 32000 for
             *     being mated.
             */
            value: number;
            /**
             * Format: int64
             * @description Nodes or visits spent on it.
             */
            visits: number;
            /** @description Win, draw and loss for the side to move in thousandths, where the search tells. */
            wdl: number[] | null;
        };
        /** @description The clocks of a game when its last move was made. */
        GameClock: {
            /**
             * Format: int64
             * @description Milliseconds that a move adds.
             */
            increment: number;
            /** @description Milliseconds that each side had left, the side that moves first before the other. */
            left: number[];
        };
        /** @description Counts of games and what they say of the first player. */
        GameCounts: {
            /**
             * Format: double
             * @description The share of draws; null without games.
             * @default null
             */
            draw_ratio: number | null;
            /**
             * Format: int64
             * @description Drawn games.
             * @default 0
             */
            draws: number;
            /** @default null */
            elo: components["schemas"]["Estimate"] | null;
            /** @default null */
            elo_binomial: components["schemas"]["Estimate"] | null;
            /**
             * Format: int64
             * @description All games.
             * @default 0
             */
            games: number;
            /**
             * Format: double
             * @description The likelihood of superiority.
             * @default null
             */
            los: number | null;
            /**
             * Format: double
             * @description The likelihood of superiority by wins and losses alone.
             * @default null
             */
            los_wl: number | null;
            /**
             * Format: int64
             * @description Games that it lost.
             * @default 0
             */
            losses: number;
            /** @default null */
            normalised_elo: components["schemas"]["Estimate"] | null;
            /**
             * Format: double
             * @description Its points.
             * @default 0
             */
            points: number;
            /**
             * Format: double
             * @description Points a game; null without games.
             * @default null
             */
            score: number | null;
            /** @default null */
            sprt: components["schemas"]["TestState"] | null;
            /** @default null */
            verdicts: components["schemas"]["BTreeMap"] | null;
            /**
             * Format: int64
             * @description Games that it won.
             * @default 0
             */
            wins: number;
        };
        /** @description A place in a game: rules, start and the moves from there. */
        GamePosition: {
            /**
             * @description The moves, in the protocol's notation or as people write them (`e2e4`, `e4`, `7g7f`, `７六歩`, `Q16`).
             * @default []
             */
            moves?: string[];
            /**
             * @description The rules as text (`chess960`, `9x9 komi 7`); empty: the usual ones.
             * @default
             */
            rules?: string;
            /**
             * @description The start position in the game's notation; none: the usual one.
             * @default null
             */
            start?: string | null;
        };
        /** @description A game in a list. */
        GameRow: {
            /** @description The reason for its end, by name. */
            by: string;
            fault: components["schemas"]["Fault"] | null;
            first: string;
            /**
             * Format: int64
             * @description Its number, from 1.
             */
            game: number;
            /** Format: int64 */
            plies: number;
            second: string;
            /** Format: double */
            seconds: number;
            /** @description The winner's name. */
            winner: string | null;
        };
        /** @description Some games and how many there are. */
        GamesPart: {
            /** @description Those of this answer, the newest first. */
            games: components["schemas"]["GameRow"][];
            /** @description All that were asked about. */
            total: number;
        };
        /** @description A game that can be played. */
        GameView: {
            /** @description Its search families, the best first. */
            families: components["schemas"]["FamilyView"][];
            /** @description Its record formats, the preferred one first. */
            formats: components["schemas"]["FormatView"][];
            /** @description Its name. */
            name: string;
            /** @description The tags that name the players in records, the side that moves first before the other. */
            side_tags: string[];
        };
        /** @description A move of a line with what a first glance sees after it. */
        GlanceStep: components["schemas"]["Move"] & {
            /**
             * Format: int32
             * @description The same in hundredths of a pawn, where it is no mate.
             */
            cp: number | null;
            /**
             * Format: double
             * @description Expected result for the side that asks, in -1..=1, as a search of one ply sees it; none beyond what was looked at.
             */
            glance: number | null;
        };
        /** @description The limits of a search; without any it runs until it is stopped. */
        Goal: {
            /**
             * @description The clocks of both sides, of the one that moves first in the game before the other.
             * @default null
             */
            clocks?: components["schemas"]["ClockGoal"][] | null;
            /**
             * Format: int32
             * @description Plies.
             * @default null
             */
            depth?: number | null;
            /**
             * Format: int64
             * @description Nodes or playouts.
             * @default null
             */
            nodes?: number | null;
            /**
             * @description Only these moves.
             * @default []
             */
            only?: string[];
            /**
             * @description A move that was played at this place: what it costs is found as well, for a game review.
             * @default null
             */
            review?: string | null;
            /**
             * Format: int64
             * @description Milliseconds.
             * @default null
             */
            time?: number | null;
        };
        /** @description That the server lives. */
        Health: {
            /** @description `ok`. */
            status: string;
        };
        /** @description A histogram: record counts over ranges of equal width. */
        Histogram: {
            /** @description Records by the beginning of their range. */
            counts: {
                [key: string]: number;
            };
            /**
             * Format: double
             * @description The mean; 0 without records.
             */
            mean: number;
            /** @description The smallest and the largest value. */
            range: [
                number,
                number
            ] | null;
            /**
             * Format: int64
             * @description The width of a range.
             */
            width: number;
        };
        /**
         * @description A hypothesis of a test.
         * @enum {string}
         */
        Hypothesis: "H0" | "H1";
        /** @description A run of `improve` that is wanted. It needs a game, and a budget or numbers of games and pairs; all else may be missing. */
        ImproveRequest: {
            /**
             * Format: double
             * @description Time for everything, in seconds.
             * @default null
             */
            budget_seconds?: number | null;
            /**
             * @description Whether the verdict is repeated with more nodes.
             * @default false
             */
            confirm?: boolean;
            /**
             * @description The device that computes networks.
             * @default cpu
             */
            device?: string;
            /**
             * @description The source of the weights: a name that the learner knows (`builtin`, `material`, `new`, …), or a file.
             * @default builtin
             */
            from?: string;
            /**
             * @description The game.
             * @default
             */
            game?: string;
            /**
             * Format: int64
             * @description Games of self-play in a round; as many as there is time for if not given.
             * @default null
             */
            games?: number | null;
            /**
             * @description Threads; 0: one for each core.
             * @default 0
             */
            jobs?: number;
            /**
             * @description The shape of a new network: residual blocks and channels, such as `4x32`, or the name of an efficiently updatable one.
             * @default null
             */
            net?: string | null;
            /**
             * Format: int64
             * @description Nodes a move; the learner's usual number if not given.
             * @default null
             */
            nodes?: number | null;
            /**
             * @description Options of the players, as name and value.
             * @default []
             */
            options?: [
                string,
                string
            ][];
            /**
             * @description The folder of the run; the first free one of `runs/improve-GAME-N` if not given.
             * @default null
             */
            out?: string | null;
            /**
             * Format: int64
             * @description Pairs of games in each match; as many as there is time for if not given.
             * @default null
             */
            pairs?: number | null;
            /**
             * Format: double
             * @description Share of the result in what is learned, 0 to 1; the learner's usual one if not given.
             * @default null
             */
            result_share?: number | null;
            /**
             * @description The folder of a run to go on with, with its own settings. Only `game`, which may be missing, `confirm`, `device` and
             *     `jobs` may stand beside it.
             * @default null
             */
            resume?: string | null;
            /**
             * Format: int32
             * @description Rounds; as many as the budget is good for if not given.
             * @default null
             */
            rounds?: number | null;
            /**
             * @description The rules that are played; the learner's usual ones if not given.
             * @default null
             */
            rules?: string | null;
            /**
             * @description `mcts` where a policy and value network learns, `nnue` where an efficiently updatable one does; without it the hand-made evaluation, or
             *     what else the game learns by itself.
             * @default null
             */
            search?: string | null;
            /**
             * Format: int64
             * @description Decides everything that time does not.
             * @default 1
             */
            seed?: number;
            /**
             * @description A file of positions that games begin with.
             * @default null
             */
            starts?: string | null;
            /**
             * Format: int32
             * @description The version of this form: [`ImproveRequest::VERSION`].
             * @default 1
             */
            version?: number;
        };
        /** @description A run of `tesuji improve`. */
        ImproveStory: {
            /** @description Its rounds. */
            rounds: components["schemas"]["RoundStory"][];
            /**
             * Format: double
             * @description Time used.
             */
            seconds: number | null;
            /** @description Its settings by name. */
            settings: Record<string, never>;
            /** @description The weights that it started from: numbers by names, which may be nested. */
            start: Record<string, never> | null;
            verdict: components["schemas"]["VerdictStory"] | null;
            /** @description The weights that it has come to. */
            weights: Record<string, never> | null;
        };
        /**
         * @description The actions that a job allows.
         * @enum {string}
         */
        JobAction: "pause" | "resume" | "finish" | "cancel" | "remove";
        /**
         * @description The kind of work of a job: the subcommand that does it.
         * @enum {string}
         */
        JobKind: "match" | "improve" | "tune" | "solve" | "data";
        /** @description How far the work of a job is, as its process tells. */
        JobProgress: {
            /** @description Where that comes from. */
            basis: components["schemas"]["ProgressBasis"];
            /**
             * Format: int64
             * @description Units done.
             */
            done: number;
            /** @description Seconds that are left, from and to. */
            left: [
                number,
                number
            ] | null;
            /** @description What else is told. */
            note: string;
            /**
             * Format: double
             * @description Units a second.
             */
            rate: number;
            /**
             * Format: int64
             * @description Units in all, where that is known.
             */
            total: number | null;
            /** @description The unit of the figures. */
            unit: string;
            /** @description What is done. */
            what: string;
        };
        /** @description A job as others see it. */
        JobView: {
            /** @description The actions that it allows now. */
            can: components["schemas"]["JobAction"][];
            /** @description The command that does the same, from the workspace. */
            command: string;
            /**
             * Format: int64
             * @description Seconds since 1970.
             */
            created: number;
            /**
             * Format: int64
             * @description When it ended, in seconds since 1970.
             */
            ended: number | null;
            /** @description The error that ended it. */
            error: string | null;
            /**
             * Format: int32
             * @description Its process's exit code.
             */
            exit: number | null;
            /** @description The game, if it is of one. */
            game: string | null;
            /**
             * Format: int64
             * @description Its number.
             */
            id: number;
            /** @description Whether it goes on where it was, after its process ended; else it starts over. */
            keeps: boolean;
            /** @description The kind of work. */
            kind: components["schemas"]["JobKind"];
            /** @description The file it makes, as called from the workspace. */
            makes: string | null;
            progress: components["schemas"]["JobProgress"] | null;
            /** @description What it was asked to do, in the form that the command takes with `--request`; null for jobs of versions that asked in words alone. */
            request: Record<string, never> | null;
            /**
             * Format: int64
             * @description Seconds that it has worked.
             */
            seconds: number;
            /**
             * Format: int64
             * @description The number of this state: a larger one is newer, of whatever job. States of two servers may not be compared.
             */
            seq: number;
            /** @description Its state. */
            state: components["schemas"]["Phase"];
            /** @description The name that a person gave it. */
            title: string;
            /** @description The version that started it. */
            version: string;
        };
        /** @description The largest fall of a player's value in a game. */
        Jump: {
            /**
             * Format: double
             * @description The fall of its expected result, in 0..=1.
             */
            fall: number;
            /**
             * Format: int64
             * @description The number of the game.
             */
            game: number;
            /** @description That move, as the protocol writes it. */
            move: string;
            /** @description The player whose value falls, and the other one. */
            players: string[];
            /** @description Moves before the one that it played with the higher value. */
            ply: number;
            /** @description Its values with that move and with its next one, for its own side, as records hold them. */
            values: number[];
            /** @description The winner; none: a draw. */
            winner: string | null;
        };
        /** @description A fall of a player's value with the place where it still was high. */
        JumpView: components["schemas"]["Jump"] & {
            /** @description The position in which the player moved with the higher value. */
            place: components["schemas"]["GamePosition"];
            /** @description The move in words. */
            text: string;
        };
        /** @description A record with the number of its last change. */
        KeptRecord: {
            /** @description The game. */
            game: string;
            play: components["schemas"]["EngineGame"] | null;
            /** @description The whole record. */
            record: components["schemas"]["RecordView"];
            /**
             * Format: int64
             * @description Grows by one with each change. A change must name the version that it was made from.
             */
            version: number;
        };
        /** @description An engine of the configuration. */
        Known: {
            /** @description The game it plays, if the configuration says. */
            game: string | null;
            /** @description Its name. */
            name: string;
        };
        /**
         * @description The position whose features stand for a board: the board itself, or the end of a capture sequence.
         * @enum {string}
         */
        Leaf: "static" | "quiescence";
        /** @description What other programs read of the JSON of a report. */
        LearnedWeights: {
            /**
             * @description The features whose weights changed, those that changed most first.
             * @default []
             */
            changed: components["schemas"]["ChangedWeight"][];
        };
        /** @description A game in play. What is told of each side comes in the order of the sides. */
        LiveGame: {
            /**
             * @description The clock of each side after its last move, in seconds.
             * @default [
             *       null,
             *       null
             *     ]
             */
            clocks: [
                number | null,
                number | null
            ];
            /**
             * @description The last depth of each side, in plies.
             * @default [
             *       0,
             *       0
             *     ]
             */
            depths: [
                number,
                number
            ];
            /**
             * Format: int64
             * @description Its number, from 1.
             * @default 0
             */
            game: number;
            /**
             * @description The last move.
             * @default null
             */
            last: string | null;
            /**
             * @description Plies to the mate that each side sees; below 0: it is mated.
             * @default [
             *       null,
             *       null
             *     ]
             */
            mates: [
                number | null,
                number | null
            ];
            /**
             * @description Indices of the players by side.
             * @default [
             *       0,
             *       0
             *     ]
             */
            players: [
                number,
                number
            ];
            /**
             * @description Moves so far.
             * @default 0
             */
            plies: number;
            /**
             * @description The position.
             * @default null
             */
            position: string | null;
            /**
             * Format: double
             * @description Since when it is played, in seconds.
             * @default 0
             */
            seconds: number;
            /**
             * @description The side to move.
             * @default null
             */
            side: number | null;
            /**
             * @description The last value of each side from its own view, in centipawns.
             * @default [
             *       null,
             *       null
             *     ]
             */
            values: [
                number | null,
                number | null
            ];
        };
        /** @description A part of a log. */
        LogPart: {
            /**
             * Format: int64
             * @description The byte behind it: ask for more from there.
             */
            next: number;
            /** @description The text. */
            text: string;
        };
        /** @description A log of learning. */
        LogStory: {
            report: components["schemas"]["LearnedWeights"] | null;
            /** @description Its text. */
            text: string;
        };
        /** @description The length of a match. */
        Longer: {
            /**
             * Format: int64
             * @description Games of every pairing, those that are played among them.
             */
            games: number;
        };
        /**
         * @description The loss function to minimise: the distance of the expected result `p` from the target `t`, both in 0..=1.
         * @enum {string}
         */
        Loss: "mse" | "mae" | "l4" | "cross-entropy";
        /** @description Mean losses of an epoch. */
        LossPoint: {
            /**
             * Format: int32
             * @description The epoch; 0 is the start.
             */
            epoch: number;
            /**
             * Format: double
             * @description Over what judges.
             */
            held: number | null;
            /**
             * Format: double
             * @description Over what is learned from.
             */
            train: number;
        };
        /** @description A game of a match. */
        MatchGame: {
            /** @description The game. */
            game: string;
            /** @description The moves with their words. */
            moves: components["schemas"]["Move"][];
            /** @description Its start and moves. */
            place: components["schemas"]["GamePosition"];
            /** @description The entries of the list. */
            row: components["schemas"]["GameRow"];
        };
        /** @description A player of a match. */
        MatchPlayer: {
            /**
             * Format: int64
             * @description The job of the match.
             */
            match: number;
            /** @description Its name there. */
            name: string;
        };
        /** @description A match that is wanted. Everything but the game and the engines may be missing. */
        MatchRequest: {
            /**
             * Format: double
             * @description Its chance of a wrong H1.
             * @default 0.05
             */
            alpha?: number;
            /**
             * Format: double
             * @description Its chance of a wrong H0.
             * @default 0.05
             */
            beta?: number;
            /**
             * @description Time for a game.
             * @default null
             */
            control?: string | null;
            /**
             * Format: int32
             * @description Plies a move.
             * @default null
             */
            depth?: number | null;
            /**
             * @description A folder for all that is said in each game.
             * @default null
             */
            dialogues?: string | null;
            /**
             * @description When what both think drawn is drawn.
             * @default null
             */
            draw?: string | null;
            /** @default null */
            each?: components["schemas"]["EngineRequest"] | null;
            /**
             * @description The engines, two or more.
             * @default []
             */
            engines?: components["schemas"]["EngineRequest"][];
            /**
             * @description The tournament's name in records.
             * @default Tesuji match
             */
            event?: string;
            /**
             * @description Whether to begin again where a journal holds an unfinished match.
             * @default false
             */
            fresh?: boolean;
            /**
             * @description The game.
             * @default
             */
            game?: string;
            /**
             * Format: int64
             * @description Games of every pairing.
             * @default null
             */
            games?: number | null;
            /**
             * @description Games at a time; one fewer than there are processors if not given.
             * @default null
             */
            jobs?: number | null;
            /**
             * @description The journal; the first output file's name with `.journal` if not given.
             * @default null
             */
            journal?: string | null;
            /**
             * Format: int64
             * @description Overstepping of time that is forgiven, in milliseconds.
             * @default 50
             */
            margin_ms?: number;
            /**
             * @description Its unit.
             * @default normalised
             */
            model?: components["schemas"]["Model"];
            /**
             * Format: int64
             * @description Nodes a move.
             * @default null
             */
            nodes?: number | null;
            /**
             * @description A file or folder of openings, or `random`; those that are built in if not given.
             * @default null
             */
            openings?: string | null;
            /**
             * @description Order of openings.
             * @default random
             */
            order?: components["schemas"]["OpeningOrder"];
            /**
             * @description Files that games are appended to.
             * @default []
             */
            outputs?: components["schemas"]["OutputRequest"][];
            /**
             * Format: double
             * @description Seconds to wait for a move without a clock before an engine counts as hung; fitting the limits if not given.
             * @default null
             */
            patience_seconds?: number | null;
            /**
             * Format: int32
             * @description Moves taken from each opening: all of a file's if not given.
             * @default null
             */
            plies?: number | null;
            /**
             * Format: int32
             * @description Games of this many plies are drawn.
             * @default null
             */
            plies_max?: number | null;
            /** @default null */
            referee?: components["schemas"]["EngineRequest"] | null;
            /**
             * @description When a player that thinks itself lost resigns.
             * @default null
             */
            resign?: string | null;
            /**
             * @description The journal of a match to go on with, instead of another one. Only games, rounds and jobs may stand beside it.
             * @default null
             */
            resume?: string | null;
            /**
             * Format: int64
             * @description Rounds, instead of games: all that every pairing plays from one opening. In a Swiss tournament the rounds, beside games.
             * @default null
             */
            rounds?: number | null;
            /**
             * @description The rules; empty: the usual ones.
             * @default
             */
            rules?: string;
            /**
             * Format: double
             * @description Seconds a move.
             * @default null
             */
            seconds_a_move?: number | null;
            /**
             * Format: int64
             * @description Seed of all that is random; a new one if not given.
             * @default null
             */
            seed?: number | null;
            /**
             * @description The tournament's place in records.
             * @default null
             */
            site?: string | null;
            /**
             * @description Whether broken openings are left out.
             * @default false
             */
            skip_errors?: boolean;
            /**
             * @description The test that ends the match: the two differences that it tells apart.
             * @default null
             */
            sprt?: number[] | null;
            /**
             * Format: int64
             * @description The opening to begin with, from 1.
             * @default 1
             */
            start?: number;
            /**
             * Format: double
             * @description Stop when the 95 % interval of Elo is so wide from end to end.
             * @default null
             */
            stop_width?: number | null;
            /**
             * @description The pairings.
             * @default {
             *       "gauntlet": null,
             *       "knockout": false,
             *       "sides": "swap",
             *       "swiss": false,
             *       "tiebreaks": 20
             *     }
             */
            tournament?: components["schemas"]["TournamentRequest"];
            /**
             * Format: int32
             * @description The version of this form: [`VERSION`].
             * @default 1
             */
            version?: number;
        };
        /** @description A match as it stands. Displays as one JSON object. */
        MatchView: {
            /**
             * Format: int64
             * @description Games played.
             * @default 0
             */
            done: number;
            /**
             * @description What makes the result doubtful.
             * @default []
             */
            doubts: components["schemas"]["Doubt"][];
            /**
             * @description Why it ended: `complete`, `narrow`, `stopped`, `H0`, `H1`; null: it has not ended.
             * @default null
             */
            end: string | null;
            /**
             * @description The game.
             * @default
             */
            game: string;
            /**
             * Format: int64
             * @description Games of the schedule.
             * @default 0
             */
            games: number;
            /**
             * @description Games at a time.
             * @default 0
             */
            jobs: number;
            /** @default null */
            left: components["schemas"]["SecondsLeft"] | null;
            /**
             * @description The limits of each.
             * @default []
             */
            limits: string[];
            /**
             * @description Games in play.
             * @default []
             */
            live: components["schemas"]["LiveGame"][];
            /**
             * @description Openings.
             * @default 0
             */
            openings: number;
            /**
             * @description The pairings.
             * @default []
             */
            pairings: components["schemas"]["PairingView"][];
            /**
             * @description Names of the players.
             * @default []
             */
            players: string[];
            /** @description Ratings, where more than two play. */
            ratings: Record<string, never> | null;
            /**
             * @description Games by the reasons why they ended.
             * @default {}
             */
            reasons: {
                [key: string]: number;
            };
            /**
             * @description Its rules; empty: the usual ones.
             * @default
             */
            rules: string;
            /**
             * Format: int64
             * @description The seed of the openings.
             * @default 0
             */
            seed: number;
            /** @default null */
            test: components["schemas"]["TestState"] | null;
            /**
             * @description The first player against all others.
             * @default {
             *       "games": {
             *         "draw_ratio": null,
             *         "draws": 0,
             *         "elo": null,
             *         "elo_binomial": null,
             *         "games": 0,
             *         "los": null,
             *         "los_wl": null,
             *         "losses": 0,
             *         "normalised_elo": null,
             *         "points": 0,
             *         "score": null,
             *         "sprt": null,
             *         "verdicts": null,
             *         "wins": 0
             *       },
             *       "pairs": {
             *         "counts": [
             *           0,
             *           0,
             *           0,
             *           0,
             *           0
             *         ],
             *         "draw_ratio": null,
             *         "elo": null,
             *         "los": null,
             *         "normalised_elo": null,
             *         "pairs": 0,
             *         "ratio": null,
             *         "sprt": null,
             *         "verdicts": null
             *       }
             *     }
             */
            tested: components["schemas"]["TestedPlayer"];
            /**
             * @description What each player used.
             * @default []
             */
            used: components["schemas"]["PlayerUse"][];
            /**
             * Format: int64
             * @description Faults.
             * @default 0
             */
            warnings: number;
        };
        /** @description A search while it grows. */
        MatePicture: {
            /**
             * Format: int64
             * @description Positions whose moves were generated so far.
             */
            nodes: number;
            /** @description Whether this is the last picture. */
            over: boolean;
            /**
             * Format: double
             * @description Time so far.
             */
            seconds: number;
            /**
             * Format: int32
             * @description The side to move at the root: 0 or 1.
             */
            side: number;
            /** @description The nodes with the most work, the root first. */
            tree: components["schemas"]["PictureNode"][];
        };
        /**
         * @description Presets of the limits of the mate search.
         * @enum {string}
         */
        MatePreset: "quick" | "diary" | "deep";
        /** @description Positions where the side to move mates, or is in check and mated. */
        MateTask: {
            /** @description Memory of each thread's search, in MiB. */
            hash_mib?: number;
            /**
             * Format: int64
             * @description Nodes for each question at most, whatever the preset.
             */
            nodes?: number | null;
            /** @description The output file. */
            output: string;
            /**
             * Format: int32
             * @description Plies of the mate at most, whatever the preset.
             */
            plies?: number | null;
            /** @description The limits of the mate search. */
            preset?: components["schemas"]["MatePreset"];
        };
        /** @description The memory limit, and the folder for what exceeds it. */
        Memory: {
            /**
             * @description The folder for that; the one of the output if not given.
             * @default null
             */
            folder?: string | null;
            /**
             * @description In MiB; what does not fit goes to the disk.
             * @default 1024
             */
            mib?: number;
        };
        /**
         * @description The optimisation method.
         * @enum {string}
         */
        Method: "adam" | "lbfgs" | "coordinate" | "cma-es";
        /**
         * @description [`Model`] in a request.
         * @enum {string}
         */
        Model: "normalised" | "logistic" | "bayesian";
        /** @description The candidates at a moment of a search. */
        Moment: {
            /** @description Whether the tree of this moment can be seen. */
            kept: boolean;
            /** @description The candidates with the most effort, most first. */
            moves: components["schemas"]["MomentMove"][];
            /**
             * Format: int64
             * @description Nodes searched.
             */
            nodes: number;
            /**
             * Format: int64
             * @description Its snapshot.
             */
            seq: number;
            /**
             * Format: int64
             * @description Milliseconds since the search began.
             */
            time: number;
        };
        /** @description A candidate at a moment. */
        MomentMove: {
            /**
             * Format: int64
             * @description Nodes or visits below.
             */
            effort: number;
            /** @description The move in the protocol's notation. */
            move: string;
            /**
             * Format: float
             * @description Expected result for the side to move, in -1..=1.
             */
            value: number;
        };
        /** @description A move in two notations. */
        Move: {
            /** @description As the protocol writes it: `g1f3`, `7g7f`, `Q16`. */
            move: string;
            /** @description As people write it: `Nf3`, `☗７六歩`, `Q16`. */
            text: string;
        };
        /**
         * @description The size of a mistake.
         * @enum {string}
         */
        MoveMark: "inaccuracy" | "mistake" | "blunder";
        /**
         * @description A match that is to be played: a request, its title, and the players by where they come from. The players are no part of the request,
         *     since a page knows engines by their names in the workspace and not by their command lines.
         */
        NewMatch: {
            /**
             * @description The players, two or more.
             * @default []
             */
            engines?: components["schemas"]["EngineChoice"][];
            /** @default null */
            fleet?: components["schemas"]["FleetWish"] | null;
            /**
             * @description The match, in the form that `tesuji match --request` takes, without engines and files of its own.
             * @default {
             *       "alpha": 0.05,
             *       "beta": 0.05,
             *       "control": null,
             *       "depth": null,
             *       "dialogues": null,
             *       "draw": null,
             *       "each": null,
             *       "engines": [],
             *       "event": "Tesuji match",
             *       "fresh": false,
             *       "game": "",
             *       "games": null,
             *       "jobs": null,
             *       "journal": null,
             *       "margin_ms": 50,
             *       "model": "normalised",
             *       "nodes": null,
             *       "openings": null,
             *       "order": "random",
             *       "outputs": [],
             *       "patience_seconds": null,
             *       "plies": null,
             *       "plies_max": null,
             *       "referee": null,
             *       "resign": null,
             *       "rounds": null,
             *       "rules": "",
             *       "seconds_a_move": null,
             *       "seed": null,
             *       "site": null,
             *       "skip_errors": false,
             *       "sprt": null,
             *       "start": 1,
             *       "stop_width": null,
             *       "tournament": {
             *         "gauntlet": null,
             *         "knockout": false,
             *         "sides": "swap",
             *         "swiss": false,
             *         "tiebreaks": 20
             *       },
             *       "version": 1
             *     }
             */
            request?: components["schemas"]["MatchRequest"];
            /**
             * @description The name that a person gave it; empty: the engines' names.
             * @default
             */
            title?: string;
        };
        /** @description A mate problem: a request, and a title, which is no part of the work. */
        NewProblem: {
            /**
             * @description The problem, in the form that `tesuji solve --request` takes.
             * @default {
             *       "defend": false,
             *       "game": "",
             *       "goal": null,
             *       "hash_mib": 256,
             *       "jobs": 1,
             *       "nodes": null,
             *       "options": [],
             *       "plies": null,
             *       "position": {
             *         "moves": [],
             *         "start": null
             *       },
             *       "problems": null,
             *       "proof": null,
             *       "region": null,
             *       "seconds": null,
             *       "shortest": false,
             *       "threads": 1,
             *       "verify": false,
             *       "version": 1
             *     }
             */
            request?: components["schemas"]["SolveRequest"];
            /**
             * @description The name that a person gave it.
             * @default
             */
            title?: string;
        };
        /** @description A record that is to be kept. */
        NewRecord: {
            /** @description The game. */
            game: string;
            play?: components["schemas"]["EngineGame"] | null;
            /** @description The whole record. */
            record: components["schemas"]["RecordView"];
        };
        /** @description Learning that is to begin: a request, and a title, which is no part of the work. */
        NewRun: {
            fleet?: components["schemas"]["FleetWish"] | null;
            /** @description The request, under the name of its command. */
            request: components["schemas"]["RunRequest"];
            /** @description The name that a person gave it. */
            title?: string;
        };
        /** @description The request for a new session. */
        NewSession: {
            /** @description A built-in search family; empty: the best one, or what `seat` says. */
            family?: string;
            /** @description The game. */
            game: string;
            /** @description Options by name. */
            options?: {
                [key: string]: string;
            };
            /** @description The position at which it begins. */
            place?: components["schemas"]["GamePosition"];
            seat?: components["schemas"]["Seat"] | null;
        };
        /** @description A node in words. */
        NodeText: {
            note: components["schemas"]["NoteView"] | null;
            /** @description The move as people write it. */
            text: string;
        };
        /** @description The note of a search on a node, without what the marks show. */
        NoteView: {
            /**
             * Format: int32
             * @description Plies left, for a search by depth.
             */
            depth: number | null;
            /**
             * Format: int32
             * @description The mate at the root of a proof, in plies.
             */
            mate_plies: number | null;
            /**
             * Format: float
             * @description The work that the value rests on, for best-first search.
             */
            quality: number | null;
            /**
             * Format: int32
             * @description The value that the visit returned, as the window counts.
             */
            value: number | null;
            /** @description Alpha and beta of the visit, for the side to move there, in the search's centipawns. */
            window: number[] | null;
        };
        /**
         * @description The order of openings.
         * @enum {string}
         */
        OpeningOrder: "random" | "sequential";
        /**
         * @description The kind of control that shows an option.
         * @enum {string}
         */
        OptionKind: "check" | "number" | "choice" | "text" | "button";
        /** @description An option as a form shows it. */
        OptionView: {
            /** @description The values of a choice. */
            choices: string[];
            /** @description What it does. */
            doc: string;
            /** @description For engine authors. */
            expert: boolean;
            /** @description The kind of control that shows it. */
            kind: components["schemas"]["OptionKind"];
            /** @description Its name. */
            name: string;
            /** @description The accepted values, in words. */
            takes: string;
            /** @description Its value. */
            value: string;
        };
        /** @description A file that games are appended to. */
        OutputRequest: {
            /** @description The file. */
            file: string;
            /** @description The name of its format. */
            format: string;
        };
        /** @description Whose each point will be. */
        Owners: {
            /** @description Whose evaluation it is. */
            by: string;
            /** @description Rows from the top: 1 is surely the first side's, -1 the other's; none where the evaluation knows no owners. */
            rows: number[][] | null;
        };
        /** @description Counts of pairs of games and what they say of the first player. */
        PairCounts: {
            /**
             * @description Pairs in which it made 0, ½, 1, 1½, 2 points.
             * @default [
             *       0,
             *       0,
             *       0,
             *       0,
             *       0
             *     ]
             */
            counts: number[];
            /**
             * Format: double
             * @description The share of level pairs; null without pairs.
             * @default null
             */
            draw_ratio: number | null;
            /** @default null */
            elo: components["schemas"]["Estimate"] | null;
            /**
             * Format: double
             * @description The likelihood of superiority.
             * @default null
             */
            los: number | null;
            /** @default null */
            normalised_elo: components["schemas"]["Estimate"] | null;
            /**
             * Format: int64
             * @description All pairs.
             * @default 0
             */
            pairs: number;
            /**
             * Format: double
             * @description Pairs that it won for one that it lost; null where it lost none.
             * @default null
             */
            ratio: number | null;
            /** @default null */
            sprt: components["schemas"]["TestState"] | null;
            /** @default null */
            verdicts: components["schemas"]["BTreeMap"] | null;
        };
        /** @description A pairing of a match. */
        PairingView: {
            /**
             * @description Games one by one.
             * @default {
             *       "draw_ratio": null,
             *       "draws": 0,
             *       "elo": null,
             *       "elo_binomial": null,
             *       "games": 0,
             *       "los": null,
             *       "los_wl": null,
             *       "losses": 0,
             *       "normalised_elo": null,
             *       "points": 0,
             *       "score": null,
             *       "sprt": null,
             *       "verdicts": null,
             *       "wins": 0
             *     }
             */
            games: components["schemas"]["GameCounts"];
            /**
             * @description Games by pairs.
             * @default {
             *       "counts": [
             *         0,
             *         0,
             *         0,
             *         0,
             *         0
             *       ],
             *       "draw_ratio": null,
             *       "elo": null,
             *       "los": null,
             *       "normalised_elo": null,
             *       "pairs": 0,
             *       "ratio": null,
             *       "sprt": null,
             *       "verdicts": null
             *     }
             */
            pairs: components["schemas"]["PairCounts"];
            /**
             * @description Indices of the players.
             * @default [
             *       0,
             *       0
             *     ]
             */
            players: [
                number,
                number
            ];
        };
        /** @description Where the two games of a pair first part: one opening, sides changed, and at this ply both players were to move in one position. */
        Parting: {
            /** @description The numbers of both games. */
            games: number[];
            /** @description The move of each player, as the protocol writes it. */
            moves: string[];
            /** @description The players, each as it moved in its game. */
            players: string[];
            /** @description The moves that both games share. */
            ply: number;
            /** @description The winner of each game; none: a draw. */
            winners: (string | null)[];
        };
        /** @description Some partings and some jumps of values, and how many there are. */
        PartingsPart: {
            /** @description Those of this answer, the largest fall first. */
            jumps: components["schemas"]["JumpView"][];
            /** @description All games and players whose values fall. */
            jumps_total: number;
            /**
             * Format: int64
             * @description Nodes a move of the match, where it has them.
             */
            nodes: number | null;
            /** @description Those of this answer, that which part first before others. */
            partings: components["schemas"]["PartingView"][];
            /**
             * Format: int64
             * @description Milliseconds a move of the match, where it has them.
             */
            time: number | null;
            /** @description All pairs that part. */
            total: number;
        };
        /** @description A parting with the place where it is. */
        PartingView: components["schemas"]["Parting"] & {
            /** @description The position in which both moved. */
            place: components["schemas"]["GamePosition"];
            /** @description The moves of both players in words. */
            texts: string[];
        };
        /**
         * @description A position on the command line or in a file, not yet read by the rules: a start and the moves from there.
         *
         *     Taken are `FEN`, `fen FEN`, `sfen SFEN`, `startpos`, each with or without `position` before it and `moves MOVE…` behind it:
         *     what UCI and USI send, and what engines write into their logs.
         */
        Pasted: {
            /**
             * @description The moves from there, in the protocol's notation or as people of the game write them.
             * @default []
             */
            moves?: string[];
            /**
             * @description The start in the game's notation; `None` for `startpos`.
             * @default null
             */
            start?: string | null;
        };
        /**
         * @description The state of a job.
         * @enum {string}
         */
        Phase: "queued" | "running" | "pausing" | "paused" | "finishing" | "done" | "failed" | "cancelled" | "interrupted";
        /** @description A node of a [`MatePicture`]. */
        PictureNode: {
            /**
             * Format: int32
             * @description Disproof number.
             */
            dn: number;
            /** @description The move that led here. */
            move: string;
            /**
             * Format: int32
             * @description Legal moves.
             */
            moves: number;
            /**
             * Format: int32
             * @description The index of the node above; none at the root.
             */
            parent: number | null;
            /**
             * Format: int32
             * @description Plies of the mate where it is proved.
             */
            plies: number | null;
            /**
             * Format: int32
             * @description Proof number.
             */
            pn: number;
            /**
             * Format: int32
             * @description Nodes searched below.
             */
            work: number;
        };
        /** @description What a player used, and its faults by kinds. */
        PlayerUse: components["schemas"]["UsedResources"] & {
            /**
             * @description Faults by kinds.
             * @default {}
             */
            faults: {
                [key: string]: number;
            };
        };
        /** @description A position of a file. */
        PositionRow: {
            /**
             * Format: int64
             * @description The hash that names its game; 0: unknown.
             */
            game: number;
            /** @description The move; empty: none. */
            move: string;
            /** @description Where it comes from. */
            origin: string;
            /**
             * Format: int32
             * @description Plies to the end of the game.
             */
            plies_left: number | null;
            /**
             * Format: int32
             * @description Plies before it in its game.
             */
            ply: number;
            /** @description The position. */
            position: string;
            /**
             * Format: int64
             * @description Its number, from 0.
             */
            record: number;
            /**
             * Format: float
             * @description The result for the first side: 1, ½, 0; null: unknown.
             */
            result: number | null;
            /** @description The rules; empty: the usual ones. */
            rules: string;
            /**
             * Format: int32
             * @description The score for the first side, in centipawns.
             */
            score: number | null;
        };
        /** @description The error of a request. */
        Problem: {
            /** @description The details of this error. */
            detail: string;
            /** @description A hint what to do about it. */
            hint?: string | null;
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description The kind of problem, in a word or two. */
            title: string;
            /** @description The field or line at fault. */
            where?: string | null;
        };
        /**
         * @description Where an estimate of the time that is left comes from.
         * @enum {string}
         */
        ProgressBasis: "model" | "rate";
        /** @description A proof as files hold it: every position once, with the moves that matter. */
        Proof: {
            /** @description The side that mates or does not. */
            attacker: components["schemas"]["Attacker"];
            /** @description The claim that is proved. */
            claim: components["schemas"]["Claim"];
            /** @description The positions, the root first. */
            nodes: components["schemas"]["ProofNode"][];
        };
        /** @description A move of a [`ProofFile`]. */
        ProofMove: {
            /** @description In the protocol's notation. */
            move: string;
            /** @description The index of the position that it leads to. */
            to: number;
        };
        /** @description A position of a [`ProofFile`]. */
        ProofNode: {
            /** @description Whether the attacker moves. */
            attacker_moves: boolean;
            /** @description Its index. */
            id: number;
            /** @description The moves that matter. */
            moves: components["schemas"]["ProofMove"][];
            /** @description In the game's notation. */
            position: string;
        };
        /**
         * @description A property of a tree.
         * @enum {string}
         */
        Property: "moves" | "values" | "effort" | "minimax" | "once";
        /** @description A position to look at. */
        Question: {
            /** @description The game. */
            game: string;
            /** @description The place in the game. */
            place?: components["schemas"]["GamePosition"];
        };
        /** @description Games between two, and what they say. */
        RatedStanding: {
            /** @default null */
            elo: components["schemas"]["Estimate"] | null;
            /**
             * Format: double
             * @description The likelihood of superiority.
             * @default null
             */
            los: number | null;
            /**
             * @description Pairs by half points made in them: 0 to 4.
             * @default [
             *       0,
             *       0,
             *       0,
             *       0,
             *       0
             *     ]
             */
            pairs: number[];
            /**
             * @description Games won, drawn, lost.
             * @default [
             *       0,
             *       0,
             *       0
             *     ]
             */
            wdl: [
                number,
                number,
                number
            ];
        };
        /** @description A game of a file. */
        RecordedGameRow: {
            /**
             * Format: int64
             * @description Its number, from 0.
             */
            game: number;
            /** @description Its moves. */
            moves: string[];
            /**
             * Format: float
             * @description The result for the first side: 1, ½, 0; null: unknown.
             */
            result: number | null;
            /** @description The rules; empty: the usual ones. */
            rules: string;
            /** @description The position that it begins with; null: the usual one. */
            start: string | null;
            /** @description Its tags. */
            tags: {
                [key: string]: string;
            };
            /** @description The value of each move for the side that played it. */
            values_of_the_mover: (number | null)[];
        };
        /** @description A file of games: as `text`, or where it is not UTF-8 as `hex`. */
        RecordFile: {
            /** @description The format, or a file name that tells it. */
            format: string;
            /** @description The game. */
            game: string;
            /** @description Its bytes, two hexadecimal digits each, instead of `text`. */
            hex?: string | null;
            /** @description The content of the file. */
            text?: string;
        };
        /** @description The place at which a record is kept. */
        RecordKey: {
            /** @description Its name. */
            id: string;
            /**
             * Format: int64
             * @description Its version.
             */
            version: number;
        };
        /** @description Kept records, the one that was changed last first. */
        RecordList: {
            /** @description Whether there are more. */
            has_more: boolean;
            /** @description Those of this answer. */
            records: components["schemas"]["RecordRow"][];
        };
        /** @description A step of a game: a move, or a position set up on the way; the root is neither. */
        RecordNode: {
            /**
             * @description The words of an annotator.
             * @default
             */
            comment?: string;
            /**
             * Format: int32
             * @description Depth in plies; 0: unknown.
             * @default 0
             */
            depth?: number;
            /**
             * @description Numeric annotation glyphs (1 is `!`, 2 is `?`, 4 is `??`).
             * @default []
             */
            glyphs?: number[];
            /**
             * @description Time left on the mover's clock.
             * @default null
             */
            left?: [
                number,
                number
            ] | null;
            /**
             * @description The move as the protocol writes it. Requests may also hold it as people write it.
             * @default null
             */
            move?: string | null;
            /**
             * Format: int64
             * @description Nodes searched; 0: unknown.
             * @default 0
             */
            nodes?: number;
            /**
             * Format: int32
             * @description The number of the step before; smaller than its own.
             * @default 0
             */
            parent?: number;
            /**
             * @description The position that is set up here, in the game's notation.
             * @default null
             */
            setup?: string | null;
            /**
             * @description Time spent on the move: seconds and nanoseconds.
             * @default null
             */
            spent?: [
                number,
                number
            ] | null;
            /**
             * @description The move as people write it; ignored in requests.
             * @default null
             */
            text?: string | null;
            /**
             * @description Time spent as the engine reports it.
             * @default null
             */
            told?: [
                number,
                number
            ] | null;
            /**
             * Format: int32
             * @description The value for the side that moved: hundredths of a pawn, 32000 - n for a mate in n plies, n - 32000 for being mated.
             * @default null
             */
            value?: number | null;
            /**
             * @description Visits of moves, by the move's 16-bit code.
             * @default []
             */
            visits?: [
                number,
                number
            ][];
        };
        /** @description A kept record in a list. */
        RecordRow: {
            /**
             * Format: int64
             * @description The last change, in seconds since 1970.
             */
            changed: number;
            /** @description The game. */
            game: string;
            /** @description Its name. */
            id: string;
            outcome: components["schemas"]["Ended"] | null;
            /** @description Moves of the main line. */
            plies: number;
            /** @description Players, event and dates, as far as the record says: White, Black, Event, Date, GameStartTime. */
            tags: [
                string,
                string
            ][];
        };
        /** @description A game: rules, start, tags, result, and its moves with variations and notes. */
        RecordView: {
            /**
             * @description The error, if it could not be read.
             * @default null
             */
            error?: string | null;
            /**
             * @description The steps, parents before children; the first is the root. The first child of a node continues the main line.
             * @default []
             */
            nodes?: components["schemas"]["RecordNode"][];
            /** @default null */
            outcome?: components["schemas"]["Ended"] | null;
            /**
             * @description The rules as text; empty: the usual ones.
             * @default
             */
            rules?: string;
            /**
             * @description The start position in the game's notation; none: the usual one.
             * @default null
             */
            start?: string | null;
            /**
             * @description Names and values: players, event, date.
             * @default []
             */
            tags?: [
                string,
                string
            ][];
        };
        /** @description A game to be written. */
        RecordWish: {
            /** @description The format. */
            format: string;
            /** @description The game. */
            game: string;
            /** @description The game to be written. */
            record: components["schemas"]["RecordView"];
        };
        /** @description See [`DataTask::Rescore`]. */
        RescoreTask: {
            /**
             * @description Whether the move that the search chose is put in place of the one on record.
             * @default false
             */
            moves?: boolean;
            /**
             * Format: int64
             * @description Nodes for each position; 0 only with an engine whose words have a limit.
             * @default 0
             */
            nodes?: number;
            /**
             * @description Options of the engine, as `NAME=VALUE`.
             * @default []
             */
            options?: string[];
            /**
             * @description The search family; empty: the game's usual one.
             * @default
             */
            search?: string;
            /**
             * @description The output.
             * @default {
             *       "fill_score": null,
             *       "lossy": false,
             *       "output": "",
             *       "resume": false,
             *       "to": null
             *     }
             */
            writing?: components["schemas"]["Writing"];
        };
        /** @description The cost of a played move, by a search that holds it and the best move. */
        Review: {
            better: components["schemas"]["Move"] | null;
            /**
             * Format: int32
             * @description Hundredths of the expected result.
             */
            cost: number;
            mark: components["schemas"]["MoveMark"] | null;
            /**
             * @description The values of the better move and of the played one by the search that confirmed the mark, as records hold them, for the side
             *     that moved: their expected results differ by the cost.
             */
            values: number[] | null;
        };
        /** @description Results of a round, as far as it is. */
        RoundResults: {
            /**
             * @description Whether the learned weights play from then on.
             * @default false
             */
            adopted: boolean;
            /**
             * Format: int32
             * @description Its number, from 1.
             * @default 0
             */
            number: number;
            /** @default null */
            standing: components["schemas"]["RatedStanding"] | null;
        };
        /** @description A round of a run. */
        RoundStory: {
            /** @description Losses by epochs. */
            losses: components["schemas"]["LossPoint"][] | null;
            /** @description Its results. */
            round: components["schemas"]["RoundResults"];
            /** @description The weights that it learned. */
            weights: Record<string, never> | null;
        };
        /** @description A run of learning. */
        Run: {
            /**
             * Format: int64
             * @description When it changed last, in seconds since 1970.
             */
            changed: number;
            /** @description Its files. */
            kind: components["schemas"]["RunKind"];
            /** @description Its folder or file as called from the workspace. */
            path: string;
        };
        /**
         * @description The files of a run of learning.
         * @enum {string}
         */
        RunKind: "improve" | "steps" | "greko" | "net" | "sweep";
        /** @description The work of a run. Its files are the job's own, and all others are files of the workspace. */
        RunRequest: {
            /** @description The training loop, in the form that `tesuji improve --request` takes. */
            improve: components["schemas"]["ImproveRequest"];
        } | {
            /** @description Weights from games, in the form that `tesuji tune --request` takes, without `learn`. */
            tune: components["schemas"]["TuneRequest"];
        };
        /** @description All that a run has written down. */
        RunStory: (components["schemas"]["ImproveStory"] & {
            /** @enum {string} */
            kind: "improve";
        }) | (components["schemas"]["SweepStory"] & {
            /** @enum {string} */
            kind: "sweep";
        }) | (components["schemas"]["LogStory"] & {
            /** @enum {string} */
            kind: "steps";
        }) | (components["schemas"]["LogStory"] & {
            /** @enum {string} */
            kind: "greko";
        }) | (components["schemas"]["LogStory"] & {
            /** @enum {string} */
            kind: "net";
        });
        /** @description Who is to search. */
        Seat: {
            /** @description A built-in search, by its family; empty: the best one. */
            search: string;
        } | {
            /** @description An engine of the configuration, by its name. */
            engine: string;
        } | {
            /** @description A command line; only with the token. */
            command: string;
        } | {
            /** @description A player of a match that was begun here. */
            player: components["schemas"]["MatchPlayer"];
        };
        /**
         * @description Where the player of a session comes from.
         * @enum {string}
         */
        SeatKind: "search" | "engine" | "command" | "player";
        /** @description Who searches, as others see it. */
        SeatView: {
            /** @description Where it comes from. */
            kind: components["schemas"]["SeatKind"];
            /** @description Its name: the search family, or as the engine calls itself. */
            name: string;
            /** @description What was asked for, to ask for the same again. */
            wanted: components["schemas"]["Seat"];
        };
        /** @description An estimate of the time that is left, in seconds: eight chances in ten lie between its ends. */
        SecondsLeft: {
            /**
             * Format: double
             * @description The upper end.
             * @default 0
             */
            high: number;
            /**
             * Format: double
             * @description The lower end.
             * @default 0
             */
            low: number;
            /**
             * Format: double
             * @description The middle.
             * @default 0
             */
            middle: number;
        };
        /** @description Curves along games. */
        Series: {
            /** @description Elo of the first player against the second. */
            elo: (number | null)[];
            /** @description Games played. */
            games: number[];
            high: (number | null)[];
            /** @description The log-likelihood ratio of the test. */
            llr: (number | null)[];
            /** @description The interval of 95 %. */
            low: (number | null)[];
        };
        /** @description A session as others see it. */
        SessionView: {
            /** @description The search family; `lines` of an engine, whose tree is made of the lines that it tells. */
            family: string;
            /** @description The game. */
            game: string;
            /**
             * Format: int64
             * @description Its number.
             */
            id: number;
            /** @description Who searches. */
            seat: components["schemas"]["SeatView"];
            /** @description Its state and findings. */
            state: components["schemas"]["State"];
        };
        /** @description See [`DataTask::Show`]. */
        ShowTask: {
            /**
             * Format: int64
             * @description Records that are shown.
             * @default 5
             */
            count?: number;
            /**
             * Format: int64
             * @description Records that are passed over.
             * @default 0
             */
            skip?: number;
        };
        /** @description See [`DataTask::Shuffle`]. */
        ShuffleTask: {
            /**
             * @description Memory.
             * @default {
             *       "folder": null,
             *       "mib": 1024
             *     }
             */
            memory?: components["schemas"]["Memory"];
            /**
             * Format: int64
             * @description Decides the order.
             * @default 1
             */
            seed?: number;
            /**
             * @description The output.
             * @default {
             *       "fill_score": null,
             *       "lossy": false,
             *       "output": "",
             *       "resume": false,
             *       "to": null
             *     }
             */
            writing?: components["schemas"]["Writing"];
        };
        /**
         * @description The assignment of sides, and how often an opening is played.
         * @enum {string}
         */
        Sides: "swap" | "alternate" | "fixed";
        /**
         * @description Conditions that records must meet to be kept. The default keeps everything.
         *
         *     Positions are asked all questions; games those that do not speak of one position, and then as wholes. A position that
         *     does not know the answer (a score where it has none) is not kept.
         */
        Sieve: {
            /**
             * @description One of these endings, by the words of [`ENDINGS`]; empty: any.
             * @default []
             */
            endings?: string[];
            /**
             * @description A result that counts.
             * @default false
             */
            finished?: boolean;
            /**
             * @description The move before neither took nor promoted.
             * @default false
             */
            no_after_captures?: boolean;
            /**
             * @description The position before was no check.
             * @default false
             */
            no_after_checks?: boolean;
            /**
             * @description The move played neither takes nor promotes.
             * @default false
             */
            no_captures?: boolean;
            /**
             * @description Not in check.
             * @default false
             */
            no_checks?: boolean;
            /**
             * @description Pieces on the board.
             * @default null
             */
            pieces?: [
                number,
                number
            ] | null;
            /**
             * @description Plies of the whole game.
             * @default null
             */
            plies?: [
                number,
                number
            ] | null;
            /**
             * @description Plies to the end of the game.
             * @default null
             */
            plies_left?: [
                number,
                number
            ] | null;
            /**
             * @description The ply of the position, from 0.
             * @default null
             */
            ply?: [
                number,
                number
            ] | null;
            /**
             * @description The rating of both players, as the game tells it.
             * @default null
             */
            rating?: [
                number,
                number
            ] | null;
            /**
             * @description One of these results, in half points of First; empty: any.
             * @default []
             */
            results?: number[];
            /**
             * @description A score nearer to 0 than the first, in centipawns; or a move number of at most the second, from 1, whatever the score.
             * @default null
             */
            score_below?: [
                number,
                number | null
            ] | null;
            /**
             * @description The size of the score in centipawns.
             * @default null
             */
            score_cp?: [
                number,
                number
            ] | null;
            /**
             * @description A score.
             * @default false
             */
            scored?: boolean;
            /**
             * @description The share of what is left that is kept, and the seed that decides which.
             * @default null
             */
            share?: [
                number,
                number
            ] | null;
            /**
             * @description Words that a tag of the game must contain: name and part of the value, whatever the case.
             * @default []
             */
            tags?: [
                string,
                string
            ][];
        };
        /** @description The answer of a mate solver as JSON has it. */
        SolvedMate: {
            /** @description `mate`, `nomate` or `limit`. */
            answer: string;
            /** @description A line of the mate, in the protocol's notation. */
            line: string[];
            /**
             * Format: int64
             * @description Positions whose moves were generated.
             */
            nodes: number;
            /**
             * Format: int32
             * @description Plies of the mate that was found.
             */
            plies: number | null;
            /** @description Positions that the checker replayed; `None`: not asked, or nothing to check. */
            positions_verified: number | null;
            /**
             * Format: double
             * @description Time of the search, without the proof's.
             */
            seconds: number;
            /** @description Whether the mate is proved to be the shortest. */
            shortest: boolean;
            /** @description Whether the answer was replayed by the rules alone. */
            verified: boolean;
        };
        /** @description Problems that are to be solved. */
        SolveRequest: {
            /**
             * @description Whether the side to move is to be mated, and not to mate.
             * @default false
             */
            defend?: boolean;
            /**
             * @description The game.
             * @default
             */
            game?: string;
            /**
             * @description The goal in a region: capture, ladder or live, and a point of the chain.
             * @default null
             */
            goal?: string | null;
            /**
             * @description Memory for each problem at a time, in MiB.
             * @default 256
             */
            hash_mib?: number;
            /**
             * Format: int32
             * @description Problems at a time, of a file of mates.
             * @default 1
             */
            jobs?: number;
            /**
             * Format: int64
             * @description Nodes for each problem: positions whose moves are looked at.
             * @default null
             */
            nodes?: number | null;
            /**
             * @description Options of the solver, as `NAME=VALUE`.
             * @default []
             */
            options?: string[];
            /**
             * Format: int32
             * @description Plies of the mate at most.
             * @default null
             */
            plies?: number | null;
            /**
             * @description The position that is asked about, with its moves.
             * @default {
             *       "moves": [],
             *       "start": null
             *     }
             */
            position?: components["schemas"]["Pasted"];
            /**
             * @description A file of problems, or a folder, instead of a position.
             * @default null
             */
            problems?: string | null;
            /**
             * @description The file for the proof, in the format of its name.
             * @default null
             */
            proof?: string | null;
            /**
             * @description The region in which both sides may play, as two corners; the whole board if not given.
             * @default null
             */
            region?: string | null;
            /**
             * Format: double
             * @description Seconds for each problem.
             * @default null
             */
            seconds?: number | null;
            /**
             * @description Whether the shortest mate is looked for, after one was found.
             * @default false
             */
            shortest?: boolean;
            /**
             * Format: int32
             * @description Threads on each problem.
             * @default 1
             */
            threads?: number;
            /**
             * @description Whether the whole proof or disproof is replayed by the rules alone.
             * @default false
             */
            verify?: boolean;
            /**
             * Format: int32
             * @description The version of this form: [`SolveRequest::VERSION`].
             * @default 1
             */
            version?: number;
        };
        /** @description See [`DataTask::Split`]. */
        SplitTask: {
            /**
             * @description The number of parts of one size, of any records, in the place of training and validation.
             * @default null
             */
            parts?: number | null;
            /**
             * Format: int64
             * @description Decides which games go where.
             * @default 0
             */
            seed?: number;
            /**
             * Format: double
             * @description Their share, in 0..=1.
             * @default 0.1
             */
            share?: number;
            /**
             * @description The file for the other games; empty for parts.
             * @default
             */
            valid?: string;
            /**
             * @description The output for the training set, or the name that those of the parts are made from.
             * @default {
             *       "fill_score": null,
             *       "lossy": false,
             *       "output": "",
             *       "resume": false,
             *       "to": null
             *     }
             */
            writing?: components["schemas"]["Writing"];
        };
        /** @description Histograms of values. */
        Spread: {
            /** @description Below the explained move, or of all moves: counts from a sure loss to a sure win for the side that moves. */
            of: number[];
            /** @description Quartiles of what is counted below the explained move, expected results in -1..=1. */
            of_quartiles: number[];
            /** @description The counted moves. */
            unit: components["schemas"]["Unit"];
            /** @description Below the other move; none where all moves are counted together. */
            vs: number[] | null;
            /** @description The same below the other. */
            vs_quartiles: number[] | null;
        };
        /** @description A position as a page needs it. */
        Standing: {
            claim: components["schemas"]["Ended"] | null;
            ended: components["schemas"]["Ended"] | null;
            /** @description The game. */
            game: string;
            /** @description The moves that may be played. */
            legal: components["schemas"]["Move"][];
            /** @description The moves played from the start. */
            played: components["schemas"]["Move"][];
            /** @description The position in the game's notation. */
            position: string;
            /**
             * Format: int32
             * @description The side to move: 0 for the side that moves first in the game (White in chess, Black elsewhere), 1 for the other.
             */
            side: number;
        };
        /** @description The state of a player and its findings. */
        State: {
            choice: components["schemas"]["Decision"] | null;
            /** @description Why the evaluator that was asked for gave no answer in the last search: what was found is another one's, or nothing. */
            fault: string | null;
            found: components["schemas"]["Found"] | null;
            /** @description Whether it thinks no further until somebody listens again. */
            paused: boolean;
            /** @description The place of the player. */
            place: components["schemas"]["GamePosition"];
            review: components["schemas"]["Review"] | null;
            /**
             * Format: int64
             * @description The number of the search that found what follows, from 1.
             */
            search: number;
            /**
             * Format: int64
             * @description Grows with each state.
             */
            seq: number;
            /** @description Whether it thinks. */
            thinking: boolean;
        };
        /** @description See [`DataTask::Stats`]. */
        StatsTask: {
            /**
             * @description Memory.
             * @default {
             *       "folder": null,
             *       "mib": 1024
             *     }
             */
            memory?: components["schemas"]["Memory"];
        };
        /** @description Statistics of the contents of files. */
        Summary: {
            /** @description Material of First minus Second. */
            balance: components["schemas"]["Histogram"];
            /**
             * Format: int64
             * @description Positions in check.
             */
            checks: number;
            /**
             * Format: int64
             * @description Games: those of the files, or those that positions name.
             */
            games: number;
            /**
             * Format: int64
             * @description Games with moves that came before, or `None` where positions are no games.
             */
            games_repeated: number | null;
            /** @description Material of both sides. */
            material: components["schemas"]["Histogram"];
            /**
             * Format: int64
             * @description Scores that are proven wins or losses.
             */
            mates: number;
            /**
             * Format: int64
             * @description Positions with a move.
             */
            moves: number;
            /** @description Whether the files hold games. */
            of_games: boolean;
            /** @description Plies of games, or plies to the end of positions. */
            plies: components["schemas"]["Histogram"];
            /**
             * Format: int64
             * @description Positions.
             */
            positions: number;
            /**
             * Format: int64
             * @description Positions that came before; `None` where nothing looks at positions of the game.
             */
            positions_repeated: number | null;
            /** @description Wins of First, draws, wins of Second, unknown: of games, or of positions where the files hold positions. */
            results: number[];
            /** @description Scores for First in centipawns, proven wins left out. */
            scores: components["schemas"]["Histogram"];
        };
        /** @description How far a version of a sweep is. */
        SweepProgress: {
            /** @description Whether it has learned. */
            learned: boolean;
            /** @description Pairs played, a number for each opponent that it has met, at one limit after the other. */
            pairs: number[];
            /** @description Its name. */
            version: string;
        };
        /** @description A version in a [`SweepTable`]. */
        SweepRow: {
            /**
             * Format: double
             * @description Elo against the anchor; null where no games tell.
             * @default null
             */
            elo: number | null;
            /**
             * Format: double
             * @description Its error.
             * @default null
             */
            error: number | null;
            /**
             * @description The games that it learned from, by their name in the plan.
             * @default
             */
            games: string;
            /**
             * Format: double
             * @description How much boards before the end count.
             * @default 0
             */
            lambda: number;
            /**
             * @description The limit of its games, such as `5000 nodes` or `10+0.1`.
             * @default
             */
            limit: string;
            /**
             * Format: double
             * @description The chance to be better than the anchor.
             * @default null
             */
            los: number | null;
            /**
             * @description The weights that it learned; empty: all.
             * @default []
             */
            only: string[];
            /**
             * Format: int64
             * @description Games played.
             * @default 0
             */
            played: number;
            /**
             * Format: double
             * @description Points made.
             * @default 0
             */
            points: number;
            /**
             * @description Its name.
             * @default
             */
            version: string;
        };
        /** @description Versions that play against a pool. */
        SweepStory: {
            /** @description The plan. */
            settings: string;
            table: components["schemas"]["SweepTable"] | null;
            /** @description The results as text. */
            text: string | null;
            /** @description The versions as far as they are. */
            versions: components["schemas"]["SweepProgress"][];
        };
        /** @description The results of a sweep for programs. */
        SweepTable: {
            /**
             * @description The player of the pool that ratings are against.
             * @default
             */
            anchor: string;
            /**
             * @description The versions, all of them for each limit.
             * @default []
             */
            versions: components["schemas"]["SweepRow"][];
        };
        /** @description The place at which a line goes wrong. */
        Swing: {
            /**
             * Format: float
             * @description The value after.
             */
            after: number;
            /**
             * Format: float
             * @description The value before, in -1..=1.
             */
            before: number;
            /** @description The ply of the line at which the value changes most against the mover, from 1. */
            ply: number;
        };
        /** @description A term of the evaluation at both ends, blended, in centipawns for the first side. */
        TermView: {
            /** @description Its group. */
            group: string;
            /** @description The term. */
            name: string;
            /**
             * Format: double
             * @description Its contribution at the end of the explained move's line.
             */
            of: number;
            /**
             * Format: int32
             * @description The first side's count less the second's, at the end of the explained move's line.
             */
            of_count: number;
            /**
             * Format: double
             * @description Its contribution at the end of the other line.
             */
            vs: number;
            /**
             * Format: int32
             * @description The same at the end of the other line.
             */
            vs_count: number;
        };
        /** @description The player that is tested, against all others. */
        TestedPlayer: {
            /**
             * @description Games one by one.
             * @default {
             *       "draw_ratio": null,
             *       "draws": 0,
             *       "elo": null,
             *       "elo_binomial": null,
             *       "games": 0,
             *       "los": null,
             *       "los_wl": null,
             *       "losses": 0,
             *       "normalised_elo": null,
             *       "points": 0,
             *       "score": null,
             *       "sprt": null,
             *       "verdicts": null,
             *       "wins": 0
             *     }
             */
            games: components["schemas"]["GameCounts"];
            /**
             * @description Games by pairs.
             * @default {
             *       "counts": [
             *         0,
             *         0,
             *         0,
             *         0,
             *         0
             *       ],
             *       "draw_ratio": null,
             *       "elo": null,
             *       "los": null,
             *       "normalised_elo": null,
             *       "pairs": 0,
             *       "ratio": null,
             *       "sprt": null,
             *       "verdicts": null
             *     }
             */
            pairs: components["schemas"]["PairCounts"];
        };
        /** @description A sequential test and how it stands. */
        TestState: {
            /** @default null */
            accepted: components["schemas"]["Hypothesis"] | null;
            /**
             * Format: double
             * @description The lower difference.
             * @default 0
             */
            elo0: number;
            /**
             * Format: double
             * @description The higher difference.
             * @default 0
             */
            elo1: number;
            /**
             * Format: double
             * @description The bound at which H1 is accepted.
             * @default 0
             */
            high: number;
            /**
             * Format: double
             * @description The log-likelihood ratio.
             * @default 0
             */
            llr: number;
            /**
             * Format: double
             * @description The bound at which H0 is accepted.
             * @default 0
             */
            low: number;
            /**
             * @description The unit of the differences: `normalised`, `logistic`, `bayesian`.
             * @default
             */
            model: string;
        };
        /** @description The form of a tournament. */
        TournamentRequest: {
            /**
             * Format: int32
             * @description The first this many engines meet all others, instead of everybody meeting everybody.
             * @default null
             */
            gauntlet?: number | null;
            /**
             * @description The winner of a tie goes on; the order of the engines is that of their seeds.
             * @default false
             */
            knockout?: boolean;
            /**
             * @description The assignment of sides, and how often an opening is played.
             * @default swap
             */
            sides?: components["schemas"]["Sides"];
            /**
             * @description Players of like scores meet, round by round, nobody twice; the match's `rounds` are those rounds, its `games` those of each
             *     meeting.
             * @default false
             */
            swiss?: boolean;
            /**
             * Format: int64
             * @description Pairs of games at most that follow in a tie that ends level; after them the better seed goes on.
             * @default 20
             */
            tiebreaks?: number;
        };
        /** @description The state of a search. */
        TreeHead: {
            /** @description Who searches: the family, or the name of an engine, whose lines the tree is made of. */
            by: string;
            /** @description Its search family. */
            family: string;
            /**
             * Format: int64
             * @description Nodes or playouts.
             */
            nodes: number;
            /** @description The position of the root. */
            place: components["schemas"]["GamePosition"];
            /**
             * Format: int64
             * @description The number of the search in its session.
             */
            search: number;
            /**
             * Format: int64
             * @description The number of the snapshot.
             */
            seq: number;
            /** @description Whether it still runs. */
            thinking: boolean;
            /**
             * Format: int64
             * @description Milliseconds.
             */
            time: number;
            /** @description Nodes of the snapshot. */
            total: number;
        };
        /** @description One node. */
        TreeRow: {
            /**
             * Format: int32
             * @description Children in the search's own tree.
             */
            children: number;
            /**
             * Format: int64
             * @description Nodes or visits below.
             */
            effort: number;
            /**
             * Format: int32
             * @description Its number, the same in all snapshots of a search.
             */
            id: number;
            /** @description The key of the position, in hexadecimal. */
            key: string;
            /** @description The move that leads to it; empty at the root and for a pass of the search. */
            move: string;
            note: components["schemas"]["NoteView"] | null;
            /**
             * Format: int32
             * @description The number of the node above.
             */
            parent: number | null;
            /**
             * Format: int32
             * @description Plies below the root.
             */
            ply: number;
            /**
             * Format: float
             * @description The policy's share.
             */
            prior: number;
            /**
             * Format: float
             * @description Expected result for the side that moves at the root, in -1..=1.
             */
            value: number;
        };
        /** @description A tree or a part of it. */
        TreeRows: {
            /** @description The position of the search. */
            head: components["schemas"]["TreeHead"];
            /** @description Nodes, parents before their children. */
            nodes: components["schemas"]["TreeRow"][];
        };
        /** @description A file of a tree. */
        TreeText: {
            /** @description The content of the file. */
            text: string;
        };
        /** @description Weights to be learned from games. All fields but `game`, `games` and `out` may be missing. */
        TuneRequest: {
            /**
             * @description Rows of one step.
             * @default 8192
             */
            batch?: number;
            /**
             * Format: int32
             * @description Bootstrap: repetitions of learning with games drawn again, for standard errors.
             * @default 0
             */
            bootstrap?: number;
            /**
             * @description A TOML file of bounds of weights.
             * @default null
             */
            bounds?: string | null;
            /**
             * Format: int32
             * @description Passes over the games at most.
             * @default 30
             */
            epochs?: number;
            /**
             * @description Leave these as they are.
             * @default []
             */
            freeze?: string[];
            /**
             * @description The game.
             * @default
             */
            game?: string;
            /**
             * @description Games to learn from, or positions with results.
             * @default []
             */
            games?: string[];
            /**
             * Format: double
             * @description Share of the games that are kept to judge what was learned, at least 0 and below 1.
             * @default 0.1
             */
            held_out?: number;
            /**
             * @description Threads; 0: one for each core. The result does not depend on them.
             * @default 0
             */
            jobs?: number;
            /**
             * Format: double
             * @description Centipawns that multiply the odds by e; fitted if not given.
             * @default null
             */
            k?: number | null;
            /**
             * Format: double
             * @description L2 regularisation towards 0, in the same measure.
             * @default 0
             */
            l2_rows?: number;
            /**
             * Format: double
             * @description A board this many plies before the end counts 1/e of the last one; `null` or 0: all count the same.
             * @default 32
             */
            lambda_plies?: number | null;
            /**
             * @description The position whose features stand for a board.
             * @default static
             */
            leaf?: components["schemas"]["Leaf"];
            /**
             * @description The loss that is minimised.
             * @default mse
             */
            loss?: components["schemas"]["Loss"];
            /**
             * @description The method of minimisation.
             * @default adam
             */
            method?: components["schemas"]["Method"];
            /**
             * @description Learn only these: groups, terms, features or ranges from 1; empty: all.
             * @default []
             */
            only?: string[];
            /**
             * @description The file for the weights; weights that are there are kept as FILE.old.
             * @default
             */
            out?: string;
            /**
             * Format: int32
             * @description Stop after this many epochs without a better validation loss.
             * @default 30
             */
            patience?: number;
            /**
             * Format: double
             * @description Regularisation towards the start weights, in boards of one more squared pawn of loss; `null`: the best by held-out games.
             * @default null
             */
            pull_rows?: number | null;
            /**
             * Format: double
             * @description Length of the first steps, in centipawns.
             * @default 2
             */
            rate_cp?: number;
            /**
             * Format: int32
             * @description Attempts after the first, from shaken weights.
             * @default 0
             */
            restarts?: number;
            /**
             * Format: double
             * @description Share of the game's result in what is learned, 0 to 1; the rest is the search's score.
             * @default 0.5
             */
            result_share?: number;
            /**
             * Format: int64
             * @description Decides the split and the order.
             * @default 0
             */
            seed?: number;
            /**
             * Format: double
             * @description The size of random perturbations of weights for another attempt, in centipawns of their effect.
             * @default 30
             */
            shake_cp?: number;
            /**
             * @description Whether broken games are left out.
             * @default false
             */
            skip_errors?: boolean;
            /**
             * @description The weights to start from: `builtin`, `material`, or a file.
             * @default builtin
             */
            start?: string;
            /**
             * @description A CSV file with a line for each epoch.
             * @default null
             */
            steps?: string | null;
            /**
             * Format: int32
             * @description The version of this form: [`TuneRequest::VERSION`].
             * @default 1
             */
            version?: number;
            /**
             * @description The set of weights: `full` for those that play, or another set of the game.
             * @default full
             */
            weight_set?: string;
        };
        /** @description Where a line turns against the side that asks. */
        Turn: {
            /**
             * Format: double
             * @description Expected result after it.
             */
            after: number;
            /**
             * Format: int32
             * @description The value after it.
             */
            after_cp: number | null;
            /**
             * Format: double
             * @description Expected result before it, as a first glance sees it.
             */
            before: number;
            /**
             * Format: int32
             * @description The value before it in hundredths of a pawn for the side that asks, where it is no mate.
             */
            before_cp: number | null;
            /** @description The ply of the line, from 1. */
            ply: number;
        };
        /**
         * @description The counted moves.
         * @enum {string}
         */
        Unit: "visits" | "leaves" | "moves";
        /** @description The resources that a player used. What it never reported is null. */
        UsedResources: {
            /**
             * Format: double
             * @description The mean depth of its moves.
             * @default null
             */
            depth: number | null;
            /**
             * Format: int32
             * @description Moves with clearly more nodes than allowed.
             * @default 0
             */
            excess: number;
            /**
             * Format: double
             * @description Seconds of an even division of its time.
             * @default 0
             */
            given: number;
            /**
             * Format: double
             * @description Its longest move.
             * @default 0
             */
            longest: number;
            /**
             * Format: int32
             * @description Moves that it thought about.
             * @default 0
             */
            moves: number;
            /**
             * Format: int64
             * @description Nodes.
             * @default null
             */
            nodes: number | null;
            /**
             * Format: double
             * @description The most by which a move overstepped its time.
             * @default 0
             */
            overrun: number;
            /**
             * Format: double
             * @description Its time, in seconds.
             * @default 0
             */
            seconds: number;
            /**
             * Format: int32
             * @description Moves without a word about the search.
             * @default 0
             */
            silent: number;
        };
        /** @description The result of a check of a tree. */
        Verdict: {
            /** @description The checks, and how many nodes failed each. */
            checks: components["schemas"]["Check"][];
            /** @description The first nodes that failed, in words. */
            faults: string[];
            /** @description Nodes checked. */
            nodes: number;
            /**
             * Format: int64
             * @description The snapshot that was checked.
             */
            seq: number;
        };
        /** @description The end of a run. */
        VerdictStory: {
            /** @default null */
            confirmed: components["schemas"]["RatedStanding"] | null;
            /**
             * @description The match.
             * @default {
             *       "elo": null,
             *       "los": null,
             *       "pairs": [
             *         0,
             *         0,
             *         0,
             *         0,
             *         0
             *       ],
             *       "wdl": [
             *         0,
             *         0,
             *         0
             *       ]
             *     }
             */
            standing: components["schemas"]["RatedStanding"];
        };
        /** @description Which Tesuji this is. */
        Version: {
            /** @description Whether changes need a token. */
            token: boolean;
            /** @description The version. */
            version: string;
        };
        /** @description Everything that speaks for a move against another. */
        Why: {
            /**
             * Format: float
             * @description Its value less the other's, in -1..=1 halves: 0.02 is one point of expected result.
             */
            difference: number | null;
            /** @description The search family. */
            family: string;
            /** @description Moves of its line to which most of the effort before them went. */
            firm: number;
            found: components["schemas"]["WhyFound"] | null;
            /**
             * Format: float
             * @description Half of a 95 % interval around the difference, where both are means of visits.
             */
            margin: number | null;
            /** @description The move explained. */
            of: components["schemas"]["WhyCandidate"];
            /** @description Whose each point will be at both ends: rows from the top, 1 is surely the first side's. */
            owners: number[][][] | null;
            /**
             * Format: int64
             * @description The snapshot it is told of.
             */
            seq: number;
            /**
             * Format: int32
             * @description The side to move: 0 or 1.
             */
            side: number;
            /** @description How values spread below both moves. */
            spread: components["schemas"]["Spread"];
            swing: components["schemas"]["Swing"] | null;
            /** @description The terms that differ, those that differ most first. */
            terms: components["schemas"]["TermView"][];
            /** @description Evaluations that are no sums, in words. */
            told: string[] | null;
            vs: components["schemas"]["WhyCandidate"] | null;
            /** @description The worth of each piece where it stands: square, and centipawns for the first side. */
            worths: [
                string,
                number
            ][];
        };
        /** @description One of the two moves. */
        WhyCandidate: components["schemas"]["Move"] & {
            /** @description The meaning of `value`; never `lower`. */
            bound: components["schemas"]["BoundKind"];
            /**
             * Format: int64
             * @description Nodes or visits below.
             */
            effort: number;
            end: components["schemas"]["End"] | null;
            /** @description The line that the search expects, this move first. */
            line: components["schemas"]["WhyStep"][];
            /**
             * Format: float
             * @description Half of a 95 % interval around the value, where it is a mean of visits, were they independent.
             */
            margin: number | null;
            /**
             * Format: float
             * @description The policy's share.
             */
            prior: number;
            /** @description Its place among the priors, from 1; none without priors. */
            prior_rank: number | null;
            /**
             * Format: double
             * @description Its share of the effort of all moves.
             */
            share: number;
            /**
             * Format: float
             * @description Expected result for the side that moves, in -1..=1.
             */
            value: number;
            /** @description The worth of each piece at the end of the line: square, and centipawns for the first side. */
            worths: [
                string,
                number
            ][];
        };
        /** @description The course of the search that found the explained move; of root moves only. */
        WhyFound: {
            before: components["schemas"]["Move"] | null;
            /** @description The number of times that the best move changed. */
            changes: number;
            /**
             * Format: int64
             * @description The best one since this many nodes; none: it is not the best one.
             */
            since_nodes: number | null;
            /**
             * Format: float
             * @description Half of the range of its value over the last nine tenths of the search.
             */
            steady: number | null;
        };
        /** @description A move of a person against the best one. */
        WhyNot: {
            /** @description The best of the others. */
            best: components["schemas"]["Compared"];
            /** @description Who compared. */
            by: string;
            /** @description Whose evaluation explains both ends; none: there is nothing to add up. */
            explained_by: string | null;
            /**
             * Format: double
             * @description Hundredths of the expected result that the move costs; below 0 where it is the best one.
             */
            loss: number;
            /** @description The move that was asked about. */
            mine: components["schemas"]["Compared"];
            /** @description Whose each point will be at both ends: rows from the top, 1 is surely the first side's. */
            owners: number[][][] | null;
            /**
             * Format: int32
             * @description The side that moves: 0 or 1.
             */
            side: number;
            /**
             * @description The terms of the evaluation that differ between both ends, `of` at the end of the line of the move asked about: centipawns for
             *     the first side, the largest difference first.
             */
            terms: components["schemas"]["TermView"][];
            /**
             * Format: int64
             * @description Milliseconds that it took.
             */
            time: number;
            turn: components["schemas"]["Turn"] | null;
        };
        /** @description The request to compare a move with the best one. */
        WhyNotQuestion: {
            /** @description The move. */
            move: string;
            /**
             * Format: int64
             * @description Nodes or playouts of the comparison, in place of time.
             */
            nodes?: number | null;
            /** @description The position in which the move could be played. */
            place?: components["schemas"]["GamePosition"];
            /**
             * Format: int64
             * @description The budget in milliseconds, for all searches together; without it and `nodes` two seconds.
             */
            time?: number | null;
            /** @description The move it is compared with; empty: the best of the others. */
            vs?: string;
        };
        /** @description A move of a line with what the search thinks of it. */
        WhyStep: components["schemas"]["Move"] & {
            /**
             * Format: int64
             * @description Nodes or visits below.
             */
            effort: number;
            /**
             * Format: float
             * @description Expected result for the side that moves at the position explained, in -1..=1.
             */
            value: number;
        };
        /** @description The output file and its options. */
        Writing: {
            /**
             * Format: int32
             * @description The score of positions without one, in centipawns; formats that need a score leave them out if not given.
             * @default null
             */
            fill_score?: number | null;
            /**
             * @description Whether to write in a format that cannot hold all that each position tells.
             * @default false
             */
            lossy?: boolean;
            /**
             * @description The file; `-`: stdout. For splits, where most games go.
             * @default
             */
            output?: string;
            /**
             * @description Whether to go on with work that was stopped.
             * @default false
             */
            resume?: boolean;
            /**
             * @description Its format, whatever its name says.
             * @default null
             */
            to?: string | null;
        };
        /** @description A file of one game: `text`, or `hex` where its bytes are not UTF-8. */
        Written: {
            /** @description Its usual ending. */
            ending: string;
            /** @description Its bytes, two hexadecimal digits each. */
            hex: string | null;
            /** @description The content of the file. */
            text: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_data: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataFile"][];
                };
            };
        };
    };
    get_data_rows: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Records at most. */
                count: number | null;
                /** @description The file as called from the workspace. */
                file: string;
                /** @description The game. */
                game: string;
                /** @description Records that are passed over. */
                skip: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DataRow"][];
                };
            };
        };
    };
    post_data_work: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DataRequest"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
        };
    };
    get_engines: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Known"][];
                };
            };
        };
    };
    get_fleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetPage"];
                };
            };
        };
    };
    post_fleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FleetChoice"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetPage"];
                };
            };
        };
    };
    delete_fleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetPage"];
                };
            };
        };
    };
    get_fleet_logs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description At most this many. */
                last: number | null;
                /** @description Of one worker alone. */
                worker: string | null;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetLine"][];
                };
            };
        };
    };
    post_fleet_runs_run_deed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description what to do */
                deed: string;
                /** @description its number, or `all` */
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetPage"];
                };
            };
        };
    };
    post_fleet_runs_run_workers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DropWish"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetPage"];
                };
            };
        };
    };
    get_games: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GameView"][];
                };
            };
        };
    };
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    get_jobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"][];
                };
            };
        };
    };
    get_jobs_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_jobs_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    post_jobs_id_deed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description what to do */
                deed: string;
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
        };
    };
    get_jobs_id_files_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
                /** @description the file's name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_jobs_id_live: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_jobs_id_log: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description From this byte on; negative: this many bytes before its end. */
                after: number;
                /** @description its number */
                id: number;
                /** @description `log` (what it says) or `out` (what it found). */
                of: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPart"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_jobs_events: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of the job whose `live` events come, too. */
                watch: number | null;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
        };
    };
    post_matches: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMatch"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
        };
    };
    post_matches_id_extend: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the job */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Longer"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
        };
    };
    get_matches_id_games: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Only games with faults. */
                faults: boolean;
                /** @description the job */
                id: number;
                /** @description Leave out this many of the newest. */
                skip: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GamesPart"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_matches_id_games_n: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the job */
                id: number;
                /** @description the game's number, from 1 */
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchGame"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_matches_id_partings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the job */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartingsPart"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_matches_id_series: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the job */
                id: number;
                /** @description Points at most. */
                max: number | null;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_positions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Question"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Standing"];
                };
            };
        };
    };
    get_records: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Only records of this game; empty: all. */
                game: string;
                /** @description So many at most, up to 200; none: 200. */
                limit: number | null;
                /** @description Leave out this many of the newest. */
                skip: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordList"];
                };
            };
        };
    };
    post_records: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRecord"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordKey"];
                };
            };
        };
    };
    get_records_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its name */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptRecord"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_records_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its name */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedRecord"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordKey"];
                };
            };
        };
    };
    delete_records_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its name */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_records_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordFile"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordView"][];
                };
            };
        };
    };
    post_records_write: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordWish"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Written"];
                };
            };
        };
    };
    get_runs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"][];
                };
            };
        };
    };
    post_runs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRun"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
        };
    };
    get_runs_story: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its folder or file as called from the workspace. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStory"];
                };
            };
        };
    };
    get_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"][];
                };
            };
        };
    };
    post_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSession"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
        };
    };
    get_sessions_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_sessions_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_sessions_id_events: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_sessions_id_explain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explained"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_sessions_id_go: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Goal"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    post_sessions_id_leave: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_sessions_id_options: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptionView"][];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_sessions_id_options: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: string;
                };
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    post_sessions_id_owners: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GamePosition"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owners"];
                };
            };
        };
    };
    post_sessions_id_place: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GamePosition"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
        };
    };
    get_sessions_id_snapshots: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Course"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_sessions_id_stop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_sessions_id_tree: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Plies below that node. */
                depth: number;
                /** @description `rows`, `columns` or `bin` (all of the tree as the socket sends it). */
                format: string;
                /** @description its number */
                id: number;
                /** @description Nodes at most. */
                limit: number;
                /** @description The least share of the tree's effort, in 0..=1. */
                min_effort: number;
                /** @description The moves from the root, joined by dots. */
                path: string;
                /** @description `effort`, `value`, `prior` or `order`. */
                sort: string;
                /** @description A kept snapshot; none: the newest. */
                t: number | null;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TreeRows"];
                };
            };
        };
    };
    get_sessions_id_tree_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
                /** @description A kept snapshot; none: the newest. */
                t: number | null;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_sessions_id_tree_words: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
                /** @description Their numbers, with commas between. */
                ids: string;
                /** @description The snapshot they are in; none: the newest. */
                t: number | null;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: components["schemas"]["NodeText"];
                    };
                };
            };
        };
    };
    post_sessions_id_verify: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verdict"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_sessions_id_why: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
                /** @description The move that is explained; empty: the best one. */
                of: string;
                /** @description The moves from the root to the position, joined by dots. */
                path: string;
                /** @description A kept snapshot; none: the newest. */
                t: number | null;
                /** @description The move it is compared with; empty: the best of the others. */
                vs: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
        };
    };
    "post_sessions_id_why-not": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WhyNotQuestion"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WhyNot"];
                };
            };
        };
    };
    get_sessions_id_ws: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description its number */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    post_solve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProblem"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
        };
    };
    post_trees: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TreeText"];
            };
        };
        responses: {
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
        };
    };
    get_version: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
        };
    };
}
