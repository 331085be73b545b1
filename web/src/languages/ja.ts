// The words of one language, loaded where it is read.
import fleet from "../../i18n/fleet/ja.json";
import work from "../../i18n/jobs/ja.json";
import seats from "../../i18n/seats/ja.json";
import terms from "../../i18n/terms/ja.json";
import why from "../../i18n/why/ja.json";
import words from "../../i18n/ja.json";

export default { words: { ...words, ...fleet, ...seats, ...work }, terms, why };
