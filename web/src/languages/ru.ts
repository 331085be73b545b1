// The words of one language, loaded where it is read.
import fleet from "../../i18n/fleet/ru.json";
import work from "../../i18n/jobs/ru.json";
import seats from "../../i18n/seats/ru.json";
import terms from "../../i18n/terms/ru.json";
import why from "../../i18n/why/ru.json";
import words from "../../i18n/ru.json";

export default { words: { ...words, ...fleet, ...seats, ...work }, terms, why };
