// A report as one file: what is on the page, with its styles and pictures inside, so that it can be sent and opened anywhere.

/** Pictures above this size (textures of boards) are left out: a colour stands where they were. */
const PICTURE_BYTES_MAX = 65_536;

/** `url` as text that a file can hold; `null` where it is no picture or too large. */
async function inline(url: string): Promise<string | null> {
  const blob = await (await fetch(url)).blob();
  if (!blob.type.startsWith("image/") || blob.size > PICTURE_BYTES_MAX) return null;
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return `data:${blob.type};base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

/** The links of a style sheet that lead to other files, as they are written in it. */
export const linksOf = (css: string): string[] => [...new Set([...css.matchAll(/url\((["']?)(?!data:|#)([^"')]+)\1\)/g)].map((found) => found[0]))];

/** The styles of the page without fonts, with small pictures inside. */
async function styles(): Promise<string> {
  const parts = [...document.styleSheets].map(async (sheet) => {
    let css = [...sheet.cssRules].filter((rule) => !(rule instanceof CSSFontFaceRule)).map((rule) => rule.cssText).join("\n");
    for (const link of linksOf(css)) {
      const address = link.replace(/^url\(["']?|["']?\)$/g, "");
      const data = await inline(new URL(address, sheet.href ?? location.href).href).catch(() => null);
      css = css.replaceAll(link, data === null ? "none" : `url("${data}")`);
    }
    return css;
  });
  return (await Promise.all(parts)).join("\n");
}

/** `report` as a file of its own. Links and buttons of the page lead nowhere there and are left out; boards keep the size in which they were drawn. */
export async function asFile(report: HTMLElement, title: string): Promise<string> {
  const copy = report.cloneNode(true) as HTMLElement;
  const drawn = report.querySelectorAll<HTMLElement>(".still");
  copy.querySelectorAll<HTMLElement>(".still").forEach((board, i) => (board.style.inlineSize = `${drawn[i]!.getBoundingClientRect().width}px`));
  for (const way of copy.querySelectorAll(".report-ways")) way.remove();
  const head = document.createElement("title");
  head.textContent = title;
  const css = (await styles()).replaceAll("</", "<\\/");
  return `<!doctype html>\n<html lang="${document.documentElement.lang}">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n${head.outerHTML}\n<style>\n${css}\n</style>\n</head>\n<body><main>${copy.outerHTML}</main></body>\n</html>\n`;
}
