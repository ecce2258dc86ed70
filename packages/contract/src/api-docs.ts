// The API documentation, for people and for programs.
import { endpoint } from "./endpoint.ts";

/** With `STRONGROOM_API_DOCS=public` these calls need no sign-in; with `off` they do not exist. */
export const readApiPage = endpoint({
  method: "GET",
  path: "/api/docs",
  summary: "The API reference as a web page",
  reply: { stream: "text/html" },
  needs: "signed-in",
  audit: "none",
});

export const readOpenApi = endpoint({
  method: "GET",
  path: "/api/openapi.json",
  summary: "The API as an OpenAPI 3.1 document",
  reply: { stream: "application/json" },
  needs: "signed-in",
  audit: "none",
});
