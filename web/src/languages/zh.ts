// The words of one language, loaded where it is read.
import fleet from "../../i18n/fleet/zh.json";
import work from "../../i18n/jobs/zh.json";
import seats from "../../i18n/seats/zh.json";
import terms from "../../i18n/terms/zh.json";
import why from "../../i18n/why/zh.json";
import words from "../../i18n/zh.json";

export default { words: { ...words, ...fleet, ...seats, ...work }, terms, why };
