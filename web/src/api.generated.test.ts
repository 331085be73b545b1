// The types of the API are those of its description; `npm run generate` writes them again.
import openapi, { astToString, type OpenAPI3 } from "openapi-typescript";
import { expect, it } from "vitest";
import description from "../openapi.json";

const HEAD = "// The types of the HTTP API, made from ../openapi.json by `npm run generate`; not written by hand.\n\n";

it("the types of the API are those of its description", async () => {
  // What has a default may be left out of a request.
  const types = await openapi(description as unknown as OpenAPI3, { alphabetize: true, defaultNonNullable: false });
  await expect(HEAD + astToString(types)).toMatchFileSnapshot("./api.generated.ts");
});
