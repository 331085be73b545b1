// Limits of the page's code: how long functions, components and files are, how much state and how many properties they have.
import ts from "typescript";
import { describe, expect, it } from "vitest";

/** Lines of a function that returns JSX. */
const COMPONENT_LINES = 120;
/** Lines of any other function. */
const FUNCTION_LINES = 80;
/** Lines of a file. */
const FILE_LINES = 300;
/** `useState` of one function: more belong together in a store. */
const STATES = 1;
/** Properties that a component takes: more than these are read from the page's store. */
const PROPERTIES = 8;

const FILES = import.meta.glob<string>(["./**/*.{ts,tsx}", "!./**/*.test.ts", "!./**/*.generated.ts"], { query: "?raw", import: "default", eager: true });

interface Measured {
  file: string;
  name: string;
  lines: number;
  isComponent: boolean;
  states: number;
  properties: number;
}

const isJsx = (node: ts.Node): boolean => ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node) || ts.isJsxFragment(node);

function some(node: ts.Node, test: (node: ts.Node) => boolean): boolean {
  return test(node) || (ts.forEachChild(node, (child) => some(child, test) || undefined) ?? false);
}

type Function = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction | ts.MethodDeclaration | ts.ConstructorDeclaration | ts.AccessorDeclaration;

const isFunction = (node: ts.Node): node is Function =>
  ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) || ts.isArrowFunction(node) ||
  ts.isMethodDeclaration(node) || ts.isConstructorDeclaration(node) || ts.isAccessor(node);

/** What a function is called: by itself, or by what it is given to. */
function nameOf(node: Function): string {
  if (node.name) return node.name.getText();
  const { parent } = node;
  const owner = ts.isCallExpression(parent) ? parent.parent : parent;
  if (ts.isVariableDeclaration(owner) || ts.isPropertyAssignment(owner)) return owner.name.getText();
  return ts.isCallExpression(parent) ? `${parent.expression.getText()}(…)` : "function";
}

/** Calls of `useState` in a function itself, not in those within it. */
function statesOf(node: ts.Node): number {
  let n = 0;
  ts.forEachChild(node, (child) => {
    if (isFunction(child)) return;
    if (ts.isCallExpression(child) && child.expression.getText() === "useState") n += 1;
    n += statesOf(child);
  });
  return n;
}

/** Properties of a component: those that it takes out of its first parameter, or all of an interface in the same file. */
function propertiesOf({ parameters: [first] }: Function): number {
  if (!first) return 0;
  const taken = ts.isObjectBindingPattern(first.name) ? first.name.elements.length : 0;
  const name = first.type && ts.isTypeReferenceNode(first.type) ? first.type.typeName.getText() : "";
  const declared = first.getSourceFile().statements.find((s): s is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(s) && s.name.text === name);
  return Math.max(taken, declared?.members.length ?? 0);
}

/** Every function of a file, those within others, too. */
function measure(file: string, text: string): Measured[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const line = (at: number) => source.getLineAndCharacterOfPosition(at).line;
  const found: Measured[] = [];
  const visit = (node: ts.Node) => {
    if (isFunction(node)) {
      const name = nameOf(node);
      const isComponent = /^[A-Z]/.test(name) && some(node, isJsx);
      const lines = line(node.end) - line(node.getStart()) + 1;
      found.push({ file, name, lines, isComponent, states: statesOf(node), properties: isComponent ? propertiesOf(node) : 0 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** What is over a limit, in words. */
function faultsOf(file: string, text: string): string[] {
  const faults: string[] = [];
  const check = (what: string, n: number, limit: number) => n > limit && faults.push(`${file}: ${what} (${n}, at most ${limit})`);
  check("lines of the file", text.split("\n").length - 1, FILE_LINES);
  for (const { name, lines, isComponent, states, properties } of measure(file, text)) {
    check(`lines of ${isComponent ? "component" : "function"} ${name}`, lines, isComponent ? COMPONENT_LINES : FUNCTION_LINES);
    check(`useState of ${name}: use the page's store`, states, STATES);
    check(`properties of ${name}: read the page's store`, properties, PROPERTIES);
  }
  return faults;
}

describe("the page's code", () => {
  it("keeps its limits", () => {
    expect(Object.keys(FILES).length).toBeGreaterThan(50);
    expect(Object.entries(FILES).flatMap(([file, text]) => faultsOf(file, text))).toEqual([]);
    // All files are parsed: on a busy machine that takes longer than a test may by default.
  }, 120_000);
});

describe("the measure", () => {
  const body = (lines: number) => "  go();\n".repeat(lines - 2);
  it("finds what is too long", () => {
    const over = (text: string) => faultsOf("a.tsx", text).map((fault) => fault.slice(7));
    expect(over(`function Page() {\n${body(119)}return <p /> }\n`)).toEqual([]);
    expect(over(`function Page() {\n${body(120)}return <p />\n}\n`)).toEqual(["lines of component Page (121, at most 120)"]);
    expect(over(`const Page = memo(function Page() {\n${body(120)}return <p />\n});\n`)).toEqual(["lines of component Page (121, at most 120)"]);
    expect(over(`const f = () => {\n${body(81)}};\n`)).toEqual(["lines of function f (81, at most 80)"]);
    expect(over(`const row = () => {\n${body(81)}<p /> };\n`)).toEqual(["lines of function row (81, at most 80)"]);
    expect(over(`useEffect(() => {\n${body(81)}});\n`)).toEqual(["lines of function useEffect(…) (81, at most 80)"]);
    expect(over(`class A {\n  get b() {\n${body(81)}}\n}\n`)).toEqual(["lines of function b (81, at most 80)"]);
    expect(over("\n".repeat(301))).toEqual(["lines of the file (301, at most 300)"]);
  });
  it("finds state that belongs into a store", () => {
    const state = "const [a, b] = useState(0);";
    const over = faultsOf("a.tsx", `function Page() { ${state.repeat(2)} }\nfunction usePage() { ${state} f(() => { ${state} }) }`);
    expect(over).toEqual(["a.tsx: useState of Page: use the page's store (2, at most 1)"]);
    const many = faultsOf("a.tsx", "function Page({ a, b, c, d, e, f, g, h, i }) { return <p /> }");
    expect(many).toEqual(["a.tsx: properties of Page: read the page's store (9, at most 8)"]);
    const declared = "interface Props { a: 1; b: 1; c: 1; d: 1; e: 1; f: 1; g: 1; h: 1; i: 1 }\n";
    expect(faultsOf("a.tsx", `${declared}function Page(props: Props) { return <p /> }`)).toEqual(many);
  });
});
