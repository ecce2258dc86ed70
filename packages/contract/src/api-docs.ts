// The description of the API itself, for people and for machines.
import { endpoint } from "./endpoint.ts";

/** With `STRONGROOM_API_DOCS=public` nobody needs to be signed in; with `off` neither of the two exists. */
export const readApiPage = endpoint({
  method: "GET",
  path: "/api/docs",
  summary: "Every call on one page, for people",
  reply: { stream: "text/html" },
  needs: "signed-in",
  audit: "none",
});

export const readOpenApi = endpoint({
  method: "GET",
  path: "/api/openapi.json",
  summary: "Every call as an OpenAPI 3.1 document",
  reply: { stream: "application/json" },
  needs: "signed-in",
  audit: "none",
});
